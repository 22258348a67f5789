"""What the routes of named counters need of an instance: a way into the stream, and a reader of the store.

Hashing and merging are numbers' work, which takes milliseconds and, at its first time, loads the packages for it. So it
is done in a thread of its own, and whoever sends hits or asks for lists does not wait for it.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import TypeVar

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.ports.stream import Appended, Entry
from footfall.ports.table import Table
from footfall.shells.http.cataloguing import Waiting
from footfall.shells.http.commits import Commits, appended
from footfall.shells.http.problems import TooFast
from footfall.values.clock import Clock

WORKING_MAX, WORKING_SHARE = 256, 64  # Requests that wait for their turn; each may hold a body.

_T = TypeVar("_T")


class CounterDesk:
    """Takes values to the stream and questions to the store."""

    reading_s_max = inf  # Whoever asks waits as long as they like.

    def __init__(self, settings: Settings, commits: Commits, *, shards: int, clock: Clock) -> None:
        self._settings = settings
        self._commits = commits
        self._clock = clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="counters")
        self._table: wiring.OpenTable | None = None  # the thread's
        self._waiting = Waiting(total_max=WORKING_MAX, share=WORKING_SHARE, what="the counters")
        self.shards = shards

    async def beside(self, brand: str, work: Callable[[], _T]) -> _T:
        """Do some work for a brand beside the loop, once it is its turn; raise Throttled when too much waits."""
        with self._waiting.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def asked(self, brand: str, question: Callable[[Table], _T]) -> _T:
        """Return what the store answers to a brand's question."""
        return await self.beside(brand, lambda: question(self._opened()))

    async def append(self, entries: Sequence[Entry]) -> Sequence[Appended]:
        """Return what became of entries once the stream has them on disk, or raise why it has not."""
        if self._commits.pending_bytes > self._settings.http_pending_bytes_max:
            raise TooFast("values come faster than the disk takes them")
        return await appended(self._commits, entries)

    async def stop(self) -> None:
        """Finish what waits and let go of the store."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=True)

    def _opened(self) -> Table:
        if self._table is None:
            self._table = wiring.open_store(self._settings, self._clock, read_only=True)
        return self._table

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None
