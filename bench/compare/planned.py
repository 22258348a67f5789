"""What is measured, in which order: the main load of everybody first, so that a run that is cut short has a table."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.compare.points import Point, Size
from bench.compare.traffic import DAY_MS

HITS, ASSETS = 10_000_000, 100_000
LOAD, KILL, DAY, GROWTH = "load", "kill", "day", "growth"
HOUR_MS = 3_600_000
OLD_MS_MAX = 46 * HOUR_MS  # footfall is told to take hits of two days; the run itself takes an hour.


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of a run; all follow from the main load's, so that a small run is a small picture of the large one."""

    hits: int = HITS
    assets: int = ASSETS
    is_whole: bool = True  # or the main load alone

    @property
    def first(self) -> list[Size]:
        """Return what is measured of every peer, in turns."""
        main = Size(LOAD, self.hits, self.assets)
        if not self.is_whole:
            return [main]
        tenth = self.hits // 10
        growth = [Size(GROWTH, tenth, assets) for assets in (self.assets, self.assets // 10, self.assets * 10)]
        return [main, Size(KILL, max(tenth, 300_000), self.assets), Size(DAY, tenth, self.assets), *growth]

    @property
    def large(self) -> Size:
        """Return the size that only those begin who might come to its end."""
        return Size(GROWTH, self.hits * 10, self.assets)

    def steps(self, peers: Sequence[str]) -> Iterator[tuple[str, Size]]:
        """Yield what is measured without a condition, one size after another."""
        return ((peer, size) for size in self.first for peer in peers)


def large_s(main: Point, plan: Plan) -> float:
    """Return how long the large load would take at the rate of the main one."""
    return plan.large.hits * main.took_s / main.hits if main.hits else float("inf")


def day_starts_ms(folder: Path) -> int:
    """Return when the day's traffic begins: as it was told before, while that can still be sent, or a day ago."""
    told, now_ms = folder / "day", int(time.time() * 1_000)
    if told.exists():
        start = int(told.read_text(encoding="ascii"))
        if now_ms - start < OLD_MS_MAX:
            return start
    folder.mkdir(parents=True, exist_ok=True)
    start = now_ms - now_ms % HOUR_MS - DAY_MS
    told.write_text(str(start), encoding="ascii")
    return start
