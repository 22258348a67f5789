"""POST /v1/hits: one hit, an array, or one a line; answered when the stream has them on disk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus

import msgspec

from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.fields import Parsed
from footfall.flow.collect.inflate import inflate
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Network, Sender, believed_address
from footfall.ports.errors import PortError
from footfall.ports.stream import Appended, Entry
from footfall.shells.http.commits import Committer
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import not_allowed, problem, problem_of, refusals
from footfall.shells.http.wire import response
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

KEY_BYTES_MAX = 255  # of an Idempotency-Key

_HEADERS = {"access-control-allow-origin": "*", "cache-control": "no-store"}
_PREFLIGHT = response(
    HTTPStatus.NO_CONTENT,
    b"",
    headers={
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST, OPTIONS",
        "access-control-allow-headers": "content-type, content-encoding, idempotency-key",
        "access-control-max-age": "86400",
    },
)
_LINES = ("ndjson", "jsonl", "json-lines", "json-seq")


@dataclass(frozen=True, slots=True)
class HitLimits:
    """What one request may bring, and how much may wait for the disk."""

    inflated_bytes_max: int
    batch_hits_max: int
    pending_bytes_max: int


class HitsRoute:
    """The route that collects."""

    def __init__(
        self,
        acceptance: Acceptance,
        committer: Committer,
        *,
        limits: HitLimits,
        trusted: Sequence[Network],
        clock: Clock,
        seen: Callable[[Sequence[Entry]], None],
    ) -> None:
        self._acceptance = acceptance
        self._committer = committer
        self._limits = limits
        self._trusted = trusted
        self._clock = clock
        self._seen = seen

    def __call__(self, exchange: Exchange) -> None:
        """Take the request's hits, or say why not."""
        if exchange.method == b"OPTIONS":
            exchange.reply(_PREFLIGHT)
        elif exchange.method != b"POST":
            exchange.reply(not_allowed("POST, OPTIONS", detail="hits are sent with POST"))
        elif self._committer.pending_bytes > self._limits.pending_bytes_max:
            exchange.reply(problem(HTTPStatus.TOO_MANY_REQUESTS, detail="hits come faster than the disk takes them"))
        else:
            try:
                self._collect(exchange)
            except FootfallError as error:
                exchange.reply(problem_of(error))

    def _collect(self, exchange: Exchange) -> None:
        kind = exchange.header(b"content-type").lower()
        encoding = exchange.header(b"content-encoding").lower()
        body = (
            inflate(exchange.body, encoding, bytes_max=self._limits.inflated_bytes_max) if encoding else exchange.body
        )
        lines = any(word in kind for word in _LINES)
        parsed = parse_hits(body, lines=lines, hits_max=self._limits.batch_hits_max)
        is_batch = lines or parsed.count != 1 or body.lstrip()[:1] != b"{"
        entries = self._acceptance.entries(parsed, self._request(exchange, body, is_batch=is_batch))
        if entries:
            self._committer.submit(entries, lambda outcome: self._answer(exchange, parsed, entries, outcome))
        else:
            exchange.reply(_nothing_taken(parsed))

    def _request(self, exchange: Exchange, body: bytes, *, is_batch: bool) -> Request:
        key = exchange.header(b"idempotency-key")
        if len(key) > KEY_BYTES_MAX:
            raise Refused("Idempotency-Key", f"has {len(key)} bytes, at most {KEY_BYTES_MAX} are taken")
        address = believed_address(exchange.peer, exchange.header(b"x-forwarded-for"), trusted=self._trusted)
        wants_privacy = exchange.header(b"sec-gpc") == "1" or exchange.header(b"dnt") == "1"
        sender = Sender(address, exchange.header(b"user-agent"), wants_privacy)
        return Request(self._clock.now_ms(), sender, is_batch=is_batch, idempotency_key=key, body=body)

    def _answer(
        self, exchange: Exchange, parsed: Parsed, entries: Sequence[Entry], outcome: Sequence[Appended] | PortError
    ) -> None:
        if isinstance(outcome, PortError):
            exchange.reply(problem_of(outcome))
        elif any(appended.is_refused for appended in outcome):
            exchange.reply(
                problem(
                    HTTPStatus.UNPROCESSABLE_ENTITY,
                    detail="this Idempotency-Key came with another body before; use a new key for new hits",
                    field="Idempotency-Key",
                )
            )
        else:
            self._seen(entries)
            repeats = sum(
                entry.weight if appended.repeated else len(appended.repeats)
                for entry, appended in zip(entries, outcome, strict=True)
            )
            accepted = parsed.count - len(parsed.refused)
            exchange.reply(_accepted(accepted, repeats) if not parsed.refused else _partly(parsed, accepted, repeats))


@lru_cache(maxsize=1024)
def _accepted(accepted: int, duplicates: int) -> bytes:
    return response(HTTPStatus.ACCEPTED, msgspec.json.encode(_result(accepted, duplicates)), headers=_HEADERS)


def _partly(parsed: Parsed, accepted: int, duplicates: int) -> bytes:
    result = _result(accepted, duplicates) | {
        "refusedCount": len(parsed.refused),
        "refused": refusals(sorted(parsed.refused, key=lambda one: one.index)),
    }
    return response(HTTPStatus.ACCEPTED, msgspec.json.encode(result), headers=_HEADERS)


def _result(accepted: int, duplicates: int) -> dict[str, object]:
    return {"accepted": accepted, "duplicates": duplicates}


def _nothing_taken(parsed: Parsed) -> bytes:
    if not parsed.refused:
        return _accepted(0, 0)
    in_order = sorted(parsed.refused, key=lambda one: one.index)
    first = in_order[0]
    detail = f"{first.field}: {first.reason}"
    if parsed.count == 1:
        return problem(HTTPStatus.BAD_REQUEST, detail=detail, field=first.field)
    detail = f"none of the {parsed.count:,} hits can be taken; the first: {detail}"
    return problem(HTTPStatus.BAD_REQUEST, detail=detail, field=first.field, refused=in_order)
