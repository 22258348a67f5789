"""Browsers: the one that takes captures now, and those before it that end with their last one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playwright.async_api import Error as BrowserError

from footfall.adapters.chromium.canary import require_no_leak
from footfall.adapters.chromium.failures import crashed
from footfall.adapters.chromium.launching import NoChromium, Running, is_of_the_browser, kill, launch
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.chromium.watching_memory import watch_memory
from footfall.adapters.gate.gate_proxy import GateProxy

END_S_MAX = 5.0


class Browsers:
    """Starts a browser when there is none, and another when one has had its captures or has ended."""

    def __init__(self, path: str, gate: GateProxy, limits: Limits) -> None:
        self._path = path
        self._gate = gate
        self._limits = limits
        self._starting = asyncio.Lock()
        self._now: Running | None = None
        self._all: dict[Running, asyncio.Task[None]] = {}  # with what watches their memory

    def processes(self) -> list[int]:
        """Return the main processes of all that run."""
        return [running.pid for running in list(self._all)]

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[Running]:
        """Lend the browser that takes captures now."""
        running = await self._fit()
        running.jobs += 1
        running.open_jobs += 1
        try:
            yield running
        finally:
            running.open_jobs -= 1
            if not running.open_jobs and (running.ended or running is not self._now):
                await self._end(running)

    async def close(self) -> None:
        """End all browsers, and let what they have open fail."""
        self._now = None
        await asyncio.gather(*(self._end(running) for running in list(self._all)))

    async def _fit(self) -> Running:
        async with self._starting:
            now = self._now
            if now and not now.ended and now.jobs < self._limits.jobs_per_browser_max:
                return now
            self._now = None
            if now and not now.open_jobs:
                await self._end(now)
            self._now = await self._started()
            return self._now

    async def _started(self) -> Running:
        running = await launch(self._path, self._gate)
        try:
            await require_no_leak(running, self._gate)
        except BrowserError as error:
            await _stopped(running)
            raise NoChromium(f"{self._path} started and ended again: {error.message[:300]}") from error
        except BaseException:
            await _stopped(running)
            raise
        running.browser.on("disconnected", lambda _: _lost(running))
        self._all[running] = asyncio.get_running_loop().create_task(watch_memory(running, self._limits))
        return running

    async def _end(self, running: Running) -> None:
        watching = self._all.pop(running, None)
        if watching is None:
            return
        watching.cancel()
        _lost(running)
        await _stopped(running)


def _lost(running: Running) -> None:
    """Let every capture of a browser that has ended fail."""
    running.ended = True
    for end in list(running.captures):
        end(crashed())


async def _stopped(running: Running) -> None:
    """End a browser and what drives it, by force when it does not go by itself."""
    for stop in (running.browser.close, running.playwright.stop):
        try:
            await asyncio.wait_for(stop(), END_S_MAX)
        except Exception as error:
            if not isinstance(error, TimeoutError) and not is_of_the_browser(error):
                raise
    kill(running)
