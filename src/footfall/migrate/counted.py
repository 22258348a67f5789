"""What a client of both sides counts: where it read and wrote, how long it was held up, what it found to differ."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)  # of the histogram; what is longer is in the last
DIFFERENCES_MAX = 100  # that are kept to be looked at; all are counted


@dataclass(slots=True)
class Counted:
    """Counts of one client. One thread counts; another may look."""

    events: Counter[str] = field(default_factory=Counter[str])
    blocked_ms: Counter[int] = field(default_factory=Counter[int])  # how often, by the bound that it was not above
    differences: dict[str, str] = field(default_factory=dict[str, str])  # what differed, by key

    def count(self, event: str) -> None:
        """Count something that happened."""
        self.events[event] += 1

    def was_blocked(self, ms: int) -> None:
        """Count how long a write was held up by a handover."""
        self.blocked_ms[next((bound for bound in BOUNDS_MS if ms <= bound), BOUNDS_MS[-1])] += 1

    def differed(self, key: str, told: str) -> None:
        """Count that both sides were asked, and one of them was wrong."""
        self.events["differences"] += 1
        if len(self.differences) < DIFFERENCES_MAX:
            self.differences[key] = told

    def document(self) -> Mapping[str, object]:
        """Return the counts as JSON has them."""
        return {
            **dict(sorted(self.events.items())),
            "blockedMs": {str(bound): times for bound, times in sorted(self.blocked_ms.items())},
            "differing": dict(self.differences),
        }
