"""Series of visitors: how many a brand, some sections or one asset had in each window of a span, and in all of it.

The visitors of a span are united, never added up: who came in two of its windows is one visitor of both together.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from footfall.flow.serve.answer import Answer
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.measures import NOTHING, Measure, MeasuredWindows, measuring_asset, measuring_labels
from footfall.flow.serve.resolution import Resolution, is_kept
from footfall.flow.serve.series import ASKED
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.series_spans import compared_spans
from footfall.flow.serve.unique_series_answer import SpanVisitors, UniquePoint, unique_series_answer
from footfall.flow.serve.uniting import Uniting, groups_from, together
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visitors, Visits, bounded, visitors_from
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section
from footfall.sketches.grouped import GroupedUniques, Groups, merge_grouped, no_groups, regrouped
from footfall.values.period import Span
from footfall.values.window import Window


@dataclass(slots=True)
class _Gathered:
    """What was found of one span so far."""

    points: list[UniquePoint] = field(default_factory=list[UniquePoint])
    all: GroupedUniques = field(default_factory=no_groups)
    compared: GroupedUniques = field(default_factory=no_groups)  # of windows that are over and kept in both spans
    hits: Measure = NOTHING  # of windows with visitors
    hits_compared: Measure = NOTHING


@dataclass(slots=True)
class UniqueSeries:
    """One series, on its way from the store or read already."""

    query: SeriesQuery
    span: Span
    visits: Visits
    _spans: dict[str, Span] = field(init=False)
    _groups: Groups = field(init=False)
    _todo: list[tuple[str, int, Window]] = field(init=False)  # the next window last
    _uniting: Uniting | None = None
    _found: dict[str, _Gathered] = field(init=False)
    _compared: list[bool] = field(init=False)  # whether the windows of each number are compared

    def __post_init__(self) -> None:
        """Begin with all windows unread; what has not begun has no point."""
        ground = self.visits.ground
        self._spans = {ASKED: self.span, **compared_spans(self.query, self.span, ground.zone)}
        self._groups = _groups_of(self.query)
        self._found = {name: _Gathered() for name in self._spans}
        longest = max(len(span.windows) for span in self._spans.values())
        # With nothing to compare with, nobody asks.
        self._compared = [len(self._spans) > 1 and self._all_have(number) for number in range(longest)]
        self._todo = [
            (name, number, window)
            for name, span in self._spans.items()
            for number, window in enumerate(span.windows)
            if window.from_ms <= ground.seen_until_ms
        ][::-1]

    @property
    def rows(self) -> int:
        """Return how much memory it takes, in rows of lists that would take as much."""
        return sum(len(one.points) for one in self._found.values()) + 200 * len(self._found)

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
        return self.visits.is_final(self.span)

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of this series."""
        return any(window.from_ms < span.to_ms and window.to_ms > span.from_ms for span in self._spans.values())

    def step(self, read: Read) -> None:
        """Read the next window, or one of those that stand for it."""
        name, number, window = self._todo[-1]
        if not is_kept(self.visits.ground, window):
            self._found[name].points.append(UniquePoint(window, None))
            self._todo.pop()
            return
        if self._uniting is None:
            self._uniting = Uniting(self._groups, windows_of(Span((window,)), self.visits.ground))
        if self._uniting.todo:
            self._uniting.step(self.visits.visited)
        if not self._uniting.todo:
            self._enter(name, number, window, self._uniting.united, self._measure(window, read))
            self._uniting = None
            self._todo.pop()

    def answer(self, words: Words) -> Answer:
        """Return the answer to the question, with what the catalogue says by now."""
        assert self.is_read, f"{len(self._todo)} windows are still to be read"
        spans = {name: self._span_visitors(name) for name in self._spans}
        return unique_series_answer(self.query, self.visits, spans, words)

    def _measure(self, window: Window, read: Read) -> Measure:
        """Return the hits of what is asked about, which bound its visitors: nobody visits without one."""
        assert self._uniting is not None
        if not self.query.asset and not self._uniting.has_visitors:
            return NOTHING  # Years of windows without visitors are to cost nothing.
        asset, sections = self.query.asset, self.query.sections
        measured = MeasuredWindows(measuring_asset(asset) if asset else measuring_labels(sections, (), ()))
        resolution = Resolution(ground=self.visits.ground, loaded=measured, read=cache(read), fresh={})
        units = resolution.units(Span((window,)))
        return sum((measured.measured(unit.window, unit.part) for unit in units), NOTHING)

    def _enter(self, name: str, number: int, window: Window, united: GroupedUniques, hits: Measure) -> None:
        found = self._found[name]
        is_compared = self._compared[number]
        found.hits += hits
        found.hits_compared += hits if is_compared else NOTHING
        if not len(united):
            found.points.append(UniquePoint(window, self._visitors(united, hits)))
            return
        one = regrouped(united, np.zeros(len(united), np.int64))
        found.points.append(UniquePoint(window, self._visitors(one, hits)))
        found.all = merge_grouped([found.all, one])
        if is_compared:
            found.compared = merge_grouped([found.compared, one])

    def _all_have(self, number: int) -> bool:
        """Tell whether the windows of that number are over and kept in all spans; clocks may leave one span shorter."""
        windows = [span.windows[number] for span in self._spans.values() if number < len(span.windows)]
        ground = self.visits.ground
        is_over = len(windows) == len(self._spans) and windows[0].to_ms <= ground.now_ms
        return is_over and all(is_kept(ground, window) for window in windows)

    def _span_visitors(self, name: str) -> SpanVisitors:
        found = self._found[name]
        return SpanVisitors(
            span=self._spans[name],
            points=found.points,
            total=self._visitors(found.all, found.hits),
            compared=self._visitors(found.compared, found.hits_compared),
            compared_points=sum(self._compared[: len(found.points)]),
        )

    def _visitors(self, one: GroupedUniques, hits: Measure) -> Visitors:
        """Return the visitors of a set, of whom so many more may have come whom no row tells of."""
        told = visitors_from(together(one))
        if hits.at_most is None:
            return bounded(told, hits=None, missed=hits.unlabelled)
        return bounded(told, hits=hits.hits, missed=hits.at_most - hits.hits)


def _groups_of(query: SeriesQuery) -> Groups:
    if query.asset:
        return groups_from([group_of_asset(query.asset)])
    return groups_from([group_of_section(one) for one in query.sections] or [BRAND_GROUP])
