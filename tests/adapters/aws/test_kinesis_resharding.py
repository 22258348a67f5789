"""Splits and merges of Kinesis' own shards, under load and with faults on the way."""

import threading
from random import Random
from typing import Any

from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.ports.stream import Record
from tests.adapters.aws.kinesis_faults import at_random
from tests.adapters.aws.kinesis_streams import SHARDS, entry, everything, opened, plain
from tests.engines.kinesis import KinesisEngine, require_active


def open_shards(client: Any, name: str) -> list[dict[str, Any]]:
    shards = client.list_shards(StreamName=name)["Shards"]
    still_open = [one for one in shards if "EndingSequenceNumber" not in one["SequenceNumberRange"]]
    return sorted(still_open, key=lambda one: int(one["HashKeyRange"]["StartingHashKey"]))


def reshard(client: Any, name: str, chance: Random) -> None:
    """Split a shard, or merge two that lie beside each other."""
    shards = open_shards(client, name)
    if len(shards) < 2 or (len(shards) < 6 and chance.random() < 0.6):
        one = chance.choice(shards)
        low, high = (int(one["HashKeyRange"][end]) for end in ("StartingHashKey", "EndingHashKey"))
        middle = str((low + high) // 2 + 1)
        client.split_shard(StreamName=name, ShardToSplit=one["ShardId"], NewStartingHashKey=middle)
    else:
        at = chance.randrange(len(shards) - 1)
        left, right = shards[at]["ShardId"], shards[at + 1]["ShardId"]
        client.merge_shards(StreamName=name, ShardToMerge=left, AdjacentShardToMerge=right)
    require_active(client, name)


class Load(threading.Thread):
    """A sender that appends until it is told to stop, with faults on its way."""

    def __init__(self, engine: KinesisEngine, name: str, number: int, stop: threading.Event) -> None:
        super().__init__()
        self._stream, self._faults = opened(engine, name, plan=at_random(Random(number), 0.1), seed=number + 100)
        self._number = number
        self._told_to_stop = stop
        self.sent = 0

    def run(self) -> None:
        while not self._told_to_stop.is_set() and self.sent < 70:
            data = b"%d:%d" % (self._number, self.sent)
            self._stream.append([entry(data, shard=shard) for shard in range(SHARDS)])
            self.sent += 1
        self._faults.deliver_late()


class Following:
    """A reader that keeps up with every shard while Kinesis' own come and go, and notes a place now and then."""

    def __init__(self, stream: KinesisStream) -> None:
        self._stream = stream
        self.read: list[list[Record]] = [[] for _ in range(SHARDS)]
        self.places: list[tuple[int, bytes]] = []  # in shard 2

    def keep_up(self) -> bool:
        more = [self._stream.read(shard, after=self._last(shard)) for shard in range(SHARDS)]
        for shard, records in enumerate(more):
            self.read[shard] += records
        self.places.append((self._last(2), self._stream.place(2, through=self._last(2))))
        return any(more)

    def _last(self, shard: int) -> int:
        return self.read[shard][-1].sequence if self.read[shard] else 0


def test_splits_and_merges_under_load_lose_nothing_and_double_nothing(kinesis: KinesisEngine) -> None:
    name, chance = kinesis.new_stream(), Random(11)
    client, following, stop = kinesis.client(), Following(plain(kinesis, name)), threading.Event()
    load = [Load(kinesis, name, number, stop) for number in range(3)]
    for one in load:
        one.start()
    try:
        for _ in range(8):
            reshard(client, name, chance)
            following.keep_up()
    finally:
        stop.set()
        for one in load:
            one.join()
    while following.keep_up():
        pass
    again = plain(kinesis, name)
    for shard, read in enumerate(following.read):
        for number, one in enumerate(load):
            sent = [b"%d:%d" % (number, n) for n in range(one.sent)]
            assert [record.data for record in read if record.data.startswith(b"%d:" % number)] == sent
        assert everything(again, shard) == read
    for through, place in following.places:
        resumed = plain(kinesis, name)
        resumed.resume(2, place)
        assert resumed.read(2, after=through) == following.read[2][through:]
