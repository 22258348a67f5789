"""Workflow: state machines in Amazon States Language that are run to their end, whatever stops in between.

Tasks are plain functions of an input and a key. A function may be called again with the same key, after a crash or by a
Retry, and has to do its work once for it. Step Functions' limits bind every adapter.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from footfall.ports.errors import PortError, TooLarge
from footfall.states.execution import Kind, Status
from footfall.states.values import DATA_BYTES_MAX, Json, text_from_value

INPUT_BYTES_MAX = DATA_BYTES_MAX
NAME_CHARACTERS_MAX = 80  # Step Functions: of a machine and of an execution.
HISTORY_EVENTS_MAX = 25_000  # Step Functions: an execution that comes to more of them fails.
REASON_CHARACTERS_MAX = 256  # Step Functions takes more of a cause; a reason is a sentence.
PAGE_MAX = 1_000  # Step Functions: executions, or events, of one answer.
DEFINITION_BYTES_MAX = 1_048_576  # Step Functions: of one machine.
_NAME = re.compile(r"[^\s<>{}\[\]?*\"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f]{1,80}")

TaskFunction = Callable[[Json, str], Json]


class UnknownMachine(PortError):
    """There is no machine of that name here."""


class UnknownExecution(PortError):
    """The machine has no execution of that name, or has forgotten it."""


class OtherInput(PortError):
    """The name is taken by an execution with another input; nothing was started."""


class NothingToRetry(PortError):
    """The execution is still running or has succeeded."""


class UnfitName(PortError):
    """A machine or an execution cannot have this name."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How an execution stands."""

    machine: str
    name: str
    status: Status
    input: Json
    started_at_ms: int
    ended_at_ms: int | None = None
    output: Json = None
    error: str | None = None
    cause: str | None = None
    retries: int = 0  # How often it was made to go on after it had ended.


@dataclass(frozen=True, slots=True)
class Happened:
    """One event of an execution's history; the numbers rise and may have gaps."""

    number: int
    at_ms: int
    kind: Kind
    state: str = ""
    data: Json = None
    part: str = ""  # Which branch or item, where the ground tells it.


@dataclass(frozen=True, slots=True)
class Listed:
    """Some executions, the newest first; `after` continues, None ends."""

    items: Sequence[Standing]  # Without input and output, which may be large.
    after: str | None


class Workflow(Protocol):
    """The promises that every workflow keeps.

    A started execution goes on until it ends, whatever process stops. A state's result is kept before the next state
    begins, so that no task whose result was kept is called again but by Retry, by a retried branch or by `retry`.
    """

    def start(self, machine: str, *, name: str, input: Json) -> Standing:
        """Start an execution, once for a name: the same name and input is the same execution; raise OtherInput."""
        ...

    def describe(self, machine: str, *, name: str) -> Standing:
        """Return how an execution stands; raise UnknownExecution."""
        ...

    def executions(
        self, machine: str, *, status: Status | None = None, limit: int = 100, after: str | None = None
    ) -> Listed:
        """Return one page of a machine's executions, the newest first; lists may lag behind on AWS."""
        ...

    def history(self, machine: str, *, name: str, after: int = 0, limit: int = PAGE_MAX) -> Sequence[Happened]:
        """Return events with numbers above one, in order; raise UnknownExecution."""
        ...

    def stop(self, machine: str, *, name: str, reason: str) -> Standing:
        """End an execution where it is; nothing happens to one that has ended."""
        ...

    def retry(self, machine: str, *, name: str) -> Standing:
        """Let an execution that failed or was stopped go on where it ended; raise NothingToRetry."""
        ...


def require_name(name: str) -> None:
    """Raise unless a machine or an execution may have the name."""
    if not _NAME.fullmatch(name):
        raise UnfitName(f"{name!r} is no name: 1 to {NAME_CHARACTERS_MAX} characters, no spaces, brackets or signs")


def require_input(value: Json) -> bytes:
    """Return the input as JSON; raise TooLarge."""
    data = text_from_value(value).encode()
    if len(data) > INPUT_BYTES_MAX:
        raise TooLarge(f"an execution takes at most {INPUT_BYTES_MAX} bytes, not {len(data)}: put them into a blob")
    return data


def require_definition(definition: str | bytes) -> None:
    """Raise unless every ground takes a definition of this size."""
    size = len(definition.encode() if isinstance(definition, str) else definition)
    if size > DEFINITION_BYTES_MAX:
        raise TooLarge(f"a machine has at most {DEFINITION_BYTES_MAX} bytes, not {size}")
