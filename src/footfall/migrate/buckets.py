"""What a verification keeps of a bucket of entities: their digests, where they lie, and in what they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from footfall.migrate import keys
from footfall.migrate.comparing import Difference
from footfall.migrate.merkle import leaf_of
from footfall.ports.items import Item
from footfall.ports.table import ITEM_BYTES_MAX, Key, Put, Table

DIFFERENCES_KEPT = 200  # of one bucket: a report names some, and counts all


@dataclass(frozen=True, slots=True)
class Entry:
    """An entity in a bucket: its fence and digest at the source, and its digest in the table."""

    fence: int
    source: str
    table: str


@dataclass(slots=True)
class Bucket:
    """What was found of the entities of one bucket."""

    run: str
    buckets: int
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    own: set[str] = field(default_factory=set[str])  # partitions that are one entity's alone
    shared: set[str] = field(default_factory=set[str])  # partitions that others have items in, too
    claims: set[Key] = field(default_factory=set[Key])  # items of entities in those
    differences: list[Difference] = field(default_factory=list[Difference])
    differing: int = 0
    behind: int = 0
    left: int = 0
    set_aside: int = 0

    @property
    def source_leaf(self) -> str:
        """Return the digest of the bucket by the source."""
        return leaf_of({key: one.source for key, one in self.entries.items()})

    @property
    def table_leaf(self) -> str:
        """Return the digest of the bucket by the table."""
        return leaf_of({key: one.table for key, one in self.entries.items()})

    def add_differences(self, found: Sequence[Difference]) -> None:
        """Count what differs, and keep some of it."""
        self.differing += len(found)
        self.differences += found[: max(0, DIFFERENCES_KEPT - len(self.differences))]


def keep(table: Table, entity: str, number: int, bucket: Bucket) -> None:
    """Write down what was found, so that whoever is stopped goes on behind it."""
    lists = {
        "entries": {key: [one.fence, one.source, one.table] for key, one in bucket.entries.items()},
        "own": sorted(bucket.own),
        "shared": sorted(bucket.shared),
        "claims": [[key.partition, key.sort] for key in sorted(bucket.claims)],
        "differences": [msgspec.to_builtins(one) for one in bucket.differences],
    }
    counts = {name: getattr(bucket, name) for name in _COUNTS}
    content = msgspec.json.encode({"run": bucket.run, "buckets": bucket.buckets, **counts, **lists})
    pieces = [content[at : at + _PIECE_BYTES] for at in range(0, len(content), _PIECE_BYTES)]
    for at, piece in reversed(list(enumerate(pieces))):  # The first one says how many there are, and is written last.
        table.put(
            Put(keys.bucket(entity, number, piece=at), {"pieces": len(pieces), "of": bucket.run, "content": piece})
        )


def kept(table: Table, entity: str, number: int) -> Bucket | None:
    """Return what was found before; None when there is nothing, or not all of it."""
    first = table.get(keys.bucket(entity, number))
    if first is None:
        return None
    rest = [table.get(keys.bucket(entity, number, piece=at)) for at in range(1, cast("int", first["pieces"]))]
    pieces = [first, *(one for one in rest if one is not None and one["of"] == first["of"])]
    if len(pieces) != first["pieces"]:
        return None
    return _bucket_from(pieces)


def _bucket_from(pieces: Sequence[Item]) -> Bucket | None:
    try:
        plain: Mapping[str, Any] = msgspec.json.decode(b"".join(cast("bytes", one["content"]) for one in pieces))
    except msgspec.DecodeError:
        return None
    return Bucket(
        run=plain["run"], buckets=plain["buckets"],
        entries={key: Entry(*one) for key, one in plain["entries"].items()},
        own=set(plain["own"]), shared=set(plain["shared"]), claims={Key(*one) for one in plain["claims"]},
        differences=[Difference(**one) for one in plain["differences"]],
        **{name: plain[name] for name in _COUNTS},
    )  # fmt: skip


_COUNTS = ("differing", "behind", "left", "set_aside")
_PIECE_BYTES = ITEM_BYTES_MAX - 10_000
