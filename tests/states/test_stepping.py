"""Each kind of state, and each field by which data go through it, by the published rules."""

import json
from typing import Any

import pytest

from footfall.states.definition import machine_from_json
from footfall.states.execution import Status
from footfall.states.stepping import stopped, timed_out
from tests.states.running import NOON_MS, machine, run

DONE: Any = {"Type": "Succeed"}


def through(state: Any, given: Any) -> Any:
    return run(machine(S={**state, "End": True}), given).output


@pytest.mark.parametrize(
    ("fields", "given", "output"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"Result": {"r": 1}}, {"a": 1}, {"r": 1}),
        ({"Result": None}, {"a": 1}, None),
        ({"Result": 5, "ResultPath": "$.r"}, {"a": 1}, {"a": 1, "r": 5}),
        ({"Result": 5, "ResultPath": None}, {"a": 1}, {"a": 1}),
        ({"Result": 5, "ResultPath": "$.x.y"}, {"x": {"z": 1}}, {"x": {"z": 1, "y": 5}}),
        ({"InputPath": "$.a"}, {"a": {"b": 1}}, {"b": 1}),
        ({"InputPath": None}, {"a": 1}, {}),
        ({"InputPath": "$.a[*].b"}, {"a": [{"b": 1}, {"b": 2}]}, [1, 2]),
        ({"InputPath": "$.a", "ResultPath": "$.c"}, {"a": 1}, {"a": 1, "c": 1}),
        ({"OutputPath": "$.a"}, {"a": 1, "b": 2}, 1),
        ({"OutputPath": None}, {"a": 1}, {}),
        ({"Parameters": {"x.$": "$.a", "y": "$.a"}}, {"a": 1}, {"x": 1, "y": "$.a"}),
        ({"Parameters": {"x": [{"y.$": "$.a[0]"}]}}, {"a": [7]}, {"x": [{"y": 7}]}),
        ({"InputPath": "$.in", "Parameters": {"x.$": "$.a"}}, {"in": {"a": 1}}, {"x": 1}),
        ({"Parameters": {"n.$": "$$.State.Name", "e.$": "$$.Execution.Input.a"}}, {"a": 1}, {"n": "S", "e": 1}),
        ({"Parameters": {"s.$": "States.Format('{}!', $.a)"}}, {"a": "x"}, {"s": "x!"}),
        ({"Parameters": 5}, {"a": 1}, 5),
        ({"Result": 2, "ResultPath": "$.r", "OutputPath": "$.r"}, {}, 2),
    ],
)
def test_data_go_through_a_pass_state(fields: Any, given: Any, output: Any) -> None:
    assert through({"Type": "Pass", **fields}, given) == output


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"InputPath": "$.gone"}, "States.Runtime"),
        ({"OutputPath": "$.gone"}, "States.Runtime"),
        ({"Parameters": {"x.$": "$.gone"}}, "States.ParameterPathFailure"),
        ({"Parameters": {"x.$": "States.StringToJson($.text)"}}, "States.IntrinsicFailure"),
        ({"Result": 1, "ResultPath": "$.text.below"}, "States.ResultPathMatchFailure"),
        ({"Parameters": {"a.$": "$.large", "b.$": "$.large"}}, "States.DataLimitExceeded"),
    ],
)
def test_data_that_do_not_fit_fail_their_state(fields: Any, error: str) -> None:
    given = {"text": "no json", "large": "x" * 140_000}
    assert run(machine(S={"Type": "Pass", **fields, "End": True}), given).error == error


def test_a_task_is_given_its_effective_input_and_its_result_goes_on() -> None:
    task = {
        "Type": "Task", "Resource": "double", "InputPath": "$.in", "Parameters": {"n.$": "$.n"},
        "ResultSelector": {"doubled.$": "$.value", "by.$": "$$.State.Name"}, "ResultPath": "$.out",
        "OutputPath": "$['in','out']", "End": True,
    }  # fmt: skip
    ran = run(machine(T=task), {"in": {"n": 4}, "x": 1}, {"double": lambda given: {"value": given["n"] * 2}})
    assert ran.calls[0].payload == {"n": 4}
    assert ran.calls[0].key == "m/e:T:1"
    assert ran.output == [{"n": 4}, {"doubled": 8, "by": "T"}]


def test_times_of_a_task_are_told_with_its_call() -> None:
    task: Any = {"Type": "Task", "Resource": "t", "TimeoutSeconds": 9, "HeartbeatSecondsPath": "$.h", "End": True}
    (call,) = run(machine(T=task), {"h": 3}, {"t": lambda _: None}).calls
    assert (call.timeout_ms, call.heartbeat_ms) == (9_000, 3_000)
    assert run(machine(T=task), {"h": "x"}, {"t": lambda _: None}).error == "States.Runtime"


def test_a_choice_takes_the_first_rule_that_holds() -> None:
    rules = [
        {"Variable": "$.n", "NumericLessThan": limit, "Next": name} for limit, name in ((1, "A"), (5, "B"), (9, "C"))
    ]
    chosen = machine(S={"Type": "Choice", "Choices": rules, "Default": "D"}, A=DONE, B=DONE, C=DONE, D=DONE)
    assert [run(chosen, {"n": n}).path[1] for n in (0, 3, 5, 9)] == ["A", "B", "C", "D"]
    assert run(chosen, {}).error == "States.Runtime"
    del chosen["States"]["S"]["Default"], chosen["States"]["D"]
    assert run(chosen, {"n": 9}).error == "States.NoChoiceMatched"


def test_a_choice_lets_its_input_through() -> None:
    rules = [{"Variable": "$.n", "IsPresent": True, "Next": "A"}]
    state = {"Type": "Choice", "InputPath": "$.in", "OutputPath": "$.n", "Choices": rules}
    assert run(machine(S=state, A=DONE), {"in": {"n": 1}}).output == 1


@pytest.mark.parametrize(
    ("fields", "given", "took_ms"),
    [
        ({"Seconds": 10}, {}, 10_000),
        ({"Seconds": 0}, {}, 0),
        ({"SecondsPath": "$.s"}, {"s": 7}, 7_000),
        ({"Timestamp": "2026-11-15T12:00:05Z"}, {}, 5_000),
        ({"TimestampPath": "$.t"}, {"t": "2026-11-15T13:00:01.5+01:00"}, 1_500),
        ({"Timestamp": "2020-01-01T00:00:00Z"}, {}, 0),
    ],
)
def test_a_wait_goes_on_at_its_moment(fields: Any, given: Any, took_ms: int) -> None:
    assert NOON_MS == 1_794_744_000_000  # 2026-11-15T12:00:00Z
    ran = run(machine(W={"Type": "Wait", **fields, "End": True}), given)
    assert (ran.took_ms, ran.output) == (took_ms, given)


@pytest.mark.parametrize(
    ("fields", "given"),
    [
        ({"SecondsPath": "$.s"}, {"s": "1"}),
        ({"SecondsPath": "$.s"}, {"s": -1}),
        ({"TimestampPath": "$.s"}, {"s": "soon"}),
    ],
)
def test_a_wait_for_no_moment_fails(fields: Any, given: Any) -> None:
    assert run(machine(W={"Type": "Wait", **fields, "End": True}), given).error == "States.Runtime"


def test_succeed_ends_with_what_it_sees() -> None:
    state = {"Type": "Succeed", "InputPath": "$.a", "OutputPath": "$.b"}
    assert run(machine(S=state), {"a": {"b": 2}}).output == 2


@pytest.mark.parametrize(
    ("fields", "error", "cause"),
    [
        ({}, "", ""),
        ({"Error": "E", "Cause": "C"}, "E", "C"),
        ({"ErrorPath": "$.e", "CausePath": "States.Format('{}?', $.c)"}, "X", "Y?"),
        ({"ErrorPath": "$.n"}, "States.Runtime", ""),
    ],
)
def test_fail_ends_with_an_error(fields: Any, error: str, cause: str) -> None:
    ran = run(machine(F={"Type": "Fail", **fields}), {"e": "X", "c": "Y", "n": 1})
    assert ran.ended is not None
    assert (ran.ended.error or "") == error
    assert not cause or ran.cause == cause


def test_the_context_tells_where_one_is() -> None:
    fields = ("Execution.Name", "Execution.StartTime", "State.EnteredTime", "State.RetryCount", "StateMachine.Name")
    template = {f"v{number}.$": f"$$.{field}" for number, field in enumerate(fields)}
    noon = "2026-11-15T12:00:00.000Z"
    output = through({"Type": "Pass", "Parameters": template}, {})
    assert list(output.values()) == ["e", noon, noon, 0, "m"]


def test_chance_is_the_same_when_a_state_is_done_again() -> None:
    state = {"Type": "Pass", "Parameters": {"id.$": "States.UUID()"}}
    assert through(state, {}) == through(state, {})
    twice = machine(A={**state, "ResultPath": "$.a", "Next": "B"}, B={**state, "ResultPath": "$.b", "End": True})
    output: Any = run(twice, {}).output
    assert output["a"] != output["b"]


def test_an_execution_is_stopped_or_runs_out_of_time() -> None:
    ended = stopped(reason="by hand", now_ms=5).ended
    assert ended is not None
    assert (ended.status, ended.cause) == (Status.STOPPED, "by hand")
    limited = machine_from_json(json.dumps({**machine(S=DONE), "TimeoutSeconds": 5}))
    late = timed_out(limited, now_ms=5).ended
    assert late is not None
    assert (late.status, late.error) == (Status.TIMED_OUT, "States.Timeout")
