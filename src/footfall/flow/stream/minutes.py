"""Raw hits by their minutes of arrival, all shards side by side: for whoever reads at a pace of its own, and again."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from footfall.flow.stream.raw import RawHits
from footfall.ports.stream import Record

ALL = ""  # in the place of a brand, where raw hits of all of them lie together
READ_RECORDS = 200  # at once: some 4 MB of usual batches


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


class Sources:
    """All that is read side by side; brands may come and go where each has raw hits of its own."""

    def __init__(self, raw: RawHits, *, shards: int, brands: Callable[[], Iterable[str]]) -> None:
        self._raw = raw
        self._shards = shards
        self._brands = brands
        self._known: dict[str, Minutes] = {}
        self._from_ms = 0

    def begin(self, *, from_ms: int) -> None:
        """Go on with what arrived at or after a moment, of every brand."""
        self._from_ms = from_ms
        self._known.clear()

    def present(self) -> list[Minutes]:
        """Return what there is to read now; one that comes to it is read from that moment on."""
        found: list[Minutes] = []
        for brand in self._brands():
            minutes = self._known.get(brand)
            if minutes is None:
                minutes = self._known[brand] = Minutes(self._raw, brand=brand, shards=self._shards)
                minutes.begin(from_ms=self._from_ms)
            found.append(minutes)
        return found

    def through(self, brand: str) -> dict[int, int]:
        """Return the last record of each shard that was handed out, of a brand."""
        minutes = self._known.get(brand) or self._known.get(ALL)
        return {} if minutes is None else minutes.through()
