"""Spans named by their ends: made of the longest windows, refused where no window begins."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve import spans
from footfall.flow.serve.spans import SPAN_DAYS_MAX, require_span, size_between, span_before, span_between
from footfall.values import window as window_module
from footfall.values.errors import Refused
from footfall.values.period import Span
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, instant_text, moment_from_text, window_of

ZONES = ("UTC", "Europe/Helsinki", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham", "Australia/Lord_Howe")
NOW = moment_from_text("2026-11-15T16:32:20Z")


def span(from_: str, to: str, zone: str = "UTC") -> Span:
    from_ms, to_ms = moment_from_text(from_), moment_from_text(to)
    require_span(from_ms=from_ms, to_ms=to_ms, zone=zone, now_ms=NOW, minutes_kept_ms=2 * DAY_MS)
    return span_between(from_ms, to_ms, zone=zone)


def grains(found: Span) -> str:
    return "".join(window.grain for window in found.windows)


def test_days_stand_for_whole_days_and_hours_and_minutes_for_the_edges() -> None:
    assert grains(span("2026-11-14T00:00Z", "2026-11-16T00:00Z")) == "DD"
    assert grains(span("2026-11-13T22:00Z", "2026-11-15T03:00Z")) == "HHDHHH"
    assert grains(span("2026-11-15T00:58Z", "2026-11-15T03:02Z")) == "MMHHMM"
    assert grains(span("2026-11-14T22:00Z", "2026-11-15T22:00Z", "Europe/Helsinki")) == "D"
    assert grains(span("2026-11-14T18:30Z", "2026-11-15T18:30Z", "Asia/Kolkata")) == "D"


@pytest.mark.parametrize(
    ("from_", "to", "field", "says"),
    [
        ("2026-11-15T00:00Z", "2026-11-15T00:00Z", "to", "not after"),
        ("2026-11-15T00:00Z", "2026-11-14T00:00Z", "to", "not after"),
        ("1971-01-01T00:00Z", "1971-02-01T00:00Z", "from", "too long ago"),
        ("2025-01-01T00:00Z", "2026-11-01T00:00Z", "to", "400 days"),
        ("2026-11-15T00:00Z", "2026-11-16T01:00Z", "to", "after the end of today, 2026-11-16T00:00Z"),
        (
            "2026-11-15T00:00:30Z",
            "2026-11-15T01:00Z",
            "from",
            "use the boundary 2026-11-15T00:00Z or 2026-11-15T00:01Z",
        ),
        ("2026-11-15T00:00Z", "2026-11-15T01:00:00.001Z", "to", "inside a minute"),
        ("2026-10-01T05:30Z", "2026-11-15T00:00Z", "from", "use the boundary 2026-10-01T05:00Z or 2026-10-01T06:00Z"),
        ("2026-10-01T05:00Z", "2026-10-02T05:01Z", "to", "minutes are kept from 2026-11-13T16:33Z on"),
    ],
)
def test_an_end_that_no_window_has_is_refused_with_the_boundary_that_is_meant(
    from_: str, to: str, field: str, says: str
) -> None:
    with pytest.raises(Refused) as refusal:
        span(from_, to)
    assert refusal.value.field == field
    assert says in refusal.value.reason


def test_a_full_hour_is_the_brands() -> None:
    assert grains(span("2026-10-01T05:30Z", "2026-10-01T07:30Z", "Asia/Kolkata")) == "HH"
    with pytest.raises(Refused, match=r"inside an hour of Asia/Kolkata.*2026-10-01T04:30Z or 2026-10-01T05:30Z"):
        span("2026-10-01T05:00Z", "2026-10-01T07:30Z", "Asia/Kolkata")


def test_as_many_days_as_are_possible_can_be_asked_for_whatever_clocks_do() -> None:
    day = window_of(NOW, Grain.DAY, "Europe/Helsinki")
    first = window_of(day.from_ms - (SPAN_DAYS_MAX - 1) * DAY_MS + 12 * HOUR_MS, Grain.DAY, "Europe/Helsinki")
    require_span(from_ms=first.from_ms, to_ms=day.to_ms, zone="Europe/Helsinki", now_ms=NOW, minutes_kept_ms=DAY_MS)
    assert len(span_between(first.from_ms, day.to_ms, zone="Europe/Helsinki").windows) == SPAN_DAYS_MAX


def test_the_span_before_days_is_as_many_days_even_when_clocks_change() -> None:
    # The last week of October has an hour more in Helsinki.
    found = span("2026-10-24T21:00Z", "2026-10-31T22:00Z", "Europe/Helsinki")
    assert grains(found) == "DDDDDDD"
    before = span_before(found, "Europe/Helsinki")
    assert grains(before) == "DDDDDDD"
    assert (instant_text(before.from_ms), before.to_ms) == ("2026-10-17T21:00Z", found.from_ms)


def test_the_span_before_hours_or_minutes_is_as_long() -> None:
    before = span_before(span("2026-11-15T10:00Z", "2026-11-15T13:00Z"), "UTC")
    assert (instant_text(before.from_ms), instant_text(before.to_ms)) == ("2026-11-15T07:00Z", "2026-11-15T10:00Z")
    before = span_before(span("2026-11-15T10:00Z", "2026-11-15T10:07Z"), "UTC")
    assert (instant_text(before.from_ms), grains(before)) == ("2026-11-15T09:53Z", "MMMMMMM")


@given(
    st.integers(NOW - 300 * DAY_MS, NOW),
    st.integers(0, 100 * 24 * 60),
    st.sampled_from([Grain.MINUTE, Grain.HOUR, Grain.DAY]),
    st.sampled_from(ZONES),
)
def test_any_span_is_made_of_neighbours_no_two_of_which_could_be_one(
    at_ms: int, minutes: int, grain: Grain, zone: str
) -> None:
    from_ms = window_of(at_ms, grain, zone).from_ms
    to_ms = window_of(at_ms + minutes * MINUTE_MS, grain, zone).to_ms
    found = span_between(from_ms, to_ms, zone=zone)
    assert (found.from_ms, found.to_ms) == (from_ms, to_ms)
    assert all(one.to_ms == two.from_ms for one, two in pairwise(found.windows))
    assert all(window == window_of(window.from_ms, window.grain, zone) for window in found.windows)
    for window in found.windows:
        for larger in {Grain.MINUTE: (Grain.HOUR, Grain.DAY), Grain.HOUR: (Grain.DAY,)}.get(window.grain, ()):
            around = window_of(window.from_ms, larger, zone)
            assert around.from_ms < from_ms or around.to_ms > to_ms
    assert abs(size_between(from_ms, to_ms, zone=zone) - len(found.windows)) <= 1
    before = span_before(found, zone)
    assert before.to_ms == from_ms
    assert before.from_ms < from_ms


def test_the_span_before_is_as_many_days_where_the_calendar_left_one_out() -> None:
    found = span("2011-12-31T10:00Z", "2012-01-03T10:00Z", "Pacific/Apia")  # There was no 30th of December.
    before = span_before(found, "Pacific/Apia")
    assert (grains(found), grains(before)) == ("DDD", "DDD")
    assert (instant_text(before.from_ms), before.to_ms) == ("2011-12-28T10:00Z", found.from_ms)


def test_a_span_is_looked_at_by_its_ends_however_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def counted(moment_ms: int, grain: Grain, zone: str) -> Window:
        looks.append(moment_ms)
        return window_of(moment_ms, grain, zone)

    monkeypatch.setattr(spans, "window_of", counted)
    monkeypatch.setattr(window_module, "window_of", counted)
    from_ms, to_ms = moment_from_text("2012-01-31T22:00Z"), moment_from_text("2013-02-28T22:00Z")
    require_span(from_ms=from_ms, to_ms=to_ms, zone="Europe/Helsinki", now_ms=NOW, minutes_kept_ms=DAY_MS)
    assert len(looks) <= 3
    size_between(from_ms, to_ms, zone="Europe/Helsinki")
    assert len(looks) <= 9
    found = span_between(from_ms, to_ms, zone="Europe/Helsinki")
    assert len(found.windows) == 394
    # A handful more for the pieces, and those around changes of the clocks and ends of what is looked at together.
    assert len(looks) <= 50
