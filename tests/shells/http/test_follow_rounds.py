"""Rounds of follows: what they tell of themselves, and what they do when the stream does not take them."""

import asyncio
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from footfall.app import wiring
from footfall.app.audience_opening import open_audience
from footfall.app.doctor_audience import about_follows
from footfall.app.findings import Case
from footfall.app.settings import Settings
from footfall.audience.follow_feed import MARK_NAME
from footfall.audience.things import Thing
from footfall.flow.collect.accept import Single
from footfall.flow.collect.plain import Taken, entries_of
from footfall.ports.errors import NoSpace, Unavailable
from footfall.ports.stream import Entry, Mark, Stream
from footfall.shells.http.audience_desk import AudienceDesk
from footfall.shells.http.audience_gauges import audience_gauges
from footfall.shells.http.commits import Done, SinglesDone
from footfall.shells.http.follow_rounds import EVERY_S, FollowRounds
from footfall.values.clock import SetClock, SystemClock
from footfall.values.errors import FootfallError

CLOCK = SystemClock()
DARK = Thing("series", "dark")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=str(tmp_path))


@pytest.fixture
def stream(settings: Settings) -> Generator[Stream]:
    with closing(wiring.open_stream_to_write(settings, CLOCK)) as opened:
        yield opened


class Commits:
    """Appends at once; when the disk is full, it says so."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.pending_bytes = 0
        self.is_full = False

    def submit(self, entries: Sequence[Taken], done: Done) -> None:
        done(NoSpace("the disk is full") if self.is_full else self.stream.append(entries_of(entries)[0]))

    def submit_singles(self, singles: Sequence[Single], done: SinglesDone) -> None:
        raise AssertionError(f"{len(singles)} hits were sent, {done}")


def follow(settings: Settings, *members: str) -> None:
    opened = open_audience(settings, CLOCK)
    for member in members:
        opened.audience.follows.follow("abc", Thing("member", member), DARK)
    opened.close()


def findings(settings: Settings, *, later_ms: int = 0, is_running: bool = True) -> list[tuple[str, str]]:
    case = Case(Path(settings.data_dir), settings, CLOCK.now_ms() + later_ms, 1 if is_running else None)
    return [(one.level, one.says) for one in about_follows(case)]


def test_without_an_audience_a_round_opens_nothing(settings: Settings, stream: Stream) -> None:
    async def rounds() -> None:
        assert await FollowRounds(settings, CLOCK, stream, Commits(stream)).go_round() == EVERY_S

    asyncio.run(rounds())
    assert not (Path(settings.data_dir) / wiring.AUDIENCE_FILE).exists()
    assert findings(settings) == []


def test_follows_that_the_stream_does_not_take_wait_and_say_since_when(settings: Settings, stream: Stream) -> None:
    follow(settings, "1", "2")
    commits = Commits(stream)
    commits.is_full = True

    async def rounds() -> None:
        one = FollowRounds(settings, CLOCK, stream, commits)
        for _ in range(2):
            with pytest.raises(NoSpace):
                await one.go_round()
            assert 0 < one.told.oldest_ms <= CLOCK.now_ms()
        assert findings(settings, is_running=False)[0][0] == "note"
        assert findings(settings)[0][0] == "fine"  # for the first seconds
        assert findings(settings, later_ms=60_000)[0] == ("todo", "Follows have been waiting for 60 s to be counted.")
        commits.is_full = False
        assert await one.go_round() == EVERY_S
        assert (one.told.oldest_ms, one.told.changes) == (0, 2)

    asyncio.run(rounds())
    assert stream.appended() == {"abc~follows": 2}
    assert findings(settings, later_ms=60_000) == [("fine", "Follows are in the stream up to the newest.")]


def test_a_mark_that_somebody_else_moved_is_looked_at_again(settings: Settings, stream: Stream) -> None:
    follow(settings, "1")

    class Rival(Commits):
        def submit(self, entries: Sequence[Taken], done: Done) -> None:
            entry = entries[0]
            assert isinstance(entry, Entry)
            assert entry.mark is not None
            mark = entry.mark
            self.stream.append([Entry(0, "", 0, b"", 1, mark=Mark(MARK_NAME, mark.begins, mark.ends - 1))])
            super().submit(entries, done)

    async def rounds() -> None:
        with pytest.raises(Unavailable, match="stands elsewhere"):
            await FollowRounds(settings, CLOCK, stream, Rival(stream)).go_round()
        assert await FollowRounds(settings, CLOCK, stream, Commits(stream)).go_round() == EVERY_S

    asyncio.run(rounds())
    assert stream.appended() == {"abc~follows": 1}


def test_follows_are_told_though_the_mark_is_ahead_of_the_clock(settings: Settings, stream: Stream) -> None:
    ahead = (CLOCK.now_ms() + 86_400_000) * 1_000
    stream.append([Entry(0, "", 0, b"", 1, mark=Mark(MARK_NAME, 0, ahead))])
    open_audience(settings, CLOCK).close()  # made anew, or older than the stream

    async def rounds() -> None:
        one = FollowRounds(settings, CLOCK, stream, Commits(stream))
        await one.go_round()
        follow(settings, "1", "2")
        await one.go_round()
        assert one.told.changes == 2

    asyncio.run(rounds())
    assert stream.appended() == {"abc~follows": 2}
    assert stream.mark(MARK_NAME) == ahead + 2


def test_the_last_round_is_made_when_it_is_stopped_and_gauges_tell_of_it(settings: Settings, stream: Stream) -> None:
    desk = AudienceDesk(settings, CLOCK)

    def gauges() -> dict[str, float]:
        told = audience_gauges(desk, now_ms=CLOCK.now_ms())
        return {sample.name: sample.value for family in told for sample in family.samples}

    async def instance() -> None:
        assert gauges()["footfall_follows_told_total"] == 0
        desk.tell_follows(stream, Commits(stream))
        await asyncio.sleep(0)
        follow(settings, "1", "2", "3")
        await desk.stop()

    asyncio.run(instance())
    assert gauges()["footfall_follows_told_total"] == 3
    assert gauges()["footfall_follows_waiting_seconds"] == 0
    assert stream.appended() == {"abc~follows": 3}


def test_a_stop_between_the_append_and_the_forgetting_leaves_no_change_behind(
    settings: Settings, stream: Stream
) -> None:
    follow(settings, "1", "2")

    class CutShort(Commits):
        def submit(self, entries: Sequence[Taken], done: Done) -> None:
            self.stream.append(entries_of(entries)[0])
            task = asyncio.current_task()
            assert task is not None
            task.cancel()

    async def instance() -> None:
        one = FollowRounds(settings, CLOCK, stream, CutShort(stream))
        with pytest.raises(asyncio.CancelledError):
            await one.go_round()
        await one.stop()

    asyncio.run(instance())
    assert stream.appended() == {"abc~follows": 2}
    with closing(sqlite3.connect(Path(settings.data_dir) / wiring.AUDIENCE_FILE)) as file:
        assert file.execute("SELECT count(*) FROM changes").fetchone() == (0,)


def test_a_follow_that_cannot_be_read_holds_up_none_that_come_after_it(settings: Settings, stream: Stream) -> None:
    follow(settings, "1", "2", "3")
    with closing(sqlite3.connect(Path(settings.data_dir) / wiring.AUDIENCE_FILE)) as other, other:
        other.execute("UPDATE changes SET item = x'c1' WHERE partition LIKE '%:2'")
    desk = AudienceDesk(settings, CLOCK)

    async def instance() -> None:
        desk.tell_follows(stream, Commits(stream))
        await desk.stop()

    asyncio.run(instance())
    told = {one.name: one.value for family in audience_gauges(desk, now_ms=CLOCK.now_ms()) for one in family.samples}
    assert told["footfall_follows_unreadable_total"] == 1
    assert (told["footfall_follows_told_total"], told["footfall_follows_waiting_seconds"]) == (2, 0)
    assert stream.appended() == {"abc~follows": 2}
    assert findings(settings, later_ms=60_000) == [("fine", "Follows are in the stream up to the newest.")]


def test_while_the_feed_cannot_be_read_the_gauge_says_since_when(settings: Settings, stream: Stream) -> None:
    follow(settings, "1")
    clock = SetClock(CLOCK.now_ms())

    async def rounds() -> None:
        one = FollowRounds(settings, clock, stream, Commits(stream))
        await one.go_round()
        assert (one.told.oldest_ms, one.told.changes) == (0, 1)
        with closing(sqlite3.connect(Path(settings.data_dir) / wiring.AUDIENCE_FILE)) as other, other:
            other.execute("ALTER TABLE changes RENAME TO elsewhere")  # As with a damaged page, every read fails.
        failed_ms = clock.now_ms()
        for _ in range(3):
            with pytest.raises(FootfallError):
                await one.go_round()
            assert one.told.oldest_ms == failed_ms
            clock.advance(60_000)

    asyncio.run(rounds())
