"""How far assets are watched: of each asset and day, how many viewings that began then saw each hundredth of it.

A shard's worker adds to it when a stretch of a viewing is over. An item says up to which record it holds everything,
and is written on the condition that it is the one that was read, so that a record that is read again adds nothing. A
curve of many days is one query for each shard, however many watched. docs/formats/store.md draws it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import msgspec

from footfall.flow.store import keys
from footfall.ports.errors import Corrupt
from footfall.ports.table import Absent, Equals, Item, Put, Table, Value, everything
from footfall.values.window import instant_text

HUNDREDTHS = 100

CompletionKey = tuple[str, str, int]  # brand, asset, and the day
_counts = msgspec.msgpack.Decoder(list[int])


class Seen(NamedTuple):
    """What a stretch adds to a day of its asset."""

    by: int  # the record by which it was over
    ms: int
    playbacks: int = 0
    bits: int = 0  # one for each hundredth that its viewing had not seen before


@dataclass(slots=True)
class Completion:
    """How far an asset was watched."""

    through: int = 0
    ms: int = 0
    playbacks: int = 0
    seen: list[int] = field(default_factory=lambda: [0] * HUNDREDTHS)

    def add(self, more: Iterable[Seen]) -> None:
        """Add what stretches tell."""
        steps = [0] * (HUNDREDTHS + 1)  # Most see an asset in one piece, so it is told where pieces begin and end.
        for one in more:
            self.ms += one.ms
            self.playbacks += one.playbacks
            for place in _places(one.bits & ~(one.bits << 1)):
                steps[place] += 1
            for place in _places(one.bits << 1 & ~one.bits):
                steps[place] -= 1
        self.seen = [seen + new for seen, new in zip(self.seen, accumulate(steps), strict=False)]


def add_to_completions(
    table: Table,
    shard: int,
    news: Mapping[CompletionKey, Sequence[Seen]],
    *,
    through: int,
    expires_at_ms: Callable[[int], int],
) -> None:
    """Add what is over since the last time, or raise Changed where another has added meanwhile."""
    for (brand, asset, day_ms), parts in news.items():
        key = keys.completion(brand, asset_digest(asset), day_ms, shard)
        item = table.get(key)
        known = Completion() if item is None else _completion_from(item)
        new = [one for one in parts if one.by > known.through]
        if not new:
            continue  # It was written by whoever was killed before the end of the same flush.
        condition = Absent() if item is None else Equals("through", known.through)
        known.add(new)
        after: dict[str, Value] = {
            "through": through,
            "ms": known.ms,
            "playbacks": known.playbacks,
            "seen": msgspec.msgpack.encode(known.seen),
        }
        table.put(Put(key, after, expires_at_ms=expires_at_ms(day_ms), expects=(condition,)))


def load_completion(table: Table, brand: str, asset: str, *, from_ms: int, to_ms: int, shards: int) -> Completion:
    """Return how far an asset was watched on days that begin within a span: one query for each shard."""
    total = Completion()
    first, last = instant_text(from_ms), instant_text(to_ms - 1)
    for shard in range(shards):
        partition = keys.completion_partition(brand, asset_digest(asset), shard)
        for found in everything(table, partition, at_least=first, at_most=last):
            one = _completion_from(found.item)
            total.ms += one.ms
            total.playbacks += one.playbacks
            total.seen = [n + more for n, more in zip(total.seen, one.seen, strict=True)]
    return total


def asset_digest(asset: str) -> str:
    """Return the text that stands for an asset in keys, whatever characters its id has."""
    return hashlib.blake2b(asset.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _places(bits: int) -> Iterator[int]:
    """Yield the places of bits that are set."""
    while bits:
        place = bits.bit_length() - 1
        yield place
        bits ^= 1 << place


def _completion_from(item: Item) -> Completion:
    packed = item.get("seen")
    try:
        seen = _counts.decode(packed if isinstance(packed, bytes) else b"")
        found = msgspec.convert({**item, "seen": seen}, Completion)
    except msgspec.MsgspecError as error:
        raise Corrupt(f"how far an asset was watched cannot be read: {error}; restore the store") from error
    if len(found.seen) != HUNDREDTHS:
        raise Corrupt(f"how far an asset was watched has {len(found.seen)} hundredths; restore the store")
    return found
