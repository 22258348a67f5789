"""How every embedded adapter opens SQLite, and the one place where its errors become ours.

Settings of a database file decide what survives a crash, so they are made here once and not by each adapter.
"""

import errno
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

import apsw

from footfall.ports.errors import Corrupt, NoSpace, PortError, Throttled, Unavailable

SQLITE_OLDEST = (3, 51, 3)  # Before it, a checkpoint that races with a writer may corrupt the file.
IN_MEMORY = ":memory:"
BUSY_TIMEOUT_MS = 5_000  # A write takes milliseconds; who has to wait longer than this should slow down.
PAGE_BYTES = 8_192  # Items reach 400 KB; twice the usual page halves the chain of overflow pages.
CACHE_BYTES = 8_000_000  # Per connection; the operating system keeps the rest of the file warm.
CHECKPOINT_PAGES = 2_048  # 16 MB of WAL, four times the usual: fewer syncs of the main file.
WAL_KEPT_BYTES = 64_000_000  # A WAL that grew under a long reader gives its space back down to this.
DISK_FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT})

Bound = str | int | float | bytes | None
Row = tuple[Any, ...]


def open_database(path: str | os.PathLike[str], *, durable: bool, read_only: bool = False) -> apsw.Connection:
    """Open a database file in WAL mode, making it unless read-only; durable means on disk at each commit."""
    require_safe_sqlite(apsw.sqlite_lib_version())
    name = os.fspath(path)
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    try:
        connection = apsw.Connection(name, flags=flags)
    except apsw.CantOpenError as error:
        raise Unavailable(f"{name} cannot be opened: check that its folder exists and may be read") from error
    try:
        with translated(connection):
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            rows(connection, f"PRAGMA cache_size = -{CACHE_BYTES // 1_024}")
            rows(connection, "PRAGMA temp_store = memory")
            if not read_only:
                _prepare_for_writing(connection, name=name, durable=durable)
    except PortError:
        connection.close()
        raise
    return connection


def require_safe_sqlite(version: str) -> None:
    """Raise unless this SQLite is one whose write-ahead log is known to be safe."""
    if tuple(int(part) for part in version.split(".")[:3]) < SQLITE_OLDEST:
        oldest = ".".join(str(part) for part in SQLITE_OLDEST)
        raise Unavailable(f"SQLite {version} may lose data in WAL mode; install apsw {oldest} or newer")


def _prepare_for_writing(connection: apsw.Connection, *, name: str, durable: bool) -> None:
    # Page size and vacuum mode take effect only while the file is still empty, so they come before WAL makes it.
    rows(connection, f"PRAGMA page_size = {PAGE_BYTES}")
    rows(connection, "PRAGMA auto_vacuum = incremental")
    mode = rows(connection, "PRAGMA journal_mode = wal")[0][0]
    if mode != "wal" and name != IN_MEMORY:
        raise Unavailable(f"{name} cannot use a write-ahead log (it stays in {mode} mode): put it on a local disk")
    rows(connection, f"PRAGMA synchronous = {'full' if durable else 'normal'}")
    rows(connection, f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    rows(connection, f"PRAGMA journal_size_limit = {WAL_KEPT_BYTES}")


# apsw's type stubs name a class that Python 3.11 lacks, so its rows are given their type here, once.
def rows(connection: apsw.Connection, sql: str, bound: Sequence[Bound] = ()) -> list[Row]:
    """Run the statement to its end and return all its rows."""
    return connection.execute(sql, bound).fetchall()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def each_row(connection: apsw.Connection, sql: str, bound: Sequence[Bound] = ()) -> Generator[Row]:
    """Run the statement only as far as its rows are asked for; close it to let go of what it reads."""
    cursor = connection.execute(sql, bound)  # pyright: ignore[reportUnknownMemberType]
    try:
        yield from cursor  # pyright: ignore[reportUnknownVariableType]
    finally:
        cursor.close()


def run_for_each(connection: apsw.Connection, sql: str, bounds: Iterable[Sequence[Bound]]) -> None:
    """Run the statement once for each set of values."""
    connection.executemany(sql, bounds)  # pyright: ignore[reportUnknownMemberType]


@contextmanager
def transaction(connection: apsw.Connection) -> Generator[None]:
    """Make the writes inside one transaction; roll it back when one of them fails."""
    rows(connection, "BEGIN IMMEDIATE")
    try:
        yield
        rows(connection, "COMMIT")
    except BaseException:
        if connection.in_transaction:
            rows(connection, "ROLLBACK")
        raise


def data_version(connection: apsw.Connection) -> int:
    """Return a number that changes when another connection has written."""
    with translated(connection):
        return int(rows(connection, "PRAGMA data_version")[0][0])


def give_back_pages(connection: apsw.Connection, *, pages_max: int) -> None:
    """Shrink the file by up to so many free pages, so that what was deleted leaves the disk."""
    with translated(connection):
        # Each step of this pragma frees one page, so its rows have to be read to the end.
        rows(connection, f"PRAGMA incremental_vacuum({pages_max:d})")


def translated(connection: apsw.Connection | None = None) -> AbstractContextManager[None, None]:
    """Turn SQLite's errors inside the block into the ports' own; the connection tells a full disk from a bad one."""
    return _Translation(connection)


class _Translation:
    # A class and not a generator, because it surrounds each single read and write.
    __slots__ = ("_connection",)

    def __init__(self, connection: apsw.Connection | None) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, apsw.Error):
            raise _port_error(error, self._connection) from error


def _port_error(error: apsw.Error, connection: apsw.Connection | None) -> PortError:
    match error:
        case apsw.FullError():
            return NoSpace(f"the disk is full, nothing was written ({error}): free some space")
        case apsw.BusyError() | apsw.LockedError():
            return Throttled(f"another connection kept the database busy for {BUSY_TIMEOUT_MS} ms ({error}): try again")
        case apsw.CorruptError() | apsw.NotADBError():
            return Corrupt(f"{_named(connection)} is damaged ({error}): restore it from a backup")
        case apsw.IOError() if connection is not None and connection.system_errno in DISK_FULL_ERRNOS:
            return NoSpace(f"the disk is full, nothing was written ({error}): free some space")
        case _:
            return Unavailable(f"SQLite does not do it: {type(error).__name__}: {error}")


def _named(connection: apsw.Connection | None) -> str:
    try:
        name = connection.filename if connection is not None else ""
    except apsw.ConnectionClosedError:
        name = ""
    return f"the database {name}" if name else "the database"
