"""Where watches, their turns and what a day has spent lie in the table (docs/formats/captures.md)."""

from footfall.ports.table import Key

WATCHES, TURNS, SPENT = "archive-watches", "archive-watch-turns", "archive-watch-spent"


def watch(brand: str, watch_id: str) -> Key:
    """Return where a watch lies."""
    return Key(WATCHES, f"{brand}#{watch_id}")


def turn(brand: str, watch_id: str) -> Key:
    """Return where it is said how far a watch has come."""
    return Key(TURNS, f"{brand}#{watch_id}")


def spent(brand: str, day: str) -> Key:
    """Return where it is said how many captures the watches of a brand asked for on a day."""
    return Key(SPENT, f"{brand}#{day}")
