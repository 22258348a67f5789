"""The answer of a series: its points, what they come to, what they are compared with, and the week's own shape."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

import msgspec
from msgspec import UNSET, UnsetType

from footfall.flow.serve.answer import Answer, answer_from, columns_of
from footfall.flow.serve.measures import NOTHING, Measure
from footfall.flow.serve.series import Point, SeriesReading
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.series_spans import LAST_WEEK, PREVIOUS, SPAN
from footfall.flow.serve.words import Words
from footfall.values.period import Span
from footfall.values.window import Grain, instant_text, window_of, zone_named

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
RATIO_DIGITS = 4


class _Point(msgspec.Struct, rename="camel", gc=False):
    """One window, in the order of its JSON."""

    from_: str = msgspec.field(name="from")
    hits: int | None
    hits_at_most: int | UnsetType | None = UNSET
    open: bool | UnsetType = UNSET


_COLUMNS = (SPAN, *columns_of(_Point))


class _Compared(msgspec.Struct, rename="camel"):
    """The windows that are over in both spans, added up."""

    points: int
    hits: int
    hits_before: int
    change: float | None


class _Before(msgspec.Struct, rename="camel"):
    """A span that the one asked for is compared with."""

    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    hits: int
    hits_at_most: int | UnsetType | None
    compared: _Compared
    points: list[_Point]


class _Weekday(msgspec.Struct, rename="camel"):
    """What the days of one name had, whole days only."""

    weekday: str
    days: int
    hits: int
    hits_per_day: float | None


class _Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    asset_id: str | UnsetType
    title: str | UnsetType
    grain: str
    zone: str
    from_: str = msgspec.field(name="from")
    to: str
    exact: bool
    kept_since: str | UnsetType
    final: bool
    hits: int
    hits_at_most: int | UnsetType | None
    points: list[_Point]
    previous: _Before | UnsetType = UNSET
    last_week: _Before | UnsetType = UNSET
    weekdays: list[_Weekday] | UnsetType = UNSET


def series_answer(reading: SeriesReading, query: SeriesQuery, words: Words) -> Answer:
    """Return what a series that was read says to a question that reads it."""
    points = reading.points()
    total = _total(points)
    is_exact = _is_exact(points)
    known = (words.shown(query.brand, [query.asset]) or {}).get(query.asset) if query.asset else None
    body = _Body(
        brand=query.brand,
        asset_id=query.asset or UNSET,
        title=UNSET if known is None else known.title or UNSET,
        grain=query.grain_name,
        zone=reading.ground.zone,
        from_=instant_text(reading.span.from_ms),
        to=instant_text(reading.span.to_ms),
        exact=is_exact,
        kept_since=_kept_since(points),
        final=reading.is_final,
        hits=total.hits,
        hits_at_most=_at_most(points, total),
        points=_shown(points, now_ms=reading.ground.now_ms),
    )
    spans = reading.compared()
    if PREVIOUS in spans:
        body.previous = _before(reading, PREVIOUS, spans[PREVIOUS])
    if LAST_WEEK in spans:
        body.last_week = _before(reading, LAST_WEEK, spans[LAST_WEEK])
    if query.profile == "weekday":
        body.weekdays = _weekdays(reading)
    return answer_from(msgspec.json.encode(body), max_age_s=reading.max_age_s, exact=is_exact, columns=_COLUMNS)


def _total(points: Sequence[Point]) -> Measure:
    return sum((one.measure for one in points if one.measure is not None), NOTHING)


def _is_exact(points: Sequence[Point]) -> bool:
    return all(one.measure is not None and one.measure.is_exact for one in points)


def _at_most(points: Sequence[Point], total: Measure) -> int | UnsetType | None:
    """Return a bound only where the sum is not certain; what is not kept any more has none."""
    if _is_exact(points):
        return UNSET
    return None if any(one.measure is None for one in points) else total.at_most


def _kept_since(points: Sequence[Point]) -> str | UnsetType:
    gone = [one.window.to_ms for one in points if one.measure is None]
    return instant_text(max(gone)) if gone else UNSET


def _shown(points: Sequence[Point], *, now_ms: int) -> list[_Point]:
    shown: list[_Point] = []
    for one in points:
        measure = one.measure
        point = _Point(from_=instant_text(one.window.from_ms), hits=None if measure is None else measure.hits)
        if measure is not None and not measure.is_exact:
            point.hits_at_most = measure.at_most
        if one.window.to_ms > now_ms:
            point.open = True
        shown.append(point)
    return shown


def _before(reading: SeriesReading, name: str, span: Span) -> _Before:
    now_ms = reading.ground.now_ms
    points, before = reading.points(), reading.points(name)
    total = _total(before)
    # A window that is still open would be compared with a whole one; where clocks were set, one span has more of them.
    pairs = [
        (one.measure.hits, other.measure.hits)
        for one, other in zip(points, before, strict=False)
        if one.window.to_ms <= now_ms and one.measure is not None and other.measure is not None
    ]
    hits, hits_before = sum(one for one, _ in pairs), sum(other for _, other in pairs)
    return _Before(
        from_=instant_text(span.from_ms),
        to=instant_text(span.to_ms),
        exact=_is_exact(before),
        hits=total.hits,
        hits_at_most=_at_most(before, total),
        compared=_Compared(
            points=len(pairs),
            hits=hits,
            hits_before=hits_before,
            change=round(hits / hits_before - 1, RATIO_DIGITS) if hits_before else None,
        ),
        points=_shown(before, now_ms=now_ms),
    )


def _weekdays(reading: SeriesReading) -> list[_Weekday]:
    """Return what each weekday had: of days that are over, kept, and wholly in the span."""
    zone, span = reading.ground.zone, reading.span
    sums, days = [0] * 7, [0] * 7
    for day, points in groupby(reading.points(), lambda one: window_of(one.window.from_ms, Grain.DAY, zone)):
        measures = [one.measure for one in points]
        is_whole = span.from_ms <= day.from_ms and day.to_ms <= min(span.to_ms, reading.ground.now_ms)
        if is_whole and None not in measures:
            number = datetime.fromtimestamp(day.from_ms / 1_000, zone_named(zone)).weekday()
            sums[number] += sum(one.hits for one in measures if one is not None)
            days[number] += 1
    return [
        _Weekday(name, count, hits, round(hits / count, 1) if count else None)
        for name, count, hits in zip(WEEKDAYS, days, sums, strict=True)
    ]
