"""What a secret table deletes is nowhere in its files."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from footfall.adapters.embedded.secret_table import SecretTable
from footfall.ports.table import Delete, Key, Put
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
SECRET = bytes(range(100, 132))
OTHER = bytes(range(32))


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def table(tmp_path: Path, clock: SetClock) -> Iterator[SecretTable]:
    with closing(SecretTable(tmp_path / "salts.db", clock=clock)) as opened:
        yield opened


def holders(folder: Path, secret: bytes) -> list[str]:
    return [path.name for path in sorted(folder.iterdir()) if secret in path.read_bytes()]


def keep_both(table: SecretTable) -> None:
    table.put(Put(Key("abc", "day"), {"salt": SECRET}, expires_at_ms=NOON_MS + 10))
    table.put(Put(Key("abc", "own"), {"salt": OTHER}))


def test_a_secret_is_in_no_file_once_it_is_forgotten(table: SecretTable, clock: SetClock, tmp_path: Path) -> None:
    keep_both(table)
    assert holders(tmp_path, SECRET)
    clock.advance(10)
    assert table.get(Key("abc", "day")) is None
    assert table.forget_expired() == 1
    assert holders(tmp_path, SECRET) == []
    assert holders(tmp_path, OTHER)
    assert table.get(Key("abc", "own")) == {"salt": OTHER}


def test_a_secret_that_already_reached_the_main_file_leaves_it_too(
    table: SecretTable, clock: SetClock, tmp_path: Path
) -> None:
    keep_both(table)
    table.forget_expired()
    assert holders(tmp_path, SECRET) == ["salts.db"]
    clock.advance(10)
    table.forget_expired()
    assert holders(tmp_path, SECRET) == []


def test_nothing_to_forget_is_no_error(table: SecretTable) -> None:
    assert table.forget_expired() == 0
    assert table.forget_expired() == 0


def test_a_log_that_somebody_reads_is_emptied_the_next_time(
    table: SecretTable, clock: SetClock, tmp_path: Path
) -> None:
    keep_both(table)
    clock.advance(10)
    with closing(apsw.Connection(str(tmp_path / "salts.db"))) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM items").fetchall()
        table._db.set_busy_timeout(1)
        assert table.forget_expired() == 1
        assert holders(tmp_path, SECRET) == ["salts.db-wal"]
    assert table.forget_expired() == 0
    assert holders(tmp_path, SECRET) == []


def test_a_process_that_ended_before_the_log_was_emptied_leaves_it_to_the_next(
    table: SecretTable, clock: SetClock, tmp_path: Path
) -> None:
    keep_both(table)
    clock.advance(10)
    table.expire(10)
    assert holders(tmp_path, SECRET)
    with closing(SecretTable(tmp_path / "salts.db", clock=clock)) as next_one:
        next_one.forget_expired()
        assert holders(tmp_path, SECRET) == []


def test_what_was_deleted_leaves_no_trace_after_the_next_round(table: SecretTable, tmp_path: Path) -> None:
    key = Key("abc", "import#1")
    table.forget_expired()
    table.put(Put(key, {"salt": b"a-salt-to-be-deleted-at-once"}))
    table.delete(Delete(key))
    table.forget_expired()
    assert holders(tmp_path, b"a-salt-to-be-deleted-at-once") == []
