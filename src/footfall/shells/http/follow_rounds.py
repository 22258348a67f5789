"""The rounds of follows in an instance: what came and went in the follow graph goes on into the stream, to be counted.

How far that has come is a mark in the stream, moved by the transaction that stores it. So a kill anywhere loses nothing
and doubles nothing: what is stored and not yet forgotten lies before the mark. Without an audience a round is one look
whether there is a file; else it is one small read.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.ports.errors import Unavailable
from footfall.ports.stream import Entry, Stream
from footfall.shells.http.commits import Commits, appended
from footfall.shells.http.rounds import Rounds
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

if TYPE_CHECKING:  # Nobody loads the audience before there is one.
    from footfall.ports.changes import Change, Changes

EVERY_S = 1.0
LAST_S_MAX = 2.0  # What is left at the end of an instance is for the next one.

_T = TypeVar("_T")


@dataclass(slots=True)
class FollowsTold:
    """How far follows are: the moment of the oldest that the stream has not (0: none), and how many it was given.

    While the table cannot be read nobody knows the oldest: then it is the moment from which on it could not.
    """

    oldest_ms: int = 0
    changes: int = 0
    unreadable: int = 0  # passed over, since nothing could be read in them


class FollowRounds:
    """Takes follows to the stream until it is stopped."""

    def __init__(self, settings: Settings, clock: Clock, stream: Stream, commits: Commits) -> None:
        self._settings = settings
        self._clock = clock
        self._stream = stream  # to be read, on the event loop
        self._commits = commits
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="follows")
        self._changes: Changes | None = None
        self._forgotten = 0  # the mark up to which the table has let go of its changes
        self._rounds = Rounds("follows", self.go_round, every_s=EVERY_S)
        self.told = FollowsTold()

    def start(self) -> None:
        """Begin with the rounds."""
        self._rounds.start()

    async def stop(self) -> None:
        """Take what is there to the stream a last time, and let go of the file."""
        await self._rounds.stop()
        with contextlib.suppress(FootfallError, TimeoutError):
            await asyncio.wait_for(self.go_round(), LAST_S_MAX)
        await self._in_thread(self._close)
        self._thread.shutdown(wait=False)

    async def go_round(self) -> float:
        """Take all that is there to the stream; return how long to wait for the next round."""
        try:
            return await self._go_round()
        except Exception:
            self.told.oldest_ms = self.told.oldest_ms or self._clock.now_ms()
            raise

    async def _go_round(self) -> float:
        if self._changes is None:
            if not wiring.has_table(self._settings, wiring.AUDIENCE_FILE):
                return EVERY_S
            self._changes = await self._opened()
        while await self._relay(self._changes):
            pass
        return EVERY_S

    async def _opened(self) -> "Changes":
        from footfall.app.audience_opening import open_follow_changes

        return await self._in_thread(lambda: open_follow_changes(self._settings, self._clock))

    async def _relay(self, changes: "Changes") -> bool:
        """Take some changes to the stream; tell whether there may be more."""
        from footfall.audience.follow_feed import MARK_NAME

        begins, shards = self._stream.mark(MARK_NAME), self._stream.shards
        # By the mark alone: whoever was killed, cancelled or refused between the two steps left what lies before it.
        if begins != self._forgotten:
            await self._in_thread(lambda: changes.forget(through=begins))
            self._forgotten = begins
        some, entries = await self._in_thread(lambda: self._read(changes, begins=begins, shards=shards))
        self.told.oldest_ms = some[0].at_ms if some else 0
        self.told.unreadable = changes.unreadable
        if not some:
            return False
        if any(one.is_refused for one in await appended(self._commits, entries)):
            raise Unavailable("the mark of follows stands elsewhere than it did a moment ago; they are read again")
        self.told.changes += len(some)
        self.told.oldest_ms = some[-1].at_ms  # What is still there came after it.
        return True

    def _read(self, changes: "Changes", *, begins: int, shards: int) -> "tuple[Sequence[Change], Sequence[Entry]]":
        """Return what follows a place, and as what the stream takes it; in this thread, for it takes some 20 ms."""
        from footfall.audience.follow_feed import CHANGES_MAX, marked_entries

        some = changes.read(after=begins, limit=CHANGES_MAX)
        if not some:
            return some, ()
        return some, marked_entries(some, begins=begins, shards=shards, arrived_at_ms=self._clock.now_ms())

    def _close(self) -> None:
        if self._changes is not None:
            self._changes.close()
            self._changes = None

    async def _in_thread(self, do: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, do)
