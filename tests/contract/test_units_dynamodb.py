"""What planning says that an operation costs is what DynamoDB Local reports for it, exactly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from footfall.adapters.aws.dynamodb_items import stored_from_value
from footfall.planning.units_dynamodb import (
    BATCH_GET_ITEMS_MAX,
    BATCH_WRITE_ITEMS_MAX,
    IndexShape,
    TableShape,
    checked,
    got,
    item_bytes,
    paged,
    pages,
    written,
)
from footfall.ports.items import Item, Value
from tests.engines.dynamodb import DynamoDbEngine

EVERYTHING = IndexShape("everything", ("author", "at"))
KEYS = IndexShape("keys", ("author",), projected=())
SOME = IndexShape("some", ("author",), projected=("text",))
LOCAL = IndexShape("local", ("pk", "at"), is_local=True)
SHAPE = TableShape(("pk", "sk"), (EVERYTHING, KEYS, SOME, LOCAL))
PLAIN = TableShape(("pk", "sk"))

numbers = st.one_of(
    st.integers(-(10**37), 10**37),
    st.sampled_from([0, 1, -1, 10, 100, 120, 1_000, 99, 100_000_000]),
    st.floats(-1e30, 1e30, allow_nan=False, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-30),
)
texts = st.one_of(st.text(max_size=30), st.integers(0, 5_200).map(lambda size: "x" * size))
plain = st.one_of(texts, numbers, st.binary(max_size=60), st.booleans(), st.none())
sets = st.one_of(
    st.frozensets(st.text(min_size=1, max_size=9), min_size=1, max_size=5),
    st.frozensets(st.integers(-(10**12), 10**12), min_size=1, max_size=5),
    st.frozensets(st.binary(min_size=1, max_size=9), min_size=1, max_size=5),
)
values: st.SearchStrategy[Value] = st.recursive(
    plain | sets,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=4),
    max_leaves=6,
)
names = st.sampled_from(["text", "other", "é", "a-long-name-of-an-attribute"])
sorts = st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(1, 1_000).map(lambda size: "s" * size))


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Value]:
    """Attributes besides the key, often those that indexes are made of."""
    body: dict[str, Value] = dict(draw(st.dictionaries(names, values, max_size=4)))
    if draw(st.booleans()):
        body["author"] = draw(st.one_of(st.sampled_from(["ann", "bob"]), st.integers(1, 2_000).map(lambda n: "a" * n)))
    if draw(st.booleans()):
        body["at"] = draw(st.integers(0, 10**6))
    return body


@dataclass(frozen=True, slots=True)
class Reporting:
    """A table of the engine whose operations return the units that it reports."""

    client: Any
    name: str

    def put(self, item: Item) -> dict[str, float]:
        return self._told(self.client.put_item(**self._here(), Item=as_stored(item)))

    def update(self, key: Item, changed: Item, *, removed: Sequence[str] = ()) -> dict[str, float]:
        terms = {f"#n{n}": name for n, name in enumerate([*changed, *removed])}
        sets_to = ", ".join(f"#n{n} = :v{n}" for n in range(len(changed)))
        gone = ", ".join(f"#n{len(changed) + n}" for n in range(len(removed)))
        spoken = (f"SET {sets_to} " if changed else "") + (f"REMOVE {gone}" if removed else "")
        asked: dict[str, Any] = {"Key": as_stored(key)}
        if spoken:
            asked |= {"UpdateExpression": spoken, "ExpressionAttributeNames": terms}
        if changed:
            put = {f":v{n}": stored_from_value(value) for n, value in enumerate(changed.values())}
            asked["ExpressionAttributeValues"] = put
        return self._told(self.client.update_item(**self._here(), **asked))

    def delete(self, key: Item) -> dict[str, float]:
        return self._told(self.client.delete_item(**self._here(), Key=as_stored(key)))

    def transact(self, actions: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        asked = [{kind: {"TableName": self.name, **action}} for one in actions for kind, action in one.items()]
        answer = self.client.transact_write_items(TransactItems=asked, ReturnConsumedCapacity="INDEXES")
        return self._told(answer)

    def query(self, **asked: Any) -> Iterator[tuple[int, float]]:
        """Yield how many items each page has, and its units."""
        yield from self._pages(self.client.query, asked)

    def scan(self, **asked: Any) -> Iterator[tuple[int, float]]:
        yield from self._pages(self.client.scan, asked)

    def _pages(self, ask: Any, asked: dict[str, Any]) -> Iterator[tuple[int, float]]:
        while True:
            answer = ask(**self._here(), **asked)
            yield answer["ScannedCount"], answer["ConsumedCapacity"]["CapacityUnits"]
            if "LastEvaluatedKey" not in answer:
                return
            asked = {**asked, "ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _here(self) -> dict[str, Any]:
        return {"TableName": self.name, "ReturnConsumedCapacity": "INDEXES"}

    def _told(self, answer: Mapping[str, Any]) -> dict[str, float]:
        told = answer["ConsumedCapacity"]
        (one,) = told if isinstance(told, list) else [told]
        units = {"": one["Table"]["CapacityUnits"]}
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            units |= {name: index["CapacityUnits"] for name, index in one.get(kind, {}).items()}
        assert one["CapacityUnits"] == sum(units.values())
        return units


def as_stored(item: Item) -> dict[str, Any]:
    return {name: stored_from_value(value) for name, value in item.items()}


def ours(before: Item | None, after: Item | None, *, shape: TableShape = SHAPE, tx: bool = False) -> dict[str, float]:
    units = written(shape, before=before, after=after, transaction=tx)
    return {"": units.table, **units.indexes}


def added(many: Sequence[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for one in many:
        for name, units in one.items():
            total[name] = total.get(name, 0) + units
    return total


def swaps(before: Item | None, after: Item | None) -> bool:
    """Tell whether an item gives up one half of an index's key and gets the other: the engine takes it for a delete."""
    halves = [{name for name in ("author", "at") if item and name in item} for item in (before, after)]
    return len(halves[0]) == len(halves[1]) == 1 and halves[0] != halves[1]


def once(many: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Add up as the engine does for a transaction: of actions that cost the same everywhere, it counts one."""
    different: list[Mapping[str, float]] = []
    for one in many:
        if one not in different:
            different.append(one)
    return added(different)


def key_of(item: Item) -> Item:
    return {"pk": item["pk"], "sk": item["sk"]}


def made(engine: DynamoDbEngine, shape: TableShape) -> Reporting:
    client, name = engine.shared(), f"u{uuid4().hex}"
    kinds = {"pk": "S", "sk": "S", **({"author": "S", "at": "N"} if shape.indexes else {})}
    indexes: dict[str, list[Any]] = {"GlobalSecondaryIndexes": [], "LocalSecondaryIndexes": []}
    for index in shape.indexes:
        projection: dict[str, Any] = {"ProjectionType": "ALL"}
        if index.projected is not None:
            projection = {"ProjectionType": "INCLUDE" if index.projected else "KEYS_ONLY"}
        if index.projected:
            projection["NonKeyAttributes"] = list(index.projected)
        kind = "LocalSecondaryIndexes" if index.is_local else "GlobalSecondaryIndexes"
        schema = _schema(index.keys)
        indexes[kind].append({"IndexName": index.name, "KeySchema": schema, "Projection": projection})
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_schema(shape.keys),
        AttributeDefinitions=[{"AttributeName": one, "AttributeType": kind} for one, kind in kinds.items()],
        **{kind: listed for kind, listed in indexes.items() if listed},
    )
    return Reporting(client, name)


def _schema(keys: Sequence[str]) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, kinds, strict=False)]


@pytest.fixture(scope="module")
def table(dynamodb: DynamoDbEngine) -> Reporting:
    return made(dynamodb, SHAPE)


@pytest.fixture
def small(dynamodb: DynamoDbEngine) -> Reporting:
    return made(dynamodb, PLAIN)


unhurried = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@unhurried
@given(sort=sorts, history=st.lists(st.one_of(bodies(), st.none()), min_size=1, max_size=5))
def test_puts_and_deletes_cost_what_the_engine_says(
    table: Reporting, sort: str, history: list[dict[str, Value] | None]
) -> None:
    key: Item = {"pk": f"puts{uuid4().hex}", "sk": sort}
    before: Item | None = None
    for body in history:
        after = None if body is None else {**key, **body}
        assume(not swaps(before, after))
        told = table.delete(key) if after is None else table.put(after)
        assert told == ours(before, after)
        before = after


@unhurried
@given(first=bodies(), changed=bodies(), removes=st.frozensets(names, max_size=2))
def test_updates_cost_what_the_engine_says(
    table: Reporting, first: dict[str, Value], changed: dict[str, Value], removes: frozenset[str]
) -> None:
    key: Item = {"pk": f"updates{uuid4().hex}", "sk": "s"}
    before: Item = {**key, **first}
    table.put(before)
    removed = [name for name in removes if name not in changed]
    after = {name: value for name, value in {**before, **changed}.items() if name not in removed}
    assume(not swaps(before, after))
    assert table.update(key, changed, removed=removed) == ours(before, after)


@unhurried
@given(kept=st.lists(bodies(), min_size=1, max_size=5), wanted=st.lists(st.one_of(bodies(), st.none()), max_size=5))
def test_batches_cost_what_the_engine_says(
    table: Reporting, kept: list[dict[str, Value]], wanted: list[dict[str, Value] | None]
) -> None:
    pk = f"batches{uuid4().hex}"
    before: list[Item] = [{"pk": pk, "sk": f"{n}", **body} for n, body in enumerate(kept)]
    requests = [{"PutRequest": {"Item": as_stored(item)}} for item in before]
    answer = table.client.batch_write_item(RequestItems={table.name: requests}, ReturnConsumedCapacity="INDEXES")
    assert table._told(answer) == added([ours(None, item) for item in before])
    pairs = list(zip(before, wanted, strict=False))
    if pairs:
        after: list[Item | None] = [None if body is None else {**key_of(item), **body} for item, body in pairs]
        assume(not any(swaps(item, new) for (item, _), new in zip(pairs, after, strict=True)))
        requests = [
            {"DeleteRequest": {"Key": as_stored(key_of(item))}}
            if new is None
            else {"PutRequest": {"Item": as_stored(new)}}
            for (item, _), new in zip(pairs, after, strict=True)
        ]
        answer = table.client.batch_write_item(RequestItems={table.name: requests}, ReturnConsumedCapacity="INDEXES")
        expected = [ours(item, new) for (item, _), new in zip(pairs, after, strict=True)]
        assert table._told(answer) == added(expected)


@unhurried
@given(kept=st.lists(bodies(), min_size=1, max_size=4), wanted=st.lists(st.one_of(bodies(), st.none()), max_size=4))
def test_transactions_cost_what_the_engine_says(
    table: Reporting, kept: list[dict[str, Value]], wanted: list[dict[str, Value] | None]
) -> None:
    pk = f"transactions{uuid4().hex}"
    before: list[Item] = [{"pk": pk, "sk": f"{n}", **body} for n, body in enumerate(kept)]
    told = table.transact([{"Put": {"Item": as_stored(item)}} for item in before])
    assert told == once([ours(None, item, tx=True) for item in before])
    pairs = list(zip(before, wanted, strict=False))
    if pairs:
        after: list[Item | None] = [None if body is None else {**key_of(item), **body} for item, body in pairs]
        assume(not any(swaps(item, new) for (item, _), new in zip(pairs, after, strict=True)))
        actions = [
            {"Delete": {"Key": as_stored(key_of(item))}} if new is None else {"Put": {"Item": as_stored(new)}}
            for (item, _), new in zip(pairs, after, strict=True)
        ]
        expected = [ours(item, new, tx=True) for (item, _), new in zip(pairs, after, strict=True)]
        assert table.transact(actions) == once(expected)


@unhurried
@given(body=bodies(), consistent=st.booleans())
def test_reads_of_single_items_cost_what_the_engine_says(
    table: Reporting, body: dict[str, Value], consistent: bool
) -> None:
    item: Item = {"pk": f"reads{uuid4().hex}", "sk": "s", **body}
    absent: Item = {"pk": item["pk"], "sk": "absent"}
    table.put(item)
    here = {"TableName": table.name, "ReturnConsumedCapacity": "TOTAL"}
    for key, found in ((key_of(item), item), (absent, None)):
        answer = table.client.get_item(**here, Key=as_stored(key), ConsistentRead=consistent)
        assert answer["ConsumedCapacity"]["CapacityUnits"] == got([found], consistent=consistent)
    gets = [{"Get": {"TableName": table.name, "Key": as_stored(key)}} for key in (key_of(item), absent)]
    answer = table.client.transact_get_items(TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == got([item, None], transaction=True)
    check = {"ConditionCheck": {"Key": as_stored(key_of(item)), "ConditionExpression": "attribute_exists(pk)"}}
    assert table.transact([check]) == {"": checked(item)}
    large: Item = {**absent, "data": bytes(7_000)}
    told = table.transact([check, {"Put": {"Item": as_stored(large)}}])
    assert told == once([{"": checked(item)}, ours(None, large, tx=True)])


@unhurried
@given(many=st.lists(bodies(), min_size=1, max_size=8), consistent=st.booleans(), limit=st.integers(1, 9))
def test_queries_cost_what_the_engine_says_in_table_and_indexes(
    table: Reporting, many: list[dict[str, Value]], consistent: bool, limit: int
) -> None:
    pk, author = f"queries{uuid4().hex}", uuid4().hex
    items: list[Item] = [{"pk": pk, "sk": f"{n}", **body, "author": author, "at": n} for n, body in enumerate(many)]
    for item in items:
        table.put(item)
    sizes = [item_bytes(item) for item in items]
    asked = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": pk}}}
    found = list(table.query(**asked, ConsistentRead=consistent, Limit=limit))
    pages_of_items = list(pages(sizes, limit=limit))
    assert [units for _, units in found][: len(pages_of_items)] == [
        paged(page, consistent=consistent) for page in pages_of_items
    ]
    for index in (EVERYTHING, KEYS, SOME):
        entries = [index.entry(SHAPE, item) for item in items]
        by_author = {"KeyConditionExpression": "author = :a", "ExpressionAttributeValues": {":a": {"S": author}}}
        ((count, units),) = table.query(IndexName=index.name, **by_author)
        assert count == len(items)
        assert units == paged([item_bytes(one) for one in entries if one is not None], consistent=False)
    ((_, units),) = table.query(IndexName=LOCAL.name, **asked, ConsistentRead=consistent)
    assert units == paged(sizes, consistent=consistent)


@pytest.mark.parametrize("each_bytes", [380_000, 100_000, 65_536, 30_000])
def test_a_page_ends_with_the_item_that_reaches_a_mebibyte(small: Reporting, each_bytes: int) -> None:
    items: list[Item] = [{"pk": "p", "sk": f"{n:03d}", "data": bytes(each_bytes + n)} for n in range(40)]
    for item in items:
        small.put(item)
    sizes = [item_bytes(item) for item in items]
    asked = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}
    for told in (list(small.query(**asked, ConsistentRead=True)), list(small.scan(ConsistentRead=True))):
        expected = [(len(page), paged(page)) for page in pages(sizes)]
        assert [one for one in told if one[0]] == expected


def test_items_of_a_batch_are_rounded_one_by_one(small: Reporting) -> None:
    items: list[Item] = [{"pk": "p", "sk": f"{n:03d}", "data": bytes(n * 100)} for n in range(BATCH_GET_ITEMS_MAX)]
    for start in range(0, len(items), BATCH_WRITE_ITEMS_MAX):
        batch = items[start : start + BATCH_WRITE_ITEMS_MAX]
        small.client.batch_write_item(
            RequestItems={small.name: [{"PutRequest": {"Item": as_stored(item)}} for item in batch]}
        )
    for consistent in (True, False):
        keys = [as_stored(key_of(item)) for item in items]
        answer = small.client.batch_get_item(
            RequestItems={small.name: {"Keys": keys, "ConsistentRead": consistent}}, ReturnConsumedCapacity="TOTAL"
        )
        assert answer["ConsumedCapacity"][0]["CapacityUnits"] == got(items, consistent=consistent)


def test_the_engine_charges_for_an_item_that_was_never_in_the_index(table: Reporting) -> None:
    """AWS documents no write for an item that is in an index neither before nor after; we plan by that."""
    key: Item = {"pk": uuid4().hex, "sk": "s"}
    before: Item = {**key, "at": 1, "other": "x" * 1_500}
    after: Item = {**key, "author": "ann"}
    table.put(before)
    assert table.put(after) == {**ours(before, after), EVERYTHING.name: 2}
    assert EVERYTHING.name not in ours(before, after)


def test_the_engine_is_cheaper_than_the_documented_rule_in_four_places_and_no_other(small: Reporting) -> None:
    """AWS documents a minimum for every read and twice the units for every write of a transaction; we plan by that."""
    absent = {"pk": {"S": "p"}, "sk": {"S": "absent"}}
    asked = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "absent"}}}
    assert [units for _, units in small.query(**asked)] == [0]
    assert paged([], consistent=False) == 0.5

    batch = {small.name: {"Keys": [absent], "ConsistentRead": True}}
    answer = small.client.batch_get_item(RequestItems=batch, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 0
    assert got([None]) == 1

    assert small.transact([{"Delete": {"Key": absent}}]) == {"": 1}
    assert ours(None, None, shape=PLAIN, tx=True) == {"": 2}

    puts = [{"Put": {"Item": as_stored({"pk": "p", "sk": f"{n}"})}} for n in range(3)]
    assert small.transact(puts) == {"": 2}
    assert added([ours(None, {"pk": "p", "sk": "0"}, shape=PLAIN, tx=True)] * 3) == {"": 6}
