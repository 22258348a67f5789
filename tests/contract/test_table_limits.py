"""What every table refuses: each limit at its edge and one past it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from footfall.ports.errors import TooLarge
from footfall.ports.items import NAME_BYTES_MAX
from footfall.ports.table import (
    BATCH_ITEMS_MAX,
    INDEXES_MAX,
    ITEM_BYTES_MAX,
    NESTING_MAX,
    PARTITION_BYTES_MAX,
    SORT_BYTES_MAX,
    TRANSACT_ACTIONS_MAX,
    TRANSACT_BYTES_MAX,
    Absent,
    Action,
    Check,
    Delete,
    Equals,
    Index,
    Item,
    Key,
    Put,
    Table,
    Unfit,
    Update,
    Value,
    item_bytes,
)
from footfall.values.clock import SetClock
from tests.contract.conftest import NOON_MS, NewTable

KEY = Key("p", "s")


def every_write(table: Table, key: Key, item: Item) -> list[Callable[[], object]]:
    return [
        lambda: table.put(Put(key, item)),
        lambda: table.write([Put(key, item)]),
        lambda: table.update(Update(key, set=item)),
        lambda: table.transact([Put(key, item)]),
        lambda: table.transact([Update(key, set=item)]),
    ]


@pytest.mark.parametrize(
    "key",
    [
        Key("p" * PARTITION_BYTES_MAX, "s"),
        Key("p", "s" * SORT_BYTES_MAX),
        Key("é" * (PARTITION_BYTES_MAX // 2), "🦌" * (SORT_BYTES_MAX // 4)),
    ],
)
def test_a_key_may_be_as_long_as_its_limit(table: Table, key: Key) -> None:
    for write in every_write(table, key, {"a": 1}):
        write()
    assert table.get(key) == {"a": 1}
    assert [found.key for found in table.query(key.partition).items] == [key]


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (Key("p" * (PARTITION_BYTES_MAX + 1), "s"), TooLarge),
        (Key("p", "s" * (SORT_BYTES_MAX + 1)), TooLarge),
        (Key("é" * (PARTITION_BYTES_MAX // 2) + "p", "s"), TooLarge),
        (Key("p", "🦌" * (SORT_BYTES_MAX // 4) + "s"), TooLarge),
        (Key("", "s"), Unfit),
        (Key("p", ""), Unfit),
        (Key("p", "\ud800"), Unfit),
        (Key("\udfff", "s"), Unfit),
    ],
)
def test_a_key_beyond_its_limit_is_refused_everywhere(table: Table, key: Key, error: type[Exception]) -> None:
    for call in (
        *every_write(table, key, {}),
        lambda: table.get(key),
        lambda: table.delete(Delete(key)),
        lambda: table.write([Delete(key)]),
        lambda: table.transact([Check(key, [Absent()])]),
    ):
        with pytest.raises(error):
            call()


def test_an_item_may_be_as_large_as_the_limit(table: Table) -> None:
    item: Item = {"data": bytes(ITEM_BYTES_MAX - len("ps") - len("data"))}
    assert item_bytes(KEY, item) == ITEM_BYTES_MAX
    for write in every_write(table, KEY, item):
        write()
        assert table.get(KEY) == item


@pytest.mark.parametrize("data", [bytes(ITEM_BYTES_MAX - 5), "é" * (ITEM_BYTES_MAX // 2), ["x" * 1_000] * 400])
def test_an_item_one_byte_larger_is_refused(table: Table, data: Value) -> None:
    for write in every_write(table, KEY, {"data": data}):
        with pytest.raises(TooLarge):
            write()
    assert table.get(KEY) is None


def test_an_item_does_not_grow_beyond_the_limit_by_updates(table: Table) -> None:
    table.update(Update(KEY, set={"a": bytes(ITEM_BYTES_MAX - len("ps") - len("an") - 2), "n": 9}))
    with pytest.raises(TooLarge):
        table.update(Update(KEY, add={"n": 100}))
    item = table.get(KEY)
    assert item is not None
    assert item["n"] == 9


@dataclass(frozen=True, slots=True)
class Sized:
    value: Value
    size: int


@pytest.mark.parametrize(
    "sized",
    [
        Sized("abc", 3),
        Sized("é🦌", 6),
        Sized("", 0),
        Sized(b"\x00\x01", 2),
        Sized(None, 1),
        Sized(True, 1),
        Sized(0, 1),
        Sized(5, 2),
        Sized(100, 2),
        Sized(101, 3),
        Sized(-101, 4),
        Sized(10**38 - 1, 20),
        Sized(120, 3),
        Sized(1_200, 2),
        Sized(0.015, 3),
        Sized(0.5, 2),
        Sized(1.5, 3),
        Sized(12.5, 3),
        Sized(frozenset({"ab", "c"}), 3),
        Sized(frozenset({1, 22, 333}), 2 + 2 + 3),
        Sized([], 3),
        Sized({}, 3),
        Sized(["ab", 5], 3 + 2 + 2 + 2),
        Sized({"ab": 5}, 3 + 1 + 2 + 2),
        Sized([[]], 3 + 1 + 3),
    ],
)
def test_sizes_are_counted_as_dynamodb_counts_them(sized: Sized) -> None:
    assert item_bytes(Key("part", "so"), {"näme": sized.value}) == 4 + 2 + 5 + sized.size


def nested(levels: int, *, maps: bool) -> Value:
    value: Value = "x"
    for _ in range(levels):
        value = {"m": value} if maps else [value]
    return value


@pytest.mark.parametrize("maps", [False, True])
def test_lists_and_maps_lie_only_so_deep(table: Table, maps: bool) -> None:
    deepest: Item = {"a": nested(NESTING_MAX, maps=maps)}
    table.put(Put(KEY, deepest))
    assert table.get(KEY) == deepest
    for levels in (NESTING_MAX + 1, 5_000):
        for write in every_write(table, KEY, {"a": nested(levels, maps=maps)}):
            with pytest.raises(TooLarge):
                write()


@pytest.mark.parametrize("number", [10**38 - 1, -(10**38 - 1), (10**38 - 1) * 10**88, 1e-130, -1e125, 9e125])
def test_a_number_at_the_edge_of_its_range_is_kept(table: Table, number: int | float) -> None:
    table.put(Put(KEY, {"n": number}))
    item = table.get(KEY)
    assert item is not None
    found = item["n"]
    assert isinstance(found, int | float)
    assert found == number if isinstance(number, int) else float(found) == number


UNFIT: list[object] = [
    10**38 + 1,
    -(10**38) - 1,
    10**126,
    10**5_000,
    1e126,
    9.9e-131,
    float("nan"),
    float("inf"),
    float("-inf"),
    frozenset[str](),
    frozenset({"a", 1}),
    frozenset({True, 2}),
    frozenset({1.5}),
    frozenset({None}),
    {"mutable", "set"},
    "\ud800",
    frozenset({"\ud800"}),
    {"": 1},
    {5: 1},
    {"\ud800": 1},
    bytearray(b"x"),
    object(),
    1j,
]


@pytest.mark.parametrize("value", UNFIT, ids=range(len(UNFIT)))
def test_a_value_that_no_table_holds_is_refused_at_any_depth(table: Table, value: Value) -> None:
    items: list[Item] = [{"a": value}, {"a": [value]}, {"a": {"b": value}}]
    for item in items:
        for write in every_write(table, KEY, item):
            with pytest.raises(Unfit):
                write()
    assert table.get(KEY) is None
    with pytest.raises(Unfit):
        table.put(Put(KEY, {}, expects=[Equals("a", value)]))


def test_an_attribute_has_a_name(table: Table) -> None:
    for write in every_write(table, KEY, {"": 1}):
        with pytest.raises(Unfit):
            write()
    table.put(Put(KEY, {"n" * NAME_BYTES_MAX: 1}))
    for write in every_write(table, KEY, {"n" * (NAME_BYTES_MAX + 1): 1}):
        with pytest.raises(TooLarge):
            write()


def test_a_sum_beyond_38_digits_is_refused(table: Table) -> None:
    table.put(Put(KEY, {"n": 10**38 - 2}))
    assert table.update(Update(KEY, add={"n": 1})) == {"n": 10**38 - 1}
    table.update(Update(KEY, add={"n": 1}))
    with pytest.raises(Unfit):
        table.update(Update(KEY, add={"n": 1}))
    assert table.get(KEY) == {"n": 10**38}


def test_a_batch_has_at_most_25_items(table: Table) -> None:
    keys = [Key("p", f"{number:03d}") for number in range(BATCH_ITEMS_MAX + 1)]
    with pytest.raises(TooLarge):
        table.write([Put(key, {}) for key in keys])
    assert list(table.query("p").items) == []
    table.write([Put(key, {}) for key in keys[:BATCH_ITEMS_MAX]])
    assert [found.key for found in table.query("p").items] == keys[:BATCH_ITEMS_MAX]


def test_a_batch_has_no_conditions(table: Table) -> None:
    for action in (Put(KEY, {}, expects=[Absent()]), Delete(KEY, expects=[Absent()])):
        with pytest.raises(Unfit):
            table.write([action])


def test_a_call_names_each_key_once(table: Table) -> None:
    with pytest.raises(Unfit):
        table.write([Put(KEY, {}), Delete(KEY)])
    with pytest.raises(Unfit):
        table.transact([Check(KEY, [Absent()]), Put(KEY, {})])
    assert table.get(KEY) is None


def test_a_transaction_has_at_most_100_actions(table: Table) -> None:
    keys = [Key("p", f"{number:03d}") for number in range(TRANSACT_ACTIONS_MAX + 1)]
    with pytest.raises(TooLarge):
        table.transact([Put(key, {}) for key in keys])
    assert list(table.query("p").items) == []
    table.transact([Put(key, {}) for key in keys[:TRANSACT_ACTIONS_MAX]])
    assert [found.key for found in table.query("p").items] == keys[:TRANSACT_ACTIONS_MAX]


def test_a_transaction_writes_at_most_4_mb(table: Table) -> None:
    size = TRANSACT_BYTES_MAX // 10
    actions: list[Action] = [Put(Key("p", f"{number}"), {"a": bytes(size - 3)}) for number in range(9)]
    last = Key("p", "9")
    with pytest.raises(TooLarge):
        table.transact([*actions, Put(last, {"a": bytes(size - 3 - 1)}), Put(Key("q", "0"), {})])
    with pytest.raises(TooLarge):
        table.transact([*actions, Update(last, set={"a": bytes(size - 3)}), Put(Key("q", "0"), {})])
    assert list(table.query("p").items) == []
    table.transact([*actions, Update(last, set={"a": bytes(size - 3)})])
    assert table.get(last) == {"a": bytes(size - 3)}


@pytest.mark.parametrize("expires_at_ms", [-1, 2**53])
def test_a_moment_that_not_every_table_can_tell_is_refused(table: Table, expires_at_ms: int) -> None:
    for write in (
        lambda: table.put(Put(KEY, {}, expires_at_ms=expires_at_ms)),
        lambda: table.write([Put(KEY, {}, expires_at_ms=expires_at_ms)]),
        lambda: table.update(Update(KEY, expires_at_ms=expires_at_ms)),
        lambda: table.transact([Put(KEY, {}, expires_at_ms=expires_at_ms)]),
    ):
        with pytest.raises(Unfit):
            write()
    table.put(Put(KEY, {}, expires_at_ms=2**53 - 1))
    assert table.get(KEY) == {}


def test_a_table_has_at_most_20_indexes(new_table: NewTable) -> None:
    indexes = [Index(f"index{number}", "a", f"b{number}") for number in range(INDEXES_MAX + 1)]
    with pytest.raises(TooLarge):
        new_table(clock=SetClock(NOON_MS), indexes=indexes)
    with pytest.raises(Unfit):
        new_table(clock=SetClock(NOON_MS), indexes=[indexes[0], indexes[0]])
    table = new_table(clock=SetClock(NOON_MS), indexes=indexes[:INDEXES_MAX])
    table.put(Put(KEY, {"a": "x", "b19": "y"}))
    assert [found.key for found in table.query("x", index="index19").items] == [KEY]
