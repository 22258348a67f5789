"""A server that answers as it is told, for what a real footfall does only in trouble: refuse, stall, ask to wait."""

import contextlib
import gzip
import json
import threading
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Told:
    """An answer to give; status 0 hangs up without one."""

    status: int = 202
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that came."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    def hits(self) -> list[dict[str, Any]]:
        raw = gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body
        return json.loads(raw)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    listener: "Listener"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        self._answer("POST")

    def do_GET(self) -> None:
        self._answer("GET")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a test's output is for what went wrong."""

    def _answer(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        told = self.server.listener.answer(
            Heard(method, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        )
        if told.status == 0:
            self.close_connection = True
            return
        content = told.body if isinstance(told.body, bytes) else json.dumps(told.body).encode()
        self.send_response(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        if told.status != 304:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if told.status != 304 else b"")


class Listener:
    """Gives the answers it was told, one after another, then takes everything."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.told: list[Told] = []
        self.gate = threading.Event()  # Answers wait until it is open.
        self.gate.set()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.listener = self
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, heard: Heard) -> Told:
        self.heard.append(heard)
        self.gate.wait(30)
        return self.told.pop(0) if self.told else _taken(heard)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def listening() -> Generator[Listener]:
    listener = Listener()
    try:
        yield listener
    finally:
        listener.close()


def _taken(heard: Heard) -> Told:
    return Told(202, {"accepted": len(heard.hits()) if heard.method == "POST" else 0, "duplicates": 0})
