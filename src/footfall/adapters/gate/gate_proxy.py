"""The forward proxy that a browser reaches the web through: it resolves once, looks at what it found, connects to that.

It runs in a thread of its own, listens on loopback alone, and lets nobody pass without the token of an open job. TLS
goes through it untouched. Each connection carries one request or one tunnel, so that none is used for another host.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypedDict

from footfall.adapters.gate.jobs import Job, JobBook, JobSeen, Limits
from footfall.adapters.gate.passing import Dial, Passing, Stopped, dialled
from footfall.adapters.gate.resolving import Resolve, system_addresses
from footfall.ports.capturing import Reason
from footfall.values.errors import FootfallError
from footfall.values.public_addresses import Policy

# Chromium leaves its proxy out for loopback and link-local addresses unless it is told not to.
BYPASS = "<-loopback>"
# WebRTC would send datagrams around every proxy. A browser reads the first spelling, its shell without windows the
# second, and neither complains of the one that it does not know.
BROWSER_FLAGS = (
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
USER = "job"
RESOLVERS = 16
START_S_MAX = 10.0
CLOSE_S_MAX = 5.0


class NoSuchJob(FootfallError):
    """No job with that token is open; open_job returns one."""


class BrowserProxy(TypedDict, total=False):
    """The setting of a browser or of one of its contexts, in Playwright's words."""

    server: str
    bypass: str | None
    username: str | None
    password: str | None


class GateProxy:
    """A forward proxy that reaches nothing but what its policy lets it."""

    def __init__(
        self,
        policy: Policy,
        limits: Limits | None = None,
        *,
        resolve: Resolve = system_addresses,
        dial: Dial = dialled,
    ) -> None:
        self._limits = limits or Limits()
        self._book = JobBook(self._limits.jobs_max)
        self._resolvers = ThreadPoolExecutor(RESOLVERS, "gate-resolver")
        self._passing = Passing(policy, self._limits, resolve=resolve, dial=dial, resolvers=self._resolvers)
        self._loop = asyncio.new_event_loop()
        self._tasks: dict[asyncio.Task[None], Job | None] = {}
        self._server: asyncio.Server | None = None
        self._port = 0
        self._thread = threading.Thread(target=self._run, name="gate", daemon=True)
        self._is_closed = False

    @property
    def address(self) -> str:
        """Return where it listens, as a browser's setting has it."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listen."""
        self._thread.start()
        self._call(self._listen(), seconds_max=START_S_MAX)

    def open_job(self, *, bytes_max: int | None = None, time_ms_max: int | None = None) -> str:
        """Return a token with which a browser may pass until close_job; limits are the gate's own unless given."""
        time_s_max = (time_ms_max or self._limits.time_ms_max) / 1_000
        job = Job(bytes_max or self._limits.bytes_max, end=self._cut)
        token = self._book.add(job)
        self._loop.call_soon_threadsafe(self._loop.call_later, time_s_max, _expire, job)
        return token

    def browser_proxy(self, token: str | None = None) -> BrowserProxy:
        """Return what Playwright takes as `proxy` of a context; without a token, of a browser that passes nowhere."""
        if token is None:
            return {"server": self.address, "bypass": BYPASS}
        return {"server": self.address, "bypass": BYPASS, "username": USER, "password": token}

    def job(self, token: str) -> JobSeen:
        """Return what a job did so far."""
        job = self._book.job(token)
        if job is None:
            raise NoSuchJob("no job with this token is open")
        return job.seen

    def close_job(self, token: str) -> JobSeen:
        """End a job's connections, and return what it did."""
        job = self._book.drop(token)
        if job is None:
            raise NoSuchJob("no job with this token is open")
        self._call(self._ended(job), seconds_max=CLOSE_S_MAX)
        return job.seen

    def close(self) -> None:
        """End every connection, and stop listening."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._thread.is_alive():
            self._call(self._stop(), seconds_max=CLOSE_S_MAX)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CLOSE_S_MAX)
        self._resolvers.shutdown(wait=False, cancel_futures=True)
        if not self._loop.is_running():
            self._loop.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _call(self, work: Awaitable[None], *, seconds_max: float) -> None:
        asyncio.run_coroutine_threadsafe(_awaited(work), self._loop).result(seconds_max)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512)
        self._port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        await _cancelled(list(self._tasks))

    async def _ended(self, job: Job) -> None:
        await _cancelled(self._of(job))

    def _of(self, job: Job) -> list[asyncio.Task[None]]:
        return [task for task, whose in self._tasks.items() if whose is job]

    def _cut(self, job: Job) -> None:
        for task in self._of(job):
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks[task] = None
        try:
            await self._passing.serve(reader, writer, self._entered(task))
        except (asyncio.CancelledError, OSError, Stopped, TimeoutError):
            pass  # Whoever cut it off knows why, and a browser that went away asks for nothing more.
        finally:
            self._left(task)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    def _entered(self, task: asyncio.Task[None]) -> Callable[[str], Job | None]:
        def entered(token: str) -> Job | None:
            job = self._book.job(token)
            if job is not None:
                self._tasks[task] = job
                job.connections += 1
                job.open += 1
            return job

        return entered

    def _left(self, task: asyncio.Task[None]) -> None:
        job = self._tasks.pop(task, None)
        if job is not None:
            job.open -= 1


def _expire(job: Job) -> None:
    if job.is_over is None:
        job.is_over = Reason.TOO_SLOW
        job.end(job)


async def _awaited(work: Awaitable[None]) -> None:
    await work


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=1)
