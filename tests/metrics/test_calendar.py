"""Periods of a brand's calendar, and the same some periods earlier: every day is in one of them, and in no other."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.metrics.calendar import (
    FIRST_DAY,
    LAST_DAY,
    PERIODS_MAX,
    Edges,
    PeriodGrain,
    day_from,
    day_of,
    edges_between,
    midnight_ms,
)
from footfall.metrics.formula import Calendar
from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, Grain, walk
from tests.metrics.model import earlier

ZONES = ("UTC", "Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu")
DAYS = st.dates(date(1990, 1, 1), date(2100, 1, 1)).map(date.toordinal)
LENGTHS = st.integers(1, 500)
COUNTS = st.integers(-30, 30)


def day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def labels(edges: Edges) -> list[str]:
    return [edges.label(number) for number in range(len(edges))]


def test_weeks_begin_on_monday_and_the_ends_are_as_asked() -> None:
    edges = edges_between(day("2026-01-01"), day("2026-01-20"), PeriodGrain.WEEK, "UTC")
    assert labels(edges) == ["2026-01-01", "2026-01-05", "2026-01-12", "2026-01-19"]
    assert (edges.ends - edges.starts).tolist() == [4, 7, 7, 1]


@pytest.mark.parametrize(
    ("grain", "expected"),
    [
        (PeriodGrain.MONTH, ["2025-11-15", "2025-12-01", "2026-01-01"]),
        (PeriodGrain.QUARTER, ["2025-11-15", "2026-01-01"]),
        (PeriodGrain.YEAR, ["2025-11-15", "2026-01-01"]),
    ],
)
def test_longer_periods_begin_where_calendars_have_them(grain: PeriodGrain, expected: list[str]) -> None:
    assert labels(edges_between(day("2025-11-15"), day("2026-02-01"), grain, "UTC")) == expected


@given(DAYS, LENGTHS, st.sampled_from([one for one in PeriodGrain if one is not PeriodGrain.HOUR]))
def test_periods_hold_every_day_of_a_span_once(first: int, length: int, grain: PeriodGrain) -> None:
    edges = edges_between(first, first + length, grain, "UTC")
    found = [one for start, end in pairwise(edges.bounds) for one in range(start, end)]
    assert found == list(range(first, first + length))


@given(DAYS, LENGTHS, st.sampled_from(list(PeriodGrain)[1:]), COUNTS, st.sampled_from(Calendar))
def test_every_day_of_the_shifted_span_is_counted_once(
    first: int, length: int, grain: PeriodGrain, count: int, calendar: Calendar
) -> None:
    shifted = edges_between(first, first + length, grain, "UTC").shifted(count, calendar)
    ends = [earlier(date.fromordinal(one), count, calendar).toordinal() for one in (first, first + length)]
    found = [one for start, end in pairwise(shifted.bounds) for one in range(start, end)]
    assert found == list(range(*ends))


def test_a_day_that_the_earlier_month_lacks_is_the_first_of_the_next() -> None:
    edges = edges_between(day("2026-03-27"), day("2026-04-02"), PeriodGrain.DAY, "UTC").shifted(1, Calendar.MONTH)
    lengths = (edges.ends - edges.starts).tolist()
    assert labels(edges) == ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-01", "2026-03-01", "2026-03-01"]
    assert lengths == [1, 1, 0, 0, 0, 1]  # March has three days more, and they are not counted twice.


def test_the_31st_is_counted_where_the_later_month_lacks_it() -> None:
    # The day before the first has both the 30th and the 31st of the month before.
    edges = edges_between(day("2026-04-29"), day("2026-05-02"), PeriodGrain.DAY, "UTC").shifted(1, Calendar.MONTH)
    assert (edges.ends - edges.starts).tolist() == [1, 2, 1]


def test_whole_months_are_shifted_to_whole_months() -> None:
    edges = edges_between(day("2026-01-01"), day("2026-07-01"), PeriodGrain.MONTH, "UTC").shifted(1, Calendar.MONTH)
    assert labels(edges) == ["2025-12-01", "2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01"]


@given(
    st.dates(date(1995, 1, 1), date(2030, 1, 1)).map(date.toordinal),
    st.integers(1, 20),
    st.sampled_from(ZONES),
    st.integers(-14, 14),
    st.sampled_from(Calendar),
)
def test_every_hour_of_the_shifted_span_is_counted_once(
    first: int, length: int, zone: str, count: int, calendar: Calendar
) -> None:
    edges = edges_between(first, first + length, PeriodGrain.HOUR, zone)
    assert list(edges.bounds[:-1]) == [
        one.from_ms for one in walk(Grain.HOUR, from_ms=edges.bounds[0], to_ms=edges.bounds[-1], zone=zone)
    ]
    shifted = edges.shifted(count, calendar)
    ends = [earlier(date.fromordinal(one), count, calendar).toordinal() for one in (first, first + length)]
    assert list(shifted.bounds) == sorted(shifted.bounds)
    assert [shifted.bounds[0], shifted.bounds[-1]] == [midnight_ms(zone, one) for one in ends]


@pytest.mark.parametrize(("text", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)])
def test_days_have_as_many_hours_as_clocks_give_them(text: str, hours: int) -> None:
    edges = edges_between(day(text), day(text) + 1, PeriodGrain.HOUR, "Europe/Helsinki")
    assert len(edges) == hours
    assert edges.bounds[-1] - edges.bounds[0] == hours * HOUR_MS


def test_a_day_that_a_zone_left_out_has_no_hours() -> None:
    assert midnight_ms("Pacific/Apia", day("2011-12-30")) == midnight_ms("Pacific/Apia", day("2011-12-31"))


def test_a_moment_has_the_day_of_the_zone() -> None:
    at_ms = midnight_ms("Europe/Helsinki", day("2026-11-15"))
    assert [day_of(at_ms + more, "Europe/Helsinki") for more in (-1_000, 0)] == [day("2026-11-14"), day("2026-11-15")]
    assert day_of(at_ms, "UTC") == day("2026-11-14")


@pytest.mark.parametrize("text", ["2026-02-30", "2026-1-1", "20260101", "today", "", "0001-01-01", "9999-01-01"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"from: .*day"):
        day_from(text, field="from")


def test_a_span_ends_after_it_begins_and_has_so_many_periods() -> None:
    with pytest.raises(Refused, match="must be after from"):
        edges_between(FIRST_DAY, FIRST_DAY, PeriodGrain.DAY, "UTC")
    for grain in (PeriodGrain.DAY, PeriodGrain.HOUR):
        with pytest.raises(Refused, match=rf"{PERIODS_MAX:,} periods of one {grain}"):
            edges_between(FIRST_DAY, LAST_DAY, grain, "UTC")


def test_what_is_shifted_out_of_all_calendars_stays_at_their_end() -> None:
    edges = edges_between(day("2026-01-01"), day("2026-01-05"), PeriodGrain.DAY, "UTC")
    assert set(edges.shifted(1_000, Calendar.YEAR).bounds) == {FIRST_DAY}
    assert set(edges.shifted(-1_000_000, Calendar.WEEK).bounds) == {LAST_DAY}
