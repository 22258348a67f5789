"""That follows are told costs no units: DynamoDB Local reports the same for one with a stream and without."""

from typing import Any

import pytest

from footfall.audience.follows import Follows
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.things import Thing
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.dynamodb_streams import TableStream

WRITES = ("PutItem", "DeleteItem", "UpdateItem", "TransactWriteItems")
MEMBER, DARK = Thing("member", "1234567"), Thing("series", "7654321")


class Meter:
    """The units that DynamoDB Local reports for the writes of a client, those of indexes with them."""

    def __init__(self, client: Any) -> None:
        self.units = 0.0
        for name in WRITES:
            client.meta.events.register(f"provide-client-params.dynamodb.{name}", self._ask)
            client.meta.events.register(f"after-call.dynamodb.{name}", self._add)

    def _ask(self, params: dict[str, Any], **_more: Any) -> dict[str, Any]:
        return {**params, "ReturnConsumedCapacity": "INDEXES"}

    def _add(self, parsed: dict[str, Any], **_more: Any) -> None:
        told = parsed.get("ConsumedCapacity", [])
        for one in told if isinstance(told, list) else [told]:
            self.units += one["Table"]["CapacityUnits"]
            self.units += sum(index["CapacityUnits"] for index in one.get("GlobalSecondaryIndexes", {}).values())


# Of a transaction DynamoDB Local reports no units of indexes; with the one that there is, a follow with counts is 7.
@pytest.mark.parametrize(("uncounted", "units"), [((), 6), (("abc",), 2)], ids=["with counts", "without"])
@pytest.mark.parametrize("is_told", [False, True], ids=["untold", "told"])
def test_a_follow_and_its_end_cost_the_same_whether_they_are_told_or_not(
    dynamodb: DynamoDbEngine, uncounted: tuple[str, ...], units: int, *, is_told: bool
) -> None:
    client = dynamodb.client()
    names = dynamodb.names(client, indexes=AUDIENCE_INDEXES)
    stream = TableStream(client, names.table) if is_told else None
    table = table_of(client, names, clock=SystemClock(), indexes=AUDIENCE_INDEXES)
    meter = Meter(client)
    follows = Follows(table, clock=SystemClock(), uncounted=uncounted)
    assert follows.follow("abc", MEMBER, DARK).is_new
    assert meter.units == units
    assert follows.unfollow("abc", MEMBER, DARK)
    assert meter.units == 2 * units
    if stream is not None:
        told = [record["eventName"] for record in stream.event()["Records"] if "#f#" in str(record["dynamodb"]["Keys"])]
        assert told == ["INSERT", "REMOVE"]
