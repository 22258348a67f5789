"""Watch time loses nothing and credits nothing twice: killed anywhere, on either ground, overtaken, read again."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replaced

from footfall.flow.count.sessions import Sessions
from footfall.flow.count.worker import Worker
from footfall.flow.store.completions import Completion
from footfall.flow.store.sessions import load_sessions
from footfall.flow.store.watch_log import load_viewers
from footfall.flow.stream.beats import PlayState
from footfall.ports.errors import Changed
from footfall.ports.stream import Entry
from footfall.ports.table import Table
from footfall.values.groups import completions_name, pings_group, plays_name, watch_name
from footfall.values.window import DAY_MS, HOUR_MS, Grain
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.playing import (
    GROUP,
    Named,
    beat,
    log_rows,
    seen_of,
    send_beats,
    send_ticks,
    total_ms,
    viewings,
    watched,
    watched_series,
)
from tests.flow.count.stage import NOON_MS, Stage
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

WRITES_MAX = 400
ENDED = int(PlayState.ENDED)


def eventful_hour() -> Iterator[list[Named]]:
    """Yield the beats that come before each time that counting gets its turn, ten seconds apart."""
    dice = random.Random(4)
    late: list[Named] = []
    for n in range(14):
        more: dict[str, Any] = {"series": "show"}
        lengths_ms = {3: 130_000}  # Of the last one all is seen.
        beats = [
            (f"s{one}", beat(n, asset=f"a{one}", member=f"m{one}", duration_ms=lengths_ms.get(one, 200_000), **more))
            for one in range(4)
        ]
        beats += [("holed", beat(n, visitor=b"12345678")), ("plain", beat(n, asset="live"))]
        coming = [named for named in beats if not (named[0] == "holed" and n in (3, 9))]
        coming, waiting = coming[:3], coming[3:]
        yield [*late, *coming, *coming[:1]]
        late = waiting if dice.random() < 0.5 else []
        if not late:
            yield waiting
    going_on = [("s0", "a0"), ("plain", "live")]  # after their ends
    yield [*late, *((name, beat(14, asset=asset, state=ENDED)) for name, asset in [*going_on, ("s1", "a1")])]
    yield [*((name, beat(n, asset=asset)) for n in (15, 16) for name, asset in going_on), ("s1", beat(3, asset="a1"))]


def played(stage: Stage, *, writes: int, is_ordered: bool) -> tuple[object, bool]:
    """Play the hour, killed once after so many writes; return all that is stored and whether it came to that."""
    table: TroubledTable = KilledTable(stage.table, writes=writes, is_ordered=is_ordered)
    was_killed, workers = False, []
    for beats in [*eventful_hour(), [], []]:
        send_beats(stage, beats)
        if not beats:
            stage.clock.advance(700_000)
            send_ticks(stage)
        try:
            workers = workers or [stage.worker(shard, table) for shard in range(stage.shards)]
            for worker in workers:
                worker.drain()
        except Killed:
            was_killed, table = True, TroubledTable(stage.table, is_ordered=is_ordered)
            workers = [stage.worker(shard, table) for shard in range(stage.shards)]
            for worker in workers:
                worker.drain()
        stage.clock.advance(5_000)
    lines = stage.lines(GROUP)
    seen = [seen_of(stage, f"a{one}") for one in range(4)]
    counted = [watched(stage, name_of=name_of) for name_of in (watch_name, plays_name, completions_name)]
    assert viewings(stage) == (Counter(["a0", "a1", "a2", "a3", "film", "live"]), Counter(["a3"]))
    assert [one.playbacks for one in seen] == [1] * 4
    return (counted, watched_series(stage), log_rows(stage), seen, lines.counted, lines.duplicate), was_killed


@pytest.mark.parametrize("every", [29, pytest.param(1, marks=pytest.mark.soak)])
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
    raise AssertionError("it was always killed: the hour has more writes than are tried")


def test_the_log_adds_up_to_the_windows_of_every_day() -> None:
    stage = Stage(zone="Asia/Kathmandu", shards=3)
    night_s = (stage.window(NOON_MS, Grain.DAY).to_ms - NOON_MS) // 1_000
    for n in range(12):  # Over the brand's midnight.
        beats = [(f"s{one}", beat(n, at_s=night_s - 55 + 10 * n, asset=f"a{one}")) for one in range(7)]
        stage.clock.advance(max(0, beats[0][1].at_ms - stage.clock.now_ms()))
        send_beats(stage, beats)
    stage.clock.advance(HOUR_MS)
    send_ticks(stage)
    side = stage.side()
    side.count()
    rows = log_rows(stage)
    by_day: Counter[tuple[int, str]] = Counter()
    for row in rows:
        by_day[row.day_ms, row.asset] += row.ms
    by_window: Counter[tuple[int, str]] = Counter()
    for start_ms, counts in watched(stage).items():
        for key, ms in counts.items():
            by_window[stage.window(start_ms, Grain.DAY).from_ms, key[0]] += ms
    assert by_day == by_window
    assert sum(by_day.values()) == 7 * 11 * 10_000
    assert len({day for day, _ in by_day}) == 2
    assert sum(row.beats for row in rows) == 7 * 12


@settings(max_examples=25, deadline=None)
@given(
    chance=st.integers(0, 2**32),
    flushes=st.sets(st.integers(0, 40), max_size=8),
    kills=st.lists(st.integers(0, 30), max_size=3),
    is_ordered=st.booleans(),
)
def test_any_order_repetition_flush_and_crash_credits_the_same(
    chance: int, flushes: set[int], kills: list[int], is_ordered: bool
) -> None:
    dice = random.Random(chance)
    lengths_ms = [0, 110_000, 300_000]  # nobody knows; all of it is seen; a third of it is
    sent = [(f"s{one}", beat(n, asset=f"a{one}", duration_ms=lengths_ms[one])) for n in range(12) for one in range(3)]
    sent += [(f"s{one}", beat(12, asset=f"a{one}", state=ENDED)) for one in range(3)]
    mixed = sorted(sent, key=lambda named: named[1].number + dice.uniform(0, 5))
    mixed += dice.sample(sent, 6)
    stage = Stage()
    table: TroubledTable = TroubledTable(stage.table, is_ordered=is_ordered)
    worker = stage.worker(0, table)
    for place, named in enumerate(mixed):
        send_beats(stage, [named])
        if place in flushes:
            try:
                if kills:
                    table = KilledTable(stage.table, writes=kills.pop(), is_ordered=is_ordered)
                    worker = stage.worker(0, table)
                worker.drain()
            except Killed:
                worker = stage.worker(0, TroubledTable(stage.table, is_ordered=is_ordered))
    stage.clock.advance(HOUR_MS)  # An end that came before others is one after a silence.
    send_ticks(stage)
    stage.worker(0, stage.table).drain()
    assert total_ms(stage) == 3 * 11 * 10_000
    assert viewings(stage) == (Counter(["a0", "a1", "a2"]), Counter(["a1"]))
    assert [seen_of(stage, f"a{one}").playbacks for one in range(3)] == [0, 1, 1]
    assert stage.lines(GROUP).counted == len(mixed)


def test_one_that_slept_while_another_counted_changes_nothing() -> None:
    stage = Stage()
    table = TroubledTable(stage.table, is_ordered=True)
    send_beats(stage, [("s", beat(n)) for n in range(3)])
    sleeper = stage.worker(0, table)
    sleeper.drain()
    send_beats(stage, [("s", beat(n)) for n in range(3, 6)])
    stage.worker(0, table).drain()
    with pytest.raises(Changed):
        sleeper.drain()
    sleeper.drain()
    send_beats(stage, [("s", beat(n)) for n in range(6, 8)])
    sleeper.drain()
    assert total_ms(stage) == 70_000


def test_a_session_that_is_over_goes_on_from_its_last_beat_and_credits_no_beat_again() -> None:
    stage = Stage()
    for beats in (
        [("s", beat(n)) for n in range(4)] + [("s", beat(4, state=ENDED))],
        [("s", beat(n)) for n in range(8)],
    ):
        send_beats(stage, beats)
        stage.worker(0, stage.table).drain()
    assert total_ms(stage) == 30_000 + 20_000  # From 5 to 6, and to 7; the way from the end to 5 is not watched.


@pytest.mark.parametrize("writes", range(24))
def test_a_session_that_goes_on_and_ends_again_in_a_flush_that_is_killed_credits_no_beat_again(writes: int) -> None:
    stage = Stage()
    table: TroubledTable = TroubledTable(stage.table, is_ordered=True)
    send_beats(stage, [*[("s", beat(n)) for n in range(4)], ("s", beat(4, state=ENDED))])
    stage.worker(0, table).drain()
    send_beats(stage, [("s", beat(n)) for n in range(8)])
    send_beats(stage, [("s", beat(8, state=ENDED))])
    try:
        stage.worker(0, KilledTable(stage.table, writes=writes, is_ordered=True)).drain()
    except Killed:
        stage.worker(0, table).drain()
    assert total_ms(stage) == 30_000 + 20_000
    assert sum(row.ms for row in log_rows(stage)) == 50_000


def test_changes_that_outgrow_what_they_change_become_a_snapshot() -> None:
    stage = Stage()
    worker = stage.worker(0, stage.table)
    for n in range(120):
        stage.clock.advance(1_000)
        send_beats(stage, [("s", beat(n, at_s=n))])
        worker.drain()
    stored = load_sessions(stage.table, 0)
    assert stored.head is not None
    assert len(stored.packs) < 30
    assert not stored.orphans


def test_a_day_has_its_row_soon_after_it_is_over_also_of_a_session_that_goes_on() -> None:
    stage = Stage()
    last_ms = NOON_MS + 12 * HOUR_MS
    for n in range(0, 5_000, 20):  # Nearly fourteen hours, the last of them paused; told every two hundred seconds.
        state = int(PlayState.PLAYING if n < 4_680 else PlayState.PAUSED)
        send_beats(stage, [("live", beat(n + one, state=state)) for one in range(20)])
        stage.clock.advance(200_000)
        stage.worker(0, stage.table).drain()
        days = [row.day_ms for row in log_rows(stage)]
        assert (last_ms - DAY_MS in days) == (stage.clock.now_ms() > last_ms)
    assert [row.ms for row in log_rows(stage)] == [12 * HOUR_MS]
    stage.clock.advance(HOUR_MS)
    send_ticks(stage)
    stage.worker(0, stage.table).drain()
    assert sum(row.ms for row in log_rows(stage)) == total_ms(stage) == 4_679 * 10_000


def test_a_day_that_ends_in_a_pause_has_its_row_though_nothing_is_credited_after_it() -> None:
    stage = Stage()
    worker = stage.worker(0, stage.table)
    for n in range(200):  # Watched until some minutes before midnight, and paused for the rest of the night.
        state = int(PlayState.PLAYING if n < 30 else PlayState.PAUSED)
        stage.clock.advance(max(0, NOON_MS + 42_000_000 + 10_000 * n - stage.clock.now_ms()))
        send_beats(stage, [("s", beat(n, at_s=42_000 + 10 * n, state=state))])
        worker.drain()
    assert [row.ms for row in log_rows(stage)] == [290_000]


def crowded(stage: Stage, table: Table, *, sessions_max: int) -> Worker:
    """Return a worker that has room for few sessions."""
    worker = stage.worker(0, table)
    worker.sessions = Sessions(
        table, 0, worker.placing, stage.clock, worker.expires_at_ms, fresh_ms=500, sessions_max=sessions_max
    )
    worker._tally = worker._new_tally()
    return worker


def test_beats_beyond_the_sessions_that_there_is_room_for_have_a_line_of_the_ledger() -> None:
    stage = Stage()
    send_beats(stage, [(f"s{one}", beat(n)) for one in range(5) for n in range(2)])
    crowded(stage, stage.table, sessions_max=2).drain()
    assert total_ms(stage) == 20_000
    lines = stage.lines(GROUP)
    assert (lines.counted, lines.screened) == (4, {"no-room": 6})


def test_sessions_that_have_come_to_nothing_make_room_for_others() -> None:
    stage = Stage()
    send_beats(stage, [("seen", beat(n)) for n in range(3)])
    send_beats(stage, [(f"invented {one}", beat(0)) for one in range(9)])
    worker = crowded(stage, stage.table, sessions_max=10)
    worker.drain()
    stage.clock.advance(30_000)
    send_beats(stage, [("late", beat(n)) for n in range(3)] + [("seen", beat(3))])
    worker.drain()
    assert total_ms(stage) == 20_000 + 20_000 + 10_000
    assert not stage.lines(GROUP).screened


@pytest.mark.parametrize("writes", range(0, 40, 3))
def test_a_crowded_worker_that_is_killed_tells_the_same_in_the_ledger(writes: int) -> None:
    def counted(table_of: Callable[[Stage], TroubledTable]) -> tuple[object, ...]:
        stage = Stage()
        table = table_of(stage)
        for first in (0, 3):
            send_beats(stage, [(f"s{one}", beat(n)) for n in range(first, first + 3) for one in range(6)])
            try:
                crowded(stage, table, sessions_max=4).drain()
            except Killed:
                table = TroubledTable(stage.table, is_ordered=True)
                crowded(stage, table, sessions_max=4).drain()
            stage.clock.advance(10_000)
        lines = stage.lines(GROUP)
        return lines.counted, lines.screened, total_ms(stage)

    expected = counted(lambda stage: TroubledTable(stage.table, is_ordered=True))
    assert expected[1]
    assert counted(lambda stage: KilledTable(stage.table, writes=writes, is_ordered=True)) == expected


def film(first: int, playheads_s: range, asset: str = "film", length_s: int = 1_500) -> list[Named]:
    """Return the beats of some part of an asset, ten seconds apart."""
    return [
        ("s", beat(first + n, playhead_ms=1_000 * at_s, asset=asset, duration_ms=1_000 * length_s))
        for n, at_s in enumerate(playheads_s)
    ]


def test_a_film_with_advertisements_between_its_parts_is_one_viewing() -> None:
    stage = Stage()
    parts = [("film", range(0, 501, 10)), ("ad", range(0, 31, 10)), ("film", range(500, 1_001, 10)),
             ("ad", range(0, 31, 10)), ("film", range(1_000, 1_501, 10))]  # fmt: skip
    beats: list[Named] = []
    for asset, playheads_s in parts:
        beats += film(len(beats), playheads_s, asset, 1_500 if asset == "film" else 30)
    send_beats(stage, [*beats, ("s", beat(len(beats), state=ENDED))])
    stage.worker(0, stage.table).drain()
    assert seen_of(stage, "film") == Completion(0, 1_500_000, 1, [1] * 100)
    assert seen_of(stage, "ad") == Completion(0, 60_000, 1, [1] * 100)


def test_a_viewing_that_goes_on_after_a_silence_or_after_midnight_is_one_of_its_first_day() -> None:
    stage = Stage()
    worker = stage.worker(0, stage.table)
    send_beats(stage, film(0, range(0, 751, 10)))
    worker.drain()
    stage.clock.advance(13 * HOUR_MS)
    send_ticks(stage)
    worker.drain()
    later = [(name, replaced(one, at_ms=one.at_ms + 13 * HOUR_MS)) for name, one in film(76, range(740, 1_501, 10))]
    send_beats(stage, [*later, ("s", beat(200, at_s=13 * 3_600 + 2_000, state=ENDED))])
    stage.worker(0, stage.table).drain()
    stage.clock.advance(HOUR_MS)
    send_ticks(stage)
    stage.worker(0, stage.table).drain()
    assert seen_of(stage, "film") == Completion(0, 750_000, 1, [1] * 100)
    assert seen_of(stage, "film", days=2) == Completion(0, 1_510_000, 1, [1] * 100)


def test_viewers_are_sessions_that_play_and_were_heard_of() -> None:
    stage = Stage(shards=2)
    beats = [(f"s{one}", beat(0, asset="a" if one < 3 else "b")) for one in range(5)]
    send_beats(stage, [*beats, ("paused", beat(0, state=int(PlayState.PAUSED)))])
    for shard in range(2):
        stage.worker(shard, stage.table).drain()
    found = load_viewers(stage.table, "abc", now_ms=stage.clock.now_ms())
    assert sum(one.total for one in found) == 5
    assert sum(dict(one.assets).get("a", 0) for one in found) == 3
    stage.clock.advance(60_000)
    assert load_viewers(stage.table, "abc", now_ms=stage.clock.now_ms()) == []


def test_who_was_away_and_tells_of_yesterday_does_not_watch_now() -> None:
    stage = Stage()
    send_beats(stage, [("away", beat(n, at_s=10 * n - 20 * 3_600)) for n in range(5)] + [("here", beat(0))])
    stage.worker(0, stage.table).drain()
    assert [one.total for one in load_viewers(stage.table, "abc", now_ms=stage.clock.now_ms())] == [1]


def test_a_record_that_is_no_pack_of_beats_is_dead_and_stalls_nothing() -> None:
    stage = Stage()
    stage.stream.append([Entry(0, GROUP, 3, b"nonsense", NOON_MS)])
    send_beats(stage, [("s", beat(n)) for n in range(2)])
    stage.worker(0, stage.table).drain()
    assert (stage.lines(GROUP).dead, stage.lines(GROUP).counted) == (3, 2)
    assert total_ms(stage) == 10_000


def test_hours_and_days_of_minutes_watched_are_built_as_those_of_hits() -> None:
    stage = Stage()
    send_beats(stage, [("s", beat(n)) for n in range(13)])
    stage.clock.advance(30 * HOUR_MS)
    stage.send("later")
    stage.side().count()
    name = watch_name("abc")
    for grain in (Grain.HOUR, Grain.DAY):
        assert stage.counts(NOON_MS, grain, name).total() == 120_000
    assert pings_group("abc") == GROUP
