"""What is measured, in which order: the main load of everybody first, so that a run that is cut short has a table.

Then our own large load, the kills, and a day as large as the main load. Main loads that decide who is first are
measured a second time then, and what is small of everybody follows. Our large load has keys, which are what history
could make dearer, and the small ones have none. The large loads of the others come last: those that come to their end
first, and the rest share what is left.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.compare.budget import LEAST_S
from bench.compare.peers import FOOTFALL_KEYED, ONE_SIZE
from bench.compare.points import Point, Size
from bench.compare.traffic import DAY_MS

HITS, ASSETS = 10_000_000, 100_000
LOAD, SECOND, KILL, DAY, GROWTH = "load", "second", "kill", "day", "growth"
KILLS = 3
HOUR_MS = 3_600_000
OLD_MS_MAX = 46 * HOUR_MS  # footfall is told to take hits of two days; the run itself takes an hour.


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of a run; all follow from the main load's, so that a small run is a small picture of the large one."""

    hits: int = HITS
    assets: int = ASSETS
    is_whole: bool = True  # or the main load alone

    @property
    def main(self) -> Size:
        """Return the size of the main load."""
        return Size(LOAD, self.hits, self.assets)

    @property
    def second(self) -> Size:
        """Return the size of the main load when it is measured again."""
        return Size(SECOND, self.hits, self.assets)

    @property
    def kill(self) -> Size:
        """Return the size of the load that is killed."""
        return Size(KILL, max(self.hits // 10, 300_000), self.assets)

    @property
    def day(self) -> Size:
        """Return the size of a day: it has as many hits as the main load."""
        return Size(DAY, self.hits, self.assets)

    @property
    def small(self) -> list[Size]:
        """Return what is a tenth of the main load, one size after another."""
        tenth = self.hits // 10
        return [Size(GROWTH, tenth, assets) for assets in (self.assets, self.assets // 10, self.assets * 10)]

    @property
    def large(self) -> Size:
        """Return the size that takes most of the hour."""
        return Size(GROWTH, self.hits * 10, self.assets)

    def steps(self, peers: Sequence[str]) -> Iterator[tuple[str, Size]]:
        """Yield what is measured before main loads are measured again, in its order."""
        yield from ((peer, self.main) for peer in peers)
        if self.is_whole:
            yield from ((peer, self.large) for peer in peers if peer == FOOTFALL_KEYED)
            yield from ((peer, size) for size in (self.kill, self.day) for peer in peers)
            growing = [peer for peer in peers if peer not in (FOOTFALL_KEYED, *ONE_SIZE)]
            yield from ((peer, size) for size in self.small for peer in growing)

    @property
    def sizes(self) -> list[Size]:
        """Return every size that is measured of anybody."""
        return [self.main, self.second, self.kill, self.day, *self.small, self.large] if self.is_whole else [self.main]


def large_s(main: Point, plan: Plan) -> float:
    """Return how long the large load would take at the rate of the main one."""
    return plan.large.hits * main.took_s / main.hits if main.hits else float("inf")


def asking_s(main: Point) -> float:
    """Return how long the main point took beside its load: to be asked, which does not grow with hits, and to end."""
    return max(LEAST_S, main.whole_s - main.took_s)


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
