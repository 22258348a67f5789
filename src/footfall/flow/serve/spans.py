"""Spans that a reader names by their ends: which windows they are made of, and which ends are possible.

Days stand for whole days, hours for what is left at the edges, and minutes for what is left of those.
"""

from collections.abc import Iterator

from footfall.values.errors import Refused
from footfall.values.period import Span
from footfall.values.window import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    Grain,
    instant_text,
    previous_window,
    walk,
    window_of,
)

SPAN_DAYS_MAX = 400  # A year and a month; with the span before it, some 800 windows are read for one answer.
SPAN_WAIT_MS = 4_500  # Nobody waits longer for a span, which is read when it is asked for; caches wait for 5 s.
FROM_MS_MIN = 3 * 365 * DAY_MS  # There were no pages to hit, and the span before needs its room.
_FINER = {Grain.DAY: Grain.HOUR, Grain.HOUR: Grain.MINUTE}
_LENGTH_MS = {Grain.DAY: DAY_MS, Grain.HOUR: HOUR_MS, Grain.MINUTE: MINUTE_MS}


def require_span(*, from_ms: int, to_ms: int, zone: str, now_ms: int, minutes_kept_ms: int) -> None:
    """Refuse an end that is no boundary of windows that are kept; only the ends are looked at, however far apart."""
    if to_ms <= from_ms:
        raise Refused("to", f"{instant_text(to_ms)} is not after from, {instant_text(from_ms)}")
    if from_ms < FROM_MS_MIN:
        raise Refused(
            "from", f"{instant_text(from_ms)} is too long ago for a list; begin after {instant_text(FROM_MS_MIN)}"
        )
    if to_ms - from_ms > SPAN_DAYS_MAX * DAY_MS + HOUR_MS:  # An hour more, for clocks that are set back.
        raise Refused("to", f"is more than {SPAN_DAYS_MAX} days after from; ask for less at a time")
    today = window_of(now_ms, Grain.DAY, zone)
    if to_ms > today.to_ms:
        raise Refused("to", f"{instant_text(to_ms)} is after the end of today, {instant_text(today.to_ms)}")
    for field, moment_ms in (("from", from_ms), ("to", to_ms)):
        _require_boundary(field, moment_ms, zone=zone, minutes_since_ms=now_ms - minutes_kept_ms)


def span_between(from_ms: int, to_ms: int, *, zone: str) -> Span:
    """Return the longest windows that make up the time between two boundaries of minutes."""
    pieces = _pieces(from_ms, to_ms, zone, Grain.DAY)
    return Span(tuple(one for grain, start, end in pieces for one in walk(grain, from_ms=start, to_ms=end, zone=zone)))


def size_between(from_ms: int, to_ms: int, *, zone: str) -> int:
    """Return of how many windows a span is made, give or take one where clocks change, without making them."""
    return sum(-(-(end - start) // _LENGTH_MS[grain]) for grain, start, end in _pieces(from_ms, to_ms, zone, Grain.DAY))


def _pieces(from_ms: int, to_ms: int, zone: str, grain: Grain) -> Iterator[tuple[Grain, int, int]]:
    """Yield the at most five pieces of a span that are made of windows of one grain each, in order."""
    if from_ms >= to_ms:
        return
    finer = _FINER.get(grain)
    if finer is None:
        yield grain, from_ms, to_ms
        return
    first = window_of(from_ms, grain, zone)
    begin = from_ms if first.from_ms == from_ms else first.to_ms
    end = window_of(to_ms, grain, zone).from_ms
    if begin >= end:
        middle = min(begin, to_ms)
        yield from _pieces(from_ms, middle, zone, finer)
        yield from _pieces(middle, to_ms, zone, finer)
        return
    yield from _pieces(from_ms, begin, zone, finer)
    yield grain, begin, end
    yield from _pieces(end, to_ms, zone, finer)


def span_before(span: Span, zone: str) -> Span:
    """Return the span before: as many days when it is made of days, otherwise as much time, in windows as fine."""
    if all(window.grain is Grain.DAY for window in span.windows):
        count = len(span.windows)
        # From about there on; a calendar may have left a day out, or clocks have been set.
        first = window_of(span.from_ms - count * DAY_MS + 12 * HOUR_MS, Grain.DAY, zone)
        days = list(walk(Grain.DAY, from_ms=first.from_ms, to_ms=span.from_ms, zone=zone))
        while len(days) < count:
            days.insert(0, previous_window(days[0], zone))
        return Span(tuple(days[-count:]))
    finest = Grain.MINUTE if any(window.grain is Grain.MINUTE for window in span.windows) else Grain.HOUR
    earliest = window_of(2 * span.from_ms - span.to_ms, finest, zone)
    return span_between(earliest.from_ms, span.from_ms, zone=zone)


def _require_boundary(field: str, moment_ms: int, *, zone: str, minutes_since_ms: int) -> None:
    """Refuse a moment inside an hour, unless it is a minute's and the minutes around it are kept."""
    hour = window_of(moment_ms, Grain.HOUR, zone)
    if moment_ms == hour.from_ms:
        return
    # Minutes from here on, or from the hour's start up to here, have to be read.
    needed_ms = moment_ms if field == "from" else hour.from_ms
    ends = f"{instant_text(hour.from_ms)} or {instant_text(hour.to_ms)}"
    if needed_ms < minutes_since_ms:
        raise Refused(
            field,
            f"{instant_text(moment_ms)} lies inside an hour of {zone}, and minutes are kept from "
            f"{instant_text(_next_minute_ms(minutes_since_ms))} on; use the boundary {ends}",
        )
    if moment_ms % MINUTE_MS:
        minute_ms = moment_ms - moment_ms % MINUTE_MS
        minutes = f"{instant_text(minute_ms)} or {instant_text(minute_ms + MINUTE_MS)}"
        raise Refused(field, f"{instant_text(moment_ms)} lies inside a minute; use the boundary {minutes}")


def _next_minute_ms(moment_ms: int) -> int:
    return -(-moment_ms // MINUTE_MS) * MINUTE_MS
