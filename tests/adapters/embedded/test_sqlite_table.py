"""What a table on SQLite promises beyond the contract: files, processes, crashes and upkeep."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from footfall.adapters.embedded.database import open_database, rows
from footfall.adapters.embedded.sqlite_table import EXPIRE_CHUNK_ITEMS, SqliteTable
from footfall.ports.errors import Changed, Corrupt, NoSpace, Throttled, Unavailable
from footfall.ports.table import Absent, Index, Key, Put, Unfit, Update, everything
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
KEY = Key("p", "s")
OTHER = Key("p", "t")
BY_TIME = Index("by_time", "author", "at", numeric=True)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def table(path: Path, clock: SetClock) -> Iterator[SqliteTable]:
    opened = SqliteTable(path, clock=clock, indexes=[BY_TIME], durable=False)
    yield opened
    opened.close()


def test_items_are_there_when_the_file_is_opened_again(table: SqliteTable, path: Path, clock: SetClock) -> None:
    table.put(Put(KEY, {"author": "ann", "at": 5}))
    table.close()
    again = SqliteTable(path, clock=clock, indexes=[BY_TIME])
    assert again.get(KEY) == {"author": "ann", "at": 5}
    assert [found.key for found in again.query("ann", index="by_time").items] == [KEY]
    again.close()


def test_a_block_that_raises_leaves_nothing(table: SqliteTable) -> None:
    def write() -> None:
        with table.together():
            table.put(Put(KEY, {"author": "ann", "at": 1}))
            raise KeyError

    with pytest.raises(KeyError):
        write()
    assert table.get(KEY) is None
    assert list(table.query("ann", index="by_time").items) == []


def test_an_inner_block_that_raises_leaves_the_outer_one(table: SqliteTable) -> None:
    def write_inside() -> None:
        with table.together():
            table.put(Put(OTHER, {"b": 1}))
            table.update(Update(KEY, set={"a": 2}))
            table.put(Put(KEY, {}, expects=[Absent()]))

    with table.together():
        table.put(Put(KEY, {"a": 1}))
        with pytest.raises(Changed):
            write_inside()
        table.update(Update(KEY, add={"a": 10}))
    assert (table.get(KEY), table.get(OTHER)) == ({"a": 11}, None)


def test_an_index_that_refuses_an_item_leaves_the_block_usable(table: SqliteTable) -> None:
    with table.together():
        table.put(Put(KEY, {"author": "ann", "at": 1}))
        with pytest.raises(Unfit):
            table.put(Put(KEY, {"author": "ann", "at": "now"}))
    assert table.get(KEY) == {"author": "ann", "at": 1}
    assert [found.key for found in table.query("ann", index="by_time").items] == [KEY]


def test_a_transaction_that_sqlite_undid_takes_no_further_writes(path: Path, clock: SetClock) -> None:
    connection = open_database(path, durable=False)
    table = SqliteTable(connection, clock=clock)

    def write(*after: Key) -> None:
        with table.together():
            table.put(Put(KEY, {}))
            rows(connection, "ROLLBACK")
            for key in after:
                table.put(Put(key, {}))

    with pytest.raises(Unavailable):
        write(OTHER)
    with pytest.raises(Unavailable):
        write()
    assert list(everything(table, "p")) == []
    table.put(Put(KEY, {}))
    assert table.get(KEY) == {}
    table.close()


def test_a_full_disk_writes_nothing_and_lets_reads_go_on(path: Path, clock: SetClock) -> None:
    connection = open_database(path, durable=False)
    table = SqliteTable(connection, clock=clock)
    table.put(Put(KEY, {"a": 1}))
    rows(connection, "PRAGMA max_page_count = 20")
    with pytest.raises(NoSpace):
        table.transact([Put(OTHER, {"a": 2}), Put(KEY, {"data": bytes(300_000)})])
    assert (table.get(KEY), table.get(OTHER)) == ({"a": 1}, None)
    rows(connection, "PRAGMA max_page_count = 2000")
    table.put(Put(KEY, {"data": bytes(300_000)}))
    assert table.get(KEY) == {"data": bytes(300_000)}
    table.close()


def test_a_second_writer_is_told_to_wait(table: SqliteTable, path: Path, clock: SetClock) -> None:
    connection = open_database(path, durable=False)
    second = SqliteTable(connection, clock=clock, indexes=[BY_TIME])
    connection.set_busy_timeout(1)
    with table.together():
        table.put(Put(KEY, {}))
        with pytest.raises(Throttled):
            second.put(Put(KEY, {}))
    second.close()


def test_a_reader_follows_the_writer_while_it_writes(table: SqliteTable, path: Path, clock: SetClock) -> None:
    table.put(Put(KEY, {"n": 1}))
    reader = SqliteTable(path, clock=clock, indexes=[BY_TIME], read_only=True)
    with table.together():
        table.put(Put(KEY, {"n": 2}))
        table.put(Put(OTHER, {"author": "ann", "at": 1}))
        assert reader.get(KEY) == {"n": 1}
        assert list(reader.query("ann", index="by_time").items) == []
    assert reader.get(KEY) == {"n": 2}
    assert [found.key for found in reader.query("ann", index="by_time").items] == [OTHER]
    with pytest.raises(Unavailable):
        reader.put(Put(KEY, {}))
    reader.close()


READ = """
import sys
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Key
from footfall.values.clock import SystemClock
table = SqliteTable(sys.argv[1], clock=SystemClock(), read_only=True)
print(table.get(Key("p", "s")))
"""
DIE = """
import os, signal, sys
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.ports.table import Key, Put
from footfall.values.clock import SystemClock
table = SqliteTable(sys.argv[1], clock=SystemClock())
table.put(Put(Key("p", "s"), {"kept": 1}))
with table.together():
    table.put(Put(Key("p", "s"), {"lost": 1}))
    table.put(Put(Key("p", "t"), {"lost": 1}))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_another_process_reads_while_this_one_writes(table: SqliteTable, path: Path) -> None:
    table.put(Put(KEY, {"n": 1}))
    with table.together():
        table.put(Put(KEY, {"n": 2}))
        done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "{'n': 1}\n"


def test_a_killed_writer_leaves_all_of_a_block_or_none(path: Path, clock: SetClock) -> None:
    done = subprocess.run([sys.executable, "-c", DIE, str(path)], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    table = SqliteTable(path, clock=clock)
    assert (table.get(KEY), table.get(OTHER)) == ({"kept": 1}, None)
    table.close()


def test_a_reader_of_a_file_without_a_table_is_told_to_wait(path: Path, clock: SetClock) -> None:
    open_database(path, durable=False).close()
    with pytest.raises(Unavailable, match="start its writer first"):
        SqliteTable(path, clock=clock, read_only=True)


def test_a_layout_of_a_newer_release_is_refused(path: Path, clock: SetClock) -> None:
    connection = open_database(path, durable=False)
    rows(connection, "PRAGMA user_version = 99")
    with pytest.raises(Unavailable, match="layout 99"):
        SqliteTable(connection, clock=clock)
    connection.close()


def test_a_damaged_item_is_named_as_such(path: Path, clock: SetClock) -> None:
    connection = open_database(path, durable=False)
    table = SqliteTable(connection, clock=clock)
    table.put(Put(KEY, {"a": 1}))
    for damage in (b"", b"\xc1", b"\x81", b"\xa1a", b"\x81\xa1a\xd4\x09\x00"):
        rows(connection, "UPDATE items SET item = ?", (damage,))
        with pytest.raises(Corrupt):
            table.get(KEY)
    table.close()


def test_an_index_is_built_when_it_is_first_declared(path: Path, clock: SetClock) -> None:
    plain = SqliteTable(path, clock=clock)
    plain.put(Put(KEY, {"author": "ann", "at": 2}))
    plain.put(Put(OTHER, {"author": "ann", "at": 1}))
    plain.close()
    indexed = SqliteTable(path, clock=clock, indexes=[BY_TIME])
    assert [found.key for found in indexed.query("ann", index="by_time").items] == [OTHER, KEY]
    indexed.close()


def test_an_index_is_forgotten_when_it_is_no_longer_declared(path: Path, clock: SetClock) -> None:
    for indexes in ([BY_TIME], [], [Index("by_time", "author", "title")], [BY_TIME]):
        table = SqliteTable(path, clock=clock, indexes=indexes)
        table.put(Put(KEY, {"author": "ann", "at": len(indexes), "title": "t"}))
        found = table.query("ann", index="by_time").items if indexes else ()
        assert [one.key for one in found] == ([KEY] if indexes else [])
        table.close()


def test_expired_items_leave_the_file(path: Path, clock: SetClock) -> None:
    connection = open_database(path, durable=False)
    table = SqliteTable(connection, clock=clock, indexes=[BY_TIME])
    count = EXPIRE_CHUNK_ITEMS + 10
    for number in range(count):
        item = {"author": "ann", "at": number, "data": bytes(20_000)}
        table.put(Put(Key("old", f"{number:03d}"), item, expires_at_ms=NOON_MS + number))
    table.put(Put(KEY, {"author": "ann", "at": 0}))
    pages = rows(connection, "PRAGMA page_count")[0][0]
    assert table.expire(1_000) == 1
    clock.set(NOON_MS + count)
    assert table.expire(5) == 5
    assert table.expire(1_000) == count - 6
    assert table.expire(1_000) == 0
    assert rows(connection, "SELECT count(*) FROM items") == [(1,)]
    assert rows(connection, "SELECT count(*) FROM entries") == [(1,)]
    assert rows(connection, "PRAGMA page_count")[0][0] < pages / 4
    table.close()


def test_a_page_of_an_index_continues_after_expired_items_left_the_file(table: SqliteTable, clock: SetClock) -> None:
    for number in range(4):
        table.put(Put(Key("p", f"{number}"), {"author": "ann", "at": number}, expires_at_ms=NOON_MS + 5 * number + 5))
    page = table.query("ann", index="by_time", limit=2)
    clock.set(NOON_MS + 10)
    assert table.expire(100) == 2
    assert [found.key.sort for found in table.query("ann", index="by_time", after=page.after).items] == ["2", "3"]
