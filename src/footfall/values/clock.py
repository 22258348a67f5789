"""The only place that reads the wall clock."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the moment in whole milliseconds since 1970, UTC."""

    def now_ms(self) -> int:
        """Return the present moment."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        """Return the present moment."""
        return time.time_ns() // 1_000_000

    def now_us(self) -> int:
        """Return the present moment in microseconds, for what is told as exactly as that."""
        return time.time_ns() // 1_000


class SetClock:
    """A clock that moves only when it is told to, for simulations and tests."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        """Return the moment it was last set to."""
        return self._now_ms

    def set(self, now_ms: int) -> None:
        """Move to another moment, back or forth."""
        self._now_ms = now_ms

    def advance(self, by_ms: int) -> None:
        """Move by a length of time."""
        self._now_ms += by_ms
