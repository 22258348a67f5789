"""Plain hits, read from a body straight into packs of keys."""

from msgspec import Raw

def keys_of_body(body: bytes, lines: bool, /) -> list[tuple[str, bytes, bytes, int, bytes, int, int]] | None:
    """Return brand, pack of keys, places, number of hits, pack of their moments, first and last, of each, or None."""

def span_of_moments(pack: bytes | Raw, /) -> tuple[int, int, int] | None:
    """Return how many moments a pack has, the first and the last; None for anything else."""
