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
