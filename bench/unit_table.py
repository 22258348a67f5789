"""A table that counts what each call would cost on DynamoDB, by the documented formula, over one in memory.

tests/bench/test_unit_table.py proves that DynamoDB Local reports the same for the writes of counting.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from footfall.adapters.aws.dynamodb_items import TOKEN_BYTES, WRITE_TOKEN, Names, stored_bytes, stored_from_item
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.ports.capacity import get_units, query_units, write_units
from footfall.ports.table import Action, Delete, Item, Key, Page, Put, Update
from footfall.values.clock import Clock
from footfall.values.window import MINUTE_MS

NAMES = Names("cost")
TOKEN = len(WRITE_TOKEN) + TOKEN_BYTES


@dataclass(slots=True)
class Units:
    """What was spent: in all by kind of item, and written in each minute; blocks are no writes but part of one."""

    written: Counter[str] = field(default_factory=Counter[str])
    writes: Counter[str] = field(default_factory=Counter[str])
    by_minute: Counter[int] = field(default_factory=Counter[int])
    read: float = 0.0


class UnitTable:
    """A Table in memory, and its bill."""

    def __init__(self, clock: Clock) -> None:
        self.units = Units()
        self.last_units = 0  # of the last write
        self._clock = clock
        self._table = SqliteTable(":memory:", clock=clock)
        self._sizes: dict[Key, int] = {}

    def get(self, key: Key) -> Item | None:
        """Return the item under the key."""
        item = self._table.get(key)
        self.units.read += get_units(0 if item is None else self._sizes[key])
        return item

    def put(self, put: Put) -> None:
        """Write one item; raise Changed when what it expects does not hold."""
        self._table.put(put)
        self._wrote(put.key, _put_bytes(put))

    def write(self, batch: Sequence[Put | Delete]) -> None:
        """Write up to 25 items."""
        self._table.write(batch)
        for one in batch:
            self._wrote(one.key, _put_bytes(one) if isinstance(one, Put) else 0)

    def update(self, update: Update) -> Item:
        """Change named attributes and return the item as it is now; raise Changed."""
        item = self._table.update(update)
        size = stored_bytes(stored_from_item(NAMES, update.key, item, expires_at_ms=update.expires_at_ms)) + TOKEN
        self._wrote(update.key, size)
        return item

    def delete(self, delete: Delete) -> None:
        """Remove one item; raise Changed when what it expects does not hold."""
        self._table.delete(delete)
        self._wrote(delete.key, 0)

    def transact(self, actions: Sequence[Action]) -> None:
        """Refuse: nothing on the way of a hit needs a transaction."""
        raise AssertionError(f"counting makes no transactions, least of all of {len(actions)} writes")

    def query(self, partition: str, **asked: Any) -> Page:
        """Return one page of a partition's items, asked for as of any table."""
        page = self._table.query(partition, **asked)
        self.units.read += query_units([self._sizes[found.key] for found in page.items])
        return page

    @contextmanager
    def together(self) -> Generator[None]:
        """Do nothing more, as on DynamoDB."""
        yield

    def expire(self) -> None:
        """Let go of what has expired, which costs nothing."""
        while self._table.expire(1_000):
            pass

    def _wrote(self, key: Key, size: int) -> None:
        before = self._sizes.pop(key, 0)
        if size:
            self._sizes[key] = size
        self.last_units = write_units(size, before_bytes=before)
        kind = kind_of(key)
        self.units.written[kind] += self.last_units
        self.units.writes[kind] += not is_block(key)
        self.units.by_minute[self._clock.now_ms() // MINUTE_MS] += self.last_units


KINDS: Mapping[str, str] = {
    "M": "minutes",
    "H": "hours",
    "D": "days",
    "@shards": "checkpoints",
    "@journal": "journal",
    "@pending": "pending",
    "@ids": "ids",
}
VISITORS = "visitors"


def kind_of(key: Key) -> str:
    """Return what the item under a key is for."""
    if key.sort.startswith(keys.VISITORS_FROM):
        return VISITORS
    first, _, rest = key.partition.partition("#")
    return KINDS.get(first if first.startswith("@") else rest[:1], "other")


def is_block(key: Key) -> bool:
    """Tell whether a piece of a summary lies under the key, which its head makes whole."""
    return key.sort.startswith("z#")


def _put_bytes(put: Put) -> int:
    stored = stored_from_item(NAMES, put.key, put.item, expires_at_ms=put.expires_at_ms)
    return stored_bytes(stored) + (TOKEN if put.expects else 0)
