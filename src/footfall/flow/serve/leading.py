"""The rows of a sheet in the order of a list, sorted once, so that a filter only has to pick from the front.

A thousand filters that are asked for all the time are made anew after every change; sorting for each what is the
same for all would cost ten times as much. Only so many rows are sorted as a list is likely to need: a filter that
does not find enough among them is answered the long way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.wanted import Wanted
from footfall.native import list_rows

ROWS_MAX = 60_000  # Sorted in a millisecond or two.
HITS_MAX = np.uint32(2**32 - 1)  # of one row in one span
FRONT_ROWS = 4_000  # Most lists are found whole among the first rows; only narrow filters look at all of them.
SHARED_ROWS_MAX = 5_000  # Rows of assets under several labels; their sums depend on the filter.


@dataclass(frozen=True, slots=True)
class Leading:
    """Rows with most hits, first those that lead a list; of assets with one row only, the others lie beside them."""

    rows: NDArray[np.uint32]
    slices: NDArray[np.uint32]
    is_whole: bool  # No row with hits is left out.
    shared_rows: NDArray[np.uint32]
    shared_assets: NDArray[np.uint32]  # each once
    shared_no: NDArray[np.intp]  # per shared row, which of them


@dataclass(frozen=True, slots=True)
class Picked:
    """A list's assets in order, their hits, and the row whose labels they show."""

    assets: NDArray[np.uint32]
    hits: NDArray[np.int64]
    rows: NDArray[np.uint32]


NOBODY = Picked(np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.uint32))


def leading(directory: Directory, totals: NDArray[np.uint32], shown: NDArray[np.bool_] | None = None) -> Leading | None:
    """Return the rows that lead; None when too many assets have several rows for this to be of use.

    With `shown`, per slice, only rows of those slices: bots come to most assets, and where their rows are not shown an
    asset is not one of several rows because of them.
    """
    directory.rank_all_assets()
    # Found by place where there is a choice: `take` is several times as fast as an index of 32 bits.
    seen = np.flatnonzero(totals)
    if shown is not None:
        seen = seen[shown.take(directory.row_slice.take(seen))]
    is_shared = directory.row_shared.take(seen)
    if shown is not None:
        is_shared[is_shared] = _come_again(directory.row_asset.take(seen[is_shared]))
    shared = seen[is_shared]
    if len(shared) > SHARED_ROWS_MAX:
        return None
    own = seen[~is_shared] if len(shared) else seen
    hits = totals.take(own)
    is_whole = len(own) <= ROWS_MAX
    if not is_whole:
        # Strictly above the last one that fits: a tie is either whole or not there at all.
        own = own[hits > np.partition(hits, len(hits) - ROWS_MAX)[len(hits) - ROWS_MAX]]
        hits = totals.take(own)
    rows = _sorted(directory, own, hits, have_only_row=shown is None)
    shared_assets, shared_no = np.unique(directory.row_asset[shared], return_inverse=True)
    return Leading(rows, directory.row_slice.take(rows), is_whole, shared.astype(np.uint32), shared_assets, shared_no)


def _come_again(assets: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell of each asset whether it is there more than once."""
    _, place, counts = np.unique(assets, return_inverse=True, return_counts=True)
    return counts[place] > 1


def _sorted(
    directory: Directory, own: NDArray[np.intp], hits: NDArray[np.uint32], *, have_only_row: bool
) -> NDArray[np.uint32]:
    """Return rows of assets that have no other among them in the order of a list."""
    # Hits and rank in one number sort several times faster than by one after the other, and the numbers themselves
    # faster than their places: the rank tells the asset, and the asset its only row.
    place = (HITS_MAX - hits).astype(np.uint64)
    place <<= np.uint64(32)
    place |= directory.order.ranks(directory.row_asset.take(own))
    if not have_only_row:
        return own[np.argsort(place)].astype(np.uint32)
    place.sort()
    return directory.first_rows(directory.order.order.take(place.astype(np.uint32)))


def picked(
    directory: Directory, lead: Leading, totals: NDArray[np.uint32], wanted: Wanted, limit: int
) -> Picked | None:
    """Return the first of those that a filter asks for; None when the leading rows do not hold enough of them."""
    if not len(lead.rows) and not len(lead.shared_rows):
        return NOBODY  # as of the period before, in a new instance
    rows = lead.rows[:limit] if wanted.is_everything else lead.rows.take(_first(directory, lead, wanted, limit))
    if len(rows) < limit and not lead.is_whole:
        return None
    if not len(lead.shared_rows):
        return Picked(directory.row_asset.take(rows), totals.take(rows).astype(np.int64), rows)
    return _with_shared(directory, lead, totals, wanted, rows, limit)


def _first(directory: Directory, lead: Leading, wanted: Wanted, limit: int) -> NDArray[np.integer]:
    """Return the places of the first rows that a filter asks for."""
    if list_rows is not None and wanted.assets is None and wanted.slices is not None:
        return np.frombuffer(list_rows.first(lead.slices, wanted.slices, limit), np.uint32)
    found = _among(directory, lead, wanted, slice(0, FRONT_ROWS))[:limit]
    if len(found) < limit and len(lead.rows) > FRONT_ROWS:
        further = _among(directory, lead, wanted, slice(FRONT_ROWS, None))
        found = np.concatenate([found, further[: limit - len(found)] + FRONT_ROWS])
    return found


def _among(directory: Directory, lead: Leading, wanted: Wanted, part: slice) -> NDArray[np.intp]:
    return np.flatnonzero(wanted.among(directory, lead.rows[part], lead.slices[part]))


def _with_shared(
    directory: Directory,
    lead: Leading,
    totals: NDArray[np.uint32],
    wanted: Wanted,
    rows: NDArray[np.uint32],
    limit: int,
) -> Picked:
    """Return the list with the assets of several rows put in, each with its sum over the rows asked for."""
    hits = totals[lead.shared_rows].astype(np.int64)
    slices = directory.row_slice[lead.shared_rows]
    if not wanted.is_everything:
        hits[~wanted.among(directory, lead.shared_rows, slices)] = 0
    sums = np.zeros(len(lead.shared_assets), np.int64)
    np.add.at(sums, lead.shared_no, hits)
    # The row that is written last stays: most hits, and among equals the first labels.
    ranks = directory.slices.ranks()[slices].astype(np.int64)
    largest = np.zeros(len(sums), np.uint32)
    by_size = np.lexsort((-ranks, hits))
    largest[lead.shared_no[by_size]] = lead.shared_rows[by_size]
    has_hits = sums > 0
    assets = np.concatenate([directory.row_asset[rows], lead.shared_assets[has_hits]])
    all_hits = np.concatenate([totals[rows].astype(np.int64), sums[has_hits]])
    all_rows = np.concatenate([rows, largest[has_hits]])
    order = np.lexsort((directory.order.ranks(assets), -all_hits))[:limit]
    return Picked(assets[order], all_hits[order], all_rows[order])
