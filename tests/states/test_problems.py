"""Definitions that keep the rules of the language, and those that break each of them, with the place where."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.states.definition import NotAMachine, machine_from_json
from footfall.states.problems import FIELDS, NO_JSONATA, problems_of

END: Any = {"Type": "Pass", "End": True}
TASK: Any = {"Type": "Task", "Resource": "work", "End": True}
CHOICE: Any = {"Type": "Choice", "Choices": [{"Variable": "$.a", "NumericEquals": 1, "Next": "A"}], "Default": "A"}
BRANCH: Any = {"StartAt": "B", "States": {"B": END}}
PARALLEL: Any = {"Type": "Parallel", "Branches": [BRANCH], "End": True}
MAP: Any = {"Type": "Map", "ItemProcessor": BRANCH, "End": True}
THESIS: Any = {
    "Comment": "Metric metadata migration state machine",
    "StartAt": "MigrateOneMetric",
    "States": {
        "MigrateOneMetric": {
            "Type": "Task",
            "Resource": "${MigrateOneMetricLambdaArn}",
            "Next": "Success",
            "Retry": [
                {
                    "ErrorEquals": ["Lambda.TooManyRequestsException"],
                    "IntervalSeconds": 5,
                    "MaxAttempts": 10,
                    "BackoffRate": 2.0,
                }
            ],
            "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": None, "Next": "CleanUp"}],
        },
        "CleanUp": {"Type": "Task", "Resource": "${CleanUpLambdaArn}", "Next": "Fail"},
        "Success": {"Type": "Succeed"},
        "Fail": {"Type": "Fail"},
    },
}


def one(state: Any, **more: Any) -> Any:
    return {"StartAt": "S", "States": {"S": state, **more}}


def retrier(**fields: Any) -> Any:
    return one({**TASK, "Retry": [{"ErrorEquals": ["E"], **fields}]})


def rule(**fields: Any) -> Any:
    return one({**CHOICE, "Choices": [{"Next": "A", **fields}]}, A=END)


VALID = {
    "pass": one(END),
    "thesis": THESIS,
    "task": one({**TASK, "TimeoutSeconds": 9, "HeartbeatSeconds": 3}),
    "paths of times": one({**TASK, "TimeoutSecondsPath": "$.t", "HeartbeatSecondsPath": "$.h"}),
    "choice": one(CHOICE, A=END),
    "joined rules": rule(And=[{"Not": {"Variable": "$.a", "IsNull": True}}, {"Variable": "$.b", "StringMatches": "*"}]),
    "wait": one({"Type": "Wait", "Timestamp": "2026-11-17T12:00:00Z", "End": True}),
    "parallel": one(PARALLEL),
    "map": one({**MAP, "ItemsPath": "$.x[*]", "ItemSelector": {"v.$": "$$.Map.Item.Value"}, "MaxConcurrency": 3}),
    "old map": one({"Type": "Map", "Iterator": BRANCH, "Parameters": {"v.$": "$"}, "End": True}),
    "inline map": one({**MAP, "ItemProcessor": {**BRANCH, "ProcessorConfig": {"Mode": "INLINE"}}}),
    "computed cause": one({"Type": "Fail", "ErrorPath": "$.e", "CausePath": "States.Format('{}', $.c)"}),
    "no paths": one({**TASK, "InputPath": None, "OutputPath": None, "ResultPath": None}),
    "context": one({**TASK, "InputPath": "$$.Execution.Input"}),
    "whole rate": retrier(BackoffRate=3, MaxAttempts=0, MaxDelaySeconds=2, JitterStrategy="FULL"),
    "language": {**one({**END, "QueryLanguage": "JSONPath"}), "QueryLanguage": "JSONPath", "Version": "1.0"},
}


@pytest.mark.parametrize("name", VALID)
def test_a_good_definition_is_read(name: str) -> None:
    machine = machine_from_json(json.dumps(VALID[name]))
    assert machine.whole.start_at in machine.states


INVALID: list[tuple[Any, str]] = [
    ([], "$"),
    ({}, "$.States"),
    ({"StartAt": "A", "States": {}}, "$.States"),
    ({"StartAt": "A", "States": {"S": END}}, "$.StartAt"),
    ({"States": {"S": END}}, "$.StartAt"),
    ({**one(END), "Version": "2.0"}, "$.Version"),
    ({**one(END), "TimeoutSeconds": 0}, "$.TimeoutSeconds"),
    ({**one(END), "Extra": 0}, "$.Extra"),
    ({**one(END), "Comment": 1}, "$.Comment"),
    ({"StartAt": "x" * 81, "States": {"x" * 81: END}}, f"$.States.{'x' * 81}"),
    (one("text"), "$.States.S"),
    (one({"Type": "Go", "End": True}), "$.States.S.Type"),
    (one({"End": True}), "$.States.S.Type"),
    (one({"Type": "Pass"}), "$.States.S"),
    (one({"Type": "Pass", "Next": "A", "End": True}, A=END), "$.States.S"),
    (one({"Type": "Pass", "End": False}), "$.States.S.End"),
    (one({"Type": "Pass", "Next": "Nowhere"}), "$.States.S.Next"),
    (one({"Type": "Succeed", "Next": "A"}, A=END), "$.States.S.Next"),
    (one({"Type": "Fail", "End": True}), "$.States.S.End"),
    (one({"Type": "Fail", "Error": 1}), "$.States.S.Error"),
    (one({"Type": "Fail", "Error": "a", "ErrorPath": "$.a"}), "$.States.S"),
    (one({"Type": "Fail", "CausePath": "no path"}), "$.States.S.CausePath"),
    (one(END, Lost=END), "$.States.Lost"),
    (one(END, **{"Lost one": END}), "$.States['Lost one']"),
    (one({"Type": "Pass", "Next": "S"}), "$.States"),
    (one({**END, "InputPath": "a"}), "$.States.S.InputPath"),
    (one({**END, "OutputPath": 3}), "$.States.S.OutputPath"),
    (one({**END, "ResultPath": "$.a[*]"}), "$.States.S.ResultPath"),
    (one({**END, "Parameters": {"a.$": "x"}}), "$.States.S.Parameters['a.$']"),
    (one({**END, "Parameters": {"b": [{"a.$": 1}]}}), "$.States.S.Parameters.b[0]['a.$']"),
    (one({**END, "Parameters": {"a.$": "States.Nothing()"}}), "$.States.S.Parameters['a.$']"),
    (one({**END, "Parameters": {"a.$": "$", "a": 1}}), "$.States.S.Parameters['a.$']"),
    (one({**TASK, "ResultSelector": "x"}), "$.States.S.ResultSelector"),
    (one({"Type": "Task", "End": True}), "$.States.S.Resource"),
    (one({**TASK, "TimeoutSeconds": 1.5}), "$.States.S.TimeoutSeconds"),
    (one({**TASK, "TimeoutSeconds": 5, "HeartbeatSeconds": 5}), "$.States.S.HeartbeatSeconds"),
    (one({**TASK, "TimeoutSeconds": 5, "TimeoutSecondsPath": "$.a"}), "$.States.S"),
    (one({**TASK, "Result": 1}), "$.States.S.Result"),
    (one({**TASK, "Retry": {}}), "$.States.S.Retry"),
    (one({**TASK, "Retry": ["x"]}), "$.States.S.Retry[0]"),
    (one({**TASK, "Retry": [{}]}), "$.States.S.Retry[0].ErrorEquals"),
    (one({**TASK, "Retry": [{"ErrorEquals": []}]}), "$.States.S.Retry[0].ErrorEquals"),
    (one({**TASK, "Retry": [{"ErrorEquals": [1]}]}), "$.States.S.Retry[0].ErrorEquals[0]"),
    (one({**TASK, "Retry": [{"ErrorEquals": ["States.Mine"]}]}), "$.States.S.Retry[0].ErrorEquals[0]"),
    (one({**TASK, "Retry": [{"ErrorEquals": ["States.ALL", "E"]}]}), "$.States.S.Retry[0].ErrorEquals"),
    (
        one({**TASK, "Retry": [{"ErrorEquals": ["States.ALL"]}, {"ErrorEquals": ["E"]}]}),
        "$.States.S.Retry[0].ErrorEquals",
    ),
    (retrier(IntervalSeconds=0), "$.States.S.Retry[0].IntervalSeconds"),
    (retrier(MaxAttempts=-1), "$.States.S.Retry[0].MaxAttempts"),
    (retrier(BackoffRate=0.9), "$.States.S.Retry[0].BackoffRate"),
    (retrier(BackoffRate=True), "$.States.S.Retry[0].BackoffRate"),
    (retrier(MaxDelaySeconds=31_622_401), "$.States.S.Retry[0].MaxDelaySeconds"),
    (retrier(IntervalSeconds=5, MaxDelaySeconds=5), "$.States.S.Retry[0].MaxDelaySeconds"),
    (retrier(JitterStrategy="HALF"), "$.States.S.Retry[0].JitterStrategy"),
    (retrier(Often=1), "$.States.S.Retry[0].Often"),
    (one({**TASK, "Catch": [{"ErrorEquals": ["E"]}]}), "$.States.S.Catch[0].Next"),
    (one({**TASK, "Catch": [{"ErrorEquals": ["E"], "Next": "X"}]}), "$.States.S.Catch[0].Next"),
    (
        one({**TASK, "Catch": [{"ErrorEquals": ["E"], "Next": "A", "ResultPath": "a"}]}, A=END),
        "$.States.S.Catch[0].ResultPath",
    ),
    (one({**END, "Retry": []}), "$.States.S.Retry"),
    (one({"Type": "Choice", "Choices": []}, A=END), "$.States.S.Choices"),
    (one({**CHOICE, "Default": "X"}, A=END), "$.States.S.Default"),
    (one({**CHOICE, "End": True}, A=END), "$.States.S.End"),
    (one({**CHOICE, "Choices": [{"Variable": "$.a", "IsNull": True}]}, A=END), "$.States.S.Choices[0].Next"),
    (rule(Variable="$.a"), "$.States.S.Choices[0]"),
    (rule(Variable="$.a", IsNull=True, IsString=True), "$.States.S.Choices[0]"),
    (rule(IsNull=True), "$.States.S.Choices[0]"),
    (rule(Variable="a", IsNull=True), "$.States.S.Choices[0].Variable"),
    (rule(Variable="$.a", IsNull="yes"), "$.States.S.Choices[0].IsNull"),
    (rule(Variable="$.a", NumericEquals="1"), "$.States.S.Choices[0].NumericEquals"),
    (rule(Variable="$.a", StringEquals=1), "$.States.S.Choices[0].StringEquals"),
    (rule(Variable="$.a", TimestampEquals="today"), "$.States.S.Choices[0].TimestampEquals"),
    (rule(Variable="$.a", NumericEqualsPath=1), "$.States.S.Choices[0].NumericEqualsPath"),
    (rule(And=[]), "$.States.S.Choices[0].And"),
    (rule(Or=["x"]), "$.States.S.Choices[0].Or[0]"),
    (rule(Not=[]), "$.States.S.Choices[0].Not"),
    (rule(Variable="$.a", Not={"Variable": "$.a", "IsNull": True}), "$.States.S.Choices[0].Variable"),
    (rule(Not={"Variable": "$.a", "IsNull": True, "Next": "A"}), "$.States.S.Choices[0].Not.Next"),
    (rule(Variable="$.a", Sounds="x"), "$.States.S.Choices[0].Sounds"),
    (one({"Type": "Wait", "End": True}), "$.States.S"),
    (one({"Type": "Wait", "Seconds": 1, "Timestamp": "2026-11-17T12:00:00Z", "End": True}), "$.States.S"),
    (one({"Type": "Wait", "Seconds": -1, "End": True}), "$.States.S.Seconds"),
    (one({"Type": "Wait", "Timestamp": "2026-11-17 12:00:00", "End": True}), "$.States.S.Timestamp"),
    (one({"Type": "Wait", "SecondsPath": 3, "End": True}), "$.States.S.SecondsPath"),
    (one({"Type": "Parallel", "Branches": [], "End": True}), "$.States.S.Branches"),
    (one({"Type": "Parallel", "Branches": [1], "End": True}), "$.States.S.Branches[0]"),
    (one({**PARALLEL, "Branches": [BRANCH, BRANCH]}), "$.States.S.Branches[1].States.B"),
    (
        one({**PARALLEL, "Branches": [{"StartAt": "B", "States": {"B": {"Type": "Pass", "Next": "A"}}}]}, A=END),
        "$.States.S.Branches[0].States.B.Next",
    ),
    (one({"Type": "Map", "End": True}), "$.States.S"),
    (one({**MAP, "Iterator": {"StartAt": "C", "States": {"C": END}}}), "$.States.S"),
    (one({**MAP, "ItemSelector": {}, "Parameters": {}}), "$.States.S"),
    (one({**MAP, "MaxConcurrency": -1}), "$.States.S.MaxConcurrency"),
    (one({**MAP, "ItemsPath": 1}), "$.States.S.ItemsPath"),
    (one({**MAP, "ItemReader": {}}), "$.States.S.ItemReader"),
    (
        one({**MAP, "ItemProcessor": {**BRANCH, "ProcessorConfig": {"Mode": "DISTRIBUTED"}}}),
        "$.States.S.ItemProcessor.ProcessorConfig",
    ),
]


@pytest.mark.parametrize(("definition", "place"), INVALID, ids=lambda value: value if isinstance(value, str) else "")
def test_a_broken_rule_is_told_with_its_place(definition: Any, place: str) -> None:
    with pytest.raises(NotAMachine) as refused:
        machine_from_json(json.dumps(definition))
    assert place in {problem.place for problem in refused.value.problems}


@pytest.mark.parametrize(
    "definition",
    [
        {**one(END), "QueryLanguage": "JSONata"},
        one({**END, "QueryLanguage": "JSONata"}),
        one({**TASK, "Arguments": "{% 1 %}"}),
        one({**END, "Assign": {"a": 1}}),
    ],
)
def test_jsonata_is_refused_in_a_clear_sentence(definition: Any) -> None:
    with pytest.raises(NotAMachine, match="JSONata is not understood here") as refused:
        machine_from_json(json.dumps(definition))
    assert NO_JSONATA in {problem.says for problem in refused.value.problems}


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(NotAMachine, match="not JSON"):
        machine_from_json('{"StartAt": // no comments\n}')


def test_many_problems_are_told_at_once() -> None:
    states = {f"S{number}": {"Type": "Pass"} for number in range(20)}
    with pytest.raises(NotAMachine, match="and 30 more") as refused:
        machine_from_json(json.dumps({"StartAt": "S0", "States": states}))
    assert len(refused.value.problems) > 20


SCRAPS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from(["", "$", "$.a", "S", "Pass", "Task", "States.ALL"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                sorted(set().union(*FIELDS.values()) | {"ErrorEquals", "Variable", "IsNull", "And", "Not"})
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


@given(st.sampled_from(sorted(VALID)), st.sampled_from(sorted(set().union(*FIELDS.values()))), SCRAPS)
def test_whatever_a_field_holds_is_either_read_or_told(name: str, field: str, value: Any) -> None:
    definition = deepcopy(VALID[name])
    definition["States"][definition["StartAt"]][field] = value
    problems = list(problems_of(definition))
    if not problems:
        machine_from_json(json.dumps(definition))
    assert all(problem.place.startswith("$") for problem in problems)
