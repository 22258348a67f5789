"""Recording what a page asks for and is answered: every response is held, read and passed on.

The browser's Fetch domain stops each response before the page has it. A plain one is read and let go on as it is, and
when it has no end, without having been read. One that is packed is read in pieces, so that a few bytes that unpack to
gigabytes take no more than they may; the page then gets what was read.
"""

import asyncio
import base64
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass

from footfall.adapters.chromium.limits import Limits
from footfall.adapters.chromium.lines import InnerLine, Line, NotDone, Told
from footfall.ports.capturing import Exchange

PIECE_BYTES = 1_000_000
FINISH_S = 1.0  # What is still on its way when the picture has been taken.
ENDLESS_TYPES = ("text/event-stream", "multipart/x-mixed-replace")
SHOWN_TYPES = ("text/", "image/", "application/xhtml", "application/xml", "application/json", "application/javascript")
PACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})  # what does not hold once decoded
EMPTY_STATUSES = frozenset({204, 205, 304})
EVERYTHING = {"patterns": [{"urlPattern": "*", "requestStage": "Response"}]}
ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": False}


@dataclass(frozen=True, slots=True)
class Held:
    """A response that the browser holds."""

    id: str
    frame: str
    kind: str
    url: str
    method: str
    status: int
    request_headers: Sequence[tuple[str, str]]
    request_body: bytes
    headers: Sequence[tuple[str, str]]
    at_us: int

    def header(self, name: str) -> str:
        """Return a header's value, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class Recorder:
    """Keeps every exchange of one page."""

    def __init__(
        self,
        now_us: Callable[[], int],
        limits: Limits,
        *,
        too_large: Callable[[], None],
        entered: Callable[[str], None],
    ) -> None:
        self._now_us = now_us
        self._limits = limits
        self._too_large = too_large
        self._entered = entered
        self._exchanges: list[Exchange] = []
        self._kept_bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: dict[str, Held] = {}
        self._page_frame = ""

    async def follow(self, line: Line, *, page_frame: str = "") -> None:
        """Record what a target asks for, and those that it opens within itself."""
        self._page_frame = self._page_frame or page_frame
        line.hear("Fetch.requestPaused", lambda told: self._begin(self._pass(line, told)))
        line.hear("Target.attachedToTarget", lambda told: self._begin(self._enter(line, told)))
        with contextlib.suppress(NotDone):  # A worker has no such domain: its page tells of it.
            await line.ask("Fetch.enable", EVERYTHING)
        with contextlib.suppress(NotDone):
            await line.ask("Target.setAutoAttach", ATTACH)

    async def finish(self) -> Sequence[Exchange]:
        """Return all exchanges in their order; what is still on its way is cut."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FINISH_S)
        self.stop()
        cut = [_exchange(held, b"", is_cut=True) for held in self._open.values()]
        return sorted([*self._exchanges, *cut], key=lambda exchange: exchange.at_us)

    def stop(self) -> None:
        """Record nothing more."""
        for task in self._tasks:
            task.cancel()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _enter(self, outer: Line, told: Told) -> None:
        self._entered(str(told["targetInfo"]["targetId"]))
        inner = InnerLine(outer, told["sessionId"])
        with contextlib.suppress(NotDone):
            await self.follow(inner)
            await inner.ask("Runtime.runIfWaitingForDebugger")

    async def _pass(self, line: Line, told: Told) -> None:
        held = _held(told, self._now_us())
        with contextlib.suppress(NotDone):  # Whoever asked does not wait any more.
            if held is None or not self._is_recorded(held):
                await line.ask("Fetch.continueRequest", {"requestId": told["requestId"]})
                return
            self._open[held.id] = held
            try:
                body, is_cut = await self._body(line, held)
            finally:
                self._open.pop(held.id, None)
            self._keep(held, body, is_cut=is_cut)

    def _is_recorded(self, held: Held) -> bool:
        if held.kind == "EventSource" or held.header("content-type").startswith(ENDLESS_TYPES):
            return False
        return held.kind != "Document" or not is_file(held.header)

    async def _body(self, line: Line, held: Held) -> tuple[bytes, bool]:
        """Return a body and whether it was cut, and let the response go on."""
        this = {"requestId": held.id}
        if _is_empty(held):
            await line.ask("Fetch.continueRequest", this)
            return b"", False
        length = held.header("content-length")
        if length.isdecimal() and int(length) > self._limits.body_bytes_max:
            self._refuse_large(held)
            await line.ask("Fetch.failRequest", {**this, "errorReason": "Aborted"})
            return b"", True
        is_plain = held.header("content-encoding").lower() in {"", "identity"}
        return await (self._whole(line, held) if is_plain else self._pieces(line, held))

    async def _whole(self, line: Line, held: Held) -> tuple[bytes, bool]:
        this = {"requestId": held.id}
        try:
            answer = await asyncio.wait_for(line.ask("Fetch.getResponseBody", this), self._patience_s(held))
        except TimeoutError:
            await line.ask("Fetch.continueRequest", this)
            return b"", True
        await line.ask("Fetch.continueRequest", this)
        body = _bytes(answer["body"], is_base64=answer["base64Encoded"])
        if len(body) > self._limits.body_bytes_max:
            self._refuse_large(held)
            return body[: self._limits.body_bytes_max], True
        return body, False

    async def _pieces(self, line: Line, held: Held) -> tuple[bytes, bool]:
        stream = (await line.ask("Fetch.takeResponseBodyAsStream", {"requestId": held.id}))["stream"]
        body, is_cut = bytearray(), True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s(held)):
                while len(body) <= self._limits.body_bytes_max:
                    piece = await line.ask("IO.read", {"handle": stream, "size": PIECE_BYTES})
                    body += _bytes(piece["data"], is_base64=piece.get("base64Encoded", False))
                    if piece["eof"]:
                        is_cut = False
                        break
        if len(body) > self._limits.body_bytes_max:
            self._refuse_large(held)
        with contextlib.suppress(NotDone):
            await asyncio.wait_for(line.ask("IO.close", {"handle": stream}), FINISH_S)
        await line.ask("Fetch.fulfillRequest", _fulfilled(held, bytes(body)))
        return bytes(body), is_cut

    def _patience_s(self, held: Held) -> float:
        is_page = held.kind == "Document" and held.frame == self._page_frame
        return (self._limits.open_ms if is_page else self._limits.body_ms) / 1_000

    def _refuse_large(self, held: Held) -> None:
        if held.kind == "Document" and held.frame == self._page_frame:
            self._too_large()

    def _keep(self, held: Held, body: bytes, *, is_cut: bool) -> None:
        if len(self._exchanges) >= self._limits.exchanges_max:
            return
        if self._kept_bytes + len(body) > self._limits.bodies_bytes_max:
            body, is_cut = b"", True
        self._kept_bytes += len(body)
        self._exchanges.append(_exchange(held, body, is_cut=is_cut))


def is_file(header: Callable[[str], str]) -> bool:
    """Return whether a document is one that a browser saves in place of showing it."""
    if header("content-disposition").lower().startswith("attachment"):
        return True
    kind = header("content-type").lower().strip()
    return bool(kind) and not kind.startswith(SHOWN_TYPES) and "+xml" not in kind and "+json" not in kind


def _held(told: Told, at_us: int) -> Held | None:
    """Return the response that is held, or nothing when there was none."""
    request, status = told["request"], told.get("responseStatusCode")
    if status is None:
        return None
    return Held(
        told["requestId"],
        told.get("frameId", ""),
        told.get("resourceType", ""),
        request["url"] + request.get("urlFragment", ""),
        request["method"],
        status,
        [(str(name), str(value)) for name, value in request["headers"].items()],
        _request_body(request),
        [(str(header["name"]), str(header["value"])) for header in told.get("responseHeaders", [])],
        at_us,
    )


def _request_body(request: Told) -> bytes:
    entries = request.get("postDataEntries")
    if entries:
        return b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
    return str(request.get("postData", "")).encode()


def _is_empty(held: Held) -> bool:
    is_redirect = 300 <= held.status < 400 and bool(held.header("location"))
    return is_redirect or held.status in EMPTY_STATUSES or held.method == "HEAD"


def _fulfilled(held: Held, body: bytes) -> Told:
    return {
        "requestId": held.id,
        "responseCode": held.status,
        "responseHeaders": [
            {"name": name, "value": value} for name, value in held.headers if name.lower() not in PACKED
        ],
        "body": base64.b64encode(body).decode(),
    }


def _bytes(text: str, *, is_base64: bool) -> bytes:
    return base64.b64decode(text) if is_base64 else text.encode()


def _exchange(held: Held, body: bytes, *, is_cut: bool) -> Exchange:
    return Exchange(
        url=held.url,
        method=held.method,
        status=held.status,
        at_us=held.at_us,
        request_headers=held.request_headers,
        response_headers=held.headers,
        body=body,
        request_body=held.request_body,
        is_cut=is_cut,
    )
