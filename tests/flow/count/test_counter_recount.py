"""Counting named counters again: sound ones stay as they are to the byte, damaged and lost ones come back."""

import pytest

from footfall.flow.count import counter_recount
from footfall.flow.count.counter_recount import CounterRecount, CountersDone
from footfall.flow.serve.uniques import Days, exported, told_of
from footfall.flow.store import keys
from footfall.ports.table import Delete, Put, everything
from footfall.values.window import DAY_MS, HOUR_MS, Grain
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.counting_by_name import (
    add,
    count,
    delete,
    estimated,
    many,
    put,
    stored_bytes,
    stored_of,
    values_entries,
)
from tests.flow.count.stage import NOON_MS, Stage
from tests.simulation.grounds import TroubledTable


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


GROUNDS = [(Stage, "UTC"), (Stage, "Asia/Kolkata"), (AwsStage, "UTC"), (AwsStage, "Asia/Kolkata")]


class Midnight:
    """Values around a midnight of the brand, on either ground, some of both days in one block."""

    def __init__(self, kind: type[Stage], zone: str) -> None:
        self.stage = kind(zone=zone)
        self.table = TroubledTable(self.stage.table, is_ordered=True)
        self.ms = self.stage.window(NOON_MS, Grain.DAY).to_ms
        self.at(-6 * HOUR_MS)
        add(self.stage, "a", *many(0, 1_000))
        self.count()

    def at(self, after_ms: int) -> None:
        self.stage.clock.set(self.ms + after_ms)

    def count(self) -> None:
        self.stage.worker(0, self.table).drain()

    def across(self, name: str, before: list[str], after: list[str]) -> None:
        """Take values of both days in at once, as a group commit does."""
        self.at(-1)
        entries = values_entries(self.stage, name, before)
        self.at(0)
        self.stage.stream.append([*entries, *values_entries(self.stage, name, after)])

    def recounted(self) -> CountersDone:
        recount = CounterRecount([self.stage.worker(0, self.table)], self.stage.raw, self.table)
        *_, done = recount.run("abc", from_ms=self.ms, zone=self.stage.zone)
        assert isinstance(done, CountersDone)
        return done

    def days(self, name: str = "a") -> tuple[int, int]:
        """Return how many values the day before midnight has, and the day after it."""
        spans = (Days(self.ms - DAY_MS, self.ms, 1), Days(self.ms, self.ms + DAY_MS, 1))
        before, after = (told_of(self.table, "abc", name, span).estimate.count for span in spans)
        return round(before), round(after)


@pytest.mark.parametrize(("kind", "zone"), GROUNDS)
def test_the_day_before_the_range_stays_though_some_of_its_records_are_read(kind: type[Stage], zone: str) -> None:
    midnight = Midnight(kind, zone)
    midnight.across("a", ["last"], ["first", "second"])
    midnight.at(HOUR_MS)
    midnight.count()
    assert midnight.days() == (1_001, 2)
    whole = exported(midnight.table, "abc", "a", kind="hll")
    assert midnight.recounted() == CountersDone(counters=1, changed=0)
    assert midnight.days() == (1_001, 2)
    assert exported(midnight.table, "abc", "a", kind="hll") == whole


@pytest.mark.parametrize(("kind", "zone"), GROUNDS)
def test_a_counter_that_met_nothing_in_the_range_keeps_its_open_day(kind: type[Stage], zone: str) -> None:
    midnight = Midnight(kind, zone)
    midnight.across("a", ["last"], [])
    add(midnight.stage, "b", "of another")
    midnight.count()
    midnight.recounted()
    assert midnight.days() == (1_001, 0)
    assert round(told_of(midnight.table, "abc", "a").estimate.count) == 1_001


@pytest.mark.parametrize(("kind", "zone"), GROUNDS)
def test_values_of_the_day_before_that_came_after_midnight_stay(kind: type[Stage], zone: str) -> None:
    midnight = Midnight(kind, zone)
    midnight.at(1)
    add(midnight.stage, "a", "first")
    midnight.at(-1)  # The clock of another door is behind.
    add(midnight.stage, "a", "late")
    midnight.at(1)
    midnight.count()
    midnight.recounted()
    assert midnight.days() == (1_001, 1)


@pytest.mark.parametrize(("kind", "zone"), GROUNDS)
def test_what_came_after_a_deletion_before_midnight_stays(kind: type[Stage], zone: str) -> None:
    midnight = Midnight(kind, zone)
    midnight.at(-2)
    delete(midnight.stage, "a")
    midnight.across("a", ["x", "y"], ["z"])
    midnight.count()
    assert midnight.days() == (2, 1)
    midnight.recounted()
    assert midnight.days() == (2, 1)
    assert round(told_of(midnight.table, "abc", "a").estimate.count) == 3


@pytest.mark.parametrize(("kind", "zone"), GROUNDS)
def test_what_a_clock_behind_has_added_after_a_deletion_stays(kind: type[Stage], zone: str) -> None:
    midnight = Midnight(kind, zone)
    midnight.at(1)
    delete(midnight.stage, "a")
    midnight.at(-1)
    add(midnight.stage, "a", "late")
    midnight.at(1)
    add(midnight.stage, "a", "first")
    midnight.count()
    midnight.recounted()
    assert midnight.days() == (1, 1)
    assert round(told_of(midnight.table, "abc", "a").estimate.count) == 2
