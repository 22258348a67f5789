"""The values of any metric by period and group: operands are aggregated first, each by its style, and formulas after.

A formula that is chained to another metric has no rows that could be put together. A period on both sides of its cutoff
becomes one by the metric's own style: the side of the last day, or the sum, where the sum of two spans is that of both;
a share has none, and the period is missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.budget import Budget
from footfall.metrics.calendar import Edges
from footfall.metrics.computing import Shifts, Step, computed, is_linear, steps_of
from footfall.metrics.definition import Aggregation, Definition, ValueType
from footfall.metrics.gathering import Group
from footfall.metrics.grammar import formula_from
from footfall.metrics.leaves import CELLS_MAX, EVER, Leaves, Part, Segment, on_groups, too_many
from footfall.metrics.resolving import Resolved

Cells = NDArray[np.float64]


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
    _seams: dict[str, Seam] = field(default_factory=dict[str, Seam])
    _additive: dict[str, bool] = field(default_factory=dict[str, bool])

    def run(self, edges: Edges) -> tuple[Sequence[Group], Cells]:
        """Return the groups, and a value for every period and group."""
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
        return list(self._seams.values())

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
        if definition.chained_metric is None:
            return self._computed(definition, edges)
        cutoff = _cutoff(definition)
        return self._across(definition, definition, cutoff, self._computed(definition, _after(edges, cutoff)), edges)

    def _chained(self, definition: Definition, edges: Edges) -> Cells:
        """Return the values of a primitive metric and of all that it is chained to."""
        segments = list(self._segments(definition))
        for one in segments[:-1]:
            self._note(one.definition, edges)
        last = segments[-1]
        if last.definition.chained_metric is None:
            return self._leaf(segments, edges)
        after = self._leaf(segments, _after(edges, last.first))
        return self._across(last.definition, definition, last.first, after, edges)

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
        missing: tuple[str, ...] = ()
        if len(both):
            if root.aggregation_style is Aggregation.LAST_DAY_OF_PERIOD:
                has = (~np.isnan(after[both])).any(axis=1, keepdims=True)
                cells[both] = np.where(has, after[both], before[both])
            elif self._is_additive(root.name):
                sides = np.stack([after[both], before[both]])
                cells[both] = np.where(np.isnan(sides).all(axis=0), np.nan, np.nansum(sides, axis=0))
            else:
                cells[both] = np.nan
                missing = tuple(edges.label(at) for at in both.tolist())
        self._note(chained, edges, missing)
        return cells

    def _computed(self, definition: Definition, edges: Edges) -> Cells:
        def load(name: str, shifts: Shifts) -> Cells:
            there = edges
            for count, calendar in shifts:
                there = there.shifted(count, calendar)
            return self._value(name, there)

        return computed(_steps(definition), load, (len(edges), len(self._groups or ())))

    def _leaf(self, segments: Sequence[Segment], edges: Edges) -> Cells:
        if self._plan is not None:
            return np.empty((len(edges), 0))
        key = (segments[0].definition.name, edges.bounds)
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = self.leaves.read(segments, edges)
        if self._groups is None:
            return np.empty((len(edges), 0))
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
            own = (
                is_linear(_steps(definition), self._is_additive)
                if definition.is_hybrid
                else definition.value_type is ValueType.SCALAR and definition.aggregation_style is Aggregation.SUM
            )
            self._additive[name] = own and (chained is None or self._is_additive(chained))
        return self._additive[name]

    def _note(self, definition: Definition, edges: Edges, missing: tuple[str, ...] = ()) -> None:
        chained, cutoff = definition.chained_metric, definition.chain_cutoff_date
        if chained is not None and cutoff is not None and edges.bounds[0] < edges.place(_cutoff(definition)):
            known = self._seams.get(definition.name)
            if known is None or missing:
                self._seams[definition.name] = Seam(definition.name, chained, cutoff, missing)


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
