"""How many were distinct, as coupons or registers tell it, and how far from that the truth may be.

Registers are read with Ertl's improved raw estimator (arXiv:1702.01284): one formula for sets of any size, without
tables, and as precise as those that need them. It asks for nothing but the registers, so the answer does not depend
on the order in which values came or sketches were merged.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.coupons import ADDRESS_BITS, RHO_MAX, Registers

CONFIDENCE = 0.95  # that the true number lies between the bounds: two standard errors either way
STANDARD_ERROR = 1.04  # of registers, times the root of their number; smaller while many are empty

_ROWS_TOGETHER = 128  # Half a million registers at a time as floats: some megabytes.
_WEIGHTS = np.concatenate([[0.0], np.exp2(-np.arange(1.0, RHO_MAX + 1))])  # Empty registers are weighed apart.
_LIMIT = 1 / (2 * np.log(2))
_HALVINGS_MAX = 64


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many were distinct, with bounds that hold at the stated confidence."""

    count: float
    lower: float
    upper: float
    confidence: float = CONFIDENCE


@dataclass(frozen=True, slots=True)
class Estimates:
    """The same of many sets, in columns."""

    count: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    confidence: float = CONFIDENCE


def estimates_of_coupons(counts: NDArray[np.int64]) -> Estimates:
    """Return the estimates of sets that are kept as so many coupons each."""
    # Two values rarely have one coupon: less than once in a hundred sets of 1,500. Nobody is counted twice.
    shared = counts.astype(np.float64) ** 2 / (6 * 2.0**ADDRESS_BITS)
    exact = counts.astype(np.float64)
    return Estimates(exact, exact.copy(), exact + np.ceil(np.where(shared > 1 - CONFIDENCE, 2 * np.sqrt(shared), 0)))


def estimates_of_registers(rows: Registers) -> Estimates:
    """Return the estimates of sets that are kept as one row of registers each."""
    size = rows.shape[1]
    weight, empty = np.empty(len(rows)), np.empty(len(rows))
    for at in range(0, len(rows), _ROWS_TOGETHER):
        some = rows[at : at + _ROWS_TOGETHER]
        weight[at : at + _ROWS_TOGETHER] = _WEIGHTS[some].sum(axis=1)
        empty[at : at + _ROWS_TOGETHER] = size - np.count_nonzero(some, axis=1)
    with np.errstate(divide="ignore"):
        count = _LIMIT * size**2 / (weight + size * _sigma(empty / size))
    error = 2 * STANDARD_ERROR / np.sqrt(size)
    # As many values as there are registers in use were certainly met.
    return Estimates(count, np.maximum(count / (1 + error), size - empty), count / (1 - error))


def _sigma(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the share of empty registers weighs, per register: nothing at 0, all there is at 1."""
    power, factor = share.copy(), 1.0
    total = share.copy()
    for _ in range(_HALVINGS_MAX):
        power = power * power
        step = power * factor
        if not np.any((step > total * 1e-17) & (share < 1)):
            break
        total += step
        factor *= 2
    return np.where(share < 1, total, np.inf)
