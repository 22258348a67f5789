"""Plain hits, read from a body straight into packs of keys."""

def keys_of_body(body: bytes, lines: bool, /) -> list[tuple[str, bytes, bytes, int]] | None:
    """Return brand, pack of keys, places and number of hits of each brand in a body of plain hits, or None."""
