"""The spans of a series: the one that is asked for, the one before it, and the same one a week earlier."""

from datetime import UTC, datetime, timedelta

from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.spans import span_before
from footfall.values.period import Span
from footfall.values.window import Grain, previous_window, walk, window_of, zone_named

PREVIOUS, LAST_WEEK = "previous", "lastWeek"
SPAN = "span"  # the column of a table that says which of them a point is of

_WEEK = timedelta(days=7)


def series_span(query: SeriesQuery, *, zone: str, now_ms: int) -> Span:
    """Return the windows that a question asks for; without ends, the last ones and with them the open one."""
    if query.from_ms is not None and query.to_ms is not None:
        return Span(tuple(walk(query.grain, from_ms=query.from_ms, to_ms=query.to_ms, zone=zone)))
    windows = [window_of(now_ms, query.grain, zone)]
    while len(windows) < query.last:
        windows.append(previous_window(windows[-1], zone))
    return Span(tuple(reversed(windows)))


def compared_spans(query: SeriesQuery, span: Span, zone: str) -> dict[str, Span]:
    """Return the spans that the question compares with, by their names."""
    spans: dict[str, Span] = {}
    if PREVIOUS in query.compare:
        spans[PREVIOUS] = previous_span(span, zone)
    if LAST_WEEK in query.compare:
        spans[LAST_WEEK] = span_of_last_week(span, zone)
    return spans


def previous_span(span: Span, zone: str) -> Span:
    """Return the span before: as many days when it is made of days, otherwise as much time."""
    grain = span.windows[0].grain
    if grain is Grain.DAY:
        return span_before(span, zone)
    first = window_of(2 * span.from_ms - span.to_ms, grain, zone)
    return Span(tuple(walk(grain, from_ms=first.from_ms, to_ms=span.from_ms, zone=zone)))


def span_of_last_week(span: Span, zone: str) -> Span:
    """Return the span whose ends had the same weekday and hour a week before; where clocks were set it may differ."""
    grain = span.windows[0].grain
    first = window_of(_a_week_before(span.from_ms, zone), grain, zone)
    end = window_of(_a_week_before(span.to_ms, zone), grain, zone)
    return Span(tuple(walk(grain, from_ms=first.from_ms, to_ms=max(end.from_ms, first.to_ms), zone=zone)))


def _a_week_before(moment_ms: int, zone: str) -> int:
    local = datetime.fromtimestamp(moment_ms // 1_000, zone_named(zone))
    # Arithmetic on a local time is that of its clock: seven days, however many hours they had.
    return int((local - _WEEK).astimezone(UTC).timestamp()) * 1_000
