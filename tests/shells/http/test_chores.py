"""What the stream's writer does besides writing: forgetting in time and staying within its bytes."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.settings import DAY_MS, Settings
from footfall.flow.store.checkpoints import Checkpoint, save_checkpoint
from footfall.flow.stream.beats import beats_from_record
from footfall.ports.stream import Entry, Record
from footfall.shells.http.chores import JOIN_AFTER_MS, JOIN_ALL_AFTER_MS, TICK_EVERY_MS, TICKS_FOR_MS, StreamChores
from footfall.values.clock import SetClock
from tests.adapters.embedded.pages_read import pages_read

START_MS = 1_794_000_000_000
CAP_BYTES = 2_500_000


@pytest.fixture
def clock() -> SetClock:
    return SetClock(START_MS)


@pytest.fixture
def stream(tmp_path: Path, clock: SetClock) -> Iterator[SqliteStream]:
    with closing(SqliteStream(tmp_path / "stream.db", clock=clock)) as opened:
        yield opened


def chores_of(clock: SetClock, *, counted: int, keep_days: int = 14, bytes_max: int = CAP_BYTES) -> StreamChores:
    """Return the chores of an instance that has counted so many records."""
    table = SqliteTable(":memory:", clock=clock)
    save_checkpoint(table, 0, Checkpoint(number=1, through=counted), replaces=None)
    settings = Settings(stream_bytes_max=bytes_max, stream_keep_days=keep_days)
    return StreamChores(settings, clock, lambda: table)


def fill(stream: SqliteStream, clock: SetClock, records: int) -> None:
    chance = random.Random(5)
    for _ in range(records // 100):
        clock.advance(1_000)
        stream.append([Entry(0, "abc", 1, chance.randbytes(100), clock.now_ms()) for _ in range(100)])


def test_the_oldest_hits_go_when_the_bytes_are_too_many(stream: SqliteStream, clock: SetClock) -> None:
    fill(stream, clock, 40_000)
    clock.advance(120_000)
    chores = chores_of(clock, counted=40_000)
    for _ in range(20):
        chores(stream, True)
    assert stream.stored_bytes() <= CAP_BYTES
    assert stream.kept_since_ms() > START_MS
    assert stream.read(0, after=39_999)[0].sequence == 40_000


def test_what_is_not_counted_stays_whatever_its_bytes(stream: SqliteStream, clock: SetClock) -> None:
    fill(stream, clock, 40_000)
    clock.advance(120_000)
    chores = chores_of(clock, counted=500)
    for _ in range(20):
        chores(stream, False)
    assert stream.read(0, after=0)[0].sequence <= 501
    assert stream.stored_bytes() > CAP_BYTES


def test_hits_go_when_their_time_is_over(stream: SqliteStream, clock: SetClock) -> None:
    fill(stream, clock, 1_000)
    clock.advance(2 * DAY_MS)
    fill(stream, clock, 1_000)
    chores_of(clock, counted=2_000, keep_days=1)(stream, True)
    assert stream.read(0, after=0)[0].sequence == 1_001


def test_small_blocks_are_joined_and_lose_nothing(stream: SqliteStream, clock: SetClock) -> None:
    for number in range(300):
        clock.advance(10)
        stream.append([Entry(0, "abc", 1, b"hit %d" % number, clock.now_ms())])
    clock.advance(JOIN_ALL_AFTER_MS)
    before = stream.read(0, after=0)
    chores_of(clock, counted=300)(stream, True)
    assert stream.read(0, after=0) == before
    assert stream.oldest_end(0) == 300


class WatchedStream(SqliteStream):
    """Tells how many blocks there are, and how many bytes joining has written."""

    joined_bytes = 0
    is_joining = False

    def join_blocks(self, shard: int, *, after: int, through: int, leave_from_ms: int | None = None) -> int:
        """Join, and remember that what is inserted meanwhile is joined."""
        self.is_joining = True
        try:
            return super().join_blocks(shard, after=after, through=through, leave_from_ms=leave_from_ms)
        finally:
            self.is_joining = False

    def _insert(self, shard: int, first: int, last: int, arrived_to_ms: int, weights: bytes, body: bytes) -> None:
        self.joined_bytes += len(body) if self.is_joining else 0
        super()._insert(shard, first, last, arrived_to_ms, weights, body)

    def blocks(self, *, before_ms: int = 2 * START_MS) -> int:
        """Return how many blocks there are whose records arrived before a moment."""
        return self._value("SELECT count(*) FROM block WHERE arrived_to_ms<?", before_ms)

    def body_bytes(self) -> int:
        """Return how many bytes the blocks' bodies have."""
        return self._value("SELECT sum(length(body)) FROM block")

    def pages_read(self) -> int:
        """Return how many pages were looked at so far."""
        return pages_read(self._db)


@pytest.fixture
def watched(clock: SetClock) -> Iterator[WatchedStream]:
    with closing(WatchedStream(":memory:", clock=clock)) as opened:
        yield opened


def pass_seconds(
    stream: SqliteStream, clock: SetClock, chores: StreamChores, seconds: int, *, commits: int = 0, size: int = 60
) -> None:
    """Let seconds pass with so many commits each, and chores at the end of each."""
    chance = random.Random(seconds)
    for _ in range(seconds):
        for _ in range(commits):
            stream.append([Entry(0, "abc", 1, chance.randbytes(size), clock.now_ms())])
        clock.advance(1_000)
        chores(stream, True)


def everything(stream: SqliteStream) -> list[Record]:
    found: list[Record] = []
    while page := stream.read(0, after=found[-1].sequence if found else 0):
        found.extend(page)
    return found


COUNTED = 1_000_000  # More than any of these tests appends.


@pytest.mark.parametrize(("commits", "left_max", "open_max"), [(1, 3, 300), (5, 3, 1_500), (50, 16, 2_000)])
def test_blocks_of_any_traffic_end_up_in_few_large_ones(
    watched: WatchedStream, clock: SetClock, commits: int, left_max: int, open_max: int
) -> None:
    chores = chores_of(clock, counted=COUNTED, bytes_max=1_000_000_000)
    pass_seconds(watched, clock, chores, 600, commits=commits)
    now_ms = clock.now_ms()
    assert watched.blocks(before_ms=now_ms - JOIN_ALL_AFTER_MS) <= left_max
    assert watched.blocks(before_ms=now_ms - JOIN_AFTER_MS) <= left_max + open_max  # One run is not full yet.
    pass_seconds(watched, clock, chores, JOIN_ALL_AFTER_MS // 1_000 + 5)
    assert watched.blocks() <= left_max
    records = everything(watched)
    assert [one.sequence for one in records] == list(range(1, 600 * commits + 1))
    chance = random.Random(600)
    assert [one.data for one in records] == [chance.randbytes(60) for _ in records]
    assert watched.joined_bytes <= 2 * watched.body_bytes()


def test_blocks_that_come_seldom_are_not_written_again_and_again(watched: WatchedStream, clock: SetClock) -> None:
    chores = chores_of(clock, counted=COUNTED)
    for number in range(700):
        clock.advance(20_000)
        watched.append([Entry(0, "abc", 1, b"hit %d" % number, clock.now_ms())])
        pass_seconds(watched, clock, chores, 1)
    assert watched.blocks() < 700 / 2 + JOIN_ALL_AFTER_MS // 20_000  # Some wait until they are as much as is joined.
    assert watched.joined_bytes <= 2 * watched.body_bytes()


def test_what_is_not_full_is_left_as_it_is_until_it_is_old(watched: WatchedStream, clock: SetClock) -> None:
    chores = chores_of(clock, counted=COUNTED)
    pass_seconds(watched, clock, chores, JOIN_ALL_AFTER_MS // 1_000 - 1, commits=2)
    assert watched.joined_bytes == 0
    pass_seconds(watched, clock, chores, 10)
    assert watched.joined_bytes > 0
    assert watched.blocks() < 2 * JOIN_AFTER_MS // 1_000 + 20


def test_chores_read_as_little_after_a_long_history_as_after_a_short_one(
    watched: WatchedStream, clock: SetClock
) -> None:
    chores = chores_of(clock, counted=COUNTED)
    read: list[int] = []
    for _ in range(5):
        before = watched.pages_read()
        pass_seconds(watched, clock, chores, 600, commits=2)
        read.append(watched.pages_read() - before)
    assert read[-1] < 1.2 * read[1]


def test_after_a_restart_what_is_joined_stays_and_what_is_not_is_joined(
    watched: WatchedStream, clock: SetClock
) -> None:
    for size in (60, 3_000, 9_000, 5):  # Some of them are too large, some stay small even when they are joined.
        pass_seconds(watched, clock, chores_of(clock, counted=0, bytes_max=1_000_000_000), 200, commits=3, size=size)
    before = everything(watched)
    written: list[int] = []
    for _ in range(5):
        pass_seconds(watched, clock, chores_of(clock, counted=COUNTED, bytes_max=1_000_000_000), 400)
        written.append(watched.joined_bytes)
    assert watched.blocks() <= 600 + 6
    assert written[0] == written[-1] <= 2 * watched.body_bytes()
    assert everything(watched) == before


def test_nothing_is_forgotten_before_the_store_is_made(clock: SetClock) -> None:
    settings = Settings(stream_keep_days=1)
    stream = SqliteStream(":memory:", clock=clock)
    stream.append([Entry(0, "abc", 1, b"x", clock.now_ms())])
    clock.advance(3 * DAY_MS)
    StreamChores(settings, clock, lambda: None)(stream, True)
    assert stream.oldest_end(0) == 1


def test_time_passes_for_sessions_that_fell_silent_and_for_nobody_else(stream: SqliteStream, clock: SetClock) -> None:
    chores = chores_of(clock, counted=0)
    stream.append([Entry(0, "abc", 1, b"hit", clock.now_ms())])
    chores(stream, True)
    assert stream.tip(0) == 1
    stream.append([Entry(0, "abc~pings", 1, b"beat", clock.now_ms())])
    for _ in range(2 * TICKS_FOR_MS // TICK_EVERY_MS):
        clock.advance(TICK_EVERY_MS)
        chores(stream, True)
    ticks = stream.read(0, after=2)
    assert len(ticks) == TICKS_FOR_MS // TICK_EVERY_MS + 1  # Until the last session is over, and then no more.
    assert all(not beats_from_record(tick.data).keys and not tick.weight for tick in ticks)
