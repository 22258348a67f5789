"""Rows added up by cell, exactly: the sum is the float nearest to the true one, whatever the order of the rows."""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_WHOLE_BELOW = 2.0**53  # Sums of whole numbers are exact up to here.
_SPLIT = 2.0**27 + 1


def exact_sums(cells: Places, values: Floats, count: int) -> Floats:
    """Return the sum of each cell's values; of a cell without any, not a number."""
    counts = np.bincount(cells, minlength=count)
    sums = np.full(count, np.nan)
    if not len(cells):
        return sums
    if counts.max() == 1:
        sums[cells] = values
        return sums
    if np.abs(values).sum() < _WHOLE_BELOW and (values == np.rint(values)).all():
        met = counts > 0
        sums[met] = np.bincount(cells, values, count)[met]
        return sums
    order = np.argsort(cells, kind="stable")
    ordered: list[float] = values[order].tolist()
    met = np.flatnonzero(counts)
    ends = [0, *np.cumsum(counts[met]).tolist()]
    sums[met] = [math.fsum(ordered[start:end]) for start, end in pairwise(ends)]
    return sums


def weighted_averages(cells: Places, values: Floats, weights: Floats, count: int) -> Floats:
    """Return the sum of value times weight over the sum of weights, both exact; without any weight, not a number."""
    product = values * weights
    # What rounding took from each product is added as well.
    rest = _lost(values, weights, product)
    above = exact_sums(np.concatenate((cells, cells)), np.concatenate((product, rest)), count)
    below = exact_sums(cells, weights, count)
    with np.errstate(all="ignore"):
        told = above / below
    return np.where(np.isfinite(told), told, np.nan)


def _lost(left: Floats, right: Floats, product: Floats) -> Floats:
    """Return the difference between each product and the true one (Dekker's), for numbers far from the largest."""
    left_high, left_low = _halves(left)
    right_high, right_low = _halves(right)
    return left_low * right_low - (((product - left_high * right_high) - left_low * right_high) - left_high * right_low)


def _halves(numbers: Floats) -> tuple[Floats, Floats]:
    upper = numbers * _SPLIT
    high = upper - (upper - numbers)
    return high, numbers - high
