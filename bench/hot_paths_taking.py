"""The hot paths of the front: a body's way from a socket into the stream, and what the stream does with it there."""

import asyncio
import queue
from collections.abc import Sequence

import uvloop

from bench.client import post_request
from bench.hot_inputs import (
    NOW_MS,
    SHARED,
    HotPath,
    Step,
    append_entries,
    decoded_bodies,
    entries_of,
    new_acceptance,
    plain_bodies,
)
from bench.hot_lane import Sink, connected, new_access, new_lane
from bench.traffic import BATCH
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.ports.stream import Appended, Entry, Stream
from footfall.shells.http.commits import Committer
from footfall.shells.http.door import Door, HitLimits
from footfall.shells.http.hits import HitsRoute
from footfall.shells.http.lane import Connection
from footfall.shells.http.totals import Totals
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS

HITS = "/v1/hits"
SENDERS = 20  # whose bodies come while those of as many others are on their way to the disk
COMMIT_RECORDS = 4  # What some forty senders have on their way at once.
JOINS = 16  # For so many times small blocks lie ready.
ANSWER_S_MAX = 60.0  # A writer that takes longer has stopped.
LIMITS = HitLimits(inflated_bytes_max=1_000_000, batch_hits_max=BATCH, pending_bytes_max=10_000_000)


def _take(size: int) -> Step:
    """Take bodies: from what sockets have received, through the door and a commit, to the answers they are to send."""
    loop = uvloop.new_event_loop()  # as the front has it
    front = loop.run_until_complete(_started_front())
    turns = size // 2  # What takes longer is interrupted every time on a machine that others use.

    def take() -> None:
        for _ in range(turns):
            loop.run_until_complete(front.turn())

    return Step(take, turns * SENDERS * BATCH)


def _append(size: int) -> Step:
    commits, stream = _commits(append_entries(size)), _new_stream(SetClock(NOW_MS))
    return Step(lambda: [stream.append(entries) for entries in commits], size * SHARED * BATCH)


def _append_claimed(size: int) -> Step:
    """Append bodies with an Idempotency-Key each, and forget the keys of two days before, as the writer's chores do.

    Every time is another day, or the keys would be those of the time before. Few are gathered before they are settled,
    so that most are within their day.
    """
    keys = [f"batch-{number}" for number in range(size * SHARED)]
    commits = _commits(entries_of(plain_bodies(len(keys)), keys=keys))
    clock = SetClock(NOW_MS)
    stream = SqliteStream(":memory:", clock=clock, recent_ids_max=len(keys) // 4)

    def append() -> None:
        clock.advance(DAY_MS + 1)
        if any(one.repeated or one.is_refused for entries in commits for one in stream.append(entries)):
            raise AssertionError("a key was known that is new")
        stream.forget_ids()

    return Step(append, len(keys) * BATCH)


def _join(size: int) -> Step:
    """Join blocks of one body each; when none are left, there are new ones, which the fastest time does not have."""
    stream, apart = _new_stream(SetClock(NOW_MS)), [entries_of([body]) for body in plain_bodies(size)]
    after = through = 0

    def join() -> None:
        nonlocal after, through
        if after == through:
            through = _append_each(stream, apart * JOINS)
        stream.join_blocks(0, after=after, through=after + size)
        after += size

    join()
    if stream.oldest_end(0) != size:
        raise AssertionError(f"{size} blocks were not joined: the first ends at {stream.oldest_end(0)}")
    return Step(join, size * BATCH)


# Floors are some 30 % above what was measured; what they are times of stands beside them.
TAKING: Sequence[HotPath] = (
    HotPath("take a body, without the disk's sync", "hit", _take, decoded_bodies, 2.6),
    HotPath("append, without the disk's sync", "hit", _append, decoded_bodies, 0.30),
    HotPath("append bodies with keys", "hit", _append_claimed, decoded_bodies, 0.73),
    HotPath("join small blocks", "hit", _join, decoded_bodies, 0.89),
)


class _HeldStream(SqliteStream):
    """A stream whose disk takes as long as it is told, so that the same bodies are committed together every time.

    The writer is a thread, and what has come when it begins a commit depends on how fast everything else is. It is
    held at the end of each commit, where it would wait for the disk's sync, until all the next bodies have come; and
    the event loop waits while it writes. So one of the two runs at a time, and callgrind, which counts both, counts
    the same instructions.
    """

    def __init__(self, clock: SetClock) -> None:
        super().__init__(":memory:", clock=clock)
        self._written = queue.SimpleQueue[None]()
        self._synced = queue.SimpleQueue[None]()

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        """Append, and wait for the disk."""
        done = super().append(entries)
        self._written.put(None)
        self._synced.get()
        return done

    def wait_for_writer(self) -> None:
        """Wait until the writer waits for the disk."""
        self._written.get(timeout=ANSWER_S_MAX)

    def sync(self) -> None:
        """Let the writer go on."""
        self._synced.put(None)


class _Front:
    """A front whose senders take turns: half of them send while the other half wait for the disk."""

    def __init__(
        self, committer: Committer, stream: _HeldStream, connections: Sequence[Connection], sink: Sink
    ) -> None:
        self._committer = committer
        self._stream = stream
        self._sink = sink
        requests = [post_request(body) for body in plain_bodies(SENDERS)]
        self._sending = list(zip(connections[:SENDERS], requests, strict=True))
        self._waiting = list(zip(connections[SENDERS:], requests, strict=True))
        self._answers = 0
        self._due = 0  # to those that wait

    async def turn(self) -> None:
        """Take the bodies of those that may send, commit them, and answer those that wait."""
        for connection, request in self._sending:
            connection.data_received(request)
        taken_bytes = -1
        while self._committer.pending_bytes > taken_bytes:  # The door takes some in every turn of the loop.
            taken_bytes = self._committer.pending_bytes
            await asyncio.sleep(0)
        self._sink.require(self._answers)  # Whoever sends now is answered when the stream has it, not before.
        self._stream.sync()
        self._stream.wait_for_writer()
        await asyncio.sleep(0)  # The loop was told what became of the commit before.
        self._sink.require(self._answers + self._due)
        self._answers += self._due
        self._due = SENDERS
        self._sending, self._waiting = self._waiting, self._sending


async def _started_front() -> _Front:
    clock, sink = SetClock(NOW_MS), Sink(b"202")
    stream = _HeldStream(clock)
    committer = Committer(lambda: stream, chores=_no_chores)
    await committer.start()
    acceptance = new_acceptance()
    acceptance.screen_with(Screen(ScreenLimits(), secret=bytes(16)))
    door = Door(acceptance, committer, limits=LIMITS, access=new_access(clock), clock=clock, totals=Totals())
    lane = new_lane(HITS, HitsRoute(door), clock)
    committer.submit((), _unheard)  # A commit of nothing, which holds the writer until the first bodies have come.
    await asyncio.sleep(0)
    stream.wait_for_writer()
    return _Front(committer, stream, [connected(lane, sink) for _ in range(2 * SENDERS)], sink)


def _no_chores(_stream: Stream, _is_idle: bool) -> None:  # noqa: FBT001 - called by position
    """Leave the stream as it is."""


def _unheard(_outcome: object) -> None:
    """Hear what became of nothing."""


def _commits(entries: Sequence[Entry]) -> list[Sequence[Entry]]:
    """Divide entries into those that are committed together."""
    return [entries[start : start + COMMIT_RECORDS] for start in range(0, len(entries), COMMIT_RECORDS)]


def _new_stream(clock: SetClock) -> SqliteStream:
    return SqliteStream(":memory:", clock=clock)  # The disk's sync is not ours.


def _append_each(stream: SqliteStream, apart: Sequence[Sequence[Entry]]) -> int:
    """Append each in a commit of its own, and so in a block; return where the last one ends."""
    for entries in apart:
        stream.append(entries)
    return stream.tip(0)
