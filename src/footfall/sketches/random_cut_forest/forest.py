"""A forest that learns point by point: scores, and what makes a point unusual, by feature, direction and strength.

The same points, shape and seed give the same scores and the same bytes, however the points are handed over.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from footfall.sketches.random_cut_forest.engine import SEED_MAX, Engine, new_engine
from footfall.sketches.random_cut_forest.scaling import Scaling
from footfall.sketches.random_cut_forest.shape import BadShape, Shape, require_shape
from footfall.values.errors import FootfallError

VALUE_MAX = 1e15  # Trees keep 32-bit floats; a larger number is a mistake, and would hide all others.


class BadPoint(FootfallError):
    """A point has too few or too many features, or one that is no number."""


class Direction(StrEnum):
    """Whether a feature is higher or lower than what was usual of late."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class FeaturePart:
    """What one feature has to do with a score."""

    attribution: float  # its part of the score; those of all features add up to it
    direction: Direction
    strength: float  # how sure the direction is: 0 (either) to 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score, and its features in their order."""

    score: float
    features: tuple[FeaturePart, ...]


class Forest:
    """A random cut forest; memory grows until every tree has its sample, and no further."""

    def __init__(self, shape: Shape, *, seed: int) -> None:
        require_shape(shape)
        if not 0 <= seed <= SEED_MAX:
            raise BadShape(f"the seed of a forest is {seed}; it must be 0 to {SEED_MAX}")
        self.shape = shape
        self.seed = seed
        self.seen = 0
        self.scaling = Scaling(shape.features, shape.decay_points)
        self.engine: Engine = new_engine(shape, seed)

    def score(self, point: Sequence[float]) -> float:
        """Return how unusual a point would be next: 0 until warmed up, some 1 for a usual one, 1.5 and more if not."""
        return self.engine.score(self._shown(point))

    def add(self, point: Sequence[float]) -> None:
        """Take in the next point."""
        shown = self._shown(point)
        self.engine.update(shown)
        self.scaling.add(point, seen=self.seen)
        self.seen += 1

    def judged(self, points: Iterable[Sequence[float]]) -> list[float]:
        """Take in points, and return how unusual each was when it came."""
        scores: list[float] = []
        for point in points:
            shown = self._shown(point)
            scores.append(self.engine.score(shown))
            self.engine.update(shown)
            self.scaling.add(point, seen=self.seen)
            self.seen += 1
        return scores

    def explained(self, point: Sequence[float]) -> Explanation:
        """Return how unusual a point would be next, and by which of its features."""
        shown = self._shown(point)
        sides = self.engine.attribution(shown)
        features = self.shape.features
        parts = (
            _part(math.fsum(sides["high"][at::features]), math.fsum(sides["low"][at::features]))
            for at in range(features)
        )
        return Explanation(self.engine.score(shown), tuple(parts))

    def _shown(self, point: Sequence[float]) -> list[float]:
        if len(point) != self.shape.features:
            raise BadPoint(
                f"a point has {len(point)} features, this forest has {self.shape.features}; give each of them"
            )
        values = [float(value) for value in point]
        for value in values:
            if not -VALUE_MAX <= value <= VALUE_MAX:  # Nothing that is no number is within.
                raise BadPoint(f"a feature is {value}; it must be a number of at most {VALUE_MAX:g}")
        return self.scaling.scaled(values) if self.shape.is_scaled else values


def _part(high: float, low: float) -> FeaturePart:
    whole = high + low
    strength = abs(high - low) / whole if whole > 0 else 0.0
    return FeaturePart(whole, Direction.HIGH if high >= low else Direction.LOW, strength)
