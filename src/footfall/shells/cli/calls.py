"""Calls to a footfall server: one kept connection, refusals as sentences, patience while it is busy."""

import http.client
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from footfall import __version__
from footfall.client.signing import SIGNATURE_HEADER
from footfall.shells.cli.call_errors import NotAnAddress as NotAnAddress
from footfall.shells.cli.call_errors import RefusedByServer as RefusedByServer
from footfall.shells.cli.call_errors import Unreachable as Unreachable

TIMEOUT_S = 30.0
ANSWER_BYTES_MAX = 64 * 1_048_576  # No answer of the API is near it; a wrong address might send anything.
BUSY = (429, 503)
PAUSE_S_MIN, PAUSE_S_MAX = 0.25, 5.0  # Doubling from one to the other; a server's Retry-After goes first.
RETRY_AFTER_S_MAX = 60.0  # A mistaken header must not put a sender to sleep for a day.

_ADVICE: Mapping[tuple[int, str], str] = {
    (401, "brand"): "name a file with a key of it with --secret-file, or add it with footfall brands add",
    (401, "key"): "name a file with a key that works with --secret-file; footfall keys list shows those there are",
    (403, "key"): "name a file with another key with --secret-file; footfall keys add makes one",
    (403, "brand"): "leave --brand out, or name a file with a key of that brand with --secret-file",
    (404, "brand"): "add it with footfall brands add",
    (404, "name"): "footfall uniques add makes it with its first value",
    (404, "assetId"): "footfall assets load puts assets there",
}


Sign = Callable[[bytes], str]  # from a body to the signature of this try


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def table(self) -> Mapping[str, Any]:
        """Return the answer's JSON object, or raise Unreachable when something else than footfall answered."""
        try:
            return msgspec.json.decode(self.body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unreachable(f"What answered (status {self.status}) is no footfall: {error}; check --url.") from error


class Caller:
    """One kept connection to one server."""

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        sign: Sign | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise NotAnAddress(f"{url!r} is not an address such as http://127.0.0.1:8080: {error}.") from error
        if parts.scheme not in ("http", "https") or not host:
            raise NotAnAddress(f"{url!r} is not an address such as http://127.0.0.1:8080.")
        self.url = url
        self._headers = dict(headers or {})  # of every call
        self._sign = sign
        self._path = parts.path.rstrip("/")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(host, port, timeout=timeout_s)

    def call(
        self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Return the server's answer; a kept connection that has died is opened again once."""
        was_kept = self._connection.sock is not None
        sent = {"User-Agent": f"footfall/{__version__}", "Accept": "application/json"}
        sent |= {**self._headers, **(headers or {})}
        if self._sign is not None and method != "GET":  # What only asks proves nothing.
            sent[SIGNATURE_HEADER] = self._sign(body or b"")
        try:
            return self._exchange(method, path, body, sent)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # Every POST carries an Idempotency-Key, so asking again cannot count anything twice.
            if not was_kept or isinstance(error, TimeoutError):
                raise self._unreachable(error) from error
        try:
            return self._exchange(method, path, body, sent)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Let go of the connection; the next call opens another."""
        self._connection.close()

    def _exchange(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        self._connection.request(method, self._path + path, body=body, headers=dict(headers))
        answer = self._connection.getresponse()
        content = answer.read(ANSWER_BYTES_MAX)
        if answer.read(1):
            raise http.client.HTTPException(f"the answer is larger than {ANSWER_BYTES_MAX:,} bytes")
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _unreachable(self, error: Exception) -> Unreachable:
        reason = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        if isinstance(error, ConnectionRefusedError | socket.gaierror):
            reason = "nothing listens there; start it with footfall serve or check --url"
        return Unreachable(f"Cannot reach {self.url}: {reason}.")


def answer_of(reply: Reply) -> Reply:
    """Return the reply when the server did what was asked, or raise RefusedByServer with its reason."""
    if 200 <= reply.status < 300:
        return reply
    problem: Mapping[str, Any] = {}
    with suppress(Unreachable):  # A proxy answers with a page of its own; the status alone has to do.
        problem = reply.table()
    raise RefusedByServer(_sentence(reply.status, problem), status=reply.status)


def _sentence(status: int, problem: Mapping[str, Any]) -> str:
    reason = str(problem.get("detail") or problem.get("title") or http.client.responses.get(status, "no reason given"))
    field = problem.get("field")
    named = f"{field}: " if isinstance(field, str) and not reason.startswith(field) else ""
    advice = _ADVICE.get((status, str(field)))
    if advice:
        # The server tells programs what to send; here it is a person who types, and only what is wrong stays.
        wrong, _, _ = reason.rpartition(";") if (status, field) != (403, "key") else (reason, "", "")
        reason = f"{wrong or reason.rstrip('.')}; {advice}"
    return f"The server refused ({status}): {named}{reason.rstrip('.')}."


def call_patiently(
    call: Callable[[], Reply], *, pause: Callable[[float], None], tries_max: int | None, on_wait: Callable[[str], None]
) -> Reply:
    """Return the first answer that is not about being busy or away, waiting longer each time; None tries for ever."""
    wait_s = PAUSE_S_MIN
    tries = 0
    while True:
        tries += 1
        is_last = tries_max is not None and tries >= tries_max
        try:
            reply = call()
        except Unreachable as error:
            if is_last:
                raise
            on_wait(str(error))
            pause(wait_s)
        else:
            if reply.status not in BUSY or is_last:
                return reply
            asked_s = retry_after_s(reply.headers.get("retry-after", ""))
            on_wait(f"The server is busy ({reply.status}).")
            pause(wait_s if asked_s is None else asked_s)
        wait_s = min(wait_s * 2, PAUSE_S_MAX)


def retry_after_s(text: str) -> float | None:
    """Return the wait that a Retry-After header asks for in seconds, within reason; None when it asks for none."""
    try:
        asked_s = float(text)
    except ValueError:
        return None
    return min(max(asked_s, 0.0), RETRY_AFTER_S_MAX) if asked_s == asked_s else None
