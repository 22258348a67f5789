"""Machines of the workflow contract."""

import json
from collections.abc import Mapping
from typing import Any

GIVEN = {"witness.$": "$.witness", "value.$": "$.value"}


def task(resource: str, **fields: Any) -> dict[str, Any]:
    going = {} if "Next" in fields or "End" in fields else {"End": True}
    return {"Type": "Task", "Resource": resource, **going, **fields}


def machine(**states: Any) -> dict[str, Any]:
    return {"StartAt": next(iter(states)), "States": states}


RETRY = {"ErrorEquals": ["TooMany"], "IntervalSeconds": 1, "MaxAttempts": 1, "BackoffRate": 1.0}

MACHINES: Mapping[str, str] = {
    name: json.dumps(definition)
    for name, definition in {
        "two": machine(
            First=task("note", Next="Second", Parameters=GIVEN, ResultPath="$.first"),
            Second=task("note", Parameters={"witness.$": "$.witness", "value": "second"}, ResultPath="$.second"),
        ),
        "chosen": machine(
            Ask={
                "Type": "Choice",
                "Choices": [{"Variable": "$.value", "NumericGreaterThan": 10, "Next": "Large"}],
                "Default": "Small",
            },
            Large={"Type": "Pass", "Result": "large", "End": True},
            Small={"Type": "Fail", "Error": "TooSmall", "Cause": "ten or less"},
        ),
        "retried": machine(Try=task("flaky", Retry=[RETRY])),
        "caught": machine(
            Try=task("gated", Catch=[{"ErrorEquals": ["TooMany"], "ResultPath": "$.error", "Next": "Clean"}]),
            Clean={"Type": "Pass", "OutputPath": "$.error.Error", "End": True},
        ),
        "uncaught": machine(
            Before=task("note", Parameters=GIVEN, ResultPath=None, Next="Gate"),
            Gate=task("gated"),
        ),
        "timed": machine(
            Sleep=task("slow", TimeoutSeconds=1, Catch=[{"ErrorEquals": ["States.Timeout"], "Next": "Late"}]),
            Late={"Type": "Pass", "Result": "late", "End": True},
        ),
        "waiting": machine(Wait={"Type": "Wait", "Seconds": 30, "Next": "Done"}, Done={"Type": "Succeed"}),
        "second": machine(Wait={"Type": "Wait", "Seconds": 1, "End": True}),
        "mapped": machine(
            Each={
                "Type": "Map",
                "ItemsPath": "$.items",
                "ItemSelector": {"witness.$": "$.witness", "value.$": "$$.Map.Item.Value"},
                "MaxConcurrency": 2,
                "ItemProcessor": machine(One=task("note")),
                "End": True,
            }
        ),
        "nested": machine(
            Rows={
                "Type": "Map",
                "ItemsPath": "$.rows",
                "ItemSelector": {"witness.$": "$.witness", "row.$": "$$.Map.Item.Value"},
                "ItemProcessor": machine(
                    Cells={
                        "Type": "Map",
                        "ItemsPath": "$.row",
                        "ItemSelector": {"witness.$": "$.witness", "value.$": "$$.Map.Item.Value"},
                        "ItemProcessor": machine(Cell=task("note")),
                        "End": True,
                    }
                ),
                "End": True,
            }
        ),
        "branched": machine(
            Fork={
                "Type": "Parallel",
                "Branches": [
                    machine(Left=task("note", Parameters=GIVEN)),
                    machine(Right={"Type": "Pass", "Result": "right", "End": True}),
                ],
                "ResultSelector": {"both.$": "$"},
                "End": True,
            }
        ),
        "looped": machine(
            Note=task("note", Parameters=GIVEN, ResultPath=None, Next="Less"),
            Less={
                "Type": "Pass",
                "Parameters": {
                    "witness.$": "$.witness",
                    "value.$": "$.value",
                    "left.$": "States.MathAdd($.left, -1)",
                },
                "Next": "Again",
            },
            Again={
                "Type": "Choice",
                "Choices": [{"Variable": "$.left", "NumericGreaterThan": 0, "Next": "Note"}],
                "Default": "Done",
            },
            Done={"Type": "Succeed"},
        ),
    }.items()
}
