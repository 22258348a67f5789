"""A table that writes to DynamoDB Local as well, and finds out whether each write costs what the formula says."""

from collections.abc import Callable, Sequence
from typing import Any

from bench.unit_table import UnitTable
from footfall.adapters.aws.counting_calls import CountedCalls
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.ports.table import Delete, Item, Put, Update
from footfall.values.clock import Clock
from tests.engines.dynamodb import DynamoDbEngine, table_of


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

    @property
    def counted(self) -> CountedCalls:
        """What the adapter itself has counted of its calls."""
        return self._dynamodb.counted

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


def both_tables(engine: DynamoDbEngine) -> Callable[[Clock], BothTables]:
    """Return what makes such a table on an engine, given a clock."""

    def made(clock: Clock) -> BothTables:
        client = engine.client()
        reporting = Reporting(client)
        return BothTables(clock, table_of(reporting, engine.names(client), clock=clock), reporting)

    return made
