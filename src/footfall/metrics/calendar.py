"""Periods as people say them: days, weeks, months of a brand's zone, and the same some periods earlier.

What is shifted are the boundaries of periods, never their days. A boundary that the other month does not have becomes
the first of the month after it. So boundaries stay in their order, and over any span every day of the shifted one is
in exactly one period, however long the months are.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.formula import Calendar
from footfall.values.errors import Refused
from footfall.values.window import Grain, instant_text, walk, window_of, zone_named

PERIODS_MAX = 10_000  # of one question: a year of hours, or 27 years of days
FIRST_DAY = date(1970, 1, 2).toordinal()  # A day later than the first moment, wherever on earth.
LAST_DAY = date(9990, 1, 1).toordinal()

_MONTHS = {Calendar.MONTH: 1, Calendar.QUARTER: 3, Calendar.YEAR: 12}
_DAYS = {Calendar.DAY: 1, Calendar.WEEK: 7}
_MIDNIGHT_OF_1970 = datetime(1970, 1, 1, tzinfo=UTC)

Moments = NDArray[np.int64]


class PeriodGrain(StrEnum):
    """How long the periods of an answer are; weeks begin on Monday, as ISO 8601 has it."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Edges:
    """Where periods begin, and at last where all of them end: days by their ordinal, or for hours milliseconds."""

    bounds: tuple[int, ...]  # rising, or standing where a period has no day
    zone: str
    is_hourly: bool = False

    @property
    def starts(self) -> Moments:
        """Return where each period begins."""
        return np.array(self.bounds[:-1], np.int64)

    @property
    def ends(self) -> Moments:
        """Return where each period ends, itself not in it."""
        return np.array(self.bounds[1:], np.int64)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def between(self, first: int, end: int) -> "Edges":
        """Return the same periods with only what lies from one day up to another."""
        low, high = self.place(first), self.place(end)
        return Edges(tuple(min(max(one, low), high) for one in self.bounds), self.zone, self.is_hourly)

    def place(self, day: int) -> int:
        """Return where a day begins, as these edges tell it."""
        if not self.is_hourly:
            return day
        return midnight_ms(self.zone, min(max(day, FIRST_DAY), LAST_DAY))

    def shifted(self, count: int, calendar: Calendar) -> "Edges":
        """Return the periods as they lay some calendar periods earlier."""
        move = _moved_ms if self.is_hourly else _moved
        moved = tuple(move(one, count, calendar, self.zone) for one in self.bounds)
        return Edges(moved, self.zone, self.is_hourly)

    def label(self, number: int) -> str:
        """Return what a period is called: its first day, or the moment at which its hour begins."""
        start = self.bounds[number]
        return instant_text(start) if self.is_hourly else date.fromordinal(start).isoformat()


def day_from(text: str, *, field: str) -> int:
    """Return the day that a text such as 2026-01-31 names, or raise Refused."""
    try:
        day = date.fromisoformat(text if len(text) == len("2026-01-31") else "").toordinal()
    except ValueError:
        raise Refused(field, f"{text[:40]!r} is not a day such as 2026-01-31") from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise Refused(field, f"{text} is too early or too late: days are from 1970-01-02 to 9990-01-01")
    return day


def edges_between(first: int, end: int, grain: PeriodGrain, zone: str) -> Edges:
    """Return the periods from one day up to another; the first and the last have only the days that are asked for.

    So a month up to its tenth day is compared with the ten days of the month before, and not with all of it.
    """
    if end <= first:
        raise Refused("to", "must be after from: the day at which the span ends is not in it")
    if grain is PeriodGrain.HOUR:
        return _hours(first, end, zone)
    bounds = [first]
    while bounds[-1] < end:
        bounds.append(min(_next_start(bounds[-1], grain), end))
        if len(bounds) > PERIODS_MAX:
            raise _too_many(grain)
    return Edges(tuple(bounds), zone)


def _hours(first: int, end: int, zone: str) -> Edges:
    from_ms, to_ms = midnight_ms(zone, first), midnight_ms(zone, end)
    if end - first > PERIODS_MAX // 23:
        raise _too_many(PeriodGrain.HOUR)
    starts = [window.from_ms for window in walk(Grain.HOUR, from_ms=from_ms, to_ms=to_ms, zone=zone)]
    return Edges((*starts, to_ms), zone, is_hourly=True)


def _too_many(grain: PeriodGrain) -> Refused:
    return Refused("grain", f"gives more than {PERIODS_MAX:,} periods of one {grain}; ask for longer ones, or fewer")


def _next_start(day: int, grain: PeriodGrain) -> int:
    """Return the first day of the next period."""
    if grain is PeriodGrain.DAY:
        return day + 1
    if grain is PeriodGrain.WEEK:
        return day + 7 - (day - 1) % 7  # The first day of all is a Monday.
    months = _MONTHS[Calendar(grain)]
    year, month = _year_and_month(day)
    number = year * 12 + month - 1
    return _first_of(number - number % months + months)


def _moved(day: int, count: int, calendar: Calendar, _zone: str) -> int:
    if calendar in _DAYS:
        return _bounded(day - count * _DAYS[calendar])
    one = date.fromordinal(day)
    number = one.year * 12 + one.month - 1 - count * _MONTHS[calendar]
    if not 1_970 * 12 <= number < 9_990 * 12:
        return _bounded(FIRST_DAY if number < 1_970 * 12 else LAST_DAY)
    first, after = _first_of(number), _first_of(number + 1)
    return _bounded(min(first + one.day - 1, after))


def _moved_ms(moment_ms: int, count: int, calendar: Calendar, zone: str) -> int:
    """Return the moment at which clocks show the same on the other day; where they never do, the one after it."""
    local = datetime.fromtimestamp(moment_ms // 1_000, zone_named(zone))
    there = _moved(local.toordinal(), count, calendar, zone)
    if date.fromordinal(there).day != local.day and calendar in _MONTHS:
        return midnight_ms(zone, there)  # That month has no such day.
    that_day = datetime.combine(date.fromordinal(there), local.time(), zone_named(zone))
    found_ms = int(that_day.timestamp()) * 1_000
    # What a clock shows twice is meant the first time, and no hour begins before its day.
    return min(max(found_ms, midnight_ms(zone, there)), midnight_ms(zone, there + 1))


def _bounded(day: int) -> int:
    return min(max(day, FIRST_DAY), LAST_DAY)


def _year_and_month(day: int) -> tuple[int, int]:
    one = date.fromordinal(day)
    return one.year, one.month


def _first_of(number: int) -> int:
    """Return the first day of a month, counted from the year 0."""
    return date(number // 12, number % 12 + 1, 1).toordinal()


@lru_cache(maxsize=20_000)
def midnight_ms(zone: str, day: int) -> int:
    """Return the moment at which a day begins there; one that the zone left out begins where the next one does."""
    noon = datetime.combine(date.fromordinal(day), datetime.min.time(), zone_named(zone)) + timedelta(hours=12)
    noon_ms = (noon - _MIDNIGHT_OF_1970) // timedelta(milliseconds=1)
    return window_of(noon_ms, Grain.DAY, zone).from_ms


def day_of(moment_ms: int, zone: str) -> int:
    """Return the day that a moment is in."""
    return datetime.fromtimestamp(moment_ms // 1_000, zone_named(zone)).toordinal()
