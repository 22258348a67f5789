"""Which hits of a set-aside record were counted after all, and by which record of the stream: each of them once.

A record comes again whole, or in parts: hits that wait for the labels of different assets do not wait for each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint
from footfall.ports.errors import Corrupt
from footfall.ports.table import Item, Put, Table, Value

if TYPE_CHECKING:  # Who asks what was set aside starts without all that counts.
    from footfall.flow.count.replay import Replay
    from footfall.flow.count.tally import Tally


@dataclass(frozen=True, slots=True)
class Replayed:
    """What has come again of one record that was set aside."""

    whole_by: int | None = None
    parts: Mapping[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])  # by -> places
    hits: int = 0

    @property
    def places(self) -> frozenset[int]:
        """Return the places whose hits came again in parts."""
        return frozenset(place for places in self.parts.values() for place in places)

    def has(self, by: int) -> bool:
        """Tell whether this record of the stream brought hits that were counted."""
        return by == self.whole_by or by in self.parts

    def left_of(self, replay: "Replay") -> "Replay | None":
        """Return what is to be counted of a replay: nothing that another record brought before; None for nothing."""
        if self.whole_by is not None:
            return replay if self.whole_by == replay.by else None
        if not replay.is_part:
            return None if self.parts else replay
        others = frozenset(place for by, places in self.parts.items() if by != replay.by for place in places)
        left = replay.without(others)
        return left if left.hits else None

    def item_with(self, replay: "Replay") -> Item:
        """Return the item that also remembers what a replay brought."""
        hits = self.hits + replay.moves.total()
        if not replay.is_part:
            return {"by": replay.by, "hits": hits}
        parts: dict[int, tuple[int, ...]] = {**self.parts, replay.by: tuple(hit.at for hit in replay.hits)}
        return {"parts": [[by, list(places)] for by, places in sorted(parts.items())], "hits": hits}


def replayed_from_item(item: Item | None) -> Replayed:
    """Return what an item remembers; nothing when there is none."""
    if item is None:
        return Replayed()
    by, hits = item.get("by"), item.get("hits")
    return Replayed(
        whole_by=by if isinstance(by, int) else None,
        parts=dict(_parts(item.get("parts"))),
        hits=hits if isinstance(hits, int) else 0,
    )


def take_replay(table: Table, replay: "Replay", tally: "Tally", checkpoint: Checkpoint, *, shard: int) -> None:
    """Count a set-aside record once, and take its hits out of the line where they waited."""
    key = keys.replayed(replay.brand, replay.line, shard=shard, sequence=replay.sequence)
    done = replayed_from_item(table.get(key))
    left = done.left_of(replay)
    if left is None:
        return  # Another record had these hits counted.
    if not done.has(left.by):
        table.put(Put(key, done.item_with(left)))
    lines = checkpoint.lines[left.brand]
    lines.move(left.line, -left.moves.total())
    for line, hits in left.moves.items():
        lines.move(line, hits)
    tally.count_replay(left)


def _parts(value: Value) -> list[tuple[int, tuple[int, ...]]]:
    parts: list[tuple[int, tuple[int, ...]]] = []
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for one in value:
            match one:
                case [int(by), [*places]]:
                    parts.append((by, tuple(int(str(place)) for place in places)))
                case _:
                    raise Corrupt(f"{one!r} is no part of a record that came again: restore the store from a backup")
    return parts
