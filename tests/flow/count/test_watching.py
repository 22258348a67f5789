"""What beats of a session come to: the least of three, in any order, each once."""

import random
from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.watch_values import Beat, CreditTo, Session, Stretch
from footfall.flow.count.watching import (
    WAIT_MS,
    WAITING_MAX,
    Watching,
    credit_ms,
    hundredths,
    in_minutes,
)
from footfall.flow.stream.beats import RATE_ONE, PlayState
from footfall.values.window import DAY_MS, MINUTE_MS
from tests.flow.count.playing import beat
from tests.flow.count.stage import NOON_MS


def utc_day(_brand: str, at_ms: int) -> tuple[int, int]:
    """Return the day around a moment."""
    return at_ms // DAY_MS * DAY_MS, at_ms // DAY_MS * DAY_MS + DAY_MS


def credited(watching: Watching) -> int:
    """Return all that was credited and not taken away."""
    return sum(sum(one.ms) for (_, _, to), one in watching.credits().items() if to is CreditTo.WATCH)


def watched_by(beats: list[Beat]) -> tuple[int, dict[int, int], list[int]]:
    """Return what a session's beats come to: milliseconds, by day, and the hundredths that were seen."""
    watching, session = Watching(utc_day), Session("abc", "s", ahead={})
    for one in beats:
        watching.take(session, one)
    watching.end(session)
    total = credited(watching)
    days: dict[int, int] = {}
    seen: set[int] = set()
    for stretch in (told.stretch for told in watching.over):
        days[stretch.day_ms] = days.get(stretch.day_ms, 0) + stretch.ms
        seen |= set(hundredths(stretch.seen_low, stretch.seen_high))
    return total, days, sorted(seen)


def test_a_beat_is_credited_the_least_of_clock_playhead_and_interval() -> None:
    first = beat(0)
    assert credit_ms(first, beat(1)) == 10_000
    assert credit_ms(first, beat(1, at_s=7)) == 7_000
    assert credit_ms(first, beat(1, playhead_ms=3_000)) == 3_000
    assert credit_ms(first, beat(1, at_s=90, playhead_ms=90_000)) == 15_000
    assert credit_ms(first, beat(1, playhead_ms=20_000, rate=2 * RATE_ONE)) == 10_000
    assert credit_ms(first, beat(1, at_s=90, playhead_ms=90_000, interval_ms=60_000)) == 90_000


def test_what_was_not_played_in_front_is_not_watched() -> None:
    for state in PlayState:
        if state is not PlayState.PLAYING:
            assert credit_ms(beat(0, state=int(state)), beat(1)) == 0
            assert credit_ms(beat(0), beat(1, state=int(state))) == 0
    assert credit_ms(beat(0), beat(1, asset="another")) == 0
    assert credit_ms(beat(0), beat(1, rate=0)) == 0


def test_jumps_of_playhead_and_clock_mint_no_minutes() -> None:
    assert credit_ms(beat(0), beat(1, playhead_ms=5_000_000)) == 10_000
    assert credit_ms(beat(1), beat(2, playhead_ms=0)) == 0
    assert credit_ms(beat(0), beat(1, at_s=10**8)) == 10_000
    assert credit_ms(beat(1), beat(2, at_s=-(10**6))) == 0


def test_a_hole_is_credited_as_one_interval_when_eight_beats_have_waited() -> None:
    late = [beat(n) for n in range(2, 2 + WAITING_MAX + 1)]
    watching, session = Watching(lambda *_: (0, 10**15)), Session("abc", "s", ahead={})
    for one in [beat(0), *late[:-1]]:
        watching.take(session, one)
    assert not credited(watching)  # They wait for the one that is missing.
    watching.take(session, late[-1])
    assert credited(watching) == 10_000 * len(late)
    watching.take(session, beat(1))  # Too late.
    assert credited(watching) == 10_000 * len(late)


def test_a_hole_is_credited_as_one_interval_after_two_minutes() -> None:
    watching, session = Watching(lambda *_: (0, 10**15)), Session("abc", "s", ahead={})
    for one in (beat(0), beat(3, arrived_at_ms=1_000)):
        watching.take(session, one)
    assert not watching.pass_time(session, 1_000 + WAIT_MS - 1)
    assert watching.pass_time(session, 1_000 + WAIT_MS)
    assert credited(watching) == 10_000


def test_a_session_that_changes_to_another_asset_has_a_stretch_of_each() -> None:
    watching, session = Watching(lambda *_: (0, 10**15)), Session("abc", "s", ahead={})
    for n in range(6):
        watching.take(session, beat(n, asset="a" if n < 3 else "b"))
    watching.end(session)
    assert [(one.stretch.key[0], one.stretch.ms) for one in watching.over] == [("a", 20_000), ("b", 20_000)]


def test_a_credit_lies_in_the_minutes_before_its_beat() -> None:
    assert list(in_minutes(61_000, 5_000)) == [(0, 4_000), (MINUTE_MS, 1_000)]
    assert list(in_minutes(60_000, 60_000)) == [(0, 60_000)]


def rows_by(beats: list[Beat]) -> list[Stretch]:
    """Return the stretches that a session's beats come to, each of which is a row of the watch log."""
    watching, session = Watching(utc_day), Session("abc", "s", ahead={})
    for one in beats:
        watching.take(session, one)
    watching.end(session)
    return [told.stretch for told in watching.over]


def test_a_clock_that_goes_to_and_fro_mints_no_minutes() -> None:
    for far_s in (15, 400, 4_000):
        beats = [beat(n, at_s=far_s if n % 2 else 0, playhead_ms=15_000 * n) for n in range(200)]
        assert watched_by(beats)[0] <= 15_000


def test_a_clock_that_is_put_right_loses_no_more_than_one_beat() -> None:
    beats = [beat(n, at_s=10 * n - (3_600 if n > 10 else 0), arrived_at_ms=NOON_MS + 10_000 * n) for n in range(30)]
    assert watched_by(beats)[0] == 28 * 10_000


def test_another_member_of_the_same_session_has_rows_of_their_own() -> None:
    beats = [beat(n, member="ann" if n < 30 else "bob") for n in range(361)]
    found = [(row.member, row.number, row.ms) for row in rows_by(beats)]
    assert found == [("ann", 0, 290_000), ("bob", 30, 3_310_000)]


def test_what_a_later_beat_tells_of_who_watches_what_holds_from_the_beginning() -> None:
    named: dict[str, Any] = {"member": "bob", "series": "dark", "device": "tv"}
    (row,) = rows_by([beat(n, **(named if n == 1 else {})) for n in range(10)])
    assert (row.member, row.show[0], row.device, row.ms) == ("bob", "dark", "tv", 90_000)


def test_a_series_that_is_told_after_minutes_without_one_has_a_row_of_its_own() -> None:
    rows = rows_by([beat(n, member="ann", series="dark" if n > 4 else "") for n in range(10)])
    assert [(row.member, row.show[0], row.ms) for row in rows] == [("ann", "", 40_000), ("ann", "dark", 50_000)]


def test_a_stretch_over_midnight_is_a_row_of_each_day() -> None:
    rows = rows_by([beat(n, at_s=12 * 3_600 - 95 + 10 * n, duration_ms=200_000) for n in range(20)])
    midnight_ms = NOON_MS + 12 * 3_600_000
    assert [(row.day_ms, row.ms, row.beats) for row in rows] == [
        (midnight_ms - DAY_MS, 95_000, 10), (midnight_ms, 95_000, 10),
    ]  # fmt: skip
    assert rows[0].to_ms == rows[1].from_ms == midnight_ms
    assert [len(hundredths(row.seen_low, row.seen_high)) for row in rows] == [48, 48]


changes = st.lists(
    st.tuples(
        st.integers(-40_000, 40_000) | st.just(10),  # seconds by the clock
        st.integers(-5, 20),  # seconds by the playhead
        st.sampled_from(["", "ann", "bob"]),
        st.sampled_from(["", "dark", "the-wire"]),
        st.sampled_from(["film", "film", "ad"]),
        st.sampled_from(["drama", "drama", "news"]),
    ),
    min_size=2,
    max_size=40,
)


@given(walked=changes)
def test_rows_add_up_to_the_lists_whatever_changes_and_none_is_taken_for_another(
    walked: list[tuple[int, int, str, str, str, str]],
) -> None:
    watching, session, at_s, playhead_ms = Watching(utc_day), Session("abc", "s", ahead={}), 0, 100_000
    moments: list[int] = []
    for number, (clock, way, member, series, asset, section) in enumerate(walked):
        at_s, playhead_ms = at_s + clock, max(0, playhead_ms + 1_000 * way)
        key = (asset, section, "", "")
        one = beat(number, at_s=at_s, playhead_ms=playhead_ms, key=key, member=member, series=series)
        moments.append(one.at_ms)
        watching.take(session, one)
        watching.pass_day(session)
    watching.end(session)
    rows, by_key, by_row = [told.stretch for told in watching.over], Counter[object](), Counter[object]()
    for (_, minute_ms, to), credited in watching.credits().items():
        for key, ms in credited.counts().items():
            if to in (CreditTo.WATCH, CreditTo.SHOWS):
                by_key[to, utc_day("", minute_ms)[0], key] += ms
    for row in rows:
        by_row[CreditTo.WATCH, row.day_ms, row.key] += row.ms
        if row.show[0]:
            by_row[CreditTo.SHOWS, row.day_ms, row.show] += row.ms
    assert by_row == by_key
    assert len({(row.key[0], row.day_ms, row.number) for row in rows}) == len(rows)
    assert sum(row.ms for row in rows) <= max(moments) - min(moments)


steps = st.lists(
    st.tuples(
        st.integers(0, 20),  # seconds by the clock
        st.integers(-5, 20),  # seconds by the playhead
        st.sampled_from([0, 0, 0, 0, 1, 2, 4]),
        st.sampled_from([RATE_ONE, RATE_ONE // 2, 2 * RATE_ONE]),
    ),
    min_size=1,
    max_size=30,
)


def session_of(walked: list[tuple[int, int, int, int]]) -> list[Beat]:
    beats: list[Beat] = []
    at_s, playhead_ms = 0, 50_000
    for number, (clock, way, state, rate) in enumerate(walked):
        at_s, playhead_ms = at_s + clock, max(0, playhead_ms + 1_000 * way)
        more: dict[str, Any] = {"playhead_ms": playhead_ms, "state": state, "rate": rate, "duration_ms": 300_000}
        beats.append(beat(number, at_s=at_s, **more))
    return beats


@given(walked=steps, chance=st.integers(0, 2**32), reach=st.integers(0, WAITING_MAX - 1))
def test_order_within_eight_beats_and_repeats_change_nothing(
    walked: list[tuple[int, int, int, int]], chance: int, reach: int
) -> None:
    beats, dice = session_of(walked), random.Random(chance)
    expected = sum(credit_ms(before, after) for before, after in pairwise(beats))
    in_order = watched_by(beats)
    assert in_order[0] == expected == sum(in_order[1].values())
    # Each comes at most `reach` places late, so that no hole is given up.
    mixed = sorted(beats, key=lambda one: one.number + dice.uniform(0, reach + 0.5))
    repeated = [one for two in mixed for one in [two] * dice.randint(1, 2)]
    repeated += dice.sample(beats, dice.randint(0, len(beats)))
    assert watched_by(repeated) == in_order


@given(walked=steps, missing=st.sets(st.integers(0, 30)))
def test_beats_that_never_come_lose_at_most_what_they_would_have_told(
    walked: list[tuple[int, int, int, int]], missing: set[int]
) -> None:
    beats = session_of(walked)
    left = [one for one in beats if one.number not in missing]
    for before, after in pairwise(left):
        if after.number > before.number + 1:
            assert credit_ms(before, after, is_hole=True) <= after.interval_ms
    total, days, _ = watched_by(left)
    assert 0 <= total <= sum(days.values())
