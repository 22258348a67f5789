"""A hit is counted by its minute while minutes are kept, and straight into its hour or day when they are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.count.placing import Placing
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of
from tests.flow.count.stage import NOON_MS

KEPT_MS = {Grain.MINUTE: 2 * DAY_MS, Grain.FIVE: 2 * DAY_MS, Grain.HOUR: 60 * DAY_MS, Grain.DAY: 762 * DAY_MS}
ZONES = ("UTC", "Europe/Helsinki", "Asia/Kathmandu", "Australia/Lord_Howe")


def placing(zone: str = "UTC", **kept_ms: int) -> Placing:
    changed = {Grain[name.upper()]: kept for name, kept in kept_ms.items()}
    return Placing(kept_ms={**KEPT_MS, **changed}, zone_of=lambda _: zone)


HALF_PAST_MS = NOON_MS + 30 * MINUTE_MS


@pytest.mark.parametrize(
    ("age_ms", "grain"),
    [
        (-MINUTE_MS, Grain.MINUTE),
        (0, Grain.MINUTE),
        (2 * DAY_MS + 30 * MINUTE_MS, Grain.MINUTE),  # Its own minute has gone, and others of its hour have not.
        (2 * DAY_MS + 30 * MINUTE_MS + 1, Grain.HOUR),
        (60 * DAY_MS + 30 * MINUTE_MS, Grain.HOUR),
        (60 * DAY_MS + 30 * MINUTE_MS + 1, Grain.DAY),  # Its hour has gone, though others of its day have not.
        (60 * DAY_MS + 12 * HOUR_MS + 30 * MINUTE_MS + 1, Grain.DAY),
        (3_000 * DAY_MS, Grain.DAY),
    ],
)
def test_the_finest_window_that_is_kept_as_a_whole_takes_a_hit(age_ms: int, grain: Grain) -> None:
    at_ms = HALF_PAST_MS - age_ms
    place = placing().place("abc", at_ms, arrived_at_ms=HALF_PAST_MS)
    window = window_of(at_ms, grain, "UTC")
    assert place == (window.from_ms if grain is Grain.MINUTE else window)


@given(
    age_ms=st.integers(-5 * MINUTE_MS, 400 * DAY_MS),
    other_ms=st.integers(-DAY_MS, DAY_MS),
    zone=st.sampled_from(ZONES),
)
def test_hits_within_the_bounds_go_to_the_same_place(age_ms: int, other_ms: int, zone: str) -> None:
    one = placing(zone)
    place, from_ms, to_ms = one.placed(zone, NOON_MS - age_ms, NOON_MS)
    other = min(max(NOON_MS - age_ms + other_ms, from_ms), to_ms - 1)
    assert one.placed(zone, other, NOON_MS) == (place, from_ms, to_ms)
    assert isinstance(place, int) or place.from_ms <= from_ms < to_ms <= place.to_ms


@given(age_ms=st.integers(0, 400 * DAY_MS), zone=st.sampled_from(ZONES))
def test_no_window_that_is_kept_is_passed_over(age_ms: int, zone: str) -> None:
    at_ms = NOON_MS - age_ms
    place = placing(zone).place("abc", at_ms, arrived_at_ms=NOON_MS)
    if isinstance(place, Window):
        finer = [window_of(at_ms, Grain.MINUTE, zone)]
        finer += [window_of(at_ms, Grain.HOUR, zone)] if place.grain is Grain.DAY else []
        assert all(window.to_ms + KEPT_MS[window.grain] <= NOON_MS for window in finer)


def test_minutes_that_are_kept_for_longer_than_hours_take_their_hits() -> None:
    one = placing(minute=90 * DAY_MS, hour=DAY_MS)
    at_ms = NOON_MS - 80 * DAY_MS
    assert one.place("abc", at_ms, arrived_at_ms=NOON_MS) == at_ms // MINUTE_MS * MINUTE_MS


@given(
    off_ms=st.lists(st.integers(0, 3 * HOUR_MS) | st.integers(0, 800 * DAY_MS), min_size=1, max_size=20),
    is_log=st.booleans(),
)
def test_a_column_in_groups_is_every_hit_at_its_own_place(off_ms: list[int], is_log: bool) -> None:
    one = placing("Asia/Kathmandu")
    at_ms = [NOON_MS - off for off in (sorted(off_ms, reverse=True) if is_log else off_ms)]
    places = [one.place("abc", moment_ms, arrived_at_ms=NOON_MS) for moment_ms in at_ms]
    groups = one.by_place("abc", at_ms, range(len(at_ms)), arrived_at_ms=NOON_MS)
    assert groups == {place: [at for at, its in enumerate(places) if its == place] for place in places}
    only = one.only_place("abc", at_ms, arrived_at_ms=NOON_MS)
    assert only is None or groups.keys() == {only}
    if at_ms[0] == min(at_ms) == max(at_ms):
        assert only == places[0]
