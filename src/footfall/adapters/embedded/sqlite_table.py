"""The Table port on one SQLite file, or in memory.

The file's layout is drawn in docs/formats/table.md. One thread uses a SqliteTable; another process may read
the same file through one of its own, opened read-only, while this one writes.
"""

import os
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import apsw

from footfall.adapters.embedded.database import (
    Bound,
    each_row,
    give_back_pages,
    open_database,
    rows,
    run_for_each,
    translated,
)
from footfall.adapters.embedded.sqlite_changes import tell_changes
from footfall.adapters.embedded.stored_items import (
    bytes_from_item,
    item_from_bytes,
    require_holds,
    text_from_position,
    updated,
)
from footfall.adapters.embedded.table_layout import enter_item, prepare_layout, require_layout
from footfall.ports.changes import Told
from footfall.ports.errors import Changed, Unavailable
from footfall.ports.table import (
    PAGE_BYTES_MAX,
    Action,
    Check,
    Delete,
    Found,
    Index,
    IndexKey,
    Item,
    Key,
    Page,
    Position,
    Put,
    Unfit,
    Update,
    item_bytes,
    require_batch,
    require_fits,
    require_indexes,
    require_key,
    require_moment,
    require_partition,
    require_position,
    require_transaction,
    require_transaction_bytes,
    require_update,
)
from footfall.values.clock import Clock

EXPIRE_CHUNK_ITEMS = 50  # At 300 KB each, deleting a chunk holds the writer up for about 2 ms.
FREED_PAGES_MAX = 1_024  # 8 MB given back to the disk by each round, in about 12 ms; the rest waits for the next.

_LIVE = "(expires_at_ms IS NULL OR expires_at_ms > ?)"
_GET = """
    SELECT item, expires_at_ms FROM items
    WHERE partition = ? AND sort = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)
"""
_PUT = """
    INSERT INTO items (partition, sort, expires_at_ms, item) VALUES (?, ?, ?, ?)
    ON CONFLICT (partition, sort) DO UPDATE SET expires_at_ms = excluded.expires_at_ms, item = excluded.item
"""
_DELETE = "DELETE FROM items WHERE partition = ? AND sort = ?"
_DELETE_ENTRIES = "DELETE FROM entries WHERE item_partition = ? AND item_sort = ?"
_POSITION = "SELECT position FROM entries WHERE name = ? AND item_partition = ? AND item_sort = ?"
_EXPIRED = "SELECT partition, sort FROM items WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?"
_QUERY = "SELECT partition, sort, item FROM items WHERE"
# CROSS JOIN keeps the index's order: SQLite then never starts from the items.
_QUERY_INDEX = """
    SELECT items.partition, items.sort, items.item FROM entries CROSS JOIN items
    ON items.partition = entries.item_partition AND items.sort = entries.item_sort WHERE
"""


@dataclass(frozen=True, slots=True)
class _Range:
    partition: str
    at_least: Position | None
    at_most: Position | None
    backwards: bool
    after: Key | None


class SqliteTable:
    """A table in one SQLite file."""

    def __init__(
        self,
        database: apsw.Connection | str | os.PathLike[str],
        *,
        clock: Clock,
        indexes: Sequence[Index] = (),
        durable: bool = True,
        read_only: bool = False,
        told: Told | None = None,
    ) -> None:
        require_indexes(indexes)
        if not isinstance(database, apsw.Connection):
            database = open_database(database, durable=durable, read_only=read_only)
        self._connection = database
        self._clock = clock
        self._indexes = {index.name: index for index in indexes}
        self._depth = 0
        with translated(database):
            if database.readonly("main"):
                require_layout(database)
            else:
                with self.together():
                    prepare_layout(database, indexes)
                    if told is not None:
                        tell_changes(database, told)

    def get(self, key: Key) -> Item | None:
        """Return the item under the key."""
        require_key(key)
        with translated(self._connection):
            stored = self._stored(key)
        return None if stored is None else item_from_bytes(stored[0])

    def put(self, put: Put) -> None:
        """Write one item; raise Changed when what it expects does not hold."""
        self._require_put(put)
        with self.together():
            self._put(put)

    def write(self, batch: Sequence[Put | Delete]) -> None:
        """Write up to 25 items without conditions, all or none of them."""
        require_batch(batch)
        for action in batch:
            if isinstance(action, Put):
                self._require_put(action)
        with self.together():
            for action in batch:
                self._do(action)

    def update(self, update: Update) -> Item:
        """Change named attributes and return the item as it is now; raise Changed."""
        require_update(update)
        with self.together():
            return item_from_bytes(bytes_from_item(self._update(update)))

    def delete(self, delete: Delete) -> None:
        """Remove one item; raise Changed when what it expects does not hold."""
        require_key(delete.key)
        with self.together():
            self._delete(delete)

    def transact(self, actions: Sequence[Action]) -> None:
        """Do all of the actions or none; raise Changed when one's condition does not hold."""
        require_transaction(actions)
        size = 0
        for action in actions:
            if isinstance(action, Put):
                size += self._require_put(action)
            elif isinstance(action, Update):
                require_update(action)
        with self.together():
            require_transaction_bytes(size + sum(self._do(action) for action in actions))

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
        require_partition(partition)
        if limit is not None and limit < 1:
            raise Unfit(f"a page holds at least one item, not {limit}")
        if index is not None and index not in self._indexes:
            raise Unfit(f"the table has no index {index!r}, only {sorted(self._indexes)}: declare it with the table")
        wanted = _Range(partition, at_least, at_most, backwards, after)
        declared = None if index is None else self._indexes[index]
        for end in (at_least, at_most):
            if end is not None:
                require_position(declared, end)
        with translated(self._connection):
            sql, bound = self._item_query(wanted) if declared is None else self._index_query(wanted, declared)
            return self._page(sql, bound, limit=limit, index=declared)

    @contextmanager
    def together(self) -> Generator[None]:
        """Make the writes inside one transaction, undone when the block raises; blocks may lie in each other."""
        nested = self._depth > 0 or self._connection.in_transaction
        with translated(self._connection):
            self._require_not_undone()
            rows(self._connection, "SAVEPOINT nested" if nested else "BEGIN IMMEDIATE")
        self._depth += 1
        try:
            with translated(self._connection):
                yield
                self._require_not_undone()
                rows(self._connection, "RELEASE nested" if nested else "COMMIT")
        except BaseException:
            # A full disk makes SQLite undo the transaction by itself; then there is nothing left to undo.
            if self._connection.in_transaction:
                with translated(self._connection):
                    rows(self._connection, "ROLLBACK TO nested; RELEASE nested" if nested else "ROLLBACK")
            raise
        finally:
            self._depth -= 1

    def expire(self, limit: int) -> int:
        """Remove up to so many expired items from the file and return how many there were."""
        removed = 0
        while removed < limit:
            with self.together():
                chunk = min(EXPIRE_CHUNK_ITEMS, limit - removed)
                keys = rows(self._connection, _EXPIRED, (self._clock.now_ms(), chunk))
                run_for_each(self._connection, _DELETE, keys)
                run_for_each(self._connection, _DELETE_ENTRIES, keys)
            removed += len(keys)
            if len(keys) < chunk:
                break
        if not self._connection.in_transaction:
            give_back_pages(self._connection, pages_max=FREED_PAGES_MAX)
        return removed

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _require_put(self, put: Put) -> int:
        require_moment(put.expires_at_ms)
        return require_fits(put.key, put.item)

    def _require_not_undone(self) -> None:
        if self._depth > 0 and not self._connection.in_transaction:
            raise Unavailable("the transaction around this write was undone by an earlier error: start it again")

    def _do(self, action: Action) -> int:
        # The number of bytes that were not known before, as the limit of a transaction counts them.
        match action:
            case Put():
                self._put(action)
            case Update():
                return item_bytes(action.key, self._update(action))
            case Delete():
                self._delete(action)
            case Check():
                self._require_expected(action)
        return 0

    def _put(self, put: Put) -> None:
        self._require_expected(put)
        self._store(put.key, put.item, expires_at_ms=put.expires_at_ms)

    def _update(self, update: Update) -> Item:
        stored = self._stored(update.key)
        data, expires_at_ms = (None, None) if stored is None else stored
        require_holds(update.key, update.expects, data)
        item = updated({} if data is None else item_from_bytes(data), update)
        require_fits(update.key, item)
        self._store(
            update.key, item, expires_at_ms=expires_at_ms if update.expires_at_ms is None else update.expires_at_ms
        )
        return item

    def _delete(self, delete: Delete) -> None:
        self._require_expected(delete)
        rows(self._connection, _DELETE, (delete.key.partition, delete.key.sort))
        if self._indexes:
            rows(self._connection, _DELETE_ENTRIES, (delete.key.partition, delete.key.sort))

    def _require_expected(self, action: Put | Delete | Check) -> None:
        if action.expects:
            stored = self._stored(action.key)
            require_holds(action.key, action.expects, None if stored is None else stored[0])

    def _stored(self, key: Key) -> tuple[bytes, int | None] | None:
        found = rows(self._connection, _GET, (key.partition, key.sort, self._clock.now_ms()))
        return (found[0][0], found[0][1]) if found else None

    def _store(self, key: Key, item: Item, *, expires_at_ms: int | None) -> None:
        rows(self._connection, _PUT, (key.partition, key.sort, expires_at_ms, bytes_from_item(item)))
        if self._indexes:
            rows(self._connection, _DELETE_ENTRIES, (key.partition, key.sort))
            enter_item(self._connection, self._indexes.values(), key, item)

    def _item_query(self, wanted: _Range) -> tuple[str, list[Bound]]:
        sql = [_QUERY, "partition = ? AND", _LIVE]
        bound: list[Bound] = [wanted.partition, self._clock.now_ms()]
        if wanted.after is not None:
            if wanted.after.partition != wanted.partition:
                raise Unfit(f"{wanted.after} continues another partition than {wanted.partition!r}")
            sql.append("AND sort < ?" if wanted.backwards else "AND sort > ?")
            bound.append(wanted.after.sort)
        _add_ends(sql, bound, wanted, column="sort", reached=wanted.after and wanted.after.sort)
        sql.append("ORDER BY sort DESC" if wanted.backwards else "ORDER BY sort")
        return " ".join(sql), bound

    def _index_query(self, wanted: _Range, index: Index) -> tuple[str, list[Bound]]:
        sql = [_QUERY_INDEX, "entries.name = ? AND entries.partition = ? AND", _LIVE]
        bound: list[Bound] = [index.name, wanted.partition, self._clock.now_ms()]
        reached: str | None = None
        if wanted.after is not None:
            reached = self._place(wanted.after, index)
            sign = "<" if wanted.backwards else ">"
            sql += ["AND (entries.position, entries.item_partition, entries.item_sort)", sign, "(?, ?, ?)"]
            bound += [reached, wanted.after.partition, wanted.after.sort]
        _add_ends(sql, bound, wanted, column="entries.position", reached=reached)
        order = "DESC" if wanted.backwards else "ASC"
        sql += ["ORDER BY entries.position", order, ", entries.item_partition", order, ", entries.item_sort", order]
        return " ".join(sql), bound

    def _place(self, after: Key, index: Index) -> str:
        if isinstance(after, IndexKey):
            return text_from_position(require_position(index, after.position))
        found = rows(self._connection, _POSITION, (index.name, after.partition, after.sort))
        if not found:
            raise Changed(f"{after} is not in index {index.name!r} any more: begin the query again")
        return str(found[0][0])

    def _page(self, sql: str, bound: list[Bound], *, limit: int | None, index: Index | None) -> Page:
        items: list[Found] = []
        size = 0
        with closing(each_row(self._connection, sql, bound)) as found:
            for partition, sort, data in found:
                size += len(partition) + len(sort) + len(data)
                if len(items) == limit or (items and size > PAGE_BYTES_MAX):
                    return Page(items, after=_place_of(items[-1], index))
                items.append(Found(Key(partition, sort), item_from_bytes(data)))
        return Page(items, after=None)


def _add_ends(sql: list[str], bound: list[Bound], wanted: _Range, *, column: str, reached: str | None) -> None:
    # An end that the last page has passed is left out: SQLite would start there again and skip row by row.
    low = None if wanted.at_least is None else text_from_position(wanted.at_least)
    high = None if wanted.at_most is None else text_from_position(wanted.at_most)
    if low is not None and (reached is None or wanted.backwards or reached < low):
        sql += ["AND", column, ">= ?"]
        bound.append(low)
    if high is not None and (reached is None or not wanted.backwards or reached > high):
        sql += ["AND", column, "<= ?"]
        bound.append(high)


def _place_of(found: Found, index: Index | None) -> Key:
    if index is None:
        return found.key
    position = found.item[index.sort]
    assert isinstance(position, str | int | float), "an item in an index has a position"
    return IndexKey(found.key.partition, found.key.sort, position)
