"""The units that DynamoDB Local reports for what a client asks of it, one item at a time.

Of a transaction it reports one item for each kind of action, whatever the others are (a known fault of its third
version). So the writes of a transaction are measured one by one, and doubled as AWS doubles them.
"""

from typing import Any, NamedTuple

from footfall.ports.capacity import TRANSACTION_FACTOR

WRITES = ("PutItem", "DeleteItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems")
READS = ("GetItem", "Query")


class Units(NamedTuple):
    """Units of writing to a table and to its indexes, and of reading both."""

    table: float = 0.0
    indexes: float = 0.0
    read: float = 0.0

    @property
    def written(self) -> float:
        """Return all units of writing."""
        return self.table + self.indexes

    @property
    def as_transaction(self) -> float:
        """Return what the same writes are in one transaction; indexes follow when it is over, as after any write."""
        return self.table * TRANSACTION_FACTOR + self.indexes


class Meter:
    """Adds up what is reported to one client."""

    def __init__(self, client: Any) -> None:
        self._units = Units()
        for name in (*WRITES, *READS):
            client.meta.events.register(f"provide-client-params.dynamodb.{name}", self._ask)
        for name in WRITES:
            client.meta.events.register(f"after-call.dynamodb.{name}", self._add_written)
        for name in READS:
            client.meta.events.register(f"after-call.dynamodb.{name}", self._add_read)

    def taken(self) -> Units:
        """Return the units since the last time."""
        taken, self._units = self._units, Units()
        return taken

    def _ask(self, params: dict[str, Any], **_more: Any) -> dict[str, Any]:
        return {**params, "ReturnConsumedCapacity": "INDEXES"}

    def _add_written(self, parsed: dict[str, Any], **_more: Any) -> None:
        table, indexes = _told(parsed)
        before = self._units
        self._units = before._replace(table=before.table + table, indexes=before.indexes + indexes)

    def _add_read(self, parsed: dict[str, Any], **_more: Any) -> None:
        self._units = self._units._replace(read=self._units.read + sum(_told(parsed)))


def _told(parsed: dict[str, Any]) -> tuple[float, float]:
    told = parsed.get("ConsumedCapacity", [])
    table = indexes = 0.0
    for one in told if isinstance(told, list) else [told]:
        table += one["Table"]["CapacityUnits"]
        indexes += sum(index["CapacityUnits"] for index in one.get("GlobalSecondaryIndexes", {}).values())
    return table, indexes
