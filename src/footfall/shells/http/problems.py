"""Errors as RFC 9457 problem documents: one table from what happened to a status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

import msgspec

from footfall.accounts.alerts import UnknownAlert
from footfall.accounts.attempts import TooManyAttempts
from footfall.accounts.brands import KeyNeeded, UnknownBrand
from footfall.accounts.invitations import UnknownInvitation
from footfall.accounts.keyring import NotAllowed, OriginNotAllowed, UnknownKey
from footfall.accounts.limits import TooOften
from footfall.accounts.people_store import EmailTaken, UnknownPerson, UnknownReset, WrongCode
from footfall.accounts.register import AlreadyThere, UnknownKeyId
from footfall.accounts.signed_in import WrongPassword
from footfall.accounts.unproven import SIGNATURE_FIELD, TOKEN_FIELD, Unproven
from footfall.accounts.verdict_errors import UnknownVerdict, VerdictsContended
from footfall.app.archive_control import CaptureRemoved
from footfall.app.trial_errors import NoTrialsHere, TrialFailed, TrialGoesOn
from footfall.archive.quotas import OverQuota
from footfall.archive.removing import Held, NoSuchCapture
from footfall.archive.requests import NoSuchRequest, NothingToRetry
from footfall.archive.watching import UnknownWatch
from footfall.audience.follows import Blocked, FollowsBusy, FollowsTooMuch, NotAsked
from footfall.audience.playbacks import Outrun, PlaybackOver, TooManyPlaying
from footfall.audience.statement_errors import AlreadyClosed, LogChanged, LogTooLong, NotClosed, NotOver
from footfall.catalog.edits import NotHidden, NotPinned
from footfall.catalog.shown import UnknownAsset
from footfall.flow.collect.fields import Refusal
from footfall.flow.collect.inflate import TooMuch
from footfall.flow.store.digests import NoDigest
from footfall.metrics.errors import (
    CatalogueBusy,
    ChangedMeanwhile,
    ChangeLoses,
    MetricExists,
    MetricInUse,
    NoSuchMetric,
    PushBroken,
    PushTooLarge,
)
from footfall.ports.errors import NoSpace, PortError, Throttled
from footfall.shells.http.wire import PROBLEM, response
from footfall.values.counter import KeyReused, SharesTold, SharesUntold, UnknownCounter
from footfall.values.errors import FootfallError, Refused
from footfall.values.web_urls import NotInstalled

RETRY_AFTER_S = 1


class TooFast(Throttled):
    """Hits come faster than the stream takes them; none of the request's was taken."""


STATUSES: Mapping[type[FootfallError], HTTPStatus] = {
    UnknownBrand: HTTPStatus.NOT_FOUND,
    UnknownAlert: HTTPStatus.NOT_FOUND,
    KeyNeeded: HTTPStatus.UNAUTHORIZED,
    UnknownKey: HTTPStatus.UNAUTHORIZED,
    Unproven: HTTPStatus.UNAUTHORIZED,
    NotAllowed: HTTPStatus.FORBIDDEN,
    UnknownKeyId: HTTPStatus.NOT_FOUND,
    WrongPassword: HTTPStatus.UNAUTHORIZED,
    WrongCode: HTTPStatus.FORBIDDEN,
    EmailTaken: HTTPStatus.CONFLICT,
    UnknownPerson: HTTPStatus.NOT_FOUND,
    UnknownInvitation: HTTPStatus.NOT_FOUND,
    UnknownReset: HTTPStatus.NOT_FOUND,
    TooManyAttempts: HTTPStatus.TOO_MANY_REQUESTS,
    AlreadyThere: HTTPStatus.CONFLICT,
    TooOften: HTTPStatus.TOO_MANY_REQUESTS,
    UnknownAsset: HTTPStatus.NOT_FOUND,
    NotPinned: HTTPStatus.NOT_FOUND,
    NotHidden: HTTPStatus.NOT_FOUND,
    UnknownCounter: HTTPStatus.NOT_FOUND,
    NoDigest: HTTPStatus.NOT_FOUND,
    UnknownVerdict: HTTPStatus.NOT_FOUND,
    VerdictsContended: HTTPStatus.SERVICE_UNAVAILABLE,
    NoSuchMetric: HTTPStatus.NOT_FOUND,
    MetricExists: HTTPStatus.CONFLICT,
    MetricInUse: HTTPStatus.CONFLICT,
    ChangeLoses: HTTPStatus.CONFLICT,
    ChangedMeanwhile: HTTPStatus.CONFLICT,
    CatalogueBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    PushBroken: HTTPStatus.SERVICE_UNAVAILABLE,
    PushTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    TrialGoesOn: HTTPStatus.TOO_MANY_REQUESTS,
    NoTrialsHere: HTTPStatus.NOT_IMPLEMENTED,
    TrialFailed: HTTPStatus.SERVICE_UNAVAILABLE,
    SharesTold: HTTPStatus.CONFLICT,
    SharesUntold: HTTPStatus.CONFLICT,
    KeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    NoSuchRequest: HTTPStatus.NOT_FOUND,
    NothingToRetry: HTTPStatus.CONFLICT,
    NoSuchCapture: HTTPStatus.NOT_FOUND,
    CaptureRemoved: HTTPStatus.GONE,
    Held: HTTPStatus.CONFLICT,
    OverQuota: HTTPStatus.TOO_MANY_REQUESTS,
    UnknownWatch: HTTPStatus.NOT_FOUND,
    NotClosed: HTTPStatus.NOT_FOUND,
    AlreadyClosed: HTTPStatus.CONFLICT,
    NotOver: HTTPStatus.CONFLICT,
    LogChanged: HTTPStatus.CONFLICT,
    LogTooLong: HTTPStatus.CONFLICT,
    Blocked: HTTPStatus.FORBIDDEN,
    FollowsTooMuch: HTTPStatus.CONFLICT,
    NotAsked: HTTPStatus.NOT_FOUND,
    FollowsBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    NotInstalled: HTTPStatus.NOT_IMPLEMENTED,
    TooManyPlaying: HTTPStatus.CONFLICT,
    PlaybackOver: HTTPStatus.GONE,
    Outrun: HTTPStatus.SERVICE_UNAVAILABLE,
    Refused: HTTPStatus.BAD_REQUEST,
    TooMuch: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    NoSpace: HTTPStatus.SERVICE_UNAVAILABLE,
    TooFast: HTTPStatus.TOO_MANY_REQUESTS,
    Throttled: HTTPStatus.SERVICE_UNAVAILABLE,
    PortError: HTTPStatus.SERVICE_UNAVAILABLE,
    FootfallError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_RETRY = {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem document on its way to a client."""

    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str]


def problem_of(error: FootfallError) -> bytes:
    """Return the response that tells a client what happened."""
    return whole_problem(document_of(error))


def problem(status: HTTPStatus, *, detail: str, field: str = "", refused: Sequence[Refusal] = ()) -> bytes:
    """Return a problem document as a response."""
    return whole_problem(problem_document(status, detail=detail, field=field, refused=refused))


def not_allowed(methods: str, *, detail: str) -> bytes:
    """Return the response to a method that a route does not know, with those that it does."""
    document = problem_document(HTTPStatus.METHOD_NOT_ALLOWED, detail=detail)
    headers = {**document.headers, "allow": methods}
    return response(document.status, document.body, kind=PROBLEM, headers=headers)


def document_of(error: FootfallError) -> Problem:
    """Return what tells a client what happened, for a server that writes its own responses."""
    status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    field = error.field if isinstance(error, Refused) else ""
    document = problem_document(status, detail=str(error), field=field, more=error.more)
    headers = {**document.headers, **_headers_of(error)}
    if isinstance(error, OriginNotAllowed):  # A page that is not listed may not even read the refusal.
        del headers["access-control-allow-origin"]
    return replace(document, headers=headers)


def _headers_of(error: FootfallError) -> Mapping[str, str]:
    if isinstance(error, KeyNeeded | UnknownKey | WrongPassword):
        return {"www-authenticate": "Bearer"}
    if isinstance(error, Unproven):
        return {"www-authenticate": "Footfall-Token" if error.field == TOKEN_FIELD else SIGNATURE_FIELD}
    if isinstance(error, TooManyAttempts):
        return {"retry-after": str(error.retry_after_s)}
    if isinstance(error, TooOften):
        standing = error.standing
        return {
            "retry-after": str(error.retry_after_s),
            "ratelimit-policy": standing.policy,
            "ratelimit": standing.state,
        }
    return {}


def problem_document(
    status: HTTPStatus,
    *,
    detail: str,
    field: str = "",
    refused: Sequence[Refusal] = (),
    more: Mapping[str, object] | None = None,
) -> Problem:
    """Return a problem document and the headers that go with it."""
    document: dict[str, object] = {"type": "about:blank", "title": status.phrase, "status": status.value}
    document["detail"] = detail
    if field:
        document["field"] = field
    if refused:
        document["refused"] = refusals(refused)
    document |= more or {}
    headers = {"access-control-allow-origin": "*", "cache-control": "no-store"}
    if status in _RETRY:
        headers["retry-after"] = str(RETRY_AFTER_S)
    return Problem(status, msgspec.json.encode(document), headers)


def refusals(refused: Sequence[Refusal]) -> list[dict[str, object]]:
    """Return the refusals of a batch, as a client reads them."""
    return [{"index": one.index, "field": one.field, "reason": one.reason} for one in refused]


def whole_problem(document: Problem) -> bytes:
    """Return a problem document as it travels."""
    return response(document.status, document.body, kind=PROBLEM, headers=document.headers)
