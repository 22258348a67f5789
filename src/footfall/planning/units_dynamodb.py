"""What operations cost in DynamoDB's units: of tables with indexes, whole pages and transactions.

tests/contract/test_units_dynamodb.py holds it against what DynamoDB Local reports, operation by operation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from footfall.ports.capacity import get_units, index_write_units, query_units, write_units
from footfall.ports.items import Item, map_bytes

PAGE_BYTES: Final = 1 << 20  # A page ends with the item that reaches it.
STORED_OVERHEAD_BYTES: Final = 100  # of each item and each entry of an index, in what is billed for storage
BATCH_GET_ITEMS_MAX: Final = 100
BATCH_WRITE_ITEMS_MAX: Final = 25
ALL: Final = None


@dataclass(frozen=True, slots=True)
class IndexShape:
    """An index: the attributes that order it, and those besides keys that it has a copy of; ALL has every one.

    A local index has the table's partition key, and is written and read as a part of the table.
    """

    name: str
    keys: tuple[str, ...]
    projected: tuple[str, ...] | None = ALL
    is_local: bool = field(default=False, kw_only=True)

    def entry(self, shape: "TableShape", item: Item | None) -> Item | None:
        """Return what of an item lies in the index, or None if the item is not in it."""
        if item is None or any(key not in item for key in self.keys):
            return None
        if self.projected is None:
            return item
        wanted = {*shape.keys, *self.keys, *self.projected}
        return {name: value for name, value in item.items() if name in wanted}


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table: the attributes of its key and its indexes, local ones too."""

    keys: tuple[str, ...]
    indexes: tuple[IndexShape, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a write costs: in the table, and in each index that it changes."""

    table: int
    indexes: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def total(self) -> int:
        """Return all units."""
        return self.table + sum(self.indexes.values())


def item_bytes(item: Item) -> int:
    """Return the size that reads and writes of the item are charged by."""
    return map_bytes(item)


def stored_bytes(shape: TableShape, item: Item) -> int:
    """Return what the item takes of billed storage, with its entries in indexes."""
    entries = [index.entry(shape, item) for index in shape.indexes]
    return sum(item_bytes(one) + STORED_OVERHEAD_BYTES for one in [item, *entries] if one is not None)


def written(shape: TableShape, *, before: Item | None, after: Item | None, transaction: bool = False) -> Written:
    """Return the units of a put, an update or a delete (no item after it), wherever it changes something."""
    table = write_units(_bytes(after), before_bytes=_bytes(before), transaction=transaction)
    units = {index.name: _index_units(shape, index, before=before, after=after) for index in shape.indexes}
    factor = 2 if transaction else 1
    return Written(table, {name: one * factor for name, one in units.items() if one})


def refused(*, before: Item | None, wanted: Item | None = None, transaction: bool = False) -> int:
    """Return the units of a write whose condition does not hold: those of the larger item, and no index is touched.

    `wanted` is what a put would have written; an update and a delete are charged by what is there.
    """
    return write_units(_bytes(wanted) if before else 0, before_bytes=_bytes(before), transaction=transaction)


def removed_by_expiry() -> int:
    """Return the units of a delete that the vendor makes because an item has expired: none."""
    return 0


def checked(item: Item | None) -> float:
    """Return the units of a condition that a transaction checks: those of reading the item in one."""
    return get_units(_bytes(item), transaction=True)


def got(items: Iterable[Item | None], *, consistent: bool = True, transaction: bool = False) -> float:
    """Return the units of getting items one by one, in a batch or in a transaction; None is one that is not there."""
    return sum(get_units(_bytes(item), consistent=consistent, transaction=transaction) for item in items)


def pages(sizes: Sequence[int], *, limit: int | None = None) -> Iterator[Sequence[int]]:
    """Yield the pages in which a query or a scan looks at items of these sizes; nothing is one empty page."""
    first, total = 0, 0
    for place, size in enumerate(sizes):
        total += size
        if total >= PAGE_BYTES or (limit is not None and place + 1 - first == limit):
            yield sizes[first : place + 1]
            first, total = place + 1, 0
    if first < len(sizes) or not sizes:
        yield sizes[first:]


def paged(sizes: Sequence[int], *, consistent: bool = True, limit: int | None = None) -> float:
    """Return the units of a query or a scan that looks at items of these sizes, page by page."""
    return sum(query_units(page, consistent=consistent) for page in pages(sizes, limit=limit))


def _bytes(item: Item | None) -> int:
    return 0 if item is None else map_bytes(item)


def _index_units(shape: TableShape, index: IndexShape, *, before: Item | None, after: Item | None) -> int:
    old, new = index.entry(shape, before), index.entry(shape, after)
    if old is not None and new is not None and _is_same(old, new):
        return 0
    moved = old is not None and new is not None and any(old[key] != new[key] for key in index.keys)
    # AWS documents the overhead for storage alone; its own engine counts it for writes of local indexes, too.
    more = STORED_OVERHEAD_BYTES if index.is_local else 0
    old_bytes = None if old is None else map_bytes(old) + more
    return index_write_units(None if new is None else map_bytes(new) + more, before_bytes=old_bytes, moved=moved)


def _is_same(old: Item, new: Item) -> bool:
    # 1 == True in Python, and no table takes one for the other.
    return old == new and all(type(old[name]) is type(new[name]) for name in old)
