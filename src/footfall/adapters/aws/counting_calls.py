"""What a table was asked and what it refused, second by second and partition by partition.

AWS's own figures come minutes late and do not name the key; these are there at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

from footfall.values.clock import Clock

KEPT_SECONDS = 120  # Two scrapes of a minute.
PARTITIONS_MAX = 1_000  # In a second; beyond them units are counted for no partition by name.
OTHER_PARTITIONS = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """Units of one second, or of one partition in it."""

    read: float = 0.0
    written: float = 0.0
    refused: float = 0.0

    def plus(self, other: "Spent") -> "Spent":
        """Return both together."""
        return Spent(self.read + other.read, self.written + other.written, self.refused + other.refused)


@dataclass(frozen=True, slots=True)
class Second:
    """What happened in one second."""

    starts_at_ms: int
    partitions: Mapping[str, Spent]

    @property
    def total(self) -> Spent:
        """All partitions together."""
        total = Spent()
        for spent in self.partitions.values():
            total = total.plus(spent)
        return total


class CountedCalls:
    """Keeps the last two minutes, and totals since the start; may be read while others count."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seconds: dict[int, dict[str, Spent]] = {}
        self._counting = Lock()
        self.total = Spent()
        self.attempts = 0
        self.reads = 0

    def asked(self) -> None:
        """Count a request of reading, each time it is sent: one page that is asked of a table may take several."""
        self.reads += 1

    def attempted(self, items: int = 1) -> None:
        """Count items that were sent, each time they were."""
        self.attempts += items

    def add(self, partition: str, spent: Spent) -> None:
        """Count units of one partition, now."""
        with self._counting:
            self._add(self._clock.now_ms() // 1_000 * 1_000, partition, spent)

    def take_over(self, seconds: Iterable[Second]) -> None:
        """Count what another process has counted."""
        with self._counting:
            for second in seconds:
                for partition, spent in second.partitions.items():
                    self._add(second.starts_at_ms, partition, spent)

    def hand_over(self) -> list[Second]:
        """Return what was counted since this was last asked, for another to keep it; only the totals stay."""
        with self._counting:
            handed = [Second(at_ms, partitions) for at_ms, partitions in sorted(self._seconds.items())]
            self._seconds = {}
        return handed

    def seconds(self) -> list[Second]:
        """Return the seconds of the last two minutes in which something happened, oldest first."""
        since_ms = self._clock.now_ms() - KEPT_SECONDS * 1_000
        with self._counting:
            kept = sorted((at_ms, dict(partitions)) for at_ms, partitions in self._seconds.items() if at_ms >= since_ms)
        return [Second(at_ms, partitions) for at_ms, partitions in kept]

    def last_second(self) -> Second:
        """Return the last second that is over, in which nothing may have happened."""
        at_ms = self._clock.now_ms() // 1_000 * 1_000 - 1_000
        with self._counting:
            return Second(at_ms, dict(self._seconds.get(at_ms, {})))

    def hottest(self, count: int) -> list[tuple[str, Spent]]:
        """Return the partitions with the most units in the time that is kept, refused ones first of all."""
        totals: dict[str, Spent] = {}
        for second in self.seconds():
            for name, spent in second.partitions.items():
                totals[name] = totals.get(name, Spent()).plus(spent)
        ordered = sorted(totals.items(), key=lambda one: (-one[1].refused, -one[1].written - one[1].read, one[0]))
        return ordered[:count]

    def _add(self, second_ms: int, partition: str, spent: Spent) -> None:
        self.total = self.total.plus(spent)
        if second_ms not in self._seconds:
            while len(self._seconds) >= KEPT_SECONDS:
                del self._seconds[min(self._seconds)]
            self._seconds[second_ms] = {}
        partitions = self._seconds[second_ms]
        name = partition if partition in partitions or len(partitions) < PARTITIONS_MAX else OTHER_PARTITIONS
        partitions[name] = partitions.get(name, Spent()).plus(spent)
