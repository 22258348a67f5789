"""Parallel and Map: results in order, at most so many at once, and what a failure of one does to the others."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.states.running import TaskError, machine, run, run_again

ADD: Any = {"Type": "Pass", "Parameters": {"n.$": "States.MathAdd($, 1)"}, "OutputPath": "$.n", "End": True}
TASK: Any = {"Type": "Task", "Resource": "t", "End": True}


def branches(*scopes: Any, **fields: Any) -> Any:
    return {"Type": "Parallel", "Branches": list(scopes), "End": True, **fields}


def mapped(processor: Any, **fields: Any) -> Any:
    return {"Type": "Map", "ItemProcessor": processor, "End": True, **fields}


def test_branches_have_one_input_and_results_in_order() -> None:
    left = machine(L={"Type": "Wait", "Seconds": 9, "Next": "L2"}, L2={"Type": "Pass", "Result": "left", "End": True})
    ran = run(machine(P=branches(left, machine(R={"Type": "Pass", "End": True}))), {"a": 1})
    assert ran.output == ["left", {"a": 1}]
    assert ran.took_ms == 9_000


def test_all_fields_of_data_work_on_a_parallel() -> None:
    fields = {
        "InputPath": "$.in",
        "Parameters": {"p.$": "$.x"},
        "ResultSelector": {"r.$": "$[0].p"},
        "ResultPath": "$.out",
    }
    output = run(machine(P=branches(machine(A={"Type": "Pass", "End": True}), **fields)), {"in": {"x": 3}}).output
    assert output == {"in": {"x": 3}, "out": {"r": 3}}


def test_a_branch_that_fails_ends_the_others() -> None:
    slow = machine(S={"Type": "Wait", "Seconds": 999, "Next": "T"}, T=TASK)
    bad = machine(F={"Type": "Fail", "Error": "E", "Cause": "C"})
    catch = [{"ErrorEquals": ["E"], "Next": "Caught"}]
    ran = run(machine(P=branches(slow, bad, Catch=catch), Caught={"Type": "Succeed"}), {})
    assert (ran.output, ran.took_ms, ran.calls) == ({"Error": "E", "Cause": "C"}, 0, [])
    assert ran.frames == {}
    assert run(machine(P=branches(slow, bad)), {}).error == "E"


def test_a_parallel_that_is_tried_again_begins_all_branches_with_their_keys() -> None:
    failures = iter([True, False])

    def task(given: Any) -> Any:
        if next(failures, False):
            raise TaskError("E")
        return given

    second = machine(T2={**TASK, "Resource": "u"})
    retried = branches(machine(T1=TASK), second, Retry=[{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 2}])
    ran = run(machine(P=retried), 5, {"t": task, "u": lambda given: given})
    assert (ran.output, ran.took_ms) == ([5, 5], 2_000)
    assert len({call.key for call in ran.calls}) == 2


def test_a_map_does_every_item() -> None:
    assert run(machine(M=mapped(machine(A=ADD))), [1, 2, 3]).output == [2, 3, 4]
    assert run(machine(M=mapped(machine(A=ADD))), []).output == []
    assert run(machine(M=mapped(machine(A=ADD), ItemsPath="$.a[*].n")), {"a": [{"n": 4}, {"n": 5}]}).output == [5, 6]
    assert run(machine(M=mapped(machine(A=ADD))), {"no": "array"}).error == "States.Runtime"


@pytest.mark.parametrize("field", ["ItemSelector", "Parameters"])
def test_a_selector_sees_the_item_and_the_input(field: str) -> None:
    template = {"i.$": "$$.Map.Item.Index", "v.$": "$$.Map.Item.Value", "all.$": "$.all"}
    state = mapped(machine(A={"Type": "Pass", "End": True}), ItemsPath="$.xs", **{field: template})
    assert run(machine(M=state), {"xs": ["a"], "all": 9}).output == [{"i": 0, "v": "a", "all": 9}]


def test_fields_of_data_work_on_a_map() -> None:
    fields = {"InputPath": "$.in", "ItemsPath": "$.xs", "ResultSelector": {"r.$": "$"}, "ResultPath": "$.out"}
    output = run(machine(M=mapped(machine(A=ADD), **fields)), {"in": {"xs": [1]}}).output
    assert output == {"in": {"xs": [1]}, "out": {"r": [2]}}


@pytest.mark.parametrize(("concurrency", "took_ms"), [(1, 4_000), (2, 2_000), (3, 2_000), (4, 1_000), (0, 1_000)])
def test_a_map_has_at_most_so_many_items_under_way(concurrency: int, took_ms: int) -> None:
    waits = machine(W={"Type": "Wait", "Seconds": 1, "End": True})
    ran = run(machine(M=mapped(waits, MaxConcurrency=concurrency)), [1, 2, 3, 4])
    assert (ran.output, ran.took_ms) == ([1, 2, 3, 4], took_ms)
    by_path = machine(M=mapped(waits, MaxConcurrencyPath="$.c", ItemsPath="$.xs"))
    assert run(by_path, {"c": concurrency, "xs": [1, 2, 3, 4]}).took_ms == took_ms


def test_an_item_that_fails_fails_the_map_and_goes_on_when_it_is_retried() -> None:
    def task(given: Any) -> Any:
        if given == 2:
            raise TaskError("E")
        return given

    definition = machine(M=mapped(machine(T=TASK), MaxConcurrency=1))
    ran = run(definition, [1, 2, 3], {"t": task})
    assert ran.error == "E"
    run_again(definition, ran, [1, 2, 3], {"t": lambda given: given * 10})
    assert ran.output == [1, 20, 30]
    assert [call.payload for call in ran.calls] == [1, 2, 2, 3]


def test_forks_stand_in_each_other_with_keys_of_their_own() -> None:
    inner = mapped(machine(T=TASK))
    ran = run(machine(M=mapped(machine(P=branches(machine(N=inner))))), [[1, 1], [1, 1]], {"t": lambda n: n + 1})
    assert ran.output == [[[2, 2]], [[2, 2]]]
    assert len({call.key for call in ran.calls}) == 4


@given(st.lists(st.integers(-99, 99), max_size=60), st.integers(0, 50))
def test_a_map_is_a_map(items: list[int], concurrency: int) -> None:
    ran = run(machine(M=mapped(machine(A=ADD), MaxConcurrency=concurrency)), items)
    assert ran.output == [item + 1 for item in items]
    assert ran.frames == {}
