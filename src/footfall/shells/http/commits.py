"""Group commit: what came while the last commit was on its way to the disk goes there together.

A thread of its own writes the stream, so that the event loop goes on while the disk works. It also does the
stream's chores, because the stream has one writer.
"""

import asyncio
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from footfall.flow.collect.accept import Single, entries_of_singles
from footfall.flow.collect.plain import Taken, entries_of, size_of
from footfall.ports.errors import PortError, Unavailable
from footfall.ports.stream import Appended, ClaimKnown, Entry, Stream

CHORES_S = 1.0

SINGLE_BYTES = 300  # What a hit that waits alone is taken to weigh.

Done = Callable[[Sequence[Appended] | PortError], None]
SinglesDone = Callable[[PortError | None], None]

_log = logging.getLogger(__name__)


class Commits(Protocol):
    """Whatever takes hits to the stream, and says when the stream has them."""

    @property
    def pending_bytes(self) -> int:
        """Return how much waits."""
        ...

    def submit(self, entries: Sequence[Taken], done: Done) -> None:
        """Take entries; `done` is called with what became of them, on the event loop."""
        ...

    def submit_singles(self, singles: Sequence[Single], done: SinglesDone) -> None:
        """Take hits that came alone; `done` is called when the stream has them, or with the reason why not."""
        ...


async def appended(commits: Commits, entries: Sequence[Entry]) -> Sequence[Appended]:
    """Return what became of entries, or raise why the stream has none of them."""
    done: asyncio.Future[Sequence[Appended] | PortError] = asyncio.get_running_loop().create_future()

    def tell(outcome: Sequence[Appended] | PortError) -> None:
        if not done.done():  # Whoever asked may have left.
            done.set_result(outcome)

    commits.submit(entries, tell)
    outcome = await done
    if isinstance(outcome, PortError):
        raise outcome
    return outcome


class Committer:
    """The one writer of the stream."""

    def __init__(self, open_stream: Callable[[], Stream], *, chores: Callable[[Stream, bool], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._open_stream = open_stream
        self._chores = chores
        self._waiting: deque[tuple[Sequence[Taken], int, Done]] = deque()
        self._singles: deque[tuple[Sequence[Single], SinglesDone]] = deque()
        # Not an Event: its lock is held by one thread while it waits for the interpreter that the other has.
        self._calls: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._is_called = False
        self._is_stopping = False
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="commits", daemon=True)
        self.pending_bytes = 0
        self.commits = 0

    async def start(self) -> None:
        """Open the stream; raise what its opening raised."""
        self._thread.start()
        await self._opened

    def submit(self, entries: Sequence[Taken], done: Done) -> None:
        """Queue entries; `done` is called on the event loop when they are on disk, or why they are not."""
        size = sum(map(size_of, entries))
        self.pending_bytes += size
        self._waiting.append((entries, size, done))
        self._call_writer()

    def submit_singles(self, singles: Sequence[Single], done: SinglesDone) -> None:
        """Queue hits that came alone; `done` is called when they are on disk, or with the reason why they are not."""
        self.pending_bytes += SINGLE_BYTES * len(singles)
        self._singles.append((singles, done))
        self._call_writer()

    def _call_writer(self) -> None:
        """Wake the writer when the loop has taken all that has come: a commit of one hit keeps the rest waiting."""
        if not self._is_called:
            self._is_called = True
            self._loop.call_soon(self._wake_writer)

    def _wake_writer(self) -> None:
        self._is_called = False
        self._calls.put(None)

    async def stop(self) -> None:
        """Commit what is waiting and close the stream."""
        self._is_stopping = True
        self._calls.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            stream = self._open_stream()
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the start
            self._loop.call_soon_threadsafe(self._opened.set_exception, error)
            return
        self._loop.call_soon_threadsafe(self._opened.set_result, None)
        chores_at = time.monotonic() + CHORES_S
        while not (self._is_stopping and not self._waiting and not self._singles):
            is_idle = not self._is_woken()
            self._commit(stream)
            if time.monotonic() >= chores_at:
                self._do_chores(stream, is_idle=is_idle)
                chores_at = time.monotonic() + CHORES_S
        stream.close()

    def _is_woken(self) -> bool:
        """Wait until there is something to write, or time for chores; tell which."""
        try:
            self._calls.get(timeout=CHORES_S)
        except queue.Empty:
            return False
        return True

    def _commit(self, stream: Stream) -> None:
        group = [self._waiting.popleft() for _ in range(len(self._waiting))]
        singles = [self._singles.popleft() for _ in range(len(self._singles))]
        if not group and not singles:
            return
        outcome: list[Appended] | PortError
        try:
            alone = entries_of_singles([one for group, _ in singles for one in group], shards=stream.shards)
            outcome = _appended(stream, [one for taken, _, _ in group for one in taken], alone)
        except PortError as error:
            outcome = error
        except Exception as error:  # noqa: BLE001 - a defect of ours must not leave senders waiting for ever
            _log.exception("the stream's writer failed")
            outcome = Unavailable(f"the stream's writer failed: {error}")
        self._loop.call_soon_threadsafe(self._deliver, group, singles, outcome)

    def _deliver(
        self,
        group: Sequence[tuple[Sequence[Taken], int, Done]],
        singles: Sequence[tuple[Sequence[Single], SinglesDone]],
        outcome: list[Appended] | PortError,
    ) -> None:
        self.commits += 1
        self._deliver_groups(group, outcome)
        self._deliver_singles(singles, outcome)

    def _deliver_singles(
        self, singles: Sequence[tuple[Sequence[Single], SinglesDone]], outcome: list[Appended] | PortError
    ) -> None:
        error = outcome if isinstance(outcome, PortError) else None
        for together, done in singles:
            self.pending_bytes -= SINGLE_BYTES * len(together)
            try:
                done(error)
            except Exception:  # noqa: BLE001 - as below
                _log.exception("an answer could not be given; the others of its commit go on")

    def _deliver_groups(
        self, group: Sequence[tuple[Sequence[Taken], int, Done]], outcome: list[Appended] | PortError
    ) -> None:
        start = 0
        for entries, size, done in group:
            self.pending_bytes -= size
            part = outcome if isinstance(outcome, PortError) else outcome[start : start + len(entries)]
            start += len(entries)
            try:
                done(part)
            except Exception:  # noqa: BLE001 - whatever one answer raises, the others must be given
                _log.exception("an answer could not be given; the others of its commit go on")

    def _do_chores(self, stream: Stream, *, is_idle: bool) -> None:
        try:
            self._chores(stream, is_idle)
        except PortError as error:
            _log.warning("the stream's chores wait: %s", error)
        except Exception:  # noqa: BLE001 - a defect of ours must not end the one thread that commits
            _log.exception("the stream's chores failed")


def _appended(stream: Stream, taken: Sequence[Taken], alone: Sequence[Entry]) -> list[Appended]:
    """Append all of it at once; return what became of each that was taken."""
    entries, places = entries_of(taken, keys_share=True)
    try:
        done = stream.append([*entries, *alone])
    except ClaimKnown:  # Somebody sent again, which is seldom; then every key has a record of its own.
        entries, places = entries_of(taken)
        done = stream.append([*entries, *alone])
    return [done[place] for place in places]
