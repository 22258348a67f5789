"""How fast a writer may write to a table that throttles: it finds the table's speed and stays a little under it.

Additive increase, multiplicative decrease: what is refused makes the whole writer slower, so that refused
writes are not tried again on top of each other.
"""

from collections import deque

from footfall.values.clock import Clock

CUT = 0.8  # After a refusal: enough room for the table to catch up, little time lost.
GROWTH_PER_S = 0.03  # Of the rate after the last cut: from one cut to the next takes some eight seconds.
HOLD_MS = 500  # Refusals closer than this are one event.
WINDOW_MS = 1_000
CALM_MS = 10_000  # So long without a refusal: the table has more than it seemed, so look for it faster.
CALM_GROWTH_PER_S = 0.2
UNITS_PER_S_MIN = 1.0  # A table's smallest provision; slower would never find out that it has more.
UNITS_PER_S_FIRST = 5.0  # When it refused before it took anything.


class Pace:
    """Gives each write its turn; there is no limit until the first refusal."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rate: float | None = None  # Units per second.
        self._growth = 0.0
        self._next_at_ms = 0.0
        self._cut_at_ms = 0.0
        self._grown_at_ms = 0.0
        self._taken: deque[tuple[int, float]] = deque()

    @property
    def units_per_s(self) -> float | None:
        """The present limit; None when the table has refused nothing so far."""
        return self._rate

    def wait_ms(self, units: float) -> float:
        """Return how long to wait before writing so many units, and take the turn."""
        if self._rate is None:
            return 0.0
        now_ms = self._clock.now_ms()
        growth = self._growth if now_ms - self._cut_at_ms < CALM_MS else self._rate * CALM_GROWTH_PER_S
        self._rate += growth * min(1.0, (now_ms - self._grown_at_ms) / 1_000)
        self._grown_at_ms = now_ms
        starts_at_ms = max(now_ms, self._next_at_ms)
        self._next_at_ms = starts_at_ms + 1_000 * units / self._rate
        return starts_at_ms - now_ms

    def portion(self, units: float) -> float:
        """Return how many of the units to write in one call: no more than half a second's worth."""
        return units if self._rate is None else max(1.0, min(units, self._rate / 2))

    def took(self, units: float) -> None:
        """Note what the table has taken."""
        now_ms = self._clock.now_ms()
        self._taken.append((now_ms, units))
        while self._taken[0][0] <= now_ms - WINDOW_MS:
            self._taken.popleft()

    def refused(self) -> None:
        """Note a refusal, and be slower from now on."""
        now_ms = self._clock.now_ms()
        if self._rate is not None and now_ms - self._cut_at_ms < HOLD_MS:
            return
        seen = sum(units for at_ms, units in self._taken if at_ms > now_ms - WINDOW_MS) * 1_000 / WINDOW_MS
        fastest = (seen or UNITS_PER_S_FIRST) if self._rate is None else self._rate
        self._rate = max(UNITS_PER_S_MIN, fastest * CUT)
        self._growth = self._rate * GROWTH_PER_S
        self._cut_at_ms = self._grown_at_ms = now_ms
        self._next_at_ms = max(self._next_at_ms, now_ms + 1_000 / self._rate)
