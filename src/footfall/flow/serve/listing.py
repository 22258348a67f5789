"""Choosing the leaders among tens of thousands of assets: most hits first, then by id."""

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.directory import Directory


class Candidates:
    """Every asset with hits in the rows asked for: those with one row by that row, the others by their sum."""

    def __init__(self, directory: Directory, totals: NDArray[np.uint32], rows: NDArray[np.intp] | None) -> None:
        hits = totals.copy() if rows is None else totals[rows]
        shared = np.flatnonzero(directory.row_shared if rows is None else directory.row_shared[rows])
        self._rows = rows
        self._row_asset = directory.row_asset
        self._own = len(hits)
        shared_assets = self._row_asset[shared if rows is None else rows[shared]]
        # Whole numbers up to 2**53 are exact as floats; a sum of hits never comes near.
        sums = np.bincount(shared_assets, weights=hits[shared])
        self._summed = np.flatnonzero(sums)
        hits[shared] = 0
        self.hits: NDArray[np.int64] = np.concatenate([hits.astype(np.int64), sums[self._summed].astype(np.int64)])

    def assets(self, places: NDArray[np.intp]) -> NDArray[np.uint32]:
        """Return the assets whose hits are at these places."""
        is_own = places < self._own
        own = places[is_own]
        found = np.empty(len(places), np.uint32)
        found[is_own] = self._row_asset[own if self._rows is None else self._rows[own]]
        found[~is_own] = self._summed[places[~is_own] - self._own]
        return found


def leaders(directory: Directory, among: Candidates, limit: int) -> list[tuple[int, int]]:
    """Return the assets with most hits, each with its hits, in the order of a list."""
    hits = among.hits
    least, tied = 0, list[int]()
    some = hits[hits > 0]
    if len(some) > limit:
        least = int(np.partition(some, len(some) - limit)[len(some) - limit])
    above = np.flatnonzero(hits > least)
    if least:
        tied = directory.order.first(among.assets(np.flatnonzero(hits == least)), limit - len(above))
    chosen = [
        *zip(among.assets(above).tolist(), hits[above].tolist(), strict=True),
        *((asset, least) for asset in tied),
    ]
    # Texts compare as their UTF-8 bytes do.
    chosen.sort(key=lambda one: (-one[1], directory.asset_name(one[0])))
    return chosen


def shown_slices(
    directory: Directory, totals: NDArray[np.uint32], rows: NDArray[np.intp] | None, assets: list[int]
) -> dict[int, int]:
    """Return the slice whose labels an asset is shown with: that of its largest row among those asked for."""
    is_listed = np.zeros(directory.assets, np.bool_)
    is_listed[assets] = True
    row_asset = directory.row_asset if rows is None else directory.row_asset[rows]
    found = np.flatnonzero(is_listed[row_asset])
    found = found if rows is None else rows[found]
    slices = directory.row_slice[found]
    # The last one written for an asset stays: most hits, and among equals the first labels.
    order = np.lexsort((-directory.slices.ranks()[slices].astype(np.int64), totals[found]))
    return dict(zip(directory.row_asset[found][order].tolist(), slices[order].tolist(), strict=True))
