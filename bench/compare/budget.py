"""Time: five minutes a point and an hour for all, shared out by whoever measures; the clock is an argument."""

from collections.abc import Callable
from dataclasses import dataclass

POINT_S_MAX = 300.0
WHOLE_S_MAX = 3_480.0  # from when the command was given: the hour has to hold putting away and the page as well
LEAST_S = 10.0  # A point that has less is not begun: it would say nothing.
FEEDING_SHARE = 0.8  # of a point's time; the rest is for settling, asking and counting again


@dataclass(frozen=True, slots=True)
class Turn:
    """What a point may take: seconds in all, of those it would have if the hour had no end."""

    seconds: float
    seconds_max: float
    asking_s: float | None = None  # for settling and asking, where that is known

    @property
    def feeding_s(self) -> float:
        """Return when its feeding ends."""
        if self.asking_s is None:
            return FEEDING_SHARE * self.seconds
        return max(self.seconds / 2, self.seconds - self.asking_s)


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

    def turn(self, *, share: float = 1.0, waiting: int = 1, asking_s: float | None = None) -> Turn:
        """Return what the next point may take, no seconds if it is not to be begun.

        That is a share of a point's time, and no more than one of so many equal parts of what is left.
        """
        seconds_max = max(share * self.point_s_max, LEAST_S)
        seconds = min(seconds_max, self.left_s / waiting)
        return Turn(seconds if seconds >= LEAST_S else 0.0, seconds_max, asking_s)
