"""The front's child processes: started, linked, started again when they die, and told to stop."""

import asyncio
import logging
import socket
import sys
from collections.abc import Callable

from footfall.app.link import Message, Unframed, framed
from footfall.app.settings_reading import child_environment

RESTART_S_MIN, RESTART_S_MAX = 0.1, 5.0

_log = logging.getLogger(__name__)


class Child:
    """One child process and the link to it."""

    def __init__(
        self, module: str, settings: str, *, lock: int, on_message: Callable[[Message], None], is_apart: bool = False
    ) -> None:
        """Make it; one that is apart gets no signal that is meant for all, and nobody waits until it is ready."""
        self._module = module
        self._settings = settings
        self._lock = lock
        self._is_apart = is_apart
        self._on_message = on_message
        self._process: asyncio.subprocess.Process | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._is_stopping = False
        self._task: asyncio.Task[None] | None = None
        self.is_ready = asyncio.Event()
        self.restarts = 0

    def start(self, *, after_s: float = 0.0) -> None:
        """Start the process after a while and keep it running."""
        self._task = asyncio.get_running_loop().create_task(self._keep_running(after_s))

    def send(self, message: Message) -> bool:
        """Send a message; tell whether there is anybody to take it."""
        if self._transport is None:
            return False
        self._transport.write(framed(message))
        return True

    @property
    def pid(self) -> int | None:
        """Return the number of the process that runs; None while there is none."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    def let_end(self) -> None:
        """Start it no more when it ends: nothing that is still to be done needs it."""
        self._is_stopping = True

    async def stop(self, *, timeout_s: float) -> None:
        """Let the process finish its work and end; end it when the time is over."""
        self._is_stopping = True
        process = self._process
        if process is None:
            return
        self.send(["stop"])
        try:
            await asyncio.wait_for(process.wait(), timeout_s)
        except TimeoutError:
            _log.warning("%s did not finish in time", self._module)
            process.kill()
            await process.wait()

    async def _keep_running(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        wait_s = RESTART_S_MIN
        while not self._is_stopping:
            started = asyncio.get_running_loop().time()
            await self._run_once()
            self.is_ready.clear()
            if self._is_stopping:
                return
            lived_s = asyncio.get_running_loop().time() - started
            wait_s = RESTART_S_MIN if lived_s > RESTART_S_MAX else min(wait_s * 2, RESTART_S_MAX)
            # A signal to the whole instance ends a child that has only begun to start before we hear of it.
            await asyncio.sleep(RESTART_S_MIN)
            if self._is_stopping:
                return
            self.restarts += 1
            _log.error("%s ended by itself; it starts again in %.1f s", self._module, wait_s - RESTART_S_MIN)
            await asyncio.sleep(wait_s - RESTART_S_MIN)

    async def _run_once(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "footfall.app.launch",
                self._module,
                str(theirs.fileno()),
                stdin=asyncio.subprocess.PIPE,
                env=child_environment(),
                pass_fds=(theirs.fileno(), self._lock),
                start_new_session=self._is_apart,
            )
        assert self._process.stdin is not None
        self._process.stdin.write(self._settings.encode() + b"\n")
        line = _Line(self._take)
        self._transport, _ = await asyncio.get_running_loop().create_connection(lambda: line, sock=ours)
        try:
            await line.is_over.wait()
        finally:
            self._transport.close()
            self._transport = None
            await self._process.wait()

    def _take(self, message: Message) -> None:
        if message == ["ready"]:
            self.is_ready.set()
        self._on_message(message)


class _Line(asyncio.Protocol):
    """Our end of a link: a message is taken in the turn in which it comes, because somebody may wait for it."""

    def __init__(self, take: Callable[[Message], None]) -> None:
        self._unframed = Unframed()
        self._take = take
        self.is_over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        """Take the messages that the data completes."""
        for message in self._unframed.feed(data):
            self._take(message)

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that the process is gone; one that dies with messages of ours unread resets the link."""
        self.is_over.set()
