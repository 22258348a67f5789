"""An HTTP connection to an address that was looked at, under the name that was asked for, as long as it may take."""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable

from footfall.values.public_addresses import Policy
from footfall.values.web_urls import DEFAULT_PORTS, WebUrl

PLACES_MAX = 3  # that are tried, of those that a name has

# Connect to an address, which is no name, at a port within seconds.
SocketDial = Callable[[str, int, float], socket.socket]


def dialled_socket(address: str, port: int, seconds_max: float) -> socket.socket:
    """Connect with the machine's own sockets."""
    return socket.create_connection((address, port), timeout=seconds_max)


class PinnedLine(http.client.HTTPConnection):
    """A connection for one request."""

    def __init__(
        self,
        url: WebUrl,
        places: tuple[str, ...],
        policy: Policy,
        *,
        context: ssl.SSLContext | None,
        until_s: float,
        dial: SocketDial = dialled_socket,
    ) -> None:
        super().__init__(url.host.strip("[]"), url.port)
        self.default_port = DEFAULT_PORTS[url.scheme]  # so that Host is as others write it
        self._places = places[:PLACES_MAX]
        self._context = context
        self._until_s = until_s
        self._timer: threading.Timer | None = None
        self._dial = dial
        self._policy = policy

    def connect(self) -> None:
        """Connect to one of the places, not to whatever the name stands for by now."""
        line = self._dialled()
        self._timer = threading.Timer(self.require_time(), _shut, (line,))
        self._timer.daemon = True
        self._timer.start()
        if self._context is None:
            self.sock = line
            return
        secured = self._context.wrap_socket(line, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock = secured
        secured.do_handshake()

    def require_time(self) -> float:
        """Return the seconds that are left, or raise TimeoutError."""
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        return left_s

    def close(self) -> None:
        """Let go of the connection and of its timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().close()

    def _dialled(self) -> socket.socket:
        failed = OSError("it has no address")
        for tried, place in enumerate(self._places):
            try:
                line = self._dial(place, self.port, self.require_time() / (len(self._places) - tried))
            except OSError as error:
                failed = error
                continue
            try:
                self._policy.require_peer(str(line.getpeername()[0]), picked=place)
                line.settimeout(self.require_time())
            except BaseException:
                line.close()
                raise
            return line
        raise failed


def _shut(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # It may be closed by now.
        socket.socket.shutdown(line, socket.SHUT_RDWR)  # what is underneath, whatever is wrapped around it
