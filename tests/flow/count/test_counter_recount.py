"""Counting named counters again: sound ones stay as they are to the byte, damaged and lost ones come back."""

import pytest

from footfall.flow.count import counter_recount
from footfall.flow.count.counter_recount import CounterRecount, CountersDone
from footfall.flow.serve.uniques import exported
from footfall.flow.store import keys
from footfall.ports.table import Delete, Put, everything
from footfall.values.window import DAY_MS
from tests.flow.count.counting_by_name import add, count, delete, estimated, many, put, stored_bytes, stored_of
from tests.flow.count.stage import NOON_MS, Stage


def counted_days() -> Stage:
    stage = Stage(shards=2)
    for day in range(3):
        add(stage, "a", *many(1_000 * day, 1_000 * day + 2_500))
        add(stage, "b", f"day-{day}", "always")
        add(stage, "gone", "x")
        count(stage)
        stage.clock.advance(DAY_MS)
    delete(stage, "gone")
    add(stage, "b", "after")
    count(stage)
    return stage


def recounted(stage: Stage, *, from_ms: int = NOON_MS) -> CountersDone:
    workers = [stage.worker(shard, stage.table) for shard in range(stage.shards)]
    *_, done = CounterRecount(workers, stage.raw, stage.table).run("abc", from_ms=from_ms, zone=stage.zone)
    assert isinstance(done, CountersDone)
    return done


def test_nothing_having_changed_it_leaves_every_byte() -> None:
    stage = counted_days()
    before = stored_bytes(stage)
    assert recounted(stage) == CountersDone(counters=3, changed=0)
    assert stored_bytes(stage) == before


def test_a_head_that_was_lost_comes_back_with_its_days() -> None:
    stage = counted_days()
    before = stored_of(stage, ["a", "b", "gone"])
    for name in ("a", "b"):
        for shard in range(2):
            stage.table.delete(Delete(keys.counter_head("abc", name, keys.shard_name(shard))))
    assert estimated(stage, "a") == -1
    assert recounted(stage).changed == 2
    assert stored_of(stage, ["a", "b", "gone"]) == before


def test_damaged_sketches_are_built_anew() -> None:
    stage = counted_days()
    before = stored_of(stage, ["a"])
    damaged = 0
    for found in list(everything(stage.table, keys.counter_partition("abc", "a"))):
        stage.table.put(Put(found.key, {**found.item, "uniques": b"ffun, but not really"}))
        damaged += 1
    assert damaged == 3
    assert recounted(stage).changed == 1
    assert stored_of(stage, ["a"]) == before


def test_what_was_met_before_the_range_stays_in_the_whole() -> None:
    stage = counted_days()
    whole = exported(stage.table, "abc", "a", kind="hll")
    stage.stream.trim(0, through=stage.stream.sequence_at(0, arrived_at_ms=NOON_MS + DAY_MS))
    stage.stream.trim(1, through=stage.stream.sequence_at(1, arrived_at_ms=NOON_MS + DAY_MS))
    recounted(stage, from_ms=NOON_MS)
    assert exported(stage.table, "abc", "a", kind="hll") == whole


def test_a_counter_that_was_imported_is_imported_again() -> None:
    stage = counted_days()
    put(stage, "copy", exported(stage.table, "abc", "a", kind="hll"))
    add(stage, "copy", "more")
    count(stage)
    before = stored_of(stage, ["copy"])
    for shard in range(2):
        stage.table.delete(Delete(keys.counter_head("abc", "copy", keys.shard_name(shard))))
    recounted(stage)
    assert stored_of(stage, ["copy"]) == before


def test_more_names_than_fit_at_once_are_built_in_several_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_recount, "NAMES_AT_ONCE", 2)
    stage = Stage()
    for number in range(5):
        add(stage, f"name-{number}", "1", "2")
    count(stage)
    assert recounted(stage) == CountersDone(counters=5, changed=0)


def test_counting_goes_on_after_it() -> None:
    stage = counted_days()
    add(stage, "b", "one more")
    count(stage)
    assert recounted(stage).changed == 0
    add(stage, "b", "and another")
    count(stage)
    assert estimated(stage, "b") == 7
