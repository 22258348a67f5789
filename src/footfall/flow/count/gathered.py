"""What is counted of a place when its hits come in many parts, as a range that is read again does.

Hits that came by the numbers of their keys stay numbers, and no key is made a tuple of texts for them. They wait in a
row until they take more than the sums that they would be added to. As soon as others come, all are counted by key.
"""

from collections import Counter
from collections.abc import Mapping

from footfall.flow.count.place_tally import BYTES_PER_ROW
from footfall.flow.store.columns import CountKey
from footfall.flow.store.known_keys import CountedKeys, KnownKeys, SummedKeys

WAITING_BYTES_MIN = 100_000  # Fewer numbers take less than a look at all keys that are known.


class Gathered:
    """The hits of one place, in the order of their coming."""

    __slots__ = ("_by_key", "_known", "_laid", "_laid_bytes", "_summed")

    def __init__(self) -> None:
        self._by_key: Counter[CountKey] = Counter()
        self._known: KnownKeys | None = None  # whose numbers those below are
        self._laid: list[bytes] = []
        self._laid_bytes = 0
        self._summed: SummedKeys | None = None

    @property
    def rows(self) -> int:
        """Return how much is in hand, in rows of hits."""
        summed = 0 if self._summed is None else self._summed.rows
        return len(self._by_key) + summed + self._laid_bytes // BYTES_PER_ROW

    def add(self, counts: Mapping[CountKey, int]) -> None:
        """Add what follows."""
        if isinstance(counts, CountedKeys) and not self._by_key and self._known in (None, counts.known):
            self._known = counts.known
            self._laid.append(counts.laid)
            self._laid_bytes += len(counts.laid)
            if self._laid_bytes > max(WAITING_BYTES_MIN, BYTES_PER_ROW * self.rows // 4):
                self._add_up(counts.known)
        elif counts:
            if self._known is not None:
                self._by_key.update(self.counts())
                self._known, self._summed, self._laid, self._laid_bytes = None, None, [], 0
            self._by_key.update(counts)

    def counts(self) -> Mapping[CountKey, int]:
        """Return how many hits there were of each key."""
        if self._known is None:
            return self._by_key
        if self._summed is None:
            return CountedKeys(self._known, b"".join(self._laid))
        return self._add_up(self._known)

    def _add_up(self, known: KnownKeys) -> SummedKeys:
        if self._summed is None:
            self._summed = SummedKeys(known)
        if self._laid:
            self._summed.add(b"".join(self._laid))
            self._laid, self._laid_bytes = [], 0
        return self._summed
