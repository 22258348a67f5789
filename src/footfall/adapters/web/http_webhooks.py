"""Webhooks with the standard library's HTTP client: a name is resolved once, looked at, and connected to as it was.

So a name that changes its mind in between leads nowhere else, and an answer that comes a byte at a time ends as well.
"""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from footfall import __version__
from footfall.ports.webhooks import NotAPlace, NotPosted, Post, Posted

TIMEOUT_S = 10.0
REASON_CHARACTERS_MAX = 60

# Whether an address may be connected to, at a port, with encryption or without.
MayConnect = Callable[[str, int, bool], bool]


class HttpWebhooks:
    """Posts to addresses of the web, one connection each."""

    def __init__(
        self, may_connect: MayConnect, *, timeout_s: float = TIMEOUT_S, trusts: ssl.SSLContext | None = None
    ) -> None:
        self._may_connect = may_connect
        self._timeout_s = timeout_s
        self._trusts = trusts  # None: what the machine trusts

    def post(self, post: Post) -> Posted:
        """Post, and return what came back, or raise NotPosted or NotAPlace."""
        parts = urlsplit(post.url)
        host, is_secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if is_secure else 80)
        until = time.monotonic() + self._timeout_s
        try:
            place = self._checked_place(host, port, is_secure=is_secure)
            context = (self._trusts or ssl.create_default_context()) if is_secure else None
            line = _Line(host, port, place=place, until=until, context=context)
            with contextlib.closing(line):
                target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                return line.posted(target, post.body, post.headers)
        except TimeoutError as error:
            raise NotPosted(f"no answer within {self._timeout_s:g} s") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= until:
                raise NotPosted(f"no answer within {self._timeout_s:g} s") from error
            raise NotPosted(str(error) or type(error).__name__) from error

    def _checked_place(self, host: str, port: int, *, is_secure: bool) -> str:
        """Return one of a host's addresses, or raise NotAPlace when any of them may not be connected to."""
        found = socket.getaddrinfo(host, port, proto=socket.IPPROTO_TCP)
        places = list(dict.fromkeys(str(one[4][0]) for one in found))
        if not places or not all(self._may_connect(place, port, is_secure) for place in places):
            raise NotAPlace(f"{host[:80]} port {port} is not on the public web, or not encrypted")
        return places[0]


class _Line(http.client.HTTPConnection):
    """A connection to an address that was looked at; whatever happens, it is over when its time is."""

    def __init__(self, host: str, port: int, *, place: str, until: float, context: ssl.SSLContext | None) -> None:
        super().__init__(host, port)
        self.default_port = 80 if context is None else 443  # so that Host is as others write it
        self._place = place
        self._until = until
        self._context = context
        self._timer: threading.Timer | None = None

    def connect(self) -> None:
        """Connect to the place, not to whatever the name stands for by now."""
        line = socket.create_connection((self._place, self.port), timeout=self._left_s())
        if self._context is not None:
            line = self._context.wrap_socket(line, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock = line
        self._timer = threading.Timer(self._left_s(), _shut, (line,))
        self._timer.daemon = True
        self._timer.start()
        if isinstance(line, ssl.SSLSocket):
            line.do_handshake()

    def posted(self, target: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Send, and return the head of what came back."""
        sent = {"User-Agent": f"footfall/{__version__}", "Connection": "close", **headers}
        self.request("POST", target, body=body, headers=sent)
        answer = self.getresponse()
        self._left_s()  # Else a head that was cut off by the timer would pass for a whole one.
        reason = "".join(one for one in answer.reason if one.isprintable())[:REASON_CHARACTERS_MAX]
        return Posted(answer.status, reason, answer.headers.get("retry-after", "")[:60])

    def close(self) -> None:
        """Let go of the connection and of its timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().close()

    def _left_s(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _shut(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # It may be closed by now.
        socket.socket.shutdown(line, socket.SHUT_RDWR)  # what is underneath, whatever is wrapped around it
