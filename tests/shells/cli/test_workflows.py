"""`footfall workflows` on a directory: what is listed, drawn, retried and stopped."""

import json
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.shells.cli.workflow_picture import Whereabouts, picture
from footfall.states.definition import machine_from_json
from footfall.states.execution import Doing, Execution, Fork, Frame, Status
from footfall.values.clock import SystemClock
from tests.shells.cli.conftest import Shell

MIGRATE: Any = {
    "StartAt": "Begin",
    "States": {
        "Begin": {"Type": "Pass", "Next": "Fork"},
        "Fork": {
            "Type": "Parallel",
            "Branches": [
                {"StartAt": "Left", "States": {"Left": {"Type": "Pass", "End": True}}},
                {
                    "StartAt": "Each",
                    "States": {
                        "Each": {
                            "Type": "Map",
                            "ItemProcessor": {
                                "StartAt": "One",
                                "States": {"One": {"Type": "Wait", "Seconds": 60, "End": True}},
                            },
                            "End": True,
                        }
                    },
                },
            ],
            "Next": "Copy",
        },
        "Copy": {
            "Type": "Task",
            "Resource": "copy",
            "Catch": [{"ErrorEquals": ["KeyError"], "Next": "Clean"}],
            "Next": "Done",
        },
        "Clean": {"Type": "Fail"},
        "Done": {"Type": "Succeed"},
    },
}


def drawn(status: Status, exited: set[str], *frames: Frame) -> list[str]:
    execution = Execution("migrate", "run", b"{}", 0, 1, {frame.path: frame for frame in frames})
    return picture(Whereabouts(machine_from_json(json.dumps(MIGRATE)), execution, exited, status, 1_000))


def test_a_picture_shows_where_an_execution_is() -> None:
    frames = (
        Frame("", "Fork", 2, b"[]", 0, 0, Doing.FORKED, fork=Fork(2, 2, 1)),
        Frame("/2.0", "Left", 1, b"[]", 0, 0, Doing.DONE),
        Frame("/2.1", "Each", 1, b"[]", 0, 0, Doing.FORKED, fork=Fork(3, 3, 2)),
        Frame("/2.1/1.2", "One", 1, b"3", 0, 61_000, Doing.SLEEPING),
    )
    assert drawn(Status.RUNNING, {"Begin", "Left"}, *frames) == [
        "✓ Begin  (Pass) ─▶ Fork",
        "│",
        "▶ Fork  (Parallel) ─▶ Copy  1 of 2 done",
        "├─ branch 1",
        "│    ✓ Left  (Pass)",
        "├─ branch 2",
        "│    ▶ Each  (Map)  2 of 3 done",
        "│    ├─ each item",
        "│    │    ◷ One  (Wait)  until 1970-01-01T00:01:01.000Z",
        "│",
        "· Copy  (Task copy) ─▶ Done",
        "├╴ on KeyError ─▶ Clean",
        "│",
        "· Done  (Succeed)",
        "· Clean  (Fail)",
    ]


@pytest.mark.parametrize(
    ("status", "doing", "mark"),
    [(Status.FAILED, Doing.FAILED, "✗"), (Status.STOPPED, Doing.READY, "■"), (Status.RUNNING, Doing.READY, "▶")],
)
def test_a_picture_tells_failed_stopped_and_running_apart(status: Status, doing: Doing, mark: str) -> None:
    assert f"{mark} Copy  (Task copy) ─▶ Done" in drawn(status, {"Begin"}, Frame("", "Copy", 3, b"1", 0, 0, doing))


def workflow_in(folder: Path, *, fails: bool) -> SqliteWorkflow:
    def copy(given: Any, _key: str) -> Any:
        if fails:
            raise ValueError("no such metric")
        return given

    machine = {"StartAt": "Copy", "States": {"Copy": {"Type": "Task", "Resource": "copy", "End": True}}}
    machines, tasks = {"migrate": json.dumps(machine)}, {"copy": copy}
    return SqliteWorkflow(
        folder / "workflows.db", machines=machines, tasks=tasks, clock=SystemClock(), chance=Random(1)
    )


def wait_for_end(workflow: SqliteWorkflow) -> None:
    while workflow.describe("migrate", name="run").status is Status.RUNNING:
        time.sleep(0.01)


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str
    err: str


def run(*argv: str) -> Said:
    shell = Shell()
    return Said(shell.run("workflows", *argv), shell.printed(), shell.complained())


def test_an_execution_is_listed_shown_retried_and_stopped(tmp_path: Path) -> None:
    with closing(workflow_in(tmp_path, fails=True)) as workflow:
        workflow.start("migrate", name="run", input={"metric": "visits"})
        wait_for_end(workflow)
    data = ["--data", str(tmp_path)]
    listed = run("list", *data)
    assert listed.code == 0
    assert "migrate  run   failed" in listed.out
    assert run("list", "--status", "running", *data).out == "There are no executions.\n"
    shown = run("show", "migrate", "run", *data)
    assert "✗ Copy  (Task copy)" in shown.out
    assert "no such metric" in shown.out
    told = json.loads(run("history", "migrate", "run", "--json", *data).out)
    assert [one["kind"] for one in told] == ["started", "entered", "attempt failed", "ended"]
    assert "attempt failed" in run("history", "migrate", "run", *data).out
    assert "▶ Copy" in run("retry", "migrate", "run", *data).out
    assert run("retry", "migrate", "run", *data).code == 1
    stopped = json.loads(run("stop", "migrate", "run", "--reason", "later", "--json", *data).out)
    assert (stopped["status"], stopped["cause"]) == ("stopped", "later")
    run("retry", "migrate", "run", *data)
    with closing(workflow_in(tmp_path, fails=False)) as workflow:
        wait_for_end(workflow)
        assert workflow.describe("migrate", name="run").output == {"metric": "visits"}


def test_a_directory_without_workflows_has_none(tmp_path: Path) -> None:
    assert run("list", "--data", str(tmp_path)).out == "There are no executions.\n"
    missing = run("show", "migrate", "run", "--data", str(tmp_path))
    assert (missing.code, missing.out) == (1, "")
    assert "no workflows" in missing.err
    assert run("show", "--data", str(tmp_path)).code == 2


def test_on_aws_the_file_of_a_mover_on_this_machine_is_shown_and_named(tmp_path: Path) -> None:
    with closing(workflow_in(tmp_path, fails=False)) as workflow:
        workflow.start("migrate", name="run", input={"metric": "visits"})
        wait_for_end(workflow)
    shell = Shell(variables={"FOOTFALL_GROUND": "aws"})
    assert shell.run("workflows", "list", "--data", str(tmp_path)) == 0
    assert "migrate  run   succeeded" in shell.printed()
    assert str(tmp_path / "workflows.db") in shell.complained()


def test_on_aws_a_directory_without_such_a_file_is_refused(tmp_path: Path) -> None:
    shell = Shell(variables={"FOOTFALL_GROUND": "aws"})
    assert shell.run("workflows", "list", "--data", str(tmp_path)) == 1
    assert "Step Functions runs them there" in shell.complained()
