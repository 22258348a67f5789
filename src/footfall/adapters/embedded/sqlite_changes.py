"""The change feed of a SqliteTable: triggers write a row beside each item that comes or goes, in its transaction.

A place is the moment in microseconds, or one more than the last place ever given when that is larger. So places never
begin anew: not in a file from a backup, whose reader may have come further than the file, and not in one that was made
again. The moment is SQLite's, as that of a change in DynamoDB is DynamoDB's: a trigger that asked us for it would keep
every other program, an older release too, from writing the file.

A change that cannot be read would be the same in every read, and hold up all that come after it: it is passed over,
told in the log and counted, as on every other ground.
"""

import hashlib
import logging
import os
from collections.abc import Sequence
from typing import Any

import apsw

from footfall.adapters.embedded.database import open_database, rows, translated
from footfall.adapters.embedded.stored_items import item_from_bytes
from footfall.adapters.embedded.table_layout import require_layout
from footfall.ports.changes import ID_BYTES, READ_CHANGES_MAX, Change, Told
from footfall.ports.errors import Corrupt
from footfall.ports.table import Key

_log = logging.getLogger(__name__)

FORGET_AT_ONCE = 2_000  # Some milliseconds, for which whoever writes an item waits.

_NOW_MS = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"  # As old versions of SQLite know it too.
_LAST = "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0)"
_TABLE = """
    CREATE TABLE IF NOT EXISTS changes (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        partition TEXT NOT NULL,
        sort TEXT NOT NULL,
        item BLOB
    )
"""
_TRIGGER = """
    CREATE TRIGGER IF NOT EXISTS {name} AFTER {act} ON items
    WHEN substr({row}.partition, instr({row}.partition, '#'), {length}) = '#{part}#'
    BEGIN
        INSERT INTO changes (place, at_ms, partition, sort, item)
        VALUES (max({now} * 1000, {last} + 1), {now}, {row}.partition, {row}.sort, {item});
    END
"""
# Keys as bytes: text that is none would fail the whole read, not its row alone.
_READ = """
    SELECT place, at_ms, CAST(partition AS BLOB), CAST(sort AS BLOB), item FROM changes
    WHERE place > ? ORDER BY place LIMIT ?
"""
_OLDEST = "SELECT at_ms FROM changes WHERE place > ? AND typeof(at_ms) = 'integer' ORDER BY place LIMIT 1"
_FORGET = """
    DELETE FROM changes WHERE place <= (
        SELECT max(place) FROM (SELECT place FROM changes WHERE place <= ? ORDER BY place LIMIT ?))
"""
# What the file has given may be less than what its reader has seen, when a clock was ahead for a while.
_RAISE = (
    "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'changes' AND seq < ?1",
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'changes', ?1 "
    "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'changes')",
)


def tell_changes(connection: apsw.Connection, told: Told) -> None:
    """Have the table in a file tell of what comes and goes from now on, if it does not yet."""
    rows(connection, _TABLE)
    for name, act, row, item in (
        ("changes_come", "INSERT", "NEW", "NEW.item"),
        ("changes_go", "DELETE", "OLD", "NULL"),
    ):
        length = len(told.part) + 2
        rows(
            connection,
            _TRIGGER.format(
                name=name, act=act, row=row, item=item, part=told.part, length=length, now=_NOW_MS, last=_LAST
            ),
        )


class SqliteChanges:
    """The feed of one file, through a connection of its own."""

    def __init__(self, path: str | os.PathLike[str], *, told: Told) -> None:
        self.unreadable = 0
        # Forgetting need not be on disk at once: the reader knows how far it came, and is told of it again.
        self._connection = open_database(path, durable=False)
        try:
            with translated(self._connection):
                require_layout(self._connection)
                tell_changes(self._connection, told)
        except BaseException:
            self._connection.close()
            raise

    def read(self, *, after: int, limit: int = READ_CHANGES_MAX) -> Sequence[Change]:
        """Return the changes that follow a place, in their order."""
        while True:
            with translated(self._connection):
                found = rows(self._connection, _READ, (after, min(limit, READ_CHANGES_MAX)))
            changes = [change for row in found if (change := self._readable(*row)) is not None]
            if changes or not found:
                return changes

    def _readable(self, place: int, *told: Any) -> Change | None:
        """Return a change; None where it cannot be read, and is gone."""
        try:
            return _change(place, *told)
        except (Corrupt, TypeError, ValueError) as error:
            self.unreadable += 1
            # The change itself has members' names, which no log may have.
            _log.error("a change cannot be read and is passed over: %s at place %d", type(error).__name__, place)
            with translated(self._connection):
                rows(self._connection, "DELETE FROM changes WHERE place = ?", (place,))
            return None

    def forget(self, *, through: int) -> None:
        """Let go of the changes up to a place, some at a time; each that comes later has a place after it."""
        with translated(self._connection):
            for raised in _RAISE:
                rows(self._connection, raised, (through,))
            while True:
                rows(self._connection, _FORGET, (through, FORGET_AT_ONCE))
                if self._connection.changes() < FORGET_AT_ONCE:
                    return

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def waiting_since_ms(path: str | os.PathLike[str], *, after: int) -> int:
    """Return the moment of the oldest change of a file that follows a place; 0 when there is none."""
    connection = open_database(path, durable=False, read_only=True)
    try:
        with translated(connection):
            if not rows(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'changes'"):
                return 0  # An older release has made it, and nobody has opened it since.
            found = rows(connection, _OLDEST, (after,))
            return int(found[0][0]) if found else 0
    finally:
        connection.close()


def _change(place: int, at_ms: Any, partition: bytes, sort: bytes, item: Any) -> Change:
    if not isinstance(at_ms, int):
        raise Corrupt(f"the change at place {place} has no moment")
    read = None if item is None else item_from_bytes(item)
    return Change(place, _id(place), Key(partition.decode(), sort.decode()), at_ms, read)


def _id(place: int) -> bytes:
    # A place is given once, so it is as good as any name.
    return hashlib.blake2b(place.to_bytes(8, "big"), digest_size=ID_BYTES).digest()
