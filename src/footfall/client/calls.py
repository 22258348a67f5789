"""Calls to the server: kept connections, with an end to how long and how much is read."""

import email.utils
import http.client
import json
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from footfall import __version__
from footfall.client.errors import NotAnAddress, RefusedByServer, Unreachable

ANSWER_BYTES_MAX = 16 * 1_048_576  # No answer of the API is near it; a wrong address might send anything.
RETRY_AFTER_MS_MAX = 60_000  # A mistaken header must not put a sender to sleep for a day.

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Server:
    """Where the server is and how it is spoken to."""

    url: str
    host: str
    port: int | None
    path: str
    key: str
    tls: ssl.SSLContext | None  # None: plain HTTP
    signing_key: str = ""  # signs what is sent; empty: nothing is signed


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered, names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def table(self) -> Mapping[str, Any]:
        """Return the answer's JSON object, or raise Unreachable when something else than footfall answered."""
        try:
            found = json.loads(self.body)
        except ValueError as error:
            raise Unreachable(f"What answered (status {self.status}) is no footfall; check the address.") from error
        if not isinstance(found, dict):
            raise Unreachable(f"What answered (status {self.status}) is no footfall; check the address.")
        return cast(Mapping[str, Any], found)


def server_at(url: str, *, key: str = "", tls: ssl.SSLContext | None = None, signing_key: str = "") -> Server:
    """Return the server that an address names, or raise NotAnAddress."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise NotAnAddress(f"{url!r} is not an address such as https://footfall.example.com: {error}.") from error
    if parts.scheme not in ("http", "https") or not host:
        raise NotAnAddress(f"{url!r} is not an address such as https://footfall.example.com.")
    context = None if parts.scheme == "http" else tls or ssl.create_default_context()
    return Server(url, host, port, parts.path.rstrip("/"), key, context, signing_key)


class Line:
    """One connection to the server, kept between calls. It is used by one thread at a time."""

    def __init__(self, server: Server, *, timeout_ms: int) -> None:
        self._server = server
        timeout_s = timeout_ms / 1_000
        if server.tls is None:
            self._connection = http.client.HTTPConnection(server.host, server.port, timeout=timeout_s)
        else:
            self._connection = http.client.HTTPSConnection(
                server.host, server.port, timeout=timeout_s, context=server.tls
            )

    def call(
        self, method: str, target: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Return the server's answer or raise Unreachable; a kept connection that has died is opened again once."""
        was_kept = self._connection.sock is not None
        try:
            return self._exchange(method, target, body, headers or {})
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # Asking is safe to repeat, and what is sent carries an Idempotency-Key.
            if not was_kept or isinstance(error, TimeoutError):
                raise self._unreachable(error) from error
        try:
            return self._exchange(method, target, body, headers or {})
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Let go of the connection; the next call opens another."""
        self._connection.close()

    def _exchange(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        sent = {"User-Agent": f"footfall-client/{__version__}", "Accept": "application/json", **headers}
        if self._server.key:
            sent["Authorization"] = f"Bearer {self._server.key}"
        self._connection.request(method, self._server.path + target, body=body, headers=sent)
        answer = self._connection.getresponse()
        content = answer.read(ANSWER_BYTES_MAX)
        if not answer.isclosed() and answer.read(1):
            raise http.client.HTTPException(f"the answer is larger than {ANSWER_BYTES_MAX:,} bytes")
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _unreachable(self, error: Exception) -> Unreachable:
        reason = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        return Unreachable(f"Cannot reach {self._server.url}: {reason}.")


def refusal_of(reply: Reply) -> RefusedByServer:
    """Return what a refusal says, as an error to raise or to tell."""
    problem: Mapping[str, Any] = {}
    with suppress(Unreachable):  # A proxy answers with a page of its own; the status alone has to do.
        problem = reply.table()
    reason = str(problem.get("detail") or problem.get("title") or http.client.responses.get(reply.status, "no reason"))
    if 300 <= reply.status < 400:
        reason = f"it points to {reply.headers.get('location', 'another address')}; give that address to the client"
    field = str(problem.get("field") or "")
    sentence = f"The server refused ({reply.status}): {reason.rstrip('.')}."
    return RefusedByServer(sentence, status=reply.status, field=field)


def retry_after_ms(text: str, *, now_ms: int) -> int:
    """Return how long a Retry-After header asks to wait, within reason; 0 when it asks for nothing."""
    if text.isascii() and text.isdecimal():
        asked_ms = 1_000 * int(text[:9])
    else:
        try:
            asked_ms = round(email.utils.parsedate_to_datetime(text).timestamp() * 1_000) - now_ms
        except (ValueError, OverflowError):
            return 0
    return min(max(asked_ms, 0), RETRY_AFTER_MS_MAX)
