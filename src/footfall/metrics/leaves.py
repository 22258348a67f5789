"""The values of primitive metrics by period and group, from points that were pushed and from footfall's own counts.

A metric that is chained to others of its kind is read as one: before each cutoff the days are the other's. So whatever
a period becomes by its style, it becomes across the cutoff as it does anywhere else, each day counted once. Visitors on
both sides are one set where both count the same; where they do not, their sum would count people twice, and is missing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.adding import exact_sums, weighted_averages
from footfall.metrics.budget import Budget
from footfall.metrics.calendar import FIRST_DAY, LAST_DAY, Edges, day_of, midnight_ms
from footfall.metrics.counts import CountQuestion, FootfallCounts, Where
from footfall.metrics.definition import COUNTED_ONCE, Aggregation, Definition, ValueType
from footfall.metrics.gathering import Gathering, Group, Rows
from footfall.metrics.points import Points
from footfall.metrics.resolving import is_pushed
from footfall.sketches.quantiles import percentiles
from footfall.values.errors import Refused
from footfall.values.window import Grain, walk

CELLS_MAX = 200_000  # of one question
Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Segment:
    """The days from one up to another, which are those of a metric."""

    definition: Definition
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of a metric, from one kind of source."""

    groups: Sequence[Group]
    values: Floats  # periods by groups
    last_days: Places  # by period, as its edges tell places; -1 where nothing is known
    known: Places  # the days, or hours, of which anything is known
    torn: NDArray[np.bool_]  # periods on both sides of a cutoff, whose two values are not one


@dataclass(slots=True)
class Coverage:
    """Which days, or hours, of a metric were asked for, and which of them have data."""

    asked: Places = field(default_factory=lambda: _NONE)
    known: Places = field(default_factory=lambda: _NONE)

    def note(self, asked: Places, known: Places) -> None:
        """Take note of what was read; what was read before counts once."""
        self.asked = np.union1d(self.asked, asked)
        self.known = np.union1d(self.known, known)

    @property
    def missing(self) -> Places:
        """Return the days, or hours, that were asked for and have no data."""
        return np.setdiff1d(self.asked, self.known, assume_unique=True)


@dataclass(slots=True)
class Leaves:
    """Reads what a question needs, and takes note of how much of it there was."""

    points: Points
    counts: FootfallCounts | None
    brand: str
    by: tuple[str, ...]
    where: Where
    coverage: dict[str, Coverage] = field(default_factory=dict[str, Coverage])
    met: dict[str, set[str]] = field(default_factory=dict[str, set[str]])  # of dimensions that conditions name
    is_exact: bool = True
    budget: Budget = field(default_factory=Budget)

    def read(self, segments: Sequence[Segment], edges: Edges) -> Part:
        """Return the values of a metric that is made of segments, the latest first."""
        root = segments[0].definition
        runs = _runs(segments)
        pushed = [one for one in runs if is_pushed(one.definition)]
        parts = [self._counted(one, root, edges) for one in runs if not is_pushed(one.definition)]
        if pushed:
            parts.append(self._pushed(pushed, root, edges))
        asked = _windows_of(edges.between(segments[-1].first, segments[0].end))
        told = self.coverage.setdefault(root.name, Coverage())
        for one in parts:
            told.note(asked, one.known)
        self.budget.take_cells(sum(one.values.size for one in parts))
        return parts[0] if len(parts) == 1 else _together(parts, root.aggregation_style, _torn(runs, root, edges))

    def _pushed(self, segments: Sequence[Segment], root: Definition, edges: Edges) -> Part:
        if edges.is_hourly:
            name = segments[0].definition.name
            raise Refused("grain", f"hours are kept of footfall's own counts; {name!r} has points of days")
        gathering = Gathering(root.value_type, self.by, self.where)
        for one in reversed(segments):
            first, end = max(one.first, edges.bounds[0]), min(one.end, edges.bounds[-1])
            for day, points in self.points.read(self.brand, one.definition.name, first=first, end=end):
                self.budget.take_rows(len(points))
                gathering.add(day, points)
        self._meet(gathering.met())
        rows = gathering.rows(edges)
        count = len(edges) * len(rows.groups)
        if count > CELLS_MAX:
            raise too_many(count)
        values = self._values(rows, root, count).reshape(len(edges), len(rows.groups))
        return Part(rows.groups, values, rows.last_days, rows.days, _untorn(edges))

    def _meet(self, met: Mapping[str, Collection[str]]) -> None:
        for name, values in met.items():
            self.met.setdefault(name, set()).update(values)

    def _values(self, rows: Rows, root: Definition, count: int) -> Floats:
        cells = rows.period * len(rows.groups) + rows.group
        values, weights = rows.values, rows.weights
        if root.value_type is ValueType.PERCENTILE:
            assert root.aggregation_param is not None, "a percentile says which"
            told = percentiles(rows.sketches, cells, count, root.aggregation_param)
            self.is_exact &= told.is_exact
            return told.values
        if root.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD:
            is_last = rows.day == rows.last_days[rows.period]
            cells, values, weights = cells[is_last], values[is_last], weights[is_last] if len(weights) else weights
        if root.value_type is ValueType.WEIGHTED_AVERAGE:
            return weighted_averages(cells, values, weights, count)
        return exact_sums(cells, values, count)

    def _counted(self, segment: Segment, root: Definition, edges: Edges) -> Part:
        """Return the counts of a segment; by days where the last of them is meant, else by periods."""
        if self.counts is None:
            raise Refused("name", f"{segment.definition.name!r} is made of footfall's own counts, which are not here")
        inside = edges.between(segment.first, segment.end)
        is_last = root.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD
        pieces = windows_in(inside) if is_last else inside
        starts, ends = pieces.starts, pieces.ends
        filled = np.flatnonzero(starts < ends)
        if not len(filled):
            return Part((), np.empty((len(edges), 0)), np.full(len(edges), -1, np.int64), _NONE, _untorn(edges))
        question = _question(segment.definition, pieces, filled, by=self.by, where=self.where)
        told = self.counts.read(self.brand, question)
        self.is_exact &= told.is_exact
        self._meet(told.met)
        values = np.full((len(pieces), len(told.groups)), np.nan)
        values[filled] = told.values
        known = np.zeros(len(pieces), np.int64)
        known[filled] = told.known
        places = told.windows if edges.is_hourly else [day_of(one, edges.zone) for one in told.windows]
        at = np.array(sorted(set(places)), np.int64)
        if is_last:
            last_days, values = _last_of(values, known, pieces, inside)
            return Part(told.groups, values, last_days, at, _untorn(edges))
        return Part(told.groups, values, np.where(known > 0, ends - 1, -1), at, _untorn(edges))


def too_many(cells: int) -> Refused:
    """Return what is said of an answer that would be too large."""
    reason = f"the answer would have {cells:,} values, at most {CELLS_MAX:,} are given"
    return Refused("by", f"{reason}; ask for longer periods, fewer dimensions or a condition")


def _question(
    definition: Definition, pieces: Edges, filled: Places, *, by: tuple[str, ...], where: Where
) -> CountQuestion:
    source = definition.source
    assert source is not None, "points that are pushed are read elsewhere"
    asked = dict(where)
    both = {
        name: tuple(one for one in source.where.get(name, asked.get(name, ())) if one in asked.get(name, (one,)))
        for name in sorted({*asked, *source.where})
    }
    bounds = pieces.bounds if pieces.is_hourly else tuple(midnight_ms(pieces.zone, day) for day in pieces.bounds)
    places: list[int] = filled.tolist()
    spans = tuple((bounds[at], bounds[at + 1]) for at in places)
    return CountQuestion(source.counts, spans, pieces.is_hourly, by, tuple(both.items()))


def windows_in(edges: Edges) -> Edges:
    """Return every day, or hour, of some periods by itself."""
    return Edges((*_windows_of(edges).tolist(), edges.bounds[-1]), edges.zone, edges.is_hourly)


def _windows_of(edges: Edges) -> Places:
    first, end = edges.bounds[0], edges.bounds[-1]
    if not edges.is_hourly:
        return np.arange(first, end, dtype=np.int64)
    starts = [one.from_ms for one in walk(Grain.HOUR, from_ms=first, to_ms=end, zone=edges.zone)]
    return np.array(starts, np.int64)


def _last_of(of_days: Floats, known: Places, pieces: Edges, edges: Edges) -> tuple[Places, Floats]:
    """Return of each period its last day that is known, and its values."""
    days = np.flatnonzero(known)
    starts = pieces.starts[days]
    values = np.full((len(edges), of_days.shape[1]), np.nan)
    last_days = np.full(len(edges), -1, np.int64)
    at = np.searchsorted(starts, edges.ends) - 1
    has = (at >= 0) & (edges.starts < edges.ends)
    has[has] &= starts[at[has]] >= edges.starts[has]
    values[has] = of_days[days[at[has]]]
    last_days[has] = starts[at[has]]
    return last_days, values


def _runs(segments: Sequence[Segment]) -> list[Segment]:
    """Return segments with those put together that count the same thing, so that visitors of both are one set."""
    runs: list[Segment] = []
    for one in segments:
        if one.first >= one.end:
            continue
        last = runs[-1] if runs else None
        if last is not None and not is_pushed(one.definition) and one.definition.source == last.definition.source:
            runs[-1] = Segment(last.definition, one.first, last.end)
        else:
            runs.append(one)
    return runs or [segments[0]]


def _torn(runs: Sequence[Segment], root: Definition, edges: Edges) -> NDArray[np.bool_]:
    """Tell which periods have visitors on one side of a cutoff and something else on the other: no sum is of both."""
    found = _untorn(edges)
    if root.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD:
        return found
    sides, has_visitors = np.zeros(len(edges), np.int64), _untorn(edges)
    has_pushed = _untorn(edges)
    for one in runs:
        inside = edges.between(one.first, one.end)
        is_in = inside.starts < inside.ends
        source = one.definition.source
        if source is not None and source.counts in COUNTED_ONCE:
            sides += is_in
            has_visitors |= is_in
        else:
            has_pushed |= is_in
    return has_visitors & (sides + has_pushed > 1)


def _untorn(edges: Edges) -> NDArray[np.bool_]:
    return np.zeros(len(edges), np.bool_)


def _together(parts: Sequence[Part], style: Aggregation, torn: NDArray[np.bool_]) -> Part:
    """Return what parts of several sources say together."""
    groups = sorted({group for one in parts for group in one.groups})
    aligned = [on_groups(one.groups, one.values, groups) for one in parts]
    last_days = np.max([one.last_days for one in parts], axis=0)
    known = np.unique(np.concatenate([one.known for one in parts]))
    if style is Aggregation.LAST_DAY_OF_PERIOD:
        values = np.full_like(aligned[0], np.nan)
        for one, cells in zip(parts, aligned, strict=True):
            is_last = (one.last_days == last_days) & (last_days >= 0)
            values[is_last] = cells[is_last]
        return Part(groups, values, last_days, known, torn)
    stacked = np.stack(aligned)
    values = np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))
    values[torn] = np.nan
    return Part(groups, values, last_days, known, torn)


def on_groups(groups: Sequence[Group], values: Floats, wanted: Sequence[Group]) -> Floats:
    """Return values with a column for each of other groups."""
    if list(groups) == list(wanted):
        return values
    numbers = {group: at for at, group in enumerate(wanted)}
    made = np.full((len(values), len(wanted)), np.nan)
    made[:, [numbers[group] for group in groups]] = values
    return made


EVER = (FIRST_DAY, LAST_DAY + 1)
