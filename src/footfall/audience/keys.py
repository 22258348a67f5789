"""Where follows, blocks, counts and publications lie, and the two orders of all parts (docs/formats/audience.md).

A part of the audience that has keys of its own builds them in a module beside this one.
"""

from typing import Final

from footfall.audience.things import Thing, thing_from_key
from footfall.ports.changes import Told
from footfall.ports.table import Index, Key

FOLLOWERS, RECENT = "followers", "recent"
AUDIENCE_INDEXES: Final = (
    Index(FOLLOWERS, "to", "at_us", numeric=True),
    Index(RECENT, "viewer", "recent_ms", numeric=True),
)
FOLLOWS_TOLD: Final = Told("f")  # A follow that comes or goes is told, so that it can be counted (follow_feed.py).
FOLLOWERS_COUNTED = "followers#"  # Count items of shards begin with it.
HEAD_AT_US = 9_000_000_000_000_000  # after every moment, so that a head comes before all followers
ERASED = "@erased"  # Few are: those of all brands lie together, for whoever takes their names out of rows.
END = "\U0010ffff"  # after every id


def follows(brand: str, follower: Thing) -> str:
    """Return the partition of what somebody follows."""
    return f"{brand}#f#{follower.key}"


def follow(brand: str, follower: Thing, target: Thing) -> Key:
    """Return where a follow lies."""
    return Key(follows(brand, follower), target.key)


def of_kind(kind: str) -> tuple[str, str]:
    """Return the ends between which the things of a kind lie among what somebody follows."""
    return f"{kind}:", f"{kind}:{END}"


def followers(brand: str, target: Thing, shard: int) -> str:
    """Return the partition of the index in which a shard of somebody's followers lie."""
    return f"{brand}#t#{target.key}#{shard}"


def requests_by(brand: str, follower: Thing) -> str:
    """Return the partition of what somebody asked to follow."""
    return f"{brand}#q#{follower.key}"


def request(brand: str, follower: Thing, target: Thing) -> Key:
    """Return where it is said that somebody asked to follow a private thing."""
    return Key(requests_by(brand, follower), target.key)


def requests_to(brand: str, target: Thing) -> str:
    """Return the partition of the index of those who asked to follow a thing."""
    return f"{brand}#r#{target.key}"


def blocks(brand: str, blocker: Thing) -> str:
    """Return the partition of the index of those that somebody blocks."""
    return f"{brand}#b#{blocker.key}"


def block(brand: str, blocker: Thing, blocked: Thing) -> Key:
    """Return where a block lies: under the blocked, for whoever follows asks for it, and a celebrity has many."""
    return Key(blocked_by(brand, blocked), blocker.key)


def blocked_by(brand: str, blocked: Thing) -> str:
    """Return the partition of those who block somebody."""
    return f"{brand}#x#{blocked.key}"


def counts(brand: str, thing: Thing) -> str:
    """Return the partition of a thing's counts, with its head; of a divided thing, of the first shard's."""
    return f"{brand}#n#{thing.key}"


def count_of_following(brand: str, thing: Thing) -> Key:
    """Return where it is counted what a thing follows."""
    return Key(counts(brand, thing), "following")


def count_of_followers(brand: str, thing: Thing, shard: int) -> Key:
    """Return where a shard of a thing's followers is counted: each but the first under a partition of its own."""
    # Throughput is had by partition: shards that differ in their sort keys alone would be one hot key together.
    partition = f"{counts(brand, thing)}#{shard}" if shard else counts(brand, thing)
    return Key(partition, f"{FOLLOWERS_COUNTED}{shard:02d}")


def head(brand: str, thing: Thing) -> Key:
    """Return where it is said in how many shards a thing's followers lie, whether it is private, and if it blocks."""
    return Key(counts(brand, thing), "head")


def published(brand: str, thing: Thing) -> str:
    """Return the partition of what a thing published, and that of the same in the order of time."""
    return f"{brand}#p#{thing.key}"


def publication(brand: str, thing: Thing, id: str) -> Key:
    """Return where a publication lies."""
    return Key(published(brand, thing), id)


def erased(brand: str, member: str) -> Key:
    """Return where it is said that a member (a digest) was erased."""
    return Key(ERASED, f"{brand}#{member}")


def erased_of(brand: str) -> tuple[str, str]:
    """Return the ends between which a brand's erased members lie."""
    return f"{brand}#", f"{brand}#~"


def week(brand: str, number: int) -> str:
    """Return the partition of the index of all that was published in a week."""
    return f"{brand}#w#{number}"


def first_of(key: Key) -> Thing:
    """Return the thing that the key's partition is of: whoever follows, asks, is blocked or publishes."""
    return thing_from_key(first_key_of(key))


def first_key_of(key: Key) -> str:
    """Return the same as a part of keys."""
    return key.partition.rpartition("#")[2]


def brand_of(key: Key) -> str:
    """Return whose a key is."""
    return key.partition.partition("#")[0]


def second_of(key: Key) -> Thing:
    """Return the thing that the key's sort part names: whoever is followed, is asked or blocks."""
    return thing_from_key(key.sort)
