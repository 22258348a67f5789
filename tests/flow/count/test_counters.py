"""Named counters lose nothing that was acknowledged and take nothing twice: killed anywhere, overtaken, read again."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from footfall.flow.count.counters import TOO_MANY, Counters
from footfall.flow.count.tally import Tally
from footfall.flow.serve.uniques import Asked, exported, told_of_set
from footfall.flow.store.checkpoints import Checkpoint
from footfall.ports.errors import Changed
from footfall.values.groups import counters_group
from footfall.values.window import DAY_MS
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.counting_by_name import (
    GROUP,
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
from tests.flow.count.stage import Stage
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

Act = Callable[[Stage], object]
WRITES_MAX = 200


def eventful_days(sketch: bytes, theta: bytes) -> Iterator[list[Act]]:
    """Yield what happens before each time that counting gets its turn."""
    yield [lambda s: add(s, "a", "1", "2"), lambda s: add(s, "b", *many(0, 3_000)), lambda s: s.send("hit")]
    yield [lambda s: add(s, "a", "2", "3"), lambda s: add(s, "café/#@", "x")]
    yield [lambda s: s.clock.advance(DAY_MS), lambda s: add(s, "a", "3", "4"), lambda s: add(s, "b", "other")]
    yield [lambda s: s.clock.advance(-DAY_MS), lambda s: add(s, "a", "late"), lambda s: s.clock.advance(DAY_MS)]
    yield [lambda s: delete(s, "b"), lambda s: add(s, "b", "new"), lambda s: add(s, "a", "1")]
    yield [lambda s: s.clock.advance(DAY_MS), lambda s: put(s, "c", sketch), lambda s: add(s, "c", "more")]
    yield [lambda s: put(s, "c", theta, kind="theta"), lambda s: delete(s, "café/#@"), lambda s: add(s, "a", "5")]
    yield [lambda s: s.clock.advance(DAY_MS), lambda s: add(s, "a", "6"), lambda s: add(s, "c", "7")]


@cache
def sketches() -> tuple[bytes, bytes]:
    stage = Stage()
    add(stage, "c", *many(0, 5_000))
    count(stage)
    return exported(stage.table, "abc", "c", kind="hll"), exported(stage.table, "abc", "c", kind="theta")


def played(stage: Stage, *, writes: int, is_ordered: bool) -> tuple[object, bool]:
    """Play the days, killed once after so many writes; return all that is stored and whether it came to that."""
    table: TroubledTable = KilledTable(stage.table, writes=writes, is_ordered=is_ordered)
    was_killed = False
    for acts in eventful_days(*sketches()):
        for act in acts:
            act(stage)
        try:
            for shard in range(stage.shards):
                stage.worker(shard, table).drain()
        except Killed:
            was_killed, table = True, TroubledTable(stage.table, is_ordered=is_ordered)
            for shard in range(stage.shards):
                stage.worker(shard, table).drain()
    return (stored_of(stage), stage.lines(GROUP), stage.lines("abc")), was_killed


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("kind", "is_ordered"), [(Stage, False), (Stage, True), (AwsStage, True)])
def test_a_worker_that_is_killed_after_any_write_leaves_what_one_that_was_not_leaves(
    kind: type[Stage], is_ordered: bool, every: int
) -> None:
    expected, _ = played(kind(shards=2), writes=WRITES_MAX * 100, is_ordered=is_ordered)
    for writes in range(0, WRITES_MAX + every, every):
        found, was_killed = played(kind(shards=2), writes=writes, is_ordered=is_ordered)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            return
    raise AssertionError("it was always killed: the days have more writes than are tried")


def test_the_days_come_to_what_a_set_would_hold() -> None:
    stage = Stage(shards=2)
    played(stage, writes=10_000, is_ordered=False)
    assert estimated(stage, "a") == len(["1", "2", "3", "4", "late", "5", "6"])
    assert (estimated(stage, "b"), estimated(stage, "café/#@")) == (1, -1)
    assert abs(estimated(stage, "c") - 5_002) < 200
    sent = stage.stream.appended()[GROUP]
    assert stage.ledger_total(GROUP) == sent


def test_the_ledger_of_hits_knows_nothing_of_counted_values() -> None:
    stage = Stage()
    stage.send("1", "2")
    add(stage, "a", *many(0, 10))
    count(stage)
    assert (stage.lines("abc").counted, stage.ledger_total("abc"), stage.stream.appended()["abc"]) == (2, 2, 2)
    assert (stage.lines(GROUP).counted, stage.stream.appended()[GROUP]) == (10, 10)


def test_a_request_that_is_sent_again_is_a_duplicate() -> None:
    stage = Stage()
    add(stage, "a", "1", "2", key="once")
    add(stage, "a", "1", "2", key="once")
    count(stage)
    lines = stage.lines(GROUP)
    assert (lines.counted, lines.duplicate, estimated(stage, "a")) == (2, 2, 2)


def test_a_key_that_comes_for_another_counter_stores_nothing() -> None:
    stage = Stage()
    add(stage, "a", "1", key="once")
    (again,) = stage.stream.append(values_entries(stage, "b", ["1"], key="once"))
    assert again.is_refused
    count(stage)
    assert estimated(stage, "b") == -1


def test_one_that_slept_since_before_a_deletion_brings_nothing_back() -> None:
    stage = Stage()
    add(stage, "a", "1")
    count(stage)
    sleeper = stage.worker(0, stage.table)
    add(stage, "a", "2")
    sleeper._take_in(10)
    sleeper.counters._stored("abc", "a")  # It has looked at the store, and falls asleep before it writes.
    delete(stage, "a")
    count(stage)
    with pytest.raises(Changed):
        sleeper.flush(is_at_tip=False)
    assert estimated(stage, "a") == -1
    sleeper.drain()
    assert (estimated(stage, "a"), stage.lines(GROUP).counted) == (-1, 3)


def test_one_that_slept_since_before_the_first_value_does_not_bring_back_what_was_deleted_since() -> None:
    stage = Stage()
    add(stage, "a", "1")
    sleeper = stage.worker(0, TroubledTable(stage.table, is_ordered=True))
    sleeper._take_in(10)
    sleeper.counters._stored("abc", "a")  # There is none, as it believes from now on.
    delete(stage, "a")
    count(stage)
    with pytest.raises(Changed):
        sleeper.flush(is_at_tip=False)
    assert estimated(stage, "a") == -1


def test_values_from_before_a_deletion_that_are_read_again_do_not_show_up_meanwhile() -> None:
    stage = Stage()
    add(stage, "a", "1")
    delete(stage, "a")
    killed = KilledTable(stage.table, writes=1, is_ordered=True)  # After the head, before the checkpoint.
    with pytest.raises(Killed):
        stage.worker(0, killed).drain()
    again = stage.worker(0, stage.table)
    again._take_in(1)
    again.flush(is_at_tip=False)
    assert (again.checkpoint.through, estimated(stage, "a")) == (1, -1)


def test_values_of_new_names_beyond_what_a_brand_may_have_are_screened() -> None:
    stage = Stage()
    for number in range(5):
        add(stage, f"name-{number}", "1", "2")
    worker = stage.worker(0, stage.table)
    counters = Counters(stage.table, 0, clock=stage.clock, expires_at_ms=worker.expires_at_ms, names_max=3)
    tally = Tally(stage.how.rules, placing=worker.placing, through_of=lambda _: 0)
    for record in stage.stream.read(0, after=0):
        tally.add(record)
    checkpoint = Checkpoint(through=tally.through, lines=tally.lines)
    counters.write(tally.counters, checkpoint)
    lines = checkpoint.lines[counters_group("abc")]
    assert (lines.counted, dict(lines.screened)) == (6, {TOO_MANY: 4})
    assert [estimated(stage, f"name-{number}") for number in range(5)] == [2, 2, 2, -1, -1]


def test_ten_thousand_records_do_not_wait_for_their_time() -> None:
    stage = Stage()
    tally = Tally(stage.how.rules, placing=stage.worker(0, stage.table).placing, through_of=lambda _: 0)
    add(stage, "a", "1")
    (record,) = stage.stream.read(0, after=0)
    for number in range(10_000):
        tally.add(structs.replace(record, sequence=number + 1))
    assert tally.rows >= 100_000


def test_values_that_are_all_there_are_not_written_again() -> None:
    stage = Stage()
    add(stage, "a", "1", "2")
    count(stage)
    before = stored_bytes(stage)
    add(stage, "a", "2", "1")
    count(stage)
    assert stored_bytes(stage) == before


def test_a_theta_sketch_adds_nothing_to_a_counter_that_was_not_imported() -> None:
    stage = Stage()
    add(stage, "a", "1", "2")
    put(stage, "a", sketches()[1], kind="theta")
    count(stage)
    asked = Asked(intersect=("a",))
    assert (estimated(stage, "a"), told_of_set(stage.table, "abc", asked).estimate.count) == (2, 2)


def test_a_second_theta_sketch_adds_nothing() -> None:
    stage = Stage()
    add(stage, "other", *many(9_000, 9_100))
    put(stage, "c", sketches()[0])
    put(stage, "c", sketches()[1], kind="theta")
    count(stage)
    before = stored_bytes(stage)
    put(stage, "c", exported(stage.table, "abc", "other", kind="theta"), kind="theta")
    count(stage)
    assert stored_bytes(stage) == before


values = st.lists(st.integers(0, 3_000).map(str), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(
    batches=st.lists(values, min_size=1, max_size=6), chance=st.randoms(use_true_random=False), spread=st.integers(1, 4)
)
def test_any_order_and_repetition_gives_the_same_bytes(batches: list[list[str]], chance: object, spread: int) -> None:
    first, other = Stage(), Stage()
    for batch in batches:
        add(first, "a", *batch)
    count(first)
    again = [value for batch in batches for value in batch] * spread
    chance.shuffle(again)  # pyright: ignore[reportAttributeAccessIssue] - hypothesis' Random
    for start in range(0, len(again), 17):
        add(other, "a", *again[start : start + 17])
        if chance.random() < 0.3:  # pyright: ignore[reportAttributeAccessIssue]
            count(other)
    count(other)
    assert stored_of(first, ["a"]) == stored_of(other, ["a"])
    for kind in ("hll", "theta"):
        assert exported(first.table, "abc", "a", kind=kind) == exported(other.table, "abc", "a", kind=kind)
