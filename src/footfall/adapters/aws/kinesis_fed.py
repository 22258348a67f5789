"""The stream as an event source hands it over: what one event holds, numbered as every other reader numbers it.

A function is given records, it does not fetch them. What it was given before, because an event was delivered again or
another has counted it meanwhile, lies at or before the place that was resumed, and is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from footfall.adapters.aws.kinesis_calls import raw_from_event
from footfall.adapters.aws.kinesis_places import (
    Follower,
    KeepUnreadable,
    Place,
    RawRecord,
    bytes_from_place,
    place_from_bytes,
)
from footfall.adapters.aws.kinesis_shards import comes_after, partition_key_of
from footfall.ports.errors import Unavailable
from footfall.ports.stream import READ_RECORDS_MAX, Appended, Entry, NotKept, Record

MayEnter = Callable[[int, bytes, str], bool]  # our shard, the place where its reader stands, a later Kinesis shard


def raw_records_from_event(event: Mapping[str, Any]) -> list[RawRecord]:
    """Return the records of an event, in their order."""
    return [raw_from_event(record) for record in event["Records"]]


class FedStream:
    """A PlacedStream of what it is fed; it reads nothing by itself and never knows where the tip is."""

    def __init__(
        self, *, shards: int, may_enter: MayEnter | None = None, keep_unreadable: KeepUnreadable | None = None
    ) -> None:
        """Make it; `may_enter` is asked before a reader goes on to a Kinesis shard whose parents it has not ended.

        `keep_unreadable` is given each record under a key of ours that cannot be read, before it is passed over.
        """
        self._shards = shards
        self._may_enter = may_enter
        self._keep_unreadable = keep_unreadable
        self._keys = {partition_key_of(shard): shard for shard in range(shards)}
        self._fed: dict[int, _Fed] = {}
        self.strangers = 0  # records that were sent by somebody else, or are damaged

    @property
    def shards(self) -> int:
        """Return how many shards there are: ours, whatever Kinesis has."""
        return self._shards

    @property
    def sees_tip(self) -> bool:
        """Tell that the end of an event is not the end of the stream."""
        return False

    def feed(self, raws: Sequence[RawRecord]) -> list[int]:
        """Take what one event holds, in the place of the one before; return the shards that it is about.

        Where a shard stands has to be looked up after the event has come, and resumed when another was at work: an
        event begins where the store stands, so whoever stands before that would number its records wrongly.
        """
        of_shard: dict[int, list[RawRecord]] = {}
        for raw in raws:
            shard = self._keys.get(raw.partition_key)
            if shard is None:
                self.strangers += 1
            else:
                of_shard.setdefault(shard, []).append(raw)
        for fed in self._fed.values():
            fed.begin([])
        for shard, those in of_shard.items():
            self._of(shard).begin(those)
        return sorted(of_shard)

    def left(self, shard: int, place: bytes) -> int | None:
        """Return Kinesis' number of the first record that was fed and lies beyond a place; None when none does."""
        start = place_from_bytes(place) if place else Place()
        numbers = [raw.sequence for raw in self._of(shard).raws if _is_beyond(raw, start)]
        return min(numbers, default=None)

    def read(self, shard: int, *, after: int, limit: int = READ_RECORDS_MAX) -> list[Record]:
        """Return the records that follow a number; none at the end of the event."""
        return self._of(shard).read(after, min(limit, READ_RECORDS_MAX))

    def place(self, shard: int, *, through: int) -> bytes:
        """Return what has to be kept with a checkpoint that has counted through a record."""
        return bytes_from_place(self._of(shard).place(through))

    def resume(self, shard: int, place: bytes) -> None:
        """Go on from a kept place, with its numbers; what was fed is read again as far as it lies beyond."""
        fed = self._of(shard)
        fed.start = place_from_bytes(place) if place else Place()
        fed.begin(fed.raws)

    def tip(self, shard: int) -> int:
        """Return the last number of what was fed."""
        return self._of(shard).last()

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        """Refuse: an event is only read."""
        raise Unavailable(f"{len(entries)} entries cannot go into an event; append them to the stream itself")

    def sequence_at(self, shard: int, *, arrived_at_ms: int) -> int:
        """Refuse: an event holds no past."""
        raise Unavailable(f"an event does not know what of shard {shard} arrived at {arrived_at_ms}; ask the archive")

    def kept_since_ms(self) -> int:
        """Refuse: an event holds no past."""
        raise Unavailable("an event does not know since when records are kept; ask the archive")

    def mark(self, name: bytes) -> int:
        """Return 0: no mark was ever moved here."""
        del name
        return 0

    def appended(self) -> Mapping[str, int]:
        """Refuse: an event holds a part of the stream."""
        raise Unavailable("an event does not know what was ever appended; ask the ledger")

    def trim(self, shard: int, *, through: int) -> None:
        """Do nothing: Kinesis lets records go by their age alone."""

    def close(self) -> None:
        """Let go of what was fed."""
        self._fed.clear()

    def _of(self, shard: int) -> "_Fed":
        if shard not in self._fed:
            self._fed[shard] = _Fed(
                shard, shards=self._shards, may_enter=self._may_enter, keep_unreadable=self._unreadable
            )
        return self._fed[shard]

    def _unreadable(self, raw: RawRecord) -> None:
        if self._keep_unreadable is not None:
            self._keep_unreadable(raw)
        self.strangers += 1


class _Fed:
    """What one of our shards was fed, read as far as somebody asked."""

    def __init__(self, shard: int, *, shards: int, may_enter: MayEnter | None, keep_unreadable: KeepUnreadable) -> None:
        self._shard = shard
        self._shards = shards
        self._may_enter = may_enter
        self._keep_unreadable = keep_unreadable
        self.start = Place()
        self.raws: Sequence[RawRecord] = ()
        self._follower = self._at(self.start)
        self._ends: list[int] = []  # of the raw records that were taken: the last number given by then
        self._records: list[Record] = []

    def begin(self, raws: Sequence[RawRecord]) -> None:
        """Read these: on from where it stands, or from where it began when not all was read that it was fed before."""
        if raws is not self.raws and len(self._ends) == len(self.raws):
            self.start = self._follower.place
        self.raws = raws
        self._follower = self._at(self.start)
        self._ends = []
        self._records = []

    def read(self, after: int, limit: int) -> list[Record]:
        if after < self.start.through:
            raise NotKept(
                f"records up to {self.start.through} of shard {self._shard} came before this event, and {after + 1} "
                "was asked for: read it from the archive"
            )
        begin = after - self.start.through
        while len(self._records) < begin + limit and self._take_one():
            pass
        return [record for record in self._records if record.sequence > after][:limit]

    def place(self, through: int) -> Place:
        taken = sum(end <= through for end in self._ends)
        if taken == len(self._ends):
            return self._follower.place
        follower = Follower(self._shard, shards=self._shards, place=self.start)  # What it takes was taken before.
        for raw in self.raws[:taken]:
            follower.take(raw)
        return follower.place

    def last(self) -> int:
        while self._take_one():
            pass
        return self._follower.through

    def _take_one(self) -> bool:
        if len(self._ends) == len(self.raws):
            return False
        raw = self.raws[len(self._ends)]
        self._require_may_enter(raw)
        self._records.extend(self._follower.take(raw))
        self._ends.append(self._follower.through)
        return True

    def _require_may_enter(self, raw: RawRecord) -> None:
        """Refuse to pass over what a parent still holds: its records would be taken for old ones when they come."""
        stands = self._follower.kinesis_shard
        is_later = not stands or comes_after(raw.kinesis_shard, stands)
        if self._may_enter is None or stands == raw.kinesis_shard or not is_later:
            return
        if not self._may_enter(self._shard, bytes_from_place(self._follower.place), raw.kinesis_shard):
            raise Unavailable(
                f"{raw.kinesis_shard} of the stream follows a shard whose records have not all been counted; "
                "the event is delivered again when they are"
            )

    def _at(self, place: Place) -> Follower:
        return Follower(self._shard, shards=self._shards, place=place, keep_unreadable=self._keep_unreadable)


def _is_beyond(raw: RawRecord, place: Place) -> bool:
    if raw.kinesis_shard == place.kinesis_shard:
        return raw.sequence > place.kinesis_sequence
    return not place.kinesis_shard or comes_after(raw.kinesis_shard, place.kinesis_shard)
