"""How fast entities are moved: as fast as nobody notices, by additive increase and multiplicative decrease.

Any one sign cuts the pace: the source answers slower than it did while nothing was moved, or the target asks to wait.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import median

from footfall.values.clock import Clock

LATENCIES_KEPT = 5  # One slow answer is chance, most of five are not.
BASELINE_LATENCIES = 20  # that are asked for before anything is moved


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which paces it moves, and by how much at a time; entities a second."""

    lowest: float = 5.0
    highest: float = 5_000.0
    first: float = 200.0
    step: float = 50.0  # that is added for each look at the source which is fine
    cut: float = 0.5  # that is left of the pace after one which is not
    slower: float = 1.25  # times the quiet latency that are still fine ...
    slower_ms: float = 1.0  # ... and what is added, since small reads vary by so much

    def __post_init__(self) -> None:
        assert 0 < self.lowest <= self.first <= self.highest
        assert 0 < self.cut < 1
        assert self.step > 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How many entities a second are moved, and how fast the source answered while nothing was moved."""

    per_second: float
    quiet_ms: float
    cuts: int = 0


def is_slow(pace: Pace, latency_ms: float, *, bounds: Bounds) -> bool:
    """Tell whether the source answers slower than it may."""
    return latency_ms > pace.quiet_ms * bounds.slower + bounds.slower_ms


def faster(pace: Pace, *, bounds: Bounds) -> Pace:
    """Return the pace after a look that was fine."""
    return replace(pace, per_second=min(bounds.highest, pace.per_second + bounds.step))


def slowed(pace: Pace, *, bounds: Bounds) -> Pace:
    """Return the pace after a sign that it is too fast."""
    return replace(pace, per_second=max(bounds.lowest, pace.per_second * bounds.cut), cuts=pace.cuts + 1)


def quiet_pace(latency_ms: Callable[[], float], *, bounds: Bounds) -> Pace:
    """Return the pace to begin with, having asked how fast the source answers while nothing is moved."""
    return Pace(bounds.first, median(latency_ms() for _ in range(BASELINE_LATENCIES)))


@dataclass(slots=True)
class Pacer:
    """Makes whoever moves wait, and changes its pace by what it is told."""

    pace: Pace
    clock: Clock
    pause: Callable[[float], None]  # for seconds
    bounds: Bounds = field(default_factory=Bounds)
    _next_at_ms: float = 0.0
    _latencies: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES_KEPT))

    def wait_for(self, entities: int) -> None:
        """Wait until so many more may be moved; the first are moved at once."""
        now_ms = self.clock.now_ms()
        if self._next_at_ms > now_ms:
            self.pause((self._next_at_ms - now_ms) / 1_000)
        begun_ms = max(float(now_ms), self._next_at_ms)
        self._next_at_ms = begun_ms + entities * 1_000 / self.pace.per_second

    def look(self, latency_ms: float) -> None:
        """Take how long a small read of the source took just now."""
        self._latencies.append(latency_ms)
        if is_slow(self.pace, median(self._latencies), bounds=self.bounds):
            self.pace = slowed(self.pace, bounds=self.bounds)
            self._latencies.clear()  # What follows is of the new pace.
        else:
            self.pace = faster(self.pace, bounds=self.bounds)

    def throttled(self) -> None:
        """Take that the target asked to wait."""
        self.pace = slowed(self.pace, bounds=self.bounds)
