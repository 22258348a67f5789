"""What is particular to Step Functions: definitions as they are published, and what it refuses in our words."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from footfall.adapters.aws.step_functions_errors import in_our_words
from footfall.adapters.aws.step_functions_machines import NoFunction, definition_for_aws, handler_of, publish_machine
from footfall.ports.errors import PortError, Throttled, TooLarge, Unavailable
from footfall.ports.workflow import NothingToRetry, OtherInput, UnfitName, UnknownExecution, UnknownMachine
from footfall.states.definition import NotAMachine
from tests.engines.step_functions import StepFunctionsEngine

TASK: Any = {"Type": "Task", "Resource": "work", "End": True}
ARN = "arn:aws:lambda:eu-central-1:123456789012:function:work"


def published(**states: Any) -> Any:
    definition = json.dumps({"StartAt": next(iter(states)), "States": states})
    return json.loads(definition_for_aws(definition, {"work": ARN}))["States"]


def test_a_task_calls_a_function_with_its_input_and_key() -> None:
    names = "$$.StateMachine.Name, $$.Execution.Name, $$.State.Name"
    assert published(T=TASK)["T"] == {
        **TASK, "Resource": ARN, "Parameters": {"input.$": "$", "key.$": f"States.Format('{{}}/{{}}/{{}}', {names})"},
    }  # fmt: skip
    given = published(T={**TASK, "Parameters": {"a.$": "$.b"}})["T"]["Parameters"]
    assert given["input"] == {"a.$": "$.b"}


def test_only_a_task_in_a_loop_is_told_by_its_moment() -> None:
    again = {"Type": "Choice", "Choices": [{"Variable": "$.a", "IsNull": True, "Next": "Loop"}], "Default": "Once"}
    states = published(Loop={"Type": "Task", "Resource": "work", "Next": "Again"}, Again=again, Once=TASK)
    assert "EnteredTime" in states["Loop"]["Parameters"]["key.$"]
    assert "EnteredTime" not in states["Once"]["Parameters"]["key.$"]


def test_an_item_of_a_map_is_told_by_its_number() -> None:
    inner = {"StartAt": "T", "States": {"T": TASK}}
    for name, selector in (("ItemSelector", {"v.$": "$.v"}), ("Parameters", {"v.$": "$.v"})):
        each = published(M={"Type": "Map", "Iterator": inner, name: selector, "End": True})["M"]
        assert each["ItemSelector"] == {"item": selector, "number.$": "$$.Map.Item.Index"}
        assert "Parameters" not in each
        assert each["ItemProcessor"]["StartAt"] == "footfall-item-1"
        assert "$footfallItem1" in each["ItemProcessor"]["States"]["T"]["Parameters"]["key.$"]


def test_a_machine_that_cannot_be_published_is_refused() -> None:
    with pytest.raises(NoFunction, match="'other'"):
        published(T={**TASK, "Resource": "other"})
    with pytest.raises(NotAMachine):
        published(T={"Type": "Task"})


def test_a_handler_hands_input_and_key_to_its_task() -> None:
    assert handler_of(lambda given, key: [given, key])({"input": 1, "key": "k"}, None) == [1, "k"]


def test_a_machine_is_published_again_in_its_place(step_functions: StepFunctionsEngine) -> None:
    client = step_functions.client()
    arns = {
        publish_machine(
            client, "twice", json.dumps({"StartAt": name, "States": {name: {"Type": "Succeed"}}}),
            functions={}, role_arn=step_functions.role(),
        )
        for name in ("A", "B")
    }  # fmt: skip
    (arn,) = arns
    assert json.loads(client.describe_state_machine(stateMachineArn=arn)["definition"])["StartAt"] == "B"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ExecutionDoesNotExist", UnknownExecution),
        ("StateMachineDoesNotExist", UnknownMachine),
        ("ExecutionAlreadyExists", OtherInput),
        ("ExecutionNotRedrivable", NothingToRetry),
        ("InvalidName", UnfitName),
        ("InvalidExecutionInput", TooLarge),
        ("ThrottlingException", Throttled),
        ("AccessDeniedException", Unavailable),
        ("SomethingElse", Unavailable),
    ],
)
def test_what_is_refused_is_told_in_our_words(code: str, error: type[PortError]) -> None:
    with pytest.raises(error, match=f"start m/e: {code}"), in_our_words("start m/e"):
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "StartExecution")


def test_a_way_that_is_closed_is_told_in_our_words() -> None:
    with pytest.raises(Unavailable, match="see the region"), in_our_words("start m/e"):
        raise EndpointConnectionError(endpoint_url="http://127.0.0.1:1")
