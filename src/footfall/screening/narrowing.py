"""Which hits make a rise: the kinds of agent, or the visitors, that a verdict is narrowed to, so that readers stay.

A story that people read can be pushed, and a hold of all its hits would let anybody take it off the list. So a hold is
narrowed to the kinds of agent that have far more hits than people give, or to the visitors who come again and again.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.screening.findings import Cause
from footfall.screening.hit_columns import NOTHING, HitColumns, Numbers
from footfall.screening.usual_agents import UsualAgents

AGENTS_MAX = 64  # of a verdict; few-agents has fewer than ten by weight
VISITORS_MAX = 128  # of a verdict: two kilobytes, and forty verdicts are one change
REPEATED_MIN = 3  # hits of a visitor in five minutes that are more than a reader's
COVERED_MIN = 0.5  # of the hits: a narrowing that leaves most of a rise in is none
NEW_MIN = 0.1  # of the hits, by kinds that a case does not know: then it is another case
_DEVIATIONS = 3.0  # above what people give, from which on a kind makes the rise
_STAYING = 1.0  # the same, of a kind that the case knows already
_BEYOND = 2.0  # hits more than that: one reader with a rare agent is no rise


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What hits a verdict on an asset speaks of; nothing: of all."""

    agents: tuple[int, ...] = ()  # their numbers, sorted; 0: of those whose agent nobody knows
    visitors: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.agents or self.visitors)


ALL = Narrowing()


def narrowed(
    cause: Cause, hits: HitColumns, usual: UsualAgents, *, usual_hits: float, one_of: int = 1, before: Narrowing = ALL
) -> Narrowing:
    """Return what a hold of an asset is narrowed to, given its hits in the window, and the narrowing that it had.

    `hits` are those of one visitor in `one_of`; `usual_hits` is how many of all visitors are usual of the asset.
    """
    if cause is Cause.FEW_VISITORS and one_of == 1:
        visitors = _repeating(hits, before)
        if visitors:
            return Narrowing(visitors=visitors)
    known = hits.chosen(hits.agent != NOTHING) if cause is Cause.FEW_AGENTS else hits
    return Narrowing(agents=_rising(known, usual, usual_hits / one_of, before))


def goes_on(before: Narrowing, now: Narrowing, hits: HitColumns) -> bool:
    """Tell whether a case goes on: what makes the rise now is, but for a little, what it is narrowed to."""
    if not before or not now:
        return not now  # When nothing stands out any more, what was narrowed stays so: readers may be what is left.
    is_now = np.isin(hits.agent, now.agents) if now.agents else np.isin(hits.visitor, now.visitors)
    is_new = is_now & ~np.isin(hits.agent, before.agents) & ~np.isin(hits.visitor, before.visitors)
    return int(is_new.sum()) < NEW_MIN * max(1, len(hits))


def _repeating(hits: HitColumns, before: Narrowing) -> tuple[int, ...]:
    """Return the visitors who come again and again; none when they are too many to name, or do not make the rise."""
    visitor, counts = np.unique(hits.visitor, return_counts=True)
    is_meant = (visitor != NOTHING) & ((counts >= REPEATED_MIN) | np.isin(visitor, before.visitors))
    if is_meant.sum() > VISITORS_MAX or counts[is_meant].sum() < COVERED_MIN * len(hits):
        return ()
    return tuple(visitor[is_meant].tolist())


def _rising(hits: HitColumns, usual: UsualAgents, usual_hits: float, before: Narrowing) -> tuple[int, ...]:
    """Return the kinds with far more hits than people give; none when nothing stands out, or too much does."""
    agent, counts = np.unique(hits.agent, return_counts=True)
    shares = usual.shares(agent)
    readers = max(usual_hits, _readers(agent, counts, usual))
    expected = readers * shares
    deviations = np.where(np.isin(agent, before.agents), _STAYING, _DEVIATIONS)
    is_meant = counts > expected + deviations * np.sqrt(expected) + _BEYOND
    if is_meant.sum() > AGENTS_MAX or counts[is_meant].sum() < COVERED_MIN * len(hits):
        return ()
    return tuple(agent[is_meant].tolist())


def _readers(agent: Numbers, counts: NDArray[np.int64], usual: UsualAgents) -> float:
    """Return how many hits people have given, as half of all kinds by weight tell: an attack has few kinds."""
    if not len(usual.agent):
        return 0.0
    here = np.zeros(len(usual.agent))
    place = np.minimum(np.searchsorted(usual.agent, agent), len(usual.agent) - 1)
    is_known = usual.agent[place] == agent
    here[place[is_known]] = counts[is_known]
    weights = np.maximum(usual.counts, 0.0)
    whole = float(weights.sum())
    if whole <= 0:
        return 0.0
    told = np.where(weights > 0, here * whole / np.maximum(weights, 1.0), np.inf)
    order = np.argsort(told, kind="stable")
    half = int(np.searchsorted(np.cumsum(weights[order]), whole / 2))
    return float(told[order[min(half, len(order) - 1)]])
