"""Workflow: durable transitions a second of the embedded runner, for one execution, for many at once, and for tasks.

Sketch. A transition of one execution is one commit, and a commit waits for the disk: a commit of nothing else on the same
disk is the ceiling, and is measured in the same run. Stepping and writing a state takes a tenth of a millisecond of
Python, so one execution should come to half of the ceiling; executions side by side share each commit and are bound by
Python. The disk runs out first for one, the processor for many.
"""

import json
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.database import open_database, rows
from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.ports.workflow import TaskFunction
from footfall.states.execution import Status
from footfall.states.values import Json
from footfall.values.clock import SystemClock

TIMES = 5  # Everything in turns and the median of each: others write to the disk, too, and not evenly.
COMMITS = 1_000
ROUNDS = 1_000  # Of a loop of two states.
AT_ONCE = 100
ROUNDS_AT_ONCE = 40
TASKS_IN_A_ROW = 500
ITEMS = 1_000
PAYLOAD = {"metric": "visits-per-reader", "versions": [1, 2, 3], "comment": "x" * 100}

_ADD = {
    "Type": "Pass",
    "Parameters": {"i.$": "States.MathAdd($.i, 1)", "to.$": "$.to", "data.$": "$.data"},
    "Next": "More",
}
_MORE = {
    "Type": "Choice",
    "Choices": [{"Variable": "$.i", "NumericLessThanPath": "$.to", "Next": "Add"}],
    "Default": "Done",
}
LOOP = {"StartAt": "Add", "States": {"Add": _ADD, "More": _MORE, "Done": {"Type": "Succeed"}}}
CALLS = {
    "StartAt": "Call",
    "States": {
        "Call": {"Type": "Task", "Resource": "next", "Next": "More"},
        "More": {**_MORE, "Choices": [{"Variable": "$.i", "NumericLessThanPath": "$.to", "Next": "Call"}]},
        "Done": {"Type": "Succeed"},
    },
}
EACH = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "ItemProcessor": {"StartAt": "One", "States": {"One": {"Type": "Task", "Resource": "same", "End": True}}},
            "ResultPath": None,
            "End": True,
        }
    },
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn measured: everything on the same disk within some seconds."""

    commits: float
    one: float
    many: float
    calls: float
    items: float


def run(plan: Plan) -> list[Row]:
    """Measure the disk's commits and the runner's transitions in turns."""
    with closing(_opened(plan)) as workflow:
        turns = [_turn(plan, workflow, number) for number in range(TIMES)]
        begin = time.perf_counter()
    with closing(_opened(plan)):
        opened_s = time.perf_counter() - begin
    one = median(turn.one for turn in turns)
    many = median(turn.many for turn in turns)
    calls = median(turn.calls for turn in turns)
    share = median(turn.one / turn.commits for turn in turns)
    return [
        row("commits of one row with the same settings on this disk", median(t.commits for t in turns), "commits/s"),
        row("durable transitions of one execution", one, "transitions/s", at_least=1_000),
        row("transitions of one execution for each commit that the disk can do", share, ""),
        row(f"durable transitions of {AT_ONCE} executions at once", many, "transitions/s", at_least=10_000),
        row("durable transitions of one execution, every second one a task", calls, "transitions/s", at_least=1_000),
        row("tasks of one Map, 40 items at once on 8 threads", median(turn.items for turn in turns), "tasks/s"),
        row("closing and opening the file with its ended executions", opened_s, "s"),
    ]


def _opened(plan: Plan) -> SqliteWorkflow:
    machines = {"loop": json.dumps(LOOP), "calls": json.dumps(CALLS), "each": json.dumps(EACH)}
    tasks: dict[str, TaskFunction] = {"next": _next, "same": lambda given, _key: given}
    path = plan.directory / "workflows.db"
    return SqliteWorkflow(path, machines=machines, tasks=tasks, clock=SystemClock(), chance=Random(1))


def _next(given: Json, _key: str) -> Json:
    assert isinstance(given, dict)
    assert isinstance(given["i"], int)
    return {**given, "i": given["i"] + 1}


def _turn(plan: Plan, workflow: SqliteWorkflow, number: int) -> Turn:
    return Turn(
        _commits(plan.directory / f"raw-{number}.db", plan.scaled(COMMITS)),
        _transitions(workflow, "loop", f"{number}-one", executions=1, rounds=plan.scaled(ROUNDS)),
        _transitions(workflow, "loop", f"{number}-many", executions=AT_ONCE, rounds=plan.scaled(ROUNDS_AT_ONCE)),
        _transitions(workflow, "calls", f"{number}-calls", executions=1, rounds=plan.scaled(TASKS_IN_A_ROW)),
        _items(workflow, f"{number}-each", plan.scaled(ITEMS)),
    )


def _commits(path: Path, count: int) -> float:
    connection = open_database(path, durable=True)
    rows(connection, "CREATE TABLE one(id INTEGER PRIMARY KEY, data BLOB)")
    data = json.dumps(PAYLOAD).encode()
    begin = time.perf_counter()
    for number in range(count):
        rows(connection, "INSERT OR REPLACE INTO one VALUES(?, ?)", (number % 10, data))
    seconds = time.perf_counter() - begin
    connection.close()
    return count / seconds


def _transitions(workflow: SqliteWorkflow, machine: str, prefix: str, *, executions: int, rounds: int) -> float:
    begin = time.perf_counter()
    names = [f"{prefix}-{number}" for number in range(executions)]
    for name in names:
        workflow.start(machine, name=name, input={"i": 0, "to": rounds, "data": PAYLOAD})
    _wait(workflow, machine, names)
    # Each round is two states, and the last state is one more.
    return executions * (2 * rounds + 1) / (time.perf_counter() - begin)


def _items(workflow: SqliteWorkflow, name: str, items: int) -> float:
    begin = time.perf_counter()
    workflow.start("each", name=name, input=list(range(items)))
    _wait(workflow, "each", [name])
    return items / (time.perf_counter() - begin)


def _wait(workflow: SqliteWorkflow, machine: str, names: list[str]) -> None:
    for name in names:
        while workflow.describe(machine, name=name).status is Status.RUNNING:
            time.sleep(0.01)
        standing = workflow.describe(machine, name=name)
        if standing.status is not Status.SUCCEEDED:
            raise RuntimeError(f"{name}: {standing.error}, {standing.cause}")
