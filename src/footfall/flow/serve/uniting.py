"""Uniting the visitors of some sets over the windows of a span, a window at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.unique_names import VISITOR_DAYS, VISITORS
from footfall.flow.serve.visitor_windows import Visited
from footfall.sketches.estimation import Estimate, Estimates
from footfall.sketches.grouped import GroupedUniques, Groups, estimates, merge_grouped, no_groups, picked, regrouped
from footfall.values.period import Span
from footfall.values.window import Grain, Window, window_of

NOBODY = Estimate(0.0, 0.0, 0.0)


@dataclass(slots=True)
class Uniting:
    """Some sets, united over windows that are read one by one."""

    groups: Groups  # rising, each once
    todo: list[Window]  # the next window last
    has_visitors: bool = False  # whether any window read so far knows of a visitor, be it of other sets
    united: GroupedUniques = field(default_factory=no_groups)

    def step(self, visited: Visited) -> None:
        """Unite what the next window has of the sets."""
        found = visited(self.todo[-1])
        self.todo.pop()
        if not len(found):
            return  # Years of windows may be empty; each of them is to cost nothing.
        self.has_visitors = True
        self.united = merge_grouped([self.united, among(found, self.groups)])

    def estimates(self) -> Estimates:
        """Return how many visitors each of the sets has had in the windows that were read, in their order."""
        return estimates_for(self.united, self.groups)

    def together(self) -> Estimate:
        """Return how many visitors the sets have had together."""
        return together(self.united)


def among(sketches: GroupedUniques, groups: Groups) -> GroupedUniques:
    """Return the sketches of those of the groups, which rise, that are there."""
    places, is_there = _places(sketches, groups)
    return picked(sketches, places[is_there])


def estimates_for(sketches: GroupedUniques, groups: Groups) -> Estimates:
    """Return how many distinct values each of some groups has met, in their order; of one that is not there, none."""
    told = estimates(sketches)
    places, is_there = _places(sketches, groups)
    columns = [np.zeros(len(groups)) for _ in range(3)]
    for column, values in zip(columns, (told.count, told.lower, told.upper), strict=True):
        column[is_there] = values[places[is_there]]
    return Estimates(columns[0], columns[1], columns[2])


def together(sketches: GroupedUniques) -> Estimate:
    """Return how many distinct values all groups have met together."""
    return _only(estimates(regrouped(sketches, np.zeros(len(sketches), np.int64)))) if len(sketches) else NOBODY


def groups_from(numbers: Sequence[int]) -> Groups:
    """Return the numbers of sets in their order, each once."""
    return np.unique(np.array(numbers, np.int64))


def uniques_are(span: Span, zone: str) -> str:
    """Return what a unique of the span is: a visitor, or where it reaches over several days, a visitor of a day."""
    first_day = window_of(span.from_ms, Grain.DAY, zone)
    return VISITORS if span.to_ms <= first_day.to_ms else VISITOR_DAYS


def _places(sketches: GroupedUniques, groups: Groups) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where each of the groups lies, and whether it lies there at all."""
    places = np.searchsorted(sketches.groups, groups)
    is_there = places < len(sketches)
    is_there[is_there] = sketches.groups[places[is_there]] == groups[is_there]
    return places, is_there


def _only(told: Estimates) -> Estimate:
    return Estimate(float(told.count[0]), float(told.lower[0]), float(told.upper[0]))
