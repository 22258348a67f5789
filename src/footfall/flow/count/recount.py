"""Counting again: windows rebuilt from raw hits, to the same bytes when nothing but time has passed.

The hours of a range are counted from the stream in small steps, while counting goes on. When the reading has caught
up with the checkpoints, its windows are swapped in at once; so what is written holds exactly the records up to the
checkpoint, as if it had been counted in one go. A day that was built is counted again whole, because its finished
hours have been cut for readers and a day is never made from those. Nothing must be finished meanwhile, for the same
reason; windows that were final are finished again afterwards.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from footfall.flow.count.rollup import WINDOW_ROWS_MAX, WINDOW_TEXT_BYTES_MAX
from footfall.flow.count.tally import Counts, Replay, Rules, Tally
from footfall.flow.count.worker import READ_RECORDS, Worker, writing
from footfall.flow.store import keys
from footfall.flow.store.columns import EMPTY, Columns, is_same, total_hits
from footfall.flow.store.cutting import cut
from footfall.flow.store.journal import Touched
from footfall.flow.store.merging import Limits, admit, bounded, merge
from footfall.flow.store.summaries import Summaries
from footfall.ports.errors import Corrupt
from footfall.ports.stream import Stream
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import Grain, Window, instant_text, parts_of, window_of, windows_between

HOURS_AT_ONCE = 6  # What is counted again lies in memory until it is swapped in.


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be counted again."""

    brand: str
    from_ms: int
    to_ms: int


@dataclass(slots=True)
class Done:
    """What counting again came to: windows written, and how many of them differ from what was there."""

    windows: int = 0
    changed: int = 0
    hits: int = 0


class Recount:
    """Counts a brand's range again; the workers run in the same thread."""

    def __init__(  # noqa: PLR0913 - whose windows, both grounds, and how to count
        self,
        workers: Sequence[Worker],
        stream: Stream,
        table: Table,
        summaries: Summaries,
        *,
        rules: Rules,
        limits: Limits,
        keep_rows: int,
        zone_of: Callable[[str], str],
        clock: Clock,
    ) -> None:
        self._workers = workers
        self._stream = stream
        self._table = table
        self._summaries = summaries
        self._rules = rules
        self._limits = limits
        self._keep_rows = keep_rows
        self._zone_of = zone_of
        self._clock = clock
        self._replayed: set[tuple[int, str, int]] = set()

    def run(self, asked: Asked) -> Iterator[float | Done]:
        """Yield how far it has come, now and then, and at last what it came to."""
        hours = self._hours(asked)
        self._require_kept(asked, hours)
        done = Done()
        for start in range(0, len(hours), HOURS_AT_ONCE):
            chunk = hours[start : start + HOURS_AT_ONCE]
            counted: list[dict[int, Counts]] = []
            for part in self._count(asked.brand, chunk, counted):
                yield (start + part * len(chunk)) / len(hours)
            self._swap(asked.brand, chunk, counted, done)
        self._swap_days(asked.brand, hours, done)
        yield done

    def _hours(self, asked: Asked) -> list[Window]:
        """Return the hours to count: those asked for, and all of a day that was built."""
        if asked.from_ms >= asked.to_ms:
            raise Refused("from", "must be before `to`")
        if asked.to_ms > self._clock.now_ms() + self._rules.future_ms:
            raise Refused(
                "to", f"lies in the future; at most {instant_text(self._clock.now_ms())} can be counted again"
            )
        zone = self._zone_of(asked.brand)
        hours = set(windows_between(Grain.HOUR, from_ms=asked.from_ms, to_ms=asked.to_ms, zone=zone))
        for day in windows_between(Grain.DAY, from_ms=asked.from_ms, to_ms=asked.to_ms, zone=zone):
            if self._is_built(asked.brand, day):
                hours.update(parts_of(day, zone))
        return sorted(hours)

    def _require_kept(self, asked: Asked, hours: Sequence[Window]) -> None:
        since_ms = self._stream.kept_since_ms()
        if since_ms and hours[0].from_ms - self._rules.future_ms < since_ms:
            raise Refused(
                "from",
                f"needs raw hits from {instant_text(hours[0].from_ms)}, they are kept since {instant_text(since_ms)}",
            )

    def _count(self, brand: str, hours: Sequence[Window], counted: list[dict[int, Counts]]) -> Iterator[float]:
        """Read each shard's records of the range until every one is at its checkpoint."""
        for worker in self._workers:
            worker.settle_doubts()
        starts = [self._first(worker.shard, hours) for worker in self._workers]
        places = list(starts)
        counted.extend({} for _ in self._workers)
        self._replayed = set()
        while True:
            for worker in self._workers:
                worker.settle_doubts()
            for number, worker in enumerate(self._workers):
                places[number] = self._read_some(worker, places[number], brand, hours, counted[number])
            throughs = [worker.checkpoint.through for worker in self._workers]
            if all(place >= through for place, through in zip(places, throughs, strict=True)):
                return  # And swapped in before a worker goes on.
            yield (sum(places) - sum(starts)) / max(sum(throughs) - sum(starts), 1)

    def _first(self, shard: int, hours: Sequence[Window]) -> int:
        return self._stream.sequence_at(shard, arrived_at_ms=hours[0].from_ms - self._rules.future_ms)

    def _read_some(
        self, worker: Worker, place: int, brand: str, hours: Sequence[Window], counted: dict[int, Counts]
    ) -> int:
        through = worker.checkpoint.through
        if place >= through:
            return place
        records = self._stream.read(worker.shard, after=place, limit=READ_RECORDS)
        tally = Tally(self._rules, through_of=lambda _: 0)
        for record in records:
            if record.group == brand and record.sequence <= through:
                tally.add(record)
        minutes = [(minute[1], tally.counts_after(minute, 0)) for minute in tally.minutes()]
        minutes += [
            pair for replay in tally.replays if self._is_first(worker.shard, replay) for pair in replay.counts.items()
        ]
        for start_ms, counts in minutes:
            if hours[0].from_ms <= start_ms < hours[-1].to_ms:
                counted.setdefault(start_ms, Counter()).update(counts)
        return min(records[-1].sequence, through) if records else through

    def _is_first(self, shard: int, replay: Replay) -> bool:
        """Tell whether a set-aside record comes again for the first time; only that one counts."""
        once = (shard, replay.line, replay.sequence)
        is_first = once not in self._replayed
        self._replayed.add(once)
        return is_first

    def _swap(self, brand: str, hours: Sequence[Window], counted: Sequence[dict[int, Counts]], done: Done) -> None:
        """Write the hours and their minutes anew, all at once."""
        touched: set[Touched] = set()
        passed_ms = min(worker.checkpoint.passed_ms for worker in self._workers)
        with writing(self._table, self._workers):
            for hour in hours:
                minutes = parts_of(hour, self._zone_of(brand))
                parts = [[self._columns(counts.get(minute.from_ms)) for minute in minutes] for counts in counted]
                for minute, columns in zip(minutes, zip(*parts, strict=True), strict=True):
                    done.hits += sum(total_hits(one) for one in columns)
                    if self._workers[0].expires_at_ms(minute) > self._clock.now_ms():
                        self._write(brand, minute, columns, touched, done)
                sums = [_bounded(merge(of_shard)) for of_shard in parts]
                if self._is_built(brand, hour) or hour.to_ms <= passed_ms:
                    self._write(brand, hour, sums, touched, done)
                else:
                    self._expect(brand, hour, sums)
            for worker in self._workers:
                worker.rollup.begin_anew()
            self._workers[0].commit_touched(touched)

    def _columns(self, counts: Counts | None) -> Columns:
        return admit(EMPTY, counts, self._limits) if counts else EMPTY

    def _swap_days(self, brand: str, hours: Sequence[Window], done: Done) -> None:
        zone = self._zone_of(brand)
        for day in sorted({window_of(hour.from_ms, Grain.DAY, zone) for hour in hours}):
            if not self._is_built(brand, day):
                continue
            touched: set[Touched] = set()
            with writing(self._table, self._workers):
                sums = [self._day_of(brand, day, worker) for worker in self._workers]
                self._write(brand, day, sums, touched, done)
                self._workers[0].commit_touched(touched)

    def _day_of(self, brand: str, day: Window, worker: Worker) -> Columns:
        main, late = keys.shard_name(worker.shard), keys.late_part(worker.shard)
        hours = parts_of(day, self._zone_of(brand))
        return _bounded(merge([worker.held.part(brand, hour, name).columns for hour in hours for name in (main, late)]))

    def _write(self, brand: str, window: Window, sums: Sequence[Columns], touched: set[Touched], done: Done) -> None:
        """Store each shard's part of a window in the place of all that was there."""
        heads = self._summaries.heads(brand, window)
        if not heads and not any(total_hits(columns) for columns in sums):
            return
        done.windows += 1
        done.changed += self._differs(brand, window, sums)
        touched.add(Touched(brand, window))
        for worker, columns in zip(self._workers, sums, strict=True):
            throughs = worker.held.throughs(brand, window)
            if throughs.main is not None or total_hits(columns):
                name = keys.shard_name(worker.shard)
                worker.held.save(brand, window, name, columns, through=worker.checkpoint.through)
                if window.grain is not Grain.MINUTE:
                    worker.rollup.built_anew(brand, window)
            worker.held.remove(brand, window, keys.late_part(worker.shard))
        self._clear_merged(brand, window)

    def _differs(self, brand: str, window: Window, sums: Sequence[Columns]) -> bool:
        """Tell whether the window says something else now; a final one is compared as it will be cut."""
        try:
            live = self._summaries.live(brand, window)
        except Corrupt:
            return True
        after = merge(sums)
        if any(part.part == keys.ALL for part in live):
            after = cut(after, self._keep_rows)
        return not is_same(merge([part.columns for part in live]), after)

    def _clear_merged(self, brand: str, window: Window) -> None:
        """Remove what was merged and cut; the shards' parts hold all of it again."""
        head = self._summaries.head(brand, window, keys.ALL)
        if head is not None:
            self._summaries.remove(brand, window, keys.ALL, replaces=head.through)
            for worker in self._workers:
                worker.held.forget(brand, window)

    def _expect(self, brand: str, hour: Window, sums: Sequence[Columns]) -> None:
        for worker, columns in zip(self._workers, sums, strict=True):
            if total_hits(columns):
                worker.rollup.expect(brand, hour)

    def _is_built(self, brand: str, window: Window) -> bool:
        return any(worker.rollup.is_built(brand, window) for worker in self._workers)


def _bounded(columns: Columns) -> Columns:
    return bounded(columns, rows_max=WINDOW_ROWS_MAX, text_bytes_max=WINDOW_TEXT_BYTES_MAX)
