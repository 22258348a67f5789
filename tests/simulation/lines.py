"""A Kinesis stream in memory: the records as Kinesis would give them, and readers of ours that follow it.

Only the server is left out. Packing, numbering and knowing what came twice are the real code.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from footfall.adapters.aws.kinesis_fed import FedStream
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.adapters.aws.kinesis_records import PRODUCER_BYTES, data_from_entries
from footfall.adapters.aws.kinesis_shards import partition_key_of
from footfall.ports.stream import Appended, Entry
from footfall.values.clock import Clock

KINESIS_SHARD = "shardId-000000000000"


class Line:
    """All that was ever put, by our shard, with senders that put some of it twice."""

    def __init__(self, *, shards: int, clock: Clock, chance: Random) -> None:
        self.shards = shards
        self.raws: list[list[RawRecord]] = [[] for _ in range(shards)]
        self.entries: list[list[Entry]] = [[] for _ in range(shards)]  # each once
        self._clock = clock
        self._chance = chance
        self._put = 0
        self._producers = [chance.randbytes(PRODUCER_BYTES) for _ in range(3)]
        self._numbers: Counter[tuple[int, int]] = Counter()

    def append(self, entries: Sequence[Entry]) -> list[str]:
        """Put entries of one append; return where each of them will stand."""
        sender = self._chance.randrange(len(self._producers))
        by_shard: dict[int, list[Entry]] = {}
        places: list[str] = []
        for entry in entries:
            of_shard = by_shard.setdefault(entry.shard, [])
            of_shard.append(entry)
            places.append(f"{entry.shard}:{len(self.entries[entry.shard]) + len(of_shard)}")
        for shard, of_shard in by_shard.items():
            self._put_record(sender, shard, of_shard)
            self.entries[shard].extend(of_shard)
        return places

    def appended(self) -> Mapping[str, int]:
        """Return the weight of each group, each entry once."""
        total: Counter[str] = Counter()
        for entry in (entry for of in self.entries for entry in of):
            total[entry.group] += entry.weight
        return total

    def _put_record(self, sender: int, shard: int, entries: Sequence[Entry]) -> None:
        self._numbers[sender, shard] += 1
        number = self._numbers[sender, shard]
        data = data_from_entries(entries, shards=self.shards, producer=self._producers[sender], number=number)
        for _ in range(self._chance.choice((1, 1, 1, 2))):
            self._put_bytes(shard, data)
        if self._chance.random() < 0.1:  # A put that the sender gave up on takes effect late.
            self._put_bytes(shard, data)

    def _put_bytes(self, shard: int, data: bytes) -> None:
        self._put += 1
        now_ms = self._clock.now_ms()
        self.raws[shard].append(RawRecord(KINESIS_SHARD, self._put, partition_key_of(shard), data, now_ms))


class LineStream(FedStream):
    """A reader that is at the tip when it has read the line to its end, as KinesisStream is."""

    def __init__(self, line: Line) -> None:
        super().__init__(shards=line.shards)
        self._line = line
        for shard in range(line.shards):
            self._of(shard).begin(line.raws[shard])  # The list itself, which grows.

    @property
    def sees_tip(self) -> bool:
        return True

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        """Put entries, and say which numbers they will have: tests may know."""
        return [Appended(int(place.partition(":")[2])) for place in self._line.append(entries)]

    def appended(self) -> Mapping[str, int]:
        return self._line.appended()
