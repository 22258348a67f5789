"""Hours of simulated engines cost what the price book says of what they used."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import footfall.planning
from footfall.planning.prices import Region, price_book
from footfall.planning.simulated_capacity import Provisioned, Scaling, Sharded
from footfall.planning.simulated_costs import function_cost_by_hour, stream_cost_by_hour, table_cost_by_hour
from footfall.planning.simulated_function import FunctionDesign, simulate_function
from footfall.planning.simulated_partitions import Keys
from footfall.planning.simulated_stream import Records, StreamDesign, simulate_stream
from footfall.planning.simulated_table import Does, Index, Load, TableDesign, simulate_table


@pytest.fixture(scope="module")
def region() -> Region:
    file = Path(footfall.planning.__file__).parent / "price_files" / "2026-11.yaml"
    return price_book(file.read_bytes(), named=file.name).region("us-east-1")


def load(per_s: float, minutes: int = 120, does: Does = Does.WRITES) -> Load:
    return Load(does.value, np.full(minutes, 60 * per_s), Keys(1_000), does=does, is_noisy=False)


def test_an_hour_on_demand_costs_its_requests(region: Region) -> None:
    design = TableDesign()
    hours = table_cost_by_hour(design, simulate_table(design, [load(100), load(50, does=Does.READS)], seed=1), region)
    expected = region.cost("dynamodb.write-request", 360_000) + region.cost("dynamodb.read-request", 180_000)
    assert len(hours) == 2
    assert hours[0] == hours[1] == expected


def test_an_hour_that_is_provisioned_costs_its_capacity_whoever_comes(region: Region) -> None:
    design = TableDesign(Provisioned(200), Provisioned(10))
    hours = table_cost_by_hour(design, simulate_table(design, [load(3)], seed=1), region)
    assert hours[0] == region.cost("dynamodb.wcu-hour", 200) + region.cost("dynamodb.rcu-hour", 10)


def test_scaling_down_saves_money_hour_by_hour(region: Region) -> None:
    design = TableDesign(Provisioned(500, Scaling(10, 500)), Provisioned(1))
    hours = table_cost_by_hour(design, simulate_table(design, [load(5, 240)], seed=1), region)
    assert hours[0] > hours[1] >= hours[3]


def test_an_index_and_what_is_stored_cost_as_well(region: Region) -> None:
    index = Index("by-day", Provisioned(50), Keys(100))
    design = TableDesign(Provisioned(100), Provisioned(1), (index,), bytes_first=730 * 1024**3)
    hours = table_cost_by_hour(design, simulate_table(design, [load(5, 60)], seed=1), region)
    stored = region.price("dynamodb.storage-gb-month").each
    units = region.cost("dynamodb.wcu-hour", 150) + region.cost("dynamodb.rcu-hour", 1)
    assert hours == (pytest.approx(units + stored, rel=Decimal("1e-6")),)


def test_a_streams_hour_is_its_shards_and_puts_or_its_gigabytes(region: Region) -> None:
    records = Records("hits", np.full(60, 6_000.0), 30_000.0, Keys(500), is_noisy=False)
    fixed = simulate_stream(StreamDesign(Sharded(4)), [records], seed=1)
    hour = stream_cost_by_hour(Sharded(4), fixed, region, bytes_each=30_000)
    expected = region.cost("kinesis.shard-hour", 4) + region.cost("kinesis.put-unit", 2 * 360_000)
    assert hour == (pytest.approx(expected, rel=Decimal("1e-6")),)
    free = Sharded(4, is_on_demand=True)
    hour = stream_cost_by_hour(free, simulate_stream(StreamDesign(free), [records], seed=1), region, bytes_each=30_000)
    assert hour[0] > region.price("kinesis.on-demand-stream-hour").each


def test_a_functions_hour_is_its_calls_and_their_memory(region: Region) -> None:
    outcome = simulate_function(FunctionDesign(duration_ms=100), np.full(60, 6_000.0), seed=1)
    hour = function_cost_by_hour(outcome, region, memory_mb=512)
    served = Decimal(repr(float(outcome.calls.served.sum())))
    expected = served * region.price("lambda.request").each
    expected += served / 10 / 2 * region.price("lambda.gb-second").each
    assert hour == (pytest.approx(expected, rel=Decimal("1e-6")),)
