"""How many hits are on their way that no shard has read, where no stream counts them: an estimate.

A checkpoint says up to which arrival a shard has read, and how many hits of each brand it has handled by then. Two of
them, one after the other, give the rate at which the brand's hits came; it is taken to have gone on since. A shard
that read to the end and found nothing has the rate nought, so what is drained is drained exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from footfall.flow.store.checkpoints import LINES, Checkpoint, Lines

BRANDS_MAX = 10_000  # of one shard; two whole numbers each


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a shard had read, and how many hits of each brand it had handled by then."""

    read_to_ms: int
    handled: Mapping[str, int]


class InFlight:
    """The last two readings of every shard."""

    def __init__(self, *, passed_ms: int) -> None:
        self._passed_ms = passed_ms  # What a shard waits for stragglers: it has read so much further than it passed.
        self._last: dict[int, Reading] = {}
        self._before: dict[int, Reading] = {}

    def take(self, checkpoints: Mapping[int, Checkpoint]) -> None:
        """Take note of how far the shards are now."""
        for shard, checkpoint in checkpoints.items():
            if not checkpoint.passed_ms:
                continue  # It has never read anything.
            last = self._last.get(shard)
            read_to_ms = checkpoint.passed_ms + self._passed_ms
            if last is not None and read_to_ms <= last.read_to_ms:
                continue
            brands = list(checkpoint.lines.items())[:BRANDS_MAX]
            if last is not None:
                self._before[shard] = last
            self._last[shard] = Reading(read_to_ms, {brand: _handled(lines) for brand, lines in brands})

    def of(self, brand: str, *, now_ms: int) -> int:
        """Return the estimate for a brand; 0 while only one reading is known, and when the last one found nothing."""
        return round(sum(self._of_shard(shard, brand, now_ms) for shard in self._before))

    def _of_shard(self, shard: int, brand: str, now_ms: int) -> float:
        before, last = self._before[shard], self._last[shard]
        hits = last.handled.get(brand, 0) - before.handled.get(brand, 0)
        unread_ms = now_ms - last.read_to_ms
        # What was set aside and is counted after all may take a line back.
        return max(0, hits) / (last.read_to_ms - before.read_to_ms) * max(0, unread_ms)


def _handled(lines: Lines) -> int:
    return sum(getattr(lines, line) for line in LINES) + lines.screened.total()
