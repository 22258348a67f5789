"""The tables of a workflow's file, drawn in docs/formats/workflows.md, and who may write to it."""

import contextlib
import fcntl
import os
from pathlib import Path

import apsw

from footfall.adapters.embedded.database import rows, transaction
from footfall.adapters.embedded.group_files import FILE, is_of_group
from footfall.ports.errors import Unavailable

FORMAT = 1
LOCK_SUFFIX = ".lock"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS definition(hash BLOB PRIMARY KEY, machine TEXT NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS execution(
    id INTEGER PRIMARY KEY, machine TEXT NOT NULL, name TEXT NOT NULL, definition BLOB NOT NULL,
    input BLOB NOT NULL, salt INTEGER NOT NULL, status TEXT NOT NULL, started_at_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL, ended_at_ms INTEGER, output BLOB, error TEXT, cause TEXT,
    retries INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS execution_name ON execution(machine, name);
CREATE INDEX IF NOT EXISTS execution_status ON execution(status, id);
CREATE INDEX IF NOT EXISTS execution_ended ON execution(ended_at_ms) WHERE ended_at_ms IS NOT NULL;
CREATE TABLE IF NOT EXISTS frame(
    execution INTEGER NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL, entry INTEGER NOT NULL, data BLOB NOT NULL,
    entered_at_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, doing TEXT NOT NULL, retries TEXT NOT NULL,
    fork TEXT NOT NULL, PRIMARY KEY(execution, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event(
    execution INTEGER NOT NULL, number INTEGER NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL,
    path TEXT NOT NULL, state TEXT NOT NULL, data BLOB, PRIMARY KEY(execution, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wish(
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, machine TEXT NOT NULL, name TEXT NOT NULL,
    reason TEXT NOT NULL);
"""


class RunElsewhere(Unavailable):
    """Another process runs the executions of this file."""


def prepare_layout(connection: apsw.Connection) -> None:
    """Make the tables, unless a newer release made others."""
    with transaction(connection):
        rows(connection, _SCHEMA)
        rows(connection, "INSERT OR IGNORE INTO about VALUES('format', ?)", (FORMAT,))
        require_layout(connection)  # Inside, so that a newer file is left as it was found.


def require_layout(connection: apsw.Connection) -> None:
    """Raise unless this release reads the file."""
    there = rows(connection, "SELECT 1 FROM sqlite_master WHERE name='about'")
    found = rows(connection, "SELECT value FROM about WHERE name='format'")[0][0] if there else None
    if found != FORMAT:
        raise Unavailable(f"the workflows have format {found}, this release reads format {FORMAT}: use a newer one")


def is_run(path: str | os.PathLike[str]) -> bool:
    """Tell whether a process runs the executions of the file; it is said of one that may not be looked at, too."""
    try:
        number = os.open(f"{os.fspath(path)}{LOCK_SUFFIX}", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(number)
    return False


def take_lock(path: str | os.PathLike[str]) -> int:
    """Take the file for this process alone and return the lock's file number; raise RunElsewhere.

    The system lets go of the lock when the process ends, however it ends, so nobody has to guess who is still alive.
    """
    place = Path(f"{os.fspath(path)}{LOCK_SUFFIX}")
    try:
        number = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Unavailable(f"{place} cannot be made: {error.strerror}") from error
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.pread(number, 32, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(number)
        raise RunElsewhere(f"process {owner} runs the workflows of {os.fspath(path)}; stop it first") from error
    with contextlib.suppress(OSError):  # A full disk is no reason to stop.
        if is_of_group(place.parent):
            os.fchmod(number, FILE)
        os.ftruncate(number, 0)
        os.pwrite(number, f"{os.getpid()}\n".encode("ascii"), 0)
    return number
