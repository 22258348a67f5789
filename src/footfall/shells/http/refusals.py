"""Requests that were refused or failed: each gets an id, in its answer and in one line of the log.

Answers that went well pay nothing for it. Nothing of the sender is logged: no address, no header, no query.
"""

import logging
import re
import secrets
from collections.abc import Callable, Iterable

import msgspec

from footfall.app.logs import fields
from footfall.shells.http.wire import PROBLEM
from footfall.values.clock import Clock

LINES_A_SECOND_MAX = 20  # A flood of refusals must not become a flood of the disk.
PATH_CHARACTERS_MAX = 100
DETAIL_CHARACTERS_MAX = 300
REQUEST_ID = b"x-request-id"
FAILS_FROM = ord("4")  # A status that begins with this digit, or a higher one, is a refusal or a failure.

_SANE = re.compile(rb"[A-Za-z0-9_-]{8,64}")
_TRACE = re.compile(rb"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_KIND = b"content-type: " + PROBLEM.encode("ascii")
_SERVER_ERROR = 500

_log = logging.getLogger(__name__)

Headers = Iterable[tuple[bytes, bytes]]


class _Told(msgspec.Struct):
    """What a log line repeats of a problem document."""

    detail: str = ""
    field: str = ""


class Refusals:
    """Names refused requests and writes them down, so many a second."""

    def __init__(self, clock: Clock, *, new_id: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self._clock = clock
        self._new_id = new_id
        self._second = 0
        self._lines = 0
        self._unlogged = 0

    def id_of(self, headers: Headers) -> str:
        """Return the id that the request came with when it is a sane one, else a new one."""
        trace = ""
        for name, value in headers:
            if name == REQUEST_ID and _SANE.fullmatch(value):
                return value.decode("ascii")
            if name == b"traceparent" and (found := _TRACE.fullmatch(value)):
                trace = found[1].decode("ascii")
        return trace or self._new_id()

    def told(self, whole: bytes, method: bytes, target: bytes, headers: Headers) -> bytes:
        """Return a whole response with the request's id in it, having logged it."""
        request_id = self.id_of(headers)
        head, _, body = whole.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        self.log(int(lines[0][9:12]), body, request_id=request_id, method=method, target=target)
        if _KIND in lines:
            body = with_id(body, request_id)
            lines = [line for line in lines if not line.startswith(b"content-length:")]
            lines.append(b"content-length: %d" % len(body))
        lines.append(REQUEST_ID + b": " + request_id.encode("ascii"))
        return b"\r\n".join(lines) + b"\r\n\r\n" + body

    def log(self, status: int, body: bytes, *, request_id: str, method: bytes, target: bytes) -> None:
        """Write one line about a refused request, unless this second has had enough of them."""
        level = logging.WARNING if status >= _SERVER_ERROR else logging.INFO
        if not _log.isEnabledFor(level) or not self._has_room():
            return
        told = _told(body)
        said: dict[str, object] = {"requestId": request_id, "status": status}
        said["method"] = method[:16].decode("latin-1")
        # The query may hold a key, so only the path is told.
        said["path"] = target.partition(b"?")[0][:PATH_CHARACTERS_MAX].decode("latin-1")
        if told.field:
            said["field"] = told.field[:PATH_CHARACTERS_MAX]
        if told.detail:
            said["detail"] = told.detail[:DETAIL_CHARACTERS_MAX]
        if self._unlogged:
            said["unlogged"], self._unlogged = self._unlogged, 0
        _log.log(level, "request failed" if status >= _SERVER_ERROR else "request refused", extra=fields(**said))

    def _has_room(self) -> bool:
        second = self._clock.now_ms() // 1_000
        if second != self._second:
            self._second, self._lines = second, 0
        self._lines += 1
        if self._lines > LINES_A_SECOND_MAX:
            self._unlogged += 1
            return False
        return True


def with_id(document: bytes, request_id: str) -> bytes:
    """Return a problem document with the request's id as its last member."""
    return document[:-1] + b',"requestId":"' + request_id.encode("ascii") + b'"}'


def _told(body: bytes) -> _Told:
    try:
        return msgspec.json.decode(body, type=_Told)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _Told()
