"""The Workflow port on Step Functions: machines that were published, and their executions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from footfall.adapters.aws.step_functions_errors import in_our_words
from footfall.adapters.aws.step_functions_history import happened_from_events, ms_from
from footfall.ports.workflow import (
    PAGE_MAX,
    REASON_CHARACTERS_MAX,
    Happened,
    Listed,
    OtherInput,
    Standing,
    UnknownMachine,
    require_input,
    require_name,
)
from footfall.states.execution import Status
from footfall.states.values import Json, is_equal

_STATUSES: Mapping[str, Status] = {
    "RUNNING": Status.RUNNING,
    "PENDING_REDRIVE": Status.RUNNING,
    "SUCCEEDED": Status.SUCCEEDED,
    "FAILED": Status.FAILED,
    "TIMED_OUT": Status.TIMED_OUT,
    "ABORTED": Status.STOPPED,
}
_FILTERS = {status: name for name, status in _STATUSES.items() if name != "PENDING_REDRIVE"}


class StepFunctionsWorkflow:
    """The workflow of an AWS account; `machines` has the ARN of each machine."""

    def __init__(self, client: Any, *, machines: Mapping[str, str]) -> None:
        self._client = client
        self._machines = dict(machines)

    def start(self, machine: str, *, name: str, input: Json) -> Standing:
        """Start an execution, once for a name."""
        require_name(name)
        text, arn = require_input(input).decode(), self._arn(machine)
        try:
            with in_our_words(f"start {machine}/{name}"):
                made = self._client.start_execution(stateMachineArn=arn, name=name, input=text)
        except OtherInput as taken:
            # Step Functions says the same of an execution that has ended, whatever its input.
            there = self.describe(machine, name=name)
            if not is_equal(there.input, input):
                raise OtherInput(f"{machine}/{name} was started with another input; choose another name") from taken
            return there
        return Standing(machine, name, Status.RUNNING, input, ms_from(made["startDate"]))

    def describe(self, machine: str, *, name: str) -> Standing:
        """Return how an execution stands."""
        with in_our_words(f"describe {machine}/{name}"):
            told = self._client.describe_execution(executionArn=self._execution(machine, name))
        output = told.get("output")
        return Standing(
            machine,
            name,
            _STATUSES[told["status"]],
            msgspec.json.decode(told.get("input", "null")),
            ms_from(told["startDate"]),
            ms_from(told["stopDate"]) if told.get("stopDate") is not None else None,
            None if output is None else msgspec.json.decode(output),
            told.get("error"),
            told.get("cause"),
            int(told.get("redriveCount", 0)),
        )

    def executions(
        self, machine: str, *, status: Status | None = None, limit: int = 100, after: str | None = None
    ) -> Listed:
        """Return one page of a machine's executions, the newest first."""
        options: dict[str, Any] = {"maxResults": max(1, min(limit, PAGE_MAX))}
        if status is not None:
            options["statusFilter"] = _FILTERS[status]
        if after is not None:
            options["nextToken"] = after
        with in_our_words(f"list executions of {machine}"):
            page = self._client.list_executions(stateMachineArn=self._arn(machine), **options)
        items = [
            Standing(
                machine,
                one["name"],
                _STATUSES[one["status"]],
                None,
                ms_from(one["startDate"]),
                ms_from(one["stopDate"]) if one.get("stopDate") is not None else None,
                retries=int(one.get("redriveCount", 0)),
            )
            for one in page["executions"]
        ]
        return Listed(items, page.get("nextToken"))

    def history(self, machine: str, *, name: str, after: int = 0, limit: int = PAGE_MAX) -> Sequence[Happened]:
        """Return events with numbers above one, in order."""
        with in_our_words(f"read the history of {machine}/{name}"):
            told = happened_from_events(self._events(self._execution(machine, name)))
        return [event for event in told if event.number > after][: max(1, min(limit, PAGE_MAX))]

    def stop(self, machine: str, *, name: str, reason: str) -> Standing:
        """End an execution where it is; nothing happens to one that has ended."""
        before = self.describe(machine, name=name)
        if before.status is not Status.RUNNING:
            return before
        with in_our_words(f"stop {machine}/{name}"):
            arn = self._execution(machine, name)
            self._client.stop_execution(executionArn=arn, cause=reason[:REASON_CHARACTERS_MAX])
        return self.describe(machine, name=name)

    def retry(self, machine: str, *, name: str) -> Standing:
        """Let an execution go on where it ended."""
        with in_our_words(f"redrive {machine}/{name}"):
            self._client.redrive_execution(executionArn=self._execution(machine, name))
        return self.describe(machine, name=name)

    def _events(self, arn: str) -> Iterator[Mapping[str, Any]]:
        for page in self._client.get_paginator("get_execution_history").paginate(executionArn=arn):
            yield from page["events"]

    def _arn(self, machine: str) -> str:
        if machine not in self._machines:
            raise UnknownMachine(f"{machine!r} is not a machine here, only {sorted(self._machines)}")
        return self._machines[machine]

    def _execution(self, machine: str, name: str) -> str:
        require_name(name)
        return f"{self._arn(machine).replace(':stateMachine:', ':execution:')}:{name}"
