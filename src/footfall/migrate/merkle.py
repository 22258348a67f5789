"""A tree of digests: two sets that are equal have one digest, and where they differ is found by going down."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from footfall.ports.items import Item, Value, whole_or_float
from footfall.ports.table import Key

DIGEST_DIGITS = 32  # of 64: as many as nobody finds a second content for by chance
BUCKET_ENTITIES = 128  # Digests of so many lie in one item.
BUCKETS_MAX = 65_536


def digest_of(items: Mapping[Key, Item]) -> str:
    """Return a digest of items and where they lie: another kind, form or place of anything is another digest."""
    plain = [[key.partition, key.sort, plain_of(item)] for key, item in sorted(items.items(), key=_place)]
    return _short(msgspec.json.encode(plain, order="deterministic"))


def plain_of(value: Value) -> Any:
    """Return a value so that no two that a table tells apart are the same JSON; 2.0 and 2 are one number there."""
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return whole_or_float(value)
        case bytes():
            return ["bytes", value.hex()]
        case frozenset():
            return ["set", *sorted((plain_of(one) for one in value), key=str)]
        case Mapping():
            return {name: plain_of(one) for name, one in value.items()}
        case _:
            return ["list", *(plain_of(one) for one in value)]


def bucket_of(key: str, *, buckets: int) -> int:
    """Return the bucket of an entity, by a hash of its key alone."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % buckets


def buckets_for(entities: int) -> int:
    """Return how many buckets so many entities are put into: a power of two, so that it seldom changes."""
    buckets = 1
    while buckets * BUCKET_ENTITIES < entities and buckets < BUCKETS_MAX:
        buckets *= 2
    return buckets


def leaf_of(digests: Mapping[str, str]) -> str:
    """Return the digest of a bucket: of its entities' keys and digests."""
    return _short(msgspec.json.encode(sorted(digests.items())))


@dataclass(frozen=True, slots=True)
class Tree:
    """Digests of buckets, and above them those of pairs, up to one."""

    levels: tuple[tuple[str, ...], ...]  # the leaves first

    @property
    def root(self) -> str:
        """Return the digest of all."""
        return self.levels[-1][0]

    def differing(self, other: "Tree") -> list[int]:
        """Return the leaves in which two trees of one form differ, looking only below what differs."""
        assert len(self.levels[0]) == len(other.levels[0])
        places = [0] if self.root != other.root else []
        for level in range(len(self.levels) - 2, -1, -1):
            below = [
                child for place in places for child in (2 * place, 2 * place + 1) if child < len(self.levels[level])
            ]
            places = [child for child in below if self.levels[level][child] != other.levels[level][child]]
        return places


def tree_of(leaves: Sequence[str]) -> Tree:
    """Return the tree over the digests of buckets."""
    assert leaves
    levels = [tuple(leaves)]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = [below[at : at + 2] for at in range(0, len(below), 2)]
        levels.append(tuple(_short("".join(pair).encode()) for pair in pairs))
    return Tree(tuple(levels))


def _place(entry: tuple[Key, Item]) -> Key:
    return entry[0]


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGEST_DIGITS]
