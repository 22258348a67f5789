"""Retry and Catch: which error is answered by whom, how long is waited, and what the next state is given."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.states.definition import Retrier
from footfall.states.failing import is_answered
from footfall.states.failures import delay_ms
from footfall.states.templates import Chance
from tests.states.running import TaskError, machine, run, run_again


def failing(*errors: str) -> Callable[[Any], Any]:
    """Return a task that fails with these errors, one after the other, and then gives `ok`."""
    left = list(errors)

    def task(_given: Any) -> Any:
        if left:
            raise TaskError(left.pop(0))
        return "ok"

    return task


def tried(*errors: str, retry: Any = (), catch: Any = ()) -> Any:
    task = {"Type": "Task", "Resource": "t", "Retry": list(retry), "Catch": list(catch), "End": True}
    more = {"Caught": {"Type": "Pass", "End": True}} if catch else {}
    return run(machine(T=task, **more), {"in": 1}, {"t": failing(*errors)})


@pytest.mark.parametrize(
    ("error", "names", "is_true"),
    [
        ("E", ["E"], True), ("E", ["F"], False), ("E", ["F", "E"], True), ("E", ["States.ALL"], True),
        ("E", ["States.TaskFailed"], True), ("States.Timeout", ["States.TaskFailed"], False),
        ("States.Timeout", ["States.ALL"], True), ("States.HeartbeatTimeout", ["States.Timeout"], True),
        ("States.Runtime", ["States.ALL"], False), ("States.DataLimitExceeded", ["States.ALL"], False),
        ("States.Runtime", ["States.Runtime"], True), ("States.NoChoiceMatched", ["States.ALL"], True),
    ],
)  # fmt: skip
def test_an_error_is_answered_by_its_name_or_a_wildcard(error: str, names: list[str], is_true: bool) -> None:
    assert is_answered(error, names) is is_true


def test_a_retrier_waits_longer_each_time() -> None:
    ran = tried("E", "E", "E", retry=[{"ErrorEquals": ["E"]}])
    assert ran.output == "ok"
    assert [at - ran.called_at_ms[0] for at in ran.called_at_ms] == [0, 1_000, 3_000, 7_000]
    assert len({call.key for call in ran.calls}) == 1


@pytest.mark.parametrize(
    ("fields", "waits_s"),
    [
        ({"IntervalSeconds": 3, "BackoffRate": 1.5, "MaxAttempts": 2}, [3, 4.5]),
        ({"IntervalSeconds": 3, "BackoffRate": 1, "MaxAttempts": 3}, [3, 3, 3]),
        ({"IntervalSeconds": 3, "BackoffRate": 2, "MaxAttempts": 4, "MaxDelaySeconds": 5}, [3, 5, 5, 5]),
        ({"MaxAttempts": 0}, []),
    ],
)
def test_a_retrier_gives_up_after_its_attempts(fields: Any, waits_s: list[float]) -> None:
    ran = tried(*["E"] * 9, retry=[{"ErrorEquals": ["E"], **fields}])
    assert ran.error == "E"
    waited = [later - at for at, later in zip(ran.called_at_ms, ran.called_at_ms[1:], strict=False)]
    assert waited == [wait * 1_000 for wait in waits_s]


def test_each_retrier_counts_for_itself() -> None:
    retry = [{"ErrorEquals": ["E"], "MaxAttempts": 1}, {"ErrorEquals": ["F"], "MaxAttempts": 2}]
    assert tried("E", "F", "F", retry=retry).output == "ok"
    assert tried("E", "F", "E", retry=retry).error == "E"


def test_the_first_retrier_that_is_meant_decides() -> None:
    retry = [{"ErrorEquals": ["E"], "MaxAttempts": 0}, {"ErrorEquals": ["States.ALL"]}]
    assert tried("E", retry=retry).error == "E"
    assert tried("F", retry=retry).output == "ok"


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ({}, {"Error": "E", "Cause": "because"}),
        ({"ResultPath": "$.error"}, {"in": 1, "error": {"Error": "E", "Cause": "because"}}),
        ({"ResultPath": None}, {"in": 1}),
    ],
)
def test_a_catcher_gives_the_error_on(path: Any, output: Any) -> None:
    ran = tried("E", catch=[{"ErrorEquals": ["States.ALL"], "Next": "Caught", **path}])
    assert (ran.output, ran.path) == (output, ["T", "Caught"])


def test_a_catcher_comes_after_the_retriers() -> None:
    catch = [{"ErrorEquals": ["E"], "ResultPath": None, "Next": "Caught"}]
    assert tried("E", "E", retry=[{"ErrorEquals": ["E"], "MaxAttempts": 1}], catch=catch).path == ["T", "Caught"]
    assert tried("E", retry=[{"ErrorEquals": ["E"]}], catch=catch).path == ["T"]
    assert tried("F", catch=catch).error == "F"


def test_what_a_state_itself_meets_is_caught_like_a_task_s_error() -> None:
    task = {
        "Type": "Task", "Resource": "t", "Parameters": {"a.$": "$.gone"}, "End": True,
        "Catch": [{"ErrorEquals": ["States.ParameterPathFailure"], "ResultPath": None, "Next": "Caught"}],
    }  # fmt: skip
    assert run(machine(T=task, Caught={"Type": "Succeed"}), {"in": 1}, {"t": failing()}).path == ["T", "Caught"]


def test_a_result_that_is_too_large_fails() -> None:
    task = {"Type": "Task", "Resource": "t", "ResultPath": "$.out", "End": True}
    assert run(machine(T=task), {"in": 1}, {"t": lambda _: "x" * 262_144}).error == "States.DataLimitExceeded"


def test_an_execution_goes_on_where_it_failed_with_all_retries() -> None:
    definition = machine(
        A={"Type": "Pass", "Result": 5, "Next": "T"},
        T={"Type": "Task", "Resource": "t", "Retry": [{"ErrorEquals": ["E"], "MaxAttempts": 1}], "End": True},
    )
    ran = run(definition, 1, {"t": failing("E", "E")})
    assert ran.error == "E"
    run_again(definition, ran, 1, {"t": failing("E")})
    assert ran.output == "ok"
    assert len({call.key for call in ran.calls}) == 1
    assert ran.path == ["A", "T"]


@given(st.integers(1, 100), st.integers(0, 200), st.floats(1, 10), st.none() | st.integers(101, 10_000))
def test_a_delay_is_bounded_and_jitter_only_shortens_it(
    interval: int, used: int, rate: float, most: int | None
) -> None:
    plain = delay_ms(Retrier(("E",), interval, 999, rate, most, is_jittered=False), used, Chance("a"))
    jittered = delay_ms(Retrier(("E",), interval, 999, rate, most, is_jittered=True), used, Chance("a"))
    assert 0 <= jittered <= plain
    assert plain >= interval * 1_000
    assert most is None or plain <= most * 1_000
