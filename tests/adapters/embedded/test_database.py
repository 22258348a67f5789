"""How a database file is opened, and that its errors become ours."""

import errno
from pathlib import Path

import apsw
import pytest

from footfall.adapters.embedded.database import (
    CACHE_BYTES,
    PAGE_BYTES,
    each_row,
    give_back_pages,
    open_database,
    require_safe_sqlite,
    rows,
    run_for_each,
    translated,
)
from footfall.ports.errors import Corrupt, NoSpace, PortError, Throttled, Unavailable


def setting(connection: apsw.Connection, name: str) -> object:
    return rows(connection, f"PRAGMA {name}")[0][0]


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 1)])
def test_a_file_has_the_settings_that_its_safety_needs(tmp_path: Path, durable: bool, synchronous: int) -> None:
    connection = open_database(tmp_path / "a.db", durable=durable)
    assert setting(connection, "journal_mode") == "wal"
    assert setting(connection, "synchronous") == synchronous
    assert setting(connection, "auto_vacuum") == 2
    assert setting(connection, "page_size") == PAGE_BYTES
    assert setting(connection, "busy_timeout") == 5_000
    assert setting(connection, "cache_size") == -(CACHE_BYTES // 1_024)
    connection.close()


def test_a_database_may_live_in_memory() -> None:
    connection = open_database(":memory:", durable=True)
    rows(connection, "CREATE TABLE t (a)")
    run_for_each(connection, "INSERT INTO t VALUES (?)", [(1,), ("two",), (b"three",)])
    assert list(each_row(connection, "SELECT a FROM t")) == [(1,), ("two",), (b"three",)]
    connection.close()


def test_a_reader_sees_what_the_writer_commits_and_writes_nothing(tmp_path: Path) -> None:
    writer = open_database(tmp_path / "a.db", durable=False)
    rows(writer, "CREATE TABLE t (a)")
    reader = open_database(tmp_path / "a.db", durable=False, read_only=True)
    rows(writer, "BEGIN IMMEDIATE")
    rows(writer, "INSERT INTO t VALUES (1)")
    assert rows(reader, "SELECT a FROM t") == []
    rows(writer, "COMMIT")
    assert rows(reader, "SELECT a FROM t") == [(1,)]
    with pytest.raises(Unavailable), translated(reader):
        rows(reader, "INSERT INTO t VALUES (2)")
    reader.close()
    writer.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "no folder" / "a.db"
    with pytest.raises(Unavailable, match=r"no folder/a\.db cannot be opened"):
        open_database(path, durable=True, read_only=read_only)


def test_a_file_that_is_no_database_is_corrupt_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"not a database" * 1_000)
    with pytest.raises(Corrupt, match=r"a\.db is damaged"):
        open_database(tmp_path / "a.db", durable=True)


def test_an_sqlite_that_is_not_safe_is_refused() -> None:
    for version in ("3.51.3", "3.54.1", "4.0.0"):
        require_safe_sqlite(version)
    for version in ("3.51.2", "3.9.99", "2.99.99"):
        with pytest.raises(Unavailable, match=version):
            require_safe_sqlite(version)


def test_deleted_data_leaves_the_disk(tmp_path: Path) -> None:
    connection = open_database(tmp_path / "a.db", durable=False)
    rows(connection, "CREATE TABLE t (a)")
    run_for_each(connection, "INSERT INTO t VALUES (zeroblob(?))", [(100_000,)] * 20)
    before = setting(connection, "page_count")
    rows(connection, "DELETE FROM t")
    give_back_pages(connection, pages_max=50)
    assert setting(connection, "page_count") == int(str(before)) - 50
    give_back_pages(connection, pages_max=10_000)
    assert setting(connection, "freelist_count") == 0
    connection.close()


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (apsw.FullError, NoSpace),
        (apsw.BusyError, Throttled),
        (apsw.LockedError, Throttled),
        (apsw.CorruptError, Corrupt),
        (apsw.NotADBError, Corrupt),
        (apsw.IOError, Unavailable),
        (apsw.ReadOnlyError, Unavailable),
        (apsw.SQLError, Unavailable),
    ],
)
def test_each_error_of_sqlite_has_one_of_ours(raised: type[apsw.Error], expected: type[PortError]) -> None:
    with pytest.raises(PortError) as caught, translated():
        raise raised("as it was")
    assert type(caught.value) is expected
    assert isinstance(caught.value.__cause__, raised)


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError


def test_a_full_database_says_that_there_is_no_space() -> None:
    connection = open_database(":memory:", durable=True)
    rows(connection, "CREATE TABLE t (a)")
    rows(connection, "PRAGMA max_page_count = 10")
    with pytest.raises(NoSpace), translated(connection):
        rows(connection, "INSERT INTO t VALUES (zeroblob(1000000))")
    connection.close()


def test_a_database_that_stays_busy_says_so(tmp_path: Path) -> None:
    first, second = (open_database(tmp_path / "a.db", durable=False) for _ in range(2))
    second.set_busy_timeout(1)
    rows(first, "BEGIN IMMEDIATE")
    with pytest.raises(Throttled), translated(second):
        rows(second, "BEGIN IMMEDIATE")
    first.close()
    second.close()


class BadDisk(apsw.VFS):
    """A file system under SQLite whose writes fail for a reason of our choice once `is_bad` is set."""

    def __init__(self, reason: int) -> None:
        self.reason = reason
        self.is_bad = False
        super().__init__("bad disk", "")

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> "BadFile":  # noqa: N802 - SQLite's name
        return BadFile(self, name, flags)

    def xGetLastError(self) -> tuple[int, str]:  # noqa: N802 - SQLite's name
        return self.reason, "the disk says so"


class BadFile(apsw.VFSFile):
    def __init__(self, disk: BadDisk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        self.disk = disk
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        if self.disk.is_bad:
            raise apsw.IOError("the write failed")
        super().xWrite(data, offset)


@pytest.mark.parametrize(
    ("reason", "expected"), [(errno.ENOSPC, NoSpace), (errno.EDQUOT, NoSpace), (errno.EIO, Unavailable)]
)
def test_a_write_that_fails_tells_a_full_disk_from_a_bad_one(
    tmp_path: Path, reason: int, expected: type[PortError]
) -> None:
    disk = BadDisk(reason)
    connection = apsw.Connection(str(tmp_path / "a.db"), vfs="bad disk")
    rows(connection, "CREATE TABLE t (a)")
    disk.is_bad = True
    with pytest.raises(expected), translated(connection):
        rows(connection, "INSERT INTO t VALUES (1)")
    disk.is_bad = False
    connection.close()
    disk.unregister()
