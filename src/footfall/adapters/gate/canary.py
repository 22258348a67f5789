"""A test at start-up of whether a browser really keeps to the gate: it is sent to a canary on loopback.

A flag, an environment variable or another release of a browser may let it go around its proxy. Whoever starts browsers
calls `require_gated` before the first page of a stranger.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Generator

from footfall.adapters.gate.gate_proxy import GateProxy
from footfall.values.errors import FootfallError

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncanary"

# Send a browser to a URL, with the token of a job, and return when it came to an end, whatever that was.
Visit = Callable[[str, str], None]


class NotGated(FootfallError):
    """A browser goes around the gate, or never comes to it."""


def require_gated(gate: GateProxy, visit: Visit) -> None:
    """Raise NotGated when a browser reaches a canary that it must not, or when the gate never heard of it."""
    with _canary() as (port, hits):
        for host in ("127.0.0.1", "localhost"):
            _require_refused(gate, visit, host=host, port=port, hits=hits)


def _require_refused(gate: GateProxy, visit: Visit, *, host: str, port: int, hits: list[str]) -> None:
    url = f"http://{host}:{port}/"
    token = gate.open_job()
    try:
        visit(url, token)
    finally:
        seen = gate.close_job(token)
    if hits:
        raise NotGated(
            f"the browser reached {url} although it must not: it goes around the gate. Give it the proxy setting of "
            "GateProxy.browser_proxy as it is, and unset PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK"
        )
    if seen.refusal_of(host, port) is None:
        raise NotGated(
            f"the browser was sent to {url} and the gate never heard of it: it does not use the gate, or does not "
            "start. Look at what it printed"
        )


@contextlib.contextmanager
def _canary() -> Generator[tuple[int, list[str]]]:
    """Listen on loopback, and note whoever comes."""
    hits: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_sing, args=(listening, hits), name="canary", daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1], hits
        finally:
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def _sing(listening: socket.socket, hits: list[str]) -> None:
    while True:
        try:
            line, caller = listening.accept()
        except OSError:
            return
        hits.append(str(caller[0]))
        with line, contextlib.suppress(OSError):
            line.settimeout(2)
            line.recv(65_536)
            line.sendall(_ANSWER)
