"""Pages of a partition: expired items are left out without a page ending early because of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from footfall.adapters.aws.counting_calls import Spent
from footfall.adapters.aws.dynamodb_calls import Calls
from footfall.adapters.aws.dynamodb_expressions import Terms, keys_of, order_of
from footfall.adapters.aws.dynamodb_items import (
    Names,
    StoredItem,
    is_live,
    item_from_stored,
    key_from_stored,
    stored_bytes,
    stored_from_value,
)
from footfall.ports.capacity import query_units
from footfall.ports.errors import Changed
from footfall.ports.table import (
    PAGE_BYTES_MAX,
    Found,
    Index,
    IndexKey,
    Item,
    Key,
    Page,
    Position,
    Unfit,
    place_in_index,
    require_key,
    require_partition,
    require_position,
)

ROUND_ITEMS_MAX = 1_000  # What is asked for at once where most items have expired.


@dataclass(frozen=True, slots=True)
class Asking:
    """One query."""

    partition: str
    at_least: Position | None
    at_most: Position | None
    backwards: bool
    limit: int | None
    after: Key | None
    index: Index | None


def require_asking(
    partition: str, *, limit: int | None, index: str | None, indexes: Mapping[str, Index]
) -> Index | None:
    """Return the index that is asked for, None for the table itself; raise for a query that makes no sense."""
    require_partition(partition)
    if limit is not None and limit < 1:
        raise Unfit(f"a page holds at least one item, not {limit}")
    if index is None:
        return None
    if index not in indexes:
        raise Unfit(f"the table has no index {index!r}, only {sorted(indexes)}: declare it with the table")
    return indexes[index]


def query_page(calls: Calls, names: Names, asking: Asking, *, item_at: Callable[[Key], Item | None]) -> Page:
    """Return one page of the query; `item_at` reads an item for a plain key that continues an index."""
    for end in (asking.at_least, asking.at_most):
        if end is not None:
            require_position(asking.index, end)
    reached = _reached(asking, item_at)
    if _is_empty(asking, reached):
        return Page([], after=None)
    start = None if reached is None or _is_before(asking, reached) else _start_key(names, asking, reached)
    return _filled(calls, names, asking, start)


def _reached(asking: Asking, item_at: Callable[[Key], Item | None]) -> Position | None:
    # The sort position after which the page begins.
    after, index = asking.after, asking.index
    if after is None:
        return None
    require_key(after)
    if index is None:
        if after.partition != asking.partition:
            raise Unfit(f"{after} continues another partition than {asking.partition!r}")
        return after.sort
    if isinstance(after, IndexKey):
        return require_position(index, after.position)
    item = item_at(after)
    place = None if item is None else place_in_index(index, item)
    if place is None:
        raise Changed(f"{after} is not in index {index.name!r} any more: begin the query again")
    return place[1]


def _is_empty(asking: Asking, reached: Position | None) -> bool:
    low, high = asking.at_least, asking.at_most
    if low is not None and high is not None and order_of(low) > order_of(high):
        return True
    far_end = low if asking.backwards else high
    if reached is None or far_end is None:
        return False
    return order_of(reached) < order_of(far_end) if asking.backwards else order_of(reached) > order_of(far_end)


def _is_before(asking: Asking, reached: Position) -> bool:
    # DynamoDB refuses to start outside the range, so such a start is the range's own.
    near_end = asking.at_most if asking.backwards else asking.at_least
    if near_end is None:
        return False
    return order_of(reached) > order_of(near_end) if asking.backwards else order_of(reached) < order_of(near_end)


def _start_key(names: Names, asking: Asking, reached: Position) -> StoredItem:
    assert asking.after is not None, "somebody has reached it"
    start = names.key(asking.after)
    if asking.index is not None:
        partition, sort = keys_of(names, asking.index)
        start |= {partition: {"S": asking.partition}, sort: stored_from_value(reached)}
    return start


def _filled(calls: Calls, names: Names, asking: Asking, start: StoredItem | None) -> Page:
    found: list[Found] = []
    room, ask, wanted = PAGE_BYTES_MAX, _ask(names, asking), asking.limit
    while True:
        ask |= {} if start is None else {"ExclusiveStartKey": start}
        ask |= {} if wanted is None else {"Limit": wanted}
        live, start = _live_items(calls, names, asking, ask)
        for stored, size in live:
            room -= size
            if len(found) == asking.limit or (found and room < 0):
                return Page(found, after=_place_of(found[-1], asking.index))
            found.append(Found(key_from_stored(names, stored), item_from_stored(names, stored)))
        if start is None:
            return Page(found, after=None)
        if found and (len(found) == asking.limit or room < PAGE_BYTES_MAX // 2):
            return Page(found, after=_place_of(found[-1], asking.index))
        # Most of what lies here has expired: look at more at a time than is wanted.
        wanted = None if wanted is None else min(ROUND_ITEMS_MAX, wanted * 2)


def _live_items(
    calls: Calls, names: Names, asking: Asking, ask: dict[str, Any]
) -> tuple[list[tuple[StoredItem, int]], StoredItem | None]:
    # One page of DynamoDB's, its live items with their sizes, and where the next begins.
    answer = calls.read(calls.client.query, ask, partition=asking.partition)
    stored_items: list[StoredItem] = answer.get("Items", [])
    sizes = [stored_bytes(stored) for stored in stored_items]
    calls.counted.add(asking.partition, Spent(read=query_units(sizes, consistent=asking.index is None)))
    now_ms = calls.now_ms()
    sized = zip(stored_items, sizes, strict=True)
    return [one for one in sized if is_live(names, one[0], now_ms=now_ms)], answer.get("LastEvaluatedKey")


def _ask(names: Names, asking: Asking) -> dict[str, Any]:
    partition, sort = keys_of(names, asking.index)
    terms = Terms(names)
    condition = f"{terms.name(partition)} = {terms.value({'S': asking.partition})}"
    condition += terms.between(sort, asking.at_least, asking.at_most)
    where = {} if asking.index is None else {"IndexName": asking.index.name}
    return {
        "TableName": names.table,
        "ScanIndexForward": not asking.backwards,
        "ConsistentRead": asking.index is None,
        **where,
        **terms.spoken(KeyConditionExpression=condition),
    }


def _place_of(found: Found, index: Index | None) -> Key:
    if index is None:
        return found.key
    position = found.item[index.sort]
    assert isinstance(position, str | int | float), "an item in an index has a position"
    return IndexKey(found.key.partition, found.key.sort, position)
