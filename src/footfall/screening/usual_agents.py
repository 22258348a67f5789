"""How many hits each kind of agent has among all assets: what a rise by some kinds is compared with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.screening.hit_columns import HitColumns, Numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class UsualAgents:
    """How many hits of all other assets each kind of agent has."""

    agent: Numbers  # sorted
    counts: Floats

    def without(self, hits: HitColumns) -> "UsualAgents":
        """Return the same without some of the hits that it was counted from."""
        agent, counts = np.unique(hits.agent, return_counts=True)
        left = self.counts.copy()
        left[np.searchsorted(self.agent, agent)] -= counts
        return UsualAgents(self.agent, left)

    def shares(self, agent: Numbers) -> Floats:
        """Return the share that each kind has of all hits; none for one that is not known."""
        if not len(self.agent):
            return np.zeros(len(agent))
        place = np.minimum(np.searchsorted(self.agent, agent), len(self.agent) - 1)
        return np.where(self.agent[place] == agent, self.counts[place], 0.0) / max(1.0, float(self.counts.sum()))
