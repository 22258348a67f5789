"""Windows: the spans whose counts are kept together, and the moments they begin and end at.

Minutes and five minutes are UTC's. Hours and days are those of a zone: an hour starts at every minute where
the local clock shows :00 or where its date and hour differ from the minute before, and a day where the local
date changes. So hours nest in days, and one that is cut by a zone change is shorter or longer than others.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

from footfall.values.errors import Refused

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
MOMENT_MS_MIN = 0  # 1970: no web log is older.
MOMENT_MS_MAX = 253_370_764_799_999  # The end of 9998: a year's room below the last moment that can be written.
WINDOWS_MAX = 100_000  # Over two months of minutes: more in one list is a mistake in the caller's bounds.


class Grain(StrEnum):
    """How long a window is; the letter stands in keys."""

    MINUTE = "M"
    FIVE = "F"
    HOUR = "H"
    DAY = "D"


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A span of time from its first moment up to, but without, its end."""

    grain: Grain
    from_ms: int
    to_ms: int


class UnknownZone(Refused, ValueError):
    """No time zone has this name."""


class NotAMoment(Refused, ValueError):
    """A text or number does not name a moment that can be counted in."""


class TooManyWindows(Refused, ValueError):
    """The span holds more windows than one list may."""


def window_of(moment_ms: int, grain: Grain, zone: str) -> Window:
    """Return the one window that holds the moment."""
    if not MOMENT_MS_MIN <= moment_ms <= MOMENT_MS_MAX:
        raise NotAMoment("moment", f"{moment_ms} ms is outside 1970 to 9998; give milliseconds since 1970, UTC")
    if grain is Grain.MINUTE:
        from_ms = moment_ms - moment_ms % MINUTE_MS
        return Window(grain, from_ms, from_ms + MINUTE_MS)
    if grain is Grain.FIVE:
        from_ms = moment_ms - moment_ms % (5 * MINUTE_MS)
        return Window(grain, from_ms, from_ms + 5 * MINUTE_MS)
    starts, windows = _windows_of_utc_day(zone, moment_ms // DAY_MS, grain)
    return windows[bisect_right(starts, moment_ms) - 1]


def next_window(window: Window, zone: str) -> Window:
    """Return the window that begins where this one ends."""
    return window_of(window.to_ms, window.grain, zone)


def previous_window(window: Window, zone: str) -> Window:
    """Return the window that ends where this one begins."""
    return window_of(window.from_ms - 1, window.grain, zone)


def windows_between(grain: Grain, *, from_ms: int, to_ms: int, zone: str) -> list[Window]:
    """Return the windows that hold any moment of the span; bounds inside a window take in the whole of it."""
    found = list(islice(walk(grain, from_ms=from_ms, to_ms=to_ms, zone=zone), WINDOWS_MAX + 1))
    if len(found) > WINDOWS_MAX:
        raise TooManyWindows("to", f"{from_ms} to {to_ms} ms holds over {WINDOWS_MAX} windows; ask for less")
    return found


def walk(grain: Grain, *, from_ms: int, to_ms: int, zone: str) -> Iterator[Window]:
    """Yield the windows that hold any moment of the span, by arithmetic where the zone's offset stays the same."""
    length_ms = _LENGTH_MS[grain]
    at_ms = from_ms
    while at_ms < to_ms:
        window = window_of(at_ms, grain, zone)
        yield window
        at_ms = window.to_ms
        if at_ms >= to_ms:
            return
        if grain is Grain.HOUR or grain is Grain.DAY:
            until_ms, offset_ms = _steady(zone, at_ms)
        else:
            until_ms, offset_ms = MOMENT_MS_MAX, 0
        while at_ms < to_ms:
            # A window after a change of the offset may have begun anywhere; the next one begins where clocks show :00.
            end_ms = at_ms + length_ms - (at_ms + offset_ms) % length_ms
            if end_ms > until_ms:
                break
            yield Window(grain, at_ms, end_ms)
            at_ms = end_ms


def parts_of(window: Window, zone: str) -> list[Window]:
    """Return the finer windows that a window is built from: a day's hours, otherwise minutes; a minute has none."""
    if window.grain is Grain.MINUTE:
        return []
    finer = Grain.HOUR if window.grain is Grain.DAY else Grain.MINUTE
    return windows_between(finer, from_ms=window.from_ms, to_ms=window.to_ms, zone=zone)


def parents_of(grain: Grain) -> tuple[Grain, ...]:
    """Return the coarser grains that are built from windows of this grain."""
    return _PARENTS[grain]


_PARENTS = {
    Grain.MINUTE: (Grain.FIVE, Grain.HOUR),
    Grain.FIVE: (),
    Grain.HOUR: (Grain.DAY,),
    Grain.DAY: (),
}


def zone_named(zone: str) -> ZoneInfo:
    """Return the rules of the zone with this IANA name."""
    try:
        return ZoneInfo(zone)
    # A name that is a folder of the zone data, or that no path can hold, fails in the file system's own words.
    except (KeyError, ValueError, OSError) as error:
        raise UnknownZone(
            "zone", f"{zone[:64]!r} is not a time zone; use an IANA name such as Europe/Helsinki"
        ) from error


_LENGTH_MS = {Grain.MINUTE: MINUTE_MS, Grain.FIVE: 5 * MINUTE_MS, Grain.HOUR: HOUR_MS, Grain.DAY: DAY_MS}
_STEP_DAYS = 4  # Since 1970 no zone has changed its offset twice within six days.
_STEPS = 16  # looked at together


def _steady(zone: str, moment_ms: int) -> tuple[int, int]:
    """Return a moment up to which, and with which, the offset is what it is at this one; and the offset."""
    block, number = divmod(moment_ms // (_STEP_DAYS * DAY_MS), _STEPS)
    offsets = _offsets(zone, block)
    offset = offsets[number]
    until = number
    while until < _STEPS and offsets[until + 1] == offset:
        until += 1
    # A step in which the offset changes is not steady at all: the end is then not after the moment.
    until_ms = (block * _STEPS + until) * _STEP_DAYS * DAY_MS
    return min(until_ms, MOMENT_MS_MAX), offset * MINUTE_MS


@lru_cache(maxsize=4_096)
def _offsets(zone: str, block: int) -> tuple[int, ...]:
    """Return the offset at the start of each step of a block, and at the block's end."""
    rules = zone_named(zone)
    first = block * _STEPS
    return tuple(_offset_minutes(rules, step * _STEP_DAYS * 1_440) for step in range(first, first + _STEPS + 1))


# One entry holds at most some 30 windows, so the cache stays under 8 MB; two years of days fit.
@lru_cache(maxsize=1_024)
def _windows_of_utc_day(zone: str, utc_day: int, grain: Grain) -> tuple[tuple[int, ...], tuple[Window, ...]]:
    """Return every hour or day of the zone that holds a moment of the UTC day, beside their starts."""
    bounds = list(_starts_in_utc_day(zone, utc_day, grain))
    before = utc_day
    # A day may hold no start at all: one that repeats a date lasts longer than 24 hours.
    while not bounds or bounds[0] > utc_day * DAY_MS:
        before -= 1
        bounds[:0] = _starts_in_utc_day(zone, before, grain)[-1:]
    after = utc_day
    while bounds[-1] < (utc_day + 1) * DAY_MS:
        after += 1
        bounds += _starts_in_utc_day(zone, after, grain)[:1]
    windows = tuple(Window(grain, start, end) for start, end in pairwise(bounds))
    return tuple(bounds[:-1]), windows


@lru_cache(maxsize=1_024)
def _starts_in_utc_day(zone: str, utc_day: int, grain: Grain) -> tuple[int, ...]:
    """Return the moments of the UTC day at which an hour or a day of the zone starts."""
    rules = zone_named(zone)
    first = utc_day * 1_440
    starts: list[int] = []
    offset_before = _offset_minutes(rules, first - 1)
    # No zone changes its offset and takes it back within a day, so equal ends mean no change.
    if _offset_minutes(rules, first + 1_439) == offset_before:
        step = 60 if grain is Grain.HOUR else 1_440
        return tuple(
            minute * MINUTE_MS for minute in range(first - (first + offset_before) % -step, first + 1_440, step)
        )
    for minute in range(first, first + 1_440, 60):
        offset = _offset_minutes(rules, minute + 59)
        if offset == offset_before:
            starts.extend(_starts_in_steady_hour(minute, offset, grain))
        else:
            starts.extend(_starts_in_changing_hour(rules, minute, grain))
        offset_before = offset
    return tuple(minute * MINUTE_MS for minute in starts)


def _starts_in_steady_hour(minute: int, offset: int, grain: Grain) -> Iterator[int]:
    """Yield the minute of an hour of 60 at which the local clock shows :00, or 00:00 for days."""
    until = -(minute + offset) % (60 if grain is Grain.HOUR else 1_440)
    if until < 60:
        yield minute + until


def _starts_in_changing_hour(rules: ZoneInfo, first: int, grain: Grain) -> Iterator[int]:
    """Yield the starts among 60 minutes in which the offset changes, looking at each of them."""
    local_before = first - 1 + _offset_minutes(rules, first - 1)
    for minute in range(first, first + 60):
        local = minute + _offset_minutes(rules, minute)
        if grain is Grain.HOUR:
            is_start = local % 60 == 0 or local // 60 != local_before // 60
        else:
            is_start = local // 1_440 != local_before // 1_440
        if is_start:
            yield minute
        local_before = local


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def _offset_minutes(rules: ZoneInfo, minute: int) -> int:
    """Return how far the local clock is ahead; a few zones had seconds in it until 1972, which it leaves out."""
    offset = datetime.fromtimestamp(minute * 60, rules).utcoffset()
    assert offset is not None  # A zone with rules always has an offset.
    return offset.days * 1_440 + offset.seconds // 60


@lru_cache(maxsize=4_096)  # Windows' keys have their moments in them, and lists the ends of their spans.
def instant_text(moment_ms: int) -> str:
    """Return the moment as UTC text, as short as it can be: `2026-11-15T14:30Z`, with seconds when it has them."""
    moment = _EPOCH + moment_ms * _MILLISECOND
    detail = "minutes" if moment_ms % MINUTE_MS == 0 else "seconds" if moment_ms % SECOND_MS == 0 else "milliseconds"
    return moment.isoformat(timespec=detail).removesuffix("+00:00") + "Z"


# RFC 3339, and beyond it the short form without seconds that `instant_text` writes.
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)


def moment_from_text(text: str, *, field: str = "at") -> int:
    """Return the moment that an RFC 3339 text names, in whole milliseconds, later digits dropped.

    A bare number is refused: as text it could mean seconds as well as milliseconds.
    """
    if _MOMENT.fullmatch(text) is None:
        raise NotAMoment(field, f"{text[:64]!r} is not a moment; write it with its zone, as in 2026-11-15T14:30:00Z")
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise NotAMoment(field, f"{text!r} is not a moment that calendars and clocks show: {error}") from error
    moment_ms = (moment - _EPOCH) // _MILLISECOND
    if not MOMENT_MS_MIN <= moment_ms <= MOMENT_MS_MAX:
        raise NotAMoment(field, f"{text!r} is outside 1970 to 9998")
    return moment_ms
