"""What alerts tell and when: nothing twice, nothing lost, wherever a process ends in between."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.alert_evaluation import SETTLE_MS, TOLD_MAX
from footfall.values.window import Grain, moment_from_text, window_of
from tests.accounts.alert_stage import DAY_MS, HOUR_MS, MINUTE_MS, NOW_MS, World, added


def abouts(world: World) -> list[dict[str, Any]]:
    return [json.loads(str(one["about"])) for one in world.events()]


def test_an_asset_is_told_once_in_an_hour_and_again_in_the_next() -> None:
    world = World()
    added(world.store, hits=10)
    world.hit("a", 9)
    world.look()
    assert world.events() == []
    world.hit("a", 1)
    world.look()
    world.hit("a", 50)
    world.look()
    assert [(one["asset"], one["hits"], one["from"]) for one in abouts(world)] == [("a", 10, "2026-11-15T12:00Z")]
    world.pass_time(60)
    world.hit("a", 11)
    world.look()
    assert [one["hits"] for one in abouts(world)] == [10, 11]


def test_the_hours_and_days_are_those_of_the_brand() -> None:
    world = World(zone="Asia/Kolkata")
    added(world.store, hits=1, window="day")
    world.hit("a")
    world.look()
    day = window_of(NOW_MS, Grain.DAY, "Asia/Kolkata")
    assert [one["from"] for one in abouts(world)] == ["2026-11-14T18:30Z"]
    assert world.store.state_of(world.store.of("abc")[0])[0].told[0][0] == f"{day.from_ms}#a"


def test_hits_of_an_hour_that_ended_while_nobody_looked_are_told_of() -> None:
    world = World()
    added(world.store, hits=10)
    world.pass_time(59)
    world.hit("a", 10)
    world.pass_time(20)
    world.look()
    world.look()
    assert [(one["asset"], one["to"]) for one in abouts(world)] == [("a", "2026-11-15T13:00Z")]


def test_an_alert_does_not_tell_of_what_was_before_it() -> None:
    world = World()
    world.hit("a", 100)
    world.pass_time(61)
    added(world.store, hits=10)
    world.look()
    assert world.events() == []


def test_the_last_minutes_are_told_once_for_each_stretch_that_shares_no_hit() -> None:
    world = World()
    added(world.store, hits=10, window="minutes", minutes=5)
    told: list[int] = []
    for minute in range(30):
        world.hit("a", 10)
        world.look()
        if len(world.events()) > len(told):
            told.append(minute)
        world.pass_time(1)
    assert told == [0, 5, 10, 15, 20, 25]


def test_a_window_tells_of_so_many_assets_and_no_more() -> None:
    world = World()
    added(world.store, hits=1)
    for asset in range(2 * TOLD_MAX + 5):
        world.hit(f"a{asset}")
    for _ in range(15):  # A round tells some of them.
        world.look()
    state, _ = world.store.state_of(world.store.of("abc")[0])
    assert len(state.told) == 2 * TOLD_MAX


def test_what_was_told_in_earlier_hours_takes_no_room_from_later_ones() -> None:
    world = World()
    added(world.store, hits=1)
    for hour in range(40):
        for asset in range(20):
            world.hit(f"a{asset}")
        world.look()
        assert len(world.store.state_of(world.store.of("abc")[0])[0].told) <= 80, hour
        world.pass_time(60)
    assert len(world.store.outbox.page("abc", limit=1_000)[0]) == 800


def test_silence_is_told_once_and_so_is_its_end() -> None:
    world = World()
    added(world.store, kind="brand-silent", minutes=10)
    for _ in range(15):
        world.hit("a")
        world.look()
        world.pass_time(1)
    assert world.types() == []
    for _ in range(30):
        world.look()
        world.pass_time(1)
    assert world.types() == ["brand-silent"]
    world.hit("a")
    for _ in range(5):
        world.look()
        world.pass_time(1)
    assert world.types() == ["brand-silent", "brand-heard-again"]


def test_hits_that_are_not_counted_do_not_end_a_silence() -> None:
    world = World()
    added(world.store, kind="brand-silent", minutes=5)
    for _ in range(10):
        world.lose(5)
        world.last_hit_ms = world.clock.now_ms()
        world.look()
        world.pass_time(1)
    assert world.types() == ["brand-silent"]


def test_time_in_which_nobody_looked_is_no_silence() -> None:
    world = World()
    added(world.store, kind="brand-silent", minutes=5)
    world.hit("a")
    world.look()
    world.pass_time(300)
    world.look()
    assert world.types() == []
    for _ in range(6):
        world.pass_time(1)
        world.look()
    assert world.types() == ["brand-silent"]


@pytest.mark.parametrize("hours", ["14:00-22:00", "22:00-14:00", "13:00-24:00"])
def test_silence_counts_in_the_hours_that_somebody_wants_to_hear_of_it(hours: str) -> None:
    world = World(clock=World().clock, zone="Europe/Helsinki")  # noon is 14:00 there
    world.clock.set(NOW_MS - 3 * HOUR_MS)
    added(world.store, kind="brand-silent", minutes=30, hours=hours)
    told_ms: list[int] = []
    while world.clock.now_ms() < NOW_MS + 12 * HOUR_MS:
        world.look()
        if len(world.events()) > len(told_ms):
            told_ms.append(world.clock.now_ms())
        world.pass_time(1)
    begins_ms = {"14:00-22:00": NOW_MS, "22:00-14:00": NOW_MS - 3 * HOUR_MS, "13:00-24:00": NOW_MS - HOUR_MS}[hours]
    assert told_ms == [begins_ms + 30 * MINUTE_MS]


def test_a_spike_of_lost_hits_is_told_once_until_it_is_over() -> None:
    world = World()
    added(world.store, kind="drops-spike", minutes=5, share=0.3, atLeast=20, times=2)
    for minute in range(180):
        world.hit("a", 9)
        world.lose(60 if 100 <= minute < 120 or 150 <= minute < 155 else 1)
        world.look()
        world.pass_time(1)
    assert world.types() == ["drops-spike", "drops-spike"]
    assert [one["usualShare"] is not None for one in abouts(world)] == [True, True]
    assert abouts(world)[0]["share"] >= 0.3


def test_a_share_that_is_usual_is_no_spike() -> None:
    world = World()
    added(world.store, kind="drops-spike", minutes=5, share=0.3, atLeast=20, times=2)
    for minute in range(200):
        world.hit("a", 5)
        world.lose(5 if minute >= 1 else 0)
        world.look()
        world.pass_time(1)
    # Half of the hits are lost as ever; only while nothing was known of the usual it was told.
    assert world.types() in ([], ["drops-spike"])
    assert all(one["usualShare"] is None for one in abouts(world))


def test_an_alert_that_is_off_tells_nothing() -> None:
    world = World()
    added(world.store, hits=1, isOn=False)
    world.hit("a")
    world.look()
    assert world.events() == []


Step = tuple[str, int, bool]
STEPS = st.lists(
    st.tuples(st.sampled_from(["hit a", "hit b", "look", "end", "pass", "wait"]), st.integers(1, 6), st.booleans()),
    max_size=60,
)


def played(world: World, steps: list[Step]) -> None:
    for what, number, is_done in steps:
        match what:
            case "hit a" | "hit b":
                world.hit(what[-1], number)
            case "end":
                world.look_and_end(number, is_done=is_done)
            case "pass":
                world.pass_time(number * 0.4)
            case "wait":
                world.pass_time(number * 7)
                world.look()
            case _:
                world.look()


@given(STEPS, st.sampled_from([Grain.HOUR, Grain.DAY]))
def test_every_window_in_which_an_asset_passed_is_told_exactly_once(steps: list[Step], grain: Grain) -> None:
    world = World()
    added(world.store, hits=8, window="hour" if grain is Grain.HOUR else "day")
    played(world, steps)
    world.look()
    world.clock.set(window_of(world.clock.now_ms(), grain, "UTC").to_ms + SETTLE_MS)
    world.look()
    passed: dict[tuple[int, str], int] = {}
    for at_ms, asset in world.hits:
        key = (window_of(at_ms, grain, "UTC").from_ms, asset)
        passed[key] = passed.get(key, 0) + 1
    # `wait` looks before two windows can end unseen, so that every one of them was looked at.
    expected = sorted((str(from_ms), asset) for (from_ms, asset), hits in passed.items() if hits >= 8)
    told = sorted((str(moment_from_text(one["from"])), one["asset"]) for one in abouts(world))
    assert told == expected
    assert len({str(one["id"]) for one in world.events()}) == len(told)


@given(STEPS)
def test_silence_and_its_end_take_turns_however_often_processes_end(steps: list[Step]) -> None:
    world = World()
    added(world.store, kind="brand-silent", minutes=2)
    played(world, steps)
    world.hit("a")
    world.look()
    types = world.types()
    assert types == ["brand-silent", "brand-heard-again"] * (len(types) // 2)
    for _ in range(4):
        world.pass_time(1)
        world.look()
    assert world.types() == [*types, "brand-silent"]


@given(STEPS)
def test_an_asset_is_not_told_again_of_hits_that_were_told(steps: list[Step]) -> None:
    world = World()
    added(world.store, hits=5, window="minutes", minutes=3)
    played(world, steps)
    told: dict[str, int] = {}
    for one in world.events():
        asset, at_ms = json.loads(str(one["about"]))["asset"], one["at_ms"]
        assert isinstance(at_ms, int)
        assert at_ms - told.get(asset, 0) >= 3 * MINUTE_MS
        told[asset] = at_ms


def test_what_is_remembered_stays_small() -> None:
    world = World()
    added(world.store, kind="drops-spike", minutes=60)
    for _ in range(3 * DAY_MS // (5 * MINUTE_MS)):
        world.hit("a", 3)
        world.look()
        world.pass_time(5)
    memory = world.store.memory_of("abc")
    assert len(memory.samples) < 200
