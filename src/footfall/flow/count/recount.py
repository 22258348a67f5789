"""Counting again: windows rebuilt from raw hits, to the same bytes when nothing but time has passed.

The hours of a range are counted from the stream in small steps, while counting goes on. When the reading has caught
up with the checkpoints, its windows are swapped in at once; so what is written holds exactly the records up to the
checkpoint, as if it had been counted in one go. A day that was built is counted again whole, because its finished
hours have been cut for readers and a day is never made from those. Nothing must be finished meanwhile, for the same
reason; windows that were final are finished again afterwards.

No hit arrives before its time, but any may arrive years after it. So the raw hits of a range are looked for from its
start to the present, and a range is refused when any of those could have been trimmed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from footfall.catalog.labels import KnownLabels
from footfall.flow.count.replayed import Replayed, replayed_from_item
from footfall.flow.count.rollup import WINDOW_ROWS_MAX, WINDOW_TEXT_BYTES_MAX
from footfall.flow.count.stretch import Age, Stretch, first_stretch
from footfall.flow.count.tally import Counts, Replay, Rules, Tally
from footfall.flow.count.worker import LATE_LIMITS, READ_RECORDS, Worker, writing
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
    from_ms: int = field(default=0, compare=False)  # the range that was covered: what was asked for, in whole windows
    to_ms: int = field(default=0, compare=False)
    catalogue: int = field(default=0, compare=False)  # the version of the catalogue whose labels were applied


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
        self._replayed: dict[tuple[int, str, int], Replayed] = {}
        self._began_at_ms = 0
        self._labels: KnownLabels | None = None

    def run(self, asked: Asked, labels: KnownLabels | None = None) -> Iterator[float | Done]:
        """Yield how far it has come, now and then, and at last what it came to; hits get these labels."""
        self._labels = labels
        hours = self._hours(asked)
        self._require_kept(asked, hours)
        done = Done(from_ms=hours[0].from_ms, to_ms=hours[-1].to_ms)
        done.catalogue = 0 if labels is None else labels.version(asked.brand)
        self._began_at_ms = self._clock.now_ms()
        start = 0
        while start < len(hours):
            stretch = first_stretch(hours[start:], zone=self._zone_of(asked.brand), age_of=self._age_of)
            for part in self._count(asked.brand, stretch):
                yield (start + part * len(stretch.hours)) / len(hours)
            self._swap(asked.brand, stretch, done)
            start += len(stretch.hours)
        yield done

    def _age_of(self, hour: Window) -> Age:
        if not self._is_kept(hour):
            return Age.GONE
        minutes = Window(Grain.MINUTE, hour.from_ms, hour.to_ms)  # They end with the hour at the latest.
        return Age.RECENT if self._is_kept(minutes) else Age.WITHOUT_MINUTES

    def _is_kept(self, window: Window) -> bool:
        return self._workers[0].expires_at_ms(window) > self._began_at_ms

    def _hours(self, asked: Asked) -> list[Window]:
        """Return the hours to count: those asked for, and all of a day that was built."""
        zone = self._zone_of(asked.brand)
        to_ms = self._end_of(asked, zone)
        hours = set(windows_between(Grain.HOUR, from_ms=asked.from_ms, to_ms=to_ms, zone=zone))
        for day in windows_between(Grain.DAY, from_ms=asked.from_ms, to_ms=to_ms, zone=zone):
            if self._is_built(asked.brand, day):
                hours.update(parts_of(day, zone))
        return sorted(hours)

    def _end_of(self, asked: Asked, zone: str) -> int:
        """Return where the range ends: of today, which one may ask for whole, as much as has come."""
        if asked.from_ms >= asked.to_ms:
            raise Refused("from", "must be before `to`")
        now_ms = self._clock.now_ms()
        come_ms = now_ms + self._rules.future_ms
        today = window_of(now_ms, Grain.DAY, zone)
        if asked.from_ms >= come_ms:
            raise Refused("from", f"lies in the future; it is {instant_text(now_ms)}")
        if asked.to_ms > max(come_ms, today.to_ms):
            raise Refused("to", f"lies in the future; today ends at {instant_text(today.to_ms)}")
        return min(asked.to_ms, come_ms)

    def _require_kept(self, asked: Asked, hours: Sequence[Window]) -> None:
        since_ms = self._stream.kept_since_ms()
        if since_ms and hours[0].from_ms - self._rules.future_ms < since_ms:
            raise Refused(
                "from",
                f"needs raw hits from {instant_text(hours[0].from_ms)}, they are kept since {instant_text(since_ms)}",
            )

    def _count(self, brand: str, stretch: Stretch) -> Iterator[float]:
        """Read each shard's records of the range until every one is at its checkpoint."""
        for worker in self._workers:
            worker.settle_doubts()
        starts = [self._first(worker.shard, stretch.hours) for worker in self._workers]
        places = list(starts)
        stretch.counted = [{} for _ in self._workers]
        self._replayed = {}
        while True:
            for worker in self._workers:
                worker.settle_doubts()
            for number, worker in enumerate(self._workers):
                places[number] = self._read_some(worker, places[number], brand, stretch, number)
                stretch.shrink()
            throughs = [worker.checkpoint.through for worker in self._workers]
            if all(place >= through for place, through in zip(places, throughs, strict=True)):
                return  # And swapped in before a worker goes on.
            yield (sum(places) - sum(starts)) / max(sum(throughs) - sum(starts), 1)

    def _first(self, shard: int, hours: Sequence[Window]) -> int:
        return self._stream.sequence_at(shard, arrived_at_ms=hours[0].from_ms - self._rules.future_ms)

    def _read_some(self, worker: Worker, after: int, brand: str, stretch: Stretch, number: int) -> int:
        through = worker.checkpoint.through
        if after >= through:
            return after
        records = self._stream.read(worker.shard, after=after, limit=READ_RECORDS)
        tally = Tally(self._rules, placing=worker.placing, through_of=lambda _: 0)
        for record in records:
            if record.group == brand and record.sequence <= through:
                tally.add(record)
        for key in tally.places():
            stretch.count(number, key[1], self._labelled(brand, tally.counts_after(key, 0)))
        for replay in tally.replays:
            for place, counts in self._first_of(worker.shard, replay).counts.items():
                stretch.count(number, place, self._labelled(brand, counts))
        return min(records[-1].sequence, through) if records else through

    def _labelled(self, brand: str, counts: Counts) -> Counts:
        """Return counts under the labels that the catalogue has now."""
        if self._labels is None or not self._labels.has_any(brand):
            return counts
        labelled = Counts()
        for key, hits in zip(self._labels.labelled(brand, list(counts)), counts.values(), strict=True):
            labelled[key] += hits
        return labelled

    def _first_of(self, shard: int, replay: Replay) -> Replay:
        """Return the hits of a replay that come again for the first time; only those count."""
        once = (shard, replay.line, replay.sequence)
        done = self._replayed.get(once, Replayed())
        left = done.left_of(replay)
        if left is None:
            return replay.without(frozenset(hit.at for hit in replay.hits))
        self._replayed[once] = replayed_from_item(done.item_with(left))
        return left

    def _swap(self, brand: str, stretch: Stretch, done: Done) -> None:
        """Write the stretch's hours and their minutes anew, all at once, and then the days that end in it."""
        touched: set[Touched] = set()
        gone: dict[Window, list[list[Columns]]] = {}  # by day: of each shard, its hours that are not kept any more
        with writing(self._table, self._workers):
            for hour in stretch.hours:
                sums = self._swap_minutes(brand, hour, stretch, touched, done)
                if not self._is_kept(hour):
                    day = window_of(hour.from_ms, Grain.DAY, stretch.zone)
                    gone.setdefault(day, []).append(sums)
                elif self._is_built(brand, hour) or hour.to_ms <= self._passed_ms():
                    self._write(brand, hour, sums, touched, done)
                else:
                    self._expect(brand, hour, sums)
            for worker in self._workers:
                worker.rollup.begin_anew()
            self._workers[0].commit_touched(touched)
        for day in stretch.days():
            self._swap_day(brand, day, stretch, gone.get(day, []), done)

    def _swap_minutes(
        self, brand: str, hour: Window, stretch: Stretch, touched: set[Touched], done: Done
    ) -> list[Columns]:
        """Write the minutes of an hour that are kept; return each shard's sum, with what went straight to the hour."""
        # Most hours of years ago have no minutes at all, and there are thousands of them.
        minutes = (
            parts_of(hour, stretch.zone) if hour in stretch.by_minutes() or self._age_of(hour) is Age.RECENT else []
        )
        parts = [
            [_columns(counts.get(minute.from_ms), self._limits) for minute in minutes] for counts in stretch.counted
        ]
        for minute, columns in zip(minutes, zip(*parts, strict=True), strict=True):
            if self._workers[0].expires_at_ms(minute) > self._clock.now_ms():
                self._write(brand, minute, columns, touched, done)
        sums: list[Columns] = []
        for counts, of_shard in zip(stretch.counted, parts, strict=True):
            of_shard.append(_columns(counts.get(hour), LATE_LIMITS))
            done.hits += sum(total_hits(one) for one in of_shard)
            sums.append(_sum_of(of_shard))
        return sums

    def _swap_day(
        self, brand: str, day: Window, stretch: Stretch, gone: Sequence[Sequence[Columns]], done: Done
    ) -> None:
        straight = [_columns(counts.get(day), LATE_LIMITS) for counts in stretch.counted]
        done.hits += sum(total_hits(one) for one in straight)
        if not self._is_built(brand, day):
            return
        touched: set[Touched] = set()
        with writing(self._table, self._workers):
            sums = [
                _sum_of([self._of_hours(brand, day, worker), straight[number], *(of[number] for of in gone)])
                for number, worker in enumerate(self._workers)
            ]
            self._write(brand, day, sums, touched, done)
            self._workers[0].commit_touched(touched)

    def _of_hours(self, brand: str, day: Window, worker: Worker) -> Columns:
        """Return what the day's hours hold that are kept."""
        names = (keys.shard_name(worker.shard), keys.late_part(worker.shard))
        hours = [hour for hour in parts_of(day, self._zone_of(brand)) if self._is_kept(hour)]
        return _sum_of([worker.held.part(brand, hour, name).columns for hour in hours for name in names])

    def _passed_ms(self) -> int:
        return min(worker.checkpoint.passed_ms for worker in self._workers)

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


def _columns(counts: Counts | None, limits: Limits) -> Columns:
    return admit(EMPTY, counts, limits) if counts else EMPTY


def _sum_of(parts: Sequence[Columns]) -> Columns:
    """Return the sum of what has any hits, bounded as windows are."""
    full = [one for one in parts if len(one.ident) or one.other]
    if not full:
        return EMPTY
    return bounded(merge(full), rows_max=WINDOW_ROWS_MAX, text_bytes_max=WINDOW_TEXT_BYTES_MAX)
