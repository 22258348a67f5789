"""What beats of a session come to: the least of three, in any order, each once."""

import random
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.watching import (
    WAIT_MS,
    WAITING_MAX,
    Beat,
    Session,
    Watching,
    credit_ms,
    hundredths,
    in_minutes,
)
from footfall.flow.stream.beats import RATE_ONE, PlayState
from footfall.values.window import DAY_MS, MINUTE_MS
from tests.flow.count.playing import beat


def credited(watching: Watching) -> int:
    """Return all that was credited and not taken away."""
    return sum(sum(one.counts.values()) for one in watching.minutes.values())


def watched_by(beats: list[Beat]) -> tuple[int, dict[int, int], list[int]]:
    """Return what a session's beats come to: milliseconds, by day, and the hundredths that were seen."""
    watching, session = (
        Watching(lambda _, at_ms: (at_ms // DAY_MS * DAY_MS, at_ms // DAY_MS * DAY_MS + DAY_MS)),
        Session("abc", "s", ahead={}),
    )
    for one in beats:
        watching.take(session, one)
    watching.end(session)
    total = credited(watching)
    days: dict[int, int] = {}
    seen: set[int] = set()
    for _, stretch in watching.over:
        for day, ms in stretch.days.items():
            days[day] = days.get(day, 0) + ms
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
    assert [(one.key[0], sum(one.days.values())) for _, one in watching.over] == [("a", 20_000), ("b", 20_000)]


def test_a_credit_lies_in_the_minutes_before_its_beat() -> None:
    assert list(in_minutes(61_000, 5_000)) == [(0, 4_000), (MINUTE_MS, 1_000)]
    assert list(in_minutes(60_000, 60_000)) == [(0, 60_000)]


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
