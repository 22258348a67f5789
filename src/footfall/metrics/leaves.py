"""The values of primitive metrics by period and group, from points that were pushed and from footfall's own counts.

A metric that is chained to others of its kind is read as one: before each cutoff the days are the other's. So whatever
a period becomes by its style, it becomes across the cutoff as it does anywhere else, each day counted once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.adding import exact_sums, weighted_averages
from footfall.metrics.budget import Budget
from footfall.metrics.calendar import FIRST_DAY, LAST_DAY, Edges, midnight_ms
from footfall.metrics.counts import CountQuestion, FootfallCounts, Where
from footfall.metrics.definition import Aggregation, Definition, ValueType
from footfall.metrics.gathering import Gathering, Group, Rows
from footfall.metrics.points import Points
from footfall.metrics.resolving import is_pushed
from footfall.sketches.quantiles import percentiles
from footfall.values.errors import Refused
from footfall.values.window import Grain, walk

CELLS_MAX = 200_000  # of one question
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


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
    days: int  # or hours, of which anything is known


@dataclass(slots=True)
class Coverage:
    """How many days, or hours, of a metric were asked for, and how many of them have data."""

    asked: int = 0
    with_data: int = 0


@dataclass(slots=True)
class Leaves:
    """Reads what a question needs, and takes note of how much of it there was."""

    points: Points
    counts: FootfallCounts | None
    brand: str
    by: tuple[str, ...]
    where: Where
    coverage: dict[str, Coverage] = field(default_factory=dict[str, Coverage])
    is_exact: bool = True
    budget: Budget = field(default_factory=Budget)

    def read(self, segments: Sequence[Segment], edges: Edges) -> Part:
        """Return the values of a metric that is made of segments, the latest first."""
        root = segments[0].definition
        pushed = [one for one in segments if is_pushed(one.definition)]
        parts = [self._counted(one, root, edges) for one in segments if not is_pushed(one.definition)]
        if pushed:
            parts.append(self._pushed(pushed, root, edges))
        told = self.coverage.setdefault(root.name, Coverage())
        told.asked += _length(edges, segments)
        told.with_data += sum(one.days for one in parts)
        self.budget.take_cells(sum(one.values.size for one in parts))
        return parts[0] if len(parts) == 1 else _together(parts, root.aggregation_style)

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
        rows = gathering.rows(edges)
        count = len(edges) * len(rows.groups)
        if count > CELLS_MAX:
            raise too_many(count)
        values = self._values(rows, root, count).reshape(len(edges), len(rows.groups))
        return Part(rows.groups, values, rows.last_days, len(rows.days))

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
        pieces = _windows(inside) if is_last else inside
        starts, ends = pieces.starts, pieces.ends
        filled = np.flatnonzero(starts < ends)
        if not len(filled):
            return Part((), np.empty((len(edges), 0)), np.full(len(edges), -1, np.int64), 0)
        question = _question(segment.definition, pieces, filled, by=self.by, where=self.where)
        told = self.counts.read(self.brand, question)
        self.is_exact &= told.is_exact
        values = np.full((len(pieces), len(told.groups)), np.nan)
        values[filled] = told.values
        known = np.zeros(len(pieces), np.int64)
        known[filled] = told.known
        if is_last:
            return _last_of(told.groups, values, known, pieces, inside)
        last_days = np.where(known > 0, ends - 1, -1)
        return Part(told.groups, values, last_days, int(known.sum()))


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


def _windows(edges: Edges) -> Edges:
    """Return every day, or hour, of some periods by itself."""
    first, end = edges.bounds[0], edges.bounds[-1]
    if not edges.is_hourly:
        return Edges(tuple(range(first, end + 1)), edges.zone)
    starts = [one.from_ms for one in walk(Grain.HOUR, from_ms=first, to_ms=end, zone=edges.zone)]
    return Edges((*starts, end), edges.zone, is_hourly=True)


def _last_of(groups: Sequence[Group], of_days: Floats, known: Places, pieces: Edges, edges: Edges) -> Part:
    """Return of each period its last day that is known."""
    days = np.flatnonzero(known)
    starts = pieces.starts[days]
    values = np.full((len(edges), len(groups)), np.nan)
    last_days = np.full(len(edges), -1, np.int64)
    at = np.searchsorted(starts, edges.ends) - 1
    has = (at >= 0) & (edges.starts < edges.ends)
    has[has] &= starts[at[has]] >= edges.starts[has]
    values[has] = of_days[days[at[has]]]
    last_days[has] = starts[at[has]]
    return Part(groups, values, last_days, int(known.sum()))


def _length(edges: Edges, segments: Sequence[Segment]) -> int:
    """Return how many days, or hours, of these periods are those of the segments."""
    inside = edges.between(segments[-1].first, segments[0].end)
    first, end = inside.bounds[0], inside.bounds[-1]
    if not edges.is_hourly:
        return end - first
    return sum(1 for _ in walk(Grain.HOUR, from_ms=first, to_ms=end, zone=edges.zone))


def _together(parts: Sequence[Part], style: Aggregation) -> Part:
    """Return what parts of several sources say together."""
    groups = sorted({group for one in parts for group in one.groups})
    aligned = [on_groups(one.groups, one.values, groups) for one in parts]
    last_days = np.max([one.last_days for one in parts], axis=0)
    days = sum(one.days for one in parts)
    if style is Aggregation.LAST_DAY_OF_PERIOD:
        values = np.full_like(aligned[0], np.nan)
        for one, cells in zip(parts, aligned, strict=True):
            is_last = (one.last_days == last_days) & (last_days >= 0)
            values[is_last] = cells[is_last]
        return Part(groups, values, last_days, days)
    stacked = np.stack(aligned)
    values = np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))
    return Part(groups, values, last_days, days)


def on_groups(groups: Sequence[Group], values: Floats, wanted: Sequence[Group]) -> Floats:
    """Return values with a column for each of other groups."""
    if list(groups) == list(wanted):
        return values
    numbers = {group: at for at, group in enumerate(wanted)}
    made = np.full((len(values), len(wanted)), np.nan)
    made[:, [numbers[group] for group in groups]] = values
    return made


EVER = (FIRST_DAY, LAST_DAY + 1)
