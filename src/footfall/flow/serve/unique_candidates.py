"""Which assets may have the most visitors, found without counting those of all.

Nobody visits without a hit, so an asset's hits are the most visitors that it can have had. Assets are looked at in the
order of their hits, some more at a time, until the next one has too few hits to be on the list: the threshold algorithm
of Fagin, Lotem and Naor. Nothing here knows where visitors are kept.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.listing import Candidates
from footfall.flow.serve.shown import PERSONS
from footfall.flow.serve.view import View
from footfall.flow.serve.wanted import Wanted
from footfall.sketches.estimation import Estimates

BATCH_FIRST = 256  # More than the longest list, so that one batch is mostly all.
BATCH_GROWTH = 4
BATCH_MAX = 4_096  # Each may have 4 KB of registers while it is united.

Whole = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The assets that were asked for, those first that can have had the most visitors."""

    assets: NDArray[np.uint32]
    hits: Whole  # in the rows asked for, at least
    missed: Whole  # and at most so many more, which no row tells of
    outside: Whole  # hits under labels that were not asked for, at most
    slices: NDArray[np.uint32]  # under which each is shown
    unseen_max: int  # An asset that is not among these can have had so many.


def hits_of(view: View, asked: Wanted) -> Hits:
    """Return the hits of all assets that were asked for."""
    directory = view.directory
    totals = view.sheet.totals(directory.rows)
    rows = asked.rows(directory)
    among = Candidates(directory, totals, rows)
    places = np.flatnonzero(among.hits)
    assets, hits = among.assets(places), among.hits[places]
    bounds = view.sheet.bounds(directory, shows_others=asked.shows_others)
    missed, outside = np.zeros(len(assets), np.int64), np.zeros(len(assets), np.int64)
    unseen_max = 0
    if rows is not None:
        outside = _outside(view, totals, rows)[assets]
    if (bounds.is_cut or bounds.other) and not asked.is_nothing:
        per_unit = bounds.per_unit(asked.slices)
        missed = bounds.uncertainty(assets, per_unit)
        unseen_max = bounds.other + int(per_unit.sum())
        if asked.asks_slices:
            outside += bounds.uncertainty(assets, bounds.per_unit(None))
    order = np.argsort(-(hits + missed), kind="stable")
    largest = _largest_rows(view, totals, rows)
    slices = directory.row_slice[largest[assets[order]]]
    return Hits(assets[order], hits[order], missed[order], outside[order], slices, unseen_max)


def _outside(view: View, totals: NDArray[np.uint32], rows: NDArray[np.intp]) -> Whole:
    """Return for each asset the hits of persons that were not asked for: nobody else is counted as a visitor."""
    directory = view.directory
    is_outside = np.ones(directory.rows, np.bool_)
    is_outside[rows] = False
    persons = directory.slices.shown(PERSONS)
    if persons is not None:
        is_outside &= persons.take(directory.row_slice)
    others = np.flatnonzero(is_outside)
    # Whole numbers up to 2**53 are exact as floats; a sum of hits never comes near.
    weights, minlength = totals.take(others), directory.assets
    return np.bincount(directory.row_asset.take(others), weights=weights, minlength=minlength).astype(np.int64)


def _largest_rows(view: View, totals: NDArray[np.uint32], rows: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """Return for each asset its row with most hits among those asked for; of equal ones, that of the first labels."""
    directory = view.directory
    found = np.flatnonzero(totals) if rows is None else rows[totals[rows] > 0]
    ranks = directory.slices.ranks()[directory.row_slice[found]].astype(np.int64)
    order = found[np.lexsort((-ranks, totals[found]))]
    largest = np.zeros(directory.assets, np.intp)
    largest[directory.row_asset[order]] = order  # The last one written for an asset stays.
    return largest


class Threshold:
    """The assets that were looked at so far, and whether any other can still be on the list."""

    def __init__(self, hits: Hits, *, limit: int) -> None:
        self.hits = hits
        self.limit = limit
        self.looked_at = 0
        size = len(hits.assets)
        self.count, self.lower, self.upper = np.zeros(size), np.zeros(size), np.zeros(size)
        self._is_out = np.zeros(size, np.bool_)
        self._batch = BATCH_FIRST

    @property
    def is_whole(self) -> bool:
        """Tell whether every asset was looked at."""
        return self.looked_at == len(self.hits.assets)

    def next_batch(self) -> slice:
        """Return the places of the assets that are to be looked at next."""
        return slice(self.looked_at, min(self.looked_at + self._batch, len(self.hits.assets)))

    def take(self, told: Estimates) -> None:
        """Take what was found of the batch."""
        batch = self.next_batch()
        hits, missed = self.hits.hits[batch], self.hits.missed[batch]
        # An asset under several labels has had visitors under each; those of others may be all that it has there.
        self.count[batch] = np.minimum(np.round(told.count), hits + missed)
        self.lower[batch] = np.minimum(np.maximum(np.floor(told.lower) - self.hits.outside[batch], 0), hits + missed)
        self.upper[batch] = np.minimum(np.ceil(told.upper), hits) + missed
        self.upper[batch] = np.maximum(self.upper[batch], self.count[batch])
        self.looked_at = batch.stop
        self._batch = min(self._batch * BATCH_GROWTH, BATCH_MAX)

    def leave_out(self, places: NDArray[np.intp]) -> None:
        """Take note of assets that only seemed to be asked for."""
        self._is_out[places] = True

    def is_settled(self) -> bool:
        """Tell whether no asset that was not looked at can have as many visitors as the last one on the list."""
        if self.is_whole:
            return True
        next_most = int(self.hits.hits[self.looked_at] + self.hits.missed[self.looked_at])
        return next_most < self.enough()

    def enough(self) -> int:
        """Return how many visitors the last one of a full list has; 1 while the list is not full."""
        counts = self.count[: self.looked_at][~self._is_out[: self.looked_at]]
        if np.count_nonzero(counts) < self.limit:
            return 1
        return int(np.partition(counts, len(counts) - self.limit)[len(counts) - self.limit])

    def leaders(self) -> NDArray[np.intp]:
        """Return the places of those that lead, with all that equal the last of them in visitors and hits."""
        is_in = (self.count > 0) & ~self._is_out
        found = np.flatnonzero(is_in)
        order = found[np.lexsort((-self.hits.hits[found], -self.count[found]))]
        if len(order) <= self.limit:
            return order
        last = order[self.limit - 1]
        is_tied = (self.count[order] == self.count[last]) & (self.hits.hits[order] == self.hits.hits[last])
        return order[: max(self.limit, int(np.flatnonzero(is_tied)[-1]) + 1)]

    def is_proven(self, listed: NDArray[np.intp]) -> bool:
        """Tell whether the list has the right members, as far as estimates are right."""
        enough = self.enough()
        if self.hits.unseen_max >= enough:
            return False
        seen = slice(0, self.looked_at)
        is_open = ~self._is_out[seen]
        is_open[listed] = False
        missed, count = self.hits.missed[seen], self.count[seen]
        may_reach = is_open & (missed > 0) & (count + missed >= enough)
        # Seen under other labels as well: nobody knows how many of its visitors came under those asked for.
        blurred = (self.hits.outside[seen] > 0) & (count >= enough) & (count - self.hits.outside[seen] < enough)
        return not bool(may_reach.any() or (blurred & ~self._is_out[seen]).any())
