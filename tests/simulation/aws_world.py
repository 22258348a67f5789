"""The world on the other ground: Kinesis' order, numbers that readers count, objects, and no transaction anywhere.

Two counting sides are at work on the same shards: one that follows the stream, and one that is handed events, some of
them again and some of them from the start. Whatever they write is written by itself, and either may die in between.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from footfall.adapters.aws.kinesis_places import Place, place_from_bytes
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.app import wiring
from footfall.app.counting import Counting, count_rules
from footfall.app.event_counting import EventCounting
from footfall.flow.collect.accept import Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.worker import Worker
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.raw import ArchiveRaw
from footfall.flow.stream.seen_ids import HOUR_MS, KEPT_HOURS
from footfall.flow.stream.shards import shard_of
from footfall.ports.errors import PortError
from footfall.ports.stream import Entry
from tests.simulation.grounds import Flaky, Killed, TroubledBlobs, passing_folder
from tests.simulation.lines import Line, LineStream
from tests.simulation.oracle import Oracle, SentHit, SetAside
from tests.simulation.world import SENDER, Batch, Log, World, screened_entries

MakeKeeping = Callable[[int, LineStream, Flaky, Archive, "AwsWorld"], Keeping]


@dataclass
class HourlyOracle(Oracle):
    """The truth where ids are remembered by whole hours, and each shard decides by itself."""

    _hours: dict[tuple[object, ...], int] = field(default_factory=dict)

    def accept_entry(self, hits: list[SentHit], entry: Entry, *, now_ms: int, place: str) -> None:
        """Take in the hits of one record."""
        claim, brand = entry.claim, entry.group
        if claim is not None:
            key = (entry.shard, claim.key, claim.part)
            if self._is_known(brand, "act", repr((*key, claim.body)), now_ms):
                self.lines[brand]["duplicate"] += len(hits)
                return
            if self._is_known(brand, "key", repr(key), now_ms):
                self.lines[brand]["dead"] += len(hits)
                waiting = [SetAside(hit.key, now_ms if hit.at_ms is None else hit.at_ms, hit.visitor) for hit in hits]
                self.waiting[brand, "dead", place].extend(waiting)
                return
        self.accept(hits, now_ms=now_ms, key="", places={(brand, entry.shard): place})

    def _is_known(self, brand: str, kind: str, text: str, now_ms: int) -> bool:
        hour = now_ms // HOUR_MS
        first = self._hours.get((brand, kind, text))
        if first is not None and first >= hour - KEPT_HOURS:
            return True
        self._hours[brand, kind, text] = hour
        return False


@dataclass
class AwsWorld(World):
    """Everything there is, from one seed, without transactions."""

    make_keeping: MakeKeeping | None = None
    keyed: list[Batch] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.forgets_marks = True  # There are none here; each stretch of a log is put once.
        self.line = Line(shards=self.shards, clock=self.clock, chance=self.chance)
        self.stream = LineStream(self.line)  # pyright: ignore[reportAttributeAccessIssue,reportIncompatibleVariableOverride]
        self.table = Flaky(self.store, self.chance, rate=0.0, is_ordered=True)
        self.archive = Archive(TroubledBlobs(FileBlobs(passing_folder(self)), self.table))
        self.raw = ArchiveRaw(self.archive)
        self.oracle = HourlyOracle(self.brands, self.shards)
        self.counting = self._counting()
        self.handed = self._handed()

    def _append(self, batch: Batch) -> None:
        self._put(batch, self._entries(batch))

    def send_in_part(self) -> None:
        """Have a sender send a batch of which only a part is stored; it does not hear of it, and sends it again."""
        batch = replace(self._new_batch(), key=self.chance.randbytes(4).hex())
        self._put(batch, [entry for entry in self._entries(batch) if self.chance.random() < 0.5])
        self.unheard.append(batch)

    def reuse_key(self) -> None:
        """Have a sender use a key again for other hits, which it will not be told of."""
        if self.keyed:
            batch = replace(self._new_batch(), key=self.chance.choice(self.keyed).key)
            self._put(batch, self._entries(batch))

    def import_something(self) -> None:
        """Have a log's hits put, at their own times; what is put is put once."""
        log = Log(self.chance.choice(("abc", "xyz")), [])
        log.stretches.append(tuple(self._old_hits(log.brand)))
        self._take(self.chance.randbytes(16), log, 0)

    def deliver(self) -> None:
        """Hand over some of the stream as an event, from where the store stands or from anywhere before."""
        shard = self.chance.randrange(self.shards)
        raws = self.line.raws[shard]
        stored = load_checkpoint(self.store, shard)
        place = place_from_bytes(stored.place) if stored is not None else Place()
        counted = sum(raw.sequence <= place.kinesis_sequence for raw in raws)
        begin = self.chance.choice((counted, self.chance.randint(0, counted), 0))
        event = raws[begin : self.chance.randint(counted, len(raws))]
        with self._trouble():
            self.handed.count(event)
            if self.chance.random() < 0.5:
                steps = iter(range(self.chance.randint(0, 20)))
                self.handed.build(lambda: next(steps, None) is None)

    def count_a_little(self) -> None:
        """Let one of the counting sides take some steps, in the middle of which it may be killed."""
        if self.chance.random() < 0.4:
            self.deliver()
        else:
            super().count_a_little()

    def _trouble(self) -> "_Trouble":
        return _Trouble(self)

    def _entries(self, batch: Batch) -> list[Entry]:
        parsed = parse_hits(batch.body, lines=batch.is_lines, hits_max=1_000)
        is_batch = len(batch.hits) > 1
        request = Request(self.clock.now_ms(), SENDER, is_batch=is_batch, idempotency_key=batch.key, body=batch.body)
        return screened_entries(self.acceptance.entries(parsed, request), batch.hits, shards=self.shards)

    def _put(self, batch: Batch, entries: list[Entry]) -> None:
        if batch.key:
            self.keyed.append(batch)
        for entry, place in zip(entries, self.line.append(entries), strict=True):
            hits = [hit for hit in batch.hits if hit.brand == entry.group and self._shard(hit) == entry.shard]
            assert len(hits) == entry.weight
            self.oracle.accept_entry(hits, entry, now_ms=self.clock.now_ms(), place=place)  # pyright: ignore[reportAttributeAccessIssue]

    def _shard(self, hit: SentHit) -> int:
        return shard_of(hit.brand, hit.asset, shards=self.shards)

    def _counting(self) -> Counting:
        if not hasattr(self, "archive"):
            return super()._counting()
        stream = LineStream(self.line)
        counting = Counting(self.settings, stream, self.table, clock=self.clock, archive=self.archive)
        if self.make_keeping is not None:
            counting.workers[:] = [self._worker(shard, stream) for shard in range(self.shards)]
        return counting

    def _worker(self, shard: int, stream: LineStream) -> Worker:
        assert self.make_keeping is not None
        how, zone_of = count_rules(self.settings), wiring.zone_of(self.settings)
        keeping = self.make_keeping(shard, stream, self.table, self.archive, self)
        return Worker(shard, stream, self.table, clock=self.clock, how=how, zone_of=zone_of, keeping=keeping)

    def _handed(self) -> EventCounting:
        zone_of = wiring.zone_of(self.settings)
        return EventCounting(self.settings, self.table, self.archive, clock=self.clock, zone_of=zone_of)


class _Trouble:
    """Trouble of the store while the handed side is at work; when it is killed, another begins with nothing."""

    def __init__(self, world: AwsWorld) -> None:
        self._world = world

    def __enter__(self) -> None:
        world = self._world
        world.table.rate = world.trouble_rate
        if world.chance.random() < 0.5:
            world.table.calls_left = world.chance.randint(1, 150)

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        world = self._world
        world.table.calls_left, world.table.rate = None, 0.0
        if isinstance(error, Killed):
            world.handed = world._handed()
            return True
        return isinstance(error, PortError)
