"""Transactions on DynamoDB: said again under one token until the answer is known, so that they happen once."""

from collections.abc import Sequence
from typing import Any

from footfall.adapters.aws.dynamodb_calls import Calls, DoubtedCondition, Load
from footfall.adapters.aws.dynamodb_errors import ConditionsFailed, Doubtful
from footfall.adapters.aws.dynamodb_expressions import Terms
from footfall.adapters.aws.dynamodb_items import (
    TOKEN_BYTES,
    WRITE_TOKEN,
    Names,
    StoredItem,
    applied,
    is_live,
    stored_bytes,
    stored_from_item,
)
from footfall.ports.capacity import write_units
from footfall.ports.errors import Changed, Unavailable
from footfall.ports.table import Action, Check, Delete, Put, Update

ROUNDS_MAX = 10  # Items that expire or are renewed between two attempts, so many times over.


def transact(calls: Calls, names: Names, actions: Sequence[Action]) -> None:
    """Do all of the actions or none; raise Changed when one's condition does not hold."""
    expired: frozenset[int] = frozenset()
    for _ in range(ROUNDS_MAX):
        now_ms = calls.now_ms()
        try:
            _send(calls, names, actions, expired)
        except ConditionsFailed as failed:
            live, gone = _live_and_expired(names, actions, failed.found, now_ms=now_ms)
            if (expired | gone) - live == expired:
                raise Changed(f"the transaction on {actions[0].key} and others: {failed}") from failed
            expired = (expired | gone) - live
        else:
            return
    raise Unavailable(f"items of the transaction on {actions[0].key} were renewed by others all the time: try again")


def _send(calls: Calls, names: Names, actions: Sequence[Action], expired: frozenset[int]) -> None:
    token = calls.token(TOKEN_BYTES)
    said = [
        _said(calls, names, action, is_expired=place in expired, token=token) for place, action in enumerate(actions)
    ]
    ask = {"TransactItems": said, "ClientRequestToken": calls.token(16).hex()}
    units = [write_units(_size(one), transaction=True) for one in said]
    shares = [(action.key.partition, cost) for action, cost in zip(actions, units, strict=True)]
    load = Load(actions[0].key.partition, sum(units), items=len(actions), shares=shares)
    try:
        calls.write(calls.client.transact_write_items, ask, load, may_repeat=True)
    except DoubtedCondition as doubted:
        # DynamoDB answers a repeated token as it did the first time, so only one past its ten minutes gets here.
        if not _is_ours(doubted, token):
            raise Doubtful(f"the answer to the transaction on {actions[0].key} was lost; read its items") from doubted


def _is_ours(doubted: DoubtedCondition, token: bytes) -> bool:
    found = doubted.failed.found
    items = found if isinstance(found, Sequence) else [found]
    return any(item is not None and item.get(WRITE_TOKEN) == {"B": token} for item in items)


def _said(calls: Calls, names: Names, action: Action, *, is_expired: bool, token: bytes) -> dict[str, Any]:
    terms, now_ms = Terms(names), calls.now_ms()
    ask: dict[str, Any] = {"TableName": names.table, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    condition = terms.conditions(action.expects, now_ms=now_ms)
    match action:
        case Put():
            stored = stored_from_item(names, action.key, action.item, expires_at_ms=action.expires_at_ms)
            stored |= {WRITE_TOKEN: {"B": token}} if action.expects else {}
            return {"Put": {**ask, "Item": stored, **terms.spoken(ConditionExpression=condition)}}
        case Delete():
            return {"Delete": {**ask, "Key": names.key(action.key), **terms.spoken(ConditionExpression=condition)}}
        case Check():
            # A check of nothing holds always; DynamoDB wants to hear a condition all the same.
            spoken = terms.spoken(ConditionExpression=condition or terms.anything())
            return {"ConditionCheck": {**ask, "Key": names.key(action.key), **spoken}}
        case Update() if is_expired:
            # An expired item is replaced whole, on the condition that nobody has renewed it meanwhile.
            joined = " AND ".join(said for said in (terms.expired(now_ms), condition) if said)
            fresh = applied(names, {}, action, token=token)
            return {"Put": {**ask, "Item": fresh, **terms.spoken(ConditionExpression=joined)}}
        case Update():
            changes = terms.changes(action, token=token)
            joined = " AND ".join(said for said in (terms.live(now_ms), condition) if said)
            spoken = terms.spoken(UpdateExpression=changes, ConditionExpression=joined)
            return {"Update": {**ask, "Key": names.key(action.key), **spoken}}


def _size(said: dict[str, Any]) -> int:
    ((_, ask),) = said.items()
    values: StoredItem = ask.get("Item") or ask.get("ExpressionAttributeValues") or {}
    return stored_bytes(values)


def _live_and_expired(
    names: Names, actions: Sequence[Action], found: Sequence[StoredItem | None], *, now_ms: int
) -> tuple[frozenset[int], frozenset[int]]:
    # The places of the updates that met a live item, and of those that met an expired one.
    met = {
        place: is_live(names, item, now_ms=now_ms)
        for place, (action, item) in enumerate(zip(actions, found, strict=True))
        if isinstance(action, Update) and item
    }
    live = frozenset(place for place, lives in met.items() if lives)
    return live, frozenset(met) - live
