"""Footfall's own counts for metrics: read from the store window by window, as lists and series of the past are.

Hits are what lists show, sums of labels with what cuts left out. Visitors are sets that are united over a span, and a
number is at most that of the hits, as in a series.

A window is known from the day of the brand's first hit on: there nobody came is 0, and before that nobody was counting.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from footfall.app.brand_facts import BrandFacts
from footfall.app.sights import Sights
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.resolution import Ground, Resolution, is_kept
from footfall.flow.serve.shown import EVERYBODY, PERSONS, labels_shown_for
from footfall.flow.serve.uniting import Uniting, groups_from
from footfall.flow.serve.visitor_windows import windows_of
from footfall.flow.serve.visits import Visitors, visitors_from
from footfall.flow.store import keys
from footfall.flow.store.columns import Columns
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.store.visitors import BRAND_GROUP, group_of_section, load_visitors
from footfall.metrics.counts import CountMark, CountQuestion, CountTold
from footfall.metrics.definition import Counted
from footfall.ports.table import Table
from footfall.sketches.estimation import Estimate
from footfall.values.clock import Clock
from footfall.values.period import Span
from footfall.values.window import MINUTE_MS, MOMENT_MS_MAX, Grain, Window, walk, window_of

TICK_MS = 15 * MINUTE_MS  # Days and hours begin at such moments, wherever on earth.

_PLACES = {"section": 0, "resourceType": 1, "paidType": 2}
_Label = tuple[str, ...]


@dataclass(slots=True)
class _Totals:
    """The hits of each label of a window or a span; those that nobody knows the labels of are under empty ones."""

    hits: Counter[_Label] = field(default_factory=Counter[_Label])
    unlabelled: int = 0
    is_known: bool = True  # False: a cut left out nobody knows how many.

    def add(self, more: "_Totals") -> None:
        """Add another's."""
        self.hits.update(more.hits)
        self.unlabelled += more.unlabelled
        self.is_known &= more.is_known


@dataclass(slots=True)
class _HeldTotals:
    parts: dict[str, _Totals | None]
    merged: frozenset[str]


@dataclass(slots=True)
class _TotalWindows:
    """Windows of which no more is kept than the hits of each label."""

    labels: frozenset[str]
    windows: dict[Window, _HeldTotals] = field(default_factory=dict[Window, _HeldTotals])

    def held(self, window: Window) -> _HeldTotals | None:
        """Return what is known of the window, None when it was never read."""
        return self.windows.get(window)

    def note(self, window: Window, summaries: Collection[Summary]) -> _HeldTotals:
        """Take note of which parts the window has."""
        merged = frozenset(shard for one in summaries for shard in one.throughs if one.part == keys.ALL)
        held = self.windows[window] = _HeldTotals({one.part: None for one in summaries}, merged)
        return held

    def enter(self, window: Window, summary: Summary) -> None:
        """Add up one part of a window that was noted."""
        self.windows[window].parts[summary.part] = _totals_of(summary.columns, self.labels)

    def fit(self, read: Read, *, now_ms: int) -> None:
        """Do nothing: totals take no room."""


@dataclass(frozen=True, slots=True)
class _First:
    """The day of a brand's first hit as far as it was looked for, and what was counted then."""

    day_ms: int = MOMENT_MS_MAX
    numbers: tuple[int, ...] = ()


class StoredCounts:
    """The counts of all brands in one store."""

    def __init__(self, table: Table, sights: Sights, brands: BrandFacts, *, clock: Clock) -> None:
        self._table = table
        self._sights = sights
        self._brands = brands
        self._clock = clock
        self._summaries = Summaries(table, clock)
        self._first: dict[str, _First] = {}

    def mark(self, brand: str) -> CountMark:
        """Return what the counts of a brand are made of now."""
        checkpoints = self._sights.checkpoints()
        shows_suspected = self._brands.shows_suspected(brand)
        numbers = [one.number for _, one in sorted(checkpoints.items())]
        # As time passes windows begin, and go.
        state = (*numbers, self._clock.now_ms() // TICK_MS, int(shows_suspected))
        return CountMark(state, min((one.passed_ms for one in checkpoints.values()), default=0))

    def read(self, brand: str, question: CountQuestion) -> CountTold:
        """Return the counts that are asked for."""
        ground, _ = self._sights.sight(brand)
        grain = Grain.HOUR if question.is_hourly else Grain.DAY
        since_ms = self._counted_since_ms(brand, question.spans, ground)
        spans = [
            [
                window
                for window in walk(grain, from_ms=from_ms, to_ms=min(to_ms, ground.now_ms), zone=ground.zone)
                if window.from_ms >= since_ms and is_kept(ground, window)
            ]
            for from_ms, to_ms in question.spans
        ]
        if question.counts is Counted.VISITORS:
            return self._visitors(brand, question, spans, ground)
        labels = labels_shown_for((), shows_suspected=self._brands.shows_suspected(brand))
        return _hits(question, [self._totals(brand, windows, ground, labels) for windows in spans], spans)

    def _counted_since_ms(self, brand: str, spans: Sequence[tuple[int, int]], ground: Ground) -> int:
        """Return a day from which on a brand was counted: that of its first hit, or one before all spans."""
        start_ms = min((from_ms for from_ms, _ in spans), default=ground.now_ms)
        first = self._first.get(brand, _First())
        if first.day_ms <= start_ms:
            return first.day_ms
        # A day before may have come since, from older logs: it is looked for again when anything was counted.
        numbers = tuple(one.number for _, one in sorted(self._sights.checkpoints().items()))
        if first.numbers != numbers:
            start = window_of(start_ms, Grain.DAY, ground.zone)
            if self._is_counted(brand, start, ground):  # Most brands were there long before what is asked for.
                first = _First(start.from_ms)
            else:
                first = _First(self._first_day_ms(brand, ground, until_ms=first.day_ms), numbers)
            self._first[brand] = first
        return first.day_ms

    def _first_day_ms(self, brand: str, ground: Ground, *, until_ms: int) -> int:
        oldest_ms, newest_ms = ground.now_ms - ground.kept_ms[Grain.DAY], min(until_ms, ground.now_ms)
        for window in walk(Grain.DAY, from_ms=max(oldest_ms, 0), to_ms=newest_ms, zone=ground.zone):
            if self._is_counted(brand, window, ground):
                return window.from_ms
        return until_ms

    def _is_counted(self, brand: str, window: Window, ground: Ground) -> bool:
        """Tell whether anybody came in a window that is kept."""
        if window.from_ms >= ground.now_ms or not is_kept(ground, window):
            return False
        return bool(self._resolution(brand, _TotalWindows(EVERYBODY), ground).units(Span((window,))))

    def _resolution(self, brand: str, held: _TotalWindows, ground: Ground) -> Resolution:
        def live(window: Window) -> list[Summary]:
            return self._summaries.live(brand, window)

        # What stands for a window is looked for first and added up then; it is read once for both.
        return Resolution(ground=ground, loaded=held, read=cache(live), fresh={})

    def _totals(self, brand: str, windows: Sequence[Window], ground: Ground, labels: frozenset[str]) -> _Totals:
        total = _Totals()
        for window in windows:
            held = _TotalWindows(labels)
            for unit in self._resolution(brand, held, ground).units(Span((window,))):
                found = held.windows[unit.window].parts[unit.part]
                assert found is not None, "what counts was entered"
                total.add(found)
        return total

    def _visitors(
        self, brand: str, question: CountQuestion, spans: Sequence[Sequence[Window]], ground: Ground
    ) -> CountTold:
        asked = dict(question.where).get("section")
        totals = [self._totals(brand, windows, ground, PERSONS) for windows in spans]
        met = sorted({label[0] for one in totals for label in one.hits if asked is None or label[0] in asked})
        sets = [(section,) for section in met] if question.by else [tuple(asked) if asked is not None else None]
        groups = [(section,) for section in met] if question.by else [()]
        values, is_exact = np.full((len(spans), len(groups)), np.nan), True
        for row, (windows, total) in enumerate(zip(spans, totals, strict=True)):
            for at, sections in enumerate(sets if windows else ()):
                told = self._united(brand, windows, sections, ground)
                values[row, at] = min(told.uniques, _most(total, sections))
                is_exact &= told.at_least == told.at_most
        return CountTold(groups, values, _lengths(spans), is_exact, _starts(spans), _met(question, totals))

    def _united(
        self, brand: str, windows: Sequence[Window], sections: Sequence[str] | None, ground: Ground
    ) -> Visitors:
        wanted = [BRAND_GROUP] if sections is None else [group_of_section(one) for one in sections]
        if not wanted:
            return visitors_from(Estimate(0.0, 0.0, 0.0))
        uniting = Uniting(groups_from(wanted), windows_of(Span(tuple(windows)), ground))
        while uniting.todo:
            uniting.step(lambda window: load_visitors(self._table, brand, window))
        return visitors_from(uniting.together())


def _totals_of(columns: Columns, labels: frozenset[str]) -> _Totals:
    """Return the hits of each label, of those who are shown."""
    sums: list[float] = np.bincount(columns.slice_no, columns.hits, len(columns.slices)).tolist()
    totals = _Totals()
    for one, hits in zip(columns.slices, sums, strict=True):
        if one.label in labels:
            totals.hits[one[:3]] += int(hits)
    for one in columns.cuts.per_slice:
        if one.label in labels:
            totals.hits[one[:3]] += columns.cuts.left_out.get(one, 0)
            totals.is_known &= one in columns.cuts.left_out
    totals.unlabelled = columns.other + (columns.other_screened if labels >= EVERYBODY else 0)
    return totals


def _hits(question: CountQuestion, totals: Sequence[_Totals], spans: Sequence[Sequence[Window]]) -> CountTold:
    """Return the hits of each span by the dimensions that are asked for; where nobody came there are none."""
    places = [_PLACES[name] for name in question.by]
    conditions = [(_PLACES[name], frozenset(values)) for name, values in question.where]
    found: list[Counter[_Label]] = []
    for one in totals:
        counted = Counter[_Label]()
        for label, hits in (*one.hits.items(), (("", "", ""), one.unlabelled)):
            if hits and all(label[at] in values for at, values in conditions):
                counted[tuple(label[at] for at in places)] += hits
        found.append(counted)
    groups = sorted(set[_Label]().union(*found)) if question.by else [()]
    values = np.full((len(spans), len(groups)), np.nan)
    for row, (counted, windows) in enumerate(zip(found, spans, strict=True)):
        if windows:
            values[row] = [counted[group] for group in groups]
    is_plain = not question.by and not question.where
    is_exact = all(one.is_known and (is_plain or not one.unlabelled) for one in totals)
    return CountTold(groups, values, _lengths(spans), is_exact, _starts(spans), _met(question, totals))


def _most(total: _Totals, sections: Sequence[str] | None) -> float:
    """Return how many hits, and so visitors, there are at most."""
    if not total.is_known:
        return float("inf")
    hits: Mapping[_Label, int] = total.hits
    return total.unlabelled + sum(n for label, n in hits.items() if sections is None or label[0] in sections)


def _lengths(spans: Sequence[Sequence[Window]]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array([len(windows) for windows in spans], np.int64)


def _starts(spans: Sequence[Sequence[Window]]) -> list[int]:
    return [window.from_ms for windows in spans for window in windows]


def _met(question: CountQuestion, totals: Sequence[_Totals]) -> dict[str, set[str]]:
    """Return which values the dimensions have that conditions name."""
    labels = [label for one in totals for label in (*one.hits, *([("", "", "")] if one.unlabelled else []))]
    return {name: {label[_PLACES[name]] for label in labels} for name, _ in question.where}
