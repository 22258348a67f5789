"""The way of data through a state: InputPath, Parameters, the work, ResultSelector, ResultPath, OutputPath."""

from footfall.states.definition import Machine, State
from footfall.states.execution import Execution, Frame
from footfall.states.failing import RUNTIME, StateFailed
from footfall.states.paths import placed
from footfall.states.templates import Chance, Sight, filled, selected, value_of
from footfall.states.timestamps import timestamp_of
from footfall.states.values import Json, value_from_bytes


def sight_of(machine: Machine, execution: Execution, frame: Frame) -> Sight:
    """Return what a state sees: its raw input, the context object, and the chance that is this entry's own."""
    context = context_of(execution, frame) if machine.sees_context else None
    salt = f"{execution.salt}{frame.path}:{frame.entry}:{frame.attempt}"
    return Sight(value_from_bytes(frame.data), context, Chance(salt))


def context_of(execution: Execution, frame: Frame) -> Json:
    """Return the context object."""
    context: dict[str, Json] = {
        "Execution": {
            "Id": f"{execution.machine}/{execution.name}",
            "Name": execution.name,
            "Input": value_from_bytes(execution.input),
            "StartTime": timestamp_of(execution.started_at_ms),
            "RedriveCount": execution.redrives,
        },
        "State": {
            "Name": frame.state,
            "EnteredTime": timestamp_of(frame.entered_at_ms),
            "RetryCount": frame.attempt,
        },
        "StateMachine": {"Id": execution.machine, "Name": execution.machine},
    }
    return context


def with_item(sight: Sight, index: int, value: Json) -> Sight:
    """Return the sight with an item of a Map in its context: as on AWS, only what selects items sees it."""
    context = sight.context if isinstance(sight.context, dict) else {}
    return Sight(sight.data, {**context, "Map": {"Item": {"Index": index, "Value": value}}}, sight.chance)


def effective_input(state: State, sight: Sight) -> Json:
    """Return what the state's work is given."""
    seen = selected(state.input_path, sight, field="InputPath")
    return filled(state.parameters, sight.of(seen)) if state.has_parameters else seen


def output_of(state: State, sight: Sight, result: Json) -> Json:
    """Return what the state gives on, from its raw input and the result of its work."""
    if state.result_selector is not None:
        result = filled(state.result_selector, sight.of(result))
    if state.result_path is None:
        joined = sight.data
    else:
        joined = result if state.result_path == "$" else placed(state.result_path, sight.data, result)
    return selected(state.output_path, sight.of(joined), field="OutputPath")


def seconds_at(seconds: int | None, path: str | None, sight: Sight, *, least: int = 1) -> int | None:
    """Return a length of time that is written out or that a path leads to."""
    if path is None:
        return seconds
    found = value_of(path, sight)
    if isinstance(found, bool) or not isinstance(found, int) or found < least:
        raise StateFailed(RUNTIME, f"{path!r} leads to {found!r}, which is not a whole number of seconds")
    return found
