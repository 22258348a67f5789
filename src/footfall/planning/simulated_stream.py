"""A Kinesis stream under load: what its shards refuse, what producers do about it, and how far readers are behind.

A shard is a stretch of the space that keys are hashed into, as a partition of a table is, with two limits: records and
bytes. A record counts for the larger of the two, so that loads of different sizes are never allowed more than both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.planning.simulated_capacity import Sharded
from footfall.planning.simulated_clients import BackedOff, Client
from footfall.planning.simulated_lane import Lane
from footfall.planning.simulated_limits import (
    RECORD_BYTES_MAX,
    SHARD_BYTES,
    SHARD_READ_BYTES,
    SHARD_READS,
    SHARD_RECORDS,
)
from footfall.planning.simulated_outcomes import Flow
from footfall.planning.simulated_partitions import Keys, Shares
from footfall.planning.simulated_resource import Kind, Resource, Split
from footfall.planning.simulated_table import Load, rates_of
from footfall.planning.traffic import Minutes, require_possible
from footfall.values.errors import Refused

SHARDS = Kind(SHARD_RECORDS, SHARD_RECORDS)


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Records that are alike: how many in each minute, their bytes, and the keys that choose their shard."""

    name: str
    records: Minutes
    bytes_each: float
    keys: Keys
    client: Client = field(default_factory=BackedOff)
    is_noisy: bool = True


@dataclass(frozen=True, slots=True)
class StreamDesign:
    """A stream before it is built, and what its reader does of one shard in a second."""

    capacity: Sharded
    reader_records_per_s: float = float("inf")
    readers: int = 1  # that share what a shard gives; each reads everything
    reads_per_s: float = 1.0  # of one reader and shard, as our own and Lambda's do


@dataclass(frozen=True, slots=True, eq=False)
class StreamOutcome:
    """What became of a stream, minute by minute; `writes` counts records, those of more than 1 kB as several."""

    writes: Flow
    shards: Minutes
    hottest: Minutes  # the hottest shard's busiest second, as a part of its limit
    read: Minutes
    unread: Minutes  # at the end of each minute
    lag_s: Minutes  # of the shard that is furthest behind
    reads_throttled: Minutes  # calls beyond the five that a shard answers in a second
    splits: Sequence[Split]

    @property
    def balance(self) -> float:
        """Return what is missing of all that was written: nothing, but for the last digits."""
        return float(self.writes.served.sum() - self.read.sum() - self.unread[-1])


def simulate_stream(design: StreamDesign, loads: Sequence[Records], *, seed: int) -> StreamOutcome:
    """Return what becomes of a stream under its loads."""
    _require_stream(design, loads)
    minutes = len(loads[0].records)
    units = [_load(one) for one in loads]
    resource = Resource(design.capacity, SHARDS, [one.keys for one in loads], seed=seed)
    lane = Lane(resource, [one.client for one in loads], [], minutes)
    speed = 60 * _reader_units(design, loads)
    read, unread, lag = np.zeros(minutes), np.zeros(minutes), np.zeros(minutes)
    queue = np.zeros(len(resource.layout))
    for minute, rates in enumerate(rates_of(units, minutes, seed=seed)):
        lane.minute(minute, rates, 0.0)
        queue = _widened(queue, len(resource.layout))
        came = _written(rates, resource, float(lane.tally.served[minute]))
        taken = np.minimum(queue + came, speed)
        queue = queue + came - taken
        read[minute], unread[minute], lag[minute] = taken.sum(), queue.sum(), 60 * queue.max() / speed
    return StreamOutcome(
        writes=lane.tally.flow(),
        shards=lane.tally.partitions,
        hottest=lane.tally.hottest,
        read=read,
        unread=unread,
        lag_s=lag,
        reads_throttled=60 * lane.tally.partitions * max(0.0, design.readers * design.reads_per_s - SHARD_READS),
        splits=tuple(resource.splits),
    )


def record_units(bytes_each: float) -> float:
    """Return how many of a shard's thousand units a record takes: one, or one for each thousand bytes."""
    return max(1.0, bytes_each * SHARD_RECORDS / SHARD_BYTES)


def shards_for(records_per_s: float, bytes_each: float, *, hottest_share: float = 0.0, filled: float = 0.7) -> int:
    """Return how many shards such records need so that none is filled more; one key's share is never divided."""
    units = records_per_s * record_units(bytes_each) / (SHARD_RECORDS * filled)
    if units * hottest_share > 1 / filled:
        raise Refused(
            "shards", f"one key has {units * hottest_share * filled:.1f} shards' worth, and a key has one shard"
        )
    return max(1, int(np.ceil(units - 1e-9)))


def _load(one: Records) -> Load:
    return Load(
        one.name,
        one.records,
        one.keys,
        units_each=record_units(one.bytes_each),
        client=one.client,
        is_noisy=one.is_noisy,
    )


def _reader_units(design: StreamDesign, loads: Sequence[Records]) -> float:
    """Return how many units of one shard can be read in a second: by bytes, and by what the reader does."""
    records = sum(float(one.records.sum()) for one in loads)
    total = sum(float(one.records.sum()) * one.bytes_each for one in loads)
    units = sum(float(one.records.sum()) * record_units(one.bytes_each) for one in loads)
    if records == 0:
        return SHARD_RECORDS
    by_bytes = SHARD_READ_BYTES / design.readers * units / total
    return min(by_bytes, design.reader_records_per_s * units / records)


def _written(rates: Shares, resource: Resource, served: float) -> Shares:
    """Return what each shard has got of what was served in a minute: its share, no more than its limit."""
    wanted = np.minimum(rates.sum(axis=1) @ resource.shares, 60 * SHARD_RECORDS)
    total = float(wanted.sum())
    return wanted * (served / total) if total > 0 else np.full(len(wanted), served / len(wanted))


def _widened(queue: Shares, shards: int) -> Shares:
    """Return the queue with room for new shards: what waits in closed ones is read before those that follow them."""
    return queue if len(queue) == shards else np.concatenate([queue, np.zeros(shards - len(queue))])


def _require_stream(design: StreamDesign, loads: Sequence[Records]) -> None:
    if not loads or len({len(one.records) for one in loads}) != 1 or len(loads[0].records) == 0:
        raise Refused("loads", "a stream has loads, each of as many minutes")
    if not design.reader_records_per_s > 0 or design.readers < 1 or not 0 < design.reads_per_s <= 1_000:
        raise Refused("readers", "one at least, which reads more than nothing, at most 1000 times a second")
    for one in loads:
        require_possible(one.records)
        if not 0 < one.bytes_each <= RECORD_BYTES_MAX:
            raise Refused(
                "bytes_each", f"{one.bytes_each:g} bytes of {one.name}: more than 0, at most {RECORD_BYTES_MAX}"
            )
