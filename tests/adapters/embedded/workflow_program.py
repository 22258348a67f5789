"""A process that runs workflows until all have ended; the tests kill it at any moment and start it again.

Each call of a task leaves a line in `calls`, and its effect is a file of its own, made once for a key.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.states.execution import Status
from footfall.states.values import Json
from footfall.values.clock import SystemClock

RUNS = 8
ITEMS = [1, 2, 3, 4, 5]


def task(following: str | None) -> dict[str, Any]:
    going = {"Next": following} if following else {"End": True}
    return {"Type": "Task", "Resource": "effect", **going}


MACHINE = {
    "StartAt": "First",
    "States": {
        "First": task("Second"),
        "Second": task("Each"),
        "Each": {
            "Type": "Map",
            "ItemsPath": "$.items",
            "MaxConcurrency": 2,
            "ItemProcessor": {
                "StartAt": "Item",
                "States": {
                    "Item": task("Pause"),
                    "Pause": {"Type": "Wait", "Seconds": 0, "Next": "Twice"},
                    "Twice": task(None),
                },
            },
            "ResultPath": "$.items",
            "Next": "Both",
        },
        "Both": {
            "Type": "Parallel",
            "Branches": [
                {"StartAt": "Left", "States": {"Left": task(None)}},
                {"StartAt": "Right", "States": {"Right": task(None)}},
            ],
            "Next": "Last",
        },
        "Last": task(None),
    },
}
# The keys of one execution, without its name: a path, a state and its entry.
KEYS = [
    ":First:1", ":Second:2", *(f"/3.{item}:Item:1" for item in range(len(ITEMS))),
    *(f"/3.{item}:Twice:3" for item in range(len(ITEMS))), "/4.0:Left:1", "/4.1:Right:1", ":Last:5",
]  # fmt: skip


def effects_in(folder: Path) -> Any:
    (folder / "effects").mkdir(exist_ok=True)

    def effect(given: Json, key: str) -> Json:
        calls = os.open(folder / "calls", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(calls, f"{key}\n".encode())
        os.close(calls)
        # Whoever comes again finds that it was done.
        made = folder / "effects" / hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
        made.write_text(key, encoding="utf-8")
        time.sleep(0.002)
        return given

    return effect


def main(folder: Path) -> None:
    workflow = SqliteWorkflow(
        folder / "workflows.db",
        machines={"m": json.dumps(MACHINE)},
        tasks={"effect": effects_in(folder)},
        clock=SystemClock(),
        chance=Random(1),
    )
    for number in range(RUNS):
        workflow.start("m", name=f"run-{number}", input={"items": ITEMS})
    print("started", flush=True)
    while workflow.executions("m", status=Status.RUNNING).items:
        time.sleep(0.005)
    workflow.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
