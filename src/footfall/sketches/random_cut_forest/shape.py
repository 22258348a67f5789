"""What a forest is made of: how many trees of how many points, over how many features, and how fast it forgets."""

from dataclasses import dataclass

from footfall.values.errors import FootfallError

FEATURES_MAX = 64
SHINGLE_MAX = 30  # as many as Kinesis Analytics compares
TREES_MAX = 200
SAMPLE_MAX = 2_048
DIMENSIONS_MAX = 256  # features times shingle: with the most trees and points, some 400 MB
DECAY_POINTS_MAX = 10**9


class BadShape(FootfallError):
    """A forest cannot be made of these numbers."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers that a forest keeps for life."""

    features: int
    shingle: int = 1  # so many points in a row are looked at as one, so that sudden changes show
    trees: int = 40
    sample: int = 256  # points that a tree keeps
    decay_points: int = 10_000  # after so many points a kept one has 1/e of the weight of a new one
    is_scaled: bool = True  # features are measured in their own deviations; otherwise the largest numbers decide

    @property
    def dimensions(self) -> int:
        """Return the length of what a tree keeps of a point."""
        return self.features * self.shingle

    @property
    def warm_up(self) -> int:
        """Return how many points a forest has to see before it says anything."""
        return max(self.sample // 4, 2 * self.shingle)


def require_shape(shape: Shape) -> None:
    """Raise BadShape if one of the numbers is out of its range."""
    ranges = {
        "features": (shape.features, FEATURES_MAX),
        "shingle": (shape.shingle, SHINGLE_MAX),
        "trees": (shape.trees, TREES_MAX),
        "sample": (shape.sample, SAMPLE_MAX),
        "dimensions": (shape.dimensions, DIMENSIONS_MAX),
        "decay_points": (shape.decay_points, DECAY_POINTS_MAX),
    }
    for name, (value, most) in ranges.items():
        if not 1 <= value <= most:
            raise BadShape(f"{name} of a forest is {value}; it must be 1 to {most}")
