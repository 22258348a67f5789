"""Sheets: what a span of windows adds up to, row by row, kept by adding and taking away whole windows.

A contribution is what one summary gave to a sheet. It is kept as it was added, so that taking it away again
leaves exactly what was there before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.directory import Directory, Renumbering
from footfall.flow.serve.growing import Growing
from footfall.flow.serve.leading import Leading, leading
from footfall.flow.serve.shown import EVERYBODY
from footfall.flow.store.columns import Columns
from footfall.values.period import Span
from footfall.values.window import Grain, Window

LEADING_MAX = 4  # Sets of labels that lists are sorted for at a time; nearly all show the same.
NO_WINDOW = Window(Grain.MINUTE, 0, 0)


class Unit(NamedTuple):
    """One summary of a window, by the name of its part."""

    window: Window
    part: str


@dataclass(frozen=True, slots=True, eq=False)
class Contribution:
    """What one summary adds to a sheet, in numbers of the directory."""

    rows: NDArray[np.uint32]
    hits: NDArray[np.uint32] | NDArray[np.uint64]
    text_bytes: int  # of the ids that are not numbers
    other: int
    other_screened: int
    cut_slices: NDArray[np.uint32]
    cut_hits: NDArray[np.int64]
    cut_left: NDArray[np.int64]  # all hits that were left out of each of these slices; -1 where nobody knows
    cut_any: int
    cut_reaches_kept: bool

    @property
    def is_cut(self) -> bool:
        """Tell whether an asset may have had hits there that no row tells of."""
        return self.cut_any > 0


def contribution(columns: Columns, directory: Directory) -> Contribution:
    """Return what the columns add to a sheet, with everything in them entered in the directory."""
    entered = directory.enter(columns)
    cuts = columns.cuts
    # Half the memory for nearly every window; only a legacy record can weigh so much that it does not fit.
    fits = len(entered.hits) == 0 or int(entered.hits.max()) < 2**32
    return Contribution(
        rows=entered.rows,
        hits=entered.hits.astype(np.uint32) if fits else entered.hits,
        text_bytes=len(columns.texts.blob),
        other=columns.other + entered.strange_hits,
        other_screened=columns.other_screened,
        cut_slices=directory.slices.numbers(cuts.per_slice),
        cut_hits=np.array(list(cuts.per_slice.values()), np.int64),
        cut_left=np.array([cuts.left_out.get(one, -1) for one in cuts.per_slice], np.int64),
        cut_any=cuts.any_asset,
        cut_reaches_kept=cuts.reaches_kept,
    )


def renumbered(one: Contribution, numbers: Renumbering) -> Contribution:
    """Return the contribution in the numbers of a directory that was compacted."""
    return replace(one, rows=numbers.rows[one.rows], cut_slices=numbers.slices[one.cut_slices])


class LeftOut(NamedTuple):
    """What cuts left out of each slice, and of which slices that is known."""

    hits: NDArray[np.int64]
    is_known: NDArray[np.bool_]


class Sheet:
    """The totals of one span, per row of the directory."""

    def __init__(self, span: Span, asked_at_ms: int = 0) -> None:
        self.span = span
        self.asked_at_ms = asked_at_ms
        self._totals = Growing(np.empty(0, np.uint32))  # Four billion hits of one asset in one span are enough.
        self._added: dict[Unit, Contribution] = {}
        self._bounds: dict[bool, Bounds] = {}
        self._leading: dict[frozenset[str], tuple[Directory, Leading | None]] = {}

    def totals(self, rows: int) -> NDArray[np.uint32]:
        """Return the hits of each of so many rows."""
        self._totals.stretch(rows)
        return self._totals.values

    def leading(self, directory: Directory, labels: frozenset[str] = EVERYBODY) -> Leading | None:
        """Return the rows that lead lists which show these labels, sorted when first asked for after a change."""
        shown = directory.slices.shown(labels)
        key = EVERYBODY if shown is None else labels
        found = self._leading.get(key)
        if found is None or found[0] is not directory:
            if len(self._leading) >= LEADING_MAX:
                self._leading.clear()
            found = self._leading[key] = (directory, leading(directory, self.totals(directory.rows), shown))
        return found[1]

    def move(self, span: Span, units: Mapping[Unit, Contribution]) -> None:
        """Become the sum of exactly these units, by taking away and adding only what differs."""
        self.span = span
        for unit in [unit for unit in self._added if unit not in units]:
            self.replace(unit, None)
        for unit, new in units.items():
            self.replace(unit, new)

    def replace(self, unit: Unit, new: Contribution | None) -> None:
        """Take away what the unit gave before, if anything, and add what it gives now, if anything."""
        old = self._added.get(unit)
        if new is old:
            return
        self._leading.clear()
        if old is not None:
            del self._added[unit]
            self._totals.values[old.rows] -= old.hits.astype(np.uint32)
        if new is not None:
            self._added[unit] = new
            if len(new.rows):
                self._totals.stretch(int(new.rows.max()) + 1)
            # No row is twice in one contribution, so that adding by index adds each of them.
            self._totals.values[new.rows] += new.hits.astype(np.uint32)
        if any(one is not None and (one.is_cut or one.other or one.other_screened) for one in (old, new)):
            self._bounds.clear()

    def add_for_good(self, new: Contribution) -> None:
        """Add what is never taken away again, keeping no more of it than the bounds need."""
        unit = Unit(NO_WINDOW, str(len(self._added)))
        self.replace(unit, new)
        nothing = np.empty(0, np.uint32)
        # Which assets have a row there matters only where others may have had hits without one.
        self._added[unit] = replace(new, rows=new.rows if new.is_cut else nothing, hits=nothing)

    def has(self, unit: Unit) -> bool:
        """Tell whether the unit is part of the sum."""
        return unit in self._added

    @property
    def other(self) -> int:
        """Return the hits of persons that have no row because a limit was reached."""
        return sum(one.other for one in self._added.values())

    @property
    def other_screened(self) -> int:
        """Return the same of all who are no persons."""
        return sum(one.other_screened for one in self._added.values())

    def left_out(self, slices: int) -> LeftOut:
        """Return the hits that cuts left out of each of so many slices."""
        left = LeftOut(np.zeros(slices, np.int64), np.ones(slices, np.bool_))
        for one in self._added.values():
            # No slice is twice in one contribution, so that adding by index adds each of them.
            left.hits[one.cut_slices] += np.maximum(one.cut_left, 0)
            left.is_known[one.cut_slices[one.cut_left < 0]] = False
        return left

    def bounds(self, directory: Directory, *, shows_others: bool = True) -> "Bounds":
        """Return what is known of the hits that no row tells of: those of persons, or of others as well."""
        with_others = shows_others and self.other_screened > 0
        found = self._bounds.get(with_others)
        if found is None:
            found = self._bounds[with_others] = Bounds(self._added.values(), directory, with_others=with_others)
        return found


class Bounds:
    """How many hits an asset can have had in a span beside those that its rows tell of."""

    def __init__(self, added: Iterable[Contribution], directory: Directory, *, with_others: bool) -> None:
        contributions = list(added)
        cut = [one for one in contributions if one.is_cut]
        self.other = sum(one.other + (one.other_screened if with_others else 0) for one in contributions)
        self.is_cut = bool(cut)
        self._assets = directory.assets
        self._any = np.array([one.cut_any for one in cut], np.int64)
        self._reaches_kept = np.array([one.cut_reaches_kept for one in cut], np.bool_)
        self._unit = np.repeat(np.arange(len(cut)), [len(one.cut_slices) for one in cut])
        self._slice = np.concatenate([np.empty(0, np.uint32), *(one.cut_slices for one in cut)])
        self._hits = np.concatenate([np.empty(0, np.int64), *(one.cut_hits for one in cut)])
        # A bit per asset and window that was cut: whether the asset has a row there, under whatever labels.
        self._present = [_bits(directory.row_asset[one.rows], directory.assets) for one in cut]

    def per_unit(self, is_asked: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return, for each window that was cut, the most hits that one asset can have lost in the slices asked for."""
        hits = self._hits if is_asked is None else np.where(is_asked[self._slice], self._hits, 0)
        # Whole numbers up to 2**53 are exact as floats; a sum of hits never comes near.
        sums = np.bincount(self._unit, weights=hits, minlength=len(self._any)).astype(np.int64)
        return np.minimum(sums, self._any)

    def uncertainty(self, assets: NDArray[np.uint32], per_unit: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each asset how many hits it can have beside those of its rows."""
        found = np.full(len(assets), self.other + int(per_unit.sum()), np.int64)
        # An asset that was first seen after the bits were drawn has no row in any of these windows.
        known = np.flatnonzero(assets < self._assets)
        places = assets[known] >> np.uint32(3)
        bits = np.left_shift(1, assets[known] & np.uint32(7)).astype(np.uint8)
        for present, bound, reaches_kept in zip(
            self._present, per_unit.tolist(), self._reaches_kept.tolist(), strict=True
        ):
            if bound and not reaches_kept:
                found[known[(present[places] & bits) != 0]] -= bound
        return found


def _bits(numbers: NDArray[np.uint32], size: int) -> NDArray[np.uint8]:
    is_set = np.zeros(size, np.bool_)
    is_set[numbers] = True
    return np.packbits(is_set, bitorder="little")
