"""Counting where the stream comes in events: each is taken whole, by one warm worker for each shard that it names."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from footfall.adapters.aws.kinesis_fed import FedStream, MayEnter
from footfall.adapters.aws.kinesis_places import KeepUnreadable, Place, RawRecord, bytes_from_place
from footfall.app.counting import count_rules
from footfall.app.logs import fields
from footfall.app.settings import Settings
from footfall.app.verdict_wiring import verdict_store
from footfall.flow.count.count_rules import CountRules
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.verdicts_applied import KnownVerdicts
from footfall.flow.count.worker import Worker
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoint
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.seen_ids import ID_BYTES, IDS_MAX
from footfall.ports.errors import PortError
from footfall.ports.stream import PlacedStream
from footfall.ports.table import Table
from footfall.values.clock import Clock

SHARD_BYTES_PER_S = 1_048_576  # What one Kinesis shard takes,
SHARD_RECORDS_PER_S = 1_000  # of each.
# An event that is nearly as large did not wait for its window to end: Lambda closes it at 10,000 records, or at 6 MB of
# JSON, in which the data is base64 and each record brings some 600 bytes of its own.
FULL_RECORDS, FULL_PAYLOAD_BYTES, PAYLOAD_BYTES_EACH = 9_000, 5_000_000, 600
IDS_SHARE = 4  # Of the function's memory all shards' ids together may take so much: a quarter.

_START = bytes_from_place(Place())

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Counted:
    """What became of an event."""

    left: int | None = None  # Kinesis' number of the first record that is not counted; None: all are
    strangers: int = 0  # records that others put into the stream, and such of ours as nobody can read
    dead: int = 0  # hits that went to dead letters
    failures: list[str] = field(default_factory=list[str])


class ShardWorkers:
    """The workers of shards, made when they are first asked for and kept while the process lives."""

    def __init__(  # noqa: PLR0913 - the ground, the clock and what the function has room for all come from outside
        self,
        settings: Settings,
        stream: PlacedStream,
        table: Table,
        archive: Archive,
        *,
        clock: Clock,
        zone_of: Callable[[str], str],
        ids_max: int = IDS_MAX,
    ) -> None:
        self._ids_max = ids_max
        self._how = count_rules(settings)
        self._stream = stream
        self._table = table
        self._archive = archive
        self._clock = clock
        self._zone_of = zone_of
        self.verdicts = KnownVerdicts(verdict_store(settings, clock))
        self._workers: dict[int, Worker] = {}

    def worker(self, shard: int) -> Worker:
        """Return the shard's worker, standing where the store says that the shard is.

        Another process may have counted the shard since this one last did. The numbers of records follow from the
        place, so nothing may be read before that is known.
        """
        worker = self._workers.get(shard)
        if worker is None:
            keeping = Keeping(shard, self._stream, self._table, self._archive, clock=self._clock, ids_max=self._ids_max)
            worker = self._workers[shard] = Worker(
                shard, self._stream, self._table, clock=self._clock, how=self._how, zone_of=self._zone_of,
                keeping=keeping, verdicts=self.verdicts,
            )  # fmt: skip
            return worker
        stored = load_checkpoint(self._table, shard) or Checkpoint()
        if stored.number != worker.checkpoint.number:
            worker.doubt()
        worker.settle_doubts()
        worker.learn_verdicts()  # After the checkpoint was read: whoever counts again by newer ones moves it.
        if not worker.checkpoint.place:
            # What was read and never written has no place; a stream goes on from where it was read.
            self._stream.resume(shard, _START)
        return worker

    @property
    def how(self) -> CountRules:
        """The rules that they count by."""
        return self._how

    def made(self) -> list[Worker]:
        """Return the workers that there are."""
        return list(self._workers.values())


class EventCounting:
    """Counts events; `may_enter` tells whether a Kinesis shard's parents are counted to their end."""

    def __init__(  # noqa: PLR0913 - the ground, the clock and what the function has room for all come from outside
        self,
        settings: Settings,
        table: Table,
        archive: Archive,
        *,
        clock: Clock,
        zone_of: Callable[[str], str],
        may_enter: MayEnter | None = None,
        ids_max: int = IDS_MAX,
    ) -> None:
        self._stream = FedStream(shards=settings.stream_shards, may_enter=may_enter, keep_unreadable=keeper_in(archive))
        self._workers = ShardWorkers(
            settings, self._stream, table, archive, clock=clock, zone_of=zone_of, ids_max=ids_max
        )
        self._fed: list[int] = []

    def count(self, raws: Sequence[RawRecord]) -> Counted:
        """Count what is new in an event; what the store does not take is left for its next delivery."""
        counted = Counted(strangers=-self._stream.strangers)
        self._fed = self._stream.feed(raws)
        lefts: list[int | None] = []
        for shard in self._fed:
            worker: Worker | None = None
            try:
                worker = self._workers.worker(shard)
                before = _dead(worker)
                worker.drain()
                counted.dead += _dead(worker) - before
            except PortError as error:
                _log.warning("shard %d waits, nothing is lost: %s", shard, error)
                counted.failures.append(f"shard {shard}: {error}")
                # More of it may be in than is known here; whoever reads it again finds out.
                lefts.append(self._stream.left(shard, worker.checkpoint.place if worker is not None else b""))
        counted.strangers += self._stream.strangers
        counted.left = min((left for left in lefts if left is not None), default=None)
        return counted

    def build(self, until: Callable[[], bool]) -> None:
        """Build longer windows of the event's shards while there is time."""
        for shard in self._fed:
            try:
                self._workers.worker(shard).build(until)
            except PortError as error:
                # What was counted is safe, and the next event or the maintenance builds on.
                _log.warning("longer windows of shard %d are built later: %s", shard, error)


def hottest_percent(raws: Sequence[RawRecord], *, freshness_s: int, took_ms: int) -> float:
    """Return how much of what one Kinesis shard and its one counter can take an event's shard has used."""
    if not raws:
        return 0.0
    size = sum(len(raw.data) + len(raw.partition_key) for raw in raws)
    moments = [raw.arrived_at_ms for raw in raws]
    span_s = max((max(moments) - min(moments)) / 1_000, 1.0)
    payload = sum(len(raw.data) * 4 // 3 + PAYLOAD_BYTES_EACH for raw in raws)
    if len(raws) < FULL_RECORDS and payload < FULL_PAYLOAD_BYTES:
        span_s = max(span_s, freshness_s)  # It waited so long for more.
    rates = (size / SHARD_BYTES_PER_S, len(raws) / SHARD_RECORDS_PER_S, took_ms / 1_000)
    return round(100 * max(rates) / span_s, 1)


def ids_max_within(memory_mb: int | None, *, shards: int) -> int:
    """Return how many ids each shard may hold in memory, where one function may come to hold all shards' ids."""
    if memory_mb is None:
        return IDS_MAX
    return min(IDS_MAX, memory_mb * 1_048_576 // IDS_SHARE // ID_BYTES // shards)


def keeper_in(archive: Archive) -> KeepUnreadable:
    """Return the function that keeps a record which nobody can read, so that it can be looked at and put again."""

    def keep(raw: RawRecord) -> None:
        name = archive.keep_unreadable(raw.kinesis_shard, raw.sequence, raw.data)
        _log.error(
            "a record under %s cannot be read and is kept as it is",
            raw.partition_key,
            extra=fields(kinesis_shard=raw.kinesis_shard, sequence=str(raw.sequence), kept=name),
        )

    return keep


def _dead(worker: Worker) -> int:
    return sum(lines.dead for lines in worker.checkpoint.lines.values())
