"""Where follows lie in the audience's table, and the two orders that all of its parts share (docs/formats/audience.md).

A part of the audience that has keys of its own builds them in a module beside this one.
"""

from typing import Final

from footfall.audience.things import Thing
from footfall.ports.table import Index, Key

FOLLOWERS, RECENT = "followers", "recent"
AUDIENCE_INDEXES: Final = (
    Index(FOLLOWERS, "to", "at_us", numeric=True),
    Index(RECENT, "viewer", "recent_ms", numeric=True),
)


def follows(brand: str, follower: Thing) -> str:
    """Return the partition of what somebody follows."""
    return f"{brand}#f#{follower.key}"


def follow(brand: str, follower: Thing, target: Thing) -> Key:
    """Return where a follow lies."""
    return Key(follows(brand, follower), target.key)


def followers(brand: str, target: Thing, shard: int) -> str:
    """Return the partition of the index in which a shard of somebody's followers lie."""
    return f"{brand}#t#{target.key}#{shard}"
