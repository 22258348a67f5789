"""A publisher's site on loopback, a browser that nobody steers, and the hits that an instance has on disk."""

import contextlib
import http.server
import shutil
import subprocess
import threading
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.stream.records import pack_from_record
from footfall.values.clock import SystemClock
from tests.scenarios.instance import Instance, until

GATE_S_MAX = 60.0  # Longer than any busy machine takes to come to the word that opens it.
SEEN_S_MAX = 15.0
# Started by root in a container as well as by a person; nothing is asked of the network.
FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One hit as it lies in the stream."""

    asset: str
    section: str
    kind: str
    paid: str
    url: str
    referrer: str
    has_visitor: bool


def seen(instance: Instance, brand: str) -> list[Seen]:
    """Return the hits of a brand in the order in which they were taken."""
    hits: list[tuple[int, Seen]] = []
    with closing(SqliteStream(instance.data / "stream.db", clock=SystemClock(), read_only=True)) as stream:
        for shard in range(stream.shards):
            for record in stream.read(shard, after=0):
                if record.group == brand:
                    hits.extend((record.arrived_at_ms, hit) for hit in _hits(record.data))
    return [hit for _, hit in sorted(hits, key=lambda one: one[0])]


def seen_until(instance: Instance, brand: str, asset: str) -> list[Seen]:
    """Return the brand's hits once one of the asset is among them, which a test makes its last."""
    return until(
        lambda: seen(instance, brand), lambda hits: any(hit.asset == asset for hit in hits), seconds=SEEN_S_MAX
    )


def _hits(data: bytes) -> list[Seen]:
    pack = pack_from_record(data)
    none = [""] * len(pack.keys)
    visitors = pack.visitors or [b""] * len(pack.keys)
    return [
        Seen(*key, url, referrer, bool(visitor))
        for key, url, referrer, visitor in zip(
            pack.keys, pack.urls or none, pack.referrers or none, visitors, strict=True
        )
    ]


@dataclass(frozen=True, slots=True)
class Sent:
    """A page and the headers it is sent with."""

    body: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Publisher:
    """The site: pages by path, what was asked for, and gates that hold a page's script until the test says go."""

    port: int = 0
    pages: dict[str, Sent] = field(default_factory=dict[str, Sent])
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # path and Sec-Purpose
    reports: list[bytes] = field(default_factory=list[bytes])
    gates: dict[str, threading.Event] = field(default_factory=dict[str, threading.Event])

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def add(self, path: str, body: str, **headers: str) -> str:
        """Put a page on the site and return its address."""
        self.pages[path] = Sent(f"<!doctype html><title>{path}</title>{body}", headers)
        return self.url + path

    def gate(self, name: str) -> threading.Event:
        """Return a gate: `await fetch("/gate/NAME")` in a page goes on when it is set."""
        return self.gates.setdefault(name, threading.Event())

    def was_asked(self, path: str, *, purpose: str = "") -> None:
        """Wait until a browser has asked for a path for that purpose."""
        until(lambda: list(self.asked), lambda asked: (path, purpose) in asked, seconds=SEEN_S_MAX)


@contextmanager
def published() -> Generator[Publisher]:
    """Serve a site until the block ends."""
    site = Publisher()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        for gate in site.gates.values():
            gate.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(site: Publisher) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            site.asked.append((path, self.headers.get("sec-purpose", "")))
            if path.startswith("/gate/"):
                site.gate(path.removeprefix("/gate/")).wait(GATE_S_MAX)
            page = site.pages.get(path, Sent(""))
            body = page.body.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            for name, value in page.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # A page that was left does not wait for its script.
                self.wfile.write(body)

        def do_POST(self) -> None:
            site.reports.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler


def chromium_path() -> str:
    """Return Debian's Chromium, which `make setup-tests` installs."""
    path = shutil.which("chromium")
    assert path is not None, "chromium is not installed: run `make setup-tests`"
    return path


@contextmanager
def unwatched_browser(profile: Path, url: str) -> Generator[None]:
    """Open an address in a Chromium that nobody steers: one that is debugged neither prerenders nor hides its tabs."""
    command = [chromium_path(), "--headless", "--no-first-run", "--disable-popup-blocking", *FLAGS]
    process = subprocess.Popen(
        [*command, f"--user-data-dir={profile}", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)
