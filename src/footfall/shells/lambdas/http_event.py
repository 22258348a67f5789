"""Requests as an HTTP API of AWS hands them over (payload format 2.0), and answers as it takes them.

The routes see what they see on the lane: a method, a target, headers and a body, and a line on which to answer.
"""

import asyncio
import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from footfall.shells.http.lane import Exchange
from footfall.shells.http.line import Line
from footfall.shells.http.refusals import FAILS_FROM, Refusals
from footfall.values.errors import FootfallError

DEFAULT_STAGE = "$default"

_SAFE = "/%:@!$&'()*+,;=-._~"  # What may stand in a path as it is.
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TEXTS = ("text/", "application/json", "application/problem+json")
# The API tells the length and the date itself; what it was told besides, it would send twice.
_NOT_TOLD = ("content-length", "date", "connection", "transfer-encoding")

Event = Mapping[str, Any]
Headers = list[tuple[bytes, bytes]]


class NotHttp(FootfallError):
    """An event came that is no request of an HTTP API."""


class EventLine:
    """The way back to the API: one answer, whole."""

    def __init__(self, peer: str, refusals: Refusals) -> None:
        self.peer = peer
        self.is_open = True
        self.answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._refusals = refusals
        self._parts: list[bytes] = []

    def answer(self, exchange: Exchange, whole: bytes) -> None:
        """Take the answer; the first one counts."""
        if whole[9] >= FAILS_FROM:
            whole = self._refusals.told(whole, exchange.method, exchange.target, exchange.headers)
        if exchange.method == b"HEAD":
            whole = whole[: whole.index(b"\r\n\r\n") + 4]
        self._end(whole)

    def answer_part(self, exchange: Exchange, part: bytes, *, is_last: bool) -> None:
        """Take some of an answer."""
        del exchange
        self._parts.append(part)
        if is_last:
            self._end(b"".join(self._parts))

    async def writable(self) -> None:
        """Return at once: everything is taken."""

    def _end(self, whole: bytes) -> None:
        self.is_open = False
        if not self.answered.done():
            self.answered.set_result(whole)


def require_http(event: Event) -> Mapping[str, Any]:
    """Return what the event says of its request, or raise NotHttp."""
    about: Any = event.get("requestContext", {})
    if event.get("version") != "2.0" or not isinstance(about, dict) or "http" not in about:
        raise NotHttp(
            f"an event with the version {event.get('version')!r} is no request of an HTTP API with payload format 2.0; "
            "set the integration's PayloadFormatVersion to 2.0"
        )
    return about  # pyright: ignore[reportUnknownVariableType] - a dict of JSON


def peer_of(event: Event) -> str:
    """Return the address that the API was asked from."""
    return str(require_http(event)["http"].get("sourceIp", ""))


def exchange_from_event(event: Event, line: Line) -> Exchange:
    """Return the request that an event holds, as routes take it."""
    about = require_http(event)
    query = str(event.get("rawQueryString") or "")
    target = _path(str(event.get("rawPath") or "/"), stage=str(about.get("stage") or DEFAULT_STAGE))
    exchange = Exchange(line, str(about["http"]["method"]).encode("latin-1"), target)
    if query:
        exchange.target += b"?" + query.encode()
    exchange.headers = _headers(event)
    exchange.body = _body(event)
    return exchange


def answer_from_whole(whole: bytes) -> dict[str, Any]:
    """Return a response as the API takes it."""
    head, _, body = whole.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    headers: dict[str, str] = {}
    for one in lines:
        name, _, value = one.partition(": ")
        name = name.lower()
        if name not in _NOT_TOLD:
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    answer: dict[str, Any] = {"statusCode": int(line[9:12]), "headers": headers, "isBase64Encoded": False, "body": ""}
    if body:
        is_text = any(headers.get("content-type", "").startswith(text) for text in _TEXTS)
        answer["isBase64Encoded"] = not is_text
        answer["body"] = body.decode() if is_text else base64.b64encode(body).decode("ascii")
    return answer


def _path(path: str, *, stage: str) -> bytes:
    """Return the path as a client would have sent it, without the stage that an API may put before it.

    An API unescapes the path, the address of a function does not: what cannot stand in a path is escaped again.
    """
    if stage != DEFAULT_STAGE and (path == f"/{stage}" or path.startswith(f"/{stage}/")):
        path = path[len(stage) + 1 :] or "/"
    return quote(_BARE_PERCENT.sub("%25", path), safe=_SAFE).encode("ascii")


def _headers(event: Event) -> Headers:
    sent: Mapping[str, str] = event.get("headers") or {}
    headers = [(name.lower().encode("latin-1", "replace"), _header_bytes(value)) for name, value in sent.items()]
    cookies: list[str] = event.get("cookies") or []
    if cookies:
        headers.append((b"cookie", _header_bytes("; ".join(cookies))))
    return headers


def _header_bytes(value: str) -> bytes:
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")


def _body(event: Event) -> bytes:
    body: str = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return body.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise NotHttp(f"the body of an event is said to be base64 and is not: {error}") from error
