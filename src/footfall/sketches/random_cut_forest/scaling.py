"""Features in their own deviations: what a forest is shown, so that no unit of measure decides which cuts it makes."""

import math
from collections.abc import Sequence

SCALED_MAX = 50.0  # deviations; what is further away is as far away as anything can be
_LEAST_SHARE = 0.01  # A feature that hardly moves is measured in hundredths of its size,
_LEAST = 1e-6  # or in this if its size is nothing.


class Scaling:
    """Mean and variance of every feature, in which old points fade."""

    def __init__(self, features: int, decay_points: int) -> None:
        self.means = [0.0] * features
        self.variances = [0.0] * features
        self._least_weight = 1 / decay_points

    def scaled(self, point: Sequence[float]) -> list[float]:
        """Return how many deviations each feature is from its mean."""
        return [
            max(-SCALED_MAX, min(SCALED_MAX, (value - mean) / _deviation(mean, variance)))
            for value, mean, variance in zip(point, self.means, self.variances, strict=True)
        ]

    def add(self, point: Sequence[float], *, seen: int) -> None:
        """Take in a point, before which so many were seen."""
        weight = max(1 / (seen + 1), self._least_weight)
        for at, value in enumerate(point):
            away = value - self.means[at]
            self.means[at] += weight * away
            self.variances[at] = (1 - weight) * (self.variances[at] + weight * away * away)


def _deviation(mean: float, variance: float) -> float:
    return math.sqrt(variance + (_LEAST_SHARE * mean) ** 2) + _LEAST
