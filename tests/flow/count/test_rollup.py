"""Hours are built from minutes and days from hours, late hits are folded in, and a restart forgets none of it."""

import pytest

from footfall.flow.count.building import BUSY_WAIT_MS
from footfall.flow.count.rollup import ATTEMPTS_MAX, LATE_ROWS_MAX, PARTS_PER_STEP
from footfall.flow.count.worker import Worker
from footfall.flow.store import keys
from footfall.flow.store.columns import total_hits
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import Entry
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, parts_of, window_of
from tests.flow.count.stage import NOON_MS, Stage, go_on_until, key_of, rules

MAIN, LATE = keys.shard_name(0), keys.late_part(0)
FOLD_MS = 600_000
BUSY_MS = 2_000
APRIL_MS = 1_775_314_800_000  # 2026-04-04T15:00Z, when Lord Howe's clocks go back by half an hour


def step(worker: Worker) -> object:
    """Let the rollup take one step, as if everything had passed."""
    now_ms = worker.checkpoint.passed_ms
    done = worker.rollup.step(passed_ms=now_ms, through=worker.checkpoint.through, now_ms=now_ms)
    worker.rollup.confirm()
    return done


def begun_hour(stage: Stage) -> Worker:
    """Return a worker in the middle of building the hour of noon, all of whose minutes have a hit."""
    worker = stage.side().workers[0]
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    stage.send("1", "2", at_ms=NOON_MS)
    for minute in range(1, 60):
        stage.send("0", at_ms=NOON_MS + minute * MINUTE_MS)
    worker.drain()
    worker.flush(is_at_tip=True)
    assert step(worker) == []
    return worker


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Chatham"])
def test_hours_are_built_from_minutes_and_days_from_hours(zone: str) -> None:
    stage = Stage(zone=zone)
    stage.clock.set(APRIL_MS)
    side = stage.side()
    for _ in range(30):
        stage.send("1", "2", at_ms=stage.clock.now_ms() - 7 * MINUTE_MS)
        side.count()
        stage.clock.advance(HOUR_MS)
    stage.clock.advance(2 * DAY_MS)
    side.build()
    days = [window for window in stage.windows() if window.grain is Grain.DAY]
    assert sum(total_hits(stage.columns(day.from_ms, Grain.DAY)) for day in days) == 60
    for day in days:
        hours = [stage.columns(hour.from_ms, Grain.HOUR) for hour in parts_of(day, zone)]
        assert total_hits(stage.columns(day.from_ms, Grain.DAY)) == sum(total_hits(hour) for hour in hours)
        for hour in parts_of(day, zone):
            minutes = [total_hits(stage.columns(one.from_ms, Grain.MINUTE)) for one in parts_of(hour, zone)]
            assert total_hits(stage.columns(hour.from_ms, Grain.HOUR)) == sum(minutes)


def test_an_hour_that_is_not_over_is_not_built() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.set(NOON_MS + HOUR_MS + 29_999)  # Hits may still be on their way for half a minute.
    side.build()
    assert stage.parts(NOON_MS, Grain.HOUR) == {}
    stage.clock.advance(MINUTE_MS)
    side.build()
    assert set(stage.parts(NOON_MS, Grain.HOUR)) == {MAIN}


def test_late_hits_wait_beside_their_hour_and_are_folded_in_when_it_is_time() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    side.build()
    stage.send("1", at_ms=NOON_MS)
    side.count()
    assert set(stage.parts(NOON_MS, Grain.HOUR)) == {MAIN, LATE}
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 2}
    stage.clock.advance(FOLD_MS - 1)
    side.build()
    assert LATE in stage.parts(NOON_MS, Grain.HOUR)
    stage.clock.advance(1_000)
    side.build()
    assert set(stage.parts(NOON_MS, Grain.HOUR)) == {MAIN}
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 2}


def test_many_late_rows_are_folded_in_at_once() -> None:
    stage = Stage()
    worker = begun_hour(stage)
    while step(worker) is not None:
        pass
    worker.rollup.note_late("abc", window_of(NOON_MS, Grain.HOUR, "UTC"), rows=LATE_ROWS_MAX + 1, now_ms=NOON_MS)
    assert step(worker) == [("abc", window_of(NOON_MS, Grain.HOUR, "UTC"))]


def test_a_day_counts_late_hits_of_an_hour_that_waits_beside_it() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    side.build()
    stage.clock.set(NOON_MS + 12 * HOUR_MS + 20_000)
    stage.send("1", at_ms=NOON_MS)
    side.count()
    stage.clock.advance(MINUTE_MS)
    side.build()  # The day is over, and the late hit has not been folded into its hour yet.
    assert LATE in stage.parts(NOON_MS, Grain.HOUR)
    assert stage.counts(NOON_MS, Grain.DAY) == {key_of("1"): 2}


def test_a_build_whose_minutes_change_begins_anew_and_ends_all_the_same() -> None:
    stage = Stage()
    worker = begun_hour(stage)
    attempts = 0
    done: object = []
    while not done:
        stage.send("1", at_ms=NOON_MS)
        worker.drain()
        done = step(worker)
        attempts += 1
    assert attempts == ATTEMPTS_MAX
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("0"): 59, key_of("1"): 1 + ATTEMPTS_MAX, key_of("2"): 1}


def test_an_hour_is_built_in_small_steps() -> None:
    worker = begun_hour(Stage())
    steps = 1
    while not step(worker):
        steps += 1
    assert steps + 1 == 60 // PARTS_PER_STEP


def stepped(worker: Worker) -> Worker:
    """Let a worker take as many steps as find something to do, as a process does that never rests."""
    while worker.step():
        pass
    return worker


def send_and_step(stage: Stage, worker: Worker, at_ms: int) -> None:
    """Send a hit of some moment, and have it counted when a flush is due."""
    stage.send("1", at_ms=at_ms)
    stage.clock.advance(1_000)
    stepped(worker)


def test_while_hits_of_an_hour_long_ago_keep_coming_it_is_not_built_and_those_before_it_are() -> None:
    stage = Stage(how=rules(busy_ms=BUSY_MS))
    stage.clock.set(NOON_MS + 6 * HOUR_MS)
    worker = stage.side().workers[0]
    for minute in range(0, 90, 15):
        send_and_step(stage, worker, NOON_MS + minute * MINUTE_MS)
    assert set(stage.parts(NOON_MS, Grain.HOUR)) == {MAIN}
    assert stage.parts(NOON_MS + HOUR_MS, Grain.HOUR) == {}
    stage.clock.advance(BUSY_MS)
    stepped(worker)
    assert set(stage.parts(NOON_MS + HOUR_MS, Grain.HOUR)) == {MAIN}
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 4}
    assert stage.counts(NOON_MS + HOUR_MS, Grain.HOUR) == {key_of("1"): 2}


def test_an_hour_is_built_after_a_while_whatever_keeps_coming_for_it() -> None:
    stage = Stage(how=rules(busy_ms=BUSY_MS))
    stage.clock.set(NOON_MS + 6 * HOUR_MS)
    worker = stage.side().workers[0]
    hits = 0
    while not stage.parts(NOON_MS, Grain.HOUR):
        send_and_step(stage, worker, NOON_MS)
        hits += 1
    assert BUSY_WAIT_MS <= 1_000 * hits <= BUSY_WAIT_MS + 3_000
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): hits}


def test_a_day_waits_for_an_hour_that_late_hits_have_opened_meanwhile() -> None:
    stage = Stage()
    side = stage.side()
    worker = side.workers[0]
    stage.send("1")
    side.count()
    stage.clock.set(NOON_MS + 13 * HOUR_MS)
    worker.flush(is_at_tip=True)
    while step(worker) != [("abc", window_of(NOON_MS, Grain.HOUR, "UTC"))]:
        pass
    assert step(worker) == []  # The day is begun.
    stage.send("2", at_ms=NOON_MS + 5 * HOUR_MS)
    side.count()
    assert stage.counts(NOON_MS, Grain.DAY) == {key_of("1"): 1, key_of("2"): 1}


def test_a_late_hour_of_a_built_day_is_in_the_day_once() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.set(NOON_MS + 13 * HOUR_MS)
    side.build()
    stage.send("2", at_ms=NOON_MS + 5 * HOUR_MS)
    side.count()
    stage.clock.advance(HOUR_MS)
    side.build()
    assert stage.counts(NOON_MS + 5 * HOUR_MS, Grain.HOUR) == {key_of("2"): 1}
    assert stage.counts(NOON_MS, Grain.DAY) == {key_of("1"): 1, key_of("2"): 1}


def test_a_restart_in_the_middle_goes_on_with_what_was_expected() -> None:
    stage = Stage()
    worker = begun_hour(stage)
    hour, day = (("abc", window_of(NOON_MS, grain, "UTC")) for grain in (Grain.HOUR, Grain.DAY))
    assert worker.rollup.unbuilt() == [hour, day]
    again = stage.side()
    assert sorted(again.workers[0].rollup.unbuilt()) == sorted([hour, day])
    again.build()
    stage.send("1", at_ms=NOON_MS)
    again.count()
    once_more = stage.side()  # It knows that a late hit waits, not since when; so it is folded in at once.
    once_more.build()
    assert set(stage.parts(NOON_MS, Grain.HOUR)) == {MAIN}
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("0"): 59, key_of("1"): 2, key_of("2"): 1}
    assert once_more.workers[0].rollup.unbuilt() == [day]


def test_days_are_built_from_uncut_hours_however_short_the_lateness_is() -> None:
    stage = Stage(how=rules(lateness_ms=HOUR_MS), keep_rows=1)
    side = stage.side()
    for hour in range(11):
        stage.send("1", "1", str(hour + 2))
        side.count()
        side.finish()
        stage.clock.advance(HOUR_MS)
    stage.clock.set(NOON_MS + 12 * HOUR_MS + MINUTE_MS)
    side.build()
    assert stage.counts(NOON_MS, Grain.DAY) == {key_of("1"): 22, **{key_of(str(at + 2)): 1 for at in range(11)}}


def test_the_first_hit_of_a_shard_in_a_finished_hour_is_in_its_day_as_well() -> None:
    stage = Stage(shards=2)
    side = stage.side()
    one, other = (next(name for name in "abcdefgh" if shard_of("abc", name, shards=2) == shard) for shard in (0, 1))
    stage.send(one)
    side.count()
    go_on_until(stage, side, NOON_MS + 26 * HOUR_MS)
    assert keys.ALL in stage.parts(NOON_MS, Grain.HOUR)
    now_ms = stage.clock.now_ms()
    key = key_of(other)
    pack = Pack(VERSION, RULES, now_ms, [key], at_ms=[NOON_MS + 1], trusted=True)
    stage.stream.append([Entry(1, "abc", 1, record_from_pack(pack), now_ms)])
    side.count()
    for grain in (Grain.MINUTE, Grain.HOUR, Grain.DAY):
        assert stage.counts(NOON_MS, grain) == {key_of(one): 1, key: 1}
