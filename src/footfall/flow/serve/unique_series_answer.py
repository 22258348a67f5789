"""The answer of a series of visitors: its points, those of the whole span, and what they are compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from footfall.flow.serve.answer import Answer, answer_from, columns_of
from footfall.flow.serve.query import UNIQUES
from footfall.flow.serve.series import ASKED
from footfall.flow.serve.series_answer import RATIO_DIGITS, WEEKDAYS
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.series_spans import LAST_WEEK, PREVIOUS, SPAN
from footfall.flow.serve.unique_names import UNIQUES_ARE
from footfall.flow.serve.uniting import uniques_are
from footfall.flow.serve.visits import Visitors, Visits
from footfall.flow.serve.words import Words
from footfall.values.period import Span
from footfall.values.window import Window, instant_text, zone_named


@dataclass(frozen=True, slots=True)
class UniquePoint:
    """One window of a series; no visitors: it is not kept any more."""

    window: Window
    visitors: Visitors | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanVisitors:
    """All that was found of one span."""

    span: Span
    points: Sequence[UniquePoint]
    total: Visitors
    compared: Visitors  # of the windows that are over in all spans
    compared_points: int


class _Point(msgspec.Struct, rename="camel", gc=False):
    """One window, in the order of its JSON."""

    from_: str = msgspec.field(name="from")
    uniques: int | None
    uniques_at_least: int | UnsetType = UNSET
    uniques_at_most: int | UnsetType = UNSET
    open: bool | UnsetType = UNSET


_COLUMNS = (SPAN, *columns_of(_Point), UNIQUES_ARE)


class _Compared(msgspec.Struct, rename="camel"):
    """The windows that are over in both spans, united in each."""

    points: int
    uniques: int
    uniques_at_least: int
    uniques_at_most: int
    uniques_before: int
    uniques_before_at_least: int
    uniques_before_at_most: int
    change: float | None
    change_at_least: float | None
    change_at_most: float | None


class _Before(msgspec.Struct, rename="camel"):
    """A span that the one asked for is compared with."""

    from_: str = msgspec.field(name="from")
    to: str
    uniques: int
    uniques_at_least: int
    uniques_at_most: int | None
    compared: _Compared
    points: list[_Point]


class _Weekday(msgspec.Struct, rename="camel"):
    """What the days of one name had, whole days only."""

    weekday: str
    days: int
    uniques_per_day: float | None
    uniques_per_day_at_least: float | None
    uniques_per_day_at_most: float | None


class _Body(msgspec.Struct, rename="camel"):
    """The whole answer, in the order of its JSON."""

    brand: str
    asset_id: str | UnsetType
    title: str | UnsetType
    measure: str
    grain: str
    zone: str
    from_: str = msgspec.field(name="from")
    to: str
    uniques_are: str
    kept_since: str | UnsetType
    final: bool
    uniques: int
    uniques_at_least: int
    uniques_at_most: int | None
    points: list[_Point]
    previous: _Before | UnsetType = UNSET
    last_week: _Before | UnsetType = UNSET
    weekdays: list[_Weekday] | UnsetType = UNSET


def unique_series_answer(query: SeriesQuery, visits: Visits, spans: Mapping[str, SpanVisitors], words: Words) -> Answer:
    """Return what a series of visitors says to its question."""
    asked = spans[ASKED]
    known = (words.shown(query.brand, [query.asset]) or {}).get(query.asset) if query.asset else None
    gone = [one.window.to_ms for one in asked.points if one.visitors is None]
    now_ms = visits.ground.now_ms
    body = _Body(
        brand=query.brand,
        asset_id=query.asset or UNSET,
        title=UNSET if known is None else known.title or UNSET,
        measure=UNIQUES,
        grain=query.grain_name,
        zone=visits.ground.zone,
        from_=instant_text(asked.span.from_ms),
        to=instant_text(asked.span.to_ms),
        uniques_are=uniques_are(asked.span, visits.ground.zone),
        kept_since=instant_text(max(gone)) if gone else UNSET,
        final=visits.is_final(asked.span),
        uniques=asked.total.uniques,
        uniques_at_least=asked.total.at_least,
        uniques_at_most=_at_most(asked),
        points=_shown(asked.points, now_ms=now_ms),
    )
    if PREVIOUS in spans:
        body.previous = _before(asked, spans[PREVIOUS], now_ms=now_ms)
    if LAST_WEEK in spans:
        body.last_week = _before(asked, spans[LAST_WEEK], now_ms=now_ms)
    if query.profile == "weekday":
        body.weekdays = _weekdays(asked, zone=visits.ground.zone, now_ms=now_ms)
    max_age_s = visits.max_age_s(asked.span)
    return answer_from(msgspec.json.encode(body), max_age_s=max_age_s, exact=False, columns=_COLUMNS)


def _at_most(found: SpanVisitors) -> int | None:
    """Return the bound of a whole span; what is not kept any more has none."""
    return None if any(one.visitors is None for one in found.points) else found.total.at_most


def _shown(points: Sequence[UniquePoint], *, now_ms: int) -> list[_Point]:
    shown: list[_Point] = []
    for one in points:
        point = _Point(from_=instant_text(one.window.from_ms), uniques=None)
        if one.visitors is not None:
            point.uniques = one.visitors.uniques
            point.uniques_at_least, point.uniques_at_most = one.visitors.at_least, one.visitors.at_most
        if one.window.to_ms > now_ms:
            point.open = True
        shown.append(point)
    return shown


def _before(asked: SpanVisitors, before: SpanVisitors, *, now_ms: int) -> _Before:
    return _Before(
        from_=instant_text(before.span.from_ms),
        to=instant_text(before.span.to_ms),
        uniques=before.total.uniques,
        uniques_at_least=before.total.at_least,
        uniques_at_most=_at_most(before),
        compared=_compared(asked.compared, before.compared, points=before.compared_points),
        points=_shown(before.points, now_ms=now_ms),
    )


def _compared(now: Visitors, before: Visitors, *, points: int) -> _Compared:
    return _Compared(
        points=points,
        uniques=now.uniques,
        uniques_at_least=now.at_least,
        uniques_at_most=now.at_most,
        uniques_before=before.uniques,
        uniques_before_at_least=before.at_least,
        uniques_before_at_most=before.at_most,
        change=_change(now.uniques, before.uniques),
        change_at_least=_change(now.at_least, before.at_most),
        change_at_most=_change(now.at_most, before.at_least),
    )


def _change(now: int, before: int) -> float | None:
    return round(now / before - 1, RATIO_DIGITS) if before else None


def _weekdays(asked: SpanVisitors, *, zone: str, now_ms: int) -> list[_Weekday]:
    """Return what each weekday had on average: of days that are over and kept."""
    days: list[list[Visitors]] = [[] for _ in WEEKDAYS]
    for one in asked.points:
        if one.visitors is not None and one.window.to_ms <= now_ms:
            number = datetime.fromtimestamp(one.window.from_ms / 1_000, zone_named(zone)).weekday()
            days[number].append(one.visitors)
    return [
        _Weekday(
            name,
            len(seen),
            _mean([one.uniques for one in seen]),
            _mean([one.at_least for one in seen]),
            _mean([one.at_most for one in seen]),
        )
        for name, seen in zip(WEEKDAYS, days, strict=True)
    ]


def _mean(numbers: Sequence[int]) -> float | None:
    return round(sum(numbers) / len(numbers), 1) if numbers else None
