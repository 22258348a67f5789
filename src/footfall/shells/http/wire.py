"""Responses as bytes on the wire."""

import email.utils
from collections.abc import Iterable, Mapping
from http import HTTPStatus

JSON = "application/json"
PROBLEM = "application/problem+json"

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}
BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)  # They end with their head and have no length.


def response(status: int, body: bytes, *, kind: str = JSON, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole response, all but its Date, which `dated` adds when it leaves."""
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    length = "" if status in BODILESS else f"content-type: {kind}\r\ncontent-length: {len(body)}\r\n"
    return f"{_STATUS_LINES[status]}{length}{more}\r\n".encode("latin-1") + body


def response_head(status: int, headers: Iterable[tuple[bytes, bytes]], date: bytes) -> bytes:
    """Return the head of a response whose body follows."""
    lines = b"".join(b"%b: %b\r\n" % (name, value) for name, value in headers)
    return _STATUS_LINES[status].encode("latin-1") + date + lines + b"\r\n"


def closing(whole: bytes) -> bytes:
    """Return the response with the word that the connection ends after it."""
    return whole.replace(b"\r\n", b"\r\nconnection: close\r\n", 1)


def date_line(now_ms: int) -> bytes:
    """Return the Date header's line."""
    return f"date: {email.utils.formatdate(now_ms / 1000, usegmt=True)}\r\n".encode("ascii")


def dated(whole: bytes, line: bytes) -> bytes:
    """Return the response with its Date, which a cache needs to tell its age."""
    end = whole.index(b"\r\n") + 2
    return whole[:end] + line + whole[end:]
