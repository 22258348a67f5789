"""The worker changes nothing twice and loses nothing: killed anywhere, overtaken, or read again from the start."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from footfall.flow.count.aside import aside, record_at, replay_of
from footfall.flow.count.worker import Worker
from footfall.flow.store import keys
from footfall.flow.store.columns import total_hits
from footfall.flow.store.journal import read_journal
from footfall.ports.errors import Changed, Throttled
from footfall.ports.table import Delete
from footfall.values.period import Period
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, window_of
from tests.flow.count.stage import NOON_MS, Side, Stage, go_on_until, key_of, minute_of, rules
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

END_MS = NOON_MS + 50 * HOUR_MS
WRITES_MAX = 5_000
Act = Callable[[Stage], object]


def replay_late(stage: Stage) -> None:
    places = list(aside(stage.table, "abc", "late"))
    now_ms = stage.clock.now_ms()
    stage.stream.append([replay_of(record_at(stage.raw, "abc", one), one, "late", now_ms=now_ms) for one in places * 2])


def eventful_days() -> Iterator[list[Act]]:
    """Yield what happens before each time that counting gets its turn."""
    half = NOON_MS + 30 * MINUTE_MS
    yield [lambda s: s.send("1", "2", "x"), lambda s: s.send("1", "y", at_ms=NOON_MS - 20 * MINUTE_MS)]
    yield [lambda s: s.clock.set(half), lambda s: s.send("1", "2", at_ms=NOON_MS), lambda s: s.send("3")]
    yield [lambda s: s.clock.set(NOON_MS + 61 * MINUTE_MS), lambda s: s.send("old", at_ms=NOON_MS - 30 * HOUR_MS)]
    yield [
        lambda s: s.send("1", "2", at_ms=half),  # The hour is built by now: these are late for it.
        lambda s: s.send("1", at_ms=NOON_MS + 1),
        replay_late,
    ]
    yield [lambda s: s.clock.advance(11 * MINUTE_MS)]  # They are folded in.
    yield [lambda s: s.clock.set(NOON_MS + 13 * HOUR_MS), lambda s: s.send("z", at_ms=half)]
    yield [lambda s: s.clock.set(END_MS)]
    yield [lambda s: s.send("1")]


def take_turn(side: Side) -> None:
    side.count()
    side.finish()


def played(stage: Stage, *, writes: int, is_ordered: bool) -> tuple[object, bool]:
    """Play the days, killed once after so many writes; return all that is stored and whether it came to that."""
    table: TroubledTable = KilledTable(stage.table, writes=writes, is_ordered=is_ordered)
    safe = TroubledTable(stage.table, is_ordered=is_ordered)
    side: Side | None = None
    was_killed = False
    for acts in eventful_days():
        for act in acts:
            act(stage)
        try:
            side = side or stage.side(table)
            take_turn(side)
        except Killed:
            was_killed, table = True, safe
            side = stage.side(table)
            take_turn(side)
    return stored(stage), was_killed


def stored(stage: Stage) -> object:
    checkpoints = [
        (one.through, one.passed_ms, one.arrived_at_ms, one.flushed_at_ms, one.lines) for one in stage.checkpoints()
    ]
    listed = [(place.position, place.places) for place in aside(stage.table, "abc", "late")]
    return stage.everything(), stage.lines(), checkpoints, listed


# What is written in one transaction is there or not: killing it at every third write meets each of them.
@pytest.mark.parametrize(
    ("is_ordered", "every"),
    [
        pytest.param(False, 3, id="transactions"),
        pytest.param(True, 5, id="only in order"),
        pytest.param(True, 1, id="only in order, every write", marks=pytest.mark.soak),
    ],
)
def test_a_worker_killed_between_any_two_writes_leaves_what_an_undisturbed_one_does(
    is_ordered: bool, every: int
) -> None:
    expected, _ = played(Stage(), writes=WRITES_MAX, is_ordered=False)
    for writes in range(0, WRITES_MAX, every):
        found, was_killed = played(Stage(), writes=writes, is_ordered=is_ordered)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            assert writes > 50  # The days are eventful.
            return


def test_two_shards_killed_in_each_other_s_turn_lose_nothing() -> None:
    expected, _ = played(Stage(shards=2), writes=WRITES_MAX, is_ordered=False)
    for writes in range(0, WRITES_MAX, 13):
        found, was_killed = played(Stage(shards=2), writes=writes, is_ordered=True)
        assert found == expected, f"killed after {writes} writes"
        if not was_killed:
            return


@pytest.mark.parametrize("is_ordered", [False, True], ids=["transactions", "only in order"])
def test_a_worker_that_wakes_up_after_another_took_over_changes_nothing(is_ordered: bool) -> None:
    stage = Stage()
    awake, asleep = two_workers(stage, is_ordered=is_ordered)
    stage.send("1", "2")
    asleep.step()  # It has tallied them, and its flush is not due yet.
    awake.drain()
    stage.send("1")
    awake.drain()
    before = stored(stage)
    with pytest.raises(Changed):
        asleep.flush(is_at_tip=False)
    assert stored(stage) == before
    stage.send("2")
    asleep.drain()  # It has found out, and goes on from what the other one left.
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("0"): 1, key_of("1"): 2, key_of("2"): 2}
    assert stage.lines().counted == 5


def test_half_a_flush_of_a_worker_that_woke_up_is_counted_once() -> None:
    stage = Stage()
    awake, asleep = two_workers(stage, is_ordered=True)
    stage.send("1")
    awake.step()
    stage.clock.advance(MINUTE_MS // 4)
    awake.drain()
    stage.send("2", at_ms=NOON_MS - 5 * MINUTE_MS)  # A minute that only the sleeper writes to.
    with suppress(Changed):
        asleep.step()
    assert stage.counts(NOON_MS - 5 * MINUTE_MS, Grain.MINUTE) == {key_of("2"): 1}  # Half of its flush is there.
    stage.send("2", at_ms=NOON_MS - 5 * MINUTE_MS)
    for _ in range(3):
        with suppress(Changed):
            awake.drain()
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("0"): 1, key_of("1"): 1}
    assert stage.counts(NOON_MS - 5 * MINUTE_MS, Grain.MINUTE) == {key_of("2"): 2}
    assert stage.lines().counted == 4


def two_workers(stage: Stage, *, is_ordered: bool) -> tuple[Worker, Worker]:
    """Return two workers that both believe that the shard is theirs, at the same place."""
    table = TroubledTable(stage.table, is_ordered=is_ordered)
    stage.send("0")
    first = stage.side(table).workers[0]
    first.drain()
    return first, stage.side(table).workers[0]


@pytest.mark.parametrize("is_final", [False, True])
def test_a_shard_read_again_from_its_start_adds_nothing_that_summaries_hold(is_final: bool) -> None:
    stage = Stage(keep_rows=1)
    side = stage.side()
    stage.send("1", "1", "2")
    side.count()
    stage.clock.set(NOON_MS + 3 * HOUR_MS)
    side.build()
    stage.send("1", "1", at_ms=NOON_MS + 1)  # Late for the hour, which is built.
    side.count()
    if is_final:
        go_on_until(stage, side, NOON_MS + 40 * HOUR_MS)
        assert set(stage.parts(NOON_MS, Grain.HOUR)) == {keys.ALL}
    before, lines = stage.everything(), stage.lines()
    stage.table.delete(Delete(keys.checkpoint(0)))
    stage.side().count()
    assert stage.everything() == before
    assert stage.lines() == lines


def test_a_window_that_is_ahead_of_the_checkpoint_is_not_built_upon_before_it_is_reached() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1")
    side.count()
    stage.send("1", "2")
    killed = KilledTable(
        stage.table, writes=1, is_ordered=True
    )  # The minute only; not the journal, not the checkpoint.
    with pytest.raises(Killed):
        stage.side(killed).workers[0].drain()
    assert total_hits(stage.columns(NOON_MS, Grain.MINUTE)) == 3
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    worker = stage.side().workers[0]
    passed_ms = stage.clock.now_ms()
    assert worker.rollup.step(passed_ms=passed_ms, through=worker.checkpoint.through, now_ms=passed_ms) is None
    side = stage.side()
    side.count()
    assert total_hits(stage.columns(NOON_MS, Grain.HOUR)) == total_hits(stage.columns(NOON_MS, Grain.MINUTE)) == 3


def test_windows_of_an_interrupted_flush_are_told_to_readers_by_the_next() -> None:
    stage = Stage()
    worker = stage.side().workers[0]
    stage.send("1")
    worker.drain()
    number = worker.checkpoint.number
    stage.send("2", at_ms=NOON_MS - 9 * MINUTE_MS)
    with pytest.raises(Killed):
        stage.side(KilledTable(stage.table, writes=1, is_ordered=True)).workers[0].drain()
    again = stage.side().workers[0]
    again.drain()
    news = read_journal(stage.table, 0, after=number, now_number=again.checkpoint.number)
    assert minute_of(NOON_MS - 9 * MINUTE_MS) in [one.window for one in news.touched]


class Busy(TroubledTable):
    """A table that is throttled while it is told to be."""

    is_busy = False

    def before(self) -> None:
        if self.is_busy:
            raise Throttled("too much at once")


def test_a_record_that_was_tallied_in_part_when_reading_failed_is_tallied_again() -> None:
    stage = Stage()
    table = Busy(stage.table)
    worker = stage.side(table).workers[0]
    stage.send_pack([key_of("1"), key_of("2")], at_ms=[NOON_MS, NOON_MS - HOUR_MS])
    table.is_busy = True
    for _ in range(3):
        with pytest.raises(Throttled):
            worker.step()
    table.is_busy = False
    worker.drain()
    assert stage.lines().counted == 2
    assert total_hits(stage.columns(NOON_MS, Grain.MINUTE)) == 1
    assert total_hits(stage.columns(NOON_MS - HOUR_MS, Grain.MINUTE)) == 1


def test_a_standstill_longer_than_minutes_are_kept_loses_no_hour() -> None:
    stage = Stage()
    stage.send("1", "2")
    stage.side().count()
    stage.clock.set(NOON_MS + 4 * DAY_MS)
    side = stage.side()
    side.build()
    assert total_hits(stage.columns(NOON_MS, Grain.HOUR)) == 2
    assert total_hits(stage.columns(NOON_MS, Grain.DAY)) == 2
    side.finish()
    assert stage.parts(NOON_MS, Grain.MINUTE) == {}


def test_a_backlog_of_days_is_built_whole() -> None:
    stage = Stage()
    stage.send("1", "2")
    stage.clock.advance(10 * HOUR_MS)
    stage.send("1", at_ms=NOON_MS + 1)
    stage.clock.advance(5 * DAY_MS)
    side = stage.side()
    side.count()
    assert total_hits(stage.columns(NOON_MS, Grain.HOUR)) == total_hits(stage.columns(NOON_MS, Grain.DAY)) == 3


def test_longer_windows_are_built_however_many_records_come() -> None:
    stage = Stage()
    worker = stage.side().workers[0]
    stage.send("1")
    worker.drain()
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    for _ in range(60):
        stage.send("1")
        assert worker.step()
        stage.clock.advance(100)
    assert keys.shard_name(0) in stage.parts(NOON_MS, Grain.HOUR)


def test_an_idle_shard_passes_its_minutes() -> None:
    stage = Stage()
    worker = stage.side().workers[0]
    stage.clock.set(NOON_MS + 90_000)
    worker.step()
    assert worker.checkpoint.passed_ms == NOON_MS + 60_000
    number = worker.checkpoint.number
    stage.clock.advance(10_000)
    worker.step()
    assert worker.checkpoint.number == number  # Within the same minute there is nothing to tell.


def test_a_replay_of_one_shard_s_record_is_not_taken_for_another_s() -> None:
    stage = Stage(shards=3)
    side = stage.side()
    for asset in "abcdefghij":
        stage.send(asset, at_ms=NOON_MS - 2 * DAY_MS)
    side.count()
    assert stage.lines().late == 10
    replay_late(stage)
    side.count()
    assert (stage.lines().late, stage.lines().counted) == (0, 10)
    assert total_hits(stage.columns(NOON_MS - 2 * DAY_MS, Grain.DAY)) == 10


def test_five_minutes_are_not_kept_because_minutes_are() -> None:
    five = Period("five", count=3, grain=Grain.FIVE, cache_s=30)
    stage = Stage(how=replace(rules(), periods=(five,)))
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.advance(HOUR_MS)
    side.build()
    assert not stage.parts(NOON_MS, Grain.FIVE)
    assert set(stage.parts(NOON_MS, Grain.MINUTE)) == {"s00"}


def test_hits_go_to_the_windows_of_the_brand_s_zone() -> None:
    stage = Stage(zone="Asia/Kathmandu")
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.advance(2 * DAY_MS)
    side.build()
    hour = window_of(NOON_MS, Grain.HOUR, "Asia/Kathmandu")
    assert hour.from_ms == NOON_MS - 45 * MINUTE_MS
    assert total_hits(stage.columns(NOON_MS, Grain.HOUR)) == total_hits(stage.columns(NOON_MS, Grain.DAY)) == 1
