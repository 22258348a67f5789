"""What Kinesis and the way to it can say, told once in the words of the port."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from footfall.adapters.aws.vendor_errors import CREDENTIALS, told_as
from footfall.ports.errors import PortError, Throttled, Unavailable

THROTTLING = frozenset(
    {
        "ProvisionedThroughputExceededException", "LimitExceededException", "KMSThrottlingException", "Throttling",
        "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException",
    }
)  # fmt: skip
_OUTDATED = frozenset({"ExpiredIteratorException"})
_WHAT_TO_DO = {
    "ResourceNotFoundException": "make the stream or correct its name in the settings",
    "AccessDeniedException": "let the role put, get and list records and shards of this stream",
    **CREDENTIALS,
    "KMSAccessDeniedException": "let the role use the stream's key",
    "ResourceInUseException": "wait until the stream is active",
}
_PASSING = frozenset({"InternalFailure", "InternalFailureException", "ServiceUnavailable", "RequestTimeout"})
_SERVER_ERROR = 500


class NotNow(Unavailable):
    """Kinesis did not answer this time, for a reason that passes by itself."""


class Outdated(PortError):
    """An iterator has had its five minutes; a new one goes on at the same place."""


def in_our_words(what: str) -> AbstractContextManager[None]:
    """Turn what the vendor's client raises inside into the port's errors."""
    return told_as(what, refusal=_refusal, lost=NotNow)


def _refusal(response: Mapping[str, Any], what: str) -> PortError:
    said: Mapping[str, Any] = response.get("Error", {})
    code = str(said.get("Code", ""))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    told = f"{what}: {code} ({status}), {said.get('Message', 'without a reason')}"
    if code in THROTTLING:
        return Throttled(f"{told}; slow down and try again")
    if code in _OUTDATED:
        return Outdated(told)
    if code in _WHAT_TO_DO:
        return Unavailable(f"{told}; {_WHAT_TO_DO[code]}")
    if code in _PASSING or status >= _SERVER_ERROR:
        return NotNow(f"{told}; whether the call took effect is unknown")
    return Unavailable(f"{told}; see the stream and its settings")
