"""What happened to assets in the last minutes, as numbers: how they rise, and by how many kinds of visitor."""

from collections import deque
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from footfall.screening.hit_columns import NOTHING, SPREAD, HitColumns, Mask, Moments, Numbers, joined, no_hits
from footfall.screening.usual_agents import UsualAgents

Floats = NDArray[np.float64]

SLOT_MS = 60_000
SLOTS = 5
HITS_MIN = 40  # of a window: below, the mix of agents is chance
SLOT_HITS_MAX = 200_000  # Of more, the hits of every second, fourth, ... visitor are kept: some 60 MB in all.
_STILL = 2.0**-6
_ONE_OF_MAX = 1 << 12
_SAMPLED_BY = 40  # bits of a number that say nothing of whether it is in the sample
_ALL_BITS = (1 << 64) - 1
_GAP_MS_MIN = 10.0
_SAMPLES = 8  # of each size that is looked at to learn how many kinds of agent are usual


class AssetFeature(IntEnum):
    """What an asset's window is described by; the order is that of the points, and never changes."""

    HITS = 0
    RISE = 1
    REPEATS = 2
    ONCE = 3
    BARE = 4
    AGENTS = 5
    AGENT_SHIFT = 6
    REFERRERS = 7
    STEADINESS = 8
    DELAY = 9


@dataclass(frozen=True, slots=True)
class AssetPoints:
    """Assets with enough hits, and their features; a row each. RISE is left to whoever knows what was usual."""

    asset: Numbers
    hits: Floats
    visitors: Floats
    first_ms: Moments  # event times
    last_ms: Moments
    agents: Floats  # kinds of agent, each by its weight
    agents_usual: Floats  # as many as so many hits of all assets have
    referrers: Floats
    points: Floats


class AssetWindow:
    """The last five minutes of all assets, in slots of one."""

    def __init__(self, *, hits_min: int = HITS_MIN, slot_hits_max: int = SLOT_HITS_MAX) -> None:
        # With one of how many visitors is kept.
        self._slots: deque[tuple[HitColumns, int]] = deque([(no_hits(), 1)], maxlen=SLOTS)
        self._hits_min = hits_min
        self.slot_hits_max = slot_hits_max
        self.usual_agents = UsualAgents(np.zeros(0, np.uint64), np.zeros(0))  # as the last points had them

    @property
    def one_of(self) -> int:
        """Return of how many visitors one is kept in the minutes that are looked at."""
        return max((share for _, share in self._slots), default=1)

    def add(self, hits: HitColumns) -> None:
        """Take in what arrived next in this minute."""
        before, one_of = self._slots[-1]
        hits = joined([before, hits.chosen(_is_sampled(hits, one_of)) if one_of > 1 else hits])
        while len(hits) > self.slot_hits_max and one_of < _ONE_OF_MAX:
            one_of *= 2
            hits = hits.chosen(_is_sampled(hits, one_of))
        if len(hits) > self.slot_hits_max:
            # One visitor may have more hits than there is room for; the first of them tell what he does.
            hits = hits.chosen(np.arange(self.slot_hits_max))
        self._slots[-1] = hits, one_of

    def leaves_out(self, arrived_ms: int) -> bool:
        """Tell whether a hit without a visitor that arrived at a moment is left out of this minute's sample."""
        _, one_of = self._slots[-1]
        return one_of > 1 and ((arrived_ms * int(SPREAD) & _ALL_BITS) >> _SAMPLED_BY) % one_of != 0

    def begin_slot(self) -> None:
        """Begin the next minute, and forget the first when there are enough."""
        self._slots.append((no_hits(), 1))

    def points(self, *, without: Numbers | None = None) -> AssetPoints:
        """Return the features of all assets with enough hits; the assets `without` do not tell what is usual."""
        one_of = self.one_of
        hits = joined(
            [slot if share == one_of else slot.chosen(_is_sampled(slot, one_of)) for slot, share in self._slots]
        )
        asset, places, counts = np.unique(hits.asset, return_inverse=True, return_counts=True)
        is_judged = counts >= self._hits_min  # also of a sample: fewer say nothing, however many they stand for
        is_kept = is_judged[places]
        is_usual = np.ones(len(hits), np.bool_) if without is None else ~np.isin(hits.asset, without)
        usual = _Usual(hits.chosen(is_usual))
        self.usual_agents = usual.agents
        row = (np.cumsum(is_judged) - 1)[places[is_kept]]
        return _points(hits.chosen(is_kept), row.astype(np.intp), asset[is_judged], one_of, usual)

    def hits_of(self, asset: int) -> HitColumns:
        """Return an asset's hits of the window, those that its features were made from."""
        one_of, code = self.one_of, np.uint64(asset)
        found = [(slot.chosen(slot.asset == code), share) for slot, share in self._slots]
        return joined([hits if share == one_of else hits.chosen(_is_sampled(hits, one_of)) for hits, share in found])


class _Usual:
    """The agents of all assets together: the share of each, and how many kinds so many hits have."""

    def __init__(self, hits: HitColumns) -> None:
        every, counts = np.unique(hits.agent, return_counts=True)
        self.agents = UsualAgents(every, counts.astype(np.float64))  # with those that nobody knows
        hits = hits.chosen(hits.agent != NOTHING)
        is_known = every != NOTHING
        self._agents, self._shares = every[is_known], counts[is_known] / max(1, len(hits))
        shuffled = hits.agent[np.argsort(hits.visitor * SPREAD ^ hits.arrived_ms.astype(np.uint64) * SPREAD)]
        self._sizes, self._bits = _curve(shuffled)

    def shares(self, agent: Numbers) -> Floats:
        """Return the share that each agent has; an unknown one has a small one."""
        if not len(self._agents):
            return np.full(len(agent), 1.0)
        place = np.minimum(np.searchsorted(self._agents, agent), len(self._agents) - 1)
        return np.where(self._agents[place] == agent, self._shares[place], self._shares.min())

    def bits(self, counts: Floats) -> Floats:
        """Return the bits that the agents of so many hits usually have."""
        return np.interp(np.log2(np.maximum(counts, 1)), self._sizes, self._bits)


def _curve(agent: Numbers) -> tuple[Floats, Floats]:
    """Return sizes, as powers of two, and the bits that samples of that size have on average."""
    sizes, bits = [0.0], [0.0]
    power = 4
    while 2**power <= len(agent):
        size = 2**power
        samples = min(_SAMPLES, len(agent) // size)
        row = np.repeat(np.arange(samples), size)
        sizes.append(power)
        bits.append(float(_kinds(row, agent[: samples * size], samples)[2].mean()))
        power += 1
    return np.array(sizes), np.array(bits)


def _is_sampled(hits: HitColumns, one_of: int) -> Mask:
    # By visitor, so that hits of one stay together; who has none is taken by the moment.
    whose = np.where(hits.visitor != 0, hits.visitor, hits.arrived_ms.astype(np.uint64))
    return ((whose * SPREAD) >> np.uint64(_SAMPLED_BY)) % np.uint64(one_of) == 0


def _points(hits: HitColumns, row: NDArray[np.intp], asset: Numbers, one_of: int, usual: _Usual) -> AssetPoints:
    rows = len(asset)
    count = np.bincount(row, minlength=rows).astype(np.float64)
    safe = np.maximum(count, 1)
    # A hit without a visitor is one of its own: nobody can be told apart there.
    alone = np.where(hits.visitor != 0, hits.visitor, np.arange(len(hits), dtype=np.uint64) + np.uint64(1))
    visitors, once, _ = _kinds(row, alone, rows)
    referrer_bits = _kinds(row, hits.referrer, rows)[2]
    # Whose agent nobody knows, as in a server's batch, says nothing of how many kinds there are.
    is_known = hits.agent != NOTHING
    row_known, agent_known = row[is_known], hits.agent[is_known]
    known = np.bincount(row_known, minlength=rows).astype(np.float64)
    agent_bits, usual_bits = _kinds(row_known, agent_known, rows)[2], usual.bits(known)
    surprise = -np.bincount(row_known, np.log2(usual.shares(agent_known)), minlength=rows) / np.maximum(known, 1)
    delay = np.bincount(row, np.abs(hits.arrived_ms - hits.at_ms) / 1_000.0, minlength=rows) / safe
    points = np.column_stack(
        [
            np.log2(1 + count * one_of),
            np.zeros(rows),
            np.log2(safe / np.maximum(visitors, 1)),
            once / np.maximum(visitors, 1),
            np.bincount(row, hits.referrer == 0, minlength=rows) / safe,
            agent_bits - usual_bits,
            surprise - agent_bits,
            referrer_bits,
            _steadiness(hits, row, rows),
            np.log2(1 + delay),
        ]
    )
    first, last = _spans(hits, row, rows)
    kinds = (2.0**agent_bits, 2.0**usual_bits, 2.0**referrer_bits)
    return AssetPoints(asset, count * one_of, visitors * one_of, first, last, *kinds, points)


def _kinds(row: NDArray[np.intp], codes: Numbers, rows: int) -> tuple[Floats, Floats, Floats]:
    """Return of each row how many codes it has, how many of them once, and the bits of their mix."""
    order = np.lexsort((codes, row))
    ordered_row, ordered = row[order], codes[order]
    is_new = np.ones(len(row), np.bool_)
    is_new[1:] = (ordered_row[1:] != ordered_row[:-1]) | (ordered[1:] != ordered[:-1])
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=len(row)).astype(np.float64)
    of_row = ordered_row[starts]
    distinct = np.bincount(of_row, minlength=rows).astype(np.float64)
    once: Floats = np.bincount(of_row, sizes == 1, minlength=rows).astype(np.float64)
    whole = np.bincount(of_row, sizes, minlength=rows)
    bits = np.bincount(of_row, -sizes * np.log2(sizes / whole[of_row]), minlength=rows) / np.maximum(whole, 1)
    return distinct, once, bits


def _steadiness(hits: HitColumns, row: NDArray[np.intp], rows: int) -> Floats:
    """Return how even the gaps between hits are: 0 as by chance, more the closer to a clock."""
    order = np.lexsort((hits.arrived_ms, row))
    gaps = np.diff(hits.arrived_ms[order]).astype(np.float64)
    same = row[order][1:] == row[order][:-1]
    of_row, gaps = row[order][1:][same], gaps[same]
    count = np.maximum(np.bincount(of_row, minlength=rows), 1)
    mean = np.bincount(of_row, gaps, minlength=rows) / count
    square = np.bincount(of_row, gaps * gaps, minlength=rows) / count
    deviation = np.sqrt(np.maximum(square - mean * mean, 0.0)) / np.maximum(mean, 1.0)
    # Moments are whole milliseconds: gaps of a few of them are even because they were rounded.
    return np.where(mean < _GAP_MS_MIN, 0.0, -np.log2(np.clip(deviation, _STILL, 8.0)))


def _spans(hits: HitColumns, row: NDArray[np.intp], rows: int) -> tuple[Moments, Moments]:
    first, last = np.full(rows, np.iinfo(np.int64).max), np.full(rows, np.iinfo(np.int64).min)
    np.minimum.at(first, row, hits.at_ms)
    np.maximum.at(last, row, hits.at_ms)
    return first, last
