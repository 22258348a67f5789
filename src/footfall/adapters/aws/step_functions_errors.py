"""What Step Functions and the way to it can say, told once in the words of the port."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from footfall.adapters.aws.vendor_errors import CREDENTIALS, told_as
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
    **CREDENTIALS,
    "InvalidDefinition": "Step Functions reads it otherwise: see the place that it names",
}


def in_our_words(what: str) -> AbstractContextManager[None]:
    """Turn what the vendor's client raises inside into the port's errors."""
    return told_as(what, refusal=_refusal, lost=Unavailable)


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
