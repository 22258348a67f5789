"""The Table port on DynamoDB, or on any store that speaks its protocol.

The layout is drawn in docs/formats/table.md. One thread uses a DynamoDbTable; any number of tables may write to
one table of DynamoDB.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from footfall.adapters.aws.counting_calls import CountedCalls, Spent
from footfall.adapters.aws.dynamodb_batches import write_batch
from footfall.adapters.aws.dynamodb_calls import Answered, Calls, DoubtedCondition, DynamoDbClient, Load, Patience
from footfall.adapters.aws.dynamodb_errors import ConditionFailed, Doubtful
from footfall.adapters.aws.dynamodb_expressions import Terms
from footfall.adapters.aws.dynamodb_items import (
    TOKEN_BYTES,
    WRITE_TOKEN,
    Names,
    StoredItem,
    applied,
    is_live,
    item_from_stored,
    stored_bytes,
    stored_from_item,
)
from footfall.adapters.aws.dynamodb_pages import Asking, query_page, require_asking
from footfall.adapters.aws.dynamodb_transactions import transact
from footfall.ports.capacity import get_units, write_units
from footfall.ports.errors import Changed, TooLarge, Unavailable
from footfall.ports.table import (
    ITEM_BYTES_MAX,
    Absent,
    Action,
    Below,
    Condition,
    Delete,
    Equals,
    Index,
    Item,
    Key,
    Page,
    Position,
    Put,
    Update,
    item_bytes,
    place_in_index,
    require_batch,
    require_conditions,
    require_fits,
    require_indexes,
    require_key,
    require_moment,
    require_transaction,
    require_transaction_bytes,
    require_update,
)
from footfall.values.clock import Clock

RACES_MAX = 10  # An expired item that others renew at the same moment, so many times over.


class DynamoDbTable:
    """A table in one table of DynamoDB."""

    def __init__(  # noqa: PLR0913 - the ground, the clock, chance and a way to wait all come from outside
        self,
        client: DynamoDbClient,
        names: Names,
        *,
        clock: Clock,
        chance: Random,
        pause: Callable[[float], None],
        indexes: Sequence[Index] = (),
        patience: Patience = Patience(),  # noqa: B008 - it cannot change
        has_transactions: bool = True,
    ) -> None:
        require_indexes(indexes)
        self.counted = CountedCalls(clock)
        self._names = names
        self._clock = clock
        self._indexes = {index.name: index for index in indexes}
        self._calls = Calls(client, clock=clock, chance=chance, pause=pause, patience=patience, counted=self.counted)
        self._has_transactions = has_transactions

    @property
    def units_per_s(self) -> float | None:
        """The rate to which refusals have slowed the writer; None when there were none."""
        return self._calls.pace.units_per_s

    def get(self, key: Key) -> Item | None:
        """Return the item under the key."""
        require_key(key)
        stored = self._stored(key)
        if stored is None or not is_live(self._names, stored, now_ms=self._clock.now_ms()):
            return None
        return item_from_stored(self._names, stored)

    def put(self, put: Put) -> None:
        """Write one item; raise Changed when what it expects does not hold."""
        self._require_put(put)
        stored = stored_from_item(self._names, put.key, put.item, expires_at_ms=put.expires_at_ms)
        if not put.expects:
            self._write("put_item", {"Item": stored}, put.key, size=stored_bytes(stored))
            return
        # The token tells our own write from a rival's when an answer was lost on its way.
        token = self._calls.token(TOKEN_BYTES)
        stored[WRITE_TOKEN] = {"B": token}
        terms = Terms(self._names)
        ask = {"Item": stored, **self._expecting(terms, put.expects)}
        try:
            self._write("put_item", ask, put.key, size=stored_bytes(stored))
        except DoubtedCondition as doubted:
            self._require_ours(put.key, doubted, token)

    def write(self, batch: Sequence[Put | Delete]) -> None:
        """Write up to 25 items without conditions, each until it is written; a failure may leave some of them."""
        require_batch(batch)
        for action in batch:
            if isinstance(action, Put):
                self._require_put(action)
        write_batch(self._calls, self._names, batch)

    def update(self, update: Update) -> Item:
        """Change named attributes and return the item as it is now; raise Changed."""
        require_update(update)
        require_conditions(update.expects)
        for _ in range(RACES_MAX):
            try:
                return item_from_stored(self._names, self._update(update))
            except ConditionFailed as failed:
                if failed.found is None or is_live(self._names, failed.found, now_ms=self._clock.now_ms()):
                    raise Changed(str(failed)) from failed
                require_none_expected(update.key, update.expects)
            fresh = self._put_fresh(update)
            if fresh is not None:
                return item_from_stored(self._names, fresh)
        raise Unavailable(f"{update.key} was renewed by others {RACES_MAX} times while it was updated: try again")

    def delete(self, delete: Delete) -> None:
        """Remove one item; raise Changed when what it expects does not hold."""
        require_key(delete.key)
        require_conditions(delete.expects)
        ask: dict[str, Any] = {"Key": self._names.key(delete.key)}
        if delete.expects:
            ask |= self._expecting(Terms(self._names), delete.expects)
        # A delete leaves nothing behind that could tell whose it was, so a doubted one stays doubted.
        self._write("delete_item", ask, delete.key, size=0)

    def transact(self, actions: Sequence[Action]) -> None:
        """Do all of the actions or none; raise Changed when one's condition does not hold."""
        require_transaction(actions)
        for action in actions:
            self._require_action(action)
        require_transaction_bytes(sum(map(_written_bytes, actions)))
        match actions:
            case []:
                return
            case [Put() as put]:  # Alone it is as atomic, at half the price.
                self.put(put)
            case [Update() as update]:
                self.update(update)
            case [Delete() as delete]:
                self.delete(delete)
            case _:
                self._require_transactions()
                transact(self._calls, self._names, actions)

    def query(  # noqa: PLR0913 - a range has two ends, an order, a size and a place to go on from
        self,
        partition: str,
        *,
        at_least: Position | None = None,
        at_most: Position | None = None,
        backwards: bool = False,
        limit: int | None = None,
        after: Key | None = None,
        index: str | None = None,
    ) -> Page:
        """Return one page of a partition's items between two sort keys, both ends included."""
        declared = require_asking(partition, limit=limit, index=index, indexes=self._indexes)
        asking = Asking(partition, at_least, at_most, backwards, limit, after, declared)
        return query_page(self._calls, self._names, asking, item_at=self.get)

    @contextmanager
    def together(self) -> Generator[None]:
        """Do nothing more: every write here is durable when it returns, so a crash leaves a prefix of them."""
        yield

    def expire(self, limit: int) -> int:
        """Return 0: DynamoDB removes what has expired by itself, and until then nobody is shown it."""
        del limit
        return 0

    def close(self) -> None:
        """Close the connections."""
        self._calls.client.close()

    def _require_put(self, put: Put) -> None:
        require_fits(put.key, put.item)
        require_moment(put.expires_at_ms)
        require_conditions(put.expects)
        for index in self._indexes.values():
            place_in_index(index, put.item)

    def _require_action(self, action: Action) -> None:
        require_conditions(action.expects)
        if isinstance(action, Put):
            self._require_put(action)
        elif isinstance(action, Update):
            require_update(action)

    def _require_transactions(self) -> None:
        if not self._has_transactions:
            raise NoTransactions(f"{self._names.table} lies in a store without transactions: write one item at a time")

    def _stored(self, key: Key) -> StoredItem | None:
        ask = {"TableName": self._names.table, "Key": self._names.key(key), "ConsistentRead": True}
        answer = self._calls.read(self._calls.client.get_item, ask, partition=key.partition)
        stored: StoredItem | None = answer.get("Item")
        self.counted.add(key.partition, Spent(read=get_units(0 if stored is None else stored_bytes(stored))))
        return stored

    def _expecting(self, terms: Terms, expects: Sequence[Condition], *, also: str = "") -> dict[str, Any]:
        conditions = terms.conditions(expects, now_ms=self._clock.now_ms())
        joined = " AND ".join(said for said in (also, conditions) if said)
        return {**terms.spoken(ConditionExpression=joined), "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}

    def _write(self, operation: str, ask: dict[str, Any], key: Key, *, size: int, may_repeat: bool = True) -> Answered:
        load = Load(key.partition, write_units(size))
        call: Callable[..., Answered] = getattr(self._calls.client, operation)
        try:
            return self._calls.write(call, {"TableName": self._names.table, **ask}, load, may_repeat=may_repeat)
        except ConditionFailed as failed:
            raise ConditionFailed(f"{key} is not as expected; read it again", failed.found) from failed

    def _require_ours(self, key: Key, doubted: DoubtedCondition, token: bytes) -> StoredItem:
        found = doubted.failed.found
        if isinstance(found, dict) and found.get(WRITE_TOKEN) == {"B": token}:
            return found
        raise Doubtful(f"{key}: the answer to a write was lost, and others have written since; read it") from doubted

    def _update(self, update: Update) -> StoredItem:
        token = self._calls.token(TOKEN_BYTES)
        terms = Terms(self._names)
        changes = terms.changes(update, token=token)
        condition = terms.live(self._clock.now_ms())
        if update.expects:
            condition += " AND " + terms.conditions(update.expects, now_ms=self._clock.now_ms())
        ask = {
            "Key": self._names.key(update.key),
            **terms.spoken(UpdateExpression=changes, ConditionExpression=condition),
            "ReturnValues": "ALL_OLD",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        size = item_bytes(update.key, {**update.set, **update.add, **update.set_add})
        try:
            # What is added must not be added twice; all else may be said again.
            answer = self._write("update_item", ask, update.key, size=size, may_repeat=not update.add)
        except DoubtedCondition as doubted:
            return self._require_ours(update.key, doubted, token)
        except Doubtful as doubtful:
            found = self._stored(update.key)
            if found is None or found.get(WRITE_TOKEN) != {"B": token}:
                raise Doubtful(f"{update.key}: whether it was added to is unknown; read it") from doubtful
            return found
        before: StoredItem = answer.get("Attributes", {})
        after = applied(self._names, before, update, token=token)
        self._require_not_too_large(update, before, after)
        return after

    def _require_not_too_large(self, update: Update, before: StoredItem, after: StoredItem) -> None:
        # DynamoDB's own limit is 9,600 bytes higher than the port's, so the few updates that end between are undone.
        if stored_bytes(after) <= ITEM_BYTES_MAX:
            return
        size = item_bytes(update.key, item_from_stored(self._names, after))
        if size <= ITEM_BYTES_MAX:
            return
        terms = Terms(self._names)
        still_ours = f"{terms.name(WRITE_TOKEN)} = {terms.value(after[WRITE_TOKEN])}"
        ask = terms.spoken(ConditionExpression=still_ours)
        if before:
            self._write("put_item", {"Item": before, **ask}, update.key, size=size)
        else:
            self._write("delete_item", {"Key": self._names.key(update.key), **ask}, update.key, size=size)
        raise TooLarge(f"an item holds at most {ITEM_BYTES_MAX} bytes, {update.key} would have {size}")

    def _put_fresh(self, update: Update) -> StoredItem | None:
        token = self._calls.token(TOKEN_BYTES)
        fresh = applied(self._names, {}, update, token=token)
        terms = Terms(self._names)
        ask = {"Item": fresh, **self._expecting(terms, (), also=terms.expired(self._clock.now_ms()))}
        try:
            self._write("put_item", ask, update.key, size=stored_bytes(fresh))
        except ConditionFailed:
            return None
        except DoubtedCondition as doubted:
            return self._require_ours(update.key, doubted, token)
        return fresh


class NoTransactions(Unavailable):
    """The store behind the endpoint has no transactions, so several items cannot be written as one."""


def require_none_expected(key: Key, expects: Sequence[Condition]) -> None:
    """Raise Changed unless the conditions hold where there is no item."""
    for condition in expects:
        match condition:
            case Absent() | Below() | Equals(value=None):
                pass
            case _:
                raise Changed(f"{key} is not as expected: it has expired, so {condition} does not hold")


def _written_bytes(action: Action) -> int:
    match action:
        case Put():
            return item_bytes(action.key, action.item)
        case Update():
            return item_bytes(action.key, {**action.set, **action.add, **action.set_add})
        case _:
            return 0
