"""What a simulated table, stream or function costs, hour by hour: an hour is what vendors bill by.

Prices are those of a first tier and without what is free: hours are to be compared, a month's bill is the plan's.
"""

from decimal import Decimal

import numpy as np

from footfall.planning.prices import Region
from footfall.planning.simulated_capacity import Capacity, OnDemand, Sharded
from footfall.planning.simulated_function import FunctionOutcome
from footfall.planning.simulated_outcomes import hourly
from footfall.planning.simulated_stream import StreamOutcome
from footfall.planning.simulated_table import TableDesign, TableOutcome
from footfall.planning.traffic import Minutes

MONTH_HOURS = 730
PUT_UNIT_BYTES = 25_000  # "Kinesis Data Streams pricing": a put is paid for by the started 25 KB.
GB = 1024**3

Hours = tuple[Decimal, ...]


def table_cost_by_hour(design: TableDesign, outcome: TableOutcome, region: Region) -> Hours:
    """Return what each hour costs: units as they were used or provisioned, those of indexes, and what is stored."""
    parts = [
        _units(design.writes, outcome.writes.consumed, outcome.writes.capacity, region, "write-request", "wcu-hour"),
        _units(design.reads, outcome.reads.consumed, outcome.reads.capacity, region, "read-request", "rcu-hour"),
        _times(_means(outcome.stored_bytes) / GB, region.price("dynamodb.storage-gb-month").each / MONTH_HOURS),
    ]
    for index in design.indexes:
        consumed, capacity = outcome.index_consumed[index.name], outcome.index_capacity[index.name]
        parts.append(_units(index.capacity, consumed, capacity, region, "write-request", "wcu-hour"))
    return _sums(parts)


def stream_cost_by_hour(capacity: Sharded, outcome: StreamOutcome, region: Region, *, bytes_each: float) -> Hours:
    """Return what each hour costs: shards and puts, or on demand the stream and its gigabytes, read once."""
    units = outcome.writes.consumed
    records = units / max(1.0, bytes_each / 1_000)
    if not capacity.is_on_demand:
        puts = hourly(records) * np.ceil(bytes_each / PUT_UNIT_BYTES)
        shards = _times(_means(outcome.shards), region.price("kinesis.shard-hour").each)
        return _sums([shards, _times(puts, region.price("kinesis.put-unit").each)])
    gigabytes = hourly(records) * bytes_each / GB
    there = np.ones(len(gigabytes))
    return _sums(
        [
            _times(there, region.price("kinesis.on-demand-stream-hour").each),
            _times(gigabytes, region.price("kinesis.on-demand-gb-in").each),
            _times(gigabytes, region.price("kinesis.on-demand-gb-out").each),
        ]
    )


def function_cost_by_hour(outcome: FunctionOutcome, region: Region, *, memory_mb: int) -> Hours:
    """Return what each hour costs: calls, and the memory that they hold for as long as they run."""
    gb_seconds = hourly(outcome.billed_ms) / 1_000 * memory_mb / 1_024
    return _sums(
        [
            _times(hourly(outcome.calls.served), region.price("lambda.request").each),
            _times(gb_seconds, region.price("lambda.gb-second").each),
        ]
    )


def _units(
    capacity: Capacity, consumed: Minutes, provisioned: Minutes, region: Region, request: str, hour: str
) -> list[Decimal]:
    if isinstance(capacity, OnDemand):
        return _times(hourly(consumed), region.price(f"dynamodb.{request}").each)
    return _times(_means(provisioned), region.price(f"dynamodb.{hour}").each)


def _means(minutes: Minutes) -> Minutes:
    """Return the means of hours, as parts of a whole hour: one that has only begun costs as much of it."""
    return hourly(minutes) / 60


def _times(quantities: Minutes, each: Decimal) -> list[Decimal]:
    return [Decimal(repr(round(quantity, 6))) * each for quantity in quantities.tolist()]


def _sums(parts: list[list[Decimal]]) -> Hours:
    return tuple(sum(hour, Decimal(0)) for hour in zip(*parts, strict=True))
