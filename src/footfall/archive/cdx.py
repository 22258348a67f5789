"""CDX: captures as lines that other archives' tools read, sorted by an address turned around and the moment.

The key is made as the players of WACZ make it: host names from their end, without `www.`, all in small letters, the
query's parameters in order. It is our own, since the usual library for it is under the AGPL.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, cast
from urllib.parse import unquote_plus, urlencode, urlsplit

import msgspec

from footfall.archive.memento import digits_of
from footfall.archive.stored import Line

POST_QUERY_CHARACTERS_MAX = 4_096  # as cdxj-indexer cuts it, so that a player finds what it looks for
NESTING_MAX = 100  # JSON that is deeper than this is taken for bytes.

_WWW = re.compile(r"^www\d*\.")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class PostKey:
    """What stands in an index for a request that is not a plain GET."""

    suffix: str  # that follows the address in the key
    query: str  # what the body said


def url_key(url: str) -> str:
    """Return the address turned around (`com,example)/path?query`); what is no web address stays as it is."""
    lower = url.lower()
    try:
        parts = urlsplit(lower)
        port = parts.port
    except ValueError:
        return lower
    if parts.scheme not in _DEFAULT_PORTS:
        return url
    host = ",".join(reversed(_WWW.sub("", parts.hostname or "").split(".")))
    shown_port = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    query = "&".join(sorted(parts.query.split("&"), key=lambda pair: pair.partition("=")[0])) if parts.query else ""
    return f"{host}{shown_port}){parts.path or '/'}{'?' + query if query else ''}"


def post_key(url: str, *, method: str, content_type: str, body: bytes) -> PostKey | None:
    """Return what an index has of a request with a method of its own; None for GET."""
    if method == "GET":
        return None
    query = _query_of(content_type, body)[:POST_QUERY_CHARACTERS_MAX] if method in ("POST", "PUT") else ""
    begin = "&" if "?" in url else "?"
    return PostKey(f"{begin}__wb_method={method}{'&' + query if query else ''}", query)


def index_line(key: str, *, at_us: int, fields: dict[str, Any]) -> str:
    """Return a line of a CDXJ index."""
    return f"{key} {digits_of(at_us)} {msgspec.json.encode(fields).decode()}"


def cdxj_of(lines: Iterable[Line]) -> Iterator[str]:
    """Yield captures as CDXJ: key, 14 digits, and JSON."""
    for line in lines:
        yield index_line(url_key(line.url), at_us=line.at_us, fields=_fields(line)) + "\n"


def json_lines_of(lines: Iterable[Line]) -> Iterator[str]:
    """Yield captures as lines of JSON."""
    for line in lines:
        document = {"urlkey": url_key(line.url), "timestamp": digits_of(line.at_us), **_fields(line)}
        yield msgspec.json.encode(document).decode() + "\n"


def _fields(line: Line) -> dict[str, Any]:
    return {
        "url": line.url,
        "mime": "text/html",
        "status": str(line.status),
        "id": line.id,
        "at_us": line.at_us,
        "final_url": line.final_url,
        "title": line.title,
    }


def _query_of(content_type: str, body: bytes) -> str:
    kind = content_type.lower()
    if kind.startswith("application/x-www-form-urlencoded"):
        return _or_bytes(body, lambda: unquote_plus(body.decode("utf-8")))
    if kind.startswith("multipart/"):
        return _or_bytes(body, lambda: urlencode(_form_fields(content_type, body)))
    if kind.startswith("application/json"):
        try:
            return urlencode(_json_fields(body))
        except (ValueError, msgspec.DecodeError, RecursionError):
            return ""
    if kind.startswith("text/plain"):
        return _or_bytes(body, lambda: urlencode(_json_fields(body)))
    return _as_bytes(body)


def _or_bytes(body: bytes, read: Any) -> str:
    try:
        return cast("str", read())
    except (ValueError, msgspec.DecodeError, RecursionError):
        return _as_bytes(body)


def _as_bytes(body: bytes) -> str:
    return "__wb_post_data=" + base64.b64encode(body).decode()


def _form_fields(content_type: str, body: bytes) -> Sequence[tuple[str, str | bytes]]:
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    if not message.is_multipart():
        raise ValueError("the form has no parts")
    fields: list[tuple[str, str | bytes]] = []
    for part in message.iter_parts():
        name = part.get_param("name", "", header="content-disposition")
        data = cast("bytes", part.get_payload(decode=True) or b"")
        fields.append((str(name), data if part.get_filename() else data.decode("utf-8")))
    return fields


def _json_fields(body: bytes) -> dict[str, str]:
    try:
        documents = [msgspec.json.decode(body)]
    except msgspec.DecodeError:
        if b"\n" not in body:
            raise
        documents = [msgspec.json.decode(line) for line in body.split(b"\n")]
    fields: dict[str, str] = {}
    for document in documents:
        _gather(document, "", fields, {}, depth=0)
    return fields


def _gather(document: Any, name: str, fields: dict[str, str], twice: dict[str, int], *, depth: int) -> None:
    if depth > NESTING_MAX:
        raise ValueError(f"the JSON is nested more than {NESTING_MAX} deep")
    if isinstance(document, dict):
        for inner, value in cast("dict[str, Any]", document).items():
            _gather(value, inner, fields, twice, depth=depth + 1)
    elif isinstance(document, list):
        for value in cast("list[Any]", document):
            _gather(value, name, fields, twice, depth=depth + 1)
    elif name:
        if name in fields:
            twice[name] = twice.get(name, 1) + 1
            name = f"{name}.{twice[name]}_"
        fields[name] = str(document)
