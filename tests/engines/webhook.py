"""A receiver of webhooks for tests: it keeps what it is sent, and answers as it is told to."""

import ssl
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class Receiver:
    """What a server has been sent, and what it answers, in turn; when there is nothing left to answer, 200."""

    port: int = 0
    bodies: list[bytes] = field(default_factory=list[bytes])
    headers: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    paths: list[str] = field(default_factory=list[str])
    answers: list[tuple[int, Mapping[str, str]]] = field(default_factory=list[tuple[int, Mapping[str, str]]])
    drips_s: float = 0.0  # With it, an answer comes a byte at a time, this far apart.
    is_secure: bool = False
    is_over: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"{'https' if self.is_secure else 'http'}://127.0.0.1:{self.port}/hook"


class _Hook(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        receiver = self.receiver
        receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
        receiver.paths.append(self.path)
        receiver.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        status, more = receiver.answers.pop(0) if receiver.answers else (200, {})
        with suppress(OSError):
            if receiver.drips_s:
                self._drip()
                return
            self.send_response(status)
            for name, value in {"content-length": "0", **more}.items():
                self.send_header(name, value)
            self.end_headers()

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
        while not self.receiver.is_over.is_set():
            self.wfile.write(b"a")
            time.sleep(self.receiver.drips_s)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def webhook_receiver(*, tls: ssl.SSLContext | None = None) -> Generator[Receiver]:
    """Run a receiver on a free port."""
    receiver = Receiver(is_secure=tls is not None)
    handler = type("Hook", (_Hook,), {"receiver": receiver})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
