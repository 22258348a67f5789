"""Raw hits by their minutes of arrival, all shards side by side: for whoever reads at a pace of its own, and again."""

from collections import deque
from collections.abc import Iterator

from footfall.flow.stream.raw import RawHits
from footfall.ports.stream import Record

READ_RECORDS = 500  # at once: some 10 MB of usual batches


class Minutes:
    """The records of one brand, or of all where raw hits of all brands lie together, up to one moment after another."""

    def __init__(self, raw: RawHits, *, brand: str, shards: int) -> None:
        self._raw = raw
        self.brand = brand
        self._ahead: list[deque[Record]] = [deque() for _ in range(shards)]
        self._after = [0] * shards  # what was handed out
        self._read = [0] * shards  # what was read, so that some of it may lie ahead
        self._from_ms = 0

    def begin(self, *, from_ms: int) -> None:
        """Go on with what arrived at or after a moment."""
        self._from_ms = from_ms
        for shard, ahead in enumerate(self._ahead):
            ahead.clear()
            self._after[shard] = self._read[shard] = self._raw.first(self.brand, shard, arrived_at_ms=from_ms)

    def until(self, end_ms: int) -> Iterator[Record]:
        """Yield what arrived before a moment, as far as it is there: shard by shard, each in its order."""
        for shard, ahead in enumerate(self._ahead):
            while self._has_more(shard):
                while ahead and ahead[0].arrived_at_ms < end_ms:
                    record = ahead.popleft()
                    self._after[shard] = record.sequence
                    if record.arrived_at_ms >= self._from_ms:
                        yield record
                if ahead:
                    break

    def through(self) -> dict[int, int]:
        """Return the last record of each shard that was handed out."""
        return dict(enumerate(self._after))

    def _has_more(self, shard: int) -> bool:
        """Tell whether there is a record to look at, and read on where there is none at hand."""
        ahead = self._ahead[shard]
        if not ahead:
            ahead.extend(self._raw.read(self.brand, shard, after=self._read[shard], limit=READ_RECORDS))
            if ahead:
                self._read[shard] = ahead[-1].sequence
        return bool(ahead)
