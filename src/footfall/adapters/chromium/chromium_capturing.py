"""Capturing with one Chromium that lives long: a fresh context per page, several at once, ended whatever a page does.

Playwright speaks on an event loop in a thread of its own; whoever calls waits in theirs.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Self, TypeVar

from playwright.async_api import BrowserContext
from playwright.async_api import Error as BrowserError

from footfall import __version__
from footfall.adapters.chromium import failures
from footfall.adapters.chromium.browsers import Browsers
from footfall.adapters.chromium.launching import NoChromium, Running, chromium_path, is_of_the_browser, kill
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.chromium.lines import NotDone
from footfall.adapters.chromium.visiting import Visit, failure_from, fresh_context
from footfall.adapters.chromium.worlds import Moved
from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.ports.capturing import Captured, CaptureFailed, Reason, Wanted
from footfall.ports.errors import Unavailable

ABOUT = f"footfall-archive/{__version__}"
CLOSE_S_MAX = 15.0
FATE_S = 0.5  # Calls to a page fail a moment before it is told that the page has ended.
WEB = ("http://", "https://")
T = TypeVar("T")

_log = logging.getLogger(__name__)


class Broken(NoChromium):
    """A browser that ran before opens no page any more."""


class ChromiumCapturing:
    """Captures pages in a Chromium whose every connection goes through a gate."""

    def __init__(
        self,
        gate: GateProxy,
        *,
        now_us: Callable[[], int],
        limits: Limits | None = None,
        chromium: str | None = None,
        about: str = ABOUT,
    ) -> None:
        self._gate = gate
        self._now_us = now_us
        self._limits = limits or Limits()
        self._about = about  # Sites see it behind the browser's name: whose captures these are, and where to complain.
        self._browsers = Browsers(chromium_path(chromium), gate, self._limits)
        self._places = asyncio.Semaphore(self._limits.contexts_max)
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_told)
        self._thread = threading.Thread(target=self._run, name="chromium", daemon=True)
        self._thread.start()
        self._is_closed = False

    def start(self) -> None:
        """Start the browser now, and raise Leaks when it could go past the gate; a capture does so by itself."""
        self._call(self._started())

    def capture(self, wanted: Wanted) -> Captured:
        """Return the page as it was seen; raise CaptureFailed. May be called by several threads at once."""
        if not wanted.url.startswith(WEB):
            raise failures.astray(wanted.url)
        return self._call(self._captured(wanted))

    def processes(self) -> list[int]:
        """Return the browsers' main processes, to be measured or watched."""
        return self._browsers.processes()

    def close(self) -> None:
        """End every process that was started for it."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            asyncio.run_coroutine_threadsafe(self._ended(), self._loop).result(CLOSE_S_MAX)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CLOSE_S_MAX)
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _call(self, work: Coroutine[None, None, T]) -> T:
        if self._is_closed:
            work.close()
            raise Unavailable("this browser was closed; make another one")
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except CancelledError as error:  # It was closed meanwhile.
            raise failures.crashed() from error

    async def _started(self) -> None:
        async with self._browsers.one():
            pass

    async def _ended(self) -> None:
        """End the browsers, and then whatever still waits for them."""
        await self._browsers.close()
        for wait_s in (FATE_S, 0):
            others = asyncio.all_tasks() - {asyncio.current_task()}
            if not others:
                return
            _, late = await asyncio.wait(others, timeout=wait_s)
            for task in late:
                task.cancel()
        await asyncio.sleep(0)

    async def _captured(self, wanted: Wanted) -> Captured:
        try:
            async with self._places:
                return await self._lent(wanted)
        except NoChromium as error:
            _log.error("the browser did not start: %s", error)
            raise Unavailable(f"no page is captured, since the browser did not start: {error}") from error

    async def _lent(self, wanted: Wanted) -> Captured:
        try:
            return await self._jobbed(wanted)
        except Broken:  # Nothing of the page had begun, and the next browser is another one.
            return await self._jobbed(wanted)

    async def _jobbed(self, wanted: Wanted) -> Captured:
        async with self._browsers.one() as running:
            token = self._gate.open_job(
                bytes_max=self._limits.received_bytes_max, time_ms_max=self._limits.whole_ms + self._limits.close_ms
            )
            try:
                return await self._visited(running, wanted, token)
            finally:
                with contextlib.suppress(TimeoutError):  # It lets nothing more through in any case.
                    await asyncio.to_thread(self._gate.close_job, token)

    async def _visited(self, running: Running, wanted: Wanted, token: str) -> Captured:
        visit = Visit(running, wanted, self._limits, now_us=self._now_us, gate=lambda: self._gate.job(token))
        running.captures.add(visit.end)
        context: BrowserContext | None = None
        try:
            async with asyncio.timeout(self._limits.whole_ms / 1_000):
                context = await self._context(running, token)
                return await _unless_ended(visit, context)
        except TimeoutError as error:
            raise visit.explained(failures.overdue(self._limits.whole_ms)) from error
        except (CaptureFailed, BrowserError, NotDone, Moved) as error:
            raise visit.explained(failure_from(error)) from error
        except Exception as error:
            if not is_of_the_browser(error):
                raise
            kill(running)  # What drives it has ended, of which nobody is told otherwise.
            raise failures.crashed() from error
        finally:
            running.captures.discard(visit.end)
            visit.stop()
            await _close(running, context, close_ms=self._limits.close_ms)

    async def _context(self, running: Running, token: str) -> BrowserContext:
        try:
            return await fresh_context(running, self._about, self._gate.browser_proxy(token))
        except Exception as error:
            if not is_of_the_browser(error):
                raise
            kill(running)
            raise Broken(str(error)[:300]) from error


def _told(loop: asyncio.AbstractEventLoop, about: dict[str, Any]) -> None:
    """Tell of what nobody caught, but for the end of the process that drives a browser.

    The driver's library keeps that in a future that nobody reads. Ctrl+C ends the driver together with us, and
    whoever has a page open hears of it in another way.
    """
    if isinstance(about.get("future"), asyncio.Task) or "future" not in about:
        loop.default_exception_handler(about)
    else:
        _log.debug("the driver of a browser ended: %s", about.get("exception"))


async def _unless_ended(visit: Visit, context: BrowserContext) -> Captured:
    """Return what a visit sees, or raise what ended it."""
    work = asyncio.get_running_loop().create_task(visit.captured(context))
    try:
        await asyncio.wait({work, visit.fate}, return_when=asyncio.FIRST_COMPLETED)
        if work.done() and _is_of_the_end(work.exception()):
            await asyncio.wait({visit.fate}, timeout=FATE_S)
        if visit.fate.done():  # It says more than what the page's calls failed with because of it.
            visit.fate.result()
        return await work
    finally:
        work.cancel()


def _is_of_the_end(error: BaseException | None) -> bool:
    """Return whether calls failed as they do when a page has ended."""
    if isinstance(error, CaptureFailed):
        return error.reason is Reason.CRASHED
    return isinstance(error, BrowserError | NotDone)


async def _close(running: Running, context: BrowserContext | None, *, close_ms: int) -> None:
    """Close a context; a browser that cannot is ended."""
    if context is None or running.ended:
        return
    try:
        await asyncio.wait_for(context.close(), close_ms / 1_000)
    except Exception as error:
        if not isinstance(error, TimeoutError) and not is_of_the_browser(error):
            raise
        kill(running)
