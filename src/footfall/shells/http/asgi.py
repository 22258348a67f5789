"""The bridge from the lane to a comfortable framework, for the routes that are asked rarely."""

import asyncio
import logging
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Scope

from footfall.shells.http.lane import Exchange
from footfall.shells.http.line import Carrier
from footfall.shells.http.problems import problem
from footfall.shells.http.refusals import REQUEST_ID, with_id
from footfall.shells.http.wire import BODILESS, PROBLEM, response_head

READ_S_MAX = 60.0

_log = logging.getLogger(__name__)


class AsgiRoute:
    """Hands an exchange to an ASGI application."""

    def __init__(self) -> None:
        self._application: ASGIApp | None = None
        self._lane: Carrier | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def serve(self, application: ASGIApp, lane: Carrier) -> None:
        """Take the application, which is made last because it looks at everything else."""
        self._application = application
        self._lane = lane

    def __call__(self, exchange: Exchange) -> None:
        """Begin the answer; it may take its time."""
        task = asyncio.get_running_loop().create_task(self._run(exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, exchange: Exchange) -> None:
        assert self._application is not None
        assert self._lane is not None
        talk = _Talk(exchange, self._lane)
        try:
            await self._application(_scope(exchange), talk.receive, talk.send)
        except Exception:  # noqa: BLE001 - whatever it is, somebody waits for an answer
            _log.exception("a page failed")
            if talk.has_begun:
                exchange.is_kept_alive = False
                exchange.stream(b"", is_last=True)
            else:
                exchange.reply(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail="footfall failed; its log says why"))


class _Talk:
    """One request's talk with the application."""

    def __init__(self, exchange: Exchange, lane: Carrier) -> None:
        self._exchange = exchange
        self._lane = lane
        self._was_received = False
        self._is_chunked = False
        self._held: Message | None = None
        self.has_begun = False

    async def receive(self) -> Message:
        """Give the application the request's body, whole."""
        if not self._was_received:
            self._was_received = True
            return {"type": "http.request", "body": self._exchange.body, "more_body": False}
        while self._exchange.connection.is_open:
            await asyncio.sleep(1.0)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send on what the application says."""
        if message["type"] == "http.response.start":
            if message["status"] < HTTPStatus.BAD_REQUEST:
                self._begin(message)
            else:
                self._held = message  # A refusal gets its id when its document is there.
            return
        body: bytes = message.get("body", b"")
        more = bool(message.get("more_body", False))
        if self._held is not None:
            body = self._begin_refusal(self._held, body)
            self._held = None
        if self._exchange.method == b"HEAD":
            body = b""
        elif self._is_chunked:
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + (b"" if more else b"0\r\n\r\n")
        self._exchange.stream(body, is_last=not more)
        # A client that reads nothing for that long is let go; the error ends the answer.
        await asyncio.wait_for(self._exchange.connection.writable(), READ_S_MAX)

    def _begin_refusal(self, message: Message, body: bytes) -> bytes:
        """Send the head of a refusal with the request's id in it; return its body, which has the id as well."""
        exchange, refusals = self._exchange, self._lane.refusals
        request_id = refusals.id_of(exchange.headers)
        refusals.log(message["status"], body, request_id=request_id, method=exchange.method, target=exchange.target)
        headers: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
        if (b"content-type", PROBLEM.encode("ascii")) in headers:
            body = with_id(body, request_id)
            headers = [(name, value) for name, value in headers if name != b"content-length"]
            headers.append((b"content-length", b"%d" % len(body)))
        headers.append((REQUEST_ID, request_id.encode("ascii")))
        self._begin({**message, "headers": headers})
        return body

    def _begin(self, message: Message) -> None:
        headers: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
        self.has_begun = True
        # What never has a body is over with its head: a last chunk would be taken for the next answer's first line.
        has_length = any(name.lower() == b"content-length" for name, _ in headers)
        self._is_chunked = not has_length and message["status"] not in BODILESS
        if self._is_chunked:
            headers.append((b"transfer-encoding", b"chunked"))
        if not self._exchange.is_kept_alive:
            headers.append((b"connection", b"close"))
        self._exchange.stream(response_head(message["status"], headers, self._lane.date), is_last=False)


def _scope(exchange: Exchange) -> Scope:
    path, _, query = exchange.target.partition(b"?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": exchange.method.decode("latin-1"),
        "scheme": "http",
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": exchange.headers,
        "client": (exchange.peer, 0),
        "server": None,
        "state": {},
    }
    return scope
