"""Heads of HTTP messages as a forward proxy reads and writes them: what is asked for, and what is passed on.

What is not written as browsers write it is refused, so that nobody behind us reads a head differently from how it was
checked.
"""

import base64
import binascii
import re
from dataclasses import dataclass

from footfall.values.public_addresses import host_from

HEAD_BYTES_MAX = 256 * 1_024
HEAD_END = re.compile(rb"\r?\n\r?\n")  # Old servers leave the carriage return out.

_REQUEST_LINE = re.compile(r"([A-Z]{1,20}) ([!-~]{1,65536}) HTTP/1\.[01]")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r\n]*)?")
_LINE_END = re.compile(r"\r?\n")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*?)[ \t]*")
_HOST = r"(\[[0-9a-fA-F:.]+\]|[0-9A-Za-z._-]+)"
_PLACE = re.compile(_HOST + r":([0-9]{1,5})")
_ABSOLUTE = re.compile(r"http://" + _HOST + r"(?::([0-9]{1,5}))?((?:[/?].*)?)", re.IGNORECASE)
# What is between two neighbours on the way, and must not be passed on; and what only we may say.
_NEIGHBOURS = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authorization",
        "proxy-authenticate",
        "te",
        "expect",
        "upgrade",
    }
)
_OURS = frozenset({"x-footfall-blocked", "x-footfall-failed"})

Headers = list[tuple[str, str]]


class NotAHead(ValueError):
    """Bytes are no head of a message that could be passed on."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a browser asks the proxy for."""

    method: str
    host: str  # as policies compare it
    port: int
    place: str  # the host and, if it is not 80, the port, as the header Host has them
    target: str  # the path and query; empty for CONNECT
    headers: Headers

    @property
    def is_tunnel(self) -> bool:
        """Tell whether the bytes that follow are none of ours."""
        return self.method == "CONNECT"

    @property
    def token(self) -> str:
        """Return the password that it came with, or nothing."""
        given = _value(self.headers, "proxy-authorization")
        kind, _, encoded = given.partition(" ")
        if kind.lower() != "basic":
            return ""
        try:
            return base64.b64decode(encoded, validate=True).decode("ascii").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""

    @property
    def passed_on(self) -> bytes:
        """Return the head as the host gets it."""
        lines = [f"{self.method} {self.target} HTTP/1.1", f"Host: {self.place}"]
        lines += [f"{name}: {value}" for name, value in _end_to_end(self.headers) if name.lower() != "host"]
        return _written(lines, upgrade=_websocket(self.headers))


@dataclass(frozen=True, slots=True)
class Answered:
    """The head of what a host answered."""

    status: int
    line: str
    headers: Headers

    @property
    def passed_on(self) -> bytes:
        """Return the head as the browser gets it; it never learns of a connection that it could use again."""
        lines = [self.line, *(f"{name}: {value}" for name, value in _end_to_end(self.headers))]
        return _written(lines, upgrade=_websocket(self.headers) if self.status == 101 else "")


def asked_from(head: bytes) -> Asked:
    """Return what a head asks for; raise NotAHead."""
    line, headers = _lines(head)
    found = _REQUEST_LINE.fullmatch(line)
    if found is None:
        raise NotAHead("the first line is none of HTTP/1.1")
    method, target = found[1], found[2]
    if method == "CONNECT":
        place = _PLACE.fullmatch(target)
        if place is None:
            raise NotAHead("CONNECT needs a host and a port")
        return Asked(method, host_from(place[1]), _port(place[2]), target, "", headers)
    address = _ABSOLUTE.fullmatch(target)
    if address is None:
        raise NotAHead("only addresses that begin with http:// are passed on")
    port = _port(address[2] or "80")
    rest = address[3] if address[3].startswith("/") else "/" + address[3]
    shown = address[1] if port == 80 else f"{address[1]}:{port}"
    return Asked(method, host_from(address[1]), port, shown, rest, headers)


def answered_from(head: bytes) -> Answered:
    """Return what a host answered; raise NotAHead."""
    line, headers = _lines(head)
    found = _STATUS_LINE.fullmatch(line)
    if found is None:
        raise NotAHead("the answer is none of HTTP/1.1")
    status = int(found[1])
    if status == 407:  # Who asks for a password of the proxy is the proxy alone.
        raise NotAHead("a host that is no proxy asks as if it was one")
    return Answered(status, line, headers)


def _lines(head: bytes) -> tuple[str, Headers]:
    first, *rest = _LINE_END.split(head.decode("latin-1").rstrip("\r\n"))
    headers: Headers = []
    for line in rest:
        found = _HEADER.fullmatch(line)
        if found is not None:  # Browsers pass over lines that are no header, and so do we: they go no further.
            headers.append((found[1], found[2]))
    return first, headers


def _end_to_end(headers: Headers) -> Headers:
    named = {name.strip().lower() for name in _value(headers, "connection").split(",")} - {"upgrade", ""}
    left_out = _NEIGHBOURS | _OURS | named
    return [(name, value) for name, value in headers if name.lower() not in left_out]


def _written(lines: list[str], *, upgrade: str) -> bytes:
    ending = [f"Connection: Upgrade\r\nUpgrade: {upgrade}"] if upgrade else ["Connection: close"]
    return ("\r\n".join([*lines, *ending]) + "\r\n\r\n").encode("latin-1")


def _value(headers: Headers, name: str) -> str:
    return ", ".join(value for given, value in headers if given.lower() == name)


def _websocket(headers: Headers) -> str:
    """Return what a connection is to become, if that is a WebSocket; nothing else is passed on."""
    return "websocket" if _value(headers, "upgrade").lower() == "websocket" else ""


def _port(digits: str) -> int:
    port = int(digits)
    if not 0 < port < 65_536:
        raise NotAHead(f"{port} is no port")
    return port
