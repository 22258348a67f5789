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
from footfall.ports.stream import Entry
from footfall.shells.http.chores import TICK_EVERY_MS, TICKS_FOR_MS, StreamChores
from footfall.values.clock import SetClock

START_MS = 1_794_000_000_000
CAP_BYTES = 2_500_000


@pytest.fixture
def clock() -> SetClock:
    return SetClock(START_MS)


@pytest.fixture
def stream(tmp_path: Path, clock: SetClock) -> Iterator[SqliteStream]:
    with closing(SqliteStream(tmp_path / "stream.db", clock=clock)) as opened:
        yield opened


def chores_of(clock: SetClock, *, counted: int, keep_days: int = 14) -> StreamChores:
    """Return the chores of an instance that has counted so many records."""
    table = SqliteTable(":memory:", clock=clock)
    save_checkpoint(table, 0, Checkpoint(number=1, through=counted), replaces=None)
    settings = Settings(stream_bytes_max=CAP_BYTES, stream_keep_days=keep_days)
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
    clock.advance(120_000)
    before = stream.read(0, after=0)
    chores_of(clock, counted=300)(stream, True)
    assert stream.read(0, after=0) == before
    assert stream.oldest_end(0) == 300


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
