"""Counting again: windows rebuilt from raw hits, to the same bytes when nothing but time has passed.

The hours of a range are counted from the stream in small steps, while counting goes on. When the reading has caught
up with the checkpoints, its windows are swapped in at once; so what is written holds exactly the records up to the
checkpoint, as if it had been counted in one go. A day that was built is counted again whole, because its finished
hours have been cut for readers and a day is never made from those. Nothing must be finished meanwhile, for the same
reason; windows that were final are finished again afterwards.

No hit arrives before its time, but any may arrive years after it. So the raw hits of a range are looked for from its
start to the present, and a range is refused when any of those could have been trimmed.

Where others count the same shards meanwhile, and nothing is written at once, a window is never put back before what it
holds: when somebody was faster, the checkpoints are read again, the reading goes on to them, and the swap is made anew.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from footfall.catalog.labels import KnownLabels
from footfall.flow.count.building import WINDOW_ROWS_MAX, WINDOW_TEXT_BYTES_MAX
from footfall.flow.count.placing import Place
from footfall.flow.count.replay import Replay
from footfall.flow.count.replayed import Replayed, replayed_from_item
from footfall.flow.count.skipping import Skipping
from footfall.flow.count.stretch import HOURS_AT_ONCE, Age, Stretch, first_stretch
from footfall.flow.count.swapping import Content, Swapping
from footfall.flow.count.tally import Counts, Rules
from footfall.flow.count.worker import LATE_LIMITS, READ_RECORDS, Worker
from footfall.flow.count.writing import writing
from footfall.flow.store import keys
from footfall.flow.store.columns import EMPTY, CountKey, screened_key, total_hits, without_row
from footfall.flow.store.journal import Touched
from footfall.flow.store.merging import Limits, admit, bounded, merge
from footfall.flow.store.moved_lines import Move, swap_moves
from footfall.flow.store.summaries import Summaries
from footfall.flow.store.visitors import kept_groups, only_groups
from footfall.flow.stream.raw import RawHits
from footfall.ports.errors import Changed, Unavailable
from footfall.ports.table import Table
from footfall.sketches.grouped import merge_grouped
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.window import Grain, Window, instant_text, parts_of, window_of, windows_between

SWAP_TRIES_MAX = 10  # A shard is flushed each minute or so, and a swap takes seconds.


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be counted again."""

    brand: str
    from_ms: int
    to_ms: int
    # Hours of a built day that are whole in the store are taken from there, and what is as it was is not written.
    is_sparing: bool = False


@dataclass(slots=True)
class Done:
    """What counting again came to: windows written, and how many of them differ from what was there."""

    windows: int = 0
    changed: int = 0
    hits: int = 0
    from_ms: int = field(default=0, compare=False)  # the range that was covered: what was asked for, in whole windows
    to_ms: int = field(default=0, compare=False)
    catalogue: int = field(default=0, compare=False)  # the version of the catalogue whose labels were applied
    verdicts: int = field(default=0, compare=False)  # the version of the brand's verdicts
    counters: int = field(default=0, compare=False)  # named counters that were built anew from the range's start on
    counters_changed: int = field(default=0, compare=False)


class Recount:
    """Counts a brand's range again; the workers run in the same thread, and others only where they are shared."""

    def __init__(  # noqa: PLR0913 - whose windows, both grounds, and how to count
        self,
        workers: Sequence[Worker],
        raw: RawHits,
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
        self._raw = raw
        self._is_shared = any(worker.is_shared for worker in workers)
        self._table = table
        self._summaries = summaries
        self._rules = rules
        self._limits = limits
        self._zone_of = zone_of
        self._clock = clock
        self._replayed: dict[tuple[int, str, int], Replayed] = {}
        self._began_at_ms = 0
        self._labels: KnownLabels | None = None
        self._skipping = Skipping("")
        self._places: list[int] = []  # of each worker, the last record that was read
        self._starts: list[int] = []
        self._swapping = Swapping(workers, table, summaries, keep_rows=keep_rows, clock=clock)

    def run(self, asked: Asked, labels: KnownLabels | None = None) -> Iterator[float | Done]:
        """Yield how far it has come, now and then, and at last what it came to; hits get these labels."""
        self._labels = labels
        self._began_at_ms = self._clock.now_ms()
        hours = self._hours(asked)
        self._require_kept(asked, hours)
        done = Done(from_ms=hours[0].from_ms, to_ms=hours[-1].to_ms)
        done.catalogue = 0 if labels is None else labels.version(asked.brand)
        known = self._workers[0].verdicts
        done.verdicts = 0 if known is None else known.version(asked.brand)
        self._swapping.begin(is_sparing=asked.is_sparing)
        self._skipping = Skipping(asked.brand)
        start, hours_max = 0, HOURS_AT_ONCE
        while start < len(hours):
            stretch = first_stretch(
                hours[start:], zone=self._zone_of(asked.brand), age_of=self._age_of, hours_max=hours_max
            )
            self._begin(asked.brand, stretch)
            for part in self._swapped(asked.brand, stretch, done):
                yield (start + part * len(stretch.hours)) / len(hours)
            start += len(stretch.hours)
            hours_max = min(len(stretch.hours) + 1, HOURS_AT_ONCE)  # What had to be given up is not counted again.
        for day in self._days_beside(asked, hours):
            self._swap_day(asked.brand, day, None, [], done)
        done.windows, done.changed = len(self._swapping.written), len(self._swapping.differing)
        yield done

    def _swapped(self, brand: str, stretch: Stretch, done: Done) -> Iterator[float]:
        """Count a stretch and swap it in, again and again while others are faster."""
        hits = done.hits
        for left in reversed(range(SWAP_TRIES_MAX if self._is_shared else 1)):
            yield from self._count(brand, stretch)
            try:
                self._swap(brand, stretch, done)
            except Changed as error:
                if not left:
                    raise Unavailable(
                        f"others were faster {SWAP_TRIES_MAX} times; count again later: {error}"
                    ) from error
                done.hits = hits
            else:
                return

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
                of_day = parts_of(day, zone)
                hours.update(hour for hour in of_day if not asked.is_sparing or self._is_cut(asked.brand, hour))
        return sorted(hours)

    def _is_cut(self, brand: str, hour: Window) -> bool:
        """Tell whether an hour is not in the store as it was counted, so that no day can be made of it."""
        return not self._is_kept(hour) or any(head.part == keys.ALL for head in self._summaries.heads(brand, hour))

    def _days_beside(self, asked: Asked, hours: Sequence[Window]) -> list[Window]:
        """Return the built days of hours that were counted again without the last one of their day."""
        zone, counted = self._zone_of(asked.brand), set(hours)
        days = dict.fromkeys(window_of(hour.from_ms, Grain.DAY, zone) for hour in hours)
        return [day for day in days if parts_of(day, zone)[-1] not in counted and self._is_built(asked.brand, day)]

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
        since_ms = self._raw.kept_since_ms(asked.brand)
        if since_ms and hours[0].from_ms - self._rules.future_ms < since_ms:
            raise Refused(
                "from",
                f"needs raw hits from {instant_text(hours[0].from_ms)}, they are kept since {instant_text(since_ms)}",
            )

    def _begin(self, brand: str, stretch: Stretch) -> None:
        """Find where each shard's records of a stretch begin."""
        arrived_at_ms = stretch.hours[0].from_ms - self._rules.future_ms
        self._starts = [self._raw.first(brand, worker.shard, arrived_at_ms=arrived_at_ms) for worker in self._workers]
        self._places = list(self._starts)
        stretch.begin(len(self._workers))
        self._replayed = {}

    def _count(self, brand: str, stretch: Stretch) -> Iterator[float]:
        """Read each shard's records of the range until every one is at its checkpoint."""
        places, starts = self._places, self._starts
        while True:
            for worker in self._workers:
                worker.settle_doubts()
            for number, worker in enumerate(self._workers):
                places[number] = self._read_some(worker, places[number], brand, stretch, number)
                stretch.shrink()
            if self._is_shared:
                self._look_again()
            throughs = [worker.checkpoint.through for worker in self._workers]
            if all(place >= through for place, through in zip(places, throughs, strict=True)):
                return  # And swapped in before a worker goes on.
            yield (sum(places) - sum(starts)) / max(sum(throughs) - sum(starts), 1)

    def _look_again(self) -> None:
        """Read the checkpoints as they are now: others move them."""
        for worker in self._workers:
            worker.doubt()
            worker.settle_doubts()

    def _read_some(self, worker: Worker, after: int, brand: str, stretch: Stretch, number: int) -> int:
        through, span = worker.checkpoint.through, stretch.times()
        after = self._skipping.place(number, after, through=through, span=span)
        if after >= through:
            return after
        records = self._raw.read(brand, worker.shard, after=after, limit=READ_RECORDS)
        tally = worker.tally(through_of=lambda _: 0)
        for record in self._skipping.within(number, after, records, span):
            if record.sequence <= through:
                tally.add(record)
        for key in tally.places():
            stretch.count(number, key[1], self._labelled(brand, tally.counts_after(key, 0)))
        for replay in tally.replays:
            first = self._first_of(worker.shard, replay)
            for place, counts in first.counts.items():
                stretch.count(number, place, self._labelled(brand, counts))
            tally.meet_replay(first)
            tally.move_replay(first)
        stretch.moved[number].update(tally.moved)
        for key, met in tally.met().items():
            stretch.meet(number, key[1], met, self._labelled_keys(brand, met.keys()))
        return min(records[-1].sequence, through) if records else through

    def _labelled(self, brand: str, counts: Mapping[CountKey, int]) -> Mapping[CountKey, int]:
        """Return counts under the labels that the catalogue has now."""
        if self._labels is None or not self._labels.has_any(brand):
            return counts
        labelled = Counts()
        for key, hits in zip(self._labelled_keys(brand, list(counts)), counts.values(), strict=True):
            labelled[key] += hits
        return labelled

    def _labelled_keys(self, brand: str, hits: list[CountKey]) -> list[CountKey]:
        """Return keys under the labels that the catalogue has now; what screening said of them stays."""
        if self._labels is None or not self._labels.has_any(brand):
            return hits
        found = self._labels.labelled(brand, [key[:4] for key in hits])
        return [screened_key(new, key[4]) if len(key) == 5 else new for new, key in zip(found, hits, strict=True)]

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
        gone: dict[Window, list[list[Content]]] = {}  # by day: of each shard, its hours that are not kept any more
        with writing(self._table, self._workers):
            for hour in stretch.hours:
                sums = self._swap_minutes(brand, hour, stretch, touched, done)
                if not self._is_kept(hour):
                    day = window_of(hour.from_ms, Grain.DAY, stretch.zone)
                    gone.setdefault(day, []).append(sums)
                elif self._is_built(brand, hour) or hour.to_ms <= self._passed_ms():
                    self._write(brand, hour, sums, touched)
                else:
                    self._expect(brand, hour, sums)
            for worker in self._workers:
                worker.rollup.begin_anew()
            self._commit(touched, brand, stretch)
        for day in stretch.days():
            self._swap_day(brand, day, stretch, gone.get(day, []), done)

    def _swap_minutes(
        self, brand: str, hour: Window, stretch: Stretch, touched: set[Touched], done: Done
    ) -> list[Content]:
        """Write the minutes of an hour that are kept; return each shard's sum, with what went straight to the hour."""
        # Most hours of years ago have no minutes at all, and there are thousands of them.
        minutes = (
            parts_of(hour, stretch.zone) if hour in stretch.by_minutes() or self._age_of(hour) is Age.RECENT else []
        )
        shards = range(len(self._workers))
        parts = [[self._content(stretch, n, minute.from_ms, self._limits) for minute in minutes] for n in shards]
        for minute, contents in zip(minutes, zip(*parts, strict=True), strict=True):
            if self._workers[0].expires_at_ms(minute) > self._clock.now_ms():
                self._write(brand, minute, contents, touched)
        sums: list[Content] = []
        for n, of_shard in enumerate(parts):
            of_shard.append(self._content(stretch, n, hour, LATE_LIMITS))
            done.hits += sum(total_hits(one.columns) for one in of_shard)
            sums.append(_sum_of(of_shard))
        return sums

    def _content(self, stretch: Stretch, n: int, place: Place, limits: Limits) -> Content:
        """Return what was counted of a place in a shard."""
        counts, met = stretch.counted[n].get(place), stretch.met[n].get(place)
        columns = admit(EMPTY, counts, limits) if counts else EMPTY
        if met is None:
            return Content(columns)
        return Content(columns, met.sketches(self._workers[n].visitors.group_of_asset, columns))

    def _swap_day(
        self, brand: str, day: Window, stretch: Stretch | None, gone: Sequence[Sequence[Content]], done: Done
    ) -> None:
        """Make a day of its hours, and of what was counted straight into it in a stretch that ends with it."""
        shards = range(len(self._workers))
        straight = [Content(EMPTY) if stretch is None else self._content(stretch, n, day, LATE_LIMITS) for n in shards]
        done.hits += sum(total_hits(one.columns) for one in straight)
        if not self._is_built(brand, day):
            return
        touched: set[Touched] = set()
        with writing(self._table, self._workers):
            sums = [
                _sum_of([self._of_hours(brand, day, worker), straight[number], *(of[number] for of in gone)])
                for number, worker in enumerate(self._workers)
            ]
            self._write(brand, day, sums, touched)
            self._commit(touched)

    def _commit(self, touched: set[Touched], brand: str = "", stretch: Stretch | None = None) -> None:
        """Tell readers, and move hits of a stretch between lines of the ledgers as verdicts say now.

        Where others count, it also has them find out that what they have in hand is not so any more.
        """
        hours = frozenset(() if stretch is None else (hour.from_ms for hour in stretch.hours))
        for number, worker in enumerate(self._workers):
            moved = Counter[Move]() if stretch is None else stretch.moved[number]
            if number == 0 or self._is_shared or (hours and (moved or worker.checkpoint.moved)):
                change = partial(swap_moves, brand=brand, hours=hours, counted=moved)
                worker.commit_touched(touched if number == 0 or self._is_shared else (), change if hours else None)

    def _of_hours(self, brand: str, day: Window, worker: Worker) -> Content:
        """Return what the day's hours hold that are kept."""
        names = (keys.shard_name(worker.shard), keys.late_part(worker.shard))
        hours = [hour for hour in parts_of(day, self._zone_of(brand)) if self._is_kept(hour)]
        counted = [Content(worker.held.part(brand, hour, name).columns) for hour in hours for name in names]
        return _sum_of([*counted, *(Content(EMPTY, some) for some in worker.visitors.of_windows(brand, hours))])

    def _passed_ms(self) -> int:
        return min(worker.checkpoint.passed_ms for worker in self._workers)

    def _write(self, brand: str, window: Window, sums: Sequence[Content], touched: set[Touched]) -> None:
        if self._swapping.write(brand, window, sums):
            touched.add(Touched(brand, window))

    def _expect(self, brand: str, hour: Window, sums: Sequence[Content]) -> None:
        for worker, content in zip(self._workers, sums, strict=True):
            if total_hits(content.columns):
                worker.rollup.expect_rewritten(brand, hour, since=worker.checkpoint.number + 1)

    def _is_built(self, brand: str, window: Window) -> bool:
        return any(worker.rollup.is_built(brand, window) for worker in self._workers)


def _sum_of(parts: Sequence[Content]) -> Content:
    """Return the sum of what has any hits, bounded as windows are."""
    visitors = merge_grouped([one.visitors for one in parts])
    full = [one.columns for one in parts if len(one.columns.ident) or without_row(one.columns)]
    if not full:
        return Content(EMPTY, visitors)
    columns = bounded(merge(full), rows_max=WINDOW_ROWS_MAX, text_bytes_max=WINDOW_TEXT_BYTES_MAX)
    return Content(columns, only_groups(visitors, kept_groups(columns)))
