"""Group commit: what waits goes to the disk together, and everybody is told what became of it."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.collect.plain import Plain
from footfall.flow.stream.records import pack_from_record
from footfall.ports.errors import NoSpace, PortError, Unavailable
from footfall.ports.stream import Appended, Claim, Entry, Record, Stream
from footfall.shells.http import commits
from footfall.shells.http.commits import Committer
from footfall.values.clock import SetClock
from tests.shells.http.clients import NOON_MS, run, until

CLOCK = SetClock(NOON_MS)


class Watched:
    """A real stream whose appends can be held up, made to fail, and counted."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.may_append = threading.Event()
        self.may_append.set()
        self.raises: Exception | None = None
        self.appends: list[int] = []
        self.is_closed = False

    @property
    def shards(self) -> int:
        return self._stream.shards

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        self.appends.append(len(entries))
        self.may_append.wait(20)
        if self.raises is not None:
            raise self.raises
        return self._stream.append(entries)

    def read(self, shard: int, *, after: int, limit: int = 10_000) -> list[Record]:
        return self._stream.read(shard, after=after, limit=limit)

    def tip(self, shard: int) -> int:
        return self._stream.tip(shard)

    def sequence_at(self, shard: int, *, arrived_at_ms: int) -> int:
        return self._stream.sequence_at(shard, arrived_at_ms=arrived_at_ms)

    def kept_since_ms(self) -> int:
        return self._stream.kept_since_ms()

    def appended(self) -> Mapping[str, int]:
        return self._stream.appended()

    def mark(self, name: bytes) -> int:
        return self._stream.mark(name)

    def trim(self, shard: int, *, through: int) -> None:
        self._stream.trim(shard, through=through)

    def close(self) -> None:
        self.is_closed = True
        self._stream.close()


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(SqliteStream(tmp_path / "stream.db", clock=CLOCK))


def entry(data: bytes) -> Entry:
    return Entry(0, "abc", 1, data, NOON_MS)


def no_chores(_stream: Stream, _is_idle: bool) -> None:
    return None


Outcomes = list[Sequence[Appended] | PortError]


def test_an_entry_is_on_disk_when_its_sender_is_told(watched: Watched, tmp_path: Path) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        done: Outcomes = []
        committer.submit([entry(b"1"), entry(b"2")], done.append)
        await until(lambda: bool(done))
        with closing(SqliteStream(tmp_path / "stream.db", clock=CLOCK, read_only=True)) as reader:
            assert [record.data for record in reader.read(0, after=0)] == [b"1", b"2"]
        assert done == [[Appended(1), Appended(2)]]
        await committer.stop()
        assert watched.is_closed

    run(work())


def test_what_comes_during_a_commit_goes_into_the_next_one_together(watched: Watched) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        watched.may_append.clear()
        done: Outcomes = []
        committer.submit([entry(b"0")], done.append)
        await until(lambda: len(watched.appends) == 1)
        for number in range(1, 51):
            committer.submit([entry(b"%d" % number)], done.append)
        assert committer.pending_bytes == 1 + 9 + 2 * 41
        watched.may_append.set()
        await until(lambda: len(done) == 51)
        assert watched.appends == [1, 50]
        assert [one[0].sequence for one in done if not isinstance(one, PortError)] == list(range(1, 52))
        assert (committer.pending_bytes, committer.commits) == (0, 2)
        await committer.stop()

    run(work())


def test_each_sender_gets_its_own_part_of_the_outcome(watched: Watched) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        watched.may_append.clear()
        outcomes: dict[int, Sequence[Appended] | PortError] = {}
        for size in (1, 3, 2):
            committer.submit([entry(b"x")] * size, lambda outcome, size=size: outcomes.update({size: outcome}))
        watched.may_append.set()
        await until(lambda: len(outcomes) == 3)
        assert outcomes == {
            1: [Appended(1)], 3: [Appended(2), Appended(3), Appended(4)], 2: [Appended(5), Appended(6)],
        }  # fmt: skip
        await committer.stop()

    run(work())


def keyed(key: bytes, body: bytes = b"body") -> Plain:
    return Plain(0, "abc", [("a", "", "", "")], NOON_MS, claim=Claim(key * 16, body * 4))


def test_hits_under_new_keys_share_a_record_and_those_that_come_again_are_told_apart(watched: Watched) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()

        async def committed(*together: Plain) -> Outcomes:
            done: Outcomes = []
            for one in together:
                committer.submit([one], done.append)
            await until(lambda: len(done) == len(together))
            return done

        assert await committed(keyed(b"1"), keyed(b"2"), keyed(b"3")) == [[Appended(1)]] * 3
        again = await committed(keyed(b"4"), keyed(b"2"), keyed(b"3", b"else"), keyed(b"4"))
        assert again == [[Appended(2)], [Appended(3, repeated=True)], [Appended(0)], [Appended(4, repeated=True)]]
        assert await committed(keyed(b"5"), keyed(b"6")) == [[Appended(5)]] * 2
        await committer.stop()
        assert watched.appends == [1, 1, 4, 1]  # with one that was taken back

    run(work())


@pytest.mark.parametrize(("raised", "told"), [(NoSpace("full"), NoSpace), (ValueError("a defect"), Unavailable)])
def test_a_failed_commit_is_told_to_all_and_the_next_one_goes_on(
    watched: Watched, raised: Exception, told: type[PortError]
) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        watched.raises = raised
        done: Outcomes = []
        for _ in range(3):
            committer.submit([entry(b"x")], done.append)
        await until(lambda: len(done) == 3)
        assert [type(one) for one in done] == [told] * 3
        watched.raises = None
        committer.submit([entry(b"x")], done.append)
        await until(lambda: len(done) == 4)
        assert done[-1] == [Appended(1)]
        assert committer.pending_bytes == 0
        await committer.stop()

    run(work())


def test_an_answer_that_fails_does_not_keep_the_others_from_theirs(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        def fail(_outcome: Sequence[Appended] | PortError) -> None:
            raise RuntimeError("the client has gone")

        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        watched.may_append.clear()
        done: Outcomes = []
        for tell in (done.append, fail, done.append):
            committer.submit([entry(b"x")], tell)
        watched.may_append.set()
        await until(lambda: len(done) == 2)
        await until(lambda: committer.pending_bytes == 0)
        await committer.stop()

    run(work())
    assert "an answer could not be given" in caplog.text


def test_a_stop_commits_what_is_waiting(watched: Watched) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        watched.may_append.clear()
        done: Outcomes = []
        committer.submit([entry(b"1")], done.append)
        await until(lambda: len(watched.appends) == 1)
        committer.submit([entry(b"2")], done.append)
        stopping = asyncio.create_task(committer.stop())
        await asyncio.sleep(0.02)
        watched.may_append.set()
        await stopping
        await until(lambda: len(done) == 2)
        assert done == [[Appended(1)], [Appended(2)]]

    run(work())


def test_a_stream_that_cannot_be_opened_stops_the_start() -> None:
    def no_stream() -> Stream:
        raise Unavailable("no such folder")

    async def work() -> None:
        with pytest.raises(Unavailable, match="no such folder"):
            await Committer(no_stream, chores=no_chores).start()

    run(work())


def test_chores_are_done_also_while_hits_never_cease_and_when_they_fail(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(commits, "CHORES_S", 0.05)
    rounds: list[bool] = []

    def chores(_stream: Stream, is_idle: bool) -> None:
        rounds.append(is_idle)
        raise [NoSpace("full"), ValueError("a defect")][len(rounds) % 2]

    async def work() -> None:
        committer = Committer(lambda: watched, chores=chores)
        await committer.start()
        is_busy = True

        def again(outcome: Sequence[Appended] | PortError) -> None:
            assert not isinstance(outcome, PortError)
            if is_busy:
                committer.submit([entry(b"x")], again)

        again([])
        await until(lambda: rounds.count(False) >= 4)
        is_busy = False
        await until(lambda: rounds.count(True) >= 2)
        await committer.stop()

    run(work())
    assert "chores wait: full" in caplog.text
    assert "chores failed" in caplog.text


def test_requests_that_wait_together_share_a_record_and_each_is_told_of_it(watched: Watched) -> None:
    async def work() -> None:
        committer = Committer(lambda: watched, chores=no_chores)
        await committer.start()
        done: Outcomes = []
        plain = [Plain(0, "abc", [(f"a{number}", "", "", "")], NOON_MS) for number in range(5)]
        for one in plain:
            committer.submit([one], done.append)
        committer.submit([entry(b"another")], done.append)
        assert committer.pending_bytes > 0
        await until(lambda: len(done) == 6)
        assert done == [[Appended(1)]] * 5 + [[Appended(2)]]
        assert (watched.appends, committer.pending_bytes) == ([2], 0)
        joined, other = watched.read(0, after=0)
        assert (joined.weight, other.data) == (5, b"another")
        assert pack_from_record(joined.data).keys == [key for one in plain for key in one.keys]
        await committer.stop()

    run(work())
