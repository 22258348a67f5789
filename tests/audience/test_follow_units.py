"""That follows are told costs no units: DynamoDB Local reports the same for one with a stream and without."""

import pytest

from bench.audience_units import write_alone
from footfall.audience.follows import Edge, Follows
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.things import Thing
from footfall.ports.table import Delete
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.dynamodb_meter import Meter
from tests.engines.dynamodb_streams import TableStream

MEMBER, DARK = Thing("member", "1234567"), Thing("series", "7654321")


def test_a_follow_with_counts_is_7_units_and_one_of_a_celebrity_as_well(dynamodb: DynamoDbEngine) -> None:
    client = dynamodb.client()
    table = table_of(
        client,
        dynamodb.names(client, indexes=AUDIENCE_INDEXES),
        clock=SystemClock(),
        indexes=AUDIENCE_INDEXES,
    )
    meter, follows, edge = Meter(client), Follows(table, clock=SystemClock()), Edge("abc", MEMBER, DARK)
    for shards in (1, 64):
        follows.spread("abc", DARK, followers=2_000_000 if shards > 1 else 0)
        head = follows.heads.read("abc", DARK)
        assert head.shards == shards
        meter.taken()
        for action in follows.additions(edge, head, edge.at_us(1_800_000_000_000)):
            write_alone(table, action)
        assert meter.taken().as_transaction == 7
        table.delete(Delete(edge.key))


# What is reported of a transaction is no sum of its actions, but the same for the same ones.
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
    assert meter.taken().written == units
    assert follows.unfollow("abc", MEMBER, DARK)
    assert meter.taken().written == units
    if stream is not None:
        told = [record["eventName"] for record in stream.event()["Records"] if "#f#" in str(record["dynamodb"]["Keys"])]
        assert told == ["INSERT", "REMOVE"]
