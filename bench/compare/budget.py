"""Time: five minutes a point and an hour for all, kept by whoever measures; the clock is an argument."""

from collections.abc import Callable
from dataclasses import dataclass

POINT_S_MAX = 300.0
WHOLE_S_MAX = 3_600.0
LEAST_S = 10.0  # A point that has less is not begun: it would say nothing.


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a run may take, from when it began."""

    now_s: Callable[[], float]
    began_s: float
    point_s_max: float = POINT_S_MAX
    whole_s_max: float = WHOLE_S_MAX

    @property
    def left_s(self) -> float:
        """Return what is left of the whole."""
        return max(0.0, self.began_s + self.whole_s_max - self.now_s())

    def point_s(self) -> float:
        """Return how long the next point may load; 0 when it is not to be begun."""
        seconds = min(self.point_s_max, self.left_s)
        return seconds if seconds >= LEAST_S else 0.0
