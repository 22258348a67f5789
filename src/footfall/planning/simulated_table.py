"""A DynamoDB table under load: what is throttled and why, what waits, what is stored, what it costs by the hour.

Reads and writes are simulated beside each other, as the vendor throttles them independently; each splits partitions for
its own heat. The same design, loads and seed give the same bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import ceil

import numpy as np

from footfall.planning.simulated_capacity import Capacity, OnDemand
from footfall.planning.simulated_clients import BackedOff, Client
from footfall.planning.simulated_lane import IndexUse, Lane
from footfall.planning.simulated_limits import (
    HEAT_MINUTES,
    ON_DEMAND_READ_UNITS,
    ON_DEMAND_WRITE_UNITS,
    PARTITION_READ_UNITS,
    PARTITION_WRITE_UNITS,
    TABLE_UNITS_MAX,
    TTL_LATE_MINUTES,
)
from footfall.planning.simulated_outcomes import Flow
from footfall.planning.simulated_partitions import Keys, Shares
from footfall.planning.simulated_resource import Kind, Resource, Split
from footfall.planning.traffic import DAY_MINUTES, Minutes, require_possible
from footfall.values.errors import Refused

WRITES = Kind(PARTITION_WRITE_UNITS, ON_DEMAND_WRITE_UNITS)
READS = Kind(PARTITION_READ_UNITS, ON_DEMAND_READ_UNITS)
LOADS_MAX = 64
INDEXES_MAX = 20  # The vendor's default quota of global secondary indexes of a table.


class Does(StrEnum):
    """Whether a load reads or writes."""

    WRITES = "writes"
    READS = "reads"


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """Requests that are alike: how many in each minute, what one costs, and for which keys."""

    name: str
    requests: Minutes
    keys: Keys
    units_each: float = 1.0
    does: Does = Does.WRITES
    client: Client = field(default_factory=BackedOff)
    within_s: int = 60  # A minute's requests come in its first so many seconds.
    bytes_each: float = 0.0  # what a write leaves in the table
    is_noisy: bool = True  # Requests come by chance (Poisson), or evenly.


@dataclass(frozen=True, slots=True)
class Index:
    """A global secondary index, with a capacity and keys of its own; `units_each` is for each unit of the table."""

    name: str
    capacity: Capacity
    keys: Keys
    units_each: float = 1.0


@dataclass(frozen=True, slots=True)
class TableDesign:
    """A table before it is built."""

    writes: Capacity = field(default_factory=OnDemand)
    reads: Capacity = field(default_factory=OnDemand)
    indexes: tuple[Index, ...] = ()
    partitions: int = 0  # 0: as many as its capacity needs
    bytes_first: float = 0.0
    kept_minutes: int = 0  # time to live of what is written; 0 keeps it
    units_max: float = TABLE_UNITS_MAX
    heat_minutes: int = HEAT_MINUTES


@dataclass(frozen=True, slots=True, eq=False)
class TableOutcome:
    """What became of a table, minute by minute."""

    writes: Flow
    reads: Flow
    stored_bytes: Minutes
    partitions: Minutes
    hottest: Minutes  # the hottest partition's busiest second, as a part of its limit
    splits: Sequence[Split]
    index_consumed: Mapping[str, Minutes]
    index_capacity: Mapping[str, Minutes]

    def digest(self) -> str:
        """Return a hash of all arrays."""
        return f"{self.writes.digest()}{self.reads.digest()}"


def simulate_table(design: TableDesign, loads: Sequence[Load], *, seed: int) -> TableOutcome:
    """Return what becomes of a table under its loads."""
    minutes = _require_loads(design, loads)
    stored = stored_bytes(design, loads, minutes)
    first = partitions_of(design)
    lanes = [_lane(design, loads, does, partitions=first, minutes=minutes, seed=seed) for does in Does]
    for (lane, _), does in zip(lanes, Does, strict=True):
        of_kind = [load for load in loads if load.does is does]
        if not of_kind:
            lane.rest()
        for minute, rates in enumerate(rates_of(of_kind, minutes, seed=seed)):
            lane.minute(minute, rates, float(stored[minute]))
    (writes, written), (reads, read) = lanes
    return TableOutcome(
        writes=writes.tally.flow(),
        reads=reads.tally.flow(),
        stored_bytes=stored,
        partitions=np.maximum(writes.tally.partitions, reads.tally.partitions),
        hottest=np.maximum(writes.tally.hottest, reads.tally.hottest),
        splits=tuple(sorted([*written.splits, *read.splits], key=lambda split: split.minute)),
        index_consumed=writes.index_consumed,
        index_capacity=writes.index_capacity,
    )


def partitions_of(design: TableDesign) -> int:
    """Return how many partitions a table begins with, by its capacity and its size, as the vendor once documented."""
    write = WRITES.first_units if isinstance(design.writes, OnDemand) else design.writes.units
    read = READS.first_units if isinstance(design.reads, OnDemand) else design.reads.units
    together = write / WRITES.partition_units + read / READS.partition_units
    if isinstance(design.writes, OnDemand) and isinstance(design.reads, OnDemand):
        together = max(write / WRITES.partition_units, read / READS.partition_units)
    return max(design.partitions, ceil(together - 1e-9), 1)


def stored_bytes(design: TableDesign, loads: Sequence[Load], minutes: int) -> Minutes:
    """Return what lies in the table at each minute: all that was written, until some time after it expired."""
    written = np.zeros(minutes)
    for load in loads:
        if load.does is Does.WRITES:
            written += load.requests * load.bytes_each
    total = np.cumsum(written)
    gone = design.kept_minutes + TTL_LATE_MINUTES
    if design.kept_minutes and minutes > gone:
        total[gone:] -= np.cumsum(written)[:-gone]
    return total + design.bytes_first


def _lane(
    design: TableDesign, loads: Sequence[Load], does: Does, *, partitions: int, minutes: int, seed: int
) -> tuple[Lane, Resource]:
    of_kind = [load for load in loads if load.does is does] or [_nothing(does, minutes)]
    kind, capacity = (WRITES, design.writes) if does is Does.WRITES else (READS, design.reads)
    resource = Resource(
        capacity,
        kind,
        [load.keys for load in of_kind],
        seed=seed,
        partitions=partitions,
        units_max=design.units_max,
        heat_minutes=design.heat_minutes,
    )
    uses: list[IndexUse] = []
    for place, index in enumerate(design.indexes if does is Does.WRITES else ()):
        keys = [index.keys] * len(of_kind)
        own = Resource(index.capacity, kind, keys, seed=seed + 7_919 * (place + 1), heat_minutes=design.heat_minutes)
        uses.append(IndexUse(index.name, own, np.full(len(of_kind), index.units_each)))
    return Lane(resource, [load.client for load in of_kind], uses, minutes), resource


def rates_of(loads: Sequence[Load], minutes: int, *, seed: int) -> Iterator[Shares]:
    """Yield the units of each minute by load and second; drawn day by day, so that a month needs no month's memory."""
    for first in range(0, minutes if loads else 0, DAY_MINUTES):
        last = min(minutes, first + DAY_MINUTES)
        day = np.stack([arrivals(load, first, last, seed=seed, place=place) for place, load in enumerate(loads)])
        for minute in range(last - first):
            yield day[:, minute, :]


def arrivals(load: Load, first: int, last: int, *, seed: int, place: int) -> Shares:
    """Return the units that a load offers, minutes x seconds."""
    mean = np.zeros((last - first, 60))
    mean[:, : load.within_s] = load.requests[first:last, None] / load.within_s
    if not load.is_noisy:
        return mean * load.units_each
    chance = np.random.Generator(np.random.PCG64([seed, place, first, int(load.does is Does.READS)]))
    return chance.poisson(mean).astype(np.float64) * load.units_each


def _nothing(does: Does, minutes: int) -> Load:
    return Load("nothing", np.zeros(minutes), Keys(1), does=does, is_noisy=False)


def _require_loads(design: TableDesign, loads: Sequence[Load]) -> int:
    if not 1 <= len(loads) <= LOADS_MAX or len(design.indexes) > INDEXES_MAX:
        raise Refused("loads", f"a table has 1 to {LOADS_MAX} loads and at most {INDEXES_MAX} indexes")
    minutes = len(loads[0].requests)
    for load in loads:
        require_possible(load.requests)
        if len(load.requests) != minutes or minutes == 0:
            raise Refused("loads", f"{load.name} has {len(load.requests)} minutes and {loads[0].name} {minutes}")
        if not 0 < load.units_each < 1e9 or not 1 <= load.within_s <= 60 or not 0 <= load.bytes_each < 1e9:
            raise Refused("loads", f"{load.name} needs units of more than 0, and a part of a minute of 1 to 60 s")
    return minutes
