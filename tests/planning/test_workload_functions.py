"""Processor time of counting is what the real parts of the count function take, within what a busy machine allows."""

import time

import pytest

from footfall.adapters.aws.kinesis_fed import FedStream
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.stream.archive import Archive
from footfall.planning.site import Readers, Stack
from footfall.planning.workload_functions import core_share, hit_core_us, served
from footfall.values.clock import SetClock
from tests.planning.real_records import BRAND, NOW_MS, PutsOnly, raw_records
from tests.planning.sites import even_work, work

HITS = 10_000


def counting_us(batch: int) -> float:
    """Return the processor time of a hit, of several rounds the least."""
    found = raw_records(HITS, batch=batch, ids=False, per_s=HITS / 60)
    raws = [
        RawRecord(one.kinesis_shard, n, one.partition_key, one.data, one.arrived_at_ms)
        for n, one in enumerate(found, 1)
    ]
    rounds: list[float] = []
    for _ in range(3):
        clock = SetClock(NOW_MS + 120_000)
        stream, table = FedStream(shards=1), SqliteTable(":memory:", clock=clock)
        keeping = Keeping(0, stream, table, Archive(PutsOnly()), clock=clock)  # pyright: ignore[reportArgumentType]
        worker = Worker(0, stream, table, clock=clock, how=CountRules(), zone_of=lambda _brand: "UTC", keeping=keeping)
        began = time.process_time()
        stream.feed(raws)
        worker.drain()
        rounds.append((time.process_time() - began) / HITS * 1e6)
        assert worker.checkpoint.lines[BRAND].counted == HITS
    return min(rounds)


@pytest.mark.soak  # No other run is decided by a clock.
@pytest.mark.parametrize("batch", [1, 100])
def test_counting_takes_about_the_processor_time_that_is_planned(batch: int) -> None:
    # Machines differ, and this one is busy: a factor of three tells a wrong model from another processor.
    took = counting_us(batch)
    assert took / 3 < hit_core_us(batch, ids=0.0, visitors=1.0) < took * 3


def test_a_function_has_its_share_of_a_core() -> None:
    assert core_share(1_769) == 1.0
    assert core_share(10_240) == 1.0
    assert core_share(512) == pytest.approx(0.289, abs=0.001)


def test_one_function_counts_a_shard_at_a_time_and_has_time_to_spare() -> None:
    assert float(work().functions["count"].at_once.max()) < 2


def test_maintenance_and_the_judge_run_once_a_minute() -> None:
    day = even_work()
    assert float(day.functions["maintenance"].calls.sum()) == 1_440
    assert float(day.functions["judge"].calls.sum()) == 1_440
    assert float(day.functions["judge"].at_once.max()) <= 1


def test_the_edge_answers_more_of_what_is_asked_more_often() -> None:
    shape = even_work().hits
    few, many = (served(Readers(lists), Stack(), shape) for lists in (1e4, 2e9))
    assert few.hit_share < 0.2
    assert many.hit_share > 0.98
    # Each of a thousand questions, at each of ten edges, is fetched once in 30 seconds at most.
    assert float(many.reached.max()) <= 1_000 * 10 * 2


def test_nobody_asks_and_nothing_is_served() -> None:
    none = served(Readers(0.0), Stack(), even_work().hits)
    assert float(none.reached.sum()) == 0
    assert none.hit_share == 0
