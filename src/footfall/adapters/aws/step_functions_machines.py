"""State machines as Step Functions takes them: resources become functions, and every task is told its key.

A task's function is given `{"input": ..., "key": ...}`. The key is made of what the context object tells: the names of
machine, execution and state, and for a state that may be entered twice the moment of its entry. Only a Map's selector
sees the number of an item, so a state of our own stands before the item's first one and keeps it in a variable.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from footfall.adapters.aws.step_functions_errors import in_our_words
from footfall.ports.errors import Unavailable
from footfall.ports.workflow import TaskFunction, require_definition, require_name
from footfall.states.definition import machine_from_json
from footfall.states.values import Json

ITEM_STATE = "footfall-item-"  # The name of a state that keeps the number of an item; histories leave it out.


class NoFunction(Unavailable):
    """A task's resource has no function on AWS."""


def publish_machine(
    client: Any, name: str, definition: str | bytes, *, functions: Mapping[str, str], role_arn: str
) -> str:
    """Make or replace a machine on Step Functions and return its ARN; `functions` has the ARN of each resource."""
    require_name(name)
    body = definition_for_aws(definition, functions)
    with in_our_words(f"publish the machine {name!r}"):
        there = _arn_of(client, name)
        if there is not None:
            client.update_state_machine(stateMachineArn=there, definition=body, roleArn=role_arn)
            return there
        made = client.create_state_machine(name=name, definition=body, roleArn=role_arn, type="STANDARD")
    return str(made["stateMachineArn"])


def definition_for_aws(definition: str | bytes, functions: Mapping[str, str]) -> str:
    """Return the definition with functions for resources, and with keys; raise NotAMachine, NoFunction."""
    require_definition(definition)
    machine_from_json(definition)
    document: Any = msgspec.json.decode(definition)
    _Preparing(functions).prepare(document, items=(), in_loop=False)
    return msgspec.json.encode(document).decode()


def handler_of(task: TaskFunction) -> Callable[[Mapping[str, Any], Any], Json]:
    """Return the Lambda handler of a task's function."""

    def handle(event: Mapping[str, Any], _context: Any) -> Json:
        return task(event["input"], event["key"])

    return handle


class _Preparing:
    def __init__(self, functions: Mapping[str, str]) -> None:
        self._functions = functions
        self._maps = 0

    def prepare(self, scope: Any, *, items: tuple[str, ...], in_loop: bool) -> None:
        """Change the tasks of a scope and of those below; `items` are the variables of the Maps around it."""
        looping = _looping(scope["States"])
        for name, state in list(scope["States"].items()):
            is_looping = in_loop or name in looping
            if state["Type"] == "Task":
                self._prepare_task(name, state, items=items, in_loop=is_looping)
            below = (*items, self._number_items(state)) if state["Type"] == "Map" else items
            for inner in _inner(state):
                self.prepare(inner, items=below, in_loop=is_looping)

    def _prepare_task(self, name: str, state: Any, *, items: tuple[str, ...], in_loop: bool) -> None:
        resource = state["Resource"]
        if resource not in self._functions:
            raise NoFunction(f"the task {name!r} calls {resource!r}, for which there is no function on AWS")
        told = ["$$.StateMachine.Name", "$$.Execution.Name", "$$.State.Name", *(f"${item}" for item in items)]
        told += ["$$.State.EnteredTime"] if in_loop else []
        places = "/".join("{}" for _ in told)
        given = {"input": state["Parameters"]} if "Parameters" in state else {"input.$": "$"}
        state["Resource"] = self._functions[resource]
        state["Parameters"] = {**given, "key.$": f"States.Format('{places}', {', '.join(told)})"}

    def _number_items(self, state: Any) -> str:
        """Let each item of a Map begin with a state that keeps its number, and return the variable's name."""
        self._maps += 1
        variable, name = f"footfallItem{self._maps}", f"{ITEM_STATE}{self._maps}"
        selector = state.pop("ItemSelector", None) or state.pop("Parameters", None)
        item = {"item.$": "$$.Map.Item.Value"} if selector is None else {"item": selector}
        state["ItemSelector"] = {**item, "number.$": "$$.Map.Item.Index"}
        processor = state["ItemProcessor"] = state.pop("Iterator", None) or state["ItemProcessor"]
        keeps = {"Type": "Pass", "Assign": {f"{variable}.$": "$.number"}, "OutputPath": "$.item"}
        processor["States"] = {name: {**keeps, "Next": processor["StartAt"]}, **processor["States"]}
        processor["StartAt"] = name
        return variable


def _looping(states: Any) -> set[str]:
    """Return the names of states that can be reached from themselves."""
    return {name for name in states if name in _reached(states, name)}


def _reached(states: Any, begin: str) -> set[str]:
    reached: set[str] = set()
    waiting = [*_following(states[begin])]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_following(states[name]))
    return reached


def _following(state: Any) -> Iterator[str]:
    for fields in (state, *state.get("Choices", ()), *state.get("Catch", ())):
        if "Next" in fields:
            yield fields["Next"]
    if "Default" in state:
        yield state["Default"]


def _inner(state: Any) -> list[Any]:
    return [*state.get("Branches", ()), *(state[name] for name in ("Iterator", "ItemProcessor") if name in state)]


def _arn_of(client: Any, name: str) -> str | None:
    for page in client.get_paginator("list_state_machines").paginate():
        for machine in page["stateMachines"]:
            if machine["name"] == name:
                return str(machine["stateMachineArn"])
    return None
