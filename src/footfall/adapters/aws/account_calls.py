"""What an account says when it refuses a call of a deployment, in words that name the permission it lacks."""

from collections.abc import Callable
from typing import Any

from footfall.ports.errors import Unavailable
from footfall.values.errors import FootfallError

REFUSALS = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "403", "Forbidden"})
UNKNOWN_KEYS = frozenset({
    "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "ExpiredToken",
    "ExpiredTokenException", "InvalidAccessKeyId", "AuthFailure",
})  # fmt: skip


class NotAllowed(FootfallError):
    """The identity that calls lacks a permission; the message names it."""


class NoIdentity(FootfallError):
    """The machine has no credentials, or AWS does not take them."""


class CallRefused(FootfallError):
    """AWS understood the call and does not do it; the message is AWS's own."""


class NotThere(CallRefused):
    """What the call is about does not exist."""


def called(permission: str, call: Callable[[], Any]) -> Any:
    """Return what a call answers, or raise what happened; the permission is the one that it needs."""
    from botocore import exceptions  # pyright: ignore[reportMissingTypeStubs] - the vendor has none

    try:
        return call()
    except exceptions.ClientError as error:
        raise _refusal(permission, error) from error
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        raise NoIdentity(
            "There are no AWS credentials on this machine: sign in with `aws sso login` or set AWS_PROFILE"
        ) from error
    except exceptions.NoRegionError as error:
        raise NoIdentity("No AWS region is chosen: give --region, or set AWS_REGION") from error
    except exceptions.BotoCoreError as error:
        raise Unavailable(f"{permission} got no answer: {error}; check the network and --endpoint") from error


def _refusal(permission: str, error: Any) -> FootfallError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    says = str(error.response.get("Error", {}).get("Message", "")) or code
    if code in REFUSALS:
        return NotAllowed(f"You are not allowed {permission}: ask for that permission and try again ({says})")
    if code in UNKNOWN_KEYS:
        return NoIdentity(f"AWS does not take the credentials of this machine ({code}): sign in again")
    if code in ("404", "NoSuchBucket", "NoSuchKey", "NotFound", "ResourceNotFoundException"):
        return NotThere(f"{permission}: {says}")
    return CallRefused(f"{permission}: {says}")
