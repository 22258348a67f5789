"""How long to measure and where to put what a measurement needs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.results import Row

SECONDS = 15  # Long enough for a few hundred commits and some thirty flushes.


@dataclass(frozen=True, slots=True)
class Plan:
    """One run of a benchmark: the length of each load, and a directory that goes away afterwards."""

    directory: Path
    seconds: int = SECONDS

    def scaled(self, full: int) -> int:
        """Return an amount that a full run has whole and a shorter one in proportion."""
        return max(1, full * min(self.seconds, SECONDS) // SECONDS)


Bench = Callable[[Plan], list[Row]]
