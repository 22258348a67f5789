"""What is SQLite's own about the stream: crashes, joining, damage, a full disk, and the file's format."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.adapters.embedded import block_runs, sqlite_stream
from footfall.adapters.embedded.sqlite_stream import FORMAT, SqliteStream
from footfall.ports.errors import Corrupt, NoSpace, Unavailable
from footfall.ports.stream import Claim, Entry, Record
from footfall.values.clock import SetClock
from tests.adapters.embedded.killed_program import told_before_kill
from tests.adapters.embedded.pages_read import pages_read

NOON_MS = 1_794_744_000_000
CLOCK = SetClock(NOON_MS)

APPEND_FOR_EVER = """
import sys
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.ports.stream import Entry
from footfall.values.clock import SystemClock
stream = SqliteStream(sys.argv[1], clock=SystemClock(), shards=2)
number = int(sys.argv[2])
while True:
    number += 1
    ids = ((0, number.to_bytes(16, "big")),)
    stream.append([Entry(shard, "abc", 1, b"%d" % number, number, ids if shard else ()) for shard in (0, 1)])
    print(number, flush=True)
"""


def entry(data: bytes, *, group: str = "abc", weight: int = 1, at_ms: int = NOON_MS) -> Entry:
    return Entry(0, group, weight, data, at_ms)


def everything(stream: SqliteStream, shard: int = 0) -> list[Record]:
    found: list[Record] = []
    while page := stream.read(shard, after=found[-1].sequence if found else 0):
        found.extend(page)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stream.db"


@pytest.fixture
def stream(path: Path) -> Iterator[SqliteStream]:
    with closing(SqliteStream(path, clock=CLOCK)) as opened:
        yield opened


class CountingStream(SqliteStream):
    """Tells how many blocks it has unpacked."""

    unpacked = 0

    def _stored(self, body: bytes) -> list[tuple[str, int, int, tuple[int, ...], bool, bytes]]:
        self.unpacked += 1
        return super()._stored(body)


@pytest.mark.parametrize("readers", [1, 3])
def test_a_block_that_is_read_in_parts_is_unpacked_once_by_each_reader(path: Path, readers: int) -> None:
    with closing(CountingStream(path, clock=CLOCK)) as stream:
        for block in range(3):
            stream.append([entry(b"%d %d" % (block, number)) for number in range(100)])
        found: list[list[Record]] = [[] for _ in range(readers)]
        while len(found[-1]) < 300:
            for one in found:
                one.extend(stream.read(0, after=one[-1].sequence if one else 0, limit=30))
        assert stream.unpacked == 3 * readers
        assert all(one == everything(stream) for one in found)


def test_more_readers_than_are_remembered_read_the_same(path: Path) -> None:
    with closing(CountingStream(path, clock=CLOCK)) as stream:
        stream.append([entry(b"%d" % number) for number in range(100)])
        for after in (*range(0, 90, 7), *range(0, 90, 7)):
            assert [one.sequence for one in stream.read(0, after=after, limit=5)] == list(range(after + 1, after + 6))


def blocks(path: Path) -> int:
    with closing(apsw.Connection(str(path))) as db:
        return int(db.execute("SELECT count(*) FROM block").get)


def test_everything_acknowledged_before_a_kill_is_there(path: Path) -> None:
    acknowledged = 0
    for wanted in (1, 7, 40):
        lines = told_before_kill(APPEND_FOR_EVER, str(path), str(acknowledged), wanted=wanted)
        with closing(SqliteStream(path, clock=CLOCK)) as stream:
            per_shard = [[int(record.data) for record in everything(stream, shard)] for shard in (0, 1)]
            assert per_shard[0] == per_shard[1]
            assert stream.appended() == {"abc": 2 * len(per_shard[0])}
            assert all(not record.repeats for record in everything(stream, 1))
        kept = per_shard[0]
        assert set(lines) <= set(kept)
        assert kept == list(range(1, len(kept) + 1))
        assert lines[-1] in (kept[-1], kept[-1] - 1)
        acknowledged = kept[-1]


def test_a_stream_that_is_opened_again_goes_on_where_it_was(path: Path) -> None:
    claimed = Entry(1, "abc", 1, b"a", NOON_MS, ((0, b"i" * 16),), Claim(b"k" * 16, b"b" * 16))
    for time in range(3):
        with closing(SqliteStream(path, clock=CLOCK, shards=2)) as stream:
            (done,) = stream.append([claimed])
            assert (done.sequence, done.repeated) == (time + 1, time > 0)


def test_the_number_of_shards_is_decided_once(path: Path) -> None:
    SqliteStream(path, clock=CLOCK, shards=3).close()
    with closing(SqliteStream(path, clock=CLOCK, shards=1)) as stream:
        assert stream.shards == 3


@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=12), joins=st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=25)
def test_joining_keeps_every_record_and_every_number(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], joins: list[int]
) -> None:
    path = tmp_path_factory.mktemp("joined") / "stream.db"
    with closing(SqliteStream(path, clock=CLOCK)) as stream:
        for number, size in enumerate(sizes):
            ids = ((0, bytes([number % 3]) * 16),)
            one = [Entry(0, f"b{number % 2}", place, b"%d" % place, NOON_MS + number % 4, ids) for place in range(size)]
            stream.append(one)
        before = everything(stream)
        for after in joins:
            stream.join_blocks(0, after=after, through=stream.tip(0) - 1)
            assert everything(stream) == before
        for moment_ms in range(NOON_MS, NOON_MS + 6):
            start = stream.sequence_at(0, arrived_at_ms=moment_ms)
            assert all(r.arrived_at_ms < moment_ms for r in before if r.sequence <= start)
        stream.append([entry(b"later")])
        assert everything(stream)[:-1] == before


def test_joining_makes_few_blocks_of_many_and_says_where_to_go_on(stream: SqliteStream, path: Path) -> None:
    for number in range(100):
        stream.append([entry(b"%d" % number)])
    assert stream.join_blocks(0, after=0, through=60) == 60
    assert blocks(path) == 41
    assert stream.join_blocks(0, after=60, through=60) == 0
    assert stream.join_blocks(0, after=60, through=100) == 100
    assert blocks(path) == 2
    stream.trim(0, through=60)
    assert everything(stream)[0].data == b"60"


def test_joined_blocks_stay_small(stream: SqliteStream, path: Path) -> None:
    chance = Random(1)
    for _ in range(500):
        stream.append([entry(chance.randbytes(5_000))])
    join_all(stream)
    assert blocks(path) == 3
    assert len(everything(stream)) == 500


def test_large_blocks_stay_as_they_are_and_small_ones_are_joined_between_them(stream: SqliteStream, path: Path) -> None:
    chance = Random(1)
    for size in (9, 9, 40_000, 40_000, 9, 9, 9, 40_000, 9):
        stream.append([entry(chance.randbytes(size))])
    before = everything(stream)
    assert join_all(stream) == [9]
    assert blocks(path) == 6
    assert everything(stream) == before


def test_joining_reads_as_little_after_a_long_history_as_after_a_short_one(stream: SqliteStream, path: Path) -> None:
    chance = Random(1)
    for _ in range(800):
        stream.append([entry(chance.randbytes(7_000))])
    (connection,) = (open_one for open_one in apsw.connections() if open_one.filename == str(path))
    read: list[int] = []
    for after in (0, 700):
        before = pages_read(connection)
        stream.join_blocks(0, after=after, through=after + 50)
        read.append(pages_read(connection) - before)
    assert 50 <= read[1] < 1.5 * read[0]


def test_a_run_that_is_not_full_is_left_while_it_is_young_and_looked_at_again_when_it_is_joined(
    stream: SqliteStream, path: Path
) -> None:
    for number in range(100):
        stream.append([entry(b"%d" % number, at_ms=NOON_MS + number)])
    assert stream.join_blocks(0, after=0, through=60, leave_from_ms=NOON_MS) == 0
    assert blocks(path) == 100
    assert stream.join_blocks(0, after=0, through=60, leave_from_ms=NOON_MS + 1) == 0
    assert blocks(path) == 41
    assert stream.join_blocks(0, after=0, through=70, leave_from_ms=NOON_MS + 100) == 0
    assert blocks(path) == 41  # Ten more are not worth writing the sixty again.
    assert len(everything(stream)) == 100


def test_a_run_is_over_when_it_is_full_or_when_a_large_block_follows(stream: SqliteStream, path: Path) -> None:
    chance = Random(1)
    for size in (9, 9, 40_000, 9, 9, *[5_000] * 300):
        stream.append([entry(chance.randbytes(size))])
    assert stream.join_blocks(0, after=0, through=stream.tip(0), leave_from_ms=NOON_MS) == 3
    assert blocks(path) == 304  # The second began later, so that it is full is seen at the next look.
    full = stream.join_blocks(0, after=3, through=stream.tip(0), leave_from_ms=NOON_MS)
    assert 190 < full < 205
    assert blocks(path) == 3 + stream.tip(0) - full
    assert stream.join_blocks(0, after=full, through=stream.tip(0), leave_from_ms=NOON_MS) == 0
    assert len(everything(stream)) == 305


def test_so_many_blocks_are_a_full_run_however_small_they_are(
    stream: SqliteStream, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_runs, "JOINED_BLOCKS_MAX", 20)
    for number in range(50):
        stream.append([entry(b"%d" % number)])
    assert join_all(stream, leave_from_ms=NOON_MS) == [20, 40]
    assert blocks(path) == 12


def join_all(stream: SqliteStream, *, leave_from_ms: int | None = None) -> list[int]:
    """Join what there is to join; return where each step ended."""
    ends = [0]
    tip = stream.tip(0)
    while (joined := stream.join_blocks(0, after=ends[-1], through=tip, leave_from_ms=leave_from_ms)) > ends[-1]:
        ends.append(joined)
    return ends[1:]


def damage(path: Path, last: int, *, column: str = "body", at: int | None = None) -> None:
    with closing(apsw.Connection(str(path))) as db:
        body = bytearray(db.execute(f"SELECT {column} FROM block WHERE last=?", (last,)).get)
        body[len(body) // 2 if at is None else at] ^= 0xFF
        db.execute(f"UPDATE block SET {column}=? WHERE last=?", (bytes(body), last))


def test_what_a_damaged_block_held_is_still_accounted_for(stream: SqliteStream, path: Path) -> None:
    stream.append([entry(b"before")])
    stream.append([entry(b"1", weight=2), entry(b"2", group="def", weight=3), entry(b"3", weight=4)])
    stream.append([entry(b"after")])
    damage(path, 4)
    first, lost, lost_too, last = everything(stream)
    assert (first.data, last.data, first.sequence, last.sequence) == (b"before", b"after", 1, 5)
    assert [(r.group, r.weight, r.data) for r in (lost, lost_too)] == [("abc", 6, b""), ("def", 3, b"")]
    assert 1 < lost.sequence < lost_too.sequence < 5
    assert stream.read(0, after=lost.sequence, limit=1) == [lost_too]


def test_damage_at_any_byte_is_noticed_or_harmless(stream: SqliteStream, path: Path) -> None:
    stream.append([entry(b"some hits " * 30, weight=2), entry(b"more hits", weight=3)])
    whole = everything(stream)
    with closing(apsw.Connection(str(path))) as db:
        size = len(db.execute("SELECT body FROM block").get)
    for at in range(size):
        damage(path, 2, at=at)
        found = everything(stream)
        assert found == whole or [(r.sequence, r.weight, r.data) for r in found] == [(2, 5, b"")]
        damage(path, 2, at=at)
    assert everything(stream) == whole


def test_a_block_that_says_nothing_any_more_is_corrupt(stream: SqliteStream, path: Path) -> None:
    stream.append([entry(b"1")])
    damage(path, 1, at=0)
    damage(path, 1, column="weights", at=0)
    with pytest.raises(Corrupt):
        stream.read(0, after=0)


def test_a_damaged_block_is_left_as_it_is_while_its_neighbours_are_joined(stream: SqliteStream, path: Path) -> None:
    for number in range(9):
        stream.append([entry(b"%d" % number)])
    damage(path, 5, at=0)
    before = everything(stream)
    assert join_all(stream) == [9]
    assert blocks(path) == 3
    assert everything(stream) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(stream: SqliteStream, taken: list[bytes], chance: Random) -> None:
    for _ in range(100):
        data = chance.randbytes(20_000)
        stream.append([entry(data), entry(b"beside")])
        taken += [data, b"beside"]


def test_a_full_disk_says_so_and_reading_and_later_appending_go_on(small_disk: Path) -> None:
    chance = Random(2)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    with closing(SqliteStream(small_disk / "stream.db", clock=CLOCK)) as stream:
        taken: list[bytes] = []
        with pytest.raises(NoSpace):
            fill(stream, taken, chance)
        assert taken
        assert [record.data for record in everything(stream)] == taken
        assert (stream.tip(0), stream.appended()) == (len(taken), {"abc": len(taken)})
        with pytest.raises(NoSpace):
            stream.append([entry(chance.randbytes(60_000))])
        ballast.unlink()
        (done,) = stream.append([entry(b"again")])
        assert done.sequence == len(taken) + 1
        assert [record.data for record in everything(stream)] == [*taken, b"again"]


def test_another_format_is_refused_and_left_as_it_was(path: Path) -> None:
    SqliteStream(path, clock=CLOCK).close()
    with closing(apsw.Connection(str(path))) as db:
        db.execute("UPDATE about SET value=3 WHERE name='format'; DROP TABLE appended")
    for read_only in (False, True):
        with pytest.raises(Unavailable, match="format 3"):
            SqliteStream(path, clock=CLOCK, read_only=read_only)
    with closing(apsw.Connection(str(path))) as db:
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name='appended'").get == 0


def test_a_stream_of_the_first_format_is_read_and_written_on(path: Path) -> None:
    claimed = Entry(0, "abc", 1, b"a", NOON_MS, claim=Claim(b"k" * 16, b"b" * 16))
    SqliteStream(path, clock=CLOCK).close()
    with closing(apsw.Connection(str(path))) as db:
        db.execute("UPDATE about SET value=1 WHERE name='format'; DROP TABLE ids_recent")
        db.execute("INSERT INTO ids_0 VALUES(?,?,?)", (b"k" * 16, NOON_MS - 1, b"b" * 16))
    SqliteStream(path, clock=CLOCK, read_only=True).close()
    with closing(SqliteStream(path, clock=CLOCK)) as stream:
        assert stream.append([claimed])[0].repeated
    with closing(apsw.Connection(str(path))) as db:
        assert db.execute("SELECT value FROM about WHERE name='format'").get == FORMAT


def test_a_stream_that_is_not_there_cannot_be_read(path: Path) -> None:
    with pytest.raises(Unavailable):
        SqliteStream(path, clock=CLOCK, read_only=True)


def test_a_long_backlog_is_read_in_portions(stream: SqliteStream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_stream, "READ_BYTES_MAX", 1_000)
    chance = Random(3)
    for _ in range(10):
        stream.append([entry(chance.randbytes(600))])
    assert len(stream.read(0, after=0)) == 2
    assert len(everything(stream)) == 10


def test_trimmed_space_goes_back_to_the_disk(stream: SqliteStream) -> None:
    chance = Random(4)
    for _ in range(20):
        stream.append([entry(chance.randbytes(100_000))])
    before = stream.stored_bytes()
    stream.trim(0, through=stream.tip(0))
    stream.give_back()
    assert before > 2_000_000
    assert stream.stored_bytes() < 200_000
