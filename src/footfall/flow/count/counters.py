"""The named counters of one shard: what acts make of them, and how they are written.

A value that is added twice changes nothing, so counters need little to be exact: a head knows the last record that it
holds, because a deletion that was read before must not be undone by older values read again. Days come before the
head and the head before the checkpoint, each on the condition that it is the one that was read.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from footfall.flow.count.counter_tally import CounterAct, CounterTally
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.store.counters import (
    NO_SKETCHES,
    Counter,
    Sketches,
    StoredCounter,
    StoredDay,
    count_names,
    forget_days,
    forget_name,
    load_counter,
    load_day,
    note_name,
    save_counter,
    save_day,
    united,
)
from footfall.flow.stream.counted_values import Act, CounterRecord
from footfall.ports.table import Table
from footfall.sketches.coupons import coupons_of
from footfall.sketches.stored_theta import theta_from_bytes
from footfall.sketches.theta import theta_added, theta_union
from footfall.sketches.uniques import added
from footfall.sketches.uniques_bytes import uniques_from_bytes
from footfall.values.clock import Clock
from footfall.values.groups import counters_group
from footfall.values.window import DAY_MS, Window

HELD_MAX = 200  # Counters in hand, of up to 100 KB each.
NAMES_MAX = 10_000  # of one brand in one shard; each may take 80 KB, and 40 KB for each of its days
TOO_MANY = "too-many-names"  # the reason for which values are kept out of a counter that cannot be made
GONE_MS = 30 * DAY_MS  # How long a deletion is remembered, for whoever slept since before it.


@dataclass(slots=True)
class Change:
    """What acts have made of a counter: the head, and the days that are over which they reached."""

    counter: Counter
    days: dict[Window, Sketches] = field(default_factory=dict[Window, Sketches])  # to be added to those stored
    is_anew: bool = False  # It was deleted or replaced: no day of before is left.


def acted(counter: Counter, acts: Sequence[CounterAct]) -> Change:
    """Return what a counter becomes by acts, in their order."""
    change = Change(counter)
    start = 0
    for end in range(1, len(acts) + 1):
        first = acts[start].record
        if end < len(acts) and _goes_on(first, acts[end].record):
            continue  # Values of one day are added together.
        _act(change, acts[start:end])
        start = end
    return change


def _goes_on(first: CounterRecord, then: CounterRecord) -> bool:
    return first.act == then.act == Act.ADD and first.from_ms == then.from_ms


def _act(change: Change, acts: Sequence[CounterAct]) -> None:
    before, record = change.counter, acts[0].record
    if record.act == Act.ADD:
        _add(change, [act.record for act in acts])
    elif record.act == Act.PUT_THETA:
        # Beside values that are known by both sketches it would tell of some that only one of them has met.
        if not before.is_gone and not before.has_shares:
            theta = theta_union([before.before.theta, theta_from_bytes(record.sketch)])
            change.counter = replace(before, before=replace(before.before, theta=theta), has_shares=True)
    else:
        change.counter = Counter(before.name, generation=acts[0].sequence, is_gone=record.act == Act.DELETE)
        change.days.clear()
        change.is_anew = True
        if record.act == Act.PUT_UNIQUES:
            put = replace(NO_SKETCHES, uniques=uniques_from_bytes(record.sketch))
            change.counter = replace(change.counter, before=put, has_shares=False)


def _add(change: Change, records: Sequence[CounterRecord]) -> None:
    counter, day = change.counter, records[0].day
    hashes = [record.hashes() for record in records]
    new = Sketches(added(NO_SKETCHES.uniques, coupons_of(hashes)), theta_added(NO_SKETCHES.theta, hashes))
    since_ms = day.from_ms if counter.since_ms is None else min(counter.since_ms, day.from_ms)
    counter = replace(counter, since_ms=since_ms, is_gone=False)
    if counter.day is None or counter.day.from_ms == day.from_ms:
        counter = replace(counter, day=day, today=united([counter.today, new]))
    elif counter.day.from_ms < day.from_ms:
        _add_day(change, counter.day, counter.today)
        before = united([counter.before, counter.today])
        counter = replace(counter, before=before, day=day, today=new)
    else:  # A sender's clock was behind another's at midnight.
        _add_day(change, day, new)
        counter = replace(counter, before=united([counter.before, new]))
    change.counter = counter


def _add_day(change: Change, day: Window, sketches: Sketches) -> None:
    change.days[day] = united([change.days.get(day, NO_SKETCHES), sketches])


class Counters:
    """Reads and writes the named counters of one shard."""

    def __init__(
        self,
        table: Table,
        shard: int,
        *,
        clock: Clock,
        expires_at_ms: Callable[[Window], int],
        names_max: int = NAMES_MAX,
    ) -> None:
        self._table = table
        self._shard = shard
        self._part = keys.shard_name(shard)
        self._clock = clock
        self._expires_at_ms = expires_at_ms
        self._names_max = names_max
        self._names: dict[str, int] = {}  # how many each brand has here
        self._held: OrderedDict[tuple[str, str], StoredCounter | None] = OrderedDict()

    def write(self, tally: CounterTally, checkpoint: Checkpoint) -> None:
        """Write what the acts have made of their counters; values that find no room go to a line of their own."""
        for (brand, name), acts in tally.acts.items():
            stored = self._stored(brand, name)
            new = [act for act in acts if stored is None or act.sequence > stored.through]
            if not new:
                continue
            is_known = stored is not None and not stored.counter.is_gone
            if not is_known and self._is_full(brand):
                lines = checkpoint.lines[counters_group(brand)]
                lines.move("counted", -sum(act.weight for act in new))
                lines.move(TOO_MANY, sum(act.weight for act in new))
                continue
            self._write(brand, stored, acted(stored.counter if stored else Counter(name), new), checkpoint.through)

    def clear(self) -> None:
        """Let go of everything, for what was in hand may not be what is stored."""
        self._held.clear()
        self._names.clear()

    def _write(self, brand: str, stored: StoredCounter | None, change: Change, through: int) -> None:
        counter, before = change.counter, None if stored is None else stored.counter
        if counter == before and not change.days:
            return  # All of it was there, and will be found there again.
        if change.is_anew:
            forget_days(self._table, brand, self._part, counter.name)
        for day, sketches in change.days.items():
            self._write_day(brand, counter, day, sketches, through)
        self._note_name(brand, counter, was_known=before is not None and not before.is_gone)
        after = StoredCounter(counter, through)
        expires_at_ms = self._clock.now_ms() + GONE_MS if counter.is_gone else None
        replaces = None if stored is None else stored.through
        save_counter(self._table, brand, self._part, after, replaces=replaces, expires_at_ms=expires_at_ms)
        self._held[brand, counter.name] = after

    def _write_day(self, brand: str, counter: Counter, day: Window, sketches: Sketches, through: int) -> None:
        stored = load_day(self._table, brand, self._part, counter, day)
        whole = united([sketches] if stored is None else [stored.sketches, sketches])
        if stored is not None and whole == stored.sketches:
            return
        expires_at_ms = max(self._expires_at_ms(day), self._clock.now_ms() + DAY_MS)
        save_day(
            self._table, brand, self._part, counter, day, StoredDay(whole, through),
            replaces=None if stored is None else stored.through, expires_at_ms=expires_at_ms,
        )  # fmt: skip

    def _note_name(self, brand: str, counter: Counter, *, was_known: bool) -> None:
        if was_known == (not counter.is_gone):
            return
        if counter.is_gone:
            forget_name(self._table, brand, self._shard, counter.name)
        else:
            note_name(self._table, brand, self._shard, counter.name)
        if brand in self._names:
            self._names[brand] += -1 if counter.is_gone else 1

    def _is_full(self, brand: str) -> bool:
        if brand not in self._names:
            self._names[brand] = count_names(self._table, brand, self._shard)
        return self._names[brand] >= self._names_max

    def _stored(self, brand: str, name: str) -> StoredCounter | None:
        key = (brand, name)
        if key not in self._held:
            self._held[key] = load_counter(self._table, brand, name, self._part)
            if len(self._held) > HELD_MAX:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        return self._held[key]
