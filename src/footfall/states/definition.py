"""A state machine as it is run: read once from its JSON, every state under its name, wherever it stood."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import msgspec

from footfall.states.choices import Rule
from footfall.states.problems import Problem, problems_of
from footfall.states.values import Json
from footfall.values.errors import FootfallError

PROBLEMS_TOLD_MAX = 10  # Whoever writes a definition repairs some and asks again.


class NotAMachine(FootfallError):
    """The definition breaks rules of the language; each problem has its place."""

    def __init__(self, problems: list[Problem]) -> None:
        told = "; ".join(f"{one.place}: {one.says}" for one in problems[:PROBLEMS_TOLD_MAX])
        more = len(problems) - PROBLEMS_TOLD_MAX
        super().__init__(told + (f"; and {more} more" if more > 0 else ""))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Retrier:
    """Which errors are tried again, and when."""

    errors: tuple[str, ...]
    interval_s: int
    attempts_max: int
    backoff_rate: float
    delay_s_max: int | None
    is_jittered: bool


@dataclass(frozen=True, slots=True)
class Catcher:
    """Which errors go on elsewhere, and where the error is put."""

    errors: tuple[str, ...]
    next: str
    result_path: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """States that go on only to each other: a whole machine, a branch, or what is done to an item."""

    start_at: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """Call the function that is registered under the resource's name."""

    resource: str
    timeout_s: int | None = None
    timeout_path: str | None = None
    heartbeat_s: int | None = None
    heartbeat_path: str | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """Give the result, or the input when there is none."""

    result: Json = None
    has_result: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Go where the first rule that holds says."""

    rules: tuple[tuple[Rule, str], ...]
    default: str | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Go on later; exactly one of the four is there."""

    seconds: int | None = None
    seconds_path: str | None = None
    timestamp: str | None = None
    timestamp_path: str | None = None


@dataclass(frozen=True, slots=True)
class Succeed:
    """End well."""


@dataclass(frozen=True, slots=True)
class Fail:
    """End badly."""

    error: str | None = None
    cause: str | None = None
    error_path: str | None = None
    cause_path: str | None = None


@dataclass(frozen=True, slots=True)
class Parallel:
    """Do all branches at once."""

    branches: tuple[Scope, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """Do the same to every item of an array."""

    processor: Scope
    items_path: str
    selector: Json = None
    has_selector: bool = False
    concurrency_max: int = 0
    concurrency_path: str | None = None


Work = Task | Pass | Choice | Wait | Succeed | Fail | Parallel | Map


@dataclass(frozen=True, slots=True)
class State:
    """A state: its work, what it sees of its input, what becomes of its result, and where it goes on."""

    name: str
    work: Work
    next: str | None  # None: the scope ends here.
    input_path: str | None = "$"
    output_path: str | None = "$"
    result_path: str | None = "$"
    parameters: Json = None
    has_parameters: bool = False
    result_selector: Json = None
    retry: tuple[Retrier, ...] = ()
    catch: tuple[Catcher, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """A whole state machine."""

    whole: Scope
    states: Mapping[str, State]
    timeout_s: int | None = None
    comment: str = ""
    resources: frozenset[str] = field(default=frozenset())
    sees_context: bool = True  # Whether any path starts at the context object; else it need not be made.


def machine_from_json(definition: bytes | str) -> Machine:
    """Return the machine that the JSON defines; raise NotAMachine with every problem that it has."""
    try:
        document: Any = msgspec.json.decode(definition)
    except msgspec.DecodeError as error:
        raise NotAMachine([Problem("$", f"the definition is not JSON: {error}")]) from error
    if problems := list(problems_of(document)):
        raise NotAMachine(problems)
    states = {state.name: state for state in _states(document)}
    resources = frozenset(state.work.resource for state in states.values() if isinstance(state.work, Task))
    whole = _scope(document)
    timeout_s, comment = document.get("TimeoutSeconds"), str(document.get("Comment", ""))
    sees_context = "$$" in (definition.decode() if isinstance(definition, bytes) else definition)
    return Machine(whole, MappingProxyType(states), timeout_s, comment, resources, sees_context)


def _scope(document: Any) -> Scope:
    return Scope(document["StartAt"], tuple(document["States"]))


def _states(document: Any) -> Iterator[State]:
    for name, fields in document["States"].items():
        yield _state(name, fields)
        for inner in (*fields.get("Branches", ()), fields.get("Iterator"), fields.get("ItemProcessor")):
            if inner is not None:
                yield from _states(inner)


def _state(name: str, fields: Any) -> State:
    is_map = fields["Type"] == "Map"  # Its Parameters are the old name of what selects an item.
    return State(
        name,
        _WORKS[fields["Type"]](fields),
        fields.get("Next"),
        fields.get("InputPath", "$"),
        fields.get("OutputPath", "$"),
        fields.get("ResultPath", "$"),
        fields.get("Parameters"),
        "Parameters" in fields and not is_map,
        fields.get("ResultSelector"),
        tuple(_retrier(one) for one in fields.get("Retry", ())),
        tuple(_catcher(one) for one in fields.get("Catch", ())),
        str(fields.get("Comment", "")),
    )


def _retrier(fields: Any) -> Retrier:
    return Retrier(
        tuple(fields["ErrorEquals"]),
        int(fields.get("IntervalSeconds", 1)),
        int(fields.get("MaxAttempts", 3)),
        float(fields.get("BackoffRate", 2.0)),
        fields.get("MaxDelaySeconds"),
        fields.get("JitterStrategy", "NONE") == "FULL",
    )


def _catcher(fields: Any) -> Catcher:
    return Catcher(tuple(fields["ErrorEquals"]), fields["Next"], fields.get("ResultPath", "$"))


def _task(fields: Any) -> Task:
    return Task(
        fields["Resource"],
        fields.get("TimeoutSeconds"),
        fields.get("TimeoutSecondsPath"),
        fields.get("HeartbeatSeconds"),
        fields.get("HeartbeatSecondsPath"),
    )


def _pass(fields: Any) -> Pass:
    return Pass(fields.get("Result"), "Result" in fields)


def _choice(fields: Any) -> Choice:
    return Choice(tuple((rule, rule["Next"]) for rule in fields["Choices"]), fields.get("Default"))


def _wait(fields: Any) -> Wait:
    return Wait(fields.get("Seconds"), fields.get("SecondsPath"), fields.get("Timestamp"), fields.get("TimestampPath"))


def _succeed(_fields: Any) -> Succeed:
    return Succeed()


def _fail(fields: Any) -> Fail:
    return Fail(fields.get("Error"), fields.get("Cause"), fields.get("ErrorPath"), fields.get("CausePath"))


def _parallel(fields: Any) -> Parallel:
    return Parallel(tuple(_scope(branch) for branch in fields["Branches"]))


def _map(fields: Any) -> Map:
    selector = fields.get("ItemSelector", fields.get("Parameters"))
    return Map(
        _scope(fields.get("ItemProcessor") or fields["Iterator"]),
        fields.get("ItemsPath", "$"),
        selector,
        "ItemSelector" in fields or "Parameters" in fields,
        int(fields.get("MaxConcurrency", 0)),
        fields.get("MaxConcurrencyPath"),
    )


_WORKS = MappingProxyType(
    {
        "Task": _task,
        "Pass": _pass,
        "Choice": _choice,
        "Wait": _wait,
        "Succeed": _succeed,
        "Fail": _fail,
        "Parallel": _parallel,
        "Map": _map,
    }
)
