"""Units by the formula are those that DynamoDB Local reports, write by write, for what counting writes."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bench.counted_day import CountedDay, Marks
from bench.day import Day
from bench.unit_table import UnitTable
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.flow.store.rows import write_rows
from footfall.ports.table import Delete, Item, Put, Update
from footfall.values.clock import Clock, SetClock
from footfall.values.window import Grain, window_of
from tests.engines.dynamodb import DynamoDbEngine, table_of

NOON_MS = 1_794_744_000_000


class Reporting:
    """A client that asks for the units of every write and keeps them."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.last_units = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._client, name)
        if name not in ("put_item", "update_item", "delete_item", "batch_write_item"):
            return call

        def reporting(**asked: Any) -> Any:
            answer = call(**asked, ReturnConsumedCapacity="TOTAL")
            told = answer["ConsumedCapacity"]
            self.last_units = sum(one["CapacityUnits"] for one in (told if isinstance(told, list) else [told]))
            return answer

        return reporting


class BothTables(UnitTable):
    """Writes to DynamoDB as well, and compares what each write is said to cost."""

    def __init__(self, clock: Clock, dynamodb: DynamoDbTable, reporting: Reporting) -> None:
        super().__init__(clock)
        self._dynamodb = dynamodb
        self._reporting = reporting
        self.compared = 0

    def put(self, put: Put) -> None:
        super().put(put)
        self._dynamodb.put(put)
        self._compare(1)

    def write(self, batch: Sequence[Put | Delete]) -> None:
        before = sum(self.units.written.values())
        super().write(batch)
        self.last_units = sum(self.units.written.values()) - before
        self._dynamodb.write(batch)
        self._compare(len(batch))

    def update(self, update: Update) -> Item:
        item = super().update(update)
        self._dynamodb.update(update)
        self._compare(1)
        return item

    def delete(self, delete: Delete) -> None:
        super().delete(delete)
        self._dynamodb.delete(delete)
        self._compare(1)

    def _compare(self, writes: int) -> None:
        assert self.last_units == self._reporting.last_units
        self.compared += writes


@pytest.fixture
def new_table(dynamodb: DynamoDbEngine) -> Callable[[Clock], BothTables]:
    def made(clock: Clock) -> BothTables:
        client = dynamodb.client()
        reporting = Reporting(client)
        return BothTables(clock, table_of(reporting, dynamodb.names(client), clock=clock), reporting)

    return made


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
