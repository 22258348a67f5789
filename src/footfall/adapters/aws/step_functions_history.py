"""Histories as Step Functions tells them, in the words of the port."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from footfall.adapters.aws.step_functions_machines import ITEM_STATE
from footfall.ports.workflow import Happened
from footfall.states.execution import Kind
from footfall.states.values import Json

_OF_EXECUTION: Mapping[str, Kind] = {
    "ExecutionStarted": Kind.STARTED,
    "ExecutionSucceeded": Kind.ENDED,
    "ExecutionFailed": Kind.ENDED,
    "ExecutionAborted": Kind.ENDED,
    "ExecutionTimedOut": Kind.ENDED,
    "ExecutionRedriven": Kind.RETRIED,
}
_FAILED = frozenset(
    {
        "LambdaFunctionFailed", "LambdaFunctionTimedOut", "LambdaFunctionScheduleFailed", "LambdaFunctionStartFailed",
        "TaskFailed", "TaskTimedOut", "TaskStartFailed", "TaskSubmitFailed",
    }
)  # fmt: skip


def happened_from_events(events: Iterable[Mapping[str, Any]]) -> list[Happened]:
    """Return those of the events that the port speaks of; they have to be all from the first on."""
    told: list[Happened] = []
    states: dict[int, str] = {}
    for event in events:
        number = int(event["id"])
        details = _details(event)
        # An event of a branch names the one before it in the same branch, so that its state is known.
        states[number] = str(details.get("name") or states.get(int(event.get("previousEventId", 0)), ""))
        kind = _kind(event["type"])
        if kind is not None and not states[number].startswith(ITEM_STATE):
            state = states[number] if kind not in (Kind.STARTED, Kind.ENDED, Kind.RETRIED) else ""
            told.append(Happened(number, ms_from(event["timestamp"]), kind, state, _data(details)))
    return told


def ms_from(moment: datetime) -> int:
    """Return the vendor's moment in milliseconds."""
    return round(moment.timestamp() * 1_000)


def _kind(name: str) -> Kind | None:
    if name in _OF_EXECUTION:
        return _OF_EXECUTION[name]
    if name.endswith("StateEntered"):
        return Kind.ENTERED
    if name.endswith("StateExited"):
        return Kind.EXITED
    return Kind.ATTEMPT_FAILED if name in _FAILED else None


def _details(event: Mapping[str, Any]) -> Mapping[str, Any]:
    none: Mapping[str, Any] = {}
    return next((value for name, value in event.items() if name.endswith("EventDetails")), none)


def _data(details: Mapping[str, Any]) -> Json:
    if "error" in details or "cause" in details:
        return {"Error": details.get("error", ""), "Cause": details.get("cause", "")}
    text = details.get("input", details.get("output"))
    return None if text is None else msgspec.json.decode(text)
