"""How many hits of what is asked about a summary holds: at least so many, and at most so many.

A final window keeps the top rows of each slice. An asset that has no row there can have had as many hits as the cut
left out of any; of a slice it is known how many were left out altogether, so sums of labels stay exact.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from footfall.flow.serve.loaded import Read
from footfall.flow.serve.shown import EVERYBODY, PERSONS
from footfall.flow.store import keys
from footfall.flow.store.columns import TEXT_BIT, Columns, Slice, asset_text, ident_of
from footfall.flow.store.cutting import most_missed
from footfall.flow.store.summaries import Summary
from footfall.values.window import Window


@dataclass(frozen=True, slots=True)
class Measure:
    """The hits of what is asked about."""

    hits: int = 0
    at_most: int | None = 0  # None: a window was cut before it was kept how many hits that left out.
    unlabelled: int = 0  # hits that may be among them, and that nobody knows the labels of

    def __add__(self, other: "Measure") -> "Measure":
        """Return what both say together."""
        bounds = (self.at_most, other.at_most)
        at_most = None if bounds[0] is None or bounds[1] is None else bounds[0] + bounds[1]
        return Measure(self.hits + other.hits, at_most, self.unlabelled + other.unlabelled)

    @property
    def is_exact(self) -> bool:
        """Tell whether there is only one number of hits that it can be."""
        return self.hits == self.at_most


NOTHING = Measure()
Measuring = Callable[[Columns], Measure]


def measuring_asset(asset: str, labels: frozenset[str] = PERSONS) -> Measuring:
    """Return what measures one asset, whatever its slice, of hits that have one of these labels of screening."""
    ident = ident_of(asset)

    def measure(columns: Columns) -> Measure:
        first, end = np.searchsorted(columns.ident, np.uint64(ident)), len(columns.ident)
        if first < end:
            end = np.searchsorted(columns.ident, np.uint64(ident), side="right")
        # Two ids may share an ident; the one that came second has no row, and its hits are in `other`.
        is_there = bool(end > first) and (ident < TEXT_BIT or asset_text(columns, ident) == asset)
        hits = _shown_hits(columns, int(first), int(end), labels) if is_there else 0
        is_whole = is_there and not columns.cuts.reaches_kept
        missed = 0 if is_whole else most_missed(columns.cuts, _shown_slices(columns, labels))
        return Measure(hits, hits + missed + columns.other + _others(columns, labels))

    return measure


def _shown_hits(columns: Columns, first: int, end: int, labels: frozenset[str]) -> int:
    """Return the hits of some rows that have one of these labels of screening."""
    hits: list[int] = columns.hits[first:end].tolist()
    numbers: list[int] = columns.slice_no[first:end].tolist()
    return sum(one for one, number in zip(hits, numbers, strict=True) if columns.slices[number].label in labels)


def _shown_slices(columns: Columns, labels: frozenset[str]) -> list[Slice]:
    return [one for one in columns.cuts.per_slice if one.label in labels]


def _others(columns: Columns, labels: frozenset[str]) -> int:
    """Return the hits without a row, of others than persons, that may be among those that are shown."""
    return columns.other_screened if len(labels) > 1 else 0


def measuring_labels(
    sections: Collection[str],
    resource_types: Collection[str],
    paid_types: Collection[str],
    labels: frozenset[str] = PERSONS,
) -> Measuring:
    """Return what measures all hits that have one of each of these labels; none given: any, but of screening."""
    asked = (frozenset(sections), frozenset(resource_types), frozenset(paid_types))
    is_everything = not any(asked)

    def matches(one: Slice) -> bool:
        return one.label in labels and all(
            not texts or label in texts for label, texts in zip(one[:3], asked, strict=True)
        )

    def measure(columns: Columns) -> Measure:
        is_asked = np.fromiter(map(matches, columns.slices), np.bool_, len(columns.slices))
        hits = int(columns.hits[is_asked[columns.slice_no]].sum())
        cuts = columns.cuts
        left = [label for label in cuts.per_slice if matches(label)]
        hits += sum(cuts.left_out.get(label, 0) for label in left)
        # Hits without a row have no labels that anybody knows; they are surely among all, and maybe among these.
        others = _others(columns, labels)
        certain = (columns.other + (others if labels >= EVERYBODY else 0)) if is_everything else 0
        unlabelled = columns.other + others - certain
        hits += certain
        is_known = all(label in cuts.left_out for label in left)
        return Measure(hits, hits + unlabelled if is_known else None, unlabelled)

    return measure


@dataclass(slots=True)
class HeldMeasures:
    """What is known of one window: its parts, each with its measure if that was ever needed."""

    parts: dict[str, Measure | None]
    merged: frozenset[str]


@dataclass(slots=True)
class MeasuredWindows:
    """Windows of which no more is kept than what is asked about."""

    measure: Measuring
    _held: dict[Window, HeldMeasures] = field(default_factory=dict[Window, HeldMeasures])

    def held(self, window: Window) -> HeldMeasures | None:
        """Return what is known of the window, None when it was never read."""
        return self._held.get(window)

    def note(self, window: Window, summaries: Collection[Summary]) -> HeldMeasures:
        """Take note of which parts the window has, without measuring any."""
        merged = frozenset(shard for one in summaries for shard in one.throughs if one.part == keys.ALL)
        held = self._held[window] = HeldMeasures({one.part: None for one in summaries}, merged)
        return held

    def enter(self, window: Window, summary: Summary) -> None:
        """Measure one part of a window that was noted."""
        self._held[window].parts[summary.part] = self.measure(summary.columns)

    def fit(self, read: Read, *, now_ms: int) -> None:
        """Do nothing: a measure takes no room."""

    def measured(self, window: Window, part: str) -> Measure:
        """Return the measure of a part that was entered."""
        found = self._held[window].parts[part]
        assert found is not None, f"part {part} of {window} was never entered; resolve the span first"
        return found
