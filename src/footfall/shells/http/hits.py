"""POST /v1/hits: one hit, an array, or one a line. POST /v1/pagehits: old senders' batches."""

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qs

from footfall.flow.collect.legacy import parse_pagehits
from footfall.flow.collect.parse import parse_hits
from footfall.shells.http.access import CORS_LINE
from footfall.shells.http.door import Door
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem_document
from footfall.shells.http.wire import response
from footfall.values.errors import FootfallError

PREFLIGHT = response(
    HTTPStatus.NO_CONTENT,
    b"",
    headers={
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST, OPTIONS",
        "access-control-allow-headers": "authorization, content-type, content-encoding, idempotency-key",
        "access-control-max-age": "86400",
    },
)
_PLAIN = (b"application/json", b"application/x-www-form-urlencoded", b"text/plain;charset=utf-8", b"")
_LINES = (b"ndjson", b"jsonl", b"json-lines", b"json-seq")


class HitsRoute:
    """The route that collects."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def __call__(self, exchange: Exchange) -> None:
        """Take the request's hits, or say why not."""
        door = self._door
        if exchange.method == b"OPTIONS":
            line = door.preflight(exchange)
            exchange.reply(PREFLIGHT if line == CORS_LINE else PREFLIGHT.replace(CORS_LINE, line, 1))
        elif exchange.method != b"POST":
            exchange.reply(not_allowed("POST, OPTIONS", detail="hits are sent with POST"))
        elif door.is_full:
            detail = "hits come faster than the disk takes them"
            door.refuse(exchange, problem_document(HTTPStatus.TOO_MANY_REQUESTS, detail=detail))
        elif exchange.body[:1] == b"{":
            try:
                self._collect(exchange)
            except FootfallError as error:
                door.say_why(exchange, error)
        else:
            door.take_in_turn(exchange, lambda: self._collect(exchange))

    def _collect(self, exchange: Exchange) -> None:
        door = self._door
        headers = dict(exchange.headers)
        sender = door.sender(exchange, headers)
        body = door.body_of(exchange, headers)
        lines = says_lines(headers)
        if body[:1] == b"{" and not lines and b"idempotency-key" not in headers:
            door.take_one(exchange, body, sender)
            return
        parsed = parse_hits(body, lines=lines, hits_max=door.limits.batch_hits_max)
        is_batch = lines or parsed.count != 1 or body.lstrip()[:1] != b"{"
        door.take(exchange, parsed, door.request(sender, headers, body, is_batch=is_batch))


class PageHitsRoute(HitsRoute):
    """The route for senders of the old kind, which add hits up themselves and never name a brand."""

    def _collect(self, exchange: Exchange) -> None:
        door = self._door
        headers = dict(exchange.headers)
        sender = door.sender(exchange, headers)
        body = door.body_of(exchange, headers)
        parsed = parse_pagehits(body, brand=_brand_asked(exchange.target), hits_max=door.limits.batch_hits_max)
        door.take(exchange, parsed, door.request(sender, headers, body, is_batch=True))


def says_lines(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a body holds one object a line."""
    kind = headers.get(b"content-type", b"").lower()
    return kind not in _PLAIN and any(word in kind for word in _LINES)


def _brand_asked(target: bytes) -> str:
    """Return the brand that the address names, for instances without keys."""
    _, _, query = target.partition(b"?")
    return parse_qs(query.decode("latin-1")).get("brand", [""])[0]
