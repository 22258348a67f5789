"""What a table was asked and what it refused, second by second and partition by partition.

AWS's own figures come minutes late and do not name the key; these are there at once.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

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
    """Keeps the last two minutes, and totals since the start."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seconds: deque[tuple[int, dict[str, Spent]]] = deque(maxlen=KEPT_SECONDS)
        self.total = Spent()
        self.attempts = 0

    def attempted(self, items: int = 1) -> None:
        """Count items that were sent, each time they were."""
        self.attempts += items

    def add(self, partition: str, spent: Spent) -> None:
        """Count units of one partition, now."""
        self.total = self.total.plus(spent)
        second_ms = self._clock.now_ms() // 1_000 * 1_000
        if not self._seconds or self._seconds[-1][0] != second_ms:
            self._seconds.append((second_ms, {}))
        partitions = self._seconds[-1][1]
        name = partition if partition in partitions or len(partitions) < PARTITIONS_MAX else OTHER_PARTITIONS
        partitions[name] = partitions.get(name, Spent()).plus(spent)

    def seconds(self) -> list[Second]:
        """Return the seconds in which something happened, oldest first."""
        return [Second(at_ms, dict(partitions)) for at_ms, partitions in self._seconds]

    def hottest(self, count: int) -> list[tuple[str, Spent]]:
        """Return the partitions with the most units in the time that is kept, refused ones first of all."""
        totals: dict[str, Spent] = {}
        for _, partitions in self._seconds:
            for name, spent in partitions.items():
                totals[name] = totals.get(name, Spent()).plus(spent)
        ordered = sorted(totals.items(), key=lambda one: (-one[1].refused, -one[1].written - one[1].read, one[0]))
        return ordered[:count]
