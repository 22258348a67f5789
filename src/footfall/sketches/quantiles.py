"""Quantiles of values that nobody keeps: KLL sketches in Apache DataSketches' format, read and put together as columns.

Sketches are made by DataSketches. What comes in was made by somebody else and may be anything: every length and number
is checked here, and no native code sees the bytes. To answer, the retained values of all sketches are taken together
with their weights, which is what merging begins with, without the compaction that would lose some of them again; so the
answer depends on nothing but the sketches.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import datasketches  # pyright: ignore[reportMissingTypeStubs] # It brings none; the protocols below say what we use.
import numpy as np
from numpy.typing import NDArray

from footfall.sketches.errors import NotASketch

K = 200  # DataSketches' own: the rank is right within 1.33 % in 99 of 100 cases.
K_MIN, K_MAX = 8, 4_096
BYTES_MAX = 200_000
VALUES_MAX = 100_000  # of one sketch that is made here at once
VALUES_AT_ONCE = 2_000_000  # of all sketches of a question, some 50 bytes each while they are sorted
POINTS_MIN, POINTS_MAX = 64, 1_024  # that stand for the values of a cell when there are more than that together

_HEAD = struct.Struct("<4BHBB")  # ints of preamble, version, family, flags, k, m, unused
_FULL = struct.Struct("<QHBB")  # n, the lowest k, levels, unused
_FAMILY = 15
_EMPTY, _SINGLE = 1, 4  # flags
_LEVELS_MAX = 50
_LEVEL_MIN = 8  # values that the smallest level has room for

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
_Columns = tuple[Places, Floats, Floats]  # cells, values and weights


class _Sketch(Protocol):
    def update(self, array: Floats, /) -> None: ...
    def serialize(self) -> bytes: ...


class _Library(Protocol):
    def kll_doubles_sketch(self, k: int, /) -> _Sketch: ...


_LIBRARY = cast(_Library, datasketches)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """What a sketch has kept: values, how many each stands for, and the lowest and highest that it ever met."""

    values: Floats
    weights: Floats
    lowest: float
    highest: float
    is_estimate: bool


def sketch_from_values(values: Floats) -> bytes:
    """Return a sketch of values; as long as they are few it holds each of them. The same values give the same bytes."""
    ordered = np.sort(values)
    if len(ordered) > K:
        return _sketch_of_many(ordered)
    sketch = _LIBRARY.kll_doubles_sketch(K)
    sketch.update(ordered)
    return sketch.serialize()


def _sketch_of_many(ordered: Floats) -> bytes:
    """Return a sketch of values that rise: blocks of them, each a power of two, and of each the one in its middle.

    DataSketches decides by chance which values stay. Here all are at hand, so that chance is not needed, and the rank
    is nearer: half a block, which is less than one in K.
    """
    n = len(ordered)
    top = max((n // K).bit_length() - 1, 0)
    while n >> top > K:
        top += 1
    sizes = [(level, n >> top if level == top else (n >> level) & 1) for level in range(top, -1, -1)]
    levels: list[Floats] = []
    at = 0
    for level, count in sizes:  # The smallest blocks are of the highest values, where people look most closely.
        block = 1 << level
        levels.append(ordered[at + block // 2 : at + count * block : block])
        at += count * block
    levels.reverse()
    kept = np.concatenate(levels)
    starts = _room(top + 1) - len(kept) + np.cumsum([0, *map(len, levels[:-1])])
    head = _HEAD.pack(5, 1, _FAMILY, 0, K, _LEVEL_MIN, 0) + _FULL.pack(n, K, top + 1, 0)
    ends = np.array([ordered[0], ordered[-1]])
    return head + starts.astype("<u4").tobytes() + ends.astype("<f8").tobytes() + kept.astype("<f8").tobytes()


def _room(levels: int) -> int:
    """Return how many values DataSketches sets room aside for; a sketch's values lie at the end of it."""
    return sum(max(_LEVEL_MIN, (((2 * K << depth) // 3**depth) + 1) >> 1) for depth in range(levels))


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
    weights = np.repeat(np.array([2.0**level for level in range(level_count)]), np.maximum(sizes, 0))
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


@dataclass(frozen=True, slots=True)
class Percentiles:
    """A percentile of each cell, not a number where it has no sketch; exact where every value was kept."""

    values: Floats
    is_exact: bool


def percentiles(sketches: Sequence[bytes], cells: Places, count: int, percent: float) -> Percentiles:
    """Return a percentile of each of so many cells, whose sketches these are.

    It is the lowest value that so many per cent of all are not above.
    """
    pool = _Pool(count)
    for data, cell in zip(sketches, cells.tolist(), strict=True):
        pool.add(quantiles_from_bytes(data), cell)
    return Percentiles(pool.at(percent), pool.is_exact)


class _Pool:
    """The values of many cells with their weights; when they become too many, fewer stand for them."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting: list[Quantiles] = []
        self._cells: list[int] = []
        self._size = 0
        self._kept = (np.empty(0, np.int64), np.empty(0), np.empty(0))
        self._lowest, self._highest = np.full(count, np.inf), np.full(count, -np.inf)
        self.is_exact = True

    def add(self, one: Quantiles, cell: int) -> None:
        """Take the values of a sketch into a cell."""
        self._waiting.append(one)
        self._cells.append(cell)
        self._lowest[cell] = min(self._lowest[cell], one.lowest)
        self._highest[cell] = max(self._highest[cell], one.highest)
        self._size += len(one.values)
        self.is_exact &= not one.is_estimate
        if self._size >= VALUES_AT_ONCE:
            self._kept = self._thinned(self._sorted())

    def at(self, percent: float) -> Floats:
        """Return a percentile of each cell."""
        told = np.full(self._count, np.nan)
        cell, values, weights = self._sorted()
        met, first, last = _runs(cell)
        if not len(met):
            return told
        until = np.cumsum(weights)
        before = until[first] - weights[first]
        wanted = before + np.ceil((until[last - 1] - before) * percent / 100)
        told[met] = values[np.clip(np.searchsorted(until, wanted), first, last - 1)]
        if percent in (0, 100):
            # What was met at the ends is known, also where it is not among those that were kept.
            told[met] = (self._lowest if percent == 0 else self._highest)[met]
        return told

    def _sorted(self) -> _Columns:
        """Return all values by cell, rising."""
        sizes = [len(one.values) for one in self._waiting]
        cell = np.concatenate((self._kept[0], np.repeat(np.array(self._cells, np.int64), sizes)))
        values = np.concatenate((self._kept[1], *(one.values for one in self._waiting)))
        weights = np.concatenate((self._kept[2], *(one.weights for one in self._waiting)))
        self._waiting, self._cells, self._size = [], [], 0
        order = np.lexsort((values, cell))
        return cell[order], values[order], weights[order]

    def _thinned(self, columns: _Columns) -> _Columns:
        """Return of each cell that has many values as many as there is room for, at equal steps of their ranks."""
        cell, values, weights = columns
        met, first, last = _runs(cell)
        room = max(POINTS_MIN, min(POINTS_MAX, VALUES_AT_ONCE // 2 // max(len(met), 1)))
        until = np.cumsum(weights)
        is_large = last - first > room
        if not is_large.any():
            return columns
        self.is_exact = False
        large = np.flatnonzero(is_large)
        before = until[first[large]] - weights[first[large]]
        step = (until[last[large] - 1] - before) / room
        ranks = before[:, None] + step[:, None] * (np.arange(room) + 0.5)
        picked = values[np.searchsorted(until, ranks.ravel())]
        stays = np.repeat(~is_large, last - first)
        cell = np.concatenate((cell[stays], np.repeat(met[large], room)))
        return cell, np.concatenate((values[stays], picked)), np.concatenate((weights[stays], np.repeat(step, room)))


def _runs(cell: Places) -> tuple[Places, Places, Places]:
    """Return the cells that have values, and where those of each begin and end."""
    met, first = np.unique(cell, return_index=True)
    return met, first, np.append(first[1:], len(cell))
