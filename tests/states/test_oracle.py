"""Machines made by chance give what moto's interpreter gives, which is LocalStack's, for the same input.

Where the two differ the published rules decide; such machines are not made here, and are in the tables: moto gives a
list for one name below an index, and says States.Runtime where no rule of a Choice holds.
"""

import json
import time
from random import Random
from typing import Any

from tests.engines.step_functions import StepFunctionsEngine
from tests.states.running import run

MACHINES = 24
ENDS_S_MAX = 60.0
GIVEN: Any = {
    "n": 3, "s": "abc", "yes": True, "list": [4, 1, 3], "rows": [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}],
    "deep": {"er": {"x": 1}}, "at": "2026-11-17T12:00:00Z", "json": '{"q":[1,2]}',
}  # fmt: skip
PATHS = (
    "$.n",
    "$.s",
    "$.yes",
    "$.list",
    "$.list[0]",
    "$.list[*]",
    "$.rows[*].id",
    "$.deep.er",
    "$",
    "$.list[1:]",
)
CALLS = (
    "States.Format('{}-{}', $.n, $.s)", "States.Array($.n, 'x', $.s)", "States.ArrayLength($.list)",
    "States.ArrayContains($.list, 3)", "States.ArrayGetItem($.list, 1)", "States.ArrayRange(1, 9, 3)",
    "States.ArrayPartition($.list, 2)", "States.MathAdd($.n, 4)", "States.StringSplit('a,b,c', ',')",
    "States.StringToJson($.json)", "States.Base64Encode($.s)", "States.Hash($.s, 'SHA-256')",
    "States.JsonMerge($.deep, $.deep.er, false)", "States.JsonToString($.deep)", "States.Base64Decode('YWJj')",
    "States.Array(States.MathAdd($.n, 1), States.Format('{}', $.s))",
)  # fmt: skip
RULES: Any = (
    {"Variable": "$.n", "NumericGreaterThan": 2}, {"Variable": "$.n", "NumericLessThanPath": "$.list[0]"},
    {"Variable": "$.s", "StringMatches": "a*"}, {"Variable": "$.s", "StringLessThan": "abd"},
    {"Variable": "$.yes", "BooleanEquals": False}, {"Variable": "$.gone", "IsPresent": False},
    {"Variable": "$.n", "IsString": True}, {"Variable": "$.at", "IsTimestamp": True},
    {"Variable": "$.at", "TimestampLessThan": "2027-01-01T00:00:00Z"}, {"Variable": "$.list[0]", "NumericEquals": 4},
)  # fmt: skip


class Making:
    """Makes machines from chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._states = 0

    def machine(self, states: int, depth: int = 0) -> Any:
        names = [self._name() for _ in range(states)]
        made: dict[str, Any] = {}
        for place, name in enumerate(names):
            following = names[place + 1] if place + 1 < len(names) else None
            made[name] = self._state(following, depth)
            if "Default" in made[name]:
                other = {"Type": "Pass", "Result": "else", "ResultPath": "$.else", "Next": following}
                made[made[name]["Default"]] = other
        return {"StartAt": names[0], "States": made}

    def _name(self) -> str:
        self._states += 1
        return f"S{self._states}"

    def _state(self, following: str | None, depth: int) -> Any:
        going = {"Next": following} if following else {"End": True}
        kinds = [
            self._pass,
            self._pass,
            *([self._choice] if following else []),
            *([self._fork, self._map] if depth < 2 else []),
        ]
        return self._chance.choice(kinds)(going, depth)

    def _pass(self, going: Any, _depth: int) -> Any:
        state: dict[str, Any] = {"Type": "Pass", **going}
        if self._chance.random() < 0.7:
            state["Parameters"] = self._template()
        elif self._chance.random() < 0.5:
            state["Result"] = self._chance.choice([1, "r", None, [1, {"a": 2}], {"x": {"y": 1}}])
        else:
            state["InputPath"] = self._chance.choice(PATHS)
        # What comes after it looks at the same data again, so the result is put beside them.
        state["ResultPath"] = self._chance.choice(["$.r", "$.deep.new", "$.out.a.b", None])
        return state

    def _template(self) -> Any:
        values = [self._chance.choice([*PATHS, *CALLS]) for _ in range(self._chance.randint(1, 4))]
        return {"fixed": "$.n", "inner": {f"v{number}.$": value for number, value in enumerate(values)}}

    def _rule(self, depth: int = 0) -> Any:
        if depth < 2 and self._chance.random() < 0.5:
            joined = self._chance.choice(["And", "Or", "Not"])
            if joined == "Not":
                return {"Not": self._rule(depth + 1)}
            return {joined: [self._rule(depth + 1) for _ in range(self._chance.randint(1, 3))]}
        return self._chance.choice(RULES)

    def _choice(self, going: Any, _depth: int) -> Any:
        return {"Type": "Choice", "Choices": [{**self._rule(), "Next": going["Next"]}], "Default": self._name()}

    def _fork(self, going: Any, depth: int) -> Any:
        branches = [self.machine(self._chance.randint(1, 2), depth + 1) for _ in range(self._chance.randint(1, 3))]
        return {"Type": "Parallel", "Branches": branches, "ResultPath": "$.forked", **going}

    def _map(self, going: Any, depth: int) -> Any:
        item = {"n.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index", "all.$": "$"}
        one = {"Type": "Pass", "Parameters": {"sum.$": "States.MathAdd($.n, $.i)", "s.$": "$.all.s"}, "End": True}
        processor = {"StartAt": (name := self._name()), "States": {name: one}}
        selected = {"ItemsPath": "$.list", "ItemSelector": item, "ResultSelector": {"sums.$": "$[*].sum"}}
        return {"Type": "Map", "ItemProcessor": processor, **selected, "ResultPath": "$.mapped", **going}


def told_by_moto(engine: StepFunctionsEngine, machines: list[Any]) -> list[tuple[str, Any]]:
    client = engine.client()
    started: list[str] = []
    for number, machine in enumerate(machines):
        made = client.create_state_machine(
            name=f"oracle-{number}", definition=json.dumps(machine), roleArn=engine.role()
        )
        asked = client.start_execution(stateMachineArn=made["stateMachineArn"], input=json.dumps(GIVEN))
        started.append(asked["executionArn"])
    gives_up_at = time.monotonic() + ENDS_S_MAX
    told: list[tuple[str, Any]] = []
    for arn in started:
        while (said := client.describe_execution(executionArn=arn))["status"] == "RUNNING":
            assert time.monotonic() < gives_up_at
            time.sleep(0.02)
        told.append((said["status"], json.loads(said["output"]) if "output" in said else said.get("error")))
    return told


def test_machines_by_chance_give_what_another_interpreter_gives(step_functions: StepFunctionsEngine) -> None:
    making = Making(Random(11))
    machines = [making.machine(Random(number).randint(1, 5)) for number in range(MACHINES)]
    theirs = told_by_moto(step_functions, machines)
    succeeded = 0
    for machine, (status, told) in zip(machines, theirs, strict=True):
        ours = run(machine, GIVEN).ended
        assert ours is not None
        mine = (ours.status.value.upper(), json.loads(ours.output) if ours.output else ours.error)
        assert mine == (status, told), json.dumps(machine)
        succeeded += status == "SUCCEEDED"
    assert succeeded > MACHINES // 2  # Machines that all fail would compare nothing.
