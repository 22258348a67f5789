"""Plain hits, read from a body straight into packs of keys."""

def keys_of_body(body: bytes, lines: bool, /) -> list[tuple[str, bytes, bytes, int, bytes]] | None:
    """Return brand, pack of keys, places, number of hits and their times of each brand in a plain body, or None."""
