"""The counting process: one worker per shard, the only writer of the store."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from footfall.accounts.verdict_store import VerdictStore
from footfall.app import child, wiring
from footfall.app.audience_erasing import ErasingWatched
from footfall.app.digesting import DigestsOfDirectory
from footfall.app.link import Link, Message
from footfall.app.row_layout import open_rows
from footfall.app.settings import DAY_MS, HOUR_MS, Settings
from footfall.app.verdict_wiring import verdict_store
from footfall.flow.count.counter_recount import CounterRecount, CountersDone
from footfall.flow.count.finishing import Finisher
from footfall.flow.count.forgetting import Forgetting
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.noted_reasons import NotedReasons
from footfall.flow.count.recount import Asked, Done, Recount
from footfall.flow.count.tally import Rules
from footfall.flow.count.thrift import thrifty
from footfall.flow.count.verdict_recounts import VerdictRecounts
from footfall.flow.count.verdicts_applied import KnownVerdicts
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.store.merging import Limits
from footfall.flow.store.retention import note_retention
from footfall.flow.store.summaries import Summaries
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.raw import ArchiveRaw, RawHits, StreamRaw
from footfall.ports.errors import PortError
from footfall.ports.stream import PlacedStream, Stream
from footfall.ports.table import Table
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import FootfallError
from footfall.values.window import Grain

IDLE_S = 0.02  # How long a hit may lie in the stream unseen while nothing is going on.
BUSY_MS = 2_000  # Whoever sends a log pauses for less between two bodies.
FAILED_S = 0.5  # How long to wait when the store does not take writes.
CHORES_EVERY_MS = 2_000
EXPIRED_PER_CHORE = 500
NEARLY_DONE = 0.99
LEARN_EVERY_MS = 1_000  # How long a verdict may be unknown to whoever counts.

_log = logging.getLogger(__name__)


def count_rules(settings: Settings) -> CountRules:
    """Return the rules of counting that the settings make."""
    how = CountRules(
        rules=Rules(lateness_ms=settings.count_lateness_hours * HOUR_MS, future_ms=settings.count_future_ms),
        limits=Limits(),
        flush_ms=settings.count_flush_ms,
        passed_ms=settings.count_passed_ms,
        fold_ms=settings.count_fold_ms,
        busy_ms=BUSY_MS,
        aside_ms=settings.stream_keep_days * DAY_MS,
        periods=tuple(settings.periods.values()),
        retention_ms=wiring.retention_ms(settings),
        uniques=settings.uniques,
    )
    return thrifty(how, freshness_ms=settings.aws_freshness_s * 1_000) if settings.ground == "aws" else how


class NotPlaced(FootfallError):
    """A stream that keeps raw hits itself was given an archive, or one that does not was given none."""


def placed(stream: Stream) -> PlacedStream:
    """Return the stream as one whose readers go on from a place, or refuse another."""
    if not isinstance(stream, PlacedStream):
        raise NotPlaced(f"{type(stream).__name__} keeps raw hits itself and needs no archive: leave it out")
    return stream


class ExpiringTable(Table, Protocol):
    """A table that has to be told to give back the space of what has expired."""

    def expire(self, limit: int) -> int:
        """Remove up to so many expired items and return how many there were."""
        ...


class Chore(Protocol):
    """Something that is done beside counting for the brands that were counted, a little at a time."""

    def step(self, groups: Callable[[], Iterable[str]], /) -> bool:
        """Do some of it; return whether there may be more to do at once."""
        ...


class Counting:
    """All shards' workers and what they do besides, in one thread."""

    def __init__(
        self,
        settings: Settings,
        stream: Stream,
        table: ExpiringTable,
        *,
        clock: Clock,
        archive: Archive | None = None,
        digests: Chore | None = None,
    ) -> None:
        """Make the workers; with an archive the stream is a PlacedStream and only transport."""
        how = count_rules(settings)
        zone_of = wiring.zone_of(settings, clock)
        summaries = Summaries(table, clock)
        self._table, self._clock, self._zone_of, self._chores_at_ms = table, clock, zone_of, 0
        self._recount: Iterator[float | Done] | None = None
        self._digests, self._erasing = digests, ErasingWatched(settings, table, clock)
        self._verdicts, self._learned_at_ms = KnownVerdicts(verdict_store(settings, clock)), 0
        self._labels, self._rows = wiring.present_labels(settings, clock), open_rows(settings, table, clock)
        self._forgetting = Forgetting(table, clock=clock, zone_of=zone_of, brands=self._brands_counted)
        keep_ms = wiring.retention_ms(settings)[Grain.DAY]
        self._reasons = NotedReasons(table, clock=clock, zone_of=zone_of, keep_ms=keep_ms)
        self.workers = [
            Worker(
                *(shard, stream, table), clock=clock, how=how, zone_of=zone_of, keeping=keeping, verdicts=self._verdicts
            )
            for shard, keeping in enumerate(_keepings(stream, table, archive, clock))
        ]
        keep_rows, late_ms = settings.store_keep_rows, how.rules.lateness_ms
        self._finisher = Finisher(
            self.workers, table, summaries, keep_rows=keep_rows, lateness_ms=late_ms, zone_of=zone_of
        )
        raw = StreamRaw(stream) if archive is None else ArchiveRaw(archive)
        self._counter_recounter = CounterRecount(self.workers, raw, table)
        self._recounter = Recount(
            self.workers, raw, table, summaries,
            rules=how.rules, limits=how.limits, keep_rows=keep_rows, zone_of=zone_of, clock=clock,
        )  # fmt: skip
        self._past = self._past_under_verdicts(raw, verdict_store(settings, clock), ahead_ms=how.rules.future_ms)
        self._verdicts.refresh()

    def step(self) -> bool:
        """Do what is due in every shard; return whether there may be more to do at once."""
        self._learn_verdicts()
        is_busy = False
        for worker in self.workers:
            is_busy = worker.step() or is_busy
        if self._recount is None:
            is_busy = self._past.step() or is_busy
        return self._do_chores() or is_busy

    def begin_recount(self, asked: Asked) -> None:
        """Take up a re-count; its steps go on beside the counting."""
        self._past.give_way()
        # Labels that are looked up anew: what was put since the last re-count is what this one is for.
        self._recount = self._recounted(asked)

    def recount_step(self) -> float | Done | None:
        """Do some of the re-count in hand; return how far it is, or what it came to, or None when there is none."""
        if self._recount is None:
            return None
        try:
            progress = next(self._recount)
        except BaseException:
            self._recount = None
            raise
        if isinstance(progress, Done):
            self._recount = None
        return progress

    def drain(self) -> None:
        """Count everything that the stream holds."""
        for worker in self.workers:
            worker.drain()

    def _past_under_verdicts(
        self, raw: RawHits, changes: Callable[[], VerdictStore | None], *, ahead_ms: int
    ) -> VerdictRecounts:
        return VerdictRecounts(
            self._table,
            self._verdicts,
            changes,
            raw,
            recounted=lambda asked: self._recounter.run(asked, self._labels()),
            zone_of=self._zone_of,
            clock=self._clock,
            ahead_ms=ahead_ms,
        )

    def _learn_verdicts(self) -> None:
        """Count by verdicts as they are now; what was read before is written under those that it was read by."""
        now_ms = self._clock.now_ms()
        if 0 <= now_ms - self._learned_at_ms < LEARN_EVERY_MS:
            return
        self._learned_at_ms = now_ms

        def write_tallied() -> None:
            for worker in self.workers:
                worker.flush_tallied()

        self._verdicts.refresh(write_tallied)

    def _recounted(self, asked: Asked) -> Iterator[float | Done]:
        """Yield how far a re-count is: windows first, which may be refused, then named counters, which take little."""
        for progress in self._recounter.run(asked, self._labels()):
            if not isinstance(progress, Done):
                yield progress
                continue
            zone = self._zone_of(asked.brand)
            for part in self._counter_recounter.run(asked.brand, from_ms=asked.from_ms, zone=zone):
                if isinstance(part, CountersDone):
                    progress.counters, progress.counters_changed = part.counters, part.changed
                else:
                    yield NEARLY_DONE
            yield progress

    def _do_chores(self) -> bool:
        now_ms = self._clock.now_ms()
        if 0 <= now_ms - self._chores_at_ms < CHORES_EVERY_MS:
            return False
        self._chores_at_ms = now_ms  # Whatever comes of it: a chore that fails must not keep counting waiting.
        # A re-count needs the hours uncut until it has made their days of them.
        if self._recount is None and not self._past.is_running and self._finisher.step():
            self._chores_at_ms = 0
            return True
        if self._rows is not None and self._rows.step():
            self._chores_at_ms = 0
            return True
        self._reasons.step({worker.shard: worker.checkpoint for worker in self.workers})
        self._forgetting.step()
        self._table.expire(EXPIRED_PER_CHORE)
        self._erasing.step()
        if self._digests is not None and self._digests.step(self._brands_counted):
            self._chores_at_ms = 0
            return True
        return False

    def _brands_counted(self) -> set[str]:
        return {brand for worker in self.workers for brand in worker.checkpoint.lines}


def _keepings(stream: Stream, table: Table, archive: Archive | None, clock: Clock) -> list[Keeping | None]:
    """Return what keeps the raw hits of each shard; nothing where the stream does."""
    return [
        None if archive is None else Keeping(shard, placed(stream), table, archive, clock=clock)
        for shard in range(stream.shards)
    ]


def recounted(
    counting: Counting, brand: str, from_ms: int, to_ms: int, *, on_progress: Callable[[float], None]
) -> Mapping[str, int]:
    """Count a range again in one go and return what it came to."""
    counting.begin_recount(Asked(brand, from_ms, to_ms))
    while True:
        progress = counting.recount_step()
        if isinstance(progress, Done):
            return _report(progress)
        if progress is not None:
            on_progress(progress)


def serve_link(counting: Counting, link: Link) -> None:
    """Count until the parent says stop or is gone."""
    is_busy = True
    while True:
        messages = link.receive(timeout_s=0 if is_busy else IDLE_S)
        if messages is None:
            return
        for message in messages:
            if message[0] == "stop":
                _stop(counting, link)
                return
            _begin(counting, link, message)
        try:
            is_busy = counting.step()
        except PortError as error:
            _log.warning("counting waits, nothing is lost: %s", error)
            time.sleep(FAILED_S)
        is_busy = _go_on(counting, link) or is_busy


def _stop(counting: Counting, link: Link) -> None:
    try:
        counting.drain()
    except PortError as error:
        _log.warning("what the stream holds is counted at the next start: %s", error)
    link.send(["stopped"])


def _begin(counting: Counting, link: Link, message: Message) -> None:
    match message:
        case ["recount", str(brand), int(from_ms), int(to_ms)]:
            counting.begin_recount(Asked(brand, from_ms, to_ms))
        case _:
            link.send(["failed", f"the counting process does not know {message[0]!r}"])


def _go_on(counting: Counting, link: Link) -> bool:
    try:
        progress = counting.recount_step()
    except FootfallError as error:
        link.send(["failed", str(error)])
        return False
    if isinstance(progress, Done):
        link.send(["done", _report(progress)])
    elif progress is not None:
        link.send(["progress", progress])
    return progress is not None


def _report(done: Done) -> Mapping[str, int]:
    figures = {"windows": done.windows, "changed": done.changed, "hits": done.hits}
    figures |= {"catalogue": done.catalogue} if done.catalogue else {}
    figures |= {"version of verdicts": done.verdicts} if done.verdicts else {}
    if done.counters:
        figures |= {"counters": done.counters, "counters changed": done.counters_changed}
    return figures | {"from_ms": done.from_ms, "to_ms": done.to_ms}


def main() -> None:
    """Run the process."""
    settings, link = child.begin("count")
    clock = SystemClock()
    table = wiring.open_store(settings, clock)
    note_retention(table, wiring.kept_ms(settings), now_ms=clock.now_ms())
    stream = wiring.open_stream(settings, clock, read_only=True)
    link.send(["ready"])
    digests = DigestsOfDirectory(settings, table, clock)
    serve_link(Counting(settings, stream, table, clock=clock, digests=digests), link)
