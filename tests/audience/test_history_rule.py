"""The watched rule: what is begun, what is watched, and how it changes with settings and credits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.audience.history_rule import Progress, State, WatchedRule, require_progress, state_of
from footfall.values.errors import Refused

HOUR_MS, SHORT_MS = 3_600_000, 200_000
IGNORED, IN_PROGRESS, WATCHED = State.IGNORED, State.IN_PROGRESS, State.WATCHED


@pytest.mark.parametrize(
    ("progress", "state"),
    [
        (Progress(0, HOUR_MS), IGNORED),
        (Progress(179_999, HOUR_MS), IGNORED),
        (Progress(180_000, HOUR_MS), IN_PROGRESS),
        (Progress(180_000, HOUR_MS, is_ended=True), IN_PROGRESS),
        (Progress(3_240_000, HOUR_MS), IN_PROGRESS),  # 90 % is not over 90 %
        (Progress(3_240_001, HOUR_MS), WATCHED),
        (Progress(HOUR_MS, HOUR_MS), WATCHED),
        (Progress(60_000, SHORT_MS), IN_PROGRESS),
        (Progress(60_000, SHORT_MS, is_ended=True), WATCHED),
        (Progress(1_000, SHORT_MS, is_ended=True), IGNORED),
        (Progress(9_000, 10_000), WATCHED),  # within a second of the end
        (Progress(2_500_000, HOUR_MS, credits_ms=2_500_000), WATCHED),
        (Progress(3_300_000, HOUR_MS, credits_ms=3_500_000), IN_PROGRESS),  # the credits are known, so no share decides
        (Progress(HOUR_MS, HOUR_MS, credits_ms=HOUR_MS + 9_999_999), WATCHED),
        (Progress(0, None), IGNORED),
        (Progress(1, None), IN_PROGRESS),
        (Progress(1, None, is_ended=True), WATCHED),
        (Progress(5_000, None, credits_ms=5_500), WATCHED),
    ],
)
def test_a_position_is_ignored_in_progress_or_watched(progress: Progress, state: State) -> None:
    assert state_of(progress) is state


def test_a_rule_can_be_changed_and_the_same_facts_say_something_else() -> None:
    facts = Progress(2_880_001, HOUR_MS)
    assert state_of(facts) is IN_PROGRESS
    assert state_of(facts, WatchedRule(watched_percent=80)) is WATCHED
    assert state_of(facts, WatchedRule(ignored_percent=85)) is IGNORED


@given(st.integers(1, 10**9), st.data())
def test_who_is_further_is_never_less_far(duration_ms: int, data: st.DataObject) -> None:
    earlier, later = sorted(data.draw(st.tuples(st.integers(0, duration_ms), st.integers(0, duration_ms))))
    is_ended = data.draw(st.booleans())
    steps = [IGNORED, IN_PROGRESS, WATCHED]
    states = [state_of(Progress(at, duration_ms, is_ended=is_ended)) for at in (earlier, later)]
    assert steps.index(states[0]) <= steps.index(states[1])


def test_a_playhead_behind_the_end_is_at_the_end() -> None:
    assert require_progress(Progress(9_000, 8_000)) == Progress(8_000, 8_000)


@pytest.mark.parametrize(
    ("progress", "field"),
    [
        (Progress(-1, 10), "positionMs"),
        (Progress(1, -10), "durationMs"),
        (Progress(1, 0), "durationMs"),
        (Progress(1, 10, credits_ms=-1), "creditsMs"),
        (Progress(10**15), "positionMs"),
    ],
)
def test_what_no_player_can_be_at_is_refused_by_name(progress: Progress, field: str) -> None:
    with pytest.raises(Refused) as refused:
        require_progress(progress)
    assert refused.value.field == field


@pytest.mark.parametrize("percents", [(90, 5), (50, 50), (-1, 90), (5, 101)])
def test_a_rule_by_which_nothing_is_in_progress_is_refused(percents: tuple[float, float]) -> None:
    with pytest.raises(Refused):
        WatchedRule(ignored_percent=percents[0], watched_percent=percents[1])
