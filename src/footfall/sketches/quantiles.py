"""Quantiles of values that nobody keeps: KLL sketches in Apache DataSketches' format, read and put together as columns.

Sketches are made by DataSketches. What comes in was made by somebody else and may be anything: every length and number
is checked here, and no native code sees the bytes. To answer, the retained values of all sketches are taken together
with their weights, which is what merging begins with, without the compaction that would lose some of them again; so the
answer depends on nothing but the sketches.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from datasketches import kll_doubles_sketch
from numpy.typing import NDArray

from footfall.sketches.errors import NotASketch

K = 200  # DataSketches' own: the rank is right within 1.33 % in 99 of 100 cases.
K_MIN, K_MAX = 8, 4_096
BYTES_MAX = 200_000
VALUES_MAX = 100_000  # of one sketch that is made here at once

_HEAD = struct.Struct("<4BHBB")  # ints of preamble, version, family, flags, k, m, unused
_FULL = struct.Struct("<QHBB")  # n, the lowest k, levels, unused
_FAMILY = 15
_EMPTY, _SINGLE = 1, 4  # flags
_LEVELS_MAX = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quantiles:
    """What a sketch has kept: values, how many each stands for, and the lowest and highest that it ever met."""

    values: Floats
    weights: Floats
    lowest: float
    highest: float
    is_estimate: bool


def sketch_from_values(values: Floats) -> bytes:
    """Return a sketch of values; as long as they are few it holds each of them."""
    sketch = kll_doubles_sketch(K)
    sketch.update(values)
    return sketch.serialize()


def quantiles_from_bytes(data: bytes) -> Quantiles:
    """Return what a sketch of doubles holds, or raise NotASketch."""
    if not _HEAD.size <= len(data) <= BYTES_MAX:
        raise NotASketch(f"{len(data)} bytes are no KLL sketch: it has from {_HEAD.size} to {BYTES_MAX:,}")
    ints, version, family, flags, k, m, _ = _HEAD.unpack_from(data)
    if family != _FAMILY or not K_MIN <= k <= K_MAX or m != 8 or version not in (1, 2) or ints not in (2, 5):
        raise NotASketch("these bytes are not a KLL sketch as DataSketches writes it")
    if flags & _EMPTY:
        raise NotASketch("the sketch is empty; leave the point out where nothing was met")
    if flags & _SINGLE:
        return _checked(_doubles(data, _HEAD.size, 1), np.ones(1), is_estimate=False)
    return _of_many(data)


def _of_many(data: bytes) -> Quantiles:
    at = _HEAD.size + _FULL.size
    if len(data) < at:
        raise NotASketch("the sketch ends within its head")
    n, _, level_count, _ = _FULL.unpack_from(data, _HEAD.size)
    at_values = at + 4 * level_count + 16
    count, rest = divmod(len(data) - at_values, 8)
    if not 1 <= level_count <= _LEVELS_MAX or count < 1 or rest:
        raise NotASketch("the sketch's levels do not fit its length; it has to be one of doubles")
    starts = np.frombuffer(data, "<u4", level_count, at).astype(np.int64)
    sizes = np.diff(np.append(starts, starts[0] + count))
    lowest, highest = _doubles(data, at_values - 16, 2).tolist()
    weights = np.repeat(np.ldexp(1.0, np.arange(level_count)), np.maximum(sizes, 0))
    if (sizes < 0).any() or weights.sum() != n:
        raise NotASketch(f"the sketch says that it met {n} values, and its levels say otherwise")
    found = _checked(_doubles(data, at_values, count), weights, is_estimate=level_count > 1)
    if not (np.isfinite(lowest) and np.isfinite(highest)) or (
        lowest > found.values.min() or highest < found.values.max()
    ):
        raise NotASketch("the sketch's lowest and highest values are not that")
    return Quantiles(found.values, found.weights, lowest, highest, found.is_estimate)


def _doubles(data: bytes, at: int, count: int) -> Floats:
    if len(data) < at + 8 * count:
        raise NotASketch("the sketch ends too early")
    return np.frombuffer(data, "<f8", count, at)


def _checked(values: Floats, weights: Floats, *, is_estimate: bool) -> Quantiles:
    if not np.isfinite(values).all():
        raise NotASketch("the sketch holds a value that is no finite number")
    return Quantiles(values, weights, float(values.min()), float(values.max()), is_estimate)


def percentiles(sketches: Sequence[Quantiles], cells: NDArray[np.int64], count: int, percent: float) -> Floats:
    """Return a percentile of each of so many cells, whose sketches these are; of a cell without any, not a number.

    It is the lowest value that so many per cent of all are not above.
    """
    told = np.full(count, np.nan)
    if not sketches:
        return told
    sizes = [len(one.values) for one in sketches]
    values = np.concatenate([one.values for one in sketches])
    weights = np.concatenate([one.weights for one in sketches])
    cell = np.repeat(cells, sizes)
    order = np.lexsort((values, cell))
    values, weights, cell = values[order], weights[order], cell[order]
    met, first = np.unique(cell, return_index=True)
    last = np.append(first[1:], len(cell))
    until = np.cumsum(weights)
    before = until[first] - weights[first]
    wanted = before + np.ceil((until[last - 1] - before) * percent / 100)
    at = np.clip(np.searchsorted(until, wanted), first, last - 1)
    told[met] = values[at]
    if percent in (0, 100):
        # What was met at the ends is known, also where it is not among those that were kept.
        lowest = np.full(count, np.inf)
        np.minimum.at(lowest, cells, np.array([one.lowest for one in sketches]))
        highest = np.full(count, -np.inf)
        np.maximum.at(highest, cells, np.array([one.highest for one in sketches]))
        told[met] = (lowest if percent == 0 else highest)[met]
    return told
