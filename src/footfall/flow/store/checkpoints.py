"""The one item per shard that never expires: how far it has counted, and its ledger."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from footfall.flow.store import keys
from footfall.ports.errors import Corrupt
from footfall.ports.table import Absent, Equals, Item, Put, Table, Value, everything
from footfall.values.groups import window_names
from footfall.values.window import Grain

NEVER_MS = 2**53 - 1
UNTOLD_MS = 0  # of a first window: the name may have had windows before they were noted
ALL_BUILT = {Grain.HOUR: NEVER_MS, Grain.DAY: NEVER_MS}
LINES = ("counted", "duplicate", "late", "future", "unlabelled", "dead")


@dataclass(slots=True)
class Lines:
    """A brand's lines of the ledger: how many hits went where."""

    counted: int = 0
    duplicate: int = 0
    late: int = 0
    future: int = 0
    unlabelled: int = 0
    dead: int = 0
    screened: Counter[str] = field(default_factory=Counter[str])
    last_hit_ms: int = 0  # when the brand was last heard of

    def move(self, line: str, hits: int) -> None:
        """Add hits to a line, or take them out again."""
        if line in LINES:
            setattr(self, line, getattr(self, line) + hits)
        else:
            self.screened[line] += hits
            if not self.screened[line]:
                del self.screened[line]

    def sum_with(self, more: "Lines") -> "Lines":
        """Return the sum of both."""
        total = Lines()
        total.add(self)
        total.add(more)
        return total

    def add(self, more: "Lines") -> None:
        """Add another set of lines to this one."""
        for line in LINES:
            self.move(line, getattr(more, line))
        self.screened.update(more.screened)
        self.last_hit_ms = max(self.last_hit_ms, more.last_hit_ms)


@dataclass(slots=True)
class Checkpoint:
    """How far a shard has counted."""

    number: int = 0  # counts the writes: a rival that read the same one loses
    through: int = 0
    passed_ms: int = 0  # everything that arrived before this moment has been read
    arrived_at_ms: int = 0  # when the last record that was read had arrived
    flushed_at_ms: int = 0
    flush_ms: int = 0  # how long the last flush took
    overflow: int = 0  # hits that count in no row because a minute was full
    lines: dict[str, Lines] = field(default_factory=dict[str, Lines])
    unbuilt: Mapping[Grain, int] | None = None  # where the first hour and day begin that are not built; None: not told
    moved: bytes = b""  # what verdicts have moved between lines, by hour (moved_lines.py)
    place: bytes = b""  # where the next reader goes on, on a ground whose readers count its records
    firsts: dict[str, int] = field(default_factory=dict[str, int])  # where the first window of a name begins

    def note_firsts(self, begun: Iterable[tuple[str, int]]) -> None:
        """Take note of windows that were written, by their names and moments."""
        firsts = dict(self.firsts)  # The checkpoint before has its own.
        for name, from_ms in begun:
            firsts[name] = min(from_ms, firsts.get(name, from_ms))
        self.firsts = firsts


def first_counted_ms(checkpoints: Iterable[Checkpoint], name: str) -> int | None:
    """Return where the first window of a name begins, NEVER_MS when it has none; None when that was not noted."""
    firsts = [one.firsts[name] for one in checkpoints if name in one.firsts]
    return None if UNTOLD_MS in firsts else min(firsts, default=NEVER_MS)


def load_checkpoint(table: Table, shard: int) -> Checkpoint | None:
    """Return the shard's checkpoint; None when it has never counted."""
    item = table.get(keys.checkpoint(shard))
    return None if item is None else checkpoint_from_item(item)


def load_checkpoints(table: Table) -> dict[int, Checkpoint]:
    """Return the checkpoints of all shards that have ever counted; they lie together, so that this is one question."""
    found = everything(table, keys.SHARDS)
    return {keys.shard_from_name(one.key.sort): checkpoint_from_item(one.item) for one in found}


def unbuilt_of(checkpoints: Mapping[int, Checkpoint]) -> dict[str, Mapping[Grain, int]]:
    """Return what shards, by name, say of windows that they have still to build; one that never counted has none."""
    told = {shard: one.unbuilt if one.number else ALL_BUILT for shard, one in checkpoints.items()}
    return {keys.shard_name(shard): unbuilt for shard, unbuilt in told.items() if unbuilt is not None}


def save_checkpoint(table: Table, shard: int, checkpoint: Checkpoint, *, replaces: int | None) -> None:
    """Write the checkpoint in the place of the one with the number `replaces`, or raise Changed."""
    condition = Absent() if replaces is None else Equals("number", replaces)
    table.put(Put(keys.checkpoint(shard), _item_from(checkpoint), expects=(condition,)))


def checkpoint_from_item(item: Item) -> Checkpoint:
    """Return the checkpoint that an item holds."""
    brands, seen = item.get("brands"), item.get("seen")
    if not isinstance(brands, Mapping) or not isinstance(seen, Mapping):
        raise Corrupt("a shard's checkpoint has no ledger; restore the store from a backup, or count all anew")
    return Checkpoint(
        number=_number(item, "number"),
        through=_number(item, "through"),
        passed_ms=_number(item, "passed_ms"),
        arrived_at_ms=_number(item, "arrived_at_ms"),
        flushed_at_ms=_number(item, "flushed_at_ms"),
        flush_ms=_number(item, "flush_ms"),
        overflow=_number(item, "overflow"),
        lines={brand: _lines_from(lines, last_hit_ms=_number(seen, brand)) for brand, lines in brands.items()},
        unbuilt=_unbuilt_from(item),
        place=_bytes_from(item, "place"),
        moved=_bytes_from(item, "moved"),
        firsts=_firsts_from(item, brands),
    )


def _firsts_from(item: Item, groups: Iterable[str]) -> dict[str, int]:
    firsts = item.get("firsts")
    if not isinstance(firsts, Mapping):  # It was written before this was noted: what had come by then is not known.
        return dict.fromkeys(window_names(groups), UNTOLD_MS)
    return {name: _number(firsts, name) for name in firsts}


def _unbuilt_from(item: Item) -> Mapping[Grain, int] | None:
    unbuilt = item.get("unbuilt")
    if not isinstance(unbuilt, Mapping):
        return None  # It was written before this was told.
    return {grain: _number(unbuilt, str(grain)) or NEVER_MS for grain in ALL_BUILT}


def _bytes_from(item: Item, name: str) -> bytes:
    found = item.get(name, b"")
    if not isinstance(found, bytes):
        raise Corrupt(f"{name!r} of a checkpoint is {found!r}, not bytes; restore the store from a backup")
    return found


def _item_from(checkpoint: Checkpoint) -> Item:
    more: dict[str, Value] = {
        name: found for name, found in (("place", checkpoint.place), ("moved", checkpoint.moved)) if found
    }
    if checkpoint.unbuilt is not None:
        more["unbuilt"] = {str(grain): ms for grain, ms in checkpoint.unbuilt.items() if ms != NEVER_MS}
    return {
        "number": checkpoint.number,
        "through": checkpoint.through,
        "passed_ms": checkpoint.passed_ms,
        "arrived_at_ms": checkpoint.arrived_at_ms,
        "flushed_at_ms": checkpoint.flushed_at_ms,
        "flush_ms": checkpoint.flush_ms,
        "overflow": checkpoint.overflow,
        "brands": {brand: lines_item(lines) for brand, lines in checkpoint.lines.items()},
        "seen": {brand: lines.last_hit_ms for brand, lines in checkpoint.lines.items()},
        "firsts": dict(checkpoint.firsts),
        **more,
    }


def lines_item(lines: Lines) -> Item:
    """Return a brand's lines as they are stored; a line without hits is left out."""
    numbers: dict[str, Value] = {name: getattr(lines, name) for name in LINES if getattr(lines, name)}
    if lines.screened:
        numbers["screened"] = dict(lines.screened)
    return numbers


def _lines_from(value: Value, *, last_hit_ms: int) -> Lines:
    if not isinstance(value, Mapping):
        raise Corrupt(f"a brand's ledger is {value!r}")
    screened = value.get("screened")
    reasons = {reason: _number(screened, reason) for reason in screened} if isinstance(screened, Mapping) else {}
    numbers = {name: _number(value, name) for name in LINES}
    return Lines(screened=Counter(reasons), last_hit_ms=last_hit_ms, **numbers)


def _number(item: Mapping[str, Value], name: str) -> int:
    value = item.get(name, 0)
    if not isinstance(value, int):
        raise Corrupt(f"{name!r} of a checkpoint is {value!r}, not a whole number")
    return value
