"""Series: what a brand, some labels or one asset had in each window of a span, read from the store a window at a time.

No window stays in memory, only what was asked about it, so a series of years costs reading and nothing else.
"""

from dataclasses import dataclass, field
from functools import cache

from footfall.flow.serve.loaded import Read
from footfall.flow.serve.measures import (
    NOTHING,
    Measure,
    MeasuredWindows,
    Measuring,
    measuring_asset,
    measuring_labels,
)
from footfall.flow.serve.past import CLOSED_CACHE_S, FINAL_CACHE_S, OPEN_CACHE_S, Moments
from footfall.flow.serve.resolution import Ground, Resolution
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.series_spans import compared_spans
from footfall.values.period import Span
from footfall.values.window import Window

ASKED = ""  # the name of the span that is asked for, beside those that it is compared with


@dataclass(frozen=True, slots=True)
class Point:
    """One window of a series; no measure: it is not kept any more."""

    window: Window
    measure: Measure | None


@dataclass(slots=True)
class SeriesReading:
    """One series, on its way from the store or read already."""

    query: SeriesQuery
    span: Span
    ground: Ground
    moments: Moments
    _spans: dict[str, Span] = field(init=False)
    _measuring: Measuring = field(init=False)
    _todo: list[tuple[str, Window]] = field(init=False)  # the next window last
    _points: dict[str, list[Point]] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with all windows unread; what has not begun has no point."""
        query = self.query
        self._spans = {ASKED: self.span, **compared_spans(query, self.span, self.ground.zone)}
        self._measuring = (
            measuring_asset(query.asset, query.labels)
            if query.asset
            else measuring_labels(query.sections, query.resource_types, query.paid_types, query.labels)
        )
        self._points = {name: [] for name in self._spans}
        self._todo = [
            (name, window)
            for name, span in reversed(self._spans.items())
            for window in reversed(span.windows)
            if window.from_ms <= self.ground.seen_until_ms
        ]

    @property
    def rows(self) -> int:
        """Return how much memory it takes, in rows of lists that would take as much."""
        return sum(map(len, self._points.values()))

    @property
    def left(self) -> int:
        """Return how many windows are still to be read."""
        return len(self._todo)

    @property
    def is_read(self) -> bool:
        """Tell whether the series can be asked."""
        return not self._todo

    @property
    def is_final(self) -> bool:
        """Tell whether no hit can change the series any more, except in a backfill."""
        return self.span.to_ms + self.moments.lateness_ms <= self.moments.closed_until_ms

    @property
    def max_age_s(self) -> int:
        """Return for how long caches outside may keep the answer."""
        is_closed = self.span.to_ms <= self.moments.closed_until_ms
        return FINAL_CACHE_S if self.is_final else CLOSED_CACHE_S if is_closed else OPEN_CACHE_S

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of this series."""
        return any(span.meets(window) for span in self._spans.values())

    def step(self, read: Read) -> None:
        """Read the next window."""
        name, window = self._todo[-1]
        measured = MeasuredWindows(self._measuring)
        # What stands for a window is looked for first and measured then; it is read once for both.
        resolution = Resolution(ground=self.ground, loaded=measured, read=cache(read), fresh={})
        units = resolution.units(Span((window,)))
        total = sum((measured.measured(unit.window, unit.part) for unit in units), NOTHING)
        self._points[name].append(Point(window, None if resolution.unknown else total))
        self._todo.pop()

    def points(self, name: str = ASKED) -> list[Point]:
        """Return the points of the span that is asked for, or of one that it is compared with."""
        assert self.is_read, f"{len(self._todo)} windows are still to be read"
        return self._points[name]

    def compared(self) -> dict[str, Span]:
        """Return the spans that it is compared with, by their names."""
        return {name: span for name, span in self._spans.items() if name != ASKED}
