"""The table's contract on a store without transactions, PartiQL and later indexes, as ScyllaDB's Alternator is.

No such store can be had for tests, so DynamoDB Local stands for it, with those operations denied on the way. What is
not promised there is listed below: writes of several items as one. Everything else is the contract's own tests.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from footfall.adapters.aws.dynamodb_setup import MissingOperation, require_operations
from footfall.adapters.aws.dynamodb_table import NoTransactions
from footfall.ports.table import Index, Key, Put, Table
from footfall.values.clock import Clock, SetClock
from tests.contract import test_table, test_table_limits, test_table_queries
from tests.contract.conftest import INDEXES, NOON_MS, NewTable
from tests.engines.dynamodb import DynamoDbEngine, table_of
from tests.engines.faults import ALTERNATOR_LACKS, Faults

# Asked of every table, but not of one without transactions; nor is all of tests/contract/test_table_transactions.py.
NOT_PROMISED = {"test_a_transaction_has_at_most_100_actions", "test_a_transaction_writes_at_most_4_mb"}
# Asked elsewhere of the same adapter, and the same with and without transactions: only the port's own checks act.
SLOW = {"test_a_value_that_no_table_holds_is_refused_at_any_depth", "test_a_number_comes_back_exactly"}

for _contract in (test_table, test_table_limits, test_table_queries):
    for _name, _test in list(vars(_contract).items()):
        if _name.startswith("test_") and _name not in NOT_PROMISED | SLOW:
            globals()[_name] = _test


@pytest.fixture(scope="module")
def client(dynamodb: DynamoDbEngine) -> Iterator[Any]:
    client = dynamodb.client()
    with closing(Faults(client)) as faults:
        faults.denied = ALTERNATOR_LACKS
        yield client


@pytest.fixture(scope="module")
def new_table(dynamodb: DynamoDbEngine, client: Any) -> NewTable:
    def make(*, clock: Clock, indexes: Sequence[Index] = ()) -> Table:
        names = dynamodb.names(client, indexes=indexes)
        return table_of(client, names, clock=clock, indexes=indexes, has_transactions=False)

    return make


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def table(new_table: NewTable, clock: SetClock) -> Table:
    return new_table(clock=clock, indexes=INDEXES)


def test_every_test_that_is_left_out_exists() -> None:
    known = {name for contract in (test_table, test_table_limits, test_table_queries) for name in vars(contract)}
    assert known >= NOT_PROMISED | SLOW


def test_several_items_as_one_are_refused_with_the_reason_before_anything_is_written(table: Table) -> None:
    with pytest.raises(NoTransactions, match="without transactions"):
        table.transact([Put(Key("p", "a"), {}), Put(Key("p", "b"), {})])
    assert list(table.query("p").items) == []


def test_a_store_that_lacks_an_operation_is_refused_by_its_name(dynamodb: DynamoDbEngine, client: Any) -> None:
    names = dynamodb.names(client)
    require_operations(client, names, transactions=False)
    with pytest.raises(MissingOperation, match="TransactWriteItems"):
        require_operations(client, names)
