"""How long to wait before a call to AWS is made again: full jitter under a cap, so that callers never march in step."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeVar

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often a call is made, and how the longest wait before the next one grows."""

    first_ms: int = 50
    cap_ms: int = 5_000
    attempts_max: int = 8  # Half of the waits' bounds: some 5 seconds in all, then the caller has to know.

    def waits_ms(self, chance: Random) -> Iterator[float]:
        """Yield how long to wait after each attempt that failed, none after the last."""
        for attempt in range(self.attempts_max - 1):
            yield chance.uniform(0, min(self.cap_ms, self.first_ms * 2**attempt))


def retried(
    call: Callable[[], Given],
    *,
    passing: tuple[type[Exception], ...],
    waits_ms: Iterator[float],
    pause: Callable[[float], None],
) -> Given:
    """Return what the call gives, calling again after errors that pass; the last one is the caller's."""
    while True:
        try:
            return call()
        except passing:
            wait_ms = next(waits_ms, None)
            if wait_ms is None:
                raise
        pause(wait_ms / 1_000)
