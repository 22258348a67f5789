"""Every moment has one window of each grain, whatever the zone does to its clocks."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.values.window import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    MOMENT_MS_MAX,
    Grain,
    NotAMoment,
    TooManyWindows,
    UnknownZone,
    Window,
    instant_text,
    moment_from_text,
    next_window,
    parents_of,
    parts_of,
    previous_window,
    window_of,
    windows_between,
    zone_named,
)

ZONES = [
    "UTC",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "Australia/Lord_Howe",
    "Europe/Helsinki",
    "Pacific/Apia",
    "America/St_Johns",  # Until 2011 its clocks changed at one minute past midnight.
    "Africa/Monrovia",  # Its offset had seconds until 1972.
    "Antarctica/Troll",  # Its clocks move by two hours.
    "America/Sao_Paulo",  # Its days began at 01:00 when summer time did.
]
zones = st.sampled_from(ZONES)
grains = st.sampled_from(list(Grain))
local_grains = st.sampled_from([Grain.HOUR, Grain.DAY])
moments = st.integers(min_value=2 * DAY_MS, max_value=moment_from_text("2045-01-01T00:00Z"))


def at(text: str) -> int:
    return moment_from_text(text)


def hours(zone: str, day: str) -> list[Window]:
    """Return the hours of the local day that holds the moment."""
    return parts_of(window_of(at(day), Grain.DAY, zone), zone)


def minutes_long(windows: list[Window]) -> list[int]:
    return [(window.to_ms - window.from_ms) // MINUTE_MS for window in windows]


def local_labels(window: Window, zone: str) -> set[str]:
    """Return the date and hour that the local clock shows in each minute, by asking about every one of them."""
    return {
        local_text(minute, zone)[: 13 if window.grain is Grain.HOUR else 10]
        for minute in range(window.from_ms, window.to_ms, MINUTE_MS)
    }


def local_text(moment_ms: int, zone: str) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment_ms)
    return moment.astimezone(zone_named(zone)).isoformat()


def starts_by_the_rule(grain: Grain, zone: str, *, from_ms: int, to_ms: int) -> list[int]:
    """Return the starts in a span by looking at every minute, as the definition is written."""
    found: list[int] = []
    for minute in range(from_ms, to_ms, MINUTE_MS):
        here, before = local_text(minute, zone), local_text(minute - MINUTE_MS, zone)
        is_full_hour = grain is Grain.HOUR and here[14:16] == "00"
        seen = 13 if grain is Grain.HOUR else 10
        if is_full_hour or here[:seen] != before[:seen]:
            found.append(minute)
    return found


@given(moments, grains, zones)
def test_every_moment_lies_in_its_window_and_in_no_other(moment_ms: int, grain: Grain, zone: str) -> None:
    window = window_of(moment_ms, grain, zone)
    assert window.from_ms <= moment_ms < window.to_ms
    assert window_of(window.from_ms, grain, zone) == window
    assert window_of(window.to_ms - 1, grain, zone) == window
    assert next_window(window, zone).from_ms == window.to_ms
    assert previous_window(window, zone).to_ms == window.from_ms
    assert previous_window(next_window(window, zone), zone) == window


@given(moments, grains, zones, st.integers(min_value=1, max_value=3 * DAY_MS))
@settings(max_examples=50, deadline=None)
def test_windows_tile_any_span_outward(from_ms: int, grain: Grain, zone: str, length_ms: int) -> None:
    windows = windows_between(grain, from_ms=from_ms, to_ms=from_ms + length_ms, zone=zone)
    assert windows[0] == window_of(from_ms, grain, zone)
    assert windows[-1] == window_of(from_ms + length_ms - 1, grain, zone)
    assert all(left.to_ms == right.from_ms for left, right in pairwise(windows))


@pytest.mark.parametrize("zone", ZONES)
def test_days_and_hours_tile_years_with_their_changes(zone: str) -> None:
    from_ms, to_ms = at("2010-01-01T00:00Z"), at("2012-12-31T00:00Z")
    days = windows_between(Grain.DAY, from_ms=from_ms, to_ms=to_ms, zone=zone)
    nested = [hour for day in days for hour in parts_of(day, zone)]
    assert all(left.to_ms == right.from_ms for left, right in pairwise(days))
    assert all(left.to_ms == right.from_ms for left, right in pairwise(nested))
    assert (nested[0].from_ms, nested[-1].to_ms) == (days[0].from_ms, days[-1].to_ms)


@given(moments, grains, zones)
def test_the_parts_of_a_window_tile_it(moment_ms: int, grain: Grain, zone: str) -> None:
    window = window_of(moment_ms, grain, zone)
    parts = parts_of(window, zone)
    if grain is Grain.MINUTE:
        assert parts == []
        return
    assert (parts[0].from_ms, parts[-1].to_ms) == (window.from_ms, window.to_ms)
    assert all(left.to_ms == right.from_ms for left, right in pairwise(parts))
    assert all(grain in parents_of(part.grain) for part in parts)


@given(moments, local_grains, zones)
@settings(max_examples=60, deadline=None)
def test_a_local_window_shows_one_date_and_hour(moment_ms: int, grain: Grain, zone: str) -> None:
    assert len(local_labels(window_of(moment_ms, grain, zone), zone)) == 1


CHANGES = [
    ("Europe/Helsinki", "2026-03-29T01:00Z"),
    ("Europe/Helsinki", "2026-10-25T01:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T15:30Z"),
    ("Australia/Lord_Howe", "2026-04-04T15:00Z"),
    ("Pacific/Chatham", "2026-09-26T14:00Z"),
    ("Pacific/Chatham", "2026-04-04T14:00Z"),
    ("Asia/Kathmandu", "1985-12-31T18:30Z"),  # From +5:30 to +5:45: the hour at midnight began at its quarter.
    ("Pacific/Apia", "2011-12-30T10:00Z"),
    ("America/St_Johns", "2010-11-07T02:31Z"),
    ("America/Sao_Paulo", "2018-11-04T03:00Z"),
    ("Africa/Monrovia", "1972-01-07T00:45Z"),
    ("Antarctica/Troll", "2026-03-29T01:00Z"),
]


@pytest.mark.parametrize(("zone", "change"), CHANGES)
@pytest.mark.parametrize("grain", [Grain.HOUR, Grain.DAY])
def test_around_a_change_the_windows_start_where_the_rule_says(zone: str, change: str, grain: Grain) -> None:
    from_ms, to_ms = at(change) - 30 * HOUR_MS, at(change) + 30 * HOUR_MS
    windows = windows_between(grain, from_ms=from_ms, to_ms=to_ms, zone=zone)
    starts = [window.from_ms for window in windows if window.from_ms >= from_ms]
    assert starts == starts_by_the_rule(grain, zone, from_ms=from_ms, to_ms=to_ms)


def test_kolkata_starts_its_hours_at_half_past() -> None:
    window = window_of(at("2026-11-15T14:32Z"), Grain.HOUR, "Asia/Kolkata")
    assert (instant_text(window.from_ms), instant_text(window.to_ms)) == ("2026-11-15T14:30Z", "2026-11-15T15:30Z")
    assert window_of(at("2026-11-15T14:32Z"), Grain.DAY, "Asia/Kolkata").from_ms == at("2026-11-15T00:00+05:30")


def test_kathmandu_starts_its_hours_at_quarter_past() -> None:
    window = window_of(at("2026-11-15T14:14Z"), Grain.HOUR, "Asia/Kathmandu")
    assert (instant_text(window.from_ms), instant_text(window.to_ms)) == ("2026-11-15T13:15Z", "2026-11-15T14:15Z")
    assert window_of(at("2026-11-15T14:14Z"), Grain.DAY, "Asia/Kathmandu").from_ms == at("2026-11-15T00:00+05:45")


def test_chatham_loses_an_hour_in_spring_and_gains_one_in_autumn() -> None:
    assert minutes_long(hours("Pacific/Chatham", "2026-09-26T20:00Z")) == [60] * 2 + [45, 15] + [60] * 20
    autumn = hours("Pacific/Chatham", "2026-04-04T20:00Z")
    # At 03:45 it is 02:45 again: three quarters of 03, the last quarter of 02 once more, then a whole 03.
    assert minutes_long(autumn) == [60] * 3 + [45, 15] + [60] * 21
    assert sum(minutes_long(autumn)) == 25 * 60


def test_lord_howe_has_a_half_hour_in_spring_and_a_long_one_in_autumn() -> None:
    assert minutes_long(hours("Australia/Lord_Howe", "2026-10-03T20:00Z")) == [60, 60, 30] + [60] * 21
    assert minutes_long(hours("Australia/Lord_Howe", "2026-04-04T20:00Z")) == [60, 90] + [60] * 22


def test_helsinki_skips_the_hour_of_three_in_spring() -> None:
    spring = hours("Europe/Helsinki", "2026-03-29T12:00Z")
    assert minutes_long(spring) == [60] * 23
    assert [local_text(hour.from_ms, "Europe/Helsinki")[11:13] for hour in spring[2:4]] == ["02", "04"]


def test_helsinki_has_two_separate_hours_of_three_in_autumn() -> None:
    autumn = hours("Europe/Helsinki", "2026-10-25T12:00Z")
    assert minutes_long(autumn) == [60] * 25
    assert [local_text(hour.from_ms, "Europe/Helsinki")[11:13] for hour in autumn[2:6]] == ["02", "03", "03", "04"]


def test_samoa_goes_from_the_29th_to_the_31st() -> None:
    before = window_of(at("2011-12-30T09:59Z"), Grain.DAY, "Pacific/Apia")
    after = next_window(before, "Pacific/Apia")
    assert local_text(before.from_ms, "Pacific/Apia").startswith("2011-12-29T00:00")
    assert local_text(after.from_ms, "Pacific/Apia").startswith("2011-12-31T00:00")
    assert (before.to_ms - before.from_ms, after.to_ms - after.from_ms) == (DAY_MS, DAY_MS)


def test_sao_paulo_began_a_day_at_one_when_midnight_did_not_happen() -> None:
    day = window_of(at("2018-11-04T12:00Z"), Grain.DAY, "America/Sao_Paulo")
    assert local_text(day.from_ms, "America/Sao_Paulo").startswith("2018-11-04T01:00")
    assert day.to_ms - day.from_ms == 23 * HOUR_MS


def test_minutes_and_fives_are_utc_in_every_zone() -> None:
    moment_ms = at("2026-11-15T14:32:59.999Z")
    assert {window_of(moment_ms, Grain.FIVE, zone) for zone in ZONES} == {
        Window(Grain.FIVE, at("2026-11-15T14:30Z"), at("2026-11-15T14:35Z"))
    }
    assert {window_of(moment_ms, Grain.MINUTE, zone) for zone in ZONES} == {
        Window(Grain.MINUTE, at("2026-11-15T14:32Z"), at("2026-11-15T14:33Z"))
    }


def test_the_first_and_the_last_moments_have_windows() -> None:
    for zone in ZONES:
        for grain in Grain:
            assert window_of(0, grain, zone).from_ms <= 0
            assert window_of(MOMENT_MS_MAX, grain, zone).to_ms > MOMENT_MS_MAX


@pytest.mark.parametrize("moment_ms", [-1, MOMENT_MS_MAX + 1, 2**63])
@pytest.mark.parametrize("grain", list(Grain))
def test_a_moment_outside_the_calendar_is_refused(moment_ms: int, grain: Grain) -> None:
    with pytest.raises(NotAMoment, match=str(moment_ms)):
        window_of(moment_ms, grain, "UTC")


@pytest.mark.parametrize("zone", ["", "America", "Europe/Nowhere", "../etc/passwd", "/etc/localtime", "a\0b", "\ud800"])
def test_an_unknown_zone_is_refused_by_name(zone: str) -> None:
    with pytest.raises(UnknownZone, match="use an IANA name") as refusal:
        window_of(0, Grain.HOUR, zone)
    assert repr(zone) in str(refusal.value)


def test_an_empty_span_holds_no_window_and_an_endless_one_is_refused() -> None:
    assert windows_between(Grain.HOUR, from_ms=HOUR_MS, to_ms=HOUR_MS, zone="UTC") == []
    with pytest.raises(TooManyWindows, match="100000"):
        windows_between(Grain.MINUTE, from_ms=0, to_ms=100_001 * MINUTE_MS, zone="UTC")


@given(st.integers(min_value=0, max_value=MOMENT_MS_MAX))
def test_an_instant_comes_back_from_its_text(moment_ms: int) -> None:
    assert moment_from_text(instant_text(moment_ms)) == moment_ms


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-11-15T16:30:00+02:00", "2026-11-15T14:30Z"),
        ("2026-11-15t14:30:00z", "2026-11-15T14:30Z"),
        ("2026-11-15 20:15:00.000+05:45", "2026-11-15T14:30Z"),
        ("2026-11-15T14:30:00.123999999Z", "2026-11-15T14:30:00.123Z"),
        ("2026-11-15T14:30:07-00:00", "2026-11-15T14:30:07Z"),
    ],
)
def test_a_moment_is_read_in_any_zone(text: str, same: str) -> None:
    assert instant_text(moment_from_text(text)) == same


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15T14:30:00",
        "2026-11-15",
        "1763217000000",
        "",
        "2026-02-30T00:00Z",
        "2026-11-15T24:00Z",
        "2016-12-31T23:59:60Z",
        "2026-W46-7T14:30Z",
        "2026-11-15T14:30+99:00",
        "1969-12-31T23:59Z",
        "9999-06-01T00:00Z",
        "0001-01-01T00:00+14:00",
        "٢٠٢٦-11-15T14:30Z",
        "2026-11-15T14:30Z\n",
    ],
)
def test_a_text_that_is_no_moment_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(NotAMoment) as refusal:
        moment_from_text(text, field="from")
    assert refusal.value.field == "from"
    assert isinstance(refusal.value, ValueError)
