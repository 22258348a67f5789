"""The door: every route that takes hits hands them over here, and is answered when the stream has them on disk."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Protocol

import msgspec

from footfall.accounts.brands import KeyNeeded
from footfall.accounts.keyring import NotAllowed, UnknownKey
from footfall.accounts.unproven import Unproven
from footfall.flow.collect.accept import Acceptance, Request, Single
from footfall.flow.collect.fields import Parsed, Refusal
from footfall.flow.collect.inflate import inflate
from footfall.flow.collect.parse import parse_alone, parse_hits
from footfall.flow.collect.plain import Taken
from footfall.flow.collect.senders import Sender
from footfall.ports.errors import PortError
from footfall.ports.stream import Appended
from footfall.screening.ahead import is_ahead
from footfall.shells.http.access import OPEN, Access
from footfall.shells.http.commits import Commits
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import (
    Problem,
    document_of,
    problem,
    problem_document,
    refusals,
    whole_problem,
)
from footfall.shells.http.proving import require_proof_on_lane
from footfall.shells.http.totals import Totals
from footfall.shells.http.wire import response
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

KEY_BYTES_MAX = 255  # of an Idempotency-Key
TURN_S = 0.0005  # For so long batches are taken before others have their turn.

_PIXEL = b"/v1/pixel.gif"
_HEADERS = {"access-control-allow-origin": "*", "cache-control": "no-store"}

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HitLimits:
    """What one request may bring, and how much may wait for the disk."""

    inflated_bytes_max: int
    batch_hits_max: int
    pending_bytes_max: int


class Sent(Protocol):
    """What a body held: how much it named, and what of that was refused."""

    @property
    def count(self) -> int:
        """Return how much it named in all."""
        ...

    @property
    def refused(self) -> list[Refusal]:
        """Return what was refused, and why."""
        ...


class Door:
    """Takes hits to the stream, and its answer back to whoever sent them."""

    def __init__(
        self,
        acceptance: Acceptance,
        committer: Commits,
        *,
        limits: HitLimits,
        access: Access,
        clock: Clock,
        totals: Totals,
    ) -> None:
        self.limits = limits
        self.acceptance = acceptance
        self._committer = committer
        self._access = access
        self._clock = clock
        self._totals = totals
        self._loop = asyncio.get_running_loop()
        self._alone: list[tuple[Exchange, bytes, Sender]] = []
        self._batches: deque[tuple[Exchange, Callable[[], None]]] = deque()
        self._batch_bytes = 0

    @property
    def is_full(self) -> bool:
        """Tell whether more waits for the disk than may."""
        return self._committer.pending_bytes + self._batch_bytes > self.limits.pending_bytes_max

    def body_of(self, exchange: Exchange, headers: Mapping[bytes, bytes]) -> bytes:
        """Return the body as it was before it was compressed."""
        if b"content-encoding" not in headers:
            return exchange.body
        encoding = headers[b"content-encoding"].decode("latin-1").lower()
        return inflate(exchange.body, encoding, bytes_max=self.limits.inflated_bytes_max)

    def sender(self, exchange: Exchange, headers: Mapping[bytes, bytes]) -> Sender:
        """Return what is known of who sent the request; raise unless its key, its proof and the limits let it in."""
        address = self._access.address(exchange, headers)
        admission = self._access.admitted(exchange.target, headers, address)
        if admission is not OPEN:
            exchange.dress = admission.dressed
        require_proof_on_lane(self._access.proofs, admission, exchange, headers)
        caller = admission.caller
        wants_privacy = (
            headers.get(b"sec-gpc") == b"1"
            or headers.get(b"dnt") == b"1"
            or (b"privacy" in exchange.target and _says_privacy(exchange.target))
        )
        agent = headers.get(b"user-agent", b"").decode("latin-1")
        if caller is None:
            is_server = not _is_of_page(exchange.target, headers)
            return Sender(address, agent, wants_privacy, is_server=is_server, is_ahead=is_ahead(headers))
        return Sender(
            address, agent, wants_privacy, caller.brand, caller.key_id, not caller.is_public, is_ahead(headers)
        )

    def preflight(self, exchange: Exchange) -> bytes:
        """Return the line that tells a browser whether its page may send."""
        return self._access.preflight(exchange.target, dict(exchange.headers))

    def request(self, sender: Sender, headers: Mapping[bytes, bytes], body: bytes, *, is_batch: bool) -> Request:
        """Return how hits came, or raise Refused."""
        key = headers.get(b"idempotency-key", b"").decode("latin-1")
        if len(key) > KEY_BYTES_MAX:
            raise Refused("Idempotency-Key", f"has {len(key)} bytes, at most {KEY_BYTES_MAX} are taken")
        return Request(self._clock.now_ms(), sender, is_batch=is_batch, idempotency_key=key, body=body)

    def take_one(self, exchange: Exchange, body: bytes, sender: Sender) -> None:
        """Put a hit that came alone to the others that came in this turn of the loop: together they cost less."""
        if not self._alone:
            self._loop.call_soon(self._take_alone)
        self._alone.append((exchange, body, sender))

    def take_in_turn(self, exchange: Exchange, work: Callable[[], None]) -> None:
        """Do the work for a batch soon: hits wait for the disk anyway, so whoever asks for a list may go before."""
        if not self._batches:
            self._loop.call_soon(self._take_batches)
        self._batches.append((exchange, work))
        self._batch_bytes += len(exchange.body)

    def take(self, exchange: Exchange, parsed: Parsed, request: Request) -> None:
        """Take hits that came together."""
        self.take_entries(exchange, parsed, self.acceptance.taken(parsed, request))

    def take_entries(
        self, exchange: Exchange, parsed: Sent, entries: Sequence[Taken], *, aside: Mapping[str, int] | None = None
    ) -> None:
        """Take what was made of a request to the stream; `aside` says how much of it counts nowhere, and why."""
        if entries:
            self._committer.submit(entries, lambda outcome: self._answer(exchange, parsed, entries, outcome, aside))
        elif parsed.refused:
            self._totals.hits_refused += len(parsed.refused)
            self.refuse(exchange, _nothing_taken(parsed))
        else:
            _reply(exchange, _accepted(0, 0))

    def say_why(self, exchange: Exchange, error: FootfallError) -> None:
        """Answer that nothing of a request was taken."""
        if isinstance(error, Refused) and not isinstance(error, KeyNeeded | UnknownKey | NotAllowed | Unproven):
            self._totals.hits_refused += 1
            self.refuse(exchange, problem_document(HTTPStatus.BAD_REQUEST, detail=str(error), field=error.field))
        else:
            self.refuse(exchange, document_of(error))

    def refuse(self, exchange: Exchange, document: Problem) -> None:
        """Answer with a problem, and count that."""
        self._totals.posts_refused[int(document.status)] += 1
        _reply(exchange, whole_problem(document))

    def _take_batches(self) -> None:
        until = time.monotonic() + TURN_S
        while True:
            exchange, work = self._batches[0]
            try:
                work()
            except FootfallError as error:
                self.say_why(exchange, error)
            except Exception:  # noqa: BLE001 - a defect of ours must not leave senders waiting for ever
                _log.exception("hits that came together could not be taken")
                exchange.reply(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail="this is a defect of footfall"))
            self._batches.popleft()
            self._batch_bytes -= len(exchange.body)
            if not self._batches:
                return
            if time.monotonic() >= until:
                self._loop.call_soon(self._take_batches)
                return

    def _take_alone(self) -> None:
        alone, self._alone = self._alone, []
        try:
            self._accept_alone(alone)
        except Exception:  # noqa: BLE001 - a defect of ours must not leave senders waiting for ever
            _log.exception("hits that came alone could not be taken")
            for exchange, _, _ in alone:
                exchange.reply(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail="this is a defect of footfall"))

    def _accept_alone(self, alone: Sequence[tuple[Exchange, bytes, Sender]]) -> None:
        now_ms = self._clock.now_ms()
        exchanges: list[Exchange] = []
        singles: list[Single] = []
        for (exchange, body, sender), hit in zip(alone, parse_alone([body for _, body, _ in alone]), strict=True):
            try:
                if isinstance(hit, Refused):
                    raise hit
                if hit.id:  # What it names may have come before, which a record of its own can say.
                    request = Request(now_ms, sender, is_batch=False)
                    self.take(exchange, parse_hits(body, lines=False, hits_max=1), request)
                    continue
                singles.append(self.acceptance.single(hit, sender, arrived_at_ms=now_ms))
                exchanges.append(exchange)
            except FootfallError as error:
                self.say_why(exchange, error)
        if singles:
            self._committer.submit_singles(singles, lambda error: self._answer_alone(exchanges, error))

    def _answer_alone(self, exchanges: Sequence[Exchange], error: PortError | None) -> None:
        if error is not None:
            for exchange in exchanges:
                self.refuse(exchange, document_of(error))
            return
        self._totals.hits_accepted += len(exchanges)
        answer = _accepted(1, 0)
        for exchange in exchanges:
            _reply(exchange, answer)

    def _answer(
        self,
        exchange: Exchange,
        parsed: Sent,
        entries: Sequence[Taken],
        outcome: Sequence[Appended] | PortError,
        aside: Mapping[str, int] | None,
    ) -> None:
        if isinstance(outcome, PortError):
            self.refuse(exchange, document_of(outcome))
            return
        weight = repeats = 0
        for entry, appended in zip(entries, outcome, strict=True):
            if appended.is_refused:
                detail = "this Idempotency-Key came with another body before; use a new key for new hits"
                status = HTTPStatus.UNPROCESSABLE_ENTITY
                self.refuse(exchange, problem_document(status, detail=detail, field="Idempotency-Key"))
                return
            weight += entry.weight
            repeats += entry.weight if appended.repeated else len(appended.repeats)
        self._totals.hits_accepted += weight
        self._totals.hits_refused += len(parsed.refused)
        accepted = parsed.count - len(parsed.refused)
        is_plain = not (parsed.refused or aside)
        _reply(exchange, _accepted(accepted, repeats) if is_plain else _partly(parsed, accepted, repeats, aside or {}))


def _reply(exchange: Exchange, whole: bytes) -> None:
    """Answer with what the sender's admission adds, if anything: limits, and the page that may read it."""
    exchange.reply(whole if exchange.dress is None else exchange.dress(whole))


@lru_cache(maxsize=1024)
def _accepted(accepted: int, duplicates: int) -> bytes:
    return response(HTTPStatus.ACCEPTED, msgspec.json.encode(_result(accepted, duplicates)), headers=_HEADERS)


def _partly(parsed: Sent, accepted: int, duplicates: int, aside: Mapping[str, int]) -> bytes:
    result = {**_result(accepted, duplicates), **aside}
    if parsed.refused:
        in_order = sorted(parsed.refused, key=lambda one: one.index)
        result |= {"refusedCount": len(in_order), "refused": refusals(in_order)}
    return response(HTTPStatus.ACCEPTED, msgspec.json.encode(result), headers=_HEADERS)


def _result(accepted: int, duplicates: int) -> dict[str, object]:
    return {"accepted": accepted, "duplicates": duplicates}


def _nothing_taken(parsed: Sent) -> Problem:
    in_order = sorted(parsed.refused, key=lambda one: one.index)
    first = in_order[0]
    detail = f"{first.field}: {first.reason}"
    if parsed.count == 1:
        return problem_document(HTTPStatus.BAD_REQUEST, detail=detail, field=first.field)
    detail = f"none of the {parsed.count:,} that were sent can be taken; the first: {detail}"
    return problem_document(HTTPStatus.BAD_REQUEST, detail=detail, field=first.field, refused=in_order)


def _is_of_page(target: bytes, headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a request without a key was made by a page: browsers say which; servers have none to tell of."""
    has_page = b"origin" in headers or b"referer" in headers or b"sec-fetch-site" in headers
    return has_page or target.startswith(_PIXEL)


def _says_privacy(target: bytes) -> bool:
    """Tell whether the address has privacy=1: from a browser that tells its scripts what it does not tell us."""
    return b"privacy=1" in target.partition(b"?")[2].split(b"&")
