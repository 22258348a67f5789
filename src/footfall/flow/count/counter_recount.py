"""Counting named counters again from raw records: days that were lost or damaged come back, others stay as they are.

Days are built anew from where the range begins to the present, since a deletion at any time since then takes all before
it away. What a counter met before the range is not in its records any more, so its whole only grows; one that was
deleted or imported within the range begins there, and is built anew whole.

Blocks and hours of the archive do not end at a brand's midnight, so records of the day before the range are read as
well, but not all of that day: they count only for a counter that begins among them.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from footfall.flow.count.counter_tally import CounterAct, CounterTally
from footfall.flow.count.counters import acted
from footfall.flow.count.worker import READ_RECORDS, Worker
from footfall.flow.count.writing import writing
from footfall.flow.store import keys
from footfall.flow.store.counters import (
    NO_SKETCHES,
    Counter,
    Sketches,
    StoredCounter,
    StoredDay,
    load_counter,
    load_day,
    note_name,
    save_counter,
    save_day,
    united,
)
from footfall.flow.stream.counted_values import Act
from footfall.flow.stream.raw import OVERLAP_MS, RawHits
from footfall.flow.stream.records import Unreadable
from footfall.ports.errors import Changed, Corrupt, Unavailable
from footfall.ports.stream import Record
from footfall.ports.table import Delete, Table
from footfall.values.groups import counters_group
from footfall.values.window import Grain, Window, window_of

NAMES_AT_ONCE = 100  # Each may have a sketch of 50 KB for each day of the range.
TRIES_MAX = 10


@dataclass(slots=True)
class CountersDone:
    """How many counters were built anew, and how many of them differ from what was there."""

    counters: int = 0
    changed: int = 0


@dataclass(slots=True)
class _Built:
    """What the raw records of a shard make of some counters, from a day on."""

    first_ms: int  # where that day begins
    counters: dict[str, Counter] = field(default_factory=dict[str, Counter])
    days: dict[str, dict[Window, Sketches]] = field(default_factory=dict[str, dict[Window, Sketches]])
    left: set[str] = field(default_factory=set[str])  # names for which there was no room
    place: int = 0

    def take(self, name: str, acts: Sequence[CounterAct], names: frozenset[str] | None) -> None:
        """Add acts to a counter, if it is one of those that are built in this round."""
        if names is not None and name not in names:
            return
        before = self.counters.get(name, Counter(name))
        acts = self._of_whole_days(before, acts)
        if not acts:
            return
        if name not in self.counters and len(self.counters) >= NAMES_AT_ONCE:
            self.left.add(name)
            return
        change = acted(before, acts)
        days = {} if change.is_anew else self.days.get(name, {})
        for day, sketches in change.days.items():
            days[day] = united([days.get(day, NO_SKETCHES), sketches])
        self.counters[name], self.days[name] = change.counter, days

    def _of_whole_days(self, counter: Counter, acts: Sequence[CounterAct]) -> list[CounterAct]:
        """Return the acts without values of a day of which only some are read; after a beginning all of them are."""
        begins = (at for at, act in enumerate(acts) if act.record.act in (Act.DELETE, Act.PUT_UNIQUES))
        start = 0 if counter.generation else next(begins, len(acts))
        return [*(act for act in acts[:start] if act.record.from_ms >= self.first_ms), *acts[start:]]


class CounterRecount:
    """Builds a brand's named counters anew; workers run in the same thread, and others only where they are shared."""

    def __init__(self, workers: Sequence[Worker], raw: RawHits, table: Table) -> None:
        self._workers = workers
        self._raw = raw
        self._table = table

    def run(self, brand: str, *, from_ms: int, zone: str) -> Iterator[float | CountersDone]:
        """Yield how far it has come, now and then, and at last what it came to."""
        done = CountersDone()
        first = window_of(from_ms, Grain.DAY, zone)
        since_ms = self._raw.kept_since_ms(counters_group(brand))
        while first.from_ms < since_ms:  # Of a day of which some is gone, what is stored is more than what is raw.
            first = window_of(first.to_ms, Grain.DAY, zone)
        # A shard that has never met a value of the brand has nothing to read for it.
        workers = [one for one in self._workers if counters_group(brand) in one.checkpoint.lines]
        for number, worker in enumerate(workers):
            names: frozenset[str] | None = None
            while names is None or names:
                built = _Built(first.from_ms, place=self._first(brand, worker, first))
                yield from self._built(brand, worker, built, names, done)
                names = frozenset(built.left)
                yield (number + 1) / len(workers)
        yield done

    def _built(
        self, brand: str, worker: Worker, built: _Built, names: frozenset[str] | None, done: CountersDone
    ) -> Iterator[float]:
        """Read up to the checkpoint and write; where others were faster, read on and write again."""
        for _ in range(TRIES_MAX):
            worker.settle_doubts()
            while built.place < worker.checkpoint.through:
                self._read_some(brand, worker, built, names)
                yield built.place / worker.checkpoint.through
            with suppress(Changed):
                changed = self._write(brand, worker, built)
                done.counters += len(built.counters)
                done.changed += changed
                return
            worker.doubt()
        raise Unavailable(f"others were faster {TRIES_MAX} times; count {brand} again later")

    def _first(self, brand: str, worker: Worker, first: Window) -> int:
        # A value that was taken in after a deletion may have an earlier hour than it, by another clock.
        return self._raw.first(counters_group(brand), worker.shard, arrived_at_ms=first.from_ms - OVERLAP_MS)

    def _read_some(self, brand: str, worker: Worker, built: _Built, names: frozenset[str] | None) -> None:
        group, through = counters_group(brand), worker.checkpoint.through
        records = self._raw.read(group, worker.shard, after=built.place, limit=READ_RECORDS)
        tally = CounterTally()
        for record in records:
            if record.group == group and record.sequence <= through and _counts(record):
                with suppress(Unreadable):  # It is among the dead, as it was before.
                    tally.add(record)
        for (_, name), acts in tally.acts.items():
            built.take(name, acts, names)
        built.place = min(records[-1].sequence, through) if records else through

    def _write(self, brand: str, worker: Worker, built: _Built) -> int:
        """Write what differs and return in how many counters something did."""
        through, changed = worker.checkpoint.through, 0
        with writing(self._table, [worker]):
            for name, counter in built.counters.items():
                changed += self._write_one(brand, worker, counter, built.days[name], through)
        worker.counters.clear()  # What it has in hand may not be what is stored now.
        return changed

    def _write_one(
        self, brand: str, worker: Worker, counter: Counter, days: dict[Window, Sketches], through: int
    ) -> bool:
        part = keys.shard_name(worker.shard)
        stored = self._stored(brand, counter.name, part)
        if stored is not None and stored.through > through:
            raise Changed(f"{counter.name!r} holds more than was read; read on")
        after = _put_together(counter, days, stored)
        is_changed = False
        for day, sketches in days.items():
            is_changed = self._write_day(brand, part, after, day, StoredDay(sketches, through), worker) or is_changed
        if after == stored.counter if stored is not None else after.is_gone:
            return is_changed
        if not after.is_gone:
            note_name(self._table, brand, worker.shard, after.name)
        replaces = None if stored is None else stored.through
        save_counter(self._table, brand, part, StoredCounter(after, through), replaces=replaces)
        return True

    def _write_day(
        self, brand: str, part: str, counter: Counter, day: Window, built: StoredDay, worker: Worker
    ) -> bool:
        stored: StoredDay | None = None
        with suppress(Corrupt):
            stored = load_day(self._table, brand, part, counter, day)
        if stored is not None and stored.sketches == built.sketches:
            return False
        if stored is not None and stored.through > built.through:
            raise Changed(f"a day of {counter.name!r} holds more than was read; read on")
        if stored is None:  # A damaged one is in the way of its own repair.
            key = keys.counter_day(brand, counter.name, part=part, generation=counter.generation, start_ms=day.from_ms)
            self._table.delete(Delete(key))
        save_day(
            self._table, brand, part, counter, day, built,
            replaces=None if stored is None else stored.through, expires_at_ms=worker.expires_at_ms(day),
        )  # fmt: skip
        return True

    def _stored(self, brand: str, name: str, part: str) -> StoredCounter | None:
        try:
            return load_counter(self._table, brand, name, part)
        except Corrupt:
            self._table.delete(Delete(keys.counter_head(brand, name, part)))
            return None


def _put_together(built: Counter, days: dict[Window, Sketches], stored: StoredCounter | None) -> Counter:
    """Return the counter with what raw records say, and what was there before them."""
    whole = replace(built, before=united([built.before, *days.values()]))
    if stored is None or built.generation >= max(stored.counter.generation, 1):
        return whole  # It begins within the range, or nothing is left of what was before.
    known = stored.counter
    day, today = (built.day, built.today) if built.day is not None else (known.day, known.today)
    ended = known.today if known.day != day else NO_SKETCHES
    since = [one for one in (known.since_ms, built.since_ms) if one is not None]
    return replace(
        known,
        before=united([known.before, whole.before, ended]),
        day=day,
        today=today,
        since_ms=min(since, default=None),
    )


def _counts(record: Record) -> bool:
    return not record.repeated and not record.dead
