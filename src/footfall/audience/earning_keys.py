"""Where statements of earnings lie in the audience's table (docs/formats/audience.md)."""

from footfall.ports.table import Key


def closed_periods(brand: str) -> str:
    """Return the partition of the names of a brand's closed periods."""
    return f"{brand}#earnings"


def closed_period(brand: str, name: str) -> Key:
    """Return where the name of a closed period lies."""
    return Key(closed_periods(brand), name)


def book(brand: str) -> Key:
    """Return where it lies how often anything was closed; no period has such a name."""
    return Key(closed_periods(brand), "#book")


def entries(brand: str, name: str) -> str:
    """Return the partition of a period's statement and its corrections."""
    return f"{brand}#earnings#{name}"


def entry(brand: str, name: str, number: int) -> Key:
    """Return where an entry lies: the statement is number 0, corrections follow."""
    return Key(entries(brand, name), f"{number:04d}")


def blocks(brand: str, name: str, number: int, digest: str) -> str:
    """Return the partition of an entry's blocks: named by the digest of what they hold, so that none is another's."""
    return f"{entries(brand, name)}#{number}#{digest}"


def block(partition: str, number: int) -> Key:
    """Return where a block lies."""
    return Key(partition, f"{number:06d}")
