"""How much each asset rises: its hits of the last hour against what its own past and its age let expect.

Nothing here knows names or labels: assets are numbers, and hits come as columns. Multiplying all hits by the same
number changes no rise (once they are more than a handful), and neither does the order in which anything was seen.

    expected = (hits before + prior / 4) / (exposure + 1 / 4)
    rise     = (steady hits + prior) / (expected + prior)

*Exposure* is what the brand had since the asset was first seen, in multiples of what it had in the last hour: a night's
lull or a short life lower it, so a morning makes nothing rise, nor does being new. The *prior* is what an asset that
was seen in the last hour had on average: as long as little is known of an asset, it is taken for an average one, and
few hits move nothing.

*Steady* hits: no minute counts for more than five times what the asset's other minutes had on average, a sixtieth of
the prior added. One visitor who reloads a page for a minute, or a script that fires once, thus counts for little.
Whoever does so for an hour looks to counts as readers do; so where visitors are known, they take the place of hits:
those of the last hour, each once, against those of the hours before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PRIOR_EXPOSURE = 0.25  # What is known beforehand weighs as much as a quarter of an hour such as this one.
RISE_MIN = 1.2  # Less than a fifth above what was expected is no news.
PRIOR_HITS_MIN = 3.0  # On a quiet site two hits are no news.
STEADY_HITS_MIN = 5.0  # Whatever came of fewer is chance.
MINUTE_SHARE_MAX = 5.0  # times the mean of the asset's other minutes
RISE_DIGITS = 4  # Nobody can tell apart what differs by less, so there the hits decide.

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The hits of one window: the asset of each row, its hits, and what the brand had altogether."""

    assets: NDArray[np.intp]
    hits: Numbers
    total: float
    is_asked: NDArray[np.bool_] | None = None  # per row; None: all of them


@dataclass(frozen=True, slots=True, eq=False)
class Rises:
    """Per asset, what its rank is made of."""

    recent: Numbers  # hits in the last hour
    steady: Numbers
    before: Numbers  # hits in the hours before
    first: NDArray[np.intp]  # the first of those hours in which it was seen; as many as there are: in none
    exposure: Numbers  # what the brand had since then, in multiples of what it had in the last hour
    expected: Numbers
    rise: Numbers
    prior: float


def rises(minutes: Sequence[Hits], hours: Sequence[Hits], *, assets: int) -> Rises:
    """Return how much each of so many assets rises."""
    prior = _prior(minutes, assets)
    recent, steady = _recent(minutes, assets, prior)
    return _rises(recent, steady, hours, prior=prior, total=sum(one.total for one in minutes))


def rises_of_visitors(
    minutes: Sequence[Hits], hours: Sequence[Hits], united: Numbers, *, prior: float, total: float
) -> Rises:
    """Return the same of visitors: `united` are those of the last hour for each asset, `total` those of the brand.

    Who came in several minutes is one of the united, so minutes only tell which share of them is steady.
    """
    summed, steady = _recent(minutes, len(united), prior)
    share = np.divide(steady, summed, out=np.ones(len(united)), where=summed > 0)
    return _rises(united, united * share, hours, prior=prior, total=total)


def _rises(recent: Numbers, steady: Numbers, hours: Sequence[Hits], *, prior: float, total: float) -> Rises:
    before, first = _before(hours, len(recent))
    since = np.zeros(len(hours) + 1)  # what the brand had from each hour on
    since[:-1] = np.cumsum([one.total for one in hours][::-1])[::-1]
    exposure = since[first] / max(total, 1.0)
    expected = (before + prior * PRIOR_EXPOSURE) / (exposure + PRIOR_EXPOSURE)
    rise = np.round((steady + prior) / (expected + prior), RISE_DIGITS)
    return Rises(recent, steady, before, first, exposure, expected, rise, prior)


def risen(found: Rises) -> NDArray[np.intp]:
    """Return the assets that rise, the strongest first; equal ones are in no order that means anything."""
    chosen = np.flatnonzero((found.steady >= STEADY_HITS_MIN) & (found.rise >= RISE_MIN))
    return chosen[np.lexsort((-found.steady[chosen], -found.rise[chosen]))]


def prior_of(hits: float, seen: int) -> float:
    """Return what an asset had on average of so many that were seen at all, under whatever labels."""
    return max(hits / max(1, seen), PRIOR_HITS_MIN)


def _prior(minutes: Sequence[Hits], assets: int) -> float:
    is_seen = np.zeros(assets, np.bool_)
    for one in minutes:
        is_seen[one.assets] = True
    return prior_of(sum(float(one.hits.sum()) for one in minutes), int(np.count_nonzero(is_seen)))


def _recent(minutes: Sequence[Hits], assets: int, prior: float) -> tuple[Numbers, Numbers]:
    """Return the hits of each asset over all minutes, and those that are left when no minute stands out too far."""
    recent, steady = np.zeros(assets), np.zeros(assets)
    # Few assets are seen in one minute of all that there are, so nothing here goes through all of them.
    summed = [_summed(one) for one in minutes]
    for asset, hits in summed:
        recent[asset] += hits
    for asset, hits in summed:
        others = (recent[asset] - hits) / max(1, len(minutes) - 1)
        steady[asset] += np.minimum(hits, MINUTE_SHARE_MAX * (others + prior / len(minutes)))
    return recent, steady


def _before(hours: Sequence[Hits], assets: int) -> tuple[Numbers, NDArray[np.intp]]:
    """Return the hits of each asset over all hours, and the first hour in which it was seen under any label."""
    before, first = np.zeros(assets), np.full(assets, len(hours), np.intp)
    for number, one in reversed(list(enumerate(hours))):
        np.add.at(before, *asked_of(one))
        first[one.assets] = number
    return before, first


def asked_of(one: Hits) -> tuple[NDArray[np.intp], Numbers]:
    """Return the assets and the hits of the rows that are asked for."""
    return (one.assets, one.hits) if one.is_asked is None else (one.assets[one.is_asked], one.hits[one.is_asked])


def _summed(one: Hits) -> tuple[NDArray[np.intp], Numbers]:
    """Return every asset that has rows, once, with the hits of all of them."""
    asset, hits = asked_of(one)
    found, place = np.unique(asset, return_inverse=True)
    return found, np.bincount(place, weights=hits, minlength=len(found)).astype(np.float64, copy=False)
