"""A threshold that follows the scores: so far above what is usual that chance alone does not reach it."""

from collections import deque
from collections.abc import Iterable

import numpy as np

SCORES_MAX = 2_048
SCORES_MIN = 200  # With fewer, the highest hundredth is a matter of chance.


class Threshold:
    """A quantile of the last scores, raised by a margin, and never under a floor."""

    def __init__(self, *, quantile: float, margin: float, floor: float) -> None:
        self._quantile = quantile
        self._margin = margin
        self._floor = floor
        self._scores: deque[float] = deque(maxlen=SCORES_MAX)

    @property
    def is_ready(self) -> bool:
        """Tell whether enough scores were seen to judge by."""
        return len(self._scores) >= SCORES_MIN

    @property
    def value(self) -> float:
        """Return the score from which on something is unusual; infinite until enough was seen."""
        if not self.is_ready:
            return float("inf")
        return max(self._floor, self._margin * float(np.quantile(np.array(self._scores), self._quantile)))

    @property
    def scores(self) -> list[float]:
        """Return the scores that it goes by, the oldest first."""
        return list(self._scores)

    def add(self, scores: Iterable[float]) -> None:
        """Take in scores of what is held to be usual."""
        self._scores.extend(scores)
