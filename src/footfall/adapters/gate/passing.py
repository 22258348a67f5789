"""One connection of a browser through the gate: who asks, where to, whether that may be, and then the bytes."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor

from footfall.adapters.gate.heads import HEAD_BYTES_MAX, HEAD_END, Asked, NotAHead, answered_from, asked_from
from footfall.adapters.gate.jobs import Job, Limits, Refusal
from footfall.adapters.gate.phoning import is_phoning
from footfall.adapters.gate.resolving import Resolve
from footfall.ports.capturing import CaptureFailed, Reason
from footfall.values.public_addresses import NotPublic, Policy

READ_BYTES = 65_536
HEAD_S_MAX = 30.0
LINGER_S = 2.0
PLACES_MAX = 3  # that are tried, of those that a name has
_PHRASES = {400: "Bad Request", 403: "Forbidden", 407: "Proxy Authentication Required", 502: "Bad Gateway"}

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Dial = Callable[[str, int], Awaitable[Ends]]


class Stopped(Exception):
    """The connection has said what it had to say."""


async def dialled(address: str, port: int) -> Ends:
    """Connect to an address, which is no name."""
    return await asyncio.open_connection(address, port, limit=READ_BYTES)


class Passing:
    """Lets connections pass, or says why not."""

    def __init__(self, policy: Policy, limits: Limits, *, resolve: Resolve, dial: Dial, resolvers: Executor) -> None:
        self._policy = policy
        self._limits = limits
        self._resolve = resolve
        self._dial = dial
        self._resolvers = resolvers

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, entered: Callable[[str], Job | None]
    ) -> None:
        """Serve one connection to its end."""
        try:
            async with asyncio.timeout(HEAD_S_MAX):
                head, rest = await _head(reader, b"")
            asked = asked_from(head)
        except NotAHead as error:
            await _said(reader, writer, status=400, headers="", text=str(error))
            return
        job = entered(asked.token)
        if job is None:
            challenge = 'Proxy-Authenticate: Basic realm="footfall"\r\n'
            await _said(reader, writer, status=407, headers=challenge, text="This gate needs the token of an open job.")
            return
        try:
            ends = await self._connected(asked, job)
            job.reach(asked.host)
            await _joined(asked, job, rest, (reader, writer), ends)
        except CaptureFailed as error:
            job.refuse(Refusal(asked.host, asked.port, error.reason, str(error)))
            await _refused(reader, writer, error)

    async def _connected(self, asked: Asked, job: Job) -> Ends:
        """Return a connection to an address that was looked at; raise CaptureFailed."""
        self._require_room(job)
        if is_phoning(asked.host) and not self._policy.is_allowed(asked.host, asked.port):
            raise CaptureFailed(Reason.BLOCKED_ADDRESS, f"{asked.host} is where browsers phone home to")
        try:
            self._policy.require_host(asked.host, asked.port)
            places = self._policy.checked(asked.host, asked.port, await self._addresses(asked))
            return await self._dialled(places[:PLACES_MAX], asked)
        except NotPublic as error:
            raise CaptureFailed(Reason.BLOCKED_ADDRESS, str(error)) from error

    def _require_room(self, job: Job) -> None:
        if job.is_over is not None:
            raise CaptureFailed(job.is_over, "The page used up what it may use.")
        if job.open > self._limits.connections_max:
            raise CaptureFailed(Reason.TOO_LARGE, f"More than {self._limits.connections_max} connections are open.")

    async def _addresses(self, asked: Asked) -> list[str]:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._limits.connect_ms_max / 1_000):
                return list(await loop.run_in_executor(self._resolvers, self._resolve, asked.host, asked.port))
        except TimeoutError as error:
            raise CaptureFailed(Reason.NO_SUCH_HOST, f"No name server answered for {asked.host}.") from error
        except (OSError, UnicodeError) as error:
            raise CaptureFailed(Reason.NO_SUCH_HOST, f"There is no host {asked.host}.") from error

    async def _dialled(self, places: tuple[str, ...], asked: Asked) -> Ends:
        """Return a connection to the first of the places that takes one."""
        failed = CaptureFailed(Reason.NO_CONNECTION, f"{asked.host} has no address.")
        for place in places:
            try:
                async with asyncio.timeout(self._limits.connect_ms_max / 1_000 / len(places)):
                    reader, writer = await self._dial(place, asked.port)
            except TimeoutError:
                failed = CaptureFailed(Reason.TOO_SLOW, f"{asked.host} did not take the connection in time.")
                continue
            except OSError:
                failed = CaptureFailed(Reason.NO_CONNECTION, f"{asked.host} port {asked.port} takes no connection.")
                continue
            try:
                self._policy.require_peer(str(writer.get_extra_info("peername", ("",))[0]), picked=place)
            except NotPublic:
                writer.close()
                raise
            return reader, writer
        raise failed


async def _joined(asked: Asked, job: Job, rest: bytes, near: Ends, far: Ends) -> None:
    """Carry bytes both ways until one side went away; raise CaptureFailed when no answer came."""
    if asked.is_tunnel:
        near[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    first = rest if asked.is_tunnel else asked.passed_on + rest
    outward = asyncio.create_task(_sent(near[0], far[1], job, first))
    inward = asyncio.create_task(_received(far[0], near[1], job, is_tunnel=asked.is_tunnel))
    try:
        done, _ = await asyncio.wait((outward, inward), return_when=asyncio.FIRST_COMPLETED)
        # A browser that closed its end waits for nothing more; a host that takes no more may still be answering.
        if inward not in done and not outward.result():
            await asyncio.wait((inward,))
    finally:
        outward.cancel()
        inward.cancel()
        far[1].close()
        await asyncio.gather(outward, inward, return_exceptions=True)
    if not inward.cancelled():
        inward.result()


async def _sent(near: asyncio.StreamReader, far: asyncio.StreamWriter, job: Job, first: bytes) -> bool:
    """Carry what the browser says; return whether it went away, or False when the host takes no more."""
    data = first
    while True:
        if not job.may_take(len(data)):
            return True
        try:
            far.write(data)
            await far.drain()
        except OSError:
            return False
        try:
            data = await near.read(READ_BYTES)
        except OSError:
            return True
        if not data:
            return True


async def _received(far: asyncio.StreamReader, near: asyncio.StreamWriter, job: Job, *, is_tunnel: bool) -> None:
    """Carry what the host says until it has said everything."""
    if not is_tunnel:
        await _answered(far, near, job)
    with contextlib.suppress(OSError):  # Whoever broke it off has nothing more to hear.
        while (data := await far.read(READ_BYTES)) and job.may_take(len(data)):
            near.write(data)
            await near.drain()


async def _head(reader: asyncio.StreamReader, read: bytes) -> tuple[bytes, bytes]:
    """Return a head that begins with what was read already, and what came after it."""
    while True:
        found = HEAD_END.search(read)
        if found is not None:
            return read[: found.end()], read[found.end() :]
        if len(read) > HEAD_BYTES_MAX:
            raise NotAHead(f"a head has at most {HEAD_BYTES_MAX} bytes")
        data = await reader.read(READ_BYTES)
        if not data and not read:
            raise Stopped  # A connection that was opened in advance and never used.
        if not data:
            raise NotAHead("the head ended early")
        read += data


async def _answered(far: asyncio.StreamReader, near: asyncio.StreamWriter, job: Job) -> None:
    """Pass on the head of an answer, and those that only announce one; raise CaptureFailed if it is none."""
    rest = b""
    while True:
        try:
            head, rest = await _head(far, rest)
            answered = answered_from(head)
        except (NotAHead, OSError, Stopped) as error:
            text = str(error) or "the host closed the connection without an answer"
            raise CaptureFailed(Reason.NO_CONNECTION, text) from error
        job.may_take(len(head))
        near.write(answered.passed_on)
        if answered.status == 101 or answered.status >= 200:
            break
    if job.may_take(len(rest)):
        near.write(rest)


async def _refused(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, error: CaptureFailed) -> None:
    is_blocked = error.reason is Reason.BLOCKED_ADDRESS
    name = "X-Footfall-Blocked" if is_blocked else "X-Footfall-Failed"
    await _said(
        reader, writer, status=403 if is_blocked else 502, headers=f"{name}: {error.reason.value}\r\n", text=str(error)
    )


async def _said(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, status: int, headers: str, text: str
) -> None:
    """Answer in the gate's own name, and let the browser finish, so that it reads the answer."""
    body = text.encode("utf-8", "replace")
    writer.write(
        f"HTTP/1.1 {status} {_PHRASES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n{headers}"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n".encode("latin-1")
    )
    writer.write(body)
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(LINGER_S):
            await writer.drain()
            writer.write_eof()
            while await reader.read(READ_BYTES):
                pass
