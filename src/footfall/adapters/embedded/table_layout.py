"""The tables inside a SqliteTable's file, their version, and how an index is built when it is first declared."""

from collections.abc import Iterable, Sequence

import apsw

from footfall.adapters.embedded.database import each_row, rows
from footfall.adapters.embedded.stored_items import item_from_bytes, text_from_position
from footfall.ports.errors import NotMade, Unavailable
from footfall.ports.table import Index, Item, Key, place_in_index

LAYOUT_VERSION = 1

_LAYOUT = """
    CREATE TABLE items (
        id INTEGER PRIMARY KEY,
        partition TEXT NOT NULL,
        sort TEXT NOT NULL,
        expires_at_ms INTEGER,
        item BLOB NOT NULL,
        UNIQUE (partition, sort)
    );
    CREATE INDEX items_by_expiry ON items (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
    CREATE TABLE entries (
        name TEXT NOT NULL,
        partition TEXT NOT NULL,
        position TEXT NOT NULL,
        item_partition TEXT NOT NULL,
        item_sort TEXT NOT NULL,
        PRIMARY KEY (name, partition, position, item_partition, item_sort)
    ) WITHOUT ROWID;
    CREATE INDEX entries_by_item ON entries (item_partition, item_sort);
    CREATE TABLE indexes (
        name TEXT PRIMARY KEY,
        partition_attribute TEXT NOT NULL,
        sort_attribute TEXT NOT NULL,
        is_numeric INTEGER NOT NULL
    ) WITHOUT ROWID;
"""
_DECLARED = "SELECT name, partition_attribute, sort_attribute, is_numeric FROM indexes"
_DECLARE = "INSERT INTO indexes (name, partition_attribute, sort_attribute, is_numeric) VALUES (?, ?, ?, ?)"
_ENTER = "INSERT INTO entries (name, partition, position, item_partition, item_sort) VALUES (?, ?, ?, ?, ?)"


def prepare_layout(connection: apsw.Connection, indexes: Sequence[Index]) -> None:
    """Make the tables of a new file, and bring the indexes of any file to those declared."""
    if _version(connection) == 0:
        rows(connection, _LAYOUT)
        rows(connection, f"PRAGMA user_version = {LAYOUT_VERSION}")
    require_layout(connection)
    built = {Index(name, partition, sort, numeric=bool(n)) for name, partition, sort, n in rows(connection, _DECLARED)}
    for index in built - set(indexes):
        rows(connection, "DELETE FROM entries WHERE name = ?", (index.name,))
        rows(connection, "DELETE FROM indexes WHERE name = ?", (index.name,))
    if added := [index for index in indexes if index not in built]:
        _build(connection, added)


def require_layout(connection: apsw.Connection) -> None:
    """Raise unless the file holds a table in the layout that this release knows."""
    version = _version(connection)
    if version == 0:
        raise NotMade(f"{connection.filename} holds no table yet: start its writer first")
    if version != LAYOUT_VERSION:
        raise Unavailable(
            f"{connection.filename} has layout {version}, this release knows {LAYOUT_VERSION}: use a newer footfall"
        )


def enter_item(connection: apsw.Connection, indexes: Iterable[Index], key: Key, item: Item) -> None:
    """Write the item's entry in each of the indexes that hold it."""
    for index in indexes:
        place = place_in_index(index, item)
        if place is not None:
            partition, position = place
            rows(connection, _ENTER, (index.name, partition, text_from_position(position), key.partition, key.sort))


def _build(connection: apsw.Connection, indexes: Sequence[Index]) -> None:
    for index in indexes:
        rows(connection, _DECLARE, (index.name, index.partition, index.sort, int(index.numeric)))
    for partition, sort, data in each_row(connection, "SELECT partition, sort, item FROM items"):
        enter_item(connection, indexes, Key(partition, sort), item_from_bytes(data))


def _version(connection: apsw.Connection) -> int:
    return int(rows(connection, "PRAGMA user_version")[0][0])
