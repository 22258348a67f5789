"""Where histories lie in the audience's table (docs/formats/audience.md)."""

from hashlib import blake2b

from footfall.ports.table import Key

EPISODES = "E#"
SERIES = "S#"
REMOVALS = "gone:"  # attributes of a series' item
_HASH, _ESCAPED = "#", "\x1f"  # Parts of keys are joined by the first; no id has the second, which is no text.
_PAST_HASH = "$"  # the character after #, so that it is behind every key that goes on with #


def part(id: str) -> str:
    """Return an id as a part of a key, where it is told from every other; as long as it was."""
    return id.replace(_HASH, _ESCAPED)


def history(brand: str, member: str) -> str:
    """Return the partition of a member's history, and the one that its series have in the index `recent`."""
    return f"{brand}#h#{part(member)}"


def episode(brand: str, member: str, *, series: str, asset: str) -> Key:
    """Return where it lies how far a member is in an asset."""
    return Key(history(brand, member), f"{EPISODES}{part(series)}#{part(asset)}")


def episodes(series: str) -> tuple[str, str]:
    """Return the ends between which the episodes of a series lie in a history."""
    return f"{EPISODES}{part(series)}#", f"{EPISODES}{part(series)}{_PAST_HASH}"


def latest(brand: str, member: str, *, series: str) -> Key:
    """Return where it lies what a member watched last of a series."""
    return Key(history(brand, member), latest_sort(series))


def latest_sort(series: str) -> str:
    """Return the part of the same that tells series from each other."""
    return f"{SERIES}{part(series)}"


def removal(asset: str) -> str:
    """Return the attribute of a series' item that tells when an asset of it was removed; short, however long the id."""
    return f"{REMOVALS}{blake2b(asset.encode(), digest_size=6).hexdigest()}"


def order(brand: str, series: str) -> Key:
    """Return where it lies which episodes a series has, in their order: once for all members."""
    return Key(f"{brand}#s#{part(series)}", "episodes")
