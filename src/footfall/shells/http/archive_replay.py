"""The replay's own origin: a small server beside the others, under whose policy no page can act.

Pages of strangers are shown here and never where people are signed in. Whatever a document holds, the policy of every
answer lets no script run, no form be sent, nothing be asked from any other host; and a sandbox gives the page an origin
of its own, which may read nothing. No cookie is set or looked at.
"""

import contextlib
import logging
import re
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any, cast

from footfall.app.archive_replaying import NotRecorded, ReplayReader, Shown
from footfall.archive.memento import header_date
from footfall.archive.replay_tokens import NoSuchReplay
from footfall.ports.errors import PortError

AT_ONCE_MAX = 128  # Twenty readers: a page asks for six things at a time.
READ_S_MAX = 15.0  # for one line
WHOLE_S_MAX = 60.0  # for a question and its answer
FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
PATH_CHARACTERS_MAX = 4_000
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
_POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "media-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; sandbox"
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back."""

    status: HTTPStatus
    headers: tuple[tuple[str, str], ...]
    body: bytes


def replay_answer(
    path: str, *, range_header: str, reader: ReplayReader, shown_on: str, bytes_max: int | None = None
) -> Answer:
    """Return the answer to a path of the replay's origin; `shown_on` is the origin whose pages may frame a replay."""
    try:
        shown = reader.shown(path[:PATH_CHARACTERS_MAX].partition("?")[0])
    except (NoSuchReplay, NotRecorded) as error:
        return refused(HTTPStatus.NOT_FOUND, str(error), shown_on)
    except PortError:
        _log.exception("a replay could not be read")
        return refused(HTTPStatus.SERVICE_UNAVAILABLE, "the capture cannot be read now; try again", shown_on)
    return _given(shown, range_header, shown_on, bytes_max or len(shown.body))


class ReplayServer:
    """Listens on an address of its own, with a thread for each request."""

    def __init__(self, reader: ReplayReader, *, host: str, port: int, shown_on: str) -> None:
        self._server = _Server((host, port), _handler(reader, shown_on))
        self._thread = threading.Thread(target=self._server.serve_forever, name="replay", daemon=True)

    @property
    def port(self) -> int:
        """Return where it listens, which matters when the system was to choose."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and let go of the address."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: Any) -> None:
        self._places = threading.BoundedSemaphore(AT_ONCE_MAX)
        super().__init__(address, handler)

    def process_request(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Give the request a thread when there is a place for one; nobody keeps the others from being heard."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with contextlib.suppress(OSError):
            cast("socket", request).send(FULL)
        self.shutdown_request(request)

    def process_request_thread(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Answer, and give the place back; a line every few seconds does not keep it."""
        over = threading.Timer(WHOLE_S_MAX, _cut, [request])
        over.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            over.cancel()
            self._places.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Say nothing of somebody who went away."""
        _log.debug("a replay's reader went away", exc_info=True)


def _cut(request: socket | tuple[bytes, socket]) -> None:
    with contextlib.suppress(OSError):
        cast("socket", request).shutdown(SHUT_RDWR)


def _handler(reader: ReplayReader, shown_on: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = READ_S_MAX
        server_version, sys_version = "footfall", ""

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep addresses, which open captures, out of the log."""

        def _answer(self, *, with_body: bool) -> None:
            wanted = self.headers.get("Range", "")
            answer = replay_answer(self.path, range_header=wanted, reader=reader, shown_on=shown_on)
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(answer.body)

    return Handler


def _given(shown: Shown, range_header: str, shown_on: str, bytes_max: int) -> Answer:
    size = len(shown.body)
    headers = (*_headers(shown.kind, shown_on, is_within=shown.is_within), ("Accept-Ranges", "bytes"))
    if shown.of is not None:  # RFC 7089: this is the page as it was, of which tools ask when and whose it is.
        original = ("Link", f'<{shown.of.url}>; rel="original"')
        headers = (*headers, ("Memento-Datetime", header_date(shown.of.at_us)), original)
    span = _span(range_header, size)
    if span is None and size > bytes_max:
        says = f"this part of the page has {size:,} bytes, and here no more than {bytes_max:,} are answered at once"
        return refused(HTTPStatus.NOT_IMPLEMENTED, f"{says}; the capture's download has it", shown_on)
    if span is None:
        return Answer(HTTPStatus.OK, (*headers, ("Content-Length", str(size))), shown.body)
    first, last = span
    if first >= size:
        more = (("Content-Range", f"bytes */{size}"), ("Content-Length", "0"))
        return Answer(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, (*headers, *more), b"")
    body = shown.body[first : min(last + 1, first + bytes_max)]  # The rest is asked for by itself.
    more = (("Content-Range", f"bytes {first}-{first + len(body) - 1}/{size}"), ("Content-Length", str(len(body))))
    return Answer(HTTPStatus.PARTIAL_CONTENT, (*headers, *more), body)


def refused(status: HTTPStatus, text: str, shown_on: str) -> Answer:
    """Return a sentence in the place of what was asked for."""
    body = f"{text}\n".encode()
    headers = _headers("text/plain; charset=utf-8", shown_on, is_within=False)
    return Answer(status, (*headers, ("Content-Length", str(len(body)))), body)


def _headers(kind: str, shown_on: str, *, is_within: bool) -> tuple[tuple[str, str], ...]:
    # A frame inside a page stands in a document whose origin is nobody's, which no rule about ancestors can name.
    ancestors = "" if is_within else f"; frame-ancestors {shown_on}"
    # Fonts are asked for across origins, and those of a sandboxed page have none of their own.
    shared = (("Access-Control-Allow-Origin", "*"),) if is_within else ()
    return (
        ("Content-Type", kind),
        ("Content-Security-Policy", _POLICY + ancestors),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-DNS-Prefetch-Control", "off"),
        ("Cache-Control", "private, max-age=600"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), autoplay=(), fullscreen=()"),
        *shared,
    )


def _span(header: str, size: int) -> tuple[int, int] | None:
    found = _RANGE.fullmatch(header.strip())
    if found is None or (not found[1] and not found[2]):
        return None
    if not found[1]:
        return max(0, size - int(found[2])), size - 1
    first = int(found[1])
    last = int(found[2]) if found[2] else max(first, size - 1)
    return None if last < first else (first, last)
