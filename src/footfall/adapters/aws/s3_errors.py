"""What S3 and the way to it can say, told once in the words of the port."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from footfall.ports.blobs import UnfitName
from footfall.ports.errors import Changed, Corrupt, NoSpace, PortError, Throttled, TooLarge, Unavailable

_THROTTLING = frozenset(
    {
        "SlowDown", "SlowDownRead", "SlowDownWrite", "Throttling", "ThrottlingException", "RequestLimitExceeded",
        "TooManyRequests", "TooManyRequestsException", "BandwidthLimitExceeded",
    }
)  # fmt: skip
_GONE = frozenset({"NoSuchKey", "NotFound", "404"})
_TAKEN = frozenset({"PreconditionFailed", "412"})
# Passing, too: two conditional writes met, a clock jumped, or bytes were hurt on their way and refused.
_PASSING = frozenset(
    {"ConditionalRequestConflict", "OperationAborted", "RequestTimeout", "InternalError", "BadDigest", "503", "500"}
)
_FULL = frozenset({"QuotaExceeded", "InsufficientStorage", "507"})
_TOO_LARGE = frozenset({"EntityTooLarge", "MaxMessageLengthExceeded"})
_WHAT_TO_DO = {
    "NoSuchBucket": "make the bucket or correct its name in the settings",
    "AccessDenied": "let the role or the key read, write, delete and list in this bucket",
    "InvalidAccessKeyId": "give credentials that exist",
    "SignatureDoesNotMatch": "give the secret that belongs to the access key",
    "ExpiredToken": "renew the credentials",
    "RequestTimeTooSkewed": "set this machine's clock",
    "PermanentRedirect": "name the bucket's own region",
    "AuthorizationHeaderMalformed": "name the bucket's own region",
}


class NotNow(Unavailable):
    """S3 did not answer this time, for a reason that passes by itself."""


class NoSuchObject(PortError):
    """There is no object of that name, or no upload that the call belongs to."""


def in_our_words(error: Exception, *, where: str, needs: str = "") -> PortError | None:
    """Return the port's error for what the vendor's client raised; None for what is not about S3 at all."""
    # An error of botocore exists only where botocore does, so nothing is loaded before it is needed.
    from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
        BotoCoreError,
        ClientError,
        ConnectionError,  # The vendor's own, which the language's is no parent of.
        FlexibleChecksumError,
        HTTPClientError,
        IncompleteReadError,
    )

    if isinstance(error, ClientError):
        said: Mapping[str, Any] = vars(error)["response"]
        return _refusal(said, where, needs)
    if isinstance(error, FlexibleChecksumError):
        return Corrupt(f"{where}: the bytes do not match their checksum ({error}); restore the object from a copy")
    if isinstance(error, ConnectionError | HTTPClientError | IncompleteReadError):
        return NotNow(f"{where}: {error}; whether the call took effect is unknown")
    if isinstance(error, BotoCoreError):
        return Unavailable(f"{where}: {error}; see the region, the endpoint and the credentials")
    return None


def _refusal(response: Mapping[str, Any], where: str, needs: str) -> PortError:
    said: Mapping[str, Any] = response.get("Error", {})
    code = str(said.get("Code", ""))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    told = f"{where}: {code} ({status}), {said.get('Message', 'without a reason')}"
    if code == "AccessDenied" and needs:
        return Unavailable(f"{told}; let the role {needs}")
    if code in _WHAT_TO_DO:
        return Unavailable(f"{told}; {_WHAT_TO_DO[code]}")
    if code in _THROTTLING or status == HTTPStatus.TOO_MANY_REQUESTS:
        return Throttled(f"{told}; slow down and try again")
    if code in _GONE or code == "NoSuchUpload":
        return NoSuchObject(told)
    if code in _TAKEN:
        return Changed(f"{told}; there is an object already, nothing was written")
    return _limit_or_failure(code, status, told)


def _limit_or_failure(code: str, status: int, told: str) -> PortError:
    if code in _FULL:
        return NoSpace(f"{told}; nothing was written, make room and try again")
    if code in _TOO_LARGE:
        return TooLarge(f"{told}; split it")
    if code == "KeyTooLongError":
        return UnfitName(f"{told}; choose a shorter name")
    if code in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return NotNow(f"{told}; whether the call took effect is unknown")
    return Unavailable(f"{told}; see the bucket, its policy and the credentials")
