"""Where metrics lie in the table (docs/formats/metrics.md)."""

from footfall.ports.table import Key

NEWEST = 0  # Version zero is a copy of the newest, so that one get reads it.


def head(brand: str) -> Key:
    """Return where a brand's catalogue says how often it was changed."""
    return Key(f"metric-head#{brand}", "head")


def rows(brand: str) -> str:
    """Return the partition that lists a brand's metrics."""
    return f"metric-rows#{brand}"


def row(brand: str, name: str) -> Key:
    """Return where a metric's line in the list lies."""
    return Key(rows(brand), name)


def versions(brand: str, name: str) -> str:
    """Return the partition of all versions of a metric."""
    return f"metric#{brand}#{name}"


def version(brand: str, name: str, number: int) -> Key:
    """Return where a version lies; digits are padded, so that the tenth comes after the second."""
    return Key(versions(brand, name), f"v{number:010d}")


def by_hash(brand: str, name: str, digest: str) -> Key:
    """Return where it is said which version has a hash."""
    return Key(versions(brand, name), f"h{digest}")


def users(brand: str, name: str) -> str:
    """Return the partition of those that need a metric."""
    return f"metric-users#{brand}#{name}"


def user(brand: str, name: str, by: str) -> Key:
    """Return where it is said that one metric needs another."""
    return Key(users(brand, name), by)


def removed(brand: str, name: str) -> Key:
    """Return where it is said when a metric was removed, for old versions of others that need it."""
    return Key(f"metric-removed#{brand}", name)


def changes(brand: str) -> str:
    """Return the partition of what each change of the catalogue was about."""
    return f"metric-changes#{brand}"


def change(brand: str, revision: int) -> Key:
    """Return where it is said which metrics a change was about."""
    return Key(changes(brand), f"{revision:012d}")


def points(brand: str, name: str) -> str:
    """Return the partition of the points that are pushed for a metric."""
    return f"metric-points#{brand}#{name}"


def points_of_day(brand: str, name: str, day: str, *, piece: int = 0) -> Key:
    """Return where the points of a day lie; what is too large for one item goes on in pieces behind it."""
    return Key(points(brand, name), f"{day}#{piece:02d}" if piece else day)


def points_end(day: str) -> str:
    """Return a sort key after all pieces of a day and before the next."""
    return f"{day}#~"


def points_head(brand: str, name: str) -> Key:
    """Return where it is said how often the points of a metric were changed; it stays when they go."""
    return Key(points(brand, name), "head")
