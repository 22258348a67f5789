"""A machine run in a test: the pure step with a clock that jumps, and functions for tasks."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footfall.states.definition import Machine, machine_from_json
from footfall.states.execution import Call, Change, Ended, Event, Execution, Failed, Frame, Given, Outcome, Status
from footfall.states.stepping import begun, finished, next_step, retried
from footfall.states.values import Json, value_from_bytes

NOON_MS = 1_794_744_000_000
STEPS_MAX = 10_000

Task = Callable[[Json], Any]


class TaskError(Exception):
    """A task fails with this name and cause."""

    def __init__(self, name: str, cause: str = "because") -> None:
        super().__init__(name)
        self.name, self.cause = name, cause


@dataclass
class Ran:
    """What a run came to."""

    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])
    events: list[Event] = field(default_factory=list[Event])
    calls: list[Call] = field(default_factory=list[Call])
    called_at_ms: list[int] = field(default_factory=list[int])
    ended: Ended | None = None
    now_ms: int = NOON_MS

    @property
    def output(self) -> Json:
        assert self.ended is not None
        assert self.ended.status is Status.SUCCEEDED, self.ended
        assert self.ended.output is not None
        return value_from_bytes(self.ended.output)

    @property
    def error(self) -> str:
        assert self.ended is not None
        assert self.ended.status is Status.FAILED, self.ended
        return str(self.ended.error)

    @property
    def cause(self) -> str:
        assert self.ended is not None
        return str(self.ended.cause)

    @property
    def took_ms(self) -> int:
        return self.now_ms - NOON_MS

    @property
    def path(self) -> list[str]:
        return [event.state for event in self.events if event.kind.value == "entered"]

    def apply(self, change: Change) -> None:
        for path in change.removed:
            self.frames.pop(path, None)
        for frame in change.frames:
            self.frames[frame.path] = frame
        self.events += change.events
        self.ended = change.ended


def machine(first: str = "", **states: Any) -> dict[str, Any]:
    return {"StartAt": first or next(iter(states)), "States": states}


def run(definition: Mapping[str, Any], given: Any = None, tasks: Mapping[str, Task] | None = None) -> Ran:
    """Run a machine to its end."""
    read = machine_from_json(json.dumps(definition))
    ran = Ran()
    execution = Execution("m", "e", json.dumps(given).encode(), NOON_MS, 7, ran.frames)
    ran.apply(begun(read, execution, now_ms=ran.now_ms))
    go_on(read, execution, ran, tasks or {})
    return ran


def run_again(definition: Mapping[str, Any], ran: Ran, given: Any, tasks: Mapping[str, Task]) -> None:
    """Let an execution that failed go on."""
    read = machine_from_json(json.dumps(definition))
    execution = Execution("m", "e", json.dumps(given).encode(), NOON_MS, 7, ran.frames, 1)
    ran.apply(retried(execution, now_ms=ran.now_ms))
    go_on(read, execution, ran, tasks)


def go_on(read: Machine, execution: Execution, ran: Ran, tasks: Mapping[str, Task]) -> None:
    for _ in range(STEPS_MAX):
        if ran.ended is not None:
            return
        stepped = [step(read, execution, path, ran, tasks) for path in list(ran.frames)]
        if not any(stepped):
            ran.now_ms = min(frame.since_ms for frame in ran.frames.values() if frame.since_ms > ran.now_ms)
    raise AssertionError("the machine does not end")


def step(read: Machine, execution: Execution, path: str, ran: Ran, tasks: Mapping[str, Task]) -> bool:
    frame = ran.frames.get(path)
    if frame is None or ran.ended is not None:
        return False
    made = next_step(read, execution, frame, now_ms=ran.now_ms)
    if isinstance(made, Call):
        ran.calls.append(made)
        ran.called_at_ms.append(ran.now_ms)
        made = finished(read, execution, frame, outcome(tasks, made), now_ms=ran.now_ms)
    if made is not None:
        ran.apply(made)
    return made is not None


def outcome(tasks: Mapping[str, Task], call: Call) -> Outcome:
    try:
        return Given(json.dumps(tasks[call.resource](call.payload)).encode())
    except TaskError as error:
        return Failed(error.name, error.cause)
