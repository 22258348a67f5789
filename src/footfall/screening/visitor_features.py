"""What visitors did in the last windows, as numbers, kept slot by slot so that memory does not grow with hits."""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from footfall.screening.hit_columns import SPREAD, HitColumns, Moments, Numbers, no_hits

Floats = NDArray[np.float64]

SLOT_MS = 10 * 60_000
SLOTS = 6  # A window is an hour: a drip of one hit in five minutes shows its rhythm in it.
VISITORS_MAX = 100_000  # of a slot, those with the most hits: some 15 MB, and six of them are kept
HITS_MIN = 12  # Fewer gaps between hits say nothing of their rhythm.
ASSET_WORDS = 4  # 256 bits, in which some 1,400 assets can be told apart
_BITS = 64
_CODES = 1 << 16  # numbers that agents have where they come from records
_GAP_MS_MIN = 10.0
_STILL = 2.0**-6  # of the deviation of gaps, by their mean: what is steadier is as steady as anything can be


class VisitorFeature(IntEnum):
    """What a visitor's window is described by; the order is that of the points, and never changes."""

    HITS = 0
    ASSETS = 1
    REPEATS = 2
    STEADINESS = 3
    COVERAGE = 4
    BARE = 5
    SECTIONS = 6
    DELAY = 7
    AGENT = 8


@dataclass(frozen=True, slots=True)
class VisitorPoints:
    """Visitors with enough hits, and their features; a row each."""

    visitor: Numbers
    hits: NDArray[np.int64]
    first_ms: Moments  # event times
    last_ms: Moments
    points: Floats


@dataclass(frozen=True, slots=True)
class _Slot:
    """What is kept of the visitors of some minutes; a row each, in the order of their numbers."""

    visitor: Numbers
    hits: NDArray[np.int64]
    first_ms: Moments  # by arrival
    last_ms: Moments
    from_ms: Moments  # by event
    to_ms: Moments
    sums: Floats  # of gaps, of their squares, of hits without a referrer, of delays, of bits of the agents
    assets: Numbers  # bitmaps
    sections: Numbers


class VisitorWindow:
    """The last hour of visitors, in slots of ten minutes; the last one is filled piece by piece."""

    def __init__(self, *, visitors_max: int = VISITORS_MAX, hits_min: int = HITS_MIN) -> None:
        self._slots: deque[_Slot] = deque([_slot_of(no_hits())], maxlen=SLOTS)
        self.visitors_max = visitors_max
        self._hits_min = hits_min

    def add(self, hits: HitColumns) -> None:
        """Take in what arrived next; hits of nobody in particular are left aside."""
        piece = _slot_of(hits.chosen(hits.visitor != 0))
        merged, _ = _merged([self._slots[-1], piece])
        self._slots[-1] = _frequent(merged, self.visitors_max)

    def begin_slot(self) -> None:
        """Begin the next slot, and forget the first when there are enough."""
        self._slots.append(_slot_of(no_hits()))

    def points(self) -> VisitorPoints:
        """Return the features of all who came in the last slot and often enough in the window."""
        merged, coverage = _merged(list(self._slots))
        is_judged = (merged.hits >= self._hits_min) & np.isin(merged.visitor, self._slots[-1].visitor)
        return _features(_rows(merged, np.flatnonzero(is_judged)), coverage[is_judged])


def _frequent(slot: _Slot, visitors_max: int) -> _Slot:
    """Return those with the most hits: whoever comes once drives out others that came once."""
    if len(slot.visitor) <= visitors_max:
        return slot
    return _rows(slot, np.sort(np.argsort(-slot.hits, kind="stable")[:visitors_max]))


def _slot_of(hits: HitColumns) -> _Slot:
    if not len(hits):
        moments, words = np.zeros(0, np.int64), np.zeros((0, ASSET_WORDS), np.uint64)
        visitor = np.zeros(0, np.uint64)
        return _Slot(visitor, moments, moments, moments, moments, moments, np.zeros((0, 5)), words, visitor)
    if (hits.arrived_ms[1:] >= hits.arrived_ms[:-1]).all():  # They nearly always come so, and then one sort is enough.
        hits = hits.chosen(np.argsort(hits.visitor, kind="stable"))
    else:
        hits = hits.chosen(np.lexsort((hits.arrived_ms, hits.visitor)))
    starts, counts = _runs(hits.visitor)
    gaps = np.diff(hits.arrived_ms, prepend=hits.arrived_ms[:1]).astype(np.float64)
    gaps[starts] = 0.0
    delay = np.abs(hits.arrived_ms - hits.at_ms) / 1_000
    values = np.column_stack([gaps, gaps * gaps, hits.referrer == 0, delay, _rarity(hits.agent)])
    return _Slot(
        hits.visitor[starts],
        counts,
        hits.arrived_ms[starts],
        np.maximum.reduceat(hits.arrived_ms, starts),
        np.minimum.reduceat(hits.at_ms, starts),
        np.maximum.reduceat(hits.at_ms, starts),
        np.add.reduceat(values, starts),
        np.bitwise_or.reduceat(_bits(hits.asset, ASSET_WORDS), starts),
        np.bitwise_or.reduceat(_bits(hits.section, 1)[:, 0], starts),
    )


def _runs(ordered: Numbers) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return where each number begins in an ordered column, and how often it stands there."""
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    return starts, np.diff(starts, append=len(ordered)).astype(np.int64)


def _rarity(agent: Numbers) -> Floats:
    """Return of each hit how many bits of news its agent is: the text as a number."""
    if len(agent) and agent.max() < _CODES:
        places = agent.astype(np.intp)
        return np.log2(len(agent) / np.maximum(np.bincount(places), 1))[places]
    _, places, counts = np.unique(agent, return_inverse=True, return_counts=True)
    return np.log2(len(agent) / counts)[places]


def _bits(codes: Numbers, words: int) -> Numbers:
    """Return a bitmap for each code with one bit set; texts have hashes for codes, small numbers are spread here."""
    spread = (codes * SPREAD) >> np.uint64(32)
    place = spread % np.uint64(words * _BITS)
    maps = np.zeros((len(codes), words), np.uint64)
    maps[np.arange(len(codes)), (place // _BITS).astype(np.intp)] = np.uint64(1) << (place % np.uint64(_BITS))
    return maps


def _merged(slots: list[_Slot]) -> tuple[_Slot, NDArray[np.int64]]:
    """Return the slots as one, and in how many of them each visitor came."""
    visitor = np.concatenate([slot.visitor for slot in slots])
    order = np.argsort(visitor, kind="stable")  # The slots of a visitor stay in their turn.
    every = _Slot(*(np.concatenate([getattr(slot, name) for slot in slots])[order] for name in _Slot.__slots__))
    starts, coverage = _runs(every.visitor)
    if not len(starts):
        return every, coverage
    between = np.zeros(len(visitor))
    # Pieces of several shards may overlap in time; then nothing is known of the gap between them.
    between[1:] = np.maximum(every.first_ms[1:] - every.last_ms[:-1], 0)
    between[starts] = 0.0
    sums = every.sums.copy()
    sums[:, 0] += between
    sums[:, 1] += between * between
    merged = _Slot(
        every.visitor[starts],
        np.add.reduceat(every.hits, starts),
        np.minimum.reduceat(every.first_ms, starts),
        np.maximum.reduceat(every.last_ms, starts),
        np.minimum.reduceat(every.from_ms, starts),
        np.maximum.reduceat(every.to_ms, starts),
        np.add.reduceat(sums, starts),
        np.bitwise_or.reduceat(every.assets, starts),
        np.bitwise_or.reduceat(every.sections, starts),
    )
    return merged, coverage


def _rows(slot: _Slot, which: NDArray[np.intp]) -> _Slot:
    return _Slot(*(getattr(slot, name)[which] for name in _Slot.__slots__))


def _features(slot: _Slot, coverage: NDArray[np.int64]) -> VisitorPoints:
    hits = slot.hits.astype(np.float64)
    gaps = np.maximum(hits - 1, 1)
    mean = slot.sums[:, 0] / gaps
    deviation = np.sqrt(np.maximum(slot.sums[:, 1] / gaps - mean * mean, 0.0)) / np.maximum(mean, 1.0)
    assets = np.minimum(_distinct(slot.assets), hits)
    points = np.column_stack(
        [
            np.log2(1 + hits),
            np.log2(1 + assets),
            np.log2(hits / np.maximum(assets, 1)),
            # Hits that a server sends together have one arrival, and no rhythm.
            np.where(mean < _GAP_MS_MIN, 0.0, -np.log2(np.clip(deviation, _STILL, 8.0))),
            coverage.astype(np.float64),
            slot.sums[:, 2] / np.maximum(hits, 1),
            np.log2(1 + _distinct(slot.sections[:, None])),
            np.log2(1 + slot.sums[:, 3] / np.maximum(hits, 1)),
            slot.sums[:, 4] / np.maximum(hits, 1),
        ]
    )
    return VisitorPoints(slot.visitor, slot.hits, slot.from_ms, slot.to_ms, points)


def _distinct(maps: Numbers) -> Floats:
    """Return how many codes set the bits of each map, as likely as not."""
    bits = maps.shape[1] * _BITS
    taken: Floats = np.bitwise_count(maps).astype(np.float64).sum(axis=1)
    return np.rint(-bits * np.log(np.maximum(bits - taken, 0.5) / bits))
