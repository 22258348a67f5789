"""Units by the formula are those that DynamoDB Local reports, write by write, for what counting writes."""

from collections.abc import Callable

import pytest

from bench.counted_day import CountedDay, Marks
from bench.day import Day
from footfall.flow.store.rows import write_rows
from footfall.values.clock import Clock, SetClock
from footfall.values.window import Grain, window_of
from tests.bench.both_tables import BothTables, both_tables
from tests.engines.dynamodb import DynamoDbEngine

NOON_MS = 1_794_744_000_000


@pytest.fixture
def new_table(dynamodb: DynamoDbEngine) -> Callable[[Clock], BothTables]:
    return both_tables(dynamodb)


@pytest.mark.parametrize("marks", [Marks.NONE, Marks.IDS])
def test_what_counting_writes_costs_what_dynamodb_says(new_table: Callable[[Clock], BothTables], marks: Marks) -> None:
    counted = CountedDay(Day(hits=2_000, hours=1, assets=700), freshness_s=300, new_table=new_table, marks=marks)
    assert counted.run().total > 0
    assert isinstance(counted.table, BothTables)
    assert counted.table.compared > 200
    assert {"minutes", "hours", "checkpoints", "journal", "pending"} <= set(counted.table.units.written)


def test_what_rows_cost_is_what_dynamodb_says(new_table: Callable[[Clock], BothTables]) -> None:
    clock = SetClock(NOON_MS)
    table = new_table(clock)
    window = window_of(NOON_MS, Grain.HOUR, "UTC")
    for hits in (7, 8):
        rows = {f"{hits:08d}#{asset}": {"sectionId": asset, "resourceType": "article"} for asset in range(60)}
        write_rows(table, "abc", window, rows, expires_at_ms=NOON_MS * 2)
    assert table.compared == 60 + 120


@pytest.mark.soak
def test_what_counting_writes_in_20_000_writes_costs_what_dynamodb_says(
    new_table: Callable[[Clock], BothTables],
) -> None:
    counted = CountedDay(Day(hits=2_000_000, hours=24), freshness_s=40, new_table=new_table)
    counted.run()
    assert isinstance(counted.table, BothTables)
    assert counted.table.compared > 20_000
