"""What the embedded workflow promises beyond the port: one runner, times of tasks, wishes of others, a bounded past."""

import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from footfall.adapters.embedded.database import open_database, rows
from footfall.adapters.embedded.sqlite_workflow import RETENTION, SqliteWorkflow
from footfall.adapters.embedded.workflow_file import WorkflowFile
from footfall.adapters.embedded.workflow_layout import RunElsewhere
from footfall.adapters.embedded.workflow_runner import Retention
from footfall.ports.errors import Unavailable
from footfall.ports.workflow import HISTORY_EVENTS_MAX, NothingToRetry, Standing, TaskFunction, UnknownExecution
from footfall.states.definition import NotAMachine
from footfall.states.execution import Status
from footfall.values.clock import Clock, SetClock, SystemClock

NOON_MS = 1_794_744_000_000
ENDS_S_MAX = 30.0


def machine(**states: Any) -> str:
    return json.dumps({"StartAt": next(iter(states)), "States": states})


TASK: Any = {"Type": "Task", "Resource": "t", "End": True}


@contextmanager
def opened(
    folder: Path,
    definition: str,
    tasks: Mapping[str, TaskFunction] | None = None,
    *,
    clock: Clock | None = None,
    retention: Retention = RETENTION,
) -> Generator[SqliteWorkflow]:
    path = folder / "workflows.db"
    machines = {"m": definition}
    workflow = SqliteWorkflow(
        path, machines=machines, tasks=tasks or {}, clock=clock or SystemClock(), chance=Random(1), retention=retention
    )
    with closing(workflow):
        yield workflow


def until(holds: Callable[[], bool]) -> None:
    gives_up_at = time.monotonic() + ENDS_S_MAX
    while not holds():
        assert time.monotonic() < gives_up_at, "it did not happen"
        time.sleep(0.005)


def in_its_thread(workflow: SqliteWorkflow, act: Callable[[], object]) -> None:
    """Do something with the connection that only the running thread may use."""

    def do(_book: object, _now_ms: int) -> int:
        act()
        return 0

    workflow._runner.ask(do)


def ended(workflow: SqliteWorkflow | WorkflowFile, name: str = "e") -> Standing:
    until(lambda: workflow.describe("m", name=name).status is not Status.RUNNING)
    return workflow.describe("m", name=name)


def test_a_second_runner_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    with (
        opened(tmp_path, machine(T=TASK)),
        pytest.raises(RunElsewhere, match="process"),
        opened(tmp_path, machine(T=TASK)),
    ):
        pass
    with opened(tmp_path, machine(T=TASK)):
        pass


def test_a_bad_machine_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(NotAMachine, match=r"\$\.StartAt"), opened(tmp_path, '{"StartAt": "A", "States": {"B": {}}}'):
        pass
    with opened(tmp_path, machine(T=TASK)):
        pass


def test_an_execution_goes_on_with_the_definition_that_it_was_started_with(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    waiting = machine(W={"Type": "Wait", "Seconds": 60, "Next": "P"}, P={"Type": "Pass", "Result": "old", "End": True})
    with opened(tmp_path, waiting, clock=clock) as workflow:
        workflow.start("m", name="e", input={})
    clock.advance(60_000)
    with opened(tmp_path, machine(P={"Type": "Pass", "Result": "new", "End": True}), clock=clock) as workflow:
        assert ended(workflow).output == "old"
        workflow.start("m", name="f", input={})
        assert ended(workflow, "f").output == "new"


def test_a_task_that_is_under_way_at_the_end_has_its_result_kept(tmp_path: Path) -> None:
    began = threading.Event()
    keys: list[str] = []

    def slow(_given: Any, key: str) -> Any:
        keys.append(key)
        began.set()
        time.sleep(0.2)
        return 5

    with opened(tmp_path, machine(T={**TASK, "End": True}), {"t": slow}) as workflow:
        workflow.start("m", name="e", input={})
        assert began.wait(ENDS_S_MAX)
    with opened(tmp_path, machine(T=TASK), {"t": slow}) as workflow:
        assert ended(workflow).output == 5
    assert len(keys) == 1


def test_no_two_transitions_after_each_other_share_a_commit(tmp_path: Path) -> None:
    branch = {"StartAt": "B", "States": {"B": {**TASK, "End": True}}}
    definition = machine(
        P={"Type": "Pass", "Next": "T"},
        T={"Type": "Task", "Resource": "t", "Next": "C"},
        C={"Type": "Choice", "Choices": [{"Variable": "$", "IsNull": True, "Next": "W"}], "Default": "W"},
        W={"Type": "Wait", "Seconds": 0, "Next": "F"},
        F={"Type": "Parallel", "Branches": [branch], "Next": "M"},
        M={"Type": "Map", "ItemProcessor": {"StartAt": "I", "States": {"I": TASK}}, "Next": "E"},
        E={"Type": "Succeed"},
    )
    seen: list[int] = []  # How many states had been left on disk when each commit began.
    with opened(tmp_path, definition, {"t": lambda given, _key: given}) as workflow:
        other = open_database(tmp_path / "workflows.db", durable=True, read_only=True)

        def on_commit() -> bool:
            seen.append(int(rows(other, "SELECT count(*) FROM event WHERE kind='exited'")[0][0]))
            return False

        in_its_thread(workflow, lambda: workflow._db.set_commit_hook(on_commit))
        workflow.start("m", name="e", input={})
        assert ended(workflow).status is Status.SUCCEEDED
        in_its_thread(workflow, lambda: workflow._db.set_commit_hook(None))
        seen.append(int(rows(other, "SELECT count(*) FROM event WHERE kind='exited'")[0][0]))
        other.close()
    assert seen[-1] == 9
    assert all(later - before <= 1 for before, later in pairwise(seen))


def test_a_task_without_a_function_fails_its_execution(tmp_path: Path) -> None:
    with opened(tmp_path, machine(T=TASK)) as workflow:
        workflow.start("m", name="e", input={})
        assert ended(workflow).error == "Lambda.ResourceNotFoundException"


def test_a_task_that_gives_too_much_or_no_json_fails(tmp_path: Path) -> None:
    def task(given: Any, _key: str) -> Any:
        return "x" * 262_144 if given else object()

    tasks: dict[str, TaskFunction] = {"t": task}
    with opened(tmp_path, machine(T=TASK), tasks) as workflow:
        workflow.start("m", name="e", input=True)
        workflow.start("m", name="f", input=False)
        assert ended(workflow).error == "States.DataLimitExceeded"
        assert ended(workflow, "f").error == "TypeError"


@pytest.mark.parametrize("is_beating", [True, False])
def test_a_task_that_beats_lives_on_and_one_that_does_not_is_left(tmp_path: Path, is_beating: bool) -> None:
    clock, is_left = SetClock(NOON_MS), threading.Event()

    def task(_given: Any, key: str) -> Any:
        for _ in range(3):
            if is_beating:
                workflow.beat(key)
            # The loop has seen the beginning, or the beat, before the clock moves.
            beats = workflow._runner._beats
            until(lambda beats=beats: clock.now_ms() + 2_000 in beats.values() if is_beating else bool(beats))
            clock.advance(1_500)
        return "alive" if is_beating else is_left.wait(ENDS_S_MAX)

    definition = machine(T={**TASK, "HeartbeatSeconds": 2, "TimeoutSeconds": 99})
    with opened(tmp_path, definition, {"t": task}, clock=clock) as workflow:
        workflow.start("m", name="e", input={})
        standing = ended(workflow)
        is_left.set()
    assert (standing.output, standing.error) == (("alive", None) if is_beating else (None, "States.HeartbeatTimeout"))


def test_a_machine_s_own_time_ends_its_execution_and_is_whole_again_after_a_retry(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    waiting = {"Type": "Wait", "Seconds": 8, "End": True}
    definition = json.dumps({"TimeoutSeconds": 5, "StartAt": "W", "States": {"W": waiting}})
    with opened(tmp_path, definition, clock=clock) as workflow:
        workflow.start("m", name="e", input={})
        until(lambda: len(workflow._runner._timers) > 1)
        clock.advance(5_000)
        assert (ended(workflow).status, ended(workflow).error) == (Status.TIMED_OUT, "States.Timeout")
        workflow.retry("m", name="e")
        clock.advance(3_000)
        assert ended(workflow).status is Status.SUCCEEDED


def test_an_execution_with_too_long_a_history_fails(tmp_path: Path) -> None:
    again = {"Variable": "$", "IsNull": False, "Next": "A"}
    circle = {
        "A": {"Type": "Pass", "Next": "B"},
        "B": {"Type": "Choice", "Choices": [again], "Default": "C"},
        "C": {"Type": "Succeed"},
    }
    # Forty items go in a circle at once, so that a commit is shared by them.
    each = {"Type": "Map", "ItemProcessor": {"StartAt": "A", "States": circle}, "End": True}
    with opened(tmp_path, machine(Each=each)) as workflow:
        workflow.start("m", name="e", input=list(range(40)))
        standing = ended(workflow)
    assert (standing.error, standing.status) == ("States.Runtime", Status.FAILED)
    assert f"at most {HISTORY_EVENTS_MAX} events" in str(standing.cause)


def test_others_stop_and_retry_while_somebody_runs_the_file(tmp_path: Path) -> None:
    gate = threading.Event()

    def gated(_given: Any, _key: str) -> Any:
        if not gate.is_set():
            raise ValueError("closed")
        return "through"

    definition = machine(W={"Type": "Wait", "Seconds": 600, "End": True})
    with opened(tmp_path, machine(T=TASK), {"t": gated}) as workflow:
        workflow.start("m", name="e", input={})
        assert ended(workflow).error == "ValueError"
        gate.set()
        with closing(WorkflowFile(tmp_path / "workflows.db", clock=SystemClock())) as other:
            other.retry("m", name="e")
            assert ended(other).output == "through"
            with pytest.raises(NothingToRetry):
                other.retry("m", name="e")
            with pytest.raises(UnknownExecution):
                other.stop("m", name="nobody", reason="")
    with opened(tmp_path, definition) as workflow:
        workflow.start("m", name="w", input={})
        with closing(WorkflowFile(tmp_path / "workflows.db", clock=SystemClock())) as other:
            assert other.stop("m", name="w", reason="by hand").status is Status.STOPPED
            assert other.describe("m", name="w").cause == "by hand"


def test_others_stop_and_retry_while_nobody_runs_the_file(tmp_path: Path) -> None:
    waiting = machine(W={"Type": "Wait", "Seconds": 1, "End": True})
    with opened(tmp_path, waiting) as workflow:
        workflow.start("m", name="e", input={})
    with closing(WorkflowFile(tmp_path / "workflows.db", clock=SystemClock())) as other:
        assert other.stop("m", name="e", reason="by hand").status is Status.STOPPED
        assert other.retry("m", name="e").status is Status.RUNNING
    with opened(tmp_path, waiting) as workflow:
        assert ended(workflow).status is Status.SUCCEEDED
        assert ended(workflow).retries == 1


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no workflows"):
        WorkflowFile(tmp_path / "workflows.db", clock=SystemClock())


def test_a_newer_file_is_left_as_it_is(tmp_path: Path) -> None:
    with opened(tmp_path, machine(T=TASK)):
        pass
    connection = open_database(tmp_path / "workflows.db", durable=True)
    rows(connection, "UPDATE about SET value=99 WHERE name='format'")
    connection.close()
    with pytest.raises(Unavailable, match="format 99"), opened(tmp_path, machine(T=TASK)):
        pass


def test_what_ended_long_ago_or_is_too_much_is_forgotten(tmp_path: Path) -> None:
    clock = SetClock(NOON_MS)
    retention = Retention(keep_ms=3_600_000, kept_max=3)
    with opened(tmp_path, machine(P={"Type": "Pass", "End": True}), clock=clock, retention=retention) as workflow:
        for number in range(5):
            clock.advance(1)
            workflow.start("m", name=f"e{number}", input={})
            ended(workflow, f"e{number}")
        clock.advance(61_000)
        until(lambda: len(workflow.executions("m").items) == 3)
        assert [one.name for one in workflow.executions("m").items] == ["e4", "e3", "e2"]
        clock.advance(3_600_000)
        until(lambda: not workflow.executions("m").items)


def test_a_full_disk_delays_and_loses_nothing(tmp_path: Path) -> None:
    keys: list[str] = []
    gate = threading.Event()

    def task(_given: Any, key: str) -> Any:
        keys.append(key)
        gate.wait(ENDS_S_MAX)
        return "x" * 100_000

    with opened(tmp_path, machine(T={**TASK, "ResultPath": "$.r"}), {"t": task}) as workflow:
        workflow.start("m", name="e", input={})
        until(lambda: bool(keys))
        in_its_thread(workflow, lambda: rows(workflow._db, "PRAGMA max_page_count = 1"))  # As many as there are.
        gate.set()
        until(lambda: len(keys) > 1)  # Its result found no place, so that it was asked for again.
        in_its_thread(workflow, lambda: rows(workflow._db, "PRAGMA max_page_count = 1000000"))
        assert ended(workflow).status is Status.SUCCEEDED
    assert len(set(keys)) == 1


def test_many_executions_share_the_threads(tmp_path: Path) -> None:
    at_once = 0
    most = 0
    lock = threading.Lock()

    def task(given: Any, _key: str) -> Any:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.01)
        with lock:
            at_once -= 1
        return given

    with opened(tmp_path, machine(T=TASK), {"t": task}) as workflow:
        for number in range(40):
            workflow.start("m", name=f"e{number}", input=number)
        assert [ended(workflow, f"e{number}").output for number in range(40)] == list(range(40))
    assert 1 < most <= 8
