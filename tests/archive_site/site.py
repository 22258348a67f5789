"""The server of the hard pages: two origins on loopback, and what was asked of them."""

import contextlib
import gzip
import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.archive_site import hostile, pages
from tests.archive_site.images import image

FULL = 40  # images of a page that is measured, which is then 27,000 pixels high
NEVER_S = 120.0  # for as long as nobody goes away
HTML = "text/html; charset=utf-8"
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="2000"><rect width="300" height="2000"/></svg>'
BOMB_BYTES = 60_000_000
# Pages with images that a reader sees who scrolls, and how many at most.
COMPLETE: Mapping[str, int] = {
    "/article": 3, "/lazy": FULL, "/observer": FULL, "/scroll": FULL, "/infinite": 36, "/quick": 36, "/frames": 12,
    "/inner": 20,
    "/sticky": FULL, "/modal": FULL, "/hero": FULL, "/slow": 2, "/hanging": 2, "/polling": 2, "/dialogs": 2,
    "/sources": FULL, "/shadow": FULL, "/smooth": FULL, "/popups": 2, "/wide": 1, "/mix": 3,
    "/late": 10, "/onload": 10, "/unsized": 10,
}  # fmt: skip


@dataclass(slots=True)
class Site:
    """The site while it is there."""

    port: int
    other_port: int
    asked: list[str] = field(default_factory=list[str])  # every address that was asked for, with its port
    ending: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        """Return the address of a page."""
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def other(self) -> str:
        """Return the other origin, which is another site as well."""
        return f"http://localhost:{self.other_port}"

    @property
    def allowed(self) -> frozenset[tuple[str, int]]:
        """Return the pairs of host and port that a policy has to let through."""
        return frozenset({("127.0.0.1", self.port), ("localhost", self.other_port)})


@contextlib.contextmanager
def archive_site() -> Generator[Site]:
    """Serve the pages until they are not needed any more."""
    servers = [_Server(("127.0.0.1", 0), _Handler) for _ in range(2)]
    site = Site(servers[0].server_address[1], servers[1].server_address[1])
    threads: list[threading.Thread] = []
    for server in servers:
        server.site = site
        threads.append(threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True))
        threads[-1].start()
    try:
        yield site
    finally:
        site.ending.set()
        for server in servers:
            server.shutdown()
            server.server_close()
        for thread in threads:
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # What never ends would keep us.
    request_queue_size = 128
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: browsers go away in the middle of everything."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> Site:
        """Return the site that is served."""
        assert isinstance(self.server, _Server)
        return self.server.site

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def _answer(self, body: bytes) -> None:
        site = self.site
        site.asked.append(f"{self.connection.getsockname()[1]}{self.path}")
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        first, _, rest = parts.path.lstrip("/").partition("/")
        if make := DOCUMENTS.get(parts.path):
            self.say(make(site, query).encode())
        elif answer := ANSWERS.get(first):
            answer(self, rest, query, body)
        else:
            self.say(b"not here", kind="text/plain", status=404)

    def say(self, body: bytes, *, kind: str = HTML, status: int = 200, **headers: str) -> None:
        """Answer at once."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def stream(self, piece: Callable[[int], bytes], *, every_s: float, kind: str = HTML) -> None:
        """Answer for as long as anybody listens."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        number = 0
        until_s = time.monotonic() + NEVER_S
        while not self.site.ending.wait(every_s) and time.monotonic() < until_s:
            self.wfile.write(piece(number))
            number += 1

    def wait(self, seconds: float) -> None:
        """Take time, unless the site ends."""
        self.site.ending.wait(seconds)


Query = Mapping[str, str]


def _count(query: Query, path: str) -> int:
    return int(query.get("n", COMPLETE[path]))


def _photo(handler: _Handler, rest: str, query: Query, _: bytes) -> None:
    handler.wait(int(query.get("ms", "0")) / 1_000)
    handler.say(image(int(rest)), kind="image/jpeg")


def _more(handler: _Handler, _: str, query: Query, __: bytes) -> None:
    handler.wait(int(query.get("ms", "0")) / 1_000)
    begin = int(query["from"])
    handler.say(json.dumps(list(range(begin, begin + int(query["n"])))).encode(), kind="application/json")


def _status(handler: _Handler, rest: str, _: Query, __: bytes) -> None:
    headers = {"WWW_Authenticate": 'Basic realm="members"'} if rest == "401" else {}
    handler.say(pages.page(rest, f"<h1>{rest}</h1>").encode(), status=int(rest), **headers)


def _moved(handler: _Handler, rest: str, _: Query, __: bytes) -> None:
    handler.say(b"", status=302, Location=f"/{rest}")


def _circle(handler: _Handler, rest: str, _: Query, __: bytes) -> None:
    handler.say(b"", status=302, Location=f"/circle/{int(rest or 0) + 1}")


def _file(handler: _Handler, _: str, __: Query, ___: bytes) -> None:
    handler.say(b"a,b\n1,2\n", kind="text/csv", Content_Disposition='attachment; filename="numbers.csv"')


def _pdf(handler: _Handler, _: str, __: Query, ___: bytes) -> None:
    handler.say(b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF", kind="application/pdf")


def _never(handler: _Handler, _: str, __: Query, ___: bytes) -> None:
    handler.close_connection = True
    handler.wait(NEVER_S)


def _endless(handler: _Handler, rest: str, _: Query, __: bytes) -> None:
    if rest == "fast":
        handler.stream(lambda _: b"<p>more</p>" * 20_000, every_s=0.001)
    else:
        handler.stream(lambda number: b"<p>line %d</p>" % number, every_s=0.1)


def _packed(handler: _Handler, _: str, __: Query, ___: bytes) -> None:
    handler.say(gzip.compress(b"h1{color:#0a0}" * 50), kind="text/css", Content_Encoding="gzip")


def _gzip_bomb(handler: _Handler, _: str, __: Query, ___: bytes) -> None:
    handler.say(gzip.compress(b"more " * (BOMB_BYTES // 5), compresslevel=1), Content_Encoding="gzip")


def _events(handler: _Handler, _: str, __: Query, ___: bytes) -> None:
    handler.stream(lambda number: b"data: %d\n\n" % number, every_s=0.1, kind="text/event-stream")


ANSWERS: Mapping[str, Callable[[_Handler, str, Query, bytes], None]] = {
    "image": _photo,
    "more": _more,
    "status": _status,
    "moved": _moved,
    "circle": _circle,
    "download": _file,
    "pdf": _pdf,
    "never": _never,
    "endless": _endless,
    "gzip-bomb": _gzip_bomb,
    "packed.css": _packed,
    "events": _events,
    "framed": lambda handler, rest, _, __: handler.say(pages.framed(int(rest)).encode()),
    "echo": lambda handler, _, __, body: handler.say(b"heard: " + body, kind="text/plain"),
    "worker.js": lambda handler, _, __, ___: handler.say(b"fetch('/more?from=7&n=1')", kind="text/javascript"),
    "favicon.png": lambda handler, _, __, ___: handler.say(image(0), kind="image/png"),
    "feed": lambda handler, _, __, ___: handler.say(b"<rss><title>News</title></rss>", kind="text/xml"),
    "drawing": lambda handler, _, __, ___: handler.say(DRAWING, kind="image/svg+xml"),
    "text": lambda handler, _, __, ___: handler.say(b"plain words\n" * 200, kind="text/plain"),
}

DOCUMENTS: Mapping[str, Callable[[Site, Query], str]] = {
    "/": lambda _, __: pages.page("Hard pages", "".join(f'<p><a href="{path}">{path}</a></p>' for path in COMPLETE)),
    "/article": lambda _, query: pages.article(_count(query, "/article"), is_edited="edited" in query),
    "/clock": lambda _, __: pages.page("Clock", f"<p>{time.time_ns()}</p>"),
    "/lazy": lambda _, query: pages.lazy(_count(query, "/lazy")),
    "/observer": lambda _, query: pages.observer(_count(query, "/observer")),
    "/scroll": lambda _, query: pages.scroll(_count(query, "/scroll")),
    "/late": lambda _, query: pages.late(_count(query, "/late")),
    "/onload": lambda _, query: pages.onload(_count(query, "/onload")),
    "/unsized": lambda _, query: pages.unsized(_count(query, "/unsized")),
    "/infinite": lambda _, query: pages.infinite(_count(query, "/infinite")),
    "/quick": lambda _, query: pages.infinite(_count(query, "/quick"), batch=2, delay_ms=0),
    "/forever": lambda _, __: pages.infinite(1_000_000, delay_ms=20),
    "/frames": lambda site, query: pages.frames(_count(query, "/frames"), site.other),
    "/inner": lambda _, query: pages.inner(_count(query, "/inner")),
    "/sticky": lambda _, query: pages.sticky(_count(query, "/sticky")),
    "/modal": lambda _, query: pages.modal(_count(query, "/modal")),
    "/hero": lambda _, query: pages.hero(_count(query, "/hero")),
    "/sources": lambda _, query: pages.sources(_count(query, "/sources")),
    "/shadow": lambda _, query: pages.shadow(_count(query, "/shadow")),
    "/smooth": lambda _, query: pages.smooth(_count(query, "/smooth")),
    "/tall": lambda _, query: pages.tall(int(query.get("px", "30000"))),
    "/slow": lambda _, query: pages.slow(int(query.get("ms", "2000"))),
    "/hanging": lambda _, __: pages.hanging(),
    "/polling": lambda _, __: pages.polling(),
    "/dialogs": lambda _, __: pages.dialogs(),
    "/popups": lambda _, __: pages.popups(),
    "/wide": lambda _, __: pages.wide(),
    "/streaming": lambda _, __: pages.streaming(),
    "/styled": lambda _, __: pages.styled(),
    "/nameless": lambda _, __: pages.nameless(),
    "/mix": lambda site, _: pages.mix(site.other),
    "/endless-alert": lambda _, __: hostile.endless_alert(),
    "/loop": lambda _, __: hostile.loop(),
    "/bomb": lambda _, __: hostile.bomb(),
    "/framed-bomb": lambda site, _: hostile.framed_bomb(site.other),
    "/restless": lambda _, __: hostile.restless(),
    "/leaving": lambda _, __: hostile.leaving(),
    "/inward": lambda _, __: hostile.inward("http://127.0.0.1:9999/"),
    "/inward-tls": lambda _, __: hostile.inward("https://10.0.0.1/"),
    "/router": lambda _, __: hostile.router(),
    "/auto-download": lambda _, __: hostile.auto_download(),
    "/meta": lambda _, __: hostile.going_on("/article", by_script=False),
    "/script": lambda _, __: hostile.going_on("/article", by_script=True),
}
