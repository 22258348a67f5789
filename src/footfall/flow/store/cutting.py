"""Cutting a final window down to what a reader needs, and stating what was left out.

Each slice keeps its highest rows, so that the list of any filter (a union of slices) still has its true top.
What is left out is recorded as bounds, from which a reader proves its answer or says by how much it may be off.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.flow.store.columns import Columns, Cuts, Slice, asset_starts, rows_where


def cut(columns: Columns, keep: int) -> Columns:
    """Return the columns with the top `keep` rows of each slice and everything that ties with them; 0 keeps all.

    An asset with any kept row keeps all of its rows, so that its total over any filter stays true.
    """
    if keep == 0 or len(columns.ident) <= keep:
        return columns
    least = _least_kept(columns, keep)
    is_top = columns.hits >= least[columns.slice_no]
    starts = asset_starts(columns)
    stays = np.logical_or.reduceat(is_top, starts)
    return leave_out(columns, ~np.repeat(stays, _asset_sizes(columns, starts)))


def _least_kept(columns: Columns, keep: int) -> NDArray[np.uint64]:
    """Return, per slice, the count of the last row that is among its top."""
    # Sorted ascending within each slice, the row `keep` places before the slice's end is the last of its top.
    order = np.lexsort((columns.hits, columns.slice_no))
    sizes = np.bincount(columns.slice_no, minlength=len(columns.slices))
    ends = np.cumsum(sizes)
    return columns.hits[order[ends - np.minimum(sizes, keep)]]


def _asset_sizes(columns: Columns, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how many rows each asset has."""
    return np.diff(starts, append=len(columns.ident))


def leave_out(columns: Columns, mask: NDArray[np.bool_]) -> Columns:
    """Return the columns without the rows of the mask, which holds whole assets, and with bounds on what they had."""
    if not mask.any():
        return columns
    left_hits = np.where(mask, columns.hits, np.uint64(0))
    highest = np.zeros(len(columns.slices), np.uint64)
    np.maximum.at(highest, columns.slice_no, left_hits)
    sums = np.zeros(len(columns.slices), np.uint64)
    np.add.at(sums, columns.slice_no, left_hits)
    left = Cuts(
        per_slice={label: hits for label, hits in zip(columns.slices, highest.tolist(), strict=True) if hits},
        any_asset=int(np.add.reduceat(left_hits, asset_starts(columns)).max()),
        left_out={label: hits for label, hits in zip(columns.slices, sums.tolist(), strict=True) if hits},
    )
    return replace(rows_where(columns, ~mask), cuts=_cut_again(columns.cuts, left))


def _cut_again(before: Cuts, now: Cuts) -> Cuts:
    """Return the bounds of a window that was cut before and is cut once more."""
    # An asset that an earlier cut left out has no row for this one to leave out: every asset is behind one of the
    # two cuts only, and the higher bound covers both. Merging is different: there one asset may be left out of
    # each part, so bounds add up, and after it an asset can be behind both cuts of one window.
    if before.reaches_kept:
        return cuts_of_both(before, now, reaches_kept=True)
    slices = before.per_slice.keys() | now.per_slice.keys()
    return Cuts(
        per_slice={label: max(before.per_slice.get(label, 0), now.per_slice.get(label, 0)) for label in slices},
        any_asset=max(before.any_asset, now.any_asset),
        left_out=_left_out_of_both(before, now),
    )


def cuts_of_both(one: Cuts, two: Cuts, *, reaches_kept: bool) -> Cuts:
    """Return the bounds on what an asset misses when it may be behind both cuts."""
    per_slice = dict(one.per_slice)
    for label, hits in two.per_slice.items():
        per_slice[label] = per_slice.get(label, 0) + hits
    return Cuts(
        per_slice=per_slice,
        any_asset=one.any_asset + two.any_asset,
        reaches_kept=reaches_kept,
        left_out=_left_out_of_both(one, two),
    )


def _left_out_of_both(one: Cuts, two: Cuts) -> dict[Slice, int]:
    """Return the hits that two cuts left out of each slice, of those slices of which both know it."""
    # No hit is behind both, so they add up; a window that was cut before sums were kept makes its slices unknown.
    return {
        label: one.left_out.get(label, 0) + two.left_out.get(label, 0)
        for label in one.left_out.keys() | two.left_out.keys()
        if all(label in cuts.left_out or label not in cuts.per_slice for cuts in (one, two))
    }


def most_missed(cuts: Cuts, asked: Iterable[Slice] | None = None) -> int:
    """Return the most hits that an asset without rows can have had in the slices asked for; None asks for all.

    When `cuts.reaches_kept`, an asset with rows can have missed as much beside what they say.
    """
    if asked is None:
        return min(sum(cuts.per_slice.values()), cuts.any_asset)
    return min(sum(cuts.per_slice.get(label, 0) for label in frozenset(asked)), cuts.any_asset)
