"""Stream on Kinesis: durable and ordered within a shard, without transactions.

Entries travel together in records of up to a megabyte, one record of a shard on its way at a time, so that a sender's
numbers arrive in their order and readers can tell what came twice. Numbers are given by reading (kinesis_places.py).
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from random import Random
from threading import Lock

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.kinesis_calls import (
    PUT_BYTES_MAX,
    PUT_RECORDS_MAX,
    KinesisCalls,
    KinesisClient,
    Outgoing,
)
from footfall.adapters.aws.kinesis_errors import THROTTLING, NotNow
from footfall.adapters.aws.kinesis_pages import Pages
from footfall.adapters.aws.kinesis_places import KeepUnreadable, Place, bytes_from_place, place_from_bytes
from footfall.adapters.aws.kinesis_reader import ShardReader
from footfall.adapters.aws.kinesis_records import PRODUCER_BYTES, data_from_entries, joined
from footfall.adapters.aws.kinesis_shards import KinesisShard, hash_key_of, partition_key_of
from footfall.ports.errors import Throttled, Unavailable
from footfall.ports.stream import (
    READ_RECORDS_MAX,
    UNNUMBERED,
    Appended,
    Entry,
    NoMarks,
    NoSharing,
    Record,
    require_fits,
)
from footfall.values.clock import Clock

POLL_MS = 1_000  # Five reads a second of one Kinesis shard are all that it allows, whoever reads.

_Queues = dict[int, deque[Outgoing]]  # by shard, in their order


class KinesisStream:
    """The stream of many machines. Any number append and any number read; calls of one object do not run at once."""

    def __init__(  # noqa: PLR0913 - which stream, how it is divided, and everything that chance and time decide
        self,
        client: KinesisClient,
        name: str,
        *,
        shards: int,
        clock: Clock,
        chance: Random,
        pause: Callable[[float], None] = time.sleep,
        backoff: Backoff = Backoff(),  # noqa: B008 - a frozen value
        poll_ms: int = POLL_MS,
        read_only: bool = False,
        keep_unreadable: KeepUnreadable | None = None,
    ) -> None:
        self._keep_unreadable = keep_unreadable
        self._name = name
        self._shards = shards
        self._clock = clock
        self._chance = chance
        self._pause = pause
        self._backoff = backoff
        self._read_only = read_only
        self._calls = KinesisCalls(client, name, chance=chance, pause=pause, backoff=backoff)
        self._pages = Pages(self._calls, clock=clock, poll_ms=poll_ms)
        self._readers: dict[int, ShardReader] = {}
        self._starts: dict[int, Place] = {}
        self._producer = b""
        self._numbers: Counter[int] = Counter()
        self._appending = Lock()
        self._reading = Lock()
        self.put_attempts = 0  # records put, each time they were
        self.put_records = 0  # records that Kinesis took

    @property
    def shards(self) -> int:
        """Return how many shards there are: ours, whatever Kinesis has."""
        return self._shards

    @property
    def sees_tip(self) -> bool:
        """Tell that a read returns nothing only at the tip."""
        return True

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        """Store the entries; when this raises Unavailable, some may be stored, and Throttled says that none is."""
        for entry in entries:
            require_fits(entry, shards=self._shards)
            if entry.mark is not None:
                raise NoMarks(f"{self._name} keeps no marks: import logs as objects of a bucket, each counts once")
            if entry.shared:
                raise NoSharing(f"{self._name} looks no claims up: append what each of them came with apart")
        if self._read_only:
            raise Unavailable(f"the stream {self._name} was opened for reading")
        with self._appending:
            self._put(self._queued(entries))
        return [Appended(UNNUMBERED)] * len(entries)

    def read(self, shard: int, *, after: int, limit: int = READ_RECORDS_MAX) -> list[Record]:
        """Return records in order; raise NotKept for what lies before the place that was resumed."""
        with self._reading:
            return self._reader(shard).read(after, min(limit, READ_RECORDS_MAX))

    def tip(self, shard: int) -> int:
        """Return the last number, which means to read all that was not read yet."""
        with self._reading:
            return self._reader(shard).tip()

    def sequence_at(self, shard: int, *, arrived_at_ms: int) -> int:
        """Return a number below every record from a moment on, among those that can be read here."""
        with self._reading:
            return self._reader(shard).number_at(arrived_at_ms)

    def kept_since_ms(self) -> int:
        """Return the moment before which Kinesis may have let records go."""
        kept = self._calls.kept()
        since_ms = self._clock.now_ms() - kept.retention_ms
        return since_ms if since_ms > kept.created_at_ms else 0

    def mark(self, name: bytes) -> int:
        """Return 0: no mark was ever moved here."""
        del name
        return 0

    def appended(self) -> Mapping[str, int]:
        """Return the weight of each group since the places that were resumed; reads all that was not read yet."""
        total: Counter[str] = Counter()
        with self._reading:
            for shard in range(self._shards):
                reader = self._reader(shard)
                reader.tip()
                total.update(reader.weights)
        return dict(total)

    def trim(self, shard: int, *, through: int) -> None:
        """Do nothing: Kinesis lets records go by their age alone."""

    def place(self, shard: int, *, through: int) -> bytes:
        """Return what has to be kept with a checkpoint that has counted through a record."""
        with self._reading:
            return bytes_from_place(self._reader(shard).place(through))

    def resume(self, shard: int, place: bytes) -> None:
        """Go on from a kept place, with its numbers."""
        with self._reading:
            self._starts[shard] = place_from_bytes(place) if place else Place()
            self._readers.pop(shard, None)

    def may_enter(self, shard: int, place: bytes, kinesis_shard: str) -> bool:
        """Tell whether nothing of a shard of ours lies between a place and a later Kinesis shard."""
        with self._reading:
            reader = self._reader_at(shard, place_from_bytes(place))
            return reader.reaches(kinesis_shard)

    def behind_ms(self, shard: int) -> int:
        """Return how old the oldest record is that was not fetched yet, as Kinesis said at the last read."""
        with self._reading:
            return self._reader(shard).behind_ms()

    @property
    def doubled(self) -> int:
        """Return how many Kinesis records came twice and were read once."""
        return sum(reader.doubled for reader in self._readers.values())

    @property
    def strangers(self) -> int:
        """Return how many Kinesis records under our keys could not be read at all."""
        return sum(reader.strangers for reader in self._readers.values())

    def close(self) -> None:
        """Close the connections."""
        self._calls.close()

    def _reader(self, shard: int) -> ShardReader:
        if shard not in self._readers:
            self._readers[shard] = self._reader_at(shard, self._starts.get(shard, Place()))
        return self._readers[shard]

    def _reader_at(self, shard: int, start: Place) -> ShardReader:
        return ShardReader(
            shard,
            shards=self._shards,
            pages=self._pages,
            lineage=self._lineage,
            start=start,
            keep_unreadable=self._keep_unreadable,
        )

    def _lineage(self) -> Sequence[KinesisShard]:
        return self._calls.shards()

    def _queued(self, entries: Sequence[Entry]) -> _Queues:
        """Return what is to be put for each shard, in its order; all of it fits, or nothing is put."""
        by_shard: dict[int, list[Entry]] = {}
        for entry in entries:
            by_shard.setdefault(entry.shard, []).append(entry)
        # Drawn at the first append: a process that was copied before it has a name of its own.
        self._producer = self._producer or self._chance.randbytes(PRODUCER_BYTES)
        return {shard: deque(self._outgoing(shard, of_shard)) for shard, of_shard in by_shard.items()}

    def _outgoing(self, shard: int, entries: Sequence[Entry]) -> list[Outgoing]:
        outgoing: list[Outgoing] = []
        for group in joined(entries):
            self._numbers[shard] += 1
            number = self._numbers[shard]
            data = data_from_entries(group, shards=self._shards, producer=self._producer, number=number)
            outgoing.append(Outgoing(partition_key_of(shard), hash_key_of(shard, shards=self._shards), data))
        return outgoing

    def _put(self, queues: _Queues) -> None:
        """Put one record of each shard after another; what fails is put again, before anything that follows it."""
        waits_ms = self._backoff.waits_ms(self._chance)
        stored, is_unknown = 0, False
        while shards := _next_batch(queues):
            batch = [queues[shard][0] for shard in shards]
            self.put_attempts += len(batch)
            try:
                answers = self._calls.put(batch)
            except (Throttled, NotNow) as error:
                is_unknown |= isinstance(error, NotNow)
                answers = [str(error)] * len(batch)
            else:
                is_unknown |= any(answer and answer not in THROTTLING for answer in answers)
            for shard, answer in zip(shards, answers, strict=True):
                if not answer:
                    queues[shard].popleft()
            taken = answers.count("")
            stored += taken
            self.put_records += taken
            if taken == len(batch):
                waits_ms = self._backoff.waits_ms(self._chance)
                continue
            wait_ms = next(waits_ms, None)
            if wait_ms is None:
                raise self._failure(answers, is_in_part=stored > 0 or is_unknown)
            self._pause(wait_ms / 1_000)

    def _failure(self, answers: Sequence[str], *, is_in_part: bool) -> Throttled | Unavailable:
        why = next(answer for answer in answers if answer)
        if is_in_part:
            return Unavailable(f"the stream {self._name} took some of the records at most: {why}; send them again")
        return Throttled(f"the stream {self._name} took none of the records: {why}; add shards, or send less at once")


def _next_batch(queues: _Queues) -> list[int]:
    """Return the shards whose next records go into one call: as many as Kinesis takes."""
    shards: list[int] = []
    size = 0
    for shard, queue in queues.items():
        if not queue or len(shards) == PUT_RECORDS_MAX:
            continue
        size += queue[0].size
        if shards and size > PUT_BYTES_MAX:
            break
        shards.append(shard)
    return shards
