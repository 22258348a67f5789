"""Threads that brands share: each brand has one at a time, and all who wait come in turn.

So whatever somebody asks, the questions of another brand go on in another thread, or come next.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")


class BrandLine:
    """Some threads, and whoever waits for one; used on the event loop only."""

    def __init__(self, threads: int, *, name: str) -> None:
        # One executor each, so that what is opened in a thread is used in it.
        self._threads = [ThreadPoolExecutor(1, thread_name_prefix=f"{name}-{n}") for n in range(threads)]
        self._free = set(range(threads))
        self._busy: set[str] = set()
        self._last: dict[str, int] = {}  # the thread that a brand had last, which knows its windows
        self._waiting: OrderedDict[str, deque[asyncio.Future[int]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._threads)

    async def run(self, brand: str, work: Callable[[int], _T]) -> _T:
        """Do some work of a brand when it is its turn, in the thread whose number the work is given."""
        thread = await self._turn(brand)
        loop = asyncio.get_running_loop()
        job = loop.run_in_executor(self._threads[thread], work, thread)
        # Whoever goes away leaves the thread at work: it is free when it has done that.
        job.add_done_callback(lambda done: self._give_back(brand, thread, done))
        return await asyncio.shield(job)

    async def stop(self, close: Callable[[int], None]) -> None:
        """Finish what is being done, and close in each thread what was opened in it."""
        loop = asyncio.get_running_loop()
        for number, thread in enumerate(self._threads):
            await loop.run_in_executor(thread, close, number)
            thread.shutdown(wait=True)

    async def _turn(self, brand: str) -> int:
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(brand, deque()).append(turn)
        self._hand_out()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._free_again(brand, turn.result())
            raise

    def _hand_out(self) -> None:
        """Give free threads to brands that have none, each brand in its turn."""
        for brand in [one for one in self._waiting if one not in self._busy]:
            if not self._free:
                return
            turn = self._next_of(brand)
            if turn is None:
                continue
            thread = self._last.get(brand, -1)
            thread = thread if thread in self._free else min(self._free)
            self._free.discard(thread)
            self._busy.add(brand)
            self._last[brand] = thread
            turn.set_result(thread)

    def _next_of(self, brand: str) -> asyncio.Future[int] | None:
        """Return who of a brand comes next, and put the others of it behind all brands."""
        waiting = self._waiting.pop(brand)
        while waiting:
            turn = waiting.popleft()
            if waiting:
                self._waiting[brand] = waiting
            if not turn.cancelled():
                return turn
        return None

    def _give_back(self, brand: str, thread: int, done: "asyncio.Future[_T]") -> None:
        with suppress(asyncio.CancelledError):
            done.exception()  # It is told to whoever waits for it, if anybody still does.
        self._free_again(brand, thread)

    def _free_again(self, brand: str, thread: int) -> None:
        self._free.add(thread)
        self._busy.discard(brand)
        self._hand_out()
