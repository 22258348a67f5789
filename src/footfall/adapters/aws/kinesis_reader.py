"""The reader of one of our shards: along the line of Kinesis shards that held it, forth and a little back."""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Sequence
from operator import attrgetter

from footfall.adapters.aws.kinesis_pages import Pages
from footfall.adapters.aws.kinesis_places import Follower, KeepUnreadable, Place, RawRecord
from footfall.adapters.aws.kinesis_shards import KinesisShard, first_holding, hash_key_of, next_holding
from footfall.ports.errors import Unavailable
from footfall.ports.stream import NotKept, Record

PLACES_MAX = 128  # Each may hold some ten kilobytes of whom it has heard.
READ_BYTES_MAX = 16_000_000  # Unpacked; more of a long backlog comes with the next read.
WINDOW_RECORDS_MAX = 20_000  # What is kept unpacked, so that a reader that takes little at a time unpacks once.
WINDOW_BYTES_MAX = 2 * READ_BYTES_MAX

_number_of = attrgetter("sequence")


class ShardReader:
    """Reads one shard from a place on; what lies before that place is not to be had here."""

    def __init__(
        self,
        shard: int,
        *,
        shards: int,
        pages: Pages,
        lineage: Callable[[], Sequence[KinesisShard]],
        start: Place,
        keep_unreadable: KeepUnreadable | None = None,
    ) -> None:
        self._shard = shard
        self._shards = shards
        self._hash_key = hash_key_of(shard, shards=shards)
        self._pages = pages
        self._lineage = lineage
        self._places = [start]  # where it can go back to, in their order
        self._keep_unreadable = keep_unreadable
        self._follower = self._at(start)
        self._raw: deque[RawRecord] = deque()
        self._window: list[Record] = []  # unpacked, one after another
        self._window_after = start.through  # the number before the first of them
        self._window_bytes = 0
        self._weighed = start.through
        self.weights: Counter[str] = Counter()  # of all that was read since the start, by group
        self.doubled = 0
        self.strangers = 0

    def read(self, after: int, limit: int) -> list[Record]:
        """Return records that follow a number; none only at the tip."""
        self._require_kept(after)
        if after < self._window_after:
            self._go_back(after)
        self._drop(after)
        while True:
            begin = bisect_right(self._window, after, key=_number_of)
            if len(self._window) - begin >= limit or self._is_enough(begin):
                break
            if not self._advance(after):
                break
        return self._window[begin : begin + limit]

    def reaches(self, kinesis_shard: str) -> bool:
        """Tell whether it comes to a Kinesis shard without meeting a record of ours before."""
        begins = self._follower.through
        while self._follower.kinesis_shard != kinesis_shard:
            if not self._advance(begins) or self._follower.through > begins:
                return False
        return True

    def tip(self) -> int:
        """Read all there is and return the last number."""
        while self._advance(self._follower.through):
            pass
        return self._follower.through

    def number_at(self, arrived_at_ms: int) -> int:
        """Return a number below every record that arrived at or after the moment."""
        tip = self.tip()
        before = [place for place in self._places if place.arrived_to_ms < arrived_at_ms]
        if not before:
            return self._places[0].through
        number = before[-1].through
        while number < tip:
            for record in self.read(number, 1_000):
                if record.arrived_at_ms >= arrived_at_ms:
                    return record.sequence - 1
                number = record.sequence
        return number

    def place(self, through: int) -> Place:
        """Return the last place from which the record after a number can be read."""
        self._require_kept(through)
        self._note_place()
        return self._places[bisect_right(self._places, through, key=_through_of) - 1]

    def behind_ms(self) -> int:
        """Return how old the oldest record is that Kinesis has and this has not fetched; 0 at the tip."""
        return self._pages.behind_ms.get(self._follower.kinesis_shard, 0)

    def _advance(self, needed_after: int) -> bool:
        """Unpack one more Kinesis record or fetch some; return False at the tip."""
        if self._raw:
            self._take(self._raw[0], needed_after)
            self._raw.popleft()  # Only now: one that cannot be taken is met again, and not passed over.
            return True
        if not self._follower.kinesis_shard:
            self._follower.enter(first_holding(self._lineage(), self._hash_key).name)
        self._note_place()
        try:
            page = self._pages.after(self._follower.kinesis_shard, self._follower.kinesis_sequence)
        except Unavailable:
            if any(one.name == self._follower.kinesis_shard for one in self._lineage()):
                raise
            self._enter_next()  # It had ended, and Kinesis has let it go since.
            return True
        self._raw.extend(page.records)
        if page.is_end:
            self._enter_next()
        return not page.is_tip

    def _take(self, raw: RawRecord, needed_after: int) -> None:
        doubled, strangers = self._follower.doubled, self._follower.strangers
        records = self._follower.take(raw)
        if self._follower.through >= self._weighed:
            self.doubled += self._follower.doubled - doubled
            self.strangers += self._follower.strangers - strangers
        for record in records:
            if record.sequence > self._weighed:
                self.weights[record.group] += record.weight
        self._weighed = max(self._weighed, self._follower.through)
        self._window.extend(records)
        self._window_bytes += sum(len(record.data) for record in records)
        self._drop(needed_after)

    def _drop(self, through: int) -> None:
        """Let go of what was read before, when it is much."""
        if len(self._window) > WINDOW_RECORDS_MAX or self._window_bytes > WINDOW_BYTES_MAX:
            begin = bisect_right(self._window, through, key=_number_of)
            if begin:
                self._window_after = self._window[begin - 1].sequence
                self._window_bytes -= sum(len(record.data) for record in self._window[:begin])
                del self._window[:begin]

    def _is_enough(self, begin: int) -> bool:
        if self._window_bytes < READ_BYTES_MAX:
            return False
        return sum(len(record.data) for record in self._window[begin:]) >= READ_BYTES_MAX

    def _enter_next(self) -> None:
        left = self._follower.kinesis_shard
        child = next_holding(self._lineage(), left, self._hash_key)
        if child is None:
            raise Unavailable(f"{left} of the stream has ended and nobody has taken over its hash keys yet; try again")
        self._follower.enter(child.name)

    def _go_back(self, after: int) -> None:
        """Read again from a place that was noted before."""
        place = self._places[bisect_right(self._places, after, key=_through_of) - 1]
        self._follower = self._at(place)
        self._raw.clear()
        self._window = []
        self._window_after = place.through
        self._window_bytes = 0

    def _at(self, place: Place) -> Follower:
        return Follower(self._shard, shards=self._shards, place=place, keep_unreadable=self._keep_unreadable)

    def _note_place(self) -> None:
        """Remember a place between two pages; of many, every second one of the older is forgotten."""
        last = self._places[-1]
        if self._raw or self._follower.through < last.through:
            return
        here = (self._follower.kinesis_shard, self._follower.kinesis_sequence)
        if here == (last.kinesis_shard, last.kinesis_sequence):
            return
        if self._follower.through == last.through and len(self._places) > 1:
            self._places.pop()  # Nothing of ours came in between; the later place saves reading that again.
        self._places.append(self._follower.place)
        if len(self._places) > PLACES_MAX:
            del self._places[1 : PLACES_MAX // 2 : 2]

    def _require_kept(self, after: int) -> None:
        first = self._places[0].through
        if after < first:
            raise NotKept(
                f"records up to {first} of shard {self._shard} were read before this stream was opened, and "
                f"{after + 1} was asked for: read it from the archive"
            )


def _through_of(place: Place) -> int:
    return place.through
