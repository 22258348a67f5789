"""A list covers the windows its period says, and a window is kept as long as any list may need it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.values.period import (
    DAY,
    DEFAULT_PERIODS,
    JUSTNOW,
    RETENTION_MS,
    WEEK,
    ImpossiblePeriod,
    Period,
    closed_span,
    earlier,
    expires_at_ms,
    open_span,
    period_from_setting,
)
from footfall.values.window import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    Grain,
    Window,
    instant_text,
    moment_from_text,
    window_of,
)

ZONES = ["UTC", "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Helsinki", "Pacific/Apia", "Pacific/Chatham"]
periods = st.builds(
    Period,
    name=st.just("own"),
    count=st.integers(min_value=1, max_value=40),
    grain=st.sampled_from(list(Grain)),
    cache_s=st.just(60),
)
moments = st.integers(min_value=moment_from_text("1971-01-01T00:00Z"), max_value=moment_from_text("2045-01-01T00:00Z"))
AT_16_32_MS = moment_from_text("2026-11-15T16:32Z")


def test_the_default_periods_are_the_promised_ones() -> None:
    assert list(DEFAULT_PERIODS) == ["justnow", "day", "week"]
    assert [(one.count, one.grain, one.cache_s) for one in DEFAULT_PERIODS.values()] == [
        (5, Grain.MINUTE, 30),
        (24, Grain.HOUR, 120),
        (7, Grain.DAY, 300),
    ]


def test_at_16_32_the_closed_day_is_yesterday_16_00_to_today_16_00() -> None:
    span = closed_span(DAY, closed_until_ms=AT_16_32_MS, zone="UTC")
    assert len(span.windows) == 24
    assert instant_text(span.from_ms) == "2026-11-14T16:00Z"
    assert instant_text(span.windows[-1].from_ms) == "2026-11-15T15:00Z"
    assert instant_text(span.to_ms) == "2026-11-15T16:00Z"


def test_at_16_32_the_open_day_has_the_same_hours_and_the_open_one() -> None:
    span = open_span(DAY, at_ms=AT_16_32_MS, zone="UTC")
    closed = closed_span(DAY, closed_until_ms=AT_16_32_MS, zone="UTC")
    assert span.windows == (*closed.windows, window_of(AT_16_32_MS, Grain.HOUR, "UTC"))


def test_a_boundary_itself_closes_the_window_before_it() -> None:
    assert closed_span(JUSTNOW, closed_until_ms=AT_16_32_MS, zone="UTC").to_ms == AT_16_32_MS
    just_before = closed_span(JUSTNOW, closed_until_ms=AT_16_32_MS - 1, zone="UTC")
    assert just_before.to_ms == AT_16_32_MS - MINUTE_MS


def test_a_week_in_which_the_clocks_change_is_an_hour_longer() -> None:
    span = closed_span(WEEK, closed_until_ms=moment_from_text("2026-10-28T12:00Z"), zone="Europe/Helsinki")
    assert span.to_ms - span.from_ms == 7 * DAY_MS + HOUR_MS


@given(periods, moments, st.sampled_from(ZONES))
@settings(deadline=None)
def test_a_span_is_its_count_of_windows_without_gaps(period: Period, at_ms: int, zone: str) -> None:
    opened = open_span(period, at_ms=at_ms, zone=zone)
    closed = closed_span(period, closed_until_ms=at_ms, zone=zone)
    assert len(opened.windows) == period.count + 1
    assert len(closed.windows) == period.count
    assert closed.windows == opened.windows[:-1]
    assert opened.windows[-1].from_ms <= at_ms < opened.to_ms
    assert all(left.to_ms == right.from_ms for left, right in pairwise(opened.windows))


@given(periods, moments, st.sampled_from(ZONES))
@settings(deadline=None)
def test_the_earlier_span_ends_one_window_earlier(period: Period, at_ms: int, zone: str) -> None:
    span = open_span(period, at_ms=at_ms, zone=zone)
    before = earlier(span, zone)
    assert before == open_span(period, at_ms=span.windows[-1].from_ms - 1, zone=zone)
    assert before.windows[1:] == span.windows[:-1]


@pytest.mark.parametrize(
    ("span", "grain", "cache", "expected"),
    [
        ("48h", "1h", "120s", Period("own", 48, Grain.HOUR, 120)),
        ("30m", "1m", "30s", Period("own", 30, Grain.MINUTE, 30)),
        ("15m", "5m", "1m", Period("own", 3, Grain.FIVE, 60)),
        ("2w", "1d", "1h", Period("own", 14, Grain.DAY, 3600)),
        ("1d", "1h", "1d", Period("own", 24, Grain.HOUR, 86_400)),
        ("1500m", "1m", "1s", Period("own", 1500, Grain.MINUTE, 1)),
    ],
)
def test_a_period_of_ones_own_is_read(span: str, grain: str, cache: str, expected: Period) -> None:
    assert period_from_setting("own", span=span, grain=grain, cache=cache) == expected


@pytest.mark.parametrize(
    ("span", "grain", "cache", "setting"),
    [
        ("48", "1h", "30s", "periods.own.span"),
        ("0h", "1h", "30s", "periods.own.span"),
        ("-1h", "1h", "30s", "periods.own.span"),
        ("1.5h", "1h", "30s", "periods.own.span"),
        ("٣h", "1h", "30s", "periods.own.span"),
        ("90m", "1h", "30s", "periods.own.span"),
        ("30s", "1m", "30s", "periods.own.span"),
        ("1501m", "1m", "30s", "periods.own.span"),
        ("9999999w", "1d", "30s", "periods.own.span"),
        ("48h", "2h", "30s", "periods.own.grain"),
        ("48h", "", "30s", "periods.own.grain"),
        ("48h", "1h", "", "periods.own.cache"),
        ("48h", "1h", "0s", "periods.own.cache"),
        ("48h", "1h", "2d", "periods.own.cache"),
    ],
)
def test_an_impossible_period_is_refused_by_its_setting(span: str, grain: str, cache: str, setting: str) -> None:
    with pytest.raises(ImpossiblePeriod) as refusal:
        period_from_setting("own", span=span, grain=grain, cache=cache)
    assert refusal.value.field == setting


@pytest.mark.parametrize("name", ["", "Day", "two words", "a" * 33, "1st", "a&b"])
def test_a_period_needs_a_name_that_an_address_can_hold(name: str) -> None:
    with pytest.raises(ImpossiblePeriod, match="name"):
        period_from_setting(name, span="1h", grain="1m", cache="30s")


def window(grain: Grain) -> Window:
    return window_of(AT_16_32_MS, grain, "UTC")


def kept_ms(grain: Grain, *, periods: list[Period], lateness_ms: int) -> int:
    kept = window(grain)
    return expires_at_ms(kept, retention_ms=RETENTION_MS, periods=periods, lateness_ms=lateness_ms) - kept.to_ms


def test_a_window_is_kept_for_the_retention_of_its_grain() -> None:
    defaults = list(DEFAULT_PERIODS.values())
    days = [kept_ms(grain, periods=defaults, lateness_ms=DAY_MS) - 10 * MINUTE_MS for grain in Grain]
    assert days == [2 * DAY_MS, 2 * DAY_MS, 60 * DAY_MS, 762 * DAY_MS]


def test_a_window_is_kept_for_twice_the_longest_period_of_its_grain() -> None:
    long = period_from_setting("long", span="1500h", grain="1h", cache="1h")
    assert kept_ms(Grain.HOUR, periods=[long, DAY], lateness_ms=0) == 3000 * HOUR_MS + 10 * MINUTE_MS
    assert kept_ms(Grain.DAY, periods=[long, DAY], lateness_ms=0) == 762 * DAY_MS + 10 * MINUTE_MS


def test_a_window_is_kept_while_hits_may_come_late() -> None:
    assert kept_ms(Grain.MINUTE, periods=[], lateness_ms=30 * DAY_MS) == 30 * DAY_MS + 10 * MINUTE_MS
