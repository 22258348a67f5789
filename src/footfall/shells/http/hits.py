"""POST /v1/hits: one hit, an array, or one a line; answered when the stream has them on disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus

import msgspec

from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.fields import Parsed
from footfall.flow.collect.inflate import inflate
from footfall.flow.collect.parse import parse_hits, parse_one
from footfall.flow.collect.senders import Network, Sender, believed_address
from footfall.ports.errors import PortError
from footfall.ports.stream import Appended, Entry
from footfall.shells.http.commits import Committer
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import (
    Problem,
    document_of,
    not_allowed,
    problem_document,
    refusals,
    whole_problem,
)
from footfall.shells.http.totals import Totals
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
_PLAIN = (b"application/json", b"application/x-www-form-urlencoded", b"text/plain;charset=utf-8", b"")
_LINES = (b"ndjson", b"jsonl", b"json-lines", b"json-seq")


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
        totals: Totals,
    ) -> None:
        self._acceptance = acceptance
        self._committer = committer
        self._limits = limits
        self._trusted = trusted
        self._clock = clock
        self._totals = totals

    def __call__(self, exchange: Exchange) -> None:
        """Take the request's hits, or say why not."""
        if exchange.method == b"OPTIONS":
            exchange.reply(_PREFLIGHT)
        elif exchange.method != b"POST":
            exchange.reply(not_allowed("POST, OPTIONS", detail="hits are sent with POST"))
        elif self._committer.pending_bytes > self._limits.pending_bytes_max:
            self._refuse(
                exchange,
                problem_document(HTTPStatus.TOO_MANY_REQUESTS, detail="hits come faster than the disk takes them"),
            )
        else:
            try:
                self._collect(exchange)
            except Refused as error:
                self._totals.hits_refused += 1
                document = problem_document(HTTPStatus.BAD_REQUEST, detail=str(error), field=error.field)
                self._refuse(exchange, document)
            except FootfallError as error:
                self._refuse(exchange, document_of(error))

    def _refuse(self, exchange: Exchange, document: Problem) -> None:
        self._totals.posts_refused[int(document.status)] += 1
        exchange.reply(whole_problem(document))

    def _collect(self, exchange: Exchange) -> None:
        headers = dict(exchange.headers)
        kind = headers.get(b"content-type", b"").lower()
        body = exchange.body
        if b"content-encoding" in headers:
            encoding = headers[b"content-encoding"].decode("latin-1").lower()
            body = inflate(body, encoding, bytes_max=self._limits.inflated_bytes_max)
        lines = kind not in _PLAIN and any(word in kind for word in _LINES)
        if body[:1] == b"{" and not lines and b"idempotency-key" not in headers:
            self._collect_one(exchange, body, headers)
        else:
            self._collect_many(exchange, body, headers, lines=lines)

    def _collect_one(self, exchange: Exchange, body: bytes, headers: Mapping[bytes, bytes]) -> None:
        """Take a hit that came alone; it goes to the disk in the company of others."""
        hit = parse_one(body)
        if hit.id:
            self._collect_many(exchange, body, headers, lines=False)
            return
        request = self._request(exchange, headers, b"", is_batch=False)
        single = self._acceptance.single(hit, request)
        self._committer.submit_single(single, lambda error: self._answer_one(exchange, error))

    def _answer_one(self, exchange: Exchange, error: PortError | None) -> None:
        if error is not None:
            self._refuse(exchange, document_of(error))
        else:
            self._totals.hits_accepted += 1
            exchange.reply(_accepted(1, 0))

    def _collect_many(self, exchange: Exchange, body: bytes, headers: Mapping[bytes, bytes], *, lines: bool) -> None:
        parsed = parse_hits(body, lines=lines, hits_max=self._limits.batch_hits_max)
        is_batch = lines or parsed.count != 1 or body.lstrip()[:1] != b"{"
        entries = self._acceptance.entries(parsed, self._request(exchange, headers, body, is_batch=is_batch))
        if entries:
            self._committer.submit(entries, lambda outcome: self._answer(exchange, parsed, entries, outcome))
        elif parsed.refused:
            self._totals.hits_refused += len(parsed.refused)
            self._refuse(exchange, _nothing_taken(parsed))
        else:
            exchange.reply(_accepted(0, 0))

    def _request(self, exchange: Exchange, headers: Mapping[bytes, bytes], body: bytes, *, is_batch: bool) -> Request:
        key = headers.get(b"idempotency-key", b"").decode("latin-1")
        if len(key) > KEY_BYTES_MAX:
            raise Refused("Idempotency-Key", f"has {len(key)} bytes, at most {KEY_BYTES_MAX} are taken")
        address = exchange.peer
        if b"x-forwarded-for" in headers:  # It may stand there several times, so it is asked for in full.
            address = believed_address(address, exchange.header(b"x-forwarded-for"), trusted=self._trusted)
        wants_privacy = headers.get(b"sec-gpc") == b"1" or headers.get(b"dnt") == b"1"
        sender = Sender(address, headers.get(b"user-agent", b"").decode("latin-1"), wants_privacy)
        return Request(self._clock.now_ms(), sender, is_batch=is_batch, idempotency_key=key, body=body)

    def _answer(
        self, exchange: Exchange, parsed: Parsed, entries: Sequence[Entry], outcome: Sequence[Appended] | PortError
    ) -> None:
        if isinstance(outcome, PortError):
            self._refuse(exchange, document_of(outcome))
        elif any(appended.is_refused for appended in outcome):
            detail = "this Idempotency-Key came with another body before; use a new key for new hits"
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            self._refuse(exchange, problem_document(status, detail=detail, field="Idempotency-Key"))
        else:
            self._totals.hits_accepted += sum(entry.weight for entry in entries)
            self._totals.hits_refused += len(parsed.refused)
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


def _nothing_taken(parsed: Parsed) -> Problem:
    in_order = sorted(parsed.refused, key=lambda one: one.index)
    first = in_order[0]
    detail = f"{first.field}: {first.reason}"
    if parsed.count == 1:
        return problem_document(HTTPStatus.BAD_REQUEST, detail=detail, field=first.field)
    detail = f"none of the {parsed.count:,} hits can be taken; the first: {detail}"
    return problem_document(HTTPStatus.BAD_REQUEST, detail=detail, field=first.field, refused=in_order)
