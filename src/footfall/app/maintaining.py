"""What no event brings about, on AWS: time passes for shards without hits, windows are finished, old things go.

It runs each minute, beside counting. It takes up only shards that counting has not touched for a while, counts nothing
itself, and every write is on a condition; where it meets counting after all, one of the two reads on and tries again.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footfall.app import aws_wiring, wiring
from footfall.app.audience_erasing import ErasingWatched
from footfall.app.event_counting import ShardWorkers, ids_max_within, keeper_in
from footfall.app.past_verdicts import PastVerdicts
from footfall.app.releases import Releasing
from footfall.app.row_layout import open_rows
from footfall.app.settings import DAY_MS, HOUR_MS, MINUTE_MS, Settings
from footfall.flow.count.finishing import Finisher
from footfall.flow.count.forgetting import Forgetting
from footfall.flow.count.noted_reasons import NotedReasons
from footfall.flow.count.ticking import ticks_due
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, checkpoint_from_item
from footfall.flow.store.summaries import Summaries
from footfall.flow.stream.archive import Archive
from footfall.ports.errors import PortError
from footfall.ports.stream import PlacedStream
from footfall.ports.table import everything
from footfall.values.clock import Clock
from footfall.values.groups import is_beside
from footfall.values.window import Grain

if TYPE_CHECKING:  # Whoever does nothing but pass time needs none of what answers are made of.
    from footfall.app.alerting_on_aws import AlertsOnAws
    from footfall.app.archive_watching_on_aws import WatchesOnAws
    from footfall.app.digesting import Digesting

FINISH_EVERY_MS = 10 * MINUTE_MS  # A window is final a day after its end; ten minutes more or less are nothing.
STALE_MS = 30_000  # Beside the freshness: how long an event may take until its shard is taken for an idle one.

Until = Callable[[], bool]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Maintained:
    """What a round came to."""

    last_hit_ms: dict[str, int] = field(default_factory=dict[str, int])  # of each brand that was ever heard of
    dead: int = 0  # hits that are set aside and wait to be replayed
    passed: int = 0  # shards for which time has passed
    waiting: int = 0  # shards that have something to be counted, and nobody who does
    finished: int = 0
    rows: int = 0  # windows that were written as rows
    forgotten: int = 0  # objects of raw hits
    released: int = 0  # entries with hits whose labels are known by now
    told: int = 0  # events of alerts
    recounted: int = 0  # steps of counting the past again under changed verdicts
    failures: list[str] = field(default_factory=list[str])


class Maintenance:
    """All the chores, with what they stand on."""

    def __init__(
        self,
        settings: Settings,
        stream: PlacedStream,
        archive: Archive,
        *,
        clock: Clock,
        memory_mb: int | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._stream = stream
        self._archive = archive
        self.table = wiring.open_store(settings, clock)
        self._accounts = wiring.open_accounts(settings, clock, read_only=True)
        self._salts = wiring.salts(wiring.open_salt_table(settings, clock))
        self._zone_of = wiring.zone_of(settings, clock)
        ids_max = ids_max_within(memory_mb, shards=settings.stream_shards)
        self._workers = ShardWorkers(
            settings, stream, self.table, archive, clock=clock, zone_of=self._zone_of, ids_max=ids_max
        )
        self._past = PastVerdicts(settings, self._workers, self.table, archive, clock=clock, zone_of=self._zone_of)
        self._releasing = Releasing(settings, stream, self.table, archive, clock=clock)
        self._rows = open_rows(settings, self.table, clock)
        self._forgetting = Forgetting(self.table, clock=clock, zone_of=self._zone_of, brands=self._brands_counted)
        self._erasing = ErasingWatched(settings, self.table, clock)
        keep_ms = wiring.retention_ms(settings)[Grain.DAY]
        self._reasons = NotedReasons(self.table, clock=clock, zone_of=self._zone_of, keep_ms=keep_ms)
        self._digesting: Digesting | None = None
        self._alerts: AlertsOnAws | None = None
        self._watches: WatchesOnAws | None = None
        self._finished_at_ms = self._cleared_at_ms = 0

    def run(self, until: Until) -> Maintained:
        """Do what is due, as long as there is time; what fails is told, and the rest is done all the same."""
        done = Maintained()
        checkpoints = self._checkpoints()
        holding: set[str] = set()
        for checkpoint in checkpoints.values():
            for brand, lines in checkpoint.lines.items():
                done.dead += lines.dead
                done.last_hit_ms[brand] = max(done.last_hit_ms.get(brand, 0), lines.last_hit_ms)
                if lines.unlabelled:
                    holding.add(brand)
        brands = sorted({*done.last_hit_ms, *self._settings.brands, *self._accounts.register.all()})
        for shard in self._idle(checkpoints):
            self._attempt(done, f"time of shard {shard}", lambda shard=shard: self._pass(done, shard, until))
        self._attempt(done, "time of open sessions", lambda: self._tick(checkpoints))
        self._attempt(done, "alerts", lambda: self._tell_alerts(done, until))
        self._attempt(done, "watches", lambda: self._take_turns(until))
        self._attempt(done, "noting reasons", lambda: self._note_reasons(checkpoints))
        self._attempt(done, "finishing windows", lambda: self._finish(done, until))
        self._attempt(done, "the past under changed verdicts", lambda: self._put_right(done, until))
        self._attempt(done, "writing digests", lambda: self._write_digests(set(done.last_hit_ms), until))
        self._attempt(done, "writing rows", lambda: self._write_rows(done, until))
        self._attempt(done, "releasing held hits", lambda: self._release(done, sorted(holding), until))
        self._attempt(done, "forgetting", lambda: self._clear(done, brands, until))
        self._attempt(done, "forgetting old windows", lambda: self._forget_windows(until))
        self._attempt(done, "taking erased names out of the watch log", lambda: self._erase_watched(until))
        return done

    def _attempt(self, done: Maintained, what: str, chore: Callable[[], None]) -> None:
        try:
            chore()
        except PortError as error:
            _log.warning("%s waits for the next round: %s", what, error)
            done.failures.append(f"{what}: {error}")

    def _checkpoints(self) -> Mapping[int, Checkpoint]:
        found = everything(self.table, keys.SHARDS)
        return {keys.shard_from_name(one.key.sort): checkpoint_from_item(one.item) for one in found}

    def _idle(self, checkpoints: Mapping[int, Checkpoint]) -> list[int]:
        """Return the shards that no event has come for; those that counting works on are left to it."""
        settings = self._settings
        late_ms = settings.count_passed_ms + settings.aws_freshness_s * 1_000 + STALE_MS
        before_ms = self._clock.now_ms() - late_ms
        shards = range(settings.stream_shards)
        return [shard for shard in shards if checkpoints.get(shard, Checkpoint()).passed_ms < before_ms]

    def _pass(self, done: Maintained, shard: int, until: Until) -> None:
        """Let time pass for a shard, and build what has ended with it."""
        if until():
            return
        worker = self._workers.worker(shard)
        if worker.pass_idle():
            done.passed += 1
            worker.build(until)
        else:
            done.waiting += 1

    def _tick(self, checkpoints: Mapping[int, Checkpoint]) -> None:
        """Let time pass for players' sessions that fell silent: they are over some time later."""
        if ticks := ticks_due(self.table, checkpoints, now_ms=self._clock.now_ms()):
            self._stream.append(ticks)

    def _note_reasons(self, checkpoints: Mapping[int, Checkpoint]) -> None:
        """Note the reasons of the day before, once every shard that there is has passed its end."""
        if len(checkpoints) == self._settings.stream_shards:
            self._reasons.step(checkpoints)

    def _tell_alerts(self, done: Maintained, until: Until) -> None:
        if self._alerts is None:
            from footfall.app.alerting_on_aws import AlertsOnAws

            self._alerts = AlertsOnAws(self._settings, self.table, self._clock)
        done.told += self._alerts.run(until)

    def _take_turns(self, until: Until) -> None:
        if not self._settings.aws_archive_table:
            return  # Nothing is archived here.
        if self._watches is None:
            from footfall.app.archive_opening import open_archive
            from footfall.app.archive_watching_on_aws import WatchesOnAws

            archive = open_archive(self._settings, self._clock).archive
            self._watches = WatchesOnAws(self._settings, self.table, archive, self._clock)
        self._watches.run(until)

    def _write_digests(self, brands: set[str], until: Until) -> None:
        if self._digesting is None:
            from footfall.app.digesting import open_digesting

            self._digesting = open_digesting(self._settings, self.table, self._clock)
        while not until() and self._digesting.step(lambda: brands):
            pass

    def _finish(self, done: Maintained, until: Until) -> None:
        now_ms = self._clock.now_ms()
        if now_ms - self._finished_at_ms < FINISH_EVERY_MS or until():
            return
        workers = [self._workers.worker(shard) for shard in range(self._settings.stream_shards)]
        finisher = Finisher(
            workers,
            self.table,
            Summaries(self.table, self._clock),
            keep_rows=self._settings.store_keep_rows,
            lateness_ms=self._settings.count_lateness_hours * HOUR_MS,
            zone_of=self._zone_of,
        )
        while not until():
            if not finisher.step():
                self._finished_at_ms = now_ms
                return
            done.finished += 1

    def _put_right(self, done: Maintained, until: Until) -> None:
        done.recounted += self._past.run(until)

    def _write_rows(self, done: Maintained, until: Until) -> None:
        while self._rows is not None and not until() and self._rows.step():
            done.rows += 1

    def _release(self, done: Maintained, brands: Iterable[str], until: Until) -> None:
        for brand in brands:
            if until():
                return
            done.released += self._releasing.release(brand)

    def _forget_windows(self, until: Until) -> None:
        """Let go of windows that are kept for less time than they were."""
        while not until() and self._forgetting.step():
            pass

    def _erase_watched(self, until: Until) -> None:
        while not until() and self._erasing.step():
            pass

    def _brands_counted(self) -> set[str]:
        return {brand for checkpoint in self._checkpoints().values() for brand in checkpoint.lines}

    def _clear(self, done: Maintained, brands: Iterable[str], until: Until) -> None:
        """Remove raw hits and salts whose time is over; once an hour, since both go by the hour."""
        now_ms = self._clock.now_ms()
        if now_ms - self._cleared_at_ms < HOUR_MS:
            return
        before_ms = now_ms - self._settings.stream_keep_days * DAY_MS
        for brand in brands:
            if until():
                return
            if not is_beside(brand):
                self._salts.destroy_ended(brand, self._zone_of(brand), now_ms=now_ms)
            done.forgotten += self._archive.forget(brand, before_ms=before_ms)
        self._cleared_at_ms = now_ms


def open_maintenance(settings: Settings, clock: Clock, *, memory_mb: int | None = None) -> Maintenance:
    """Open everything that maintenance stands on."""
    archive = aws_wiring.open_archive(settings, clock)
    stream = aws_wiring.open_stream(settings, clock, keep_unreadable=keeper_in(archive))
    return Maintenance(settings, stream, archive, clock=clock, memory_mb=memory_mb)
