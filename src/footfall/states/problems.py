"""What is wrong with a definition, by the published rules of the language: each problem with its place."""

from collections.abc import Callable, Iterator, Mapping, Set
from types import MappingProxyType
from typing import Final

from footfall.states.problem import (
    Object,
    Problem,
    below,
    computed_problems,
    either_problems,
    path_problems,
    reference_problems,
    template_problems,
    text_problems,
    whole_problems,
)
from footfall.states.problems_of_choices import choice_problems
from footfall.states.problems_of_errors import catch_problems, retry_problems
from footfall.states.timestamps import nanoseconds_of
from footfall.states.values import Json

NAME_CHARACTERS_MAX = 80  # The language: of a state's name.
NO_JSONATA = "JSONata is not understood here: write the machine with JSONPath (InputPath, Parameters, ResultPath ...)"
_OF_JSONATA = frozenset({"Arguments", "Output", "Condition", "Items", "Assign"})

_COMMON = {"Type", "Comment", "QueryLanguage"}
_GOING_ON = {"Next", "End"}
_SEEING = {"InputPath", "OutputPath"}
_WORKING = {"Parameters", "ResultSelector", "ResultPath", "Retry", "Catch"}
FIELDS: Final[Mapping[str, Set[str]]] = MappingProxyType(
    {
        "Task": _COMMON | _GOING_ON | _SEEING | _WORKING
        | {"Resource", "TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath"},
        "Pass": _COMMON | _GOING_ON | _SEEING | {"Parameters", "ResultPath", "Result"},
        "Choice": _COMMON | _SEEING | {"Choices", "Default"},
        "Wait": _COMMON | _GOING_ON | _SEEING | {"Seconds", "SecondsPath", "Timestamp", "TimestampPath"},
        "Succeed": _COMMON | _SEEING,
        "Fail": _COMMON | {"Error", "Cause", "ErrorPath", "CausePath"},
        "Parallel": _COMMON | _GOING_ON | _SEEING | _WORKING | {"Branches"},
        "Map": _COMMON | _GOING_ON | _SEEING | _WORKING
        | {"Iterator", "ItemProcessor", "ItemsPath", "ItemSelector", "MaxConcurrency", "MaxConcurrencyPath"},
    }
)  # fmt: skip
_OF_MACHINE = frozenset({"Comment", "StartAt", "States", "TimeoutSeconds", "Version", "QueryLanguage"})
_OF_BRANCH = frozenset({"Comment", "StartAt", "States"})
_OF_DISTRIBUTED = frozenset(
    {"ItemReader", "ItemBatcher", "ResultWriter", "ToleratedFailureCount", "ToleratedFailurePercentage", "Label"}
)


def problems_of(document: Json) -> Iterator[Problem]:
    """Yield everything that is wrong with a definition."""
    if not isinstance(document, dict):
        yield Problem("$", "a state machine is an object")
        return
    yield from _language(document, "$")
    yield from text_problems(document, "Comment", "$")
    yield from whole_problems(document, "TimeoutSeconds", "$", least=1)
    if document.get("Version", "1.0") != "1.0":
        yield Problem("$.Version", f"only version 1.0 of the language exists, not {document['Version']!r}")
    yield from _scope_problems(document, "$", _OF_MACHINE, set())


def _scope_problems(scope: Object, place: str, known: Set[str], names: set[str]) -> Iterator[Problem]:
    yield from _unknown(scope, place, known)
    states = scope.get("States")
    if not isinstance(states, dict) or not states:
        yield Problem(below(place, "States"), "has to be an object of at least one state")
        return
    start = scope.get("StartAt")
    if not isinstance(start, str) or start not in states:
        yield Problem(below(place, "StartAt"), f"has to name a state of States, not {start!r}")
    for name, state in states.items():
        where = below(below(place, "States"), name)
        if not 1 <= len(name) <= NAME_CHARACTERS_MAX:
            yield Problem(where, f"a name has 1 to {NAME_CHARACTERS_MAX} characters, this one {len(name)}")
        if name in names:
            yield Problem(where, "the name is there twice; the states of a whole machine have names of their own")
        names.add(name)
        if isinstance(state, dict):
            yield from _state_problems(state, where, states.keys(), names)
        else:
            yield Problem(where, "a state is an object")
    yield from _way_problems(states, start, place)


def _way_problems(states: Object, start: Json, place: str) -> Iterator[Problem]:
    """Yield states that are never reached, and a scope that never ends."""
    reached: set[str] = set()
    waiting = [start] if isinstance(start, str) else []
    while waiting:
        name = waiting.pop()
        state = states.get(name)
        if name not in reached and isinstance(state, dict):
            reached.add(name)
            waiting.extend(_following(state))
    for name in states:
        if start in states and name not in reached:
            yield Problem(below(below(place, "States"), name), "is never reached")
    kinds = [states[name] for name in reached]
    if reached and not any(isinstance(one, dict) and _may_end(one) for one in kinds):
        yield Problem(below(place, "States"), "no state ends it: one needs End, or is Succeed or Fail")


def _following(state: Object) -> Iterator[str]:
    rules, catchers = state.get("Choices"), state.get("Catch")
    for fields in [
        state,
        *(rules if isinstance(rules, list) else []),
        *(catchers if isinstance(catchers, list) else []),
    ]:
        following = fields.get("Next") if isinstance(fields, dict) else None
        if isinstance(following, str):
            yield following
    if isinstance(default := state.get("Default"), str):
        yield default


def _may_end(state: Object) -> bool:
    return state.get("Type") in ("Succeed", "Fail") or state.get("End") is True


def _state_problems(state: Object, place: str, siblings: Set[str], names: set[str]) -> Iterator[Problem]:
    kind = state.get("Type")
    if not isinstance(kind, str) or kind not in FIELDS:
        yield Problem(below(place, "Type"), f"has to be one of {', '.join(FIELDS)}, not {kind!r}")
        return
    yield from _language(state, place)
    yield from _unknown(state, place, FIELDS[kind])
    yield from text_problems(state, "Comment", place)
    yield from _data_problems(state, place)
    if "Next" in FIELDS[kind]:
        yield from _next_problems(state, place, siblings)
    if kind in _OWN:
        yield from _OWN[kind](state, place)
    if kind == "Choice":
        yield from choice_problems(state, place, siblings)
    if "Retry" in FIELDS[kind]:
        yield from retry_problems(state, place)
        yield from catch_problems(state, place, siblings)
    yield from _inner_problems(state, place, names)


def _data_problems(state: Object, place: str) -> Iterator[Problem]:
    for name in ("InputPath", "OutputPath"):
        yield from path_problems(state, name, place, or_null=True)
    yield from reference_problems(state, "ResultPath", place, or_null=True)
    for name in ("Parameters", "ResultSelector", "ItemSelector"):
        if name in state:
            if name == "ResultSelector" and not isinstance(state[name], dict):
                yield Problem(below(place, name), "has to be an object")
            yield from template_problems(state[name], below(place, name))


def _next_problems(state: Object, place: str, siblings: Set[str]) -> Iterator[Problem]:
    yield from either_problems(state, ("Next", "End"), place, needed=True)
    following = state.get("Next")
    if "Next" in state and (not isinstance(following, str) or following not in siblings):
        yield Problem(below(place, "Next"), f"has to name a state beside this one, not {following!r}")
    if state.get("End", True) is not True:
        yield Problem(below(place, "End"), f"has to be true, not {state['End']!r}")


def _inner_problems(state: Object, place: str, names: set[str]) -> Iterator[Problem]:
    branches = state.get("Branches")
    inner = [(f"{below(place, 'Branches')}[{number}]", one) for number, one in enumerate(_listed(branches))]
    inner += [(below(place, name), state[name]) for name in ("Iterator", "ItemProcessor") if name in state]
    for where, scope in inner:
        if not isinstance(scope, dict):
            yield Problem(where, "has to be an object with StartAt and States")
            continue
        known = _OF_BRANCH | {"ProcessorConfig"} if where.endswith("ItemProcessor") else _OF_BRANCH
        yield from _mode_problems(scope, where)
        yield from _scope_problems(scope, where, known, names)


def _mode_problems(scope: Object, place: str) -> Iterator[Problem]:
    config = scope.get("ProcessorConfig", {})
    if not isinstance(config, dict) or config.get("Mode", "INLINE") != "INLINE":
        yield Problem(below(place, "ProcessorConfig"), "only the mode INLINE runs here: a distributed Map needs S3")


def _task_problems(state: Object, place: str) -> Iterator[Problem]:
    resource = state.get("Resource")
    if not isinstance(resource, str) or not resource:
        yield Problem(below(place, "Resource"), f"has to name the function to call, not {resource!r}")
    for name in ("TimeoutSeconds", "HeartbeatSeconds"):
        yield from whole_problems(state, name, place, least=1)
        yield from path_problems(state, f"{name}Path", place)
        yield from either_problems(state, (name, f"{name}Path"), place, needed=False)
    timeout, heartbeat = state.get("TimeoutSeconds"), state.get("HeartbeatSeconds")
    if isinstance(timeout, int) and isinstance(heartbeat, int) and heartbeat >= timeout:
        yield Problem(below(place, "HeartbeatSeconds"), f"has to be less than TimeoutSeconds, which is {timeout}")


def _wait_problems(state: Object, place: str) -> Iterator[Problem]:
    yield from either_problems(state, ("Seconds", "SecondsPath", "Timestamp", "TimestampPath"), place, needed=True)
    yield from whole_problems(state, "Seconds", place, least=0)
    for name in ("SecondsPath", "TimestampPath"):
        yield from path_problems(state, name, place)
    if "Timestamp" in state and nanoseconds_of(state["Timestamp"]) is None:
        yield Problem(below(place, "Timestamp"), f"has to be like 2026-11-17T12:00:00Z, not {state['Timestamp']!r}")


def _fail_problems(state: Object, place: str) -> Iterator[Problem]:
    for name in ("Error", "Cause"):
        yield from text_problems(state, name, place)
        yield from computed_problems(state, f"{name}Path", place)
        yield from either_problems(state, (name, f"{name}Path"), place, needed=False)


def _parallel_problems(state: Object, place: str) -> Iterator[Problem]:
    if not _listed(state.get("Branches")):
        yield Problem(below(place, "Branches"), "has to be an array of at least one branch")


def _map_problems(state: Object, place: str) -> Iterator[Problem]:
    yield from either_problems(state, ("ItemProcessor", "Iterator"), place, needed=True)
    yield from either_problems(state, ("ItemSelector", "Parameters"), place, needed=False)
    yield from either_problems(state, ("MaxConcurrency", "MaxConcurrencyPath"), place, needed=False)
    yield from path_problems(state, "ItemsPath", place)
    yield from path_problems(state, "MaxConcurrencyPath", place)
    yield from whole_problems(state, "MaxConcurrency", place, least=0)


def _language(fields: Object, place: str) -> Iterator[Problem]:
    if fields.get("QueryLanguage", "JSONPath") != "JSONPath":
        yield Problem(below(place, "QueryLanguage"), NO_JSONATA)


def _unknown(fields: Object, place: str, known: Set[str]) -> Iterator[Problem]:
    for name in fields:
        if name in known:
            continue
        if name in _OF_JSONATA:
            yield Problem(below(place, name), NO_JSONATA)
        elif name in _OF_DISTRIBUTED:
            yield Problem(below(place, name), "belongs to a distributed Map, and only inline ones run here")
        else:
            yield Problem(below(place, name), "is no field that stands here")


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


_OWN: Final[Mapping[str, Callable[[Object, str], Iterator[Problem]]]] = MappingProxyType(
    {
        "Task": _task_problems,
        "Wait": _wait_problems,
        "Fail": _fail_problems,
        "Parallel": _parallel_problems,
        "Map": _map_problems,
    }
)
