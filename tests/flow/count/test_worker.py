"""The worker changes nothing twice and loses nothing: killed anywhere, overtaken, or read again from the start."""

from collections.abc import Callable, Iterator

import pytest

from footfall.flow.count.aside import aside, record_at, replay_of
from footfall.ports.errors import Changed
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.stage import NOON_MS, Side, Stage, key_of
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

END_MS = NOON_MS + 50 * HOUR_MS
CALLS_MAX = 5_000
Act = Callable[[Stage], object]


def replay_late(stage: Stage) -> None:
    places = list(aside(stage.table, "abc", "late"))
    now_ms = stage.clock.now_ms()
    stage.stream.append([replay_of(record_at(stage.stream, one), one, "late", now_ms=now_ms) for one in places * 2])


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


def played(stage: Stage, *, calls: int, is_ordered: bool) -> tuple[object, bool]:
    """Play the days, killed once after so many calls; return all that is stored and whether it came to that."""
    table: TroubledTable = KilledTable(stage.table, calls=calls, is_ordered=is_ordered)
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
    return stage.everything(NOON_MS - 40 * HOUR_MS, END_MS + HOUR_MS), stage.lines(), checkpoints, listed


@pytest.mark.parametrize("is_ordered", [False, True], ids=["transactions", "only in order"])
def test_a_worker_killed_between_any_two_calls_leaves_what_an_undisturbed_one_does(is_ordered: bool) -> None:
    expected, _ = played(Stage(), calls=CALLS_MAX, is_ordered=False)
    for calls in range(CALLS_MAX):
        found, was_killed = played(Stage(), calls=calls, is_ordered=is_ordered)
        assert found == expected, f"killed after {calls} calls"
        if not was_killed:
            assert calls > 300  # The days are eventful.
            return


def test_two_shards_killed_in_each_other_s_turn_lose_nothing() -> None:
    expected, _ = played(Stage(shards=2), calls=CALLS_MAX, is_ordered=False)
    for calls in range(0, CALLS_MAX, 13):
        found, was_killed = played(Stage(shards=2), calls=calls, is_ordered=True)
        assert found == expected, f"killed after {calls} calls"
        if not was_killed:
            return


@pytest.mark.parametrize("is_ordered", [False, True], ids=["transactions", "only in order"])
def test_a_worker_that_wakes_up_after_another_took_over_changes_nothing(is_ordered: bool) -> None:
    stage = Stage()
    table = TroubledTable(stage.table, is_ordered=is_ordered)
    stage.send("1", "2")
    asleep, awake = stage.side(table).workers[0], stage.side(table).workers[0]
    asleep.step()
    stage.send("1")
    awake.drain()
    before = stored(stage)
    with pytest.raises(Changed):
        asleep.flush(is_at_tip=False)
    assert stored(stage) == before
    stage.send("2")
    asleep.drain()  # It has found out, and goes on from what the other one left.
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("1"): 2, key_of("2"): 2}
    assert stage.lines().counted == 4
