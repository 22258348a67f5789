"""A snapshot is one moment of a file, whatever is written meanwhile."""

from contextlib import closing
from pathlib import Path

import pytest

from footfall.adapters.embedded.database import open_database, rows, transaction
from footfall.adapters.embedded.snapshot import PAGES_AT_ONCE, Snapshot
from footfall.ports.errors import Unavailable

ROWS = 1_500  # Some 10 KB each: several steps of a copy.


def nothing() -> None:
    """Let a copy go on at once."""


def test_a_copy_has_what_was_there_when_the_snapshot_was_made(tmp_path: Path) -> None:
    writer = open_database(tmp_path / "a.db", durable=False)
    rows(writer, "CREATE TABLE t (number INTEGER PRIMARY KEY, filling BLOB)")
    rows(writer, "PRAGMA user_version = 7")
    with transaction(writer):
        for number in range(ROWS):
            rows(writer, "INSERT INTO t VALUES (?, zeroblob(10000))", (number,))
    steps = 0

    def write_meanwhile() -> None:
        nonlocal steps
        steps += 1
        with transaction(writer):
            rows(writer, "DELETE FROM t WHERE number % 7 = ?", (steps % 7,))
            rows(writer, "INSERT INTO t SELECT max(number) + 1, zeroblob(10000) FROM t")

    with closing(Snapshot(tmp_path / "a.db")) as snapshot:
        write_meanwhile()
        snapshot.copy_to(tmp_path / "copy.db", between=write_meanwhile)
        assert (tmp_path / "copy.db").stat().st_size == snapshot.size_bytes
        assert snapshot.format == 7
    assert steps > snapshot.size_bytes // (PAGES_AT_ONCE * 8_192)  # It was not copied in one go.
    copy = open_database(tmp_path / "copy.db", durable=False)
    assert rows(copy, "SELECT count(*), sum(number) FROM t") == [(ROWS, ROWS * (ROWS - 1) // 2)]
    assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
    assert rows(copy, "PRAGMA journal_mode") == [("wal",)]
    assert rows(writer, "SELECT count(*) FROM t")[0][0] < ROWS
    copy.close()
    writer.close()


def test_a_copy_never_writes_over_a_file(tmp_path: Path) -> None:
    open_database(tmp_path / "a.db", durable=False).close()
    (tmp_path / "copy.db").write_bytes(b"mine")
    with closing(Snapshot(tmp_path / "a.db")) as snapshot, pytest.raises(FileExistsError):
        snapshot.copy_to(tmp_path / "copy.db", between=nothing)
    assert (tmp_path / "copy.db").read_bytes() == b"mine"


def test_a_snapshot_of_nothing_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"gone\.db"):
        Snapshot(tmp_path / "gone.db")
