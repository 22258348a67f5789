"""Counting on Kinesis and DynamoDB as they are: killed, overtaken, read again from the start, and divided meanwhile."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from footfall.adapters.aws.kinesis_fed import FedStream
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Lines, load_checkpoint
from footfall.flow.store.columns import total_hits
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summaries
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.errors import Changed, Unavailable
from footfall.ports.stream import Entry, PlacedStream
from footfall.ports.table import Delete, Table
from footfall.values.clock import SetClock
from footfall.values.window import MINUTE_MS, Grain, window_of
from tests.adapters.aws.test_kinesis_resharding import open_shards
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.kinesis import KinesisEngine, require_active
from tests.flow.count.aws_stage import id_of
from tests.flow.count.stage import NOON_MS, key_of
from tests.simulation.grounds import Killed, KilledTable, TroubledBlobs, TroubledTable


@dataclass
class Engines:
    """One of our shards on real engines, and a clock of ours."""

    kinesis: KinesisEngine
    client: Any
    name: str
    table: Table
    blobs: FileBlobs
    clock: SetClock
    sent: int = 0

    def stream(self) -> KinesisStream:
        return KinesisStream(self.client, self.name, shards=1, clock=self.clock, chance=Random(self.sent), poll_ms=0)

    def worker(self, table: TroubledTable | None = None, stream: PlacedStream | None = None) -> Worker:
        table = table or TroubledTable(self.table, is_ordered=True)  # pyright: ignore[reportArgumentType]
        stream = stream or self.stream()
        keeping = Keeping(0, stream, table, Archive(TroubledBlobs(self.blobs, table)), clock=self.clock)
        how = CountRules()
        return Worker(0, stream, table, clock=self.clock, how=how, zone_of=lambda _: "UTC", keeping=keeping)

    def send(self, *ids: str) -> None:
        """Append a record of hits with ids."""
        self.sent += 1
        now_ms = self.clock.now_ms()
        pack = Pack(VERSION, RULES, now_ms, [key_of(id_) for id_ in ids])
        named = tuple(enumerate(id_of(id_) for id_ in ids))
        self.stream().append([Entry(0, "abc", len(ids), record_from_pack(pack), now_ms, ids=named)])

    def lines(self) -> Lines:
        checkpoint = load_checkpoint(self.table, 0)
        return Lines() if checkpoint is None else checkpoint.lines.get("abc", Lines())

    def hits(self, grain: Grain = Grain.MINUTE) -> int:
        """Return how many hits readers see in the first window."""
        live = Summaries(self.table, self.clock).live("abc", window_of(NOON_MS, grain, "UTC"))
        return total_hits(merge([part.columns for part in live]))

    def archived(self) -> list[int]:
        return [record.sequence for record in Archive(self.blobs).records("abc", 0, from_ms=0)]


@pytest.fixture
def engines(kinesis: KinesisEngine, dynamodb: DynamoDbEngine, tmp_path: Path) -> Engines:
    clock, client = SetClock(NOON_MS), dynamodb.shared()
    table = table_of(client, dynamodb.names(client), clock=clock, has_transactions=False)
    return Engines(kinesis, kinesis.shared(), kinesis.new_stream(), table, FileBlobs(tmp_path), clock)


def test_a_worker_killed_after_any_write_counts_once_when_it_comes_again(engines: Engines) -> None:
    counted = duplicates = 0
    for writes in range(1, 9):
        engines.send(f"{writes}.1", f"{writes}.2", "the same")
        counted += 2 + (writes == 1)
        duplicates += writes > 1
        with suppress(Killed):
            engines.worker(KilledTable(engines.table, writes=writes, is_ordered=True)).drain()  # pyright: ignore[reportArgumentType]
        engines.worker().drain()
        assert (engines.lines().counted, engines.lines().duplicate) == (counted, duplicates), f"after {writes} writes"
        assert engines.hits() == counted
    assert engines.archived() == list(range(1, 9))


def test_one_that_wakes_up_and_a_rival_at_the_same_place_change_nothing(engines: Engines) -> None:
    engines.send("a")
    awake, asleep, rival = engines.worker(), engines.worker(), engines.worker()
    for one in (asleep, rival):
        one._take_in(100)
    awake.drain()
    engines.send("a", "b")
    awake.drain()
    for one in (asleep, rival):
        with pytest.raises(Changed):
            one.flush(is_at_tip=True)
    assert (engines.lines().counted, engines.lines().duplicate, engines.hits()) == (2, 1, 2)
    rival.drain()
    assert (engines.lines().counted, engines.archived()) == (2, [1, 2])


def test_a_shard_read_again_from_its_start_changes_nothing(engines: Engines) -> None:
    for n in range(5):
        engines.send(f"{n}", "the same")
        engines.worker().drain()
    lines = engines.lines()
    assert (lines.counted, lines.duplicate) == (6, 4)
    engines.table.delete(Delete(keys.checkpoint(0)))
    engines.worker().drain()
    assert (engines.lines(), engines.hits(), engines.archived()) == (lines, 6, [1, 2, 3, 4, 5])


def handed_over(engines: Engines) -> list[RawRecord]:
    """Return all that lies in the stream, as an event source would hand it over."""
    pages = engines.stream()._calls
    shards = pages.shards()
    return [one for shard in shards for one in pages.page(shard.name, pages.iterator(shard.name, after=0)).records]


def test_events_and_readers_of_the_stream_count_on_from_each_other(engines: Engines) -> None:
    for n in range(3):
        engines.send(f"{n}", "the same")
        fed = FedStream(shards=1, may_enter=engines.stream().may_enter)
        fed.feed(handed_over(engines))
        workers: list[Callable[[], Worker]] = [engines.worker, lambda fed=fed: engines.worker(stream=fed)]
        for make in (workers[n % 2], workers[0], workers[1]):
            make().drain()
        assert (engines.lines().counted, engines.lines().duplicate, engines.hits()) == (n + 2, n, n + 2)


def split(engines: Engines, at: int) -> None:
    """Divide one of the open shards."""
    one = open_shards(engines.client, engines.name)[at]
    low, high = (int(one["HashKeyRange"][end]) for end in ("StartingHashKey", "EndingHashKey"))
    middle = str((low + high) // 2 + 1)
    engines.client.split_shard(StreamName=engines.name, ShardToSplit=one["ShardId"], NewStartingHashKey=middle)
    require_active(engines.client, engines.name)


def test_an_event_of_a_child_shard_waits_for_what_its_parent_still_holds(engines: Engines) -> None:
    engines.send("a")
    split(engines, 0)
    engines.send("b")
    raws = handed_over(engines)
    assert len({raw.kinesis_shard for raw in raws}) == 2
    fed = FedStream(shards=1, may_enter=engines.stream().may_enter)
    worker = engines.worker(stream=fed)
    fed.feed(raws[1:])
    with pytest.raises(Unavailable, match="have not all been counted"):
        worker.drain()
    for event in (raws[:1], raws[1:], raws):
        fed.feed(event)
        worker.drain()
    assert (engines.lines().counted, engines.archived()) == (2, [1, 2])


def test_shards_that_ended_and_idle_ones_pass_and_their_windows_are_built(engines: Engines) -> None:
    engines.send("a")
    worker = engines.worker()
    worker.drain()
    for _ in range(2):
        split(engines, -1)
    engines.clock.advance(2 * 60 * MINUTE_MS)
    idle = engines.worker()
    assert idle.pass_idle()
    assert not idle.build(lambda: False)
    assert engines.hits(Grain.HOUR) == 1
    engines.send("b", "a")
    assert not engines.worker().pass_idle()
    engines.worker().drain()
    assert (engines.lines().counted, engines.lines().duplicate, engines.archived()) == (2, 1, [1, 2])
