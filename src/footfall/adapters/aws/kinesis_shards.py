"""How our shards lie on Kinesis' own: each of ours is one point of the hash range, so one Kinesis shard holds it.

Kinesis shards are split and merged while ours stay as they are. The shards that ever held a point follow each other
in a line, parent before child, and so do the records of our shard.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.ports.errors import Unavailable

HASH_KEYS = 2**128


@dataclass(frozen=True, slots=True)
class KinesisShard:
    """One of Kinesis' own shards: the hash keys that it holds, both ends included, and the shards it was made of."""

    name: str
    from_key: int
    to_key: int
    parents: tuple[str, ...] = ()

    def holds(self, hash_key: int) -> bool:
        """Tell whether records of the hash key went there while it was open."""
        return self.from_key <= hash_key <= self.to_key


def hash_key_of(shard: int, *, shards: int) -> int:
    """Return the point of our shard: the middle of its slice, so that equal splits keep shards apart."""
    return (2 * shard + 1) * HASH_KEYS // (2 * shards)


def partition_key_of(shard: int) -> str:
    """Return the partition key, which says to readers whose record it is before they unpack it."""
    return f"footfall-{shard:03d}"


def first_holding(found: Sequence[KinesisShard], hash_key: int) -> KinesisShard:
    """Return the oldest shard that Kinesis still has of the hash key."""
    holding = [one for one in found if one.holds(hash_key)]
    if not holding:
        raise Unavailable(f"no shard of the stream holds hash key {hash_key}; is the stream being made or removed?")
    return min(holding, key=_age)


def next_holding(found: Sequence[KinesisShard], name: str, hash_key: int) -> KinesisShard | None:
    """Return the shard that took the hash key over from another; None while nobody has."""
    holding = [one for one in found if one.holds(hash_key)]
    for one in holding:
        if name in one.parents:
            return one
    # Its child may have had its time as well: Kinesis numbers shards in the order in which they are made.
    return min((one for one in holding if _number(one.name) > _number(name)), key=_age, default=None)


def comes_after(name: str, other: str) -> bool:
    """Tell whether one of two shards that held the same hash key is the later one."""
    return _number(name) > _number(other)


def _age(shard: KinesisShard) -> int:
    return _number(shard.name)


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])
