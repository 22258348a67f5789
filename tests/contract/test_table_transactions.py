"""What a table promises of several items that are written as one."""

import pytest

from footfall.ports.errors import Changed
from footfall.ports.table import (
    Absent,
    Below,
    Check,
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
)
from tests.contract.conftest import NOON_MS
from tests.contract.test_table import FAILING, HOLDING, KEY, OTHER, lay


@pytest.mark.parametrize(("before", "condition"), HOLDING)
def test_a_transaction_whose_conditions_hold_is_done(table: Table, before: Item | None, condition: Condition) -> None:
    lay(table, before)
    table.transact([Check(KEY, [condition]), Put(OTHER, {})])
    assert table.get(OTHER) == {}


@pytest.mark.parametrize(("before", "condition"), FAILING)
def test_a_transaction_with_a_condition_that_fails_changes_nothing(
    table: Table, before: Item | None, condition: Condition
) -> None:
    lay(table, before)
    for last in (Put(KEY, {"new": 1}, expects=[condition]), Check(KEY, [condition])):
        with pytest.raises(Changed):
            table.transact([Put(OTHER, {"new": 1}), last])
        assert table.get(KEY) == before
        assert table.get(OTHER) is None


def test_a_transaction_does_all_of_its_actions(table: Table) -> None:
    old, checked, counted = Key("p", "old"), Key("p", "checked"), Key("p", "counted")
    table.write([Put(old, {}), Put(checked, {"through": 7})])
    actions = [Put(KEY, {"a": 1}), Delete(old), Update(counted, add={"n": 2}), Check(checked, [Equals("through", 7)])]
    table.transact(actions)
    assert [table.get(key) for key in (KEY, old, counted, checked)] == [{"a": 1}, None, {"n": 2}, {"through": 7}]


def test_a_transaction_whose_update_makes_no_sense_changes_nothing(table: Table) -> None:
    table.put(Put(KEY, {"text": "x"}))
    with pytest.raises(Unfit):
        table.transact([Put(OTHER, {}), Update(KEY, add={"text": 1})])
    assert table.get(OTHER) is None


def test_a_transaction_does_not_see_an_expired_item(table: Table) -> None:
    table.put(Put(KEY, {"n": 5, "old": 1}, expires_at_ms=NOON_MS))
    table.transact([Check(KEY, [Absent()])])
    with pytest.raises(Changed):
        table.transact([Put(OTHER, {}), Update(KEY, add={"n": 1}, expects=[Present()])])
    table.transact([Put(OTHER, {}), Update(KEY, add={"n": 1}, expects=[Below("n", 3)])])
    assert (table.get(KEY), table.get(OTHER)) == ({"n": 1}, {})
