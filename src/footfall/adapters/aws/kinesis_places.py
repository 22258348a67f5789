"""How far a shard has been read on Kinesis: the numbers it has given, and whom it has heard.

Kinesis' own numbers have 56 digits, and nothing of ours could hold them; its shards come and go. So records get the
numbers 1, 2, 3 by being read, which gives the same numbers to every reader that goes on from the same place. A place
is kept with each checkpoint. It also says which record each sender has come to, so that one sent twice is read once.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from footfall.adapters.aws.kinesis_records import PRODUCER_BYTES, Header, header_from_data, records_from_data
from footfall.adapters.aws.kinesis_shards import comes_after, partition_key_of
from footfall.ports.errors import Corrupt, Unavailable
from footfall.ports.stream import Record

VERSION = 1
HEARD_S_MAX = 1_200  # A signed request is good for 15 minutes, so a repeat cannot come later; five for the clocks.
PRODUCERS_MAX = 8_192  # About 12 bytes each: 100 KB of the 400 that a checkpoint's item may have.


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record as Kinesis gives it."""

    kinesis_shard: str
    sequence: int
    partition_key: str
    data: bytes
    arrived_at_ms: int  # at Kinesis, by its clock; the same whoever reads it


KeepUnreadable = Callable[[RawRecord], None]  # Keeps a record of ours that cannot be read, before it is passed over.


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader of one of our shards stands, between two Kinesis records."""

    through: int = 0
    kinesis_shard: str = ""  # empty: before the first
    kinesis_sequence: int = 0  # 0: before the first of the shard
    arrived_to_ms: int = 0  # the latest arrival so far, by our own clocks
    heard: bytes = b""


class _StoredPlace(msgspec.Struct, array_like=True, frozen=True):
    version: int
    through: int
    kinesis_shard: str
    kinesis_sequence: str
    arrived_to_ms: int
    heard: bytes


def bytes_from_place(place: Place) -> bytes:
    """Return the place as it is kept."""
    return msgspec.msgpack.encode(
        _StoredPlace(
            VERSION,
            place.through,
            place.kinesis_shard,
            str(place.kinesis_sequence),
            place.arrived_to_ms,
            place.heard,
        )
    )


def place_from_bytes(data: bytes) -> Place:
    """Return a place that was kept; raise Corrupt when it is not one."""
    try:
        stored = msgspec.msgpack.decode(data, type=_StoredPlace)
        sequence = int(stored.kinesis_sequence)
    except (msgspec.MsgspecError, ValueError) as error:
        raise Corrupt("the place that was kept with a checkpoint does not decode; restore the store") from error
    if stored.version != VERSION:
        raise Corrupt(f"the place of a checkpoint has format {stored.version}, this release reads {VERSION}")
    return Place(stored.through, stored.kinesis_shard, sequence, stored.arrived_to_ms, stored.heard)


class Producers:
    """Whom a shard has heard lately, and the last number of each. What it forgets depends on the records alone."""

    def __init__(self, heard: bytes = b"") -> None:
        self._last: OrderedDict[bytes, tuple[int, int]] = OrderedDict()  # number, second; the longest silent first
        self._newest_s = 0
        if heard:
            names, numbers, moments = _heard_decoder.decode(heard)
            for n, last in enumerate(zip(numbers, moments, strict=True)):
                self._last[names[n * PRODUCER_BYTES : (n + 1) * PRODUCER_BYTES]] = last
            self._newest_s = max(moments)

    def is_new(self, header: Header, *, at_ms: int) -> bool:
        """Tell whether a record is heard for the first time, and remember it."""
        before = self._last.get(header.producer)
        if before is not None and header.number <= before[0]:
            return False
        at_s = at_ms // 1_000
        self._newest_s = max(self._newest_s, at_s)
        self._last[header.producer] = (header.number, at_s)
        self._last.move_to_end(header.producer)
        self._forget()
        return True

    def packed(self) -> bytes:
        """Return what is remembered as bytes."""
        if not self._last:
            return b""
        numbers, moments = zip(*self._last.values(), strict=True)
        return msgspec.msgpack.encode((b"".join(self._last), numbers, moments))

    def _forget(self) -> None:
        while len(self._last) > PRODUCERS_MAX or self._silent_s() > HEARD_S_MAX:
            self._last.popitem(last=False)

    def _silent_s(self) -> int:
        return self._newest_s - next(iter(self._last.values()))[1]


_heard_decoder = msgspec.msgpack.Decoder(tuple[bytes, list[int], list[int]])


class Follower:
    """Reads one of our shards off Kinesis records in their order: numbers what is new and drops what came twice."""

    def __init__(self, shard: int, *, shards: int, place: Place, keep_unreadable: KeepUnreadable | None = None) -> None:
        self._partition_key = partition_key_of(shard)
        self._shard = shard
        self._shards = shards
        self._place = place
        self._keep_unreadable = keep_unreadable
        self._producers = Producers(place.heard)
        self.doubled = 0  # records of ours that came twice
        self.strangers = 0  # records under our key that nobody can read

    @property
    def place(self) -> Place:
        """Return where it stands now."""
        return replace(self._place, heard=self._producers.packed())

    @property
    def through(self) -> int:
        """Return the last number given."""
        return self._place.through

    @property
    def kinesis_shard(self) -> str:
        """Return which Kinesis shard it is in; empty before the first."""
        return self._place.kinesis_shard

    @property
    def kinesis_sequence(self) -> int:
        """Return Kinesis' number of the last record that was taken; 0 before the first of its shard."""
        return self._place.kinesis_sequence

    def enter(self, kinesis_shard: str) -> None:
        """Go on at the start of a Kinesis shard, the one before having ended."""
        self._place = replace(self._place, kinesis_shard=kinesis_shard, kinesis_sequence=0)

    def take(self, raw: RawRecord) -> list[Record]:
        """Return our records in a Kinesis record; none when it was taken before or is another shard's."""
        if raw.kinesis_shard != self._place.kinesis_shard:
            if self._place.kinesis_shard and not comes_after(raw.kinesis_shard, self._place.kinesis_shard):
                return []
            self.enter(raw.kinesis_shard)
        if raw.sequence <= self._place.kinesis_sequence:
            return []
        records, count, arrived_to_ms = self._records(raw)
        self._place = replace(
            self._place,
            through=self._place.through + count,
            kinesis_sequence=raw.sequence,
            arrived_to_ms=max(self._place.arrived_to_ms, arrived_to_ms),
        )
        return records

    def _records(self, raw: RawRecord) -> tuple[list[Record], int, int]:
        if raw.partition_key != self._partition_key:
            return [], 0, 0
        try:
            header = header_from_data(raw.data)
        except Corrupt:
            if self._keep_unreadable is not None:
                self._keep_unreadable(raw)
            self.strangers += 1
            return [], 0, 0
        if (header.shards, header.shard) != (self._shards, self._shard):
            raise Unavailable(
                f"the stream holds hits of shard {header.shard} of {header.shards} where shard {self._shard} of "
                f"{self._shards} was expected: set the number of shards to what it was, or use another stream"
            )
        if not self._producers.is_new(header, at_ms=raw.arrived_at_ms):
            self.doubled += 1
            return [], 0, 0
        after = self._place.through
        records = records_from_data(header, raw.data, after=after, arrived_at_ms=header.arrived_to_ms)
        return records, header.count, header.arrived_to_ms
