"""What Step Functions and the way to it can say, told once in the words of the port."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from footfall.ports.errors import PortError, Throttled, TooLarge, Unavailable
from footfall.ports.workflow import NothingToRetry, OtherInput, UnfitName, UnknownExecution, UnknownMachine

_THROTTLING = frozenset(
    {
        "ThrottlingException", "Throttling", "TooManyRequestsException", "ExecutionLimitExceeded",
        "RequestLimitExceeded", "StateMachineLimitExceeded",
    }
)  # fmt: skip
_PORT_ERRORS: Mapping[str, type[PortError]] = {
    "ExecutionDoesNotExist": UnknownExecution,
    "StateMachineDoesNotExist": UnknownMachine,
    "StateMachineDeleting": UnknownMachine,
    "ExecutionAlreadyExists": OtherInput,
    "ExecutionNotRedrivable": NothingToRetry,
    "InvalidName": UnfitName,
}
_WHAT_TO_DO = {
    "AccessDeniedException": "let the role start, describe, list, stop and redrive executions of this machine",
    "UnrecognizedClientException": "give credentials that exist",
    "InvalidSignatureException": "give the secret that belongs to the access key, and set this machine's clock",
    "ExpiredTokenException": "renew the credentials",
    "InvalidDefinition": "Step Functions reads it otherwise: see the place that it names",
}


@contextmanager
def in_our_words(what: str) -> Generator[None]:
    """Turn what the vendor's client raises inside into the port's errors."""
    # botocore is there, or there would be no client; nothing is loaded before it is needed.
    from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
        BotoCoreError,
        ClientError,
        HTTPClientError,
    )

    try:
        yield
    except ClientError as error:
        said: Mapping[str, Any] = error.response  # pyright: ignore[reportUnknownMemberType]
        raise _refusal(said, what) from error
    except HTTPClientError as error:
        raise Unavailable(f"{what}: {error}; whether the call took effect is unknown") from error
    except BotoCoreError as error:
        raise Unavailable(f"{what}: {error}; see the region, the endpoint and the credentials") from error


def _refusal(response: Mapping[str, Any], what: str) -> PortError:
    said: Mapping[str, Any] = response.get("Error", {})
    code = str(said.get("Code", ""))
    told = f"{what}: {code}, {said.get('Message', 'without a reason')}"
    if code in _THROTTLING:
        return Throttled(f"{told}; slow down and try again")
    if code in _PORT_ERRORS:
        return _PORT_ERRORS[code](told)
    if code == "InvalidExecutionInput":
        return TooLarge(told)
    return Unavailable(f"{told}; {_WHAT_TO_DO.get(code, 'see the machine and the settings')}")
