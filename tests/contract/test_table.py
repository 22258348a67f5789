"""What every table promises of single items, conditions and updates."""

import pytest

from footfall.ports.errors import Changed
from footfall.ports.table import (
    Absent,
    Below,
    Condition,
    Delete,
    Equals,
    Item,
    Key,
    Present,
    Put,
    Table,
    Unfit,
    Update,
    Value,
    everything,
)
from footfall.values.clock import SetClock
from tests.contract.conftest import NOON_MS

KEY = Key("abc#M#2026-11-15T12:00Z", "s00")
OTHER = Key("abc#M#2026-11-15T12:00Z", "s01")

RICH: Item = {
    "text": "Hämeenlinna 🦌",
    "empty": "",
    "zero": "nul\x00inside",
    "count": 258,
    "share": 0.125,
    "bytes": b"\x00\xff",
    "no_bytes": b"",
    "yes": True,
    "no": False,
    "nothing": None,
    "words": frozenset({"a", "b", ""}),
    "numbers": frozenset({1, -(10**30)}),
    "blobs": frozenset({b"", b"\x00"}),
    "list": [1, "two", [3.5, None, {"deep": [b"x", frozenset({"y"})]}]],
    "map": {"inner": {"most": [True]}, "none": {}},
    "no_list": [],
}


def test_what_was_put_comes_back_whole(table: Table) -> None:
    table.put(Put(KEY, RICH))
    assert table.get(KEY) == RICH


def test_an_item_without_attributes_is_an_item(table: Table) -> None:
    table.put(Put(KEY, {}))
    assert table.get(KEY) == {}


def test_what_was_never_put_is_not_there(table: Table) -> None:
    assert table.get(KEY) is None


def test_a_put_replaces_the_whole_item(table: Table) -> None:
    table.put(Put(KEY, {"a": 1, "b": 2}))
    table.put(Put(KEY, {"a": 3}))
    assert table.get(KEY) == {"a": 3}


def test_a_tuple_comes_back_as_a_list(table: Table) -> None:
    table.put(Put(KEY, {"pair": (1, (2, 3))}))
    assert table.get(KEY) == {"pair": [1, [2, 3]]}


def test_truth_is_not_a_number(table: Table) -> None:
    table.put(Put(KEY, {"truth": True, "number": 1}))
    item = table.get(KEY)
    assert item is not None
    assert item["truth"] is True
    assert type(item["number"]) is int


@pytest.mark.parametrize(
    "number",
    [
        0,
        -1,
        2**53 + 1,
        2**63 - 1,
        2**63,
        2**64,
        -(2**63),
        -(2**63) - 1,
        10**38 - 1,
        -(10**38) + 1,
        10**125,
        0.1,
        -2.5e-7,
    ],
)
def test_a_number_comes_back_exactly(table: Table, number: int | float) -> None:
    table.put(Put(KEY, {"n": number, "in": [number]}))
    item = table.get(KEY)
    assert item is not None
    assert item == {"n": number, "in": [number]}
    assert type(item["n"]) is type(number)


@pytest.mark.parametrize(
    ("put", "got"),
    [(1.0, 1), (-0.0, 0), (1e22, 10**22), (1e30, 10**30), (-3e125, -3 * 10**125), (2.0**60, 1_152_921_504_606_847_000)],
)
def test_a_whole_float_comes_back_as_an_int(table: Table, put: float, got: int) -> None:
    table.put(Put(KEY, {"n": put}))
    item = table.get(KEY)
    assert item is not None
    assert item == {"n": got}
    assert type(item["n"]) is int
    assert float(got) == put


def test_a_deleted_item_is_gone(table: Table) -> None:
    table.put(Put(KEY, {"a": 1}))
    table.delete(Delete(KEY))
    assert table.get(KEY) is None


def test_deleting_what_is_not_there_does_nothing(table: Table) -> None:
    table.delete(Delete(KEY))
    assert table.get(KEY) is None


HOLDING: list[tuple[Item | None, Condition]] = [
    (None, Absent()),
    ({}, Present()),
    ({"a": 1}, Equals("a", 1)),
    ({"a": 1}, Equals("a", 1.0)),
    ({"a": 10**30}, Equals("a", 10**30)),
    ({"a": "x"}, Equals("a", "x")),
    ({"a": b"x"}, Equals("a", b"x")),
    ({"a": True}, Equals("a", True)),
    ({"a": None}, Equals("a", None)),
    ({"b": 1}, Equals("a", None)),
    (None, Equals("a", None)),
    ({"a": frozenset({"x", "y"})}, Equals("a", frozenset({"y", "x"}))),
    ({"a": [1, {"y": 2, "x": 3}]}, Equals("a", (1, {"x": 3, "y": 2}))),
    ({"a": 4}, Below("a", 5)),
    ({"a": -1}, Below("a", -0.5)),
    ({"a": 10**37}, Below("a", 10**37 + 1)),
    ({"b": 4}, Below("a", 5)),
    (None, Below("a", 5)),
]
FAILING: list[tuple[Item | None, Condition]] = [
    ({}, Absent()),
    (None, Present()),
    ({"a": 1}, Equals("a", 2)),
    ({"a": 1}, Equals("a", True)),
    ({"a": True}, Equals("a", 1)),
    ({"a": 1}, Equals("a", "1")),
    ({"a": "x"}, Equals("a", b"x")),
    ({"a": 1}, Equals("a", None)),
    ({"b": 1}, Equals("a", 1)),
    (None, Equals("a", 1)),
    ({"a": ["x"]}, Equals("a", frozenset({"x"}))),
    ({"a": [1, 2]}, Equals("a", [2, 1])),
    ({"a": 5}, Below("a", 5)),
    ({"a": 6}, Below("a", 5)),
    ({"a": "1"}, Below("a", 5)),
    ({"a": None}, Below("a", 5)),
    ({"a": True}, Below("a", 5)),
]


@pytest.mark.parametrize(("before", "condition"), HOLDING)
def test_a_write_whose_condition_holds_is_done(table: Table, before: Item | None, condition: Condition) -> None:
    for write in (
        lambda: table.put(Put(KEY, {"new": 1}, expects=[condition])),
        lambda: table.update(Update(KEY, set={"new": 1}, expects=[condition])),
        lambda: table.transact([Put(KEY, {"new": 1}, expects=[condition])]),
        lambda: table.delete(Delete(KEY, expects=[condition])),
    ):
        lay(table, before)
        write()


@pytest.mark.parametrize(("before", "condition"), FAILING)
def test_a_write_whose_condition_fails_changes_nothing(table: Table, before: Item | None, condition: Condition) -> None:
    for write in (
        lambda: table.put(Put(KEY, {"new": 1}, expects=[condition])),
        lambda: table.update(Update(KEY, set={"new": 1}, expects=[condition])),
        lambda: table.transact([Put(KEY, {"new": 1}, expects=[condition])]),
        lambda: table.delete(Delete(KEY, expects=[condition])),
    ):
        lay(table, before)
        with pytest.raises(Changed):
            write()
        assert table.get(KEY) == before


def lay(table: Table, before: Item | None) -> None:
    table.delete(Delete(KEY))
    if before is not None:
        table.put(Put(KEY, before))


def test_all_conditions_must_hold(table: Table) -> None:
    table.put(Put(KEY, {"a": 1, "b": 2}))
    table.put(Put(KEY, {"a": 1, "b": 3}, expects=[Present(), Equals("a", 1), Below("b", 3)]))
    with pytest.raises(Changed):
        table.put(Put(KEY, {}, expects=[Present(), Equals("a", 1), Below("b", 3)]))
    assert table.get(KEY) == {"a": 1, "b": 3}


def test_an_update_makes_an_item_that_is_not_there(table: Table) -> None:
    new = table.update(
        Update(KEY, set={"a": "x"}, add={"n": 5}, set_add={"s": frozenset({"m"})}, remove=frozenset("r"))
    )
    assert new == table.get(KEY) == {"a": "x", "n": 5, "s": frozenset({"m"})}


def test_an_update_that_names_nothing_makes_an_empty_item(table: Table) -> None:
    assert table.update(Update(KEY)) == table.get(KEY) == {}


def test_an_update_leaves_other_attributes_alone(table: Table) -> None:
    table.put(Put(KEY, RICH))
    table.update(Update(KEY, set={"text": "new"}, remove=frozenset({"list", "never there"})))
    assert table.get(KEY) == {**{name: value for name, value in RICH.items() if name != "list"}, "text": "new"}


@pytest.mark.parametrize(
    ("before", "amount", "after"),
    [
        (1, 2, 3),
        (1, -5, -4),
        (2**63 - 1, 1, 2**63),
        (0.1, 0.2, 0.3),
        (0.5, 0.5, 1),
        (10**37, 1, 10**37 + 1),
        (1, 0.5, 1.5),
    ],
)
def test_adding_to_a_number(table: Table, before: int | float, amount: int | float, after: int | float) -> None:
    table.put(Put(KEY, {"n": before}))
    assert table.update(Update(KEY, add={"n": amount})) == table.get(KEY) == {"n": after}


def test_a_set_gains_and_loses_members(table: Table) -> None:
    table.put(Put(KEY, {"s": frozenset({"a", "b"})}))
    assert table.update(Update(KEY, set_add={"s": frozenset({"b", "c"})})) == {"s": frozenset({"a", "b", "c"})}
    assert table.update(Update(KEY, set_remove={"s": frozenset({"a", "z"})})) == {"s": frozenset({"b", "c"})}


def test_a_set_that_loses_its_last_member_goes_away(table: Table) -> None:
    table.put(Put(KEY, {"s": frozenset({"a"}), "keep": 1}))
    assert table.update(Update(KEY, set_remove={"s": frozenset({"a"})})) == table.get(KEY) == {"keep": 1}
    assert table.update(Update(KEY, set_remove={"s": frozenset({"a"})})) == {"keep": 1}


@pytest.mark.parametrize(
    "update",
    [
        Update(KEY, add={"text": 1}),
        Update(KEY, add={"yes": 1}),
        Update(KEY, add={"nothing": 1}),
        Update(KEY, set_add={"text": frozenset({"a"})}),
        Update(KEY, set_add={"numbers": frozenset({"a"})}),
        Update(KEY, set_remove={"list": frozenset({"a"})}),
        Update(KEY, set={"a": 1}, add={"a": 1}),
        Update(KEY, set={"a": 1}, remove=frozenset({"a"})),
        Update(KEY, set_add={"words": frozenset({"x"})}, set_remove={"words": frozenset({"y"})}),
        Update(KEY, set_add={"words": frozenset()}),
        Update(KEY, set_remove={"words": frozenset()}),
        Update(KEY, add={"count": True}),
        Update(KEY, remove=frozenset({""})),
    ],
)
def test_an_update_that_makes_no_sense_changes_nothing(table: Table, update: Update) -> None:
    table.put(Put(KEY, RICH))
    with pytest.raises(Unfit):
        table.update(update)
    assert table.get(KEY) == RICH


def test_a_batch_puts_and_deletes(table: Table) -> None:
    table.put(Put(OTHER, {"old": 1}))
    table.write([Put(KEY, {"new": 1}), Delete(OTHER), Delete(Key("nobody", "here"))])
    assert table.get(KEY) == {"new": 1}
    assert table.get(OTHER) is None


def test_an_empty_batch_and_an_empty_transaction_do_nothing(table: Table) -> None:
    table.write([])
    table.transact([])
    assert list(everything(table, KEY.partition)) == []


def test_an_item_is_seen_until_the_millisecond_at_which_it_expires(table: Table, clock: SetClock) -> None:
    table.put(Put(KEY, {"a": 1}, expires_at_ms=NOON_MS + 1_000))
    clock.set(NOON_MS + 999)
    assert table.get(KEY) == {"a": 1}
    assert [found.key for found in everything(table, KEY.partition)] == [KEY]
    clock.set(NOON_MS + 1_000)
    assert table.get(KEY) is None
    assert list(everything(table, KEY.partition)) == []


def test_an_item_put_after_its_time_is_never_seen(table: Table) -> None:
    table.put(Put(KEY, {"a": 1}, expires_at_ms=NOON_MS))
    assert table.get(KEY) is None


def test_conditions_do_not_see_an_expired_item(table: Table) -> None:
    for write in (
        lambda: table.put(Put(KEY, {}, expects=[Absent()])),
        lambda: table.update(Update(KEY, expects=[Absent(), Equals("a", None)])),
        lambda: table.delete(Delete(KEY, expects=[Absent()])),
    ):
        table.put(Put(KEY, {"a": 1}, expires_at_ms=NOON_MS))
        with pytest.raises(Changed):
            table.put(Put(KEY, {}, expects=[Present()]))
        write()


def test_an_update_of_an_expired_item_starts_anew(table: Table) -> None:
    table.put(Put(KEY, {"n": 5, "old": 1}, expires_at_ms=NOON_MS))
    assert table.update(Update(KEY, add={"n": 1})) == table.get(KEY) == {"n": 1}


def test_an_update_keeps_the_time_of_expiry_unless_it_names_one(table: Table, clock: SetClock) -> None:
    table.put(Put(KEY, {}, expires_at_ms=NOON_MS + 10))
    table.update(Update(KEY, add={"n": 1}))
    table.put(Put(OTHER, {}, expires_at_ms=NOON_MS + 10))
    table.update(Update(OTHER, add={"n": 1}, expires_at_ms=NOON_MS + 20))
    clock.set(NOON_MS + 10)
    assert table.get(KEY) is None
    assert table.get(OTHER) == {"n": 1}
    clock.set(NOON_MS + 20)
    assert table.get(OTHER) is None


def test_a_put_without_expiry_takes_an_earlier_one_away(table: Table, clock: SetClock) -> None:
    table.put(Put(KEY, {}, expires_at_ms=NOON_MS + 10))
    table.put(Put(KEY, {"a": 1}))
    clock.set(NOON_MS + 10)
    assert table.get(KEY) == {"a": 1}


def test_writes_together_are_all_there_afterwards(table: Table) -> None:
    with table.together():
        table.put(Put(KEY, {"a": 1}))
        assert table.get(KEY) == {"a": 1}
        with table.together():
            table.update(Update(KEY, add={"a": 1}))
            table.transact([Put(OTHER, {})])
    assert (table.get(KEY), table.get(OTHER)) == ({"a": 2}, {})


def test_a_failed_condition_among_writes_together_leaves_the_others(table: Table) -> None:
    with table.together():
        table.put(Put(KEY, {"a": 1}))
        with pytest.raises(Changed):
            table.put(Put(KEY, {"a": 2}, expects=[Absent()]))
        table.put(Put(OTHER, {"b": 1}))
    assert (table.get(KEY), table.get(OTHER)) == ({"a": 1}, {"b": 1})


def test_values_are_not_shared_with_the_caller(table: Table) -> None:
    inner: list[Value] = [1]
    table.put(Put(KEY, {"list": inner}))
    inner.append(2)
    assert table.get(KEY) == {"list": [1]}
