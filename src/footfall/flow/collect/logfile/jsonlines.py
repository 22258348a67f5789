"""Logs of JSON objects, one a line: Caddy's, Traefik's, and any other once it is said which field is which."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from footfall.flow.collect.logfile.line import Fields, NotUnderstood, Split, address_without_port
from footfall.flow.collect.logfile.line import host_without_port as _bare_host
from footfall.values.errors import Refused

_T = TypeVar("_T")
Names = Mapping[str, tuple[str, ...]]

# What may be told of a request, and where it is looked for when nobody says: nginx's variables and usual names.
DEFAULT_NAMES: Names = {
    "time": ("time_iso8601", "@timestamp", "timestamp", "time_local", "time", "ts", "msec"),
    "request": ("request",),
    "method": ("request_method", "method"),
    "path": ("request_uri", "uri", "path", "url"),
    "status": ("status", "status_code"),
    "address": ("remote_addr", "remote_ip", "client_ip", "ip"),
    "agent": ("http_user_agent", "user_agent", "agent"),
    "referrer": ("http_referer", "http_referrer", "referer", "referrer"),
    "host": ("host", "http_host", "server_name"),
}
_NEEDED = "it has no field for the {}; say which one it is with --fields {}=NAME"


class _CaddyRequest(Struct):
    uri: str
    method: str = "GET"
    host: str = ""
    remote_ip: str = ""
    client_ip: str = ""
    remote_addr: str = ""
    headers: dict[str, list[str]] = {}


class _CaddyLine(Struct):
    ts: float | str
    request: _CaddyRequest
    status: int


class _TraefikLine(Struct, rename={"agent": "request_User-Agent", "referrer": "request_Referer"}):
    RequestPath: str
    DownstreamStatus: int
    RequestMethod: str = "GET"
    StartUTC: str = ""
    time: str = ""
    ClientHost: str = ""
    ClientAddr: str = ""
    RequestHost: str = ""
    agent: str = "-"
    referrer: str = "-"


_caddy = msgspec.json.Decoder(_CaddyLine)
_traefik = msgspec.json.Decoder(_TraefikLine)
_any = msgspec.json.Decoder(dict[str, Any])


def split_caddy(line: bytes) -> Fields:
    """Return the fields of a line of Caddy's access log."""
    told = _decoded(_caddy, line)
    request = told.request
    address = (request.client_ip or request.remote_ip).encode() or address_without_port(request.remote_addr.encode())
    return (
        _request(request.method, request.uri),
        str(told.status).encode(),
        str(told.ts).encode(),
        address,
        _first(request.headers.get("User-Agent")),
        _first(request.headers.get("Referer")),
        _bare_host(_bytes(request.host)),
    )


def split_traefik_json(line: bytes) -> Fields:
    """Return the fields of a line of Traefik's access log in JSON."""
    told = _decoded(_traefik, line)
    return (
        _request(told.RequestMethod, told.RequestPath),
        str(told.DownstreamStatus).encode(),
        _bytes(told.StartUTC or told.time),
        _bytes(told.ClientHost) or address_without_port(_bytes(told.ClientAddr)),
        _bytes(told.agent),
        _bytes(told.referrer),
        _bare_host(_bytes(told.RequestHost)),
    )


def split_json(names: Names) -> Split:
    """Return a splitter of JSON objects whose fields have these names, tried in order; a dot leads into an object."""
    paths = {part: [name.split(".") for name in names.get(part, ())] for part in DEFAULT_NAMES}

    def split(line: bytes) -> Fields:
        told = _decoded(_any, line)
        values = {part: _value(told, of_part, names[part]) for part, of_part in paths.items() if of_part}
        time = values.get("time", "")
        if not time:
            raise NotUnderstood(_NEEDED.format("time", "time"))
        return (
            _json_request(values),
            _bytes(values.get("status") or "200"),
            _bytes(time),
            address_without_port(_bytes(values.get("address", ""))),
            _bytes(values.get("agent") or "-"),
            _bytes(values.get("referrer") or "-"),
            _bare_host(_bytes(values.get("host", ""))),
        )

    return split


def names_from_text(text: str) -> Names:
    """Return the mapping that `time=ts,path=request.uri` writes."""
    names: dict[str, tuple[str, ...]] = {}
    for pair in filter(None, text.split(",")):
        part, equals, name = pair.strip().partition("=")
        if part not in DEFAULT_NAMES or not equals or not name:
            known = ", ".join(DEFAULT_NAMES)
            raise Refused("fields", f"{pair[:80]!r} is not PART=NAME with a part of {known}")
        names[part] = (name,)
    if "time" not in names or not names.keys() & {"path", "request"}:
        raise Refused("fields", "must say where `time` and `path` are, as in time=ts,path=request.uri")
    return names


def _json_request(values: Mapping[str, str]) -> bytes:
    """Return the request line: from method and path where there are both, else as the log has it whole."""
    path, whole = values.get("path", ""), values.get("request", "")
    if path:
        return _request(values.get("method") or "GET", path)
    if not whole:
        raise NotUnderstood(_NEEDED.format("path", "path"))
    return _bytes(whole)


def _value(told: Mapping[str, Any], paths: Sequence[Sequence[str]], names: Sequence[str]) -> str:
    for path, name in zip(paths, names, strict=True):
        found: object = told.get(name)  # Some loggers write the dot into the name.
        if found is None:
            found = told
            for step in path:
                found = cast("Mapping[str, Any]", found).get(step) if isinstance(found, dict) else None
        if isinstance(found, list) and found:
            found = cast("list[object]", found)[0]
        if isinstance(found, str | int | float) and not isinstance(found, bool):
            return str(found)
    return ""


def _decoded(decoder: msgspec.json.Decoder[_T], line: bytes) -> _T:
    try:
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        # The message names the field and never its value.
        raise NotUnderstood(f"it is JSON of another form: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotUnderstood("it is not a JSON object") from error


def _request(method: str, target: str) -> bytes:
    return _bytes(method) + b" " + _bytes(target) + b" HTTP/1.1"


def _first(values: Sequence[str] | None) -> bytes:
    return _bytes(values[0]) if values else b"-"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
