"""The worker of one shard: read records, tally them, write summaries and checkpoint.

Every effect is visible here, in its order. Summaries come before the checkpoint that covers them, each on the
condition that it is still the one that was read, and each with the record up to which it holds everything; so a
worker that is killed anywhere, or wakes up after another took its shard, changes nothing twice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from footfall.flow.count.aside_items import write_aside
from footfall.flow.count.building import BuildTiming, WindowKey
from footfall.flow.count.count_rules import CountRules
from footfall.flow.count.counters import Counters
from footfall.flow.count.held import Held
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.count.placing import Placing
from footfall.flow.count.replayed import take_replay
from footfall.flow.count.rollup import Rollup
from footfall.flow.count.sessions import Sessions
from footfall.flow.count.tally import MinuteKey, PlaceKey, Tally
from footfall.flow.count.verdicts_applied import Verdicts, no_verdicts
from footfall.flow.count.visitors import Visitors
from footfall.flow.count.writing import writing
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoint, save_checkpoint
from footfall.flow.store.journal import Touched, write_journal
from footfall.flow.store.known_keys import KnownKeys, rows_of_counts, sum_of_counts
from footfall.flow.store.merging import Limits
from footfall.flow.store.moved_lines import remember_moves
from footfall.flow.store.summaries import Summaries
from footfall.ports.errors import Changed
from footfall.ports.stream import READ_RECORDS_MAX, Record, Stream
from footfall.ports.table import Table
from footfall.sketches.grouped import GroupedUniques, merge_grouped
from footfall.values.clock import Clock
from footfall.values.period import expires_at_ms as expiry
from footfall.values.window import MINUTE_MS, Grain, Window, window_of

READ_RECORDS = 1_000  # A tenth of a second's work when every record holds a hundred hits; a read has a limit of bytes.
TALLY_ROWS_MAX = 100_000  # Beyond it a flush does not wait for its time: some 250 bytes each.
LOOK_AT_ROWS_EVERY = 8  # records, of at most 2,000 hits each
BUILD_EVERY_MS = 50  # However many records come, longer windows get built; each step takes a few milliseconds.
BUILD_MS, BUILD_STEPS = 100, 8  # at a time then: an hour is built soon, while its minutes are still in hand
LOOK_EVERY_MS = 1_000  # When nothing was left to build: with a thousand brands, looking for more is work as well.
DRAIN_TRIES_MAX = 5  # Whoever else counts the shard has done so when it was in the way; five times is a quarrel.
LATE_LIMITS = Limits(assets_max=1_000_000, slices_max=20_000, text_bytes_max=32_000_000)


class Worker:
    """Counts one shard; with a Keeping, on a ground where the stream is only transport."""

    def __init__(  # noqa: PLR0913 - both grounds, what is kept beside them, and how to count
        self,
        shard: int,
        stream: Stream,
        table: Table,
        *,
        clock: Clock,
        how: CountRules,
        zone_of: Callable[[str], str],
        keeping: Keeping | None = None,
        verdicts: Verdicts | None = None,
    ) -> None:
        self.shard = shard
        self._stream = stream
        self._table = table
        self._clock = clock
        self._how = how
        self._zone_of = zone_of
        self._keeping = keeping
        self.verdicts = verdicts
        self.placing = Placing(kept_ms={grain: self.kept_ms(grain) for grain in Grain}, zone_of=zone_of)
        self.held = Held(
            *(Summaries(table, clock), shard),
            expires_at_ms=self.expires_at_ms, clock=clock, standstill_ms=how.standstill_ms,
        )  # fmt: skip
        timing = BuildTiming(fold_ms=how.fold_ms, spread_ms=how.spread_ms, is_shared=self.is_shared)
        self.counters = Counters(table, shard, clock=clock, expires_at_ms=self.expires_at_ms)
        self.sessions = Sessions(table, shard, self.placing, clock, self.expires_at_ms, fresh_ms=how.flush_ms)
        self.visitors = Visitors(
            table, shard, expires_at_ms=self.held.part_expires_at_ms, is_on=how.uniques, is_shared=self.is_shared
        )
        self.rollup = Rollup(table, self.held, self.visitors, shard, zone_of=zone_of, timing=timing)
        self.checkpoint, self._number = self._load()
        self._known = KnownKeys()
        self._tally = self._new_tally()
        self._is_in_doubt = False
        self._flushed_at_ms = self.checkpoint.flushed_at_ms  # A checkpoint of a build has a later moment.
        self._counted_at_ms = self._built_at_ms = 0
        self._idle_number: int | None = None  # of the checkpoint after which nothing was left to build

    def step(self) -> bool:
        """Read, flush when it is time, build a little; return whether there may be more to do at once."""
        records = self._take_in(READ_RECORDS)
        is_at_tip = not records and self._sees_tip
        now_ms = self._clock.now_ms()
        is_due = not 0 <= now_ms - self._flushed_at_ms < self._how.flush_ms
        if self._tally.through and (is_due or self._is_full()):
            self.flush(is_at_tip=is_at_tip)
        elif is_at_tip and self._has_passed_a_minute(now_ms):
            self.flush(is_at_tip=True)
        every_ms = BUILD_EVERY_MS if records else LOOK_EVERY_MS if self.checkpoint.number == self._idle_number else 0
        if 0 <= now_ms - self._built_at_ms < every_ms:
            return bool(records)
        began_at_ms = now_ms = self._clock.now_ms()
        is_busy = bool(records) or 0 <= began_at_ms - self._counted_at_ms < self._how.busy_ms
        is_more, steps = True, 0
        while is_more and steps < (BUILD_STEPS if records else 1) and now_ms - began_at_ms < BUILD_MS:
            is_more, steps, now_ms = self._build_a_little(is_busy=is_busy), steps + 1, self._clock.now_ms()
        self._built_at_ms = now_ms
        return is_more or bool(records)

    def flush(self, *, is_at_tip: bool) -> None:
        """Write what was tallied, all of it or (where the ground cannot) in an order that can be repeated."""
        started_ms = self._clock.now_ms()
        tally = self._tally
        checkpoint = self._next_checkpoint(tally, is_at_tip=is_at_tip, now_ms=started_ms)
        with writing(self._table, [self]):
            if self._keeping is not None:
                checkpoint.place = self._keeping.keep(checkpoint.through)
            for replay in tally.replays:
                take_replay(self._table, replay, tally, checkpoint, shard=self.shard)
            write_aside(self._table, tally.aside, shard=self.shard, expires_at_ms=started_ms + self._how.aside_ms)
            remember_moves(checkpoint, tally.moved)
            touched = self._write_counts(tally, checkpoint)
            self.counters.write(tally.counters, checkpoint)
            self.sessions.write()
            checkpoint.flush_ms = self._clock.now_ms() - started_ms
            self._commit(checkpoint, touched)
        self.checkpoint = checkpoint
        self._flushed_at_ms = started_ms
        self._counted_at_ms = started_ms if tally.through else self._counted_at_ms
        self._tally = self._new_tally()

    def flush_tallied(self) -> None:
        """Write what is tallied, so that what follows may be counted by other verdicts."""
        self.settle_doubts()
        if self._tally.through:
            self.flush(is_at_tip=False)

    def drain(self) -> None:
        """Count all that is in the stream and write it; where others may count it too, go on from what they wrote."""
        for left in reversed(range(1 if self._keeping is None else DRAIN_TRIES_MAX)):
            try:
                while self._drain_some():
                    pass
            except Changed:
                if not left:
                    raise
            else:
                self._counted_at_ms = 0  # Nobody is waited for.
                return

    def build(self, until: Callable[[], bool]) -> bool:
        """Build longer windows and fold late hits in until it is time to stop; return whether there may be more."""
        self.settle_doubts()
        while not until():
            if not self._build_a_little():
                return False
        return True

    def pass_idle(self) -> bool:
        """Let time pass for a shard in which nothing waits; return whether nothing does, and count nothing."""
        self.settle_doubts()
        after = self._tally.through or self.checkpoint.through
        if self._tally.through or not self._sees_tip or self._stream.read(self.shard, after=after, limit=1):
            return False
        if self._has_passed_a_minute(self._clock.now_ms()):
            self.flush(is_at_tip=True)
        return True

    def commit_touched(self, touched: Iterable[Touched], change: Callable[[Checkpoint], object] | None = None) -> None:
        """Write a checkpoint that counts nothing but tells readers where something changed."""
        checkpoint = self._next_checkpoint(None, is_at_tip=False, now_ms=self._clock.now_ms())
        if change is not None:
            change(checkpoint)
        self._commit(checkpoint, touched)
        self.checkpoint = checkpoint

    def doubt(self) -> None:
        """Take nothing in hand for true any more, because a write failed: the store knows better."""
        self._is_in_doubt = True

    def settle_doubts(self) -> None:
        """Read again from the store what a failed write has left in doubt."""
        if not self._is_in_doubt:
            return
        self.held.clear()
        self.visitors.clear()
        self.counters.clear()
        self.sessions.clear()
        self.rollup.reload()
        self.checkpoint, self._number = self._load()
        # Whatever was tallied is read again: another worker, or half a flush, may have written some of it.
        self._tally = self._new_tally()
        self._is_in_doubt = False

    def learn_verdicts(self) -> None:
        """Count by the verdicts that are stored now whatever is read from here on."""
        if self.verdicts is not None:
            self.verdicts.refresh()

    @property
    def is_shared(self) -> bool:
        """Tell whether others may count the same shard, so that only conditions keep them apart."""
        return self._keeping is not None

    def expires_at_ms(self, window: Window) -> int:
        """Return the moment from which nobody needs the window any more."""
        how = self._how
        return expiry(window, retention_ms=how.retention_ms, periods=how.periods, lateness_ms=how.rules.lateness_ms)

    @property
    def how(self) -> CountRules:
        """The rules that it counts by."""
        return self._how

    def kept_ms(self, grain: Grain) -> int:
        """Return how long after its end a window is kept."""
        return self.expires_at_ms(Window(grain, 0, 0))

    def _take_in(self, limit: int) -> list[Record]:
        """Read what follows and tally it; what would be too much at once is read again when this is flushed."""
        self.settle_doubts()
        records = self._stream.read(self.shard, after=self._tally.through or self.checkpoint.through, limit=limit)
        try:
            settled = records if self._keeping is None else self._keeping.settled(records)
            for number, record in enumerate(settled, 1):
                self._tally.add(record)
                if number % LOOK_AT_ROWS_EVERY == 0 and self._tally.rows >= TALLY_ROWS_MAX:
                    break
        except BaseException:
            self.doubt()  # A record may be tallied in part.
            raise
        return records

    def _drain_some(self) -> bool:
        records = self._take_in(READ_RECORDS_MAX)
        if self._tally.through and (not records or self._is_full()):
            self.flush(is_at_tip=not records and self._sees_tip)
        return bool(records)

    def _is_full(self) -> bool:
        """Tell whether so much is in hand that it should be flushed whatever the time."""
        return self._tally.rows >= TALLY_ROWS_MAX or (self._keeping is not None and self._keeping.is_full)

    @property
    def _sees_tip(self) -> bool:
        return self._keeping is None or self._keeping.sees_tip

    def _write_counts(self, tally: Tally, checkpoint: Checkpoint) -> set[Touched]:
        """Add counts to their minutes and to every longer window that was built without them.

        Each is written once and holds everything up to the checkpoint then. What has to follow from it later is noted
        before it, so that nothing is forgotten when this is cut short.
        """
        touched = {Touched(minute[0], self._window(minute)) for minute in tally.minutes()}
        reached = self._reached(tally)
        for minute in tally.minutes():
            checkpoint.overflow += self._add_to_minute(minute, tally, through=checkpoint.through)
        for key, places in reached.items():
            touched.add(Touched(*key))
            self._add_late(key, places, tally, through=checkpoint.through)
        if met := tally.met():
            self._write_visitors(met, reached, through=checkpoint.through)
        return touched

    def _reached(self, tally: Tally) -> dict[WindowKey, list[PlaceKey]]:
        """Return the longer windows that counts have to be added to, and note those that will be built of minutes."""
        reached: dict[WindowKey, list[PlaceKey]] = {}
        for minute in tally.minutes():
            for key in self._windows_of(minute)[1:]:
                self.rollup.interrupt(*key)
                if self.rollup.is_built(*key):
                    reached.setdefault(key, []).append(minute)
                else:
                    self.rollup.expect(*key, since=self.checkpoint.number + 1)
        for span in tally.spans():
            for key in self._windows_of(span):
                self.rollup.interrupt(*key)
                # A day that is still to be built finds the hits in its hours.
                if key == span or not self.rollup.is_unbuilt(*key):
                    reached.setdefault(key, []).append(span)
        return reached

    def _add_to_minute(self, minute: MinuteKey, tally: Tally, *, through: int) -> int:
        """Add counts to a minute; return how many hits found no row in it."""
        brand, window = minute[0], self._window(minute)
        counts = tally.counts_after(minute, self.held.throughs(brand, window).counted)
        main = keys.shard_name(self.shard)
        return self.held.add(brand, window, main, counts, limits=self._how.limits, through=through) if counts else 0

    def _add_late(self, key: WindowKey, places: Sequence[PlaceKey], tally: Tally, *, through: int) -> None:
        """Add counts beside a window that is there without them, or make one that nobody has heard of."""
        brand, window = key
        stored = self.held.throughs(brand, window).counted
        counts = sum_of_counts([tally.counts_after(place, stored) for place in places])
        if not counts:
            return
        self.rollup.take_in_sealed(brand, window)
        now_ms = self._clock.now_ms()
        name = keys.late_part(self.shard)
        if self.rollup.is_built(brand, window) or self.rollup.is_unbuilt(brand, window):
            rows = len(self.held.part(brand, window, name).columns.ident) + rows_of_counts(counts)
            self.rollup.note_late(brand, window, rows=rows, now_ms=now_ms)
        else:
            name = keys.shard_name(self.shard)
            self.rollup.make(brand, window)
        lateness_ms = self._how.rules.lateness_ms
        arrived_at_ms = max(tally.arrival_of(place) for place in places)
        if window.to_ms + lateness_ms <= arrived_at_ms:
            self.rollup.keep_open(brand, window, until_ms=arrived_at_ms + lateness_ms)
        self.held.add(brand, window, name, counts, limits=LATE_LIMITS, through=through)

    def _write_visitors(
        self, met: Mapping[PlaceKey, PlaceTally], reached: Mapping[WindowKey, Sequence[PlaceKey]], *, through: int
    ) -> None:
        """Add the visitors of each place to its window, and to every longer window that was built without them."""
        sketches: dict[PlaceKey, GroupedUniques] = {}
        for place, one in met.items():
            brand, window = self._windows_of(place)[0]
            is_late = window.grain is not Grain.MINUTE and self.held.throughs(brand, window).late is not None
            name = keys.late_part(self.shard) if is_late else keys.shard_name(self.shard)
            columns = self.held.part(brand, window, name).columns
            sketches[place] = one.sketches(self.visitors.group_of_asset, columns)
            if window.grain is Grain.MINUTE:
                self.visitors.add(brand, window, sketches[place], through=through)
        for (brand, window), places in reached.items():
            some = merge_grouped([sketches[place] for place in places if place in sketches])
            self.visitors.add(brand, window, some, through=through)

    def _commit(self, checkpoint: Checkpoint, touched: Iterable[Touched]) -> None:
        now_ms, touched = self._clock.now_ms(), list(touched)
        write_journal(self._table, self.shard, checkpoint.number, touched, now_ms=now_ms, is_shared=self.is_shared)
        self.rollup.note_written(touched)
        checkpoint.unbuilt = self.rollup.unbuilt_since()
        checkpoint.note_firsts((one.brand, one.window.from_ms) for one in touched)
        save_checkpoint(self._table, self.shard, checkpoint, replaces=self._number)
        self._number = checkpoint.number

    def _build_a_little(self, *, is_busy: bool = False) -> bool:
        with writing(self._table, [self]):
            at, now_ms = self.checkpoint, self._clock.now_ms()
            done = self.rollup.step(passed_ms=at.passed_ms, through=at.through, now_ms=now_ms, is_busy=is_busy)
            if done:
                self.commit_touched(Touched(brand, window) for brand, window in done)
                self.rollup.confirm()
        self._idle_number = self.checkpoint.number if done is None else None
        return done is not None

    def _next_checkpoint(self, tally: Tally | None, *, is_at_tip: bool, now_ms: int) -> Checkpoint:
        before = self.checkpoint
        after = replace(before, number=before.number + 1, flushed_at_ms=now_ms, lines=dict(before.lines))
        if tally is not None and tally.through:
            after.through = tally.through
            after.arrived_at_ms = max(before.arrived_at_ms, tally.arrived_at_ms)
            for brand, lines in tally.lines.items():
                after.lines[brand] = before.lines.get(brand, Lines()).sum_with(lines)
        if tally is not None:
            read_to_ms = now_ms if is_at_tip else after.arrived_at_ms
            after.passed_ms = max(before.passed_ms, read_to_ms - self._how.passed_ms)
        return after

    def _has_passed_a_minute(self, now_ms: int) -> bool:
        return (now_ms - self._how.passed_ms) // MINUTE_MS > self.checkpoint.passed_ms // MINUTE_MS

    def _window(self, minute: MinuteKey) -> Window:
        return window_of(minute[1], Grain.MINUTE, self._zone_of(minute[0]))

    def _windows_of(self, place: PlaceKey) -> list[WindowKey]:
        """Return every window that the hits of a place are part of, the finest first."""
        return [(place[0], window) for window in self.placing.windows(*place)]

    def _through_of(self, place: PlaceKey) -> int:
        return max(self.held.throughs(*key).counted for key in self._windows_of(place))

    def _new_tally(self) -> Tally:
        if self._known.is_full:
            self._known = KnownKeys()
        return self.tally(through_of=self._through_of, sessions=self.sessions)

    def tally(self, through_of: Callable[[PlaceKey], int], sessions: Sessions | None = None) -> Tally:
        """Return a tally by the rules and the verdicts that it counts by."""
        how, verdicts_of = self._how, self.verdicts.of if self.verdicts is not None else no_verdicts
        return Tally(
            how.rules, placing=self.placing, through_of=through_of, uniques=how.uniques, verdicts_of=verdicts_of,
            sessions=sessions, known=self._known,
        )  # fmt: skip

    def _load(self) -> tuple[Checkpoint, int | None]:
        stored = load_checkpoint(self._table, self.shard)
        at = stored or Checkpoint()
        if self._keeping is not None:
            self._keeping.resume(at.place, through=at.through, arrived_at_ms=at.arrived_at_ms)
            # Verdicts are read after the checkpoint: whoever counts again by newer ones moves it, and is noticed.
            self.learn_verdicts()
        return at, None if stored is None else stored.number
