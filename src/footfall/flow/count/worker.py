"""The worker of one shard: read records, tally them, write summaries and checkpoint.

Every effect is visible here, in its order. Summaries come before the checkpoint that covers them, each on the
condition that it is still the one that was read; so a worker that is killed anywhere, or wakes up after another took
its shard, changes nothing twice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from footfall.flow.count.held import Held
from footfall.flow.count.rollup import Rollup
from footfall.flow.count.tally import Aside, Counts, MinuteKey, Replay, Rules, Tally
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoint, save_checkpoint
from footfall.flow.store.journal import Touched, write_journal
from footfall.flow.store.merging import Limits
from footfall.flow.store.summaries import Summaries
from footfall.ports.stream import Stream
from footfall.ports.table import Put, Table
from footfall.values.clock import Clock
from footfall.values.period import RETENTION_MS, Period
from footfall.values.period import expires_at_ms as expiry
from footfall.values.window import MINUTE_MS, Grain, Window, window_of

READ_RECORDS = 1_000  # A tenth of a second's work when every record holds a hundred hits.
TALLY_ROWS_MAX = 200_000  # Beyond it a flush does not wait for its time.
LATE_LIMITS = Limits(assets_max=1_000_000, slices_max=20_000, text_bytes_max=32_000_000)


@dataclass(frozen=True, slots=True)
class CountRules:
    """How counting is done; the same in every worker of an instance."""

    rules: Rules = field(default_factory=Rules)
    limits: Limits = field(default_factory=Limits)
    flush_ms: int = 500
    passed_ms: int = 30_000
    fold_ms: int = 600_000
    aside_ms: int = 14 * 86_400_000
    periods: Sequence[Period] = ()
    retention_ms: Mapping[Grain, int] = field(default_factory=lambda: RETENTION_MS)


class Worker:
    """Counts one shard."""

    def __init__(
        self,
        shard: int,
        stream: Stream,
        table: Table,
        *,
        clock: Clock,
        how: CountRules,
        zone_of: Callable[[str], str],
    ) -> None:
        self.shard = shard
        self._stream = stream
        self._table = table
        self._clock = clock
        self._how = how
        self._zone_of = zone_of
        self.held = Held(Summaries(table, clock), expires_at_ms=self.expires_at_ms)
        self.rollup = Rollup(table, self.held, shard, zone_of=zone_of, fold_ms=how.fold_ms)
        self.checkpoint, self._number = self._load()
        self._tally = self._new_tally()
        self._grains = [Grain.HOUR, Grain.DAY]
        if any(period.grain is Grain.FIVE for period in how.periods):
            self._grains.insert(0, Grain.FIVE)

    def step(self) -> bool:
        """Read, flush when it is time, build a little; return whether there may be more to do at once."""
        after = self._tally.through or self.checkpoint.through
        records = self._stream.read(self.shard, after=after, limit=READ_RECORDS)
        for record in records:
            self._tally.add(record)
        now_ms = self._clock.now_ms()
        is_due = now_ms - self.checkpoint.flushed_at_ms >= self._how.flush_ms or now_ms < self.checkpoint.flushed_at_ms
        if self._tally.through and (is_due or self._tally.rows >= TALLY_ROWS_MAX):
            self.flush(is_at_tip=not records)
        elif not records and self._has_passed_a_minute(now_ms):
            self.flush(is_at_tip=True)
        return bool(records) or self._build_a_little()

    def flush(self, *, is_at_tip: bool) -> None:
        """Write what was tallied, all of it or (where the ground cannot) in an order that can be repeated."""
        started_ms = self._clock.now_ms()
        tally = self._tally
        checkpoint = self._next_checkpoint(tally, is_at_tip=is_at_tip, now_ms=started_ms)
        touched: set[Touched] = set()
        with self._writing():
            for minute, counts in tally.counts.items():
                self._add(minute, counts, touched, through=checkpoint.through)
            for replay in tally.replays:
                self._add_replay(replay, touched, checkpoint)
            for (brand, line), aside in tally.aside.items():
                self._write_aside(brand, line, aside, through=checkpoint.through)
            checkpoint.flush_ms = self._clock.now_ms() - started_ms
            self._commit(checkpoint, touched)
        self.checkpoint = checkpoint
        self._tally = self._new_tally()

    def drain(self) -> None:
        """Count all that is in the stream and write it."""
        while True:
            records = self._stream.read(self.shard, after=self._tally.through or self.checkpoint.through)
            for record in records:
                self._tally.add(record)
            if self._tally.through and (not records or self._tally.rows >= TALLY_ROWS_MAX):
                self.flush(is_at_tip=not records)
            if not records:
                return

    def commit_touched(self, touched: Iterable[Touched]) -> None:
        """Write a checkpoint that counts nothing but tells readers where something changed."""
        checkpoint = self._next_checkpoint(None, is_at_tip=False, now_ms=self._clock.now_ms())
        self._commit(checkpoint, touched)
        self.checkpoint = checkpoint

    def _add(self, minute: MinuteKey, counts: Counts, touched: set[Touched], *, through: int) -> None:
        """Add counts to their minute and to every larger window that was built without them."""
        brand, start_ms = minute
        zone = self._zone_of(brand)
        window = window_of(start_ms, Grain.MINUTE, zone)
        main = keys.shard_name(self.shard)
        self.held.add(brand, window, main, counts, limits=self._how.limits, through=through)
        touched.add(Touched(brand, window))
        for grain in self._grains:
            larger = window_of(start_ms, grain, zone)
            if self.rollup.is_built(brand, larger):
                late = keys.late_part(self.shard)
                rows = self.held.add(brand, larger, late, counts, limits=LATE_LIMITS, through=through)
                self.rollup.note_late(brand, larger, rows=rows, now_ms=self._clock.now_ms())
                touched.add(Touched(brand, larger))
            elif grain is not Grain.DAY:
                self.rollup.expect(brand, larger)
        self.rollup.interrupt_parents(brand, [window_of(start_ms, grain, zone) for grain in self._grains])

    def _add_replay(self, replay: Replay, touched: set[Touched], checkpoint: Checkpoint) -> None:
        """Count a set-aside record once, and take its hits out of the line where they waited."""
        done = keys.replayed(replay.brand, replay.line, replay.sequence)
        if self._table.get(done) is not None:
            return
        self._table.put(Put(done, {"hits": replay.hits}))
        lines = checkpoint.lines.setdefault(replay.brand, Lines())
        lines.move(replay.line, -replay.hits)
        lines.move("counted", replay.hits)
        for start_ms, counts in replay.counts.items():
            self._add((replay.brand, start_ms), counts, touched, through=checkpoint.through)

    def _write_aside(self, brand: str, line: str, aside: Aside, *, through: int) -> None:
        item = {
            "records": [[sequence, list(places)] for sequence, places in aside.records],
            "hits": aside.hits,
            "reason": aside.reason,
            "shard": self.shard,
        }
        key = keys.side(brand, line, through, self.shard)
        self._table.put(Put(key, item, expires_at_ms=self._clock.now_ms() + self._how.aside_ms))

    def _commit(self, checkpoint: Checkpoint, touched: Iterable[Touched]) -> None:
        write_journal(self._table, self.shard, checkpoint.number, touched, now_ms=self._clock.now_ms())
        save_checkpoint(self._table, self.shard, checkpoint, replaces=self._number)
        self._number = checkpoint.number

    def _build_a_little(self) -> bool:
        with self._writing():
            done = self.rollup.step(
                passed_ms=self.checkpoint.passed_ms, through=self.checkpoint.through, now_ms=self._clock.now_ms()
            )
            if done:
                self.commit_touched(Touched(brand, window) for brand, window in done)
        return done is not None

    def _next_checkpoint(self, tally: Tally | None, *, is_at_tip: bool, now_ms: int) -> Checkpoint:
        before = self.checkpoint
        after = replace(before, number=before.number + 1, flushed_at_ms=now_ms, lines=dict(before.lines))
        if tally is not None and tally.through:
            after.through = tally.through
            after.arrived_at_ms = max(before.arrived_at_ms, tally.arrived_at_ms)
            for brand, lines in tally.lines.items():
                sums = Lines()
                sums.add(before.lines.get(brand, Lines()))
                sums.add(lines)
                after.lines[brand] = sums
        if tally is not None:
            read_to_ms = now_ms if is_at_tip else after.arrived_at_ms
            after.passed_ms = max(before.passed_ms, read_to_ms - self._how.passed_ms)
        return after

    def _writing(self) -> "_Writing":
        return _Writing(self)

    def recover(self) -> None:
        """Forget what was in hand after a failed write: the store knows better."""
        self.held.clear()
        self.rollup.reload()
        before = self.checkpoint.number
        self.checkpoint, self._number = self._load()
        if self.checkpoint.number != before:
            self._tally = self._new_tally()  # Another worker has been here; what was tallied may be in its counts.

    def _has_passed_a_minute(self, now_ms: int) -> bool:
        return (now_ms - self._how.passed_ms) // MINUTE_MS > self.checkpoint.passed_ms // MINUTE_MS

    def _through_of(self, minute: MinuteKey) -> int:
        brand, start_ms = minute
        window = window_of(start_ms, Grain.MINUTE, self._zone_of(brand))
        return self.held.part(brand, window, keys.shard_name(self.shard)).through or 0

    def _new_tally(self) -> Tally:
        return Tally(self._how.rules, through_of=self._through_of)

    def _load(self) -> tuple[Checkpoint, int | None]:
        stored = load_checkpoint(self._table, self.shard)
        return (Checkpoint(), None) if stored is None else (stored, stored.number)

    def expires_at_ms(self, window: Window) -> int:
        """Return the moment from which nobody needs the window any more."""
        how = self._how
        return expiry(window, retention_ms=how.retention_ms, periods=how.periods, lateness_ms=how.rules.lateness_ms)


class _Writing:
    """One group of writes; if it fails, the worker starts again from what the store holds."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._group = worker._table.together()  # pyright: ignore[reportPrivateUsage] - its other half

    def __enter__(self) -> None:
        self._group.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self._group.__exit__(kind, error, trace)  # pyright: ignore[reportArgumentType]
        finally:
            if error is not None:
                self._worker.recover()
