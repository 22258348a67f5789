"""POST /v1/pings: the beats of players, one, an array, or one a line."""

from http import HTTPStatus

from footfall.flow.collect.ping_entries import PingAcceptance
from footfall.flow.collect.pings import parse_pings
from footfall.shells.http.access import CORS_LINE
from footfall.shells.http.door import Door
from footfall.shells.http.hits import PREFLIGHT, says_lines
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem_document


class PingsRoute:
    """The route that takes beats to the stream, by the door that hits go through."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._acceptance = PingAcceptance(door.acceptance)

    def __call__(self, exchange: Exchange) -> None:
        """Take the request's beats, or say why not."""
        door = self._door
        if exchange.method == b"OPTIONS":
            line = door.preflight(exchange)
            exchange.reply(PREFLIGHT if line == CORS_LINE else PREFLIGHT.replace(CORS_LINE, line, 1))
        elif exchange.method != b"POST":
            exchange.reply(not_allowed("POST, OPTIONS", detail="pings are sent with POST"))
        elif door.is_full:
            detail = "pings come faster than the disk takes them"
            door.refuse(exchange, problem_document(HTTPStatus.TOO_MANY_REQUESTS, detail=detail))
        else:
            door.take_in_turn(exchange, lambda: self._collect(exchange))

    def _collect(self, exchange: Exchange) -> None:
        door = self._door
        headers = dict(exchange.headers)
        sender = door.sender(exchange, headers)
        body = door.body_of(exchange, headers)
        parsed = parse_pings(body, lines=says_lines(headers), pings_max=door.limits.batch_hits_max)
        request = door.request(sender, headers, body, is_batch=True)
        entries = self._acceptance.entries(parsed, request)
        door.take_entries(exchange, parsed, entries, aside=parsed.aside)
