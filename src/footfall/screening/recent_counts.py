"""How often something came lately, in memory that is bounded whatever comes."""

from collections import Counter
from collections.abc import Hashable


class RecentCounts:
    """Counts by key in windows of one length; when there is no more room, what came least is forgotten first.

    A window begins with what comes first after the one before, so nobody outside knows when.
    So a flood of keys that come once drives out others that came once, and never one that keeps coming.
    """

    def __init__(self, *, window_ms: int, entries_max: int) -> None:
        self._window_ms = window_ms
        self._entries_max = entries_max
        self._began_ms: int | None = None
        self._counts: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        return len(self._counts)

    def counts_at(self, now_ms: int) -> Counter[Hashable]:
        """Return the counts of this window, for whoever adds those of one record himself before asking again."""
        if self._began_ms is None or not 0 <= now_ms - self._began_ms < self._window_ms:
            self._began_ms = now_ms
            self._counts.clear()
        elif len(self._counts) > self._entries_max:
            self._forget_least()
        return self._counts

    def add(self, key: Hashable, *, now_ms: int, times: int = 1) -> int:
        """Count a key and return how often it has come in this window."""
        counts = self.counts_at(now_ms)
        count = counts[key] = counts.get(key, 0) + times
        return count

    def _forget_least(self) -> None:
        least = 1
        while len(self._counts) > self._entries_max // 2:
            self._counts = Counter({key: count for key, count in self._counts.items() if count > least})
            least *= 2
