"""What DynamoDB and the way to it can say, told once in the words of the port."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from footfall.adapters.aws.dynamodb_items import StoredItem
from footfall.ports.errors import Changed, PortError, Throttled, TooLarge, Unavailable
from footfall.ports.table import Unfit

_THROTTLING = frozenset(
    {
        "ProvisionedThroughputExceededException", "ProvisionedThroughputExceeded", "ThrottlingException",
        "ThrottlingError", "RequestLimitExceeded", "LimitExceededException",
    }
)  # fmt: skip
_MEETING = frozenset({"TransactionConflictException", "TransactionConflict", "TransactionInProgressException"})
_FAILED = frozenset({"ConditionalCheckFailedException", "ConditionalCheckFailed"})
_INVALID = frozenset({"ValidationException", "ValidationError", "SerializationException"})
_UNKNOWN = frozenset({"UnknownOperationException", "NotImplemented", "UnsupportedOperationException"})
_SIZES = ("size has exceeded", "size to update has exceeded", "size limit", "exceeds the maximum", "exceeded the")
_WHAT_TO_DO = {
    "ResourceNotFoundException": "make the table, or correct its name and region in the settings",
    "AccessDeniedException": "let the role or the key use this table and its indexes",
    "UnrecognizedClientException": "give credentials that exist",
    "InvalidSignatureException": "give the secret that belongs to the access key, and see this machine's clock",
    "MissingAuthenticationTokenException": "give credentials",
    "ExpiredTokenException": "renew the credentials",
}
_SERVER_ERROR = 500


class ConditionFailed(Changed):
    """The item was not as expected, so nothing was written; it is told as it was found, expired or not."""

    def __init__(self, message: str, found: StoredItem | None) -> None:
        super().__init__(message)
        self.found = found


class ConditionsFailed(Changed):
    """A transaction's items were not as expected; each is told as it was found, None where nothing was wrong."""

    def __init__(self, message: str, found: Sequence[StoredItem | None]) -> None:
        super().__init__(message)
        self.found = found


class Met(Throttled):
    """Another transaction held the item; the table as a whole is not busy."""


class Unreached(Unavailable):
    """The call did not get there, so it has changed nothing."""


class Doubtful(Unavailable):
    """The call may have got there: whether it took effect is unknown."""


class MissingOperation(Unavailable):
    """The store behind the endpoint does not know an operation that footfall needs."""


def in_our_words(error: Exception, *, where: str) -> PortError | None:
    """Return the port's error for what the vendor's client raised; None for what is not about DynamoDB at all."""
    # An error of botocore exists only where botocore does, so nothing is loaded before it is needed.
    from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
        BotoCoreError,
        ClientError,
        ConnectTimeoutError,
        EndpointConnectionError,
        HTTPClientError,
    )

    if isinstance(error, ClientError):
        return _refusal(cast("Any", error).response, where)
    if isinstance(error, ConnectTimeoutError | EndpointConnectionError):
        return Unreached(f"{where}: {error}; see the endpoint and the network")
    if isinstance(error, HTTPClientError):
        return Doubtful(f"{where}: {error}; whether the call took effect is unknown")
    if isinstance(error, BotoCoreError):
        return Unavailable(f"{where}: {error}; see the region, the endpoint and the credentials")
    return None


def _refusal(response: Mapping[str, Any], where: str) -> PortError:
    said: Mapping[str, Any] = response.get("Error", {})
    code, message = str(said.get("Code", "")), str(said.get("Message", ""))
    told = f"{where}: {code}, {message or 'without a reason'}"
    if code == "TransactionCanceledException":
        return _cancelled(response.get("CancellationReasons", []), told)
    if code in _FAILED:
        return ConditionFailed(f"{where}: not as expected; read it again", response.get("Item"))
    if code in _WHAT_TO_DO:
        return Unavailable(f"{told}; {_WHAT_TO_DO[code]}")
    if code in _UNKNOWN:
        return MissingOperation(f"{told}; use a store that has every operation of docs/formats/table.md")
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    return _of_code(code, message, told) or (
        Doubtful(f"{told}; whether the call took effect is unknown")
        if status >= _SERVER_ERROR or not code
        else Unavailable(f"{told}; see the table and its settings")
    )


def _of_code(code: str, message: str, told: str) -> PortError | None:
    if code in _THROTTLING:
        return Throttled(f"{told}; nothing was written, slow down and try again")
    if code in _MEETING:
        return Met(f"{told}; another transaction holds the item, try again")
    if code in _INVALID:
        is_large = any(words in message.lower() for words in _SIZES)
        return TooLarge(told) if is_large else Unfit(told)
    return None


def _cancelled(reasons: Sequence[Mapping[str, Any]], told: str) -> PortError:
    others: list[PortError] = []
    for reason in reasons:
        code = str(reason.get("Code") or "None")
        other = _of_code(code, str(reason.get("Message", "")), f"{told}: {reason.get('Message', code)}")
        if other is not None:
            others.append(other)
    # What can never be done outweighs what did not hold just now.
    for kind in (TooLarge, Unfit):
        for other in others:
            if isinstance(other, kind):
                return other
    if any(reason.get("Code") in _FAILED for reason in reasons):
        found = [reason.get("Item") if reason.get("Code") in _FAILED else None for reason in reasons]
        return ConditionsFailed(f"{told}; read the items again", found)
    return others[0] if others else Doubtful(told)
