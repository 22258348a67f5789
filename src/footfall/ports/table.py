"""Table: small items under two keys.

Reads see writes. Items hold text, numbers, bytes, truth values, sets, lists and maps. DynamoDB's limits
bind every adapter, so what runs on one ground runs on the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from footfall.ports.errors import TooLarge
from footfall.ports.items import NESTING_MAX as NESTING_MAX
from footfall.ports.items import NUMBER_DIGITS_MAX as NUMBER_DIGITS_MAX
from footfall.ports.items import Item, Unfit, Value, map_bytes, number_bytes, text_bytes

ITEM_BYTES_MAX = 400_000  # DynamoDB: 400 KB, keys and attribute names included.
PARTITION_BYTES_MAX = 2_048
SORT_BYTES_MAX = 1_024
BATCH_ITEMS_MAX = 25  # DynamoDB's BatchWriteItem.
TRANSACT_ACTIONS_MAX = 100  # DynamoDB's TransactWriteItems.
TRANSACT_BYTES_MAX = 4_000_000
PAGE_BYTES_MAX = 1_000_000  # A DynamoDB query returns at most 1 MB a page.
INDEXES_MAX = 20
MOMENT_MS_MAX = 2**53 - 1  # A moment stays exact wherever a number may pass through a float.

Position = str | int | float


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Where an item lies: items of one partition are ordered by the UTF-8 bytes of their sort key."""

    partition: str
    sort: str


@dataclass(frozen=True, slots=True)
class IndexKey(Key):
    """A key that remembers where in an index its item stood, so that a page continues when the item has gone."""

    position: Position


@dataclass(frozen=True, slots=True)
class Index:
    """A second order over the same items, by attributes of their own; eventually consistent on AWS.

    The partition attribute is text and the sort attribute text or, when `numeric`, a number. An item that
    lacks either is not in the index. Items at one position follow each other by their keys, or in any
    order on AWS.
    """

    name: str
    partition: str
    sort: str
    numeric: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Absent:
    """Holds when there is no item under the key."""


@dataclass(frozen=True, slots=True)
class Present:
    """Holds when there is an item under the key."""


@dataclass(frozen=True, slots=True)
class Equals:
    """Holds when the attribute has this value; None: when it is null or not there."""

    attribute: str
    value: Value


@dataclass(frozen=True, slots=True)
class Below:
    """Holds when the attribute is a number under the bound, or not there."""

    attribute: str
    bound: int | float


Condition = Absent | Present | Equals | Below


@dataclass(frozen=True, slots=True)
class Put:
    """Write an item whole, in the place of whatever was there."""

    key: Key
    item: Item
    expires_at_ms: int | None = None
    expects: Sequence[Condition] = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an item; nothing happens when there is none."""

    key: Key
    expects: Sequence[Condition] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """Change named attributes without reading first; makes the item when there is none.

    Adding to a number or a set that is not there makes it. A set that loses its last member goes away.
    Without `expires_at_ms` the item expires when it did before. No attribute may be named twice.
    """

    key: Key
    set: Mapping[str, Value] = field(default_factory=dict[str, Value])
    add: Mapping[str, int | float] = field(default_factory=dict[str, int | float])
    set_add: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    set_remove: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    remove: frozenset[str] = frozenset()
    expires_at_ms: int | None = None
    expects: Sequence[Condition] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Hold a transaction to a condition on an item that it does not write."""

    key: Key
    expects: Sequence[Condition]


Action = Put | Delete | Update | Check


@dataclass(frozen=True, slots=True)
class Found:
    """An item with its key."""

    key: Key
    item: Item


@dataclass(frozen=True, slots=True)
class Page:
    """Some of a query's items, none perhaps; `after` continues the query, None ends it."""

    items: Sequence[Found]
    after: Key | None


class Table(Protocol):
    """The promises that every table keeps.

    An item is gone for every reader and every condition from the millisecond at which it expires. What
    does not fit raises TooLarge or Unfit before anything is written. A number comes back as an int when
    it is whole and as a float otherwise, lists and maps as list and dict.
    """

    def get(self, key: Key) -> Item | None:
        """Return the item under the key."""
        ...

    def put(self, put: Put) -> None:
        """Write one item; raise Changed when what it expects does not hold."""
        ...

    def write(self, batch: Sequence[Put | Delete]) -> None:
        """Write up to 25 items without conditions; a failure may leave some of them written."""
        ...

    def update(self, update: Update) -> Item:
        """Change named attributes and return the item as it is now; raise Changed."""
        ...

    def delete(self, delete: Delete) -> None:
        """Remove one item; raise Changed when what it expects does not hold."""
        ...

    def transact(self, actions: Sequence[Action]) -> None:
        """Do all of the actions or none; raise Changed when one's condition does not hold."""
        ...

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
        """Return one page of a partition's items between two sort keys, both ends included.

        A page holds at most `limit` items and about PAGE_BYTES_MAX bytes. With an index, partition and
        ends are values of its attributes. Ends that cross give an empty page. A plain Key in `after` of
        an index's query stands for where its item is now; Changed when it has gone.
        """
        ...

    def together(self) -> AbstractContextManager[None]:
        """Make the writes inside durable in order: a crash leaves a prefix of them, or, on SQLite, all or none."""
        ...


def everything(
    table: Table,
    partition: str,
    *,
    at_least: Position | None = None,
    at_most: Position | None = None,
    backwards: bool = False,
    index: str | None = None,
) -> Iterator[Found]:
    """Yield a partition's items between two ends, page after page."""
    after: Key | None = None
    while True:
        page = table.query(partition, at_least=at_least, at_most=at_most, backwards=backwards, after=after, index=index)
        yield from page.items
        after = page.after
        if after is None:
            return


def require_key(key: Key) -> None:
    """Raise unless both parts of the key are text within their limits."""
    require_partition(key.partition)
    _require_key_part("sort key", key.sort, bytes_max=SORT_BYTES_MAX)


def require_partition(partition: str) -> None:
    """Raise unless the partition is text within its limit."""
    _require_key_part("partition", partition, bytes_max=PARTITION_BYTES_MAX)


def require_fits(key: Key, item: Item) -> int:
    """Return the item's size if every table can hold it under the key, raise otherwise."""
    size = item_bytes(key, item)
    if size > ITEM_BYTES_MAX:
        raise TooLarge(f"an item holds at most {ITEM_BYTES_MAX} bytes, the one at {key} has {size}")
    return size


def require_moment(expires_at_ms: int | None) -> None:
    """Raise unless the item expires never or at a moment that every table can tell."""
    if expires_at_ms is not None and not 0 <= expires_at_ms <= MOMENT_MS_MAX:
        raise Unfit(f"an item expires between 0 and {MOMENT_MS_MAX} ms after 1970, not at {expires_at_ms}")


def item_bytes(key: Key, item: Item) -> int:
    """Return the item's size as DynamoDB counts it; raise for what no table can hold."""
    require_key(key)
    return text_bytes(key.partition) + text_bytes(key.sort) + map_bytes(item)


def require_batch(batch: Sequence[Put | Delete]) -> None:
    """Raise unless the batch may be written in one call."""
    if len(batch) > BATCH_ITEMS_MAX:
        raise TooLarge(f"a batch writes at most {BATCH_ITEMS_MAX} items, this one {len(batch)}: split it")
    if conditional := [action.key for action in batch if action.expects]:
        raise Unfit(f"a batch has no conditions, but {conditional[0]} has one: put it alone or in a transaction")
    _require_once([action.key for action in batch])


def require_transaction(actions: Sequence[Action]) -> None:
    """Raise unless the actions may be one transaction."""
    if len(actions) > TRANSACT_ACTIONS_MAX:
        raise TooLarge(f"a transaction has at most {TRANSACT_ACTIONS_MAX} actions, this one {len(actions)}")
    _require_once([action.key for action in actions])


def require_transaction_bytes(size: int) -> None:
    """Raise unless the items that a transaction writes are small enough together."""
    if size > TRANSACT_BYTES_MAX:
        raise TooLarge(f"a transaction writes at most {TRANSACT_BYTES_MAX} bytes, this one {size}")


def require_update(update: Update) -> None:
    """Raise unless the update says one clear thing about each attribute that it names."""
    require_moment(update.expires_at_ms)
    named = [*update.set, *update.add, *update.set_add, *update.set_remove, *update.remove]
    if len(named) != len(set(named)):
        raise Unfit(f"the update of {update.key} names an attribute twice: {sorted(named)}")
    require_fits(update.key, dict.fromkeys(named))
    require_fits(update.key, {**update.set, **update.add, **update.set_add})
    require_fits(update.key, update.set_remove)
    for name, amount in update.add.items():
        if isinstance(amount, bool) or not isinstance(amount, int | float):  # pyright: ignore[reportUnnecessaryIsInstance] - items come from outside
            raise Unfit(f"only a number can be added to attribute {name!r}, not {amount!r}")
    for name, members in {**update.set_add, **update.set_remove}.items():
        if not isinstance(members, frozenset):  # pyright: ignore[reportUnnecessaryIsInstance] - items come from outside
            raise Unfit(f"only a frozenset can be added to or removed from attribute {name!r}, not {members!r}")


def require_conditions(expects: Sequence[Condition]) -> None:
    """Raise unless each condition compares with a value that an attribute can have."""
    for condition in expects:
        match condition:
            case Equals(attribute=name, value=value) | Below(attribute=name, bound=value):
                map_bytes({name: value})
            case Absent() | Present():
                pass


def require_indexes(indexes: Sequence[Index]) -> None:
    """Raise unless a table may have these indexes."""
    if len(indexes) > INDEXES_MAX:
        raise TooLarge(f"a table has at most {INDEXES_MAX} indexes, not {len(indexes)}")
    if len({index.name for index in indexes}) != len(indexes):
        raise Unfit(f"two indexes have one name: {sorted(index.name for index in indexes)}")


def place_in_index(index: Index, item: Item) -> tuple[str, Position] | None:
    """Return the partition and position the item has in the index, None when it is not in it."""
    if index.partition not in item or index.sort not in item:
        return None
    partition, position = item[index.partition], item[index.sort]
    _require_key_part(f"{index.partition!r} of index {index.name!r}", partition, bytes_max=PARTITION_BYTES_MAX)
    return str(partition), require_position(index, position)


def require_position(index: Index | None, position: Value) -> Position:
    """Return the position if it can be one in the index (None: in the table itself), raise otherwise."""
    what = "sort key" if index is None else f"{index.sort!r} of index {index.name!r}"
    if index is not None and index.numeric:
        if isinstance(position, bool) or not isinstance(position, int | float):
            raise Unfit(f"{what} is a number, not {position!r}")
        number_bytes(position)
        return position
    return _require_key_part(what, position, bytes_max=SORT_BYTES_MAX)


def _require_key_part(what: str, part: Value, *, bytes_max: int) -> str:
    if not isinstance(part, str) or not part:
        raise Unfit(f"{what} is text of at least one character, not {part!r}")
    if text_bytes(part) > bytes_max:
        raise TooLarge(f"{what} has at most {bytes_max} bytes, this one {text_bytes(part)}: {part[:40]!r}...")
    return part


def _require_once(keys: Sequence[Key]) -> None:
    seen: set[Key] = set()
    for key in keys:
        require_key(key)
        if key in seen:
            raise Unfit(f"{key} is written twice in one call: join the two actions")
        seen.add(key)
