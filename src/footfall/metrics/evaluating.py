"""The values of any metric by period and group: operands are aggregated first, each by its style, and formulas after.

A formula that is chained to another metric has no rows that could be put together. A period on both sides of its cutoff
becomes one by the metric's own style: the side of the last day, or the sum, where the sum of two spans is that of both;
a share has none, and the period is missing. So are visitors, of whom some came on both sides.

A formula whose style is the last day of a period is computed on one day, the same for everything it needs: the last on
which it has a value, over all groups and before conditions, and on which any of what it is computed from has data.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.budget import Budget
from footfall.metrics.calendar import Edges
from footfall.metrics.computing import Load, Shifts, Step, computed, is_linear, steps_of
from footfall.metrics.definition import COUNTED_ONCE, Aggregation, Definition, ValueType
from footfall.metrics.gathering import Group
from footfall.metrics.grammar import formula_from
from footfall.metrics.leaves import CELLS_MAX, EVER, Leaves, Part, Segment, on_groups, too_many, windows_in
from footfall.metrics.resolving import Resolved
from footfall.values.errors import Refused

LAST_DAYS_MAX = 40_000  # that are looked at one by one for the last with a value: 109 years

Cells = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Seam:
    """A day before which a metric's data are another's; `missing`: periods on both sides that have no value for it."""

    metric: str
    chained: str
    cutoff: str
    missing: tuple[str, ...] = ()


@dataclass(slots=True)
class Evaluation:
    """One question on its way: what was read of it, and what became of that."""

    found: Resolved
    leaves: Leaves
    _parts: dict[tuple[str, tuple[int, ...]], Part] = field(default_factory=dict[tuple[str, tuple[int, ...]], Part])
    _cells: dict[tuple[str, tuple[int, ...]], Cells] = field(default_factory=dict[tuple[str, tuple[int, ...]], Cells])
    _groups: Sequence[Group] | None = None  # None while what is needed is still being read
    _plan: Budget | None = None  # while nothing is read yet
    _seams: dict[str, set[int]] = field(default_factory=dict[str, set[int]])  # with the periods that lack a value
    _labels: Sequence[str] = ()
    _whole: "Evaluation | None" = None  # the same of all groups and without conditions
    _last: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = field(
        default_factory=dict[tuple[str, tuple[int, ...]], tuple[int, ...]]
    )
    _additive: dict[str, bool] = field(default_factory=dict[str, bool])

    def run(self, edges: Edges) -> tuple[Sequence[Group], Cells]:
        """Return the groups, and a value for every period and group."""
        self._labels = [edges.label(at) for at in range(len(edges))]
        # Once to see how much that is; once to read, with no group at all; then all groups are known, and each formula
        # sees every one of them.
        self._plan = Budget()
        self._value(self.found.root.name, edges)
        self._plan = None
        self._cells.clear()
        self._value(self.found.root.name, edges)
        groups = sorted({group for part in self._parts.values() for group in part.groups})
        if not self.leaves.by:
            groups = [()]
        if len(edges) * len(groups) > CELLS_MAX:
            raise too_many(len(edges) * len(groups))
        self.leaves.budget.take_cells(sum(map(len, self._cells.values())) * len(groups))
        self._groups = groups
        self._cells.clear()
        self._seams.clear()
        return groups, self._value(self.found.root.name, edges)

    @property
    def seams(self) -> list[Seam]:
        """Return the cutoffs that days of the span lie before."""
        return [self._seam(name, missing) for name, missing in self._seams.items()]

    def _seam(self, name: str, missing: set[int]) -> Seam:
        definition = self.found.definition(name)
        assert definition.chained_metric is not None
        assert definition.chain_cutoff_date is not None
        labels = tuple(self._labels[at] for at in sorted(missing))
        return Seam(name, definition.chained_metric, definition.chain_cutoff_date, labels)

    def _value(self, name: str, edges: Edges) -> Cells:
        if self._plan is not None:
            self._plan.take_reading(edges)
        key = (name, edges.bounds)
        found = self._cells.get(key)
        if found is None:
            found = self._cells[key] = self._made(self.found.definition(name), edges)
        return found

    def _made(self, definition: Definition, edges: Edges) -> Cells:
        if not definition.is_hybrid:
            return self._chained(definition, edges)
        is_last = definition.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD
        own = self._of_last_days if is_last else self._computed
        if definition.chained_metric is None:
            return own(definition, edges)
        cutoff = _cutoff(definition)
        return self._across(definition, definition, cutoff, own(definition, _after(edges, cutoff)), edges)

    def _chained(self, definition: Definition, edges: Edges) -> Cells:
        """Return the values of a primitive metric and of all that it is chained to."""
        segments = list(self._segments(definition))
        last = segments[-1]
        cells = np.empty((len(edges), 0)) if self._plan is not None else self._read(segments, edges)
        if last.definition.chained_metric is None:
            return cells
        return self._across(last.definition, definition, last.first, cells, edges)

    def _read(self, segments: Sequence[Segment], edges: Edges) -> Cells:
        last = segments[-1]
        inside = edges if last.definition.chained_metric is None else _after(edges, last.first)
        part = self._part(segments, inside)
        for one in segments[:-1]:
            place = edges.place(_cutoff(one.definition))
            self._note(one.definition, edges, part.torn & (edges.starts < place) & (edges.ends > place))
        return self._on_groups(part, len(edges))

    def _across(self, chained: Definition, root: Definition, cutoff: int, after: Cells, edges: Edges) -> Cells:
        """Return values of which those before a cutoff are another metric's, which is no part of the same rows."""
        assert chained.chained_metric is not None
        place = edges.place(cutoff)
        if edges.bounds[0] >= place:
            return after
        before = self._value(chained.chained_metric, edges.between(EVER[0], cutoff))
        is_early, is_late = edges.starts < place, edges.ends > place
        cells = np.where(is_late[:, None], after, before)
        both = np.flatnonzero(is_early & is_late)
        missing = np.zeros(len(edges), np.bool_)
        if len(both):
            if root.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD:
                has = (~np.isnan(after[both])).any(axis=1, keepdims=True)
                cells[both] = np.where(has, after[both], before[both])
            elif self._is_additive(root.name):
                sides = np.stack([after[both], before[both]])
                cells[both] = np.where(np.isnan(sides).all(axis=0), np.nan, np.nansum(sides, axis=0))
            else:
                cells[both] = np.nan
                missing[both] = True
        self._note(chained, edges, missing)
        return cells

    def _computed(self, definition: Definition, edges: Edges) -> Cells:
        def load(name: str, shifts: Shifts) -> Cells:
            return self._value(name, _shifted(edges, shifts))

        return computed(_steps(definition), load, (len(edges), len(self._groups or ())))

    def _of_last_days(self, definition: Definition, edges: Edges) -> Cells:
        """Return what a formula gives on one day of each period."""
        starts, ends = edges.starts, edges.ends
        if not edges.is_hourly and bool((ends - starts <= 1).all()):
            return self._computed(definition, edges)
        if self._plan is not None:  # Every day is looked at, and one of each period is read then.
            self._computed(definition, _windows_looked_at(definition, edges))
            return self._computed(definition, edges)
        days = self._days_meant(definition, edges)
        # A day, what lies between it and the next one, and so on: only every other period is meant.
        narrow = Edges(days, edges.zone, edges.is_hourly)
        around, self._seams = self._seams, {}
        cells = self._computed(definition, narrow)[::2]
        inside, self._seams = self._seams, around
        for name, missing in inside.items():
            self._seams.setdefault(name, set()).update(at // 2 for at in missing if at % 2 == 0)
        return cells

    def _days_meant(self, definition: Definition, edges: Edges) -> tuple[int, ...]:
        """Return where the day of each period begins and ends that stands for it; of one without days, nothing."""
        key = (definition.name, edges.bounds)
        if key not in self._last:
            pieces = _windows_looked_at(definition, edges)
            has = self._in_total()._has_values(definition, pieces)
            self._last[key] = _last_windows(pieces, has, edges)
        return self._last[key]

    def _in_total(self) -> "Evaluation":
        """Return the same question without groups and conditions."""
        if self._whole is None:
            mine = self.leaves
            whole = Leaves(
                mine.points, mine.counts, mine.brand, (), (), coverage=mine.coverage, met=mine.met, budget=mine.budget
            )
            self._whole = Evaluation(self.found, whole, _groups=[()])
            self._whole._whole = self._whole
        return self._whole

    def _has_values(self, definition: Definition, edges: Edges) -> Flags:
        """Tell of each period whether the formula has a value, and data that are not only those of a shift."""
        values = self._computed(definition, edges)
        return ~np.isnan(values[:, 0]) & self._has_operands(definition, edges)

    def _has_operands(self, definition: Definition, edges: Edges) -> Flags:
        loads = [one for one in _steps(definition) if isinstance(one, Load)]
        some = [one for one in loads if not one.shifts] or loads
        found = np.zeros(len(edges), np.bool_)
        for one in some:
            found |= self._has_data(self.found.definition(one.metric), _shifted(edges, one.shifts))
        return found

    def _has_data(self, definition: Definition, edges: Edges) -> Flags:
        """Tell of each period whether anything that a metric is made of has data."""
        if definition.is_hybrid:
            first = EVER[0] if definition.chained_metric is None else _cutoff(definition)
            found, chained = self._has_operands(definition, _after(edges, first)), definition.chained_metric
        else:
            *_, last = segments = list(self._segments(definition))
            first, chained = last.first, last.definition.chained_metric
            inside = edges if chained is None else _after(edges, first)
            found = self._part(segments, inside).last_days >= 0
        if chained is None:
            return found
        return found | self._has_data(self.found.definition(chained), edges.between(EVER[0], first))

    def _part(self, segments: Sequence[Segment], edges: Edges) -> Part:
        key = (segments[0].definition.name, edges.bounds)
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = self.leaves.read(segments, edges)
        return part

    def _on_groups(self, part: Part, periods: int) -> Cells:
        if self._groups is None:
            return np.empty((periods, 0))
        return on_groups(part.groups, part.values, self._groups)

    def _segments(self, root: Definition) -> Iterator[Segment]:
        """Yield a primitive metric and those that it is chained to, as far as they are of one kind."""
        definition, end = root, EVER[1]
        while True:
            cutoff = _cutoff(definition) if definition.chained_metric is not None else EVER[0]
            first = min(cutoff, end)
            yield Segment(definition, first, end)
            if definition.chained_metric is None:
                return
            chained = self.found.definition(definition.chained_metric)
            if chained.value_type is not root.value_type or chained.is_hybrid:
                return
            definition, end = chained, first

    def _is_additive(self, name: str) -> bool:
        """Tell whether the value of a span is the sum of the values of its parts."""
        if name not in self._additive:
            definition = self.found.definition(name)
            chained = definition.chained_metric
            own = is_linear(_steps(definition), self._is_additive) if definition.is_hybrid else _is_sum(definition)
            self._additive[name] = own and (chained is None or self._is_additive(chained))
        return self._additive[name]

    def _note(self, definition: Definition, edges: Edges, missing: Flags) -> None:
        if edges.bounds[0] < edges.place(_cutoff(definition)):
            self._seams.setdefault(definition.name, set()).update(np.flatnonzero(missing).tolist())


def _is_sum(definition: Definition) -> bool:
    """Tell whether the values of two spans add up; whoever came in both is one visitor."""
    if definition.source is not None and definition.source.counts in COUNTED_ONCE:
        return False
    return definition.value_type is ValueType.SCALAR and definition.aggregation_style is Aggregation.SUM


def _windows_looked_at(definition: Definition, edges: Edges) -> Edges:
    """Return the days, or hours, among which the last one with a value is looked for, or raise Refused."""
    if not edges.is_hourly and edges.bounds[-1] - edges.bounds[0] > LAST_DAYS_MAX:
        reason = f"{definition.name!r} is computed on the last day of each period, and at most {LAST_DAYS_MAX:,}"
        raise Refused("to", f"{reason} days are looked at for it; ask for a shorter span")
    return windows_in(edges)


def _last_windows(pieces: Edges, has: Flags, edges: Edges) -> tuple[int, ...]:
    """Return start and end of the last window of each period that has a value; where none has, of its last one."""
    starts, ends = pieces.starts, pieces.ends
    ranks = np.where(has, np.arange(len(pieces)), -1)
    latest: list[int] = np.maximum.accumulate(ranks).tolist() if len(ranks) else []
    lasts: list[int] = (np.searchsorted(starts, edges.ends) - 1).tolist()
    bounds: list[int] = []
    for first, end, last in zip(edges.bounds, edges.bounds[1:], lasts, strict=False):
        if first == end:
            bounds += [first, first]
            continue
        at = latest[last]
        if at < 0 or starts[at] < first:
            at = last
        bounds += [int(starts[at]), int(ends[at])]
    return tuple(bounds)


def _shifted(edges: Edges, shifts: Shifts) -> Edges:
    for count, calendar in shifts:
        edges = edges.shifted(count, calendar)
    return edges


def _after(edges: Edges, cutoff: int) -> Edges:
    return edges.between(cutoff, EVER[1])


def _cutoff(definition: Definition) -> int:
    assert definition.chain_cutoff_date is not None, "a chain has a cutoff"
    return date.fromisoformat(definition.chain_cutoff_date).toordinal()


def _steps(definition: Definition) -> tuple[Step, ...]:
    assert definition.hybrid_formula is not None, "only hybrid metrics have one"
    return _steps_of_text(definition.hybrid_formula)


@lru_cache(maxsize=20_000)
def _steps_of_text(text: str) -> tuple[Step, ...]:
    return steps_of(formula_from(text))
