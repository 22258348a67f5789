"""Batches of writes: what the table leaves over is sent again, alone, and never faster than it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from footfall.adapters.aws.dynamodb_calls import Calls, Load
from footfall.adapters.aws.dynamodb_items import Names, StoredItem, stored_bytes, stored_from_item
from footfall.ports.capacity import write_units
from footfall.ports.errors import Throttled
from footfall.ports.table import Delete, Key, Put


@dataclass(frozen=True, slots=True)
class _Request:
    key: Key
    said: dict[str, Any]
    units: int


def write_batch(calls: Calls, names: Names, batch: Sequence[Put | Delete]) -> None:
    """Write every item of the batch; raise Throttled when the table goes on refusing some."""
    waiting = [_request(names, action) for action in batch]
    began_at_ms = calls.now_ms()
    while waiting:
        now, later = _portion(waiting, calls.pace.portion(sum(request.units for request in waiting)))
        left = _send(calls, names, now)
        waiting = [*left, *later]
        if left:
            if not calls.is_patient(began_at_ms):
                raise Throttled(f"{names.table} leaves {len(waiting)} of {len(batch)} items over: write them later")
            calls.rest()


def _request(names: Names, action: Put | Delete) -> _Request:
    if isinstance(action, Delete):
        return _Request(action.key, {"DeleteRequest": {"Key": names.key(action.key)}}, 1)
    stored = stored_from_item(names, action.key, action.item, expires_at_ms=action.expires_at_ms)
    return _Request(action.key, {"PutRequest": {"Item": stored}}, write_units(stored_bytes(stored)))


def _portion(waiting: list[_Request], units: float) -> tuple[list[_Request], list[_Request]]:
    total = 0.0
    for place, request in enumerate(waiting):
        total += request.units
        if total > units and place > 0:
            return waiting[:place], waiting[place:]
    return waiting, []


def _send(calls: Calls, names: Names, requests: list[_Request]) -> list[_Request]:
    ask = {"RequestItems": {names.table: [request.said for request in requests]}}
    # The units are told partition by partition below, when it is known which were taken.
    load = Load(requests[0].key.partition, sum(request.units for request in requests), items=len(requests))
    calls.take_turn(load.units)
    answer = calls.send_batch(ask, load)
    if answer is None:
        return requests
    over: list[dict[str, Any]] = answer.get("UnprocessedItems", {}).get(names.table, [])
    left_keys = [_key_of(names, said) for said in over]
    left = [request for request in requests if request.key in left_keys]
    for request in requests:
        told = Load(request.key.partition, request.units)
        if request.key in left_keys:
            calls.refused(told)
        else:
            calls.took(told)
    return left


def _key_of(names: Names, said: dict[str, Any]) -> Key:
    stored: StoredItem = said["PutRequest"]["Item"] if "PutRequest" in said else said["DeleteRequest"]["Key"]
    return Key(stored[names.partition]["S"], stored[names.sort]["S"])
