"""Keys of hits by number, and how often each was counted."""

from msgspec import Raw

class KeyTable:
    """Keys of hits, each with a number in the order of their coming, and how often they were counted."""

    def __init__(self, secret: int) -> None: ...
    def __len__(self) -> int: ...
    def count(self, pack: bytes | Raw, hits: int, /) -> bool:
        """Count each key of a pack of so many; return whether it was one, having kept nothing of it if not."""
    def numbers(self, pack: bytes | Raw, hits: int, /) -> bytes | None:
        """Return the number of each key of a pack of so many as 32-bit whole numbers, or None for any other."""
    def keys(self, start: int, /) -> list[tuple[str, str, str, str]]:
        """Return the keys from a number on as tuples of texts."""
    def picked(self, numbers: bytes, /) -> list[tuple[str, str, str, str]]:
        """Return the keys with these numbers, which are 32-bit whole numbers."""
    def counts(self) -> bytes:
        """Return how often each key was counted as 64-bit whole numbers."""
    def text_bytes(self, start: int, /) -> int:
        """Return how many bytes the texts of the keys from a number on have."""
    def pour(
        self,
        groups: dict[str, dict[int, int]],
        other: dict[str, int],
        source: int,
        room: int,
        assets_max: int,
        sections_max: int,
        /,
    ) -> tuple[int, int, int]:
        """Add the counts to an hour's assets and sections as hits of a source.

        There is room for so many pairs, and in a group for so many sources. Return hits, pairs that came, and hits that
        found no place.
        """
