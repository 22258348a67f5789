"""Fetches of our own keep to the gate's rule at every hop, and end whatever a host does."""

import contextlib
import http.server
import socket
import ssl
import subprocess
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from footfall.adapters.gate.gated_fetch import Fetched, FetchLimits, GatedFetch
from footfall.archive.addresses import address_from
from footfall.archive.schemes import answering_url
from footfall.ports.capturing import CaptureFailed, Reason
from footfall.values.public_addresses import Policy

SITE = "site.example"


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        folder, _, rest = self.path.strip("/").partition("/")
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if folder == "to":
            status, _, where = rest.partition("?")
            self._say(int(status), b"", Location=unquote(where))
        elif folder == "loop":
            self._say(302, b"", Location="/loop")
        elif folder == "known" and self.headers["if-none-match"] == '"1"':
            self._say(304, b"")
        elif folder == "endless":
            self._say(200, b"x" * 5_000_000)
        elif folder == "slow":
            self.server.until.wait(30)  # type: ignore[attr-defined]
        else:
            said = [self.command, self.headers["host"], self.headers.get("authorization", "-"), body.decode()]
            self._say(200, " ".join(said).encode(), ETag='"1"')

    def do_POST(self) -> None:
        self.do_GET()

    def do_HEAD(self) -> None:
        self.do_GET()

    def _say(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(OSError):
                self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Pages)
        self.until = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # A client that does not trust us hangs up in the middle of the handshake.


@contextlib.contextmanager
def served(certificate: Path | None = None) -> Generator[int]:
    with Server() as server:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, certificate.with_suffix(".key"))
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server.server_address[1]
        server.until.set()
        server.shutdown()


@pytest.fixture
def port() -> Generator[int]:
    with served() as port:
        yield port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "site.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9",
         "-subj", f"/CN={SITE}", "-addext", f"subjectAltName=DNS:{SITE}", "-keyout", str(path.with_suffix(".key")),
         "-out", str(path)],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


def addresses(host: str, _port: int) -> list[str]:
    if host == "nowhere.example":
        raise OSError("no such name")
    return {"mixed.example": ["93.184.215.14", "10.0.0.1"]}.get(host, ["127.0.0.1"])


def fetch_from(*ports: int, limits: FetchLimits | None = None, trusts: ssl.SSLContext | None = None) -> GatedFetch:
    allowed = frozenset({(SITE, port) for port in ports} | {("other.example", port) for port in ports})
    return GatedFetch(Policy(allowed), limits, resolve=addresses, trusts=trusts)


def reason_of(fetch: GatedFetch, url: str) -> Reason:
    with pytest.raises(CaptureFailed) as failed:
        fetch.get(url)
    return failed.value.reason


def test_a_page_is_asked_for_under_its_name(port: int) -> None:
    fetched = fetch_from(port).get(f"http://SITE.example:{port}/a#b")
    assert fetched == Fetched(f"http://{SITE}:{port}/a", 200, fetched.headers, fetched.body, is_cut=False)
    assert fetched.body == f"GET {SITE}:{port} - ".encode()


def test_a_page_that_is_known_need_not_be_read_again(port: int) -> None:
    fetch, url = fetch_from(port), f"http://{SITE}:{port}/known"
    first = fetch.get(url)
    again = fetch.get(url, etag=first.headers["etag"])
    assert (first.is_unchanged, again.is_unchanged, again.body) == (False, True, b"")


@pytest.mark.parametrize(
    ("status", "method", "body"), [(301, "GET", ""), (303, "GET", ""), (307, "POST", "x"), (308, "POST", "x")]
)
def test_a_post_is_sent_on_as_browsers_do_it(port: int, status: int, method: str, body: str) -> None:
    url = f"http://{SITE}:{port}/to/{status}?/there"
    fetched = fetch_from(port).post(url, b"x", headers={"Authorization": "key"})
    assert (fetched.url, fetched.body.decode()) == (f"http://{SITE}:{port}/there", f"{method} {SITE}:{port} key {body}")


def test_what_is_said_to_one_host_is_not_told_another(port: int) -> None:
    url = f"http://{SITE}:{port}/to/302?http://other.example:{port}/"
    assert fetch_from(port).get(url, headers={"Authorization": "key"}).body == f"GET other.example:{port} - ".encode()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "where",
    [
        "http://127.0.0.1:PORT/", "http://127.1:PORT/", "http://localhost:PORT/", "//0x7f000001:PORT/",
        "http://[::ffff:7f00:1]:PORT/", "http://mixed.example/", "http://inner.example/", "file:///etc/passwd",
        "http://site.example\\@127.0.0.1:PORT/", "http://a@127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)  # fmt: skip
def test_a_redirect_leads_nowhere_that_an_address_would_not(port: int, status: int, where: str) -> None:
    url = f"http://{SITE}:{port}/to/{status}?{quote(where.replace('PORT', str(port)))}"
    assert reason_of(fetch_from(port), url) is Reason.BLOCKED_ADDRESS


def test_every_failure_has_its_reason(port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed_port = unused.getsockname()[1]
    fetch = fetch_from(port, closed_port)
    assert reason_of(fetch, f"http://127.0.0.1:{port}/") is Reason.BLOCKED_ADDRESS
    assert reason_of(fetch, "http://inner.example/") is Reason.BLOCKED_ADDRESS
    assert reason_of(fetch, "http://nowhere.example/") is Reason.NO_SUCH_HOST
    assert reason_of(fetch, f"http://{SITE}:{closed_port}/") is Reason.NO_CONNECTION
    assert reason_of(fetch, f"https://{SITE}:{port}/") is Reason.NO_CONNECTION
    assert reason_of(fetch, f"http://{SITE}:{port}/loop") is Reason.TOO_MANY_REDIRECTS
    assert reason_of(fetch, "file:///etc/passwd") is Reason.UNFIT_ADDRESS
    slow = fetch_from(port, limits=FetchLimits(time_ms_max=200))
    assert reason_of(slow, f"http://{SITE}:{port}/slow") is Reason.TOO_SLOW


def test_a_large_answer_is_cut(port: int) -> None:
    fetched = fetch_from(port, limits=FetchLimits(bytes_max=1_000)).get(f"http://{SITE}:{port}/endless")
    assert (len(fetched.body), fetched.is_cut) == (1_000, True)


def test_a_connection_that_ends_elsewhere_is_refused(port: int) -> None:
    def astray(_address: str, _port: int, seconds_max: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", port), timeout=seconds_max)

    fetch = GatedFetch(Policy(), resolve=lambda _host, _port: ["93.184.215.14"], dial=astray)
    assert reason_of(fetch, "http://news.example/") is Reason.BLOCKED_ADDRESS


def test_a_certificate_is_looked_at_under_the_name_that_was_asked_for(certificate: Path) -> None:
    trusts = ssl.create_default_context(cafile=certificate)
    with served(certificate) as port:
        fetch = fetch_from(port, trusts=trusts)
        assert fetch.get(f"https://{SITE}:{port}/").body == f"GET {SITE}:{port} - ".encode()
        assert reason_of(fetch, f"https://other.example:{port}/") is Reason.BAD_CERTIFICATE
        assert reason_of(fetch_from(port), f"https://{SITE}:{port}/") is Reason.BAD_CERTIFICATE


def test_a_scheme_is_found_by_asking(port: int, certificate: Path) -> None:
    trusts = ssl.create_default_context(cafile=certificate)
    with served(certificate) as secure:
        fetch = fetch_from(port, secure, trusts=trusts)
        assert answering_url(address_from(f"{SITE}:{secure}/loop"), fetch.ask) == f"https://{SITE}:{secure}/loop"
        assert answering_url(address_from(f"{SITE}:{port}/a"), fetch.ask) == f"http://{SITE}:{port}/a"
