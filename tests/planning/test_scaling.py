"""When a table is raised and when it is lowered: within its bounds and the vendor's limits, by what it needs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.planning.scaling import (
    CALL_FACTOR_MAX,
    Bounds,
    Capacity,
    Decreases,
    Minute,
    Proposal,
    Rule,
    is_drop_due,
    proposed,
)
from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, MINUTE_MS, moment_from_text

NOON_MS = moment_from_text("2026-11-17T12:00Z")
BOUNDS = Bounds(10, 1_000)


def minutes(*served: float, refused: int = 0) -> list[Minute]:
    """Return the last minutes, the newest of them with calls that were refused."""
    first_ms = NOON_MS - len(served) * MINUTE_MS
    told = [Minute(first_ms + number * MINUTE_MS, units) for number, units in enumerate(served)]
    return [*told[:-1], replace(told[-1], refused=refused)]


def of(
    seen: Capacity, rule: Rule | None = None, decreases: Decreases | None = None, bounds: Bounds = BOUNDS
) -> Proposal:
    return proposed(seen, bounds, rule or Rule(), decreases or Decreases(), now_ms=NOON_MS)


def test_nothing_changes_below_four_fifths() -> None:
    assert of(Capacity(100, minutes(50, 79.9))) == Proposal(100, 100, "80% is in use")


def test_four_fifths_in_use_raise_it_by_a_fifth() -> None:
    assert of(Capacity(100, minutes(50, 80))) == Proposal(100, 120, "80% is in use")


def test_what_bursts_used_beyond_what_is_provisioned_raises_it_to_what_would_hold_it() -> None:
    assert of(Capacity(100, minutes(140))).after == 175


def test_refused_calls_double_it_since_nobody_knows_how_many_did_not_come_again() -> None:
    assert of(Capacity(100, minutes(60, refused=3))) == Proposal(100, 200, "3 calls were refused in the last minute")


def test_one_call_never_more_than_doubles_it() -> None:
    assert of(Capacity(4, minutes(1))) == Proposal(4, 8, "is below the lower bound of 10; 10 take another call")


def test_the_upper_bound_holds_whatever_is_refused() -> None:
    told = of(Capacity(1_000, minutes(1_000, refused=90)))
    assert told == Proposal(
        1_000, 1_000, "90 calls were refused in the last minute, and the upper bound of 1,000 is reached"
    )


def test_figures_from_before_the_last_raise_do_not_raise_it_again() -> None:
    late = Capacity(200, minutes(100, 190, refused=5), raised_ms=NOON_MS - 30_000)
    assert of(late) == Proposal(200, 200, "there is no whole minute since the last raise")
    assert of(replace(late, raised_ms=NOON_MS - MINUTE_MS)).after == 400


def test_a_hot_key_raises_nothing_since_no_capacity_helps_it() -> None:
    seen = Capacity(100, [replace(minutes(40)[0], hot=50)])
    told = of(seen)
    assert (told.after, told.reason) == (
        100,
        "50 calls were refused for one range of keys: no capacity helps, other keys do",
    )


def test_a_scheduled_drop_leaves_what_the_hour_s_peak_needs() -> None:
    seen = Capacity(900, minutes(200, 90, 60))
    assert of(seen).after == 900
    told = of(seen, Rule(drops=(11 * 60 + 50,)))
    assert told == Proposal(900, 300, "the hour's peak was 200 units a second")


def test_a_drop_is_at_the_time_of_its_zone_and_not_made_up_for_later() -> None:
    rule = Rule(drops=(23 * 60 + 30,), zone="America/New_York")
    assert is_drop_due(rule, moment_from_text("2026-11-17T04:30Z"))
    assert is_drop_due(rule, moment_from_text("2026-11-17T04:59Z"))
    assert not is_drop_due(rule, moment_from_text("2026-11-17T05:00Z"))
    assert not is_drop_due(rule, moment_from_text("2026-11-17T04:29Z"))


def test_nothing_is_lowered_within_an_hour_of_a_refused_call() -> None:
    seen = Capacity(900, [Minute(NOON_MS - 2 * MINUTE_MS, 10, refused=1), *minutes(10)])
    told = of(seen, Rule(drops=(11 * 60 + 59,)))
    assert told == Proposal(900, 900, "calls were refused within the hour, so nothing is lowered")


def test_a_drop_of_less_than_a_tenth_is_not_worth_one_of_the_few() -> None:
    assert of(Capacity(100, minutes(61)), Rule(drops=(12 * 60,))).after == 100
    assert of(Capacity(100, minutes(59)), Rule(drops=(12 * 60,))).after == 89


@pytest.mark.parametrize(
    ("today", "ago_ms", "is_left"),
    [(0, None, True), (3, 1_000, True), (4, 1_000, False), (4, HOUR_MS + 1, True), (26, HOUR_MS + 1, True),
     (27, HOUR_MS + 1, False)],
)  # fmt: skip
def test_the_vendor_takes_four_decreases_at_once_one_more_an_hour_and_27_a_day(
    today: int, ago_ms: int | None, is_left: bool
) -> None:
    last_ms = None if ago_ms is None else NOON_MS - ago_ms
    assert Decreases(today, last_ms).are_left(NOON_MS) is is_left
    told = of(Capacity(900, minutes(1)), Rule(drops=(12 * 60,)), Decreases(today, last_ms))
    assert told.is_drop is is_left
    assert is_left or told.reason == f"the vendor takes no decrease now: {today} today"


CAPACITIES = st.builds(
    lambda provisioned, served, refused: Capacity(
        provisioned, [Minute(NOON_MS - MINUTE_MS * (len(served) - n), one) for n, one in enumerate(served[:-1])]
        + [Minute(NOON_MS - MINUTE_MS, served[-1], refused)],
    ),
    st.integers(1, 5_000), st.lists(st.floats(0, 10_000), min_size=1, max_size=60), st.integers(0, 3),
)  # fmt: skip


@given(CAPACITIES, st.integers(1, 3_000), st.integers(0, 3_000), st.booleans())
def test_whatever_is_seen_it_moves_towards_its_bounds_and_never_more_than_double(
    seen: Capacity, low: int, more: int, drops: bool
) -> None:
    bounds = Bounds(low, low + more)
    told = of(seen, Rule(drops=(12 * 60,)) if drops else None, bounds=bounds)
    assert told.before == seen.provisioned
    assert told.after <= seen.provisioned * CALL_FACTOR_MAX
    assert told.reason
    if told.is_raise:
        assert told.after <= bounds.high
    if told.is_drop:
        assert told.after >= bounds.low
        assert told.after >= max(one.served for one in seen.minutes) or told.after == bounds.high


@pytest.mark.parametrize(("low", "high"), [(0, 5), (-1, 5), (6, 5)])
def test_bounds_that_are_no_range_are_refused(low: int, high: int) -> None:
    with pytest.raises(Refused, match="is no range"):
        Bounds(low, high)


@pytest.mark.parametrize(
    ("rule", "says"),
    [({"raise_at": 0.1}, "not a share"), ({"raise_by": 1.0}, "not a factor"), ({"raise_by": 2.1}, "not a factor"),
     ({"drops": (1_440,)}, "a time of day")],
)  # fmt: skip
def test_a_rule_that_makes_no_sense_is_refused(rule: dict[str, object], says: str) -> None:
    with pytest.raises(Refused, match=says):
        Rule(**rule)  # pyright: ignore[reportArgumentType] - what somebody typed
