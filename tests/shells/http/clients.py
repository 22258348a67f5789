"""A lane on a loopback port and plain sockets that speak to it, on the event loop that the product uses."""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import uvloop

from footfall.shells.http.lane import Exchange, Lane, LaneLimits, Route
from footfall.shells.http.wire import response
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
LIMITS = LaneLimits(
    body_bytes_max=10_000,
    pending_bytes_max=100_000,
    connections_max=5_000,
    head_s_max=5.0,
    body_s_max=5.0,
    idle_s_max=5.0,
)
WAIT_S = 20.0  # Longer than any answer takes; a test that waits for it has failed.

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine on a loop of its own, and not for ever."""
    return uvloop.run(asyncio.wait_for(work, 3 * WAIT_S))


@dataclass(slots=True)
class Answer:
    """A response as a client reads it."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """Return what the body says."""
        return json.loads(self.body)


@dataclass(slots=True)
class Client:
    """One connection to a lane."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, *, bodiless: bool = False) -> Answer:
        """Read one response."""
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), WAIT_S)).decode("latin-1")
        status, *lines = head.split("\r\n")[:-2]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        size = 0 if bodiless else int(headers.get("content-length", "0"))
        return Answer(int(status.split()[1]), headers, await asyncio.wait_for(self.reader.readexactly(size), WAIT_S))

    async def rest(self) -> bytes:
        """Read until the other side ends, however it does."""
        try:
            return await asyncio.wait_for(self.reader.read(), WAIT_S)
        except ConnectionResetError:
            return b""

    async def ask(self, data: bytes) -> Answer:
        """Send a request and read its answer."""
        await self.send(data)
        return await self.answer()

    def close(self) -> None:
        """Hang up."""
        self.writer.close()

    def reset(self) -> None:
        """Hang up without a word, as a machine does that has gone."""
        end = self.writer.get_extra_info("socket")
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@dataclass(slots=True)
class Served:
    """A lane and the way to it."""

    lane: Lane
    port: int
    clients: list[Client] = field(default_factory=list[Client])

    async def connect(self) -> Client:
        """Open one more connection."""
        client = Client(*await asyncio.open_connection("127.0.0.1", self.port))
        self.clients.append(client)
        return client


@asynccontextmanager
async def served(
    routes: Mapping[bytes, Route], fallback: Route, *, limits: LaneLimits = LIMITS
) -> AsyncGenerator[Served]:
    """Serve routes on a free port until the block ends."""
    lane = Lane(routes, fallback, limits=limits, clock=SetClock(NOON_MS))
    server = await asyncio.get_running_loop().create_server(lane, "127.0.0.1", 0, backlog=4_096)
    here = Served(lane, server.sockets[0].getsockname()[1])
    try:
        yield here
    finally:
        server.close()
        for client in here.clients:
            client.writer.transport.abort()
        for connection in list(lane.connections):
            if connection._transport is not None:
                connection._transport.abort()
        await until(lambda: not lane.connections)


def echo(exchange: Exchange) -> None:
    """Answer with what was asked."""
    said = f"{exchange.method.decode()} {exchange.target.decode('latin-1')} ".encode() + exchange.body
    exchange.reply(response(200, said, kind="text/plain"))


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something has become true."""
    async with asyncio.timeout(WAIT_S):
        while not is_so():
            await asyncio.sleep(0.01)


def get(target: str = "/", *headers: str) -> bytes:
    """Return a GET request."""
    return "\r\n".join([f"GET {target} HTTP/1.1", "host: x", *headers, "", ""]).encode("latin-1")


def post(body: bytes, *headers: str, target: str = "/") -> bytes:
    """Return a POST request."""
    lines = [f"POST {target} HTTP/1.1", "host: x", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


class Slow:
    """A route that answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[Exchange] = []

    def __call__(self, exchange: Exchange) -> None:
        self.asked.append(exchange)

    def answer_next(self) -> None:
        """Answer the request that came first."""
        echo(self.asked.pop(0))


async def refused(here: Served, data: bytes) -> int:
    """Send what should be refused; return the status once the connection has ended."""
    client = await here.connect()
    await client.send(data)
    answer = await client.answer()
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["connection"] == "close"
    assert answer.json()["status"] == answer.status
    assert await client.rest() == b""
    client.close()
    return answer.status
