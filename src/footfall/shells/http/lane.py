"""The lane: HTTP/1.1 straight on the event loop, for routes that are asked tens of thousands of times a second.

A connection parses requests with httptools and hands each to a route, one at a time and in order. Everything that a
stranger can make us hold is bounded: heads, bodies, the sum of all bodies, connections, and how long each may take.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import cast

import httptools

from footfall.shells.http.lane_limits import LaneLimits
from footfall.shells.http.line import Line
from footfall.shells.http.problems import problem
from footfall.shells.http.refusals import FAILS_FROM, Refusals
from footfall.shells.http.wire import closing, date_line, dated
from footfall.values.clock import Clock

HEAD_BYTES_MAX = 16_384
PIPELINED_MAX = 16  # A browser sends none and a load generator a few; a flood waits in its own socket.
LINGER_S = 2.0  # How long a refused sender may go on sending while our answer reaches it.
SWEEP_S = 0.5
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_log = logging.getLogger(__name__)


class Exchange:
    """One request and the place for its answer."""

    __slots__ = ("_connection", "body", "dress", "headers", "is_kept_alive", "method", "target")

    def __init__(self, connection: Line, method: bytes, target: bytes) -> None:
        self._connection = connection
        self.method = method
        self.target = target
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""
        self.is_kept_alive = True
        self.dress: Callable[[bytes], bytes] | None = None  # what a route's answers are to pass before they go

    def header(self, name: bytes) -> str:
        """Return a header's value, its repeats joined by commas; empty when it was not sent."""
        values = [value for key, value in self.headers if key == name]
        return b", ".join(values).decode("latin-1") if values else ""

    @property
    def peer(self) -> str:
        """Return the address at the other end of the connection."""
        return self._connection.peer

    def reply(self, whole: bytes) -> None:
        """Answer the request; the first answer counts."""
        self._connection.answer(self, whole)

    def stream(self, part: bytes, *, is_last: bool) -> None:
        """Send a part of an answer that is made as it goes."""
        self._connection.answer_part(self, part, is_last=is_last)

    @property
    def connection(self) -> Line:
        """Return the connection, for answers that must wait until it can take more."""
        return self._connection


Route = Callable[[Exchange], None]


class Lane:
    """What all connections share: routes, limits, counts."""

    def __init__(self, routes: Mapping[bytes, Route], fallback: Route, *, limits: LaneLimits, clock: Clock) -> None:
        self.routes = routes
        self.fallback = fallback
        self.limits = limits
        self.connections: set[Connection] = set()
        self.buffered_bytes = 0
        self.requests = 0
        self.is_draining = False
        self.date = date_line(clock.now_ms())
        self.refusals = Refusals(clock)
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._sweep()

    def __call__(self) -> "Connection":
        """Make the protocol of a new connection."""
        return Connection(self, self._loop)

    def drain(self) -> None:
        """Let requests in progress finish and close what is idle."""
        self.is_draining = True
        for connection in list(self.connections):
            connection.close_if_idle()

    def _sweep(self) -> None:
        """Close the connections that took too long; one timer for all of them costs less than one each."""
        now = self._loop.time()
        self.date = date_line(self._clock.now_ms())
        for connection in list(self.connections):
            if connection.deadline < now:
                connection.give_up()
        self._loop.call_later(SWEEP_S, self._sweep)


class Connection(asyncio.Protocol):
    """One client's connection."""

    __slots__ = (
        "_body", "_can_write", "_current", "_head_bytes", "_incoming", "_is_beginning", "_is_done", "_lane",
        "_last_words", "_loop", "_parser", "_size", "_transport", "_waiting", "_writable", "deadline", "peer",
    )  # fmt: skip

    def __init__(self, lane: Lane, loop: asyncio.AbstractEventLoop) -> None:
        self._lane = lane
        self._loop = loop
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._incoming = Exchange(self, b"", b"")
        self._body: list[bytes] = []
        self._size = 0
        self._head_bytes = 0
        self._current: Exchange | None = None
        self._waiting: deque[Exchange] = deque()
        self._is_beginning = False
        self._is_done = False  # Nothing more is taken from the client; what it asked before is still answered.
        self._last_words = b""
        self._can_write = True
        self._writable: asyncio.Event | None = None
        self.deadline = loop.time() + lane.limits.head_s_max
        self.peer = ""

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection, or say at once that there are too many."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        self.peer = str((transport.get_extra_info("peername") or ("",))[0])
        self._lane.connections.add(self)
        if len(self._lane.connections) > self._lane.limits.connections_max:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections; try again in a moment")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection; answers still to come have nowhere to go."""
        self._lane.connections.discard(self)
        self._is_done = True
        self._release()
        self._lane.buffered_bytes -= sum(len(exchange.body) for exchange in self._waiting)
        self._waiting.clear()
        self._transport = None
        if self._writable is not None:
            self._writable.set()

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        if self._is_done:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as error:
            self._parse_as_it_stands(data[error.args[0] :])
        except httptools.HttpParserError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, f"not HTTP: {error}")

    def eof_received(self) -> bool:
        """Answer what was asked before a client stopped sending; True keeps our side open for that."""
        if not self._is_idle:
            self._is_done = True
        elif not self._is_done and (self._size or self._head_bytes):
            self._refuse(HTTPStatus.BAD_REQUEST, "the request is cut off")
        return not self._is_idle

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read."""
        self._can_write = False
        self._writable = self._writable or asyncio.Event()
        self._writable.clear()
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on."""
        self._can_write = True
        if self._writable is not None:
            self._writable.set()
        self._begin_waiting()
        if self._transport is not None and len(self._waiting) < PIPELINED_MAX:
            self._transport.resume_reading()

    # What the parser calls.

    def on_message_begin(self) -> None:
        """Start a request."""
        self._incoming = Exchange(self, b"", b"")
        self._head_bytes = 0
        if self._is_idle:
            self.deadline = self._loop.time() + self._lane.limits.head_s_max

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request target."""
        self._incoming.target += url
        self._head_bytes += len(url)
        if self._head_bytes > HEAD_BYTES_MAX:
            self._refuse_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._incoming.headers.append((name.lower(), value))
        self._head_bytes += len(name) + len(value) + 4
        if self._head_bytes > HEAD_BYTES_MAX:
            self._refuse_head()

    def on_headers_complete(self) -> None:
        """Look at what the head says about the body before any of it is taken."""
        incoming = self._incoming
        incoming.method = self._parser.get_method()
        incoming.is_kept_alive = self._parser.should_keep_alive()
        if incoming.method in (b"GET", b"HEAD") or self._is_done or self._parser.should_upgrade():
            return
        self.deadline = self._loop.time() + self._lane.limits.body_s_max
        length, expects = 0, False
        for name, value in incoming.headers:
            if name == b"content-length":
                length = int(value)
            elif name == b"expect":
                expects = value.lower() == b"100-continue"
        if length > self._lane.limits.body_bytes_max:
            self._refuse_size()
        elif expects and self._current is None and self._transport is not None:
            self._transport.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body, within the limits."""
        if self._is_done:
            return
        self._body.append(body)
        self._size += len(body)
        self._lane.buffered_bytes += len(body)
        if self._size > self._lane.limits.body_bytes_max:
            self._refuse_size()
        elif self._lane.buffered_bytes > self._lane.limits.pending_bytes_max:
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, "more is being sent than can be held; try again in a moment")

    def on_message_complete(self) -> None:
        """Hand the request over, or queue it behind the one in progress."""
        if self._is_done or self._parser.should_upgrade():
            return
        incoming = self._incoming
        if self._body:
            incoming.body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._body = []
            self._size = 0  # Its bytes stay counted in the lane until a route has them.
        self._waiting.append(incoming)
        if self._current is None:
            self._begin_waiting()
        elif len(self._waiting) >= PIPELINED_MAX and self._transport is not None:
            self._transport.pause_reading()

    # What routes and the lane call.

    def answer(self, exchange: Exchange, whole: bytes) -> None:
        """Send the answer to the request in progress and begin the next."""
        if exchange is not self._current or self._transport is None:
            return
        ends = not exchange.is_kept_alive or self._lane.is_draining
        if whole[9] >= FAILS_FROM:  # The first digit of the status, which is all that a good answer pays.
            whole = self._lane.refusals.told(whole, exchange.method, exchange.target, exchange.headers)
        whole = dated(closing(whole) if ends else whole, self._lane.date)
        if exchange.method == b"HEAD":
            whole = whole[: whole.index(b"\r\n\r\n") + 4]
        self._transport.write(whole)
        self._end(ends=ends)

    def answer_part(self, exchange: Exchange, part: bytes, *, is_last: bool) -> None:
        """Send some of an answer."""
        if exchange is not self._current or self._transport is None:
            return
        if part:
            self._transport.write(part)
        if is_last:
            self._end(ends=not exchange.is_kept_alive or self._lane.is_draining)

    async def writable(self) -> None:
        """Wait until the client has read enough of what was sent."""
        if not self._can_write and self._writable is not None:
            await self._writable.wait()

    @property
    def is_open(self) -> bool:
        """Tell whether an answer can still arrive."""
        return self._transport is not None

    def close_if_idle(self) -> None:
        """Close unless a request is in progress."""
        if self._is_idle and self._transport is not None:
            self._transport.close()

    def give_up(self) -> None:
        """Close a connection that took too long, with a word if a request had begun."""
        if self._current is not None:
            self.deadline = float("inf")  # We are the slow side.
        elif self._transport is None:
            return
        elif self._is_done or self._transport.get_write_buffer_size():
            self._transport.abort()  # It does not read what it asked for, so nothing will ever flow off.
        elif not self._size and not self._head_bytes:
            self._transport.close()
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")

    def _parse_as_it_stands(self, rest: bytes) -> None:
        """Take a request that wishes for another protocol as if it did not: the parser would leave its body aside."""
        incoming = self._incoming
        if incoming.method == b"CONNECT":
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "this is not a proxy")
            return
        kept = [(name, value) for name, value in incoming.headers if name not in (b"connection", b"upgrade")]
        lines = b"".join(b"%b: %b\r\n" % header for header in [*kept, (b"connection", b"close")])
        self._parser = httptools.HttpRequestParser(self)
        self.data_received(b"%b %b HTTP/1.1\r\n%b\r\n" % (incoming.method, incoming.target, lines) + rest)

    @property
    def _is_idle(self) -> bool:
        return self._current is None and not self._waiting

    def _begin_waiting(self) -> None:
        """Hand over what waits, one after the other: a loop, because answers may come at once and by the thousand."""
        if self._is_beginning:
            return
        self._is_beginning = True
        while self._waiting and self._current is None and self._can_write:
            if len(self._waiting) == PIPELINED_MAX and self._can_write and self._transport is not None:
                self._transport.resume_reading()
            self._begin(self._waiting.popleft())
        self._is_beginning = False
        if self._is_done and self._is_idle:
            self._finish()

    def _begin(self, exchange: Exchange) -> None:
        self._current = exchange
        self.deadline = float("inf")
        self._lane.requests += 1
        self._lane.buffered_bytes -= len(exchange.body)
        path, _, _ = exchange.target.partition(b"?")
        try:
            self._lane.routes.get(path, self._lane.fallback)(exchange)
        except Exception:  # noqa: BLE001 - a defect of ours must not leave a client waiting for ever
            _log.exception("a route failed")
            exchange.reply(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail="this is a defect of footfall"))

    def _end(self, *, ends: bool) -> None:
        self._current = None
        self._head_bytes = 0
        self.deadline = self._loop.time() + self._lane.limits.idle_s_max
        if ends:
            self._is_done = True
            self._last_words = b""
            self._lane.buffered_bytes -= sum(len(exchange.body) for exchange in self._waiting)
            self._waiting.clear()
        self._begin_waiting()

    def _finish(self) -> None:
        """Say the last words, if there are any, and close."""
        if self._transport is not None and self._last_words:
            self._transport.write(self._last_words)
            self._transport.write_eof()
            self._last_words = b""
            self.deadline = self._loop.time() + LINGER_S
        elif self._transport is not None:
            self._transport.close()

    def _refuse_head(self) -> None:
        if not self._is_done:
            detail = f"the head has more than {HEAD_BYTES_MAX:,} bytes"
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail)

    def _refuse_size(self) -> None:
        detail = f"the body has more than {self._lane.limits.body_bytes_max:,} bytes; send smaller batches"
        self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Answer with a problem and close, but listen a little longer, else the answer may not arrive."""
        self._is_done = True
        self._release()
        incoming = self._incoming
        told = self._lane.refusals.told(
            problem(status, detail=detail), incoming.method, incoming.target, incoming.headers
        )
        self._last_words = dated(closing(told), self._lane.date)
        if self._is_idle:
            self._finish()

    def _release(self) -> None:
        self._lane.buffered_bytes -= self._size
        self._size = 0
        self._body = []
