"""How a table lies in DynamoDB, what it costs there, and what is made sure of before it is used."""

import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from footfall.adapters.aws.counting_calls import CountedCalls, Spent
from footfall.adapters.aws.dynamodb_items import (
    Names,
    applied,
    item_from_stored,
    key_from_stored,
    stored_bytes,
    stored_from_item,
)
from footfall.adapters.aws.dynamodb_setup import (
    OPERATIONS,
    MissingOperation,
    create_table,
    require_operations,
    require_table,
)
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.aws.sessions import Ground
from footfall.ports.capacity import get_units, index_write_units, query_units, write_units
from footfall.ports.errors import Unavailable
from footfall.ports.table import Index, Item, Key, Put, Table, Unfit, Update, everything
from footfall.values.clock import SetClock, SystemClock
from scripts.engines import DYNAMODB_LOCAL, NoEngine
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.faults import Faults

NOON_MS = 1_794_744_000_000
KEY = Key("p", "s")
BY_TIME = Index("by_time", "author", "at", numeric=True)


@pytest.fixture(scope="module")
def client(dynamodb: DynamoDbEngine) -> Any:
    return dynamodb.client()


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def names(dynamodb: DynamoDbEngine, client: Any) -> Names:
    return dynamodb.names(client, indexes=[BY_TIME])


@pytest.fixture
def table(client: Any, names: Names, clock: SetClock) -> DynamoDbTable:
    return table_of(client, names, clock=clock, indexes=[BY_TIME])


def raw(client: Any, names: Names, key: Key = KEY) -> dict[str, Any]:
    return client.get_item(TableName=names.table, Key=names.key(key))["Item"]


def test_an_item_lies_there_under_its_own_names_with_its_expiry_in_seconds(
    client: Any, names: Names, table: Table
) -> None:
    table.put(Put(KEY, {"sectionId": "news"}, expires_at_ms=NOON_MS + 5_000))
    assert raw(client, names) == {
        "pk": {"S": "p"},
        "sk": {"S": "s"},
        "sectionId": {"S": "news"},
        "expirationTime": {"N": str(NOON_MS // 1_000 + 5)},
    }


def test_dynamodb_never_removes_what_a_reader_may_still_see(client: Any, names: Names, table: Table) -> None:
    table.put(Put(KEY, {}, expires_at_ms=NOON_MS + 1))
    assert raw(client, names)["expirationTime"] == {"N": str(NOON_MS // 1_000 + 1)}


def test_attributes_with_our_own_names_are_kept_apart_from_ours(table: Table) -> None:
    item: Item = {
        "pk": 1, "sk": "x", "expirationTime": 5, "_pk": 2, "__sk": 3, "expiresAtMs": 1, "writeToken": b"t", "_": 0,
    }  # fmt: skip
    table.put(Put(KEY, item, expires_at_ms=NOON_MS + 1_001))
    assert table.get(KEY) == item
    new = table.update(Update(KEY, set={"pk": 2}, add={"sk2": 1}, remove=frozenset({"writeToken", "expirationTime"})))
    assert new == table.get(KEY) == {**_without(item, "writeToken", "expirationTime"), "pk": 2, "sk2": 1}


def _without(item: Item, *names: str) -> Item:
    return {name: value for name, value in item.items() if name not in names}


@pytest.mark.parametrize("names", [("a", "a", "b"), ("_a", "b", "c"), ("", "b", "c"), ("a", "b", "writeToken")])
def test_our_own_names_differ_from_each_other(names: tuple[str, str, str]) -> None:
    with pytest.raises(Unfit):
        Names("table", *names)


def test_a_page_full_of_expired_items_does_not_look_like_the_end(table: DynamoDbTable, clock: SetClock) -> None:
    for start in range(0, 200, 25):
        keys = [Key("p", f"{number:03d}") for number in range(start, start + 25)]
        table.write([Put(key, {"author": "p", "at": 1}, expires_at_ms=NOON_MS + 10) for key in keys])
    table.put(Put(Key("p", "999"), {"author": "p", "at": 2}))
    clock.set(NOON_MS + 10)
    for index in (None, "by_time"):
        page = table.query("p", limit=1, index=index)
        assert [found.key.sort for found in page.items] == ["999"]
        assert [found.key.sort for found in everything(table, "p", index=index)] == ["999"]


def test_a_local_account_of_an_update_is_what_dynamodb_made_of_it(
    client: Any, names: Names, table: DynamoDbTable
) -> None:
    updates = [
        Update(KEY, set={"a": [1, {"b": b"x"}]}, add={"n": 10**36}, set_add={"s": frozenset({"x", "y"})}),
        Update(KEY, set={"a": None}, add={"n": 0.5, "m": -1}, set_remove={"s": frozenset({"x"})}),
        Update(KEY, add={"m": 1}, set_remove={"s": frozenset({"y"})}, remove=frozenset("a"), expires_at_ms=NOON_MS + 9),
        Update(KEY, add={"m": 0.1}, set_add={"s": frozenset({"z"})}, expires_at_ms=NOON_MS + 9_000),
    ]
    local: dict[str, Any] = {}
    for update in updates:
        told = table.update(update)
        local = applied(names, local, update, token=b"")
        assert told == item_from_stored(names, raw(client, names)) == item_from_stored(names, local)


def test_the_engine_removes_expired_items_by_itself(dynamodb: DynamoDbEngine, client: Any) -> None:
    names = Names("expiring-items", partition="brand", sort="place", expiry="goneAt")
    create_table(client, names, pause=time.sleep)
    told = client.describe_time_to_live(TableName=names.table)["TimeToLiveDescription"]
    assert (told["AttributeName"], told["TimeToLiveStatus"]) == ("goneAt", "ENABLED")
    table = table_of(client, names, clock=SystemClock())
    table.put(Put(KEY, {}, expires_at_ms=SystemClock().now_ms() - 5_000))
    ends_at = time.monotonic() + 60
    while "Item" in client.get_item(TableName=names.table, Key=names.key(KEY)) and time.monotonic() < ends_at:
        time.sleep(0.05)
    assert "Item" not in client.get_item(TableName=names.table, Key=names.key(KEY))


def test_a_table_of_another_shape_is_refused_before_it_is_used(client: Any, names: Names) -> None:
    require_table(client, names, indexes=[BY_TIME])
    with pytest.raises(Unavailable, match="make the table"):
        require_table(client, Names("nobody-made-this"))
    with pytest.raises(Unavailable, match="not id and sk"):
        require_table(client, Names(names.table, partition="id"))
    with pytest.raises(Unavailable, match="by_title"):
        require_table(client, names, indexes=[Index("by_title", "author", "title")])
    with pytest.raises(Unavailable, match="by_time"):
        require_table(client, names, indexes=[Index("by_time", "author", "at")])


def test_one_attribute_cannot_be_text_and_a_number(client: Any) -> None:
    indexes = [BY_TIME, Index("by_text", "author", "at")]
    with pytest.raises(Unfit):
        create_table(client, Names("two-kinds"), pause=time.sleep, indexes=indexes)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_store_without_an_operation_is_refused_with_its_name(client: Any, names: Names, operation: str) -> None:
    require_operations(client, names)
    faults = Faults(client)
    faults.denied = frozenset({operation})
    try:
        with pytest.raises(MissingOperation, match=operation):
            require_operations(client, names)
    finally:
        faults.close()
    assert client.scan(TableName=names.table)["Count"] == 0


def sampled(chance: Random, number: int) -> Put:
    """Return an item of some kinds of values and a size that is often near a unit's edge."""
    size = max(0, chance.choice([10, 100, 900, 1_024, 2_048, 5_000]) + chance.randint(-80, 80))
    item: Item = {
        "data": chance.randbytes(size),
        "n": chance.choice([0, 7, -12, 120, 10**30 + 1, 0.125, 1.5, -1e-7, chance.randint(-(10**9), 10**9)]),
        "s": "é" * chance.randint(0, 30),
        "in": [1, {"a": None, "b": [True, frozenset({"x", "yy"})]}],
        "set": frozenset(range(chance.randint(1, 9))),
    }
    indexed: Item = {"author": "ann", "at": number} if chance.random() < 0.3 else {}
    return Put(Key("units", f"{number:05d}"), {**item, **indexed}, expires_at_ms=chance.choice([None, NOON_MS + 1]))


def require_formula(client: Any, names: Names, *, writes: int) -> None:
    """Compare the formula with what DynamoDB says, batch by batch."""
    chance = Random(4)
    for start in range(0, writes, 25):
        puts = [sampled(chance, number) for number in range(start, start + 25)]
        stored = [stored_from_item(names, put.key, put.item, expires_at_ms=put.expires_at_ms) for put in puts]
        requests = [{"PutRequest": {"Item": item}} for item in stored]
        answer = client.batch_write_item(RequestItems={names.table: requests}, ReturnConsumedCapacity="INDEXES")
        (told,) = answer["ConsumedCapacity"]
        assert told["Table"]["CapacityUnits"] == sum(write_units(stored_bytes(item)) for item in stored)
        entries = [stored_bytes(item) for item in stored if "at" in item]
        in_index = told.get("GlobalSecondaryIndexes", {}).get("by_time", {}).get("CapacityUnits", 0)
        assert in_index == sum(index_write_units(size) for size in entries)


def test_units_are_what_dynamodb_says(client: Any, names: Names) -> None:
    require_formula(client, names, writes=1_000)


@pytest.mark.soak
def test_units_of_20_000_writes_are_what_dynamodb_says(client: Any, names: Names) -> None:
    require_formula(client, names, writes=20_000)


def test_units_of_reads_are_what_dynamodb_says(client: Any, names: Names, table: DynamoDbTable) -> None:
    chance = Random(5)
    puts = [sampled(chance, number) for number in range(20)]
    table.write(puts)
    sizes: list[int] = []
    for put in puts:
        for consistent in (True, False):
            ask = {"TableName": names.table, "Key": names.key(put.key), "ConsistentRead": consistent}
            answer = client.get_item(**ask, ReturnConsumedCapacity="TOTAL")
            told = answer["ConsumedCapacity"]["CapacityUnits"]
            assert told == get_units(stored_bytes(answer["Item"]), consistent=consistent)
        sizes.append(stored_bytes(answer["Item"]))
    for consistent in (True, False):
        answer = client.query(
            TableName=names.table, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL",
            KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "units"}},
        )  # fmt: skip
        assert answer["ConsumedCapacity"]["CapacityUnits"] == query_units(sizes, consistent=consistent)
    assert [key_from_stored(names, item).sort for item in answer["Items"]] == [put.key.sort for put in puts]


def test_a_smaller_item_in_the_place_of_a_larger_one_costs_the_larger_one(client: Any, names: Names) -> None:
    sizes = [5_000, 10]
    large, small = [
        stored_from_item(names, KEY, {"data": bytes(size), "author": "a", "at": 1}, expires_at_ms=None)
        for size in sizes
    ]
    client.put_item(TableName=names.table, Item=large)
    answer = client.put_item(TableName=names.table, Item=small, ReturnConsumedCapacity="INDEXES")
    told = answer["ConsumedCapacity"]
    before, after = stored_bytes(large), stored_bytes(small)
    assert told["Table"]["CapacityUnits"] == write_units(after, before_bytes=before)
    index = told["GlobalSecondaryIndexes"]["by_time"]["CapacityUnits"]
    assert index == index_write_units(after, before_bytes=before)


def test_what_a_table_spends_is_told_by_second_and_partition(table: DynamoDbTable, clock: SetClock) -> None:
    table.put(Put(Key("hot", "a"), {"data": bytes(3_000)}))
    clock.advance(1_000)
    table.get(Key("hot", "a"))
    table.write([Put(Key("cold", "a"), {}), Put(Key("cold", "b"), {})])
    first, second = table.counted.seconds()
    assert (first.starts_at_ms, first.partitions) == (NOON_MS, {"hot": Spent(written=3)})
    assert (second.total, second.partitions["hot"]) == (Spent(read=1, written=2), Spent(read=1))
    assert table.counted.hottest(1) == [("hot", Spent(read=1, written=3))]


def test_what_a_transaction_spends_is_told_for_each_partition_of_it(table: DynamoDbTable) -> None:
    # A counter that all transactions have in common would not be seen to be hot under the name of their first items.
    for number in range(5):
        table.transact([Put(Key(f"own {number}", "s"), {"a": 1}), Update(Key("common", "s"), add={"n": 1})])
    assert table.counted.hottest(2) == [("common", Spent(written=10)), ("own 0", Spent(written=2))]
    assert table.counted.total == Spent(written=20)


def test_requests_of_reading_are_counted_and_a_page_of_expired_items_takes_several(
    table: DynamoDbTable, clock: SetClock
) -> None:
    for number in range(20):
        table.put(Put(Key("p", f"{number:02d}"), {"a": 1}, expires_at_ms=NOON_MS + 1 if number < 10 else None))
    table.get(Key("p", "01"))
    table.query("p", limit=5)
    assert table.counted.reads == 2
    clock.advance(1)
    assert len(table.query("p", limit=5).items) == 5
    assert table.counted.reads == 4  # of 5 that had expired, and of 10


def test_many_partitions_in_one_second_do_not_fill_the_memory() -> None:
    counted = CountedCalls(SetClock(NOON_MS))
    for number in range(5_000):
        counted.add(f"partition {number}", Spent(read=1))
    assert counted.total == Spent(read=5_000)
    assert len(counted.seconds()[0].partitions) <= 1_001


def test_a_secret_is_in_no_log() -> None:
    assert "swordfish" not in f"{Ground(endpoint='https://example.com', secret_key='swordfish')!r}"


def test_without_the_extra_the_command_that_installs_it_is_named() -> None:
    program = (
        "import sys; sys.modules['boto3'] = None\n"
        "from footfall.adapters.aws.sessions import Ground, MissingExtra, client_of\n"
        "try: client_of('dynamodb', Ground())\n"
        "except MissingExtra as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'footfall[aws]'" in done.stdout


def test_the_adapter_alone_loads_no_vendor() -> None:
    program = "import sys, footfall.adapters.aws.dynamodb_table; print({'boto3', 'botocore'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_an_engine_that_is_not_the_one_that_was_tried_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "engine.tgz").write_bytes(b"something else")
    with pytest.raises(NoEngine, match="checksum"):
        DYNAMODB_LOCAL.require_checksum(tmp_path / "engine.tgz")
