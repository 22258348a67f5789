"""A stretch holds what is counted of its hours, in whole days where it has to be, and never more than it may."""

from collections import Counter

import pytest

from footfall.flow.count import stretch as stretch_module
from footfall.flow.count.stretch import DAYS_AT_ONCE, HOURS_AT_ONCE, Age, Stretch, first_stretch
from footfall.flow.count.tally import Counts
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of, windows_between
from tests.flow.count.stage import NOON_MS, key_of

ZONE = "Asia/Kathmandu"
MIDNIGHT_MS = window_of(NOON_MS, Grain.DAY, ZONE).from_ms


def hours(days: int, from_ms: int = MIDNIGHT_MS) -> list[Window]:
    return windows_between(Grain.HOUR, from_ms=from_ms, to_ms=from_ms + days * DAY_MS, zone=ZONE)


def day(number: int) -> Window:
    return window_of(MIDNIGHT_MS + number * DAY_MS, Grain.DAY, ZONE)


def many(count: int) -> Counts:
    return Counter({key_of(str(number)): 1 for number in range(count)})


def test_recent_hours_come_a_few_at_a_time_and_others_by_the_month() -> None:
    recent = first_stretch(hours(9), zone=ZONE, age_of=lambda _: Age.RECENT)
    assert (len(recent.hours), recent.is_in_days) == (HOURS_AT_ONCE, False)
    older = first_stretch(hours(50), zone=ZONE, age_of=lambda _: Age.WITHOUT_MINUTES)
    assert (len(older.hours), older.is_in_days) == (DAYS_AT_ONCE * 24, False)
    gone = first_stretch(hours(50, MIDNIGHT_MS + 7 * HOUR_MS), zone=ZONE, age_of=lambda _: Age.GONE)
    assert (gone.is_in_days, gone.hours[-1].to_ms) == (True, day(DAYS_AT_ONCE).to_ms)
    assert len(first_stretch(hours(1)[:5], zone=ZONE, age_of=lambda _: Age.GONE).hours) == 5


@pytest.mark.parametrize(("age", "ends"), [(Age.WITHOUT_MINUTES, 30), (Age.GONE, 48)])
def test_a_day_comes_whole_when_some_of_its_hours_have_gone(age: Age, ends: int) -> None:
    old_until_ms = MIDNIGHT_MS + 30 * HOUR_MS
    one = first_stretch(hours(9), zone=ZONE, age_of=lambda hour: age if hour.to_ms <= old_until_ms else Age.RECENT)
    assert one.hours[-1].to_ms == MIDNIGHT_MS + ends * HOUR_MS


def test_only_what_lies_in_the_stretch_is_counted_and_a_day_with_its_last_hour() -> None:
    one = Stretch(hours(2)[6:40], ZONE, is_in_days=False, counted=[{}])
    inside, before, after = (MIDNIGHT_MS + hour * HOUR_MS for hour in (7, 5, 41))
    for place in (inside, before, after, one.hours[0], hours(2)[0], day(0), day(1)):
        one.count(0, place, many(1))
    assert set(one.counted[0]) == {inside, one.hours[0], day(0)}
    assert one.days() == [day(0)]
    assert one.by_minutes() == {window_of(inside, Grain.HOUR, ZONE)}


@pytest.mark.parametrize("is_in_days", [True, False])
def test_too_much_at_once_gives_up_the_end(monkeypatch: pytest.MonkeyPatch, is_in_days: bool) -> None:
    monkeypatch.setattr(stretch_module, "ROWS_MAX", 100)
    one = Stretch(hours(8), ZONE, is_in_days=is_in_days, counted=[{}, {}])
    for number in range(8):
        one.count(number % 2, MIDNIGHT_MS + number * DAY_MS + MINUTE_MS, many(30))
        one.count(number % 2, day(number), many(15))
        one.shrink()
    kept = len(one.hours)
    assert 0 < kept < len(hours(8))
    assert sum(len(counts) for of in one.counted for counts in of.values()) <= 100
    end_ms = one.hours[-1].to_ms
    assert not is_in_days or end_ms == window_of(end_ms, Grain.DAY, ZONE).from_ms
    assert all((place if isinstance(place, int) else place.to_ms) <= end_ms for of in one.counted for place in of)


def test_one_day_that_is_too_much_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretch_module, "ROWS_MAX", 10)
    one = Stretch(hours(1), ZONE, is_in_days=True, counted=[{}])
    one.count(0, day(0), many(50))
    one.shrink()
    assert (one.hours, len(one.counted[0][day(0)])) == (hours(1), 50)
