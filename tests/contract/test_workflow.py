"""What every workflow promises: machines run to their end, names start once, and where it failed it goes on."""

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from footfall.adapters.aws.step_functions import StepFunctionsWorkflow
from footfall.adapters.aws.step_functions_machines import publish_machine
from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.ports.errors import TooLarge
from footfall.ports.workflow import (
    INPUT_BYTES_MAX,
    NothingToRetry,
    OtherInput,
    Standing,
    UnfitName,
    UnknownExecution,
    UnknownMachine,
    Workflow,
)
from footfall.states.execution import Kind, Status
from footfall.states.values import Json
from footfall.values.clock import SystemClock
from tests.contract.workflow_machines import MACHINES
from tests.contract.workflow_tasks import TASKS
from tests.engines.step_functions import StepFunctionsEngine

ENDS_S_MAX = 60.0


@pytest.fixture(scope="module", params=["sqlite", "step functions"])
def workflow(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workflow]:
    if request.param == "step functions":
        yield on_step_functions(request.getfixturevalue("step_functions"))
        return
    path = tmp_path_factory.mktemp("workflows") / "workflows.db"
    opened = SqliteWorkflow(path, machines=MACHINES, tasks=TASKS, clock=SystemClock(), chance=Random(1))
    yield opened
    opened.close()


def on_step_functions(engine: StepFunctionsEngine) -> Workflow:
    functions = {name: engine.function(name, f"tests.contract.workflow_tasks.{name}_handler") for name in TASKS}
    machines = {
        name: publish_machine(engine.client(), name, definition, functions=functions, role_arn=engine.role())
        for name, definition in MACHINES.items()
    }
    return StepFunctionsWorkflow(engine.client(), machines=machines)


@pytest.fixture
def name() -> str:
    return f"run-{uuid4().hex[:12]}"


@pytest.fixture
def witness(tmp_path: Path) -> Path:
    return tmp_path / "witness"


def ended(workflow: Workflow, machine: str, name: str) -> Standing:
    gives_up_at = time.monotonic() + ENDS_S_MAX
    while time.monotonic() < gives_up_at:
        standing = workflow.describe(machine, name=name)
        if standing.status is not Status.RUNNING:
            return standing
        time.sleep(0.02)
    raise AssertionError(f"{machine}/{name} did not end")


def run(workflow: Workflow, machine: str, name: str, given: Json) -> Standing:
    workflow.start(machine, name=name, input=given)
    return ended(workflow, machine, name)


def told(workflow: Workflow, machine: str, name: str) -> list[tuple[str, str]]:
    return [(event.kind.value, event.state) for event in workflow.history(machine, name=name)]


def test_tasks_are_done_one_after_the_other(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "two", name, {"witness": str(witness), "value": [1, 2.5, None, True, "ü"]})
    assert (standing.status, standing.error) == (Status.SUCCEEDED, None)
    assert standing.output == {
        "witness": str(witness), "value": [1, 2.5, None, True, "ü"],
        "first": [1, 2.5, None, True, "ü"], "second": "second",
    }  # fmt: skip
    assert standing.ended_at_ms is not None
    assert standing.ended_at_ms >= standing.started_at_ms
    assert len(set(witness.read_text().split())) == 2


def test_the_history_tells_each_state_in_order(workflow: Workflow, name: str, witness: Path) -> None:
    run(workflow, "two", name, {"witness": str(witness), "value": 1})
    assert told(workflow, "two", name) == [
        ("started", ""), ("entered", "First"), ("exited", "First"), ("entered", "Second"), ("exited", "Second"),
        ("ended", ""),
    ]  # fmt: skip
    events = workflow.history("two", name=name)
    assert events[1].data == events[0].data == {"witness": str(witness), "value": 1}
    assert events[3].data == events[2].data == {"witness": str(witness), "value": 1, "first": 1}
    assert [event.number for event in workflow.history("two", name=name, after=events[2].number)] == [
        event.number for event in events[3:]
    ]
    assert len(workflow.history("two", name=name, limit=2)) == 2


def test_a_choice_is_made_by_the_data(workflow: Workflow, name: str) -> None:
    assert run(workflow, "chosen", name, {"value": 11}).output == "large"
    small = run(workflow, "chosen", f"{name}-small", {"value": 10})
    assert (small.status, small.error, small.cause) == (Status.FAILED, "TooSmall", "ten or less")
    last = workflow.history("chosen", name=f"{name}-small")[-1]
    assert (last.kind, last.data) == (Kind.ENDED, {"Error": "TooSmall", "Cause": "ten or less"})
    assert all(event.kind is not Kind.ATTEMPT_FAILED for event in workflow.history("chosen", name=f"{name}-small"))


def test_one_name_starts_once(workflow: Workflow, name: str, witness: Path) -> None:
    given: Json = {"witness": str(witness), "value": 1}
    for _ in range(3):
        assert workflow.start("two", name=name, input=given).name == name
    ended(workflow, "two", name)
    assert workflow.start("two", name=name, input=given).status is Status.SUCCEEDED
    assert len(witness.read_text().split()) == 2
    with pytest.raises(OtherInput):
        workflow.start("two", name=name, input={"witness": str(witness), "value": 2})


def test_a_task_that_fails_is_tried_again_under_its_key(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "retried", name, {"witness": str(witness), "fails": 1})
    assert (standing.status, standing.output) == (Status.SUCCEEDED, "at last")
    keys = witness.read_text().split()
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert ("attempt failed", "Try") in told(workflow, "retried", name)
    (failed,) = [e.data for e in workflow.history("retried", name=name) if e.kind is Kind.ATTEMPT_FAILED]
    assert isinstance(failed, dict)
    assert failed["Error"] == "TooMany"


def test_a_task_that_fails_too_often_fails_its_execution(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "retried", name, {"witness": str(witness), "fails": 9})
    assert (standing.status, standing.error) == (Status.FAILED, "TooMany")
    assert '"errorMessage":' in str(standing.cause).replace(": ", ":")
    assert "is not yet ready" in str(standing.cause)
    assert len(witness.read_text().split()) == 2


def test_an_error_is_caught_by_its_name(workflow: Workflow, name: str, witness: Path) -> None:
    assert run(workflow, "caught", name, {"witness": str(witness)}).output == "TooMany"


def test_a_task_that_takes_too_long_is_left(workflow: Workflow, name: str) -> None:
    assert run(workflow, "timed", name, {}).output == "late"


def test_an_execution_goes_on_where_it_failed(workflow: Workflow, name: str, witness: Path) -> None:
    given: Json = {"witness": str(witness), "value": 1}
    assert run(workflow, "uncaught", name, given).error == "TooMany"
    Path(f"{witness}.open").touch()
    again = workflow.retry("uncaught", name=name)
    assert again.name == name
    standing = ended(workflow, "uncaught", name)
    assert (standing.status, standing.output, standing.error) == (Status.SUCCEEDED, "through", None)
    keys = witness.read_text().split()
    assert len(keys) == 3
    assert keys.count(keys[0]) == 1
    assert keys[1] == keys[2]
    assert ("retried", "") in told(workflow, "uncaught", name)
    with pytest.raises(NothingToRetry):
        workflow.retry("uncaught", name=name)


def test_an_execution_that_is_stopped_stays_so(workflow: Workflow, name: str) -> None:
    workflow.start("waiting", name=name, input={})
    with pytest.raises(NothingToRetry):
        workflow.retry("waiting", name=name)
    time.sleep(0.2)
    workflow.stop("waiting", name=name, reason="by hand")
    standing = ended(workflow, "waiting", name)
    assert standing.status is Status.STOPPED
    assert workflow.stop("waiting", name=name, reason="again").status is Status.STOPPED
    assert told(workflow, "waiting", name) == [("started", ""), ("entered", "Wait"), ("ended", "")]


def test_a_wait_takes_its_time(workflow: Workflow, name: str) -> None:
    standing = run(workflow, "second", name, {"a": 1})
    assert standing.ended_at_ms is not None
    assert standing.ended_at_ms - standing.started_at_ms >= 1_000
    assert standing.output == {"a": 1}


def test_items_of_a_map_have_keys_of_their_own(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "mapped", name, {"witness": str(witness), "items": [3, 1, 2, 1]})
    assert standing.output == [3, 1, 2, 1]
    assert len(set(witness.read_text().split())) == 4


def test_items_of_a_map_in_a_map_have_keys_of_their_own(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "nested", name, {"witness": str(witness), "rows": [[1, 1], [1, 1]]})
    assert standing.output == [[1, 1], [1, 1]]
    assert len(set(witness.read_text().split())) == 4
    assert {state for _, state in told(workflow, "nested", name)} == {"", "Rows", "Cells", "Cell"}


def test_branches_give_their_results_in_order(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "branched", name, {"witness": str(witness), "value": "left"})
    assert standing.output == {"both": ["left", "right"]}


def test_each_round_of_a_loop_has_a_key_of_its_own(workflow: Workflow, name: str, witness: Path) -> None:
    standing = run(workflow, "looped", name, {"witness": str(witness), "value": 1, "left": 3})
    assert standing.status is Status.SUCCEEDED
    assert len(set(witness.read_text().split())) == 3


def test_executions_are_listed_by_status(workflow: Workflow, name: str) -> None:
    for number in range(3):
        run(workflow, "chosen", f"{name}-{number}", {"value": 20 if number else 1})
    failed = workflow.executions("chosen", status=Status.FAILED)
    assert f"{name}-0" in {one.name for one in failed.items}
    assert {one.status for one in failed.items} == {Status.FAILED}
    names: list[str] = []
    after: str | None = None
    for _ in range(100):
        page = workflow.executions("chosen", limit=2, after=after)
        assert len(page.items) <= 2
        names += [one.name for one in page.items]
        after = page.after
        if after is None:
            break
    assert {f"{name}-{number}" for number in range(3)} <= set(names)
    assert len(names) == len(set(names))


def test_what_is_not_there_is_said(workflow: Workflow, name: str) -> None:
    with pytest.raises(UnknownMachine):
        workflow.start("nowhere", name=name, input={})
    with pytest.raises(UnknownMachine):
        workflow.executions("nowhere")
    for ask in (workflow.describe, workflow.history, workflow.retry):
        with pytest.raises(UnknownExecution):
            ask("two", name=name)
    with pytest.raises(UnknownExecution):
        workflow.stop("two", name=name, reason="no reason")


@pytest.mark.parametrize("bad", ["", "a b", "a/b", "a" * 81, "a*", "a\x00"])
def test_names_that_cannot_be_are_refused(workflow: Workflow, bad: str) -> None:
    with pytest.raises(UnfitName):
        workflow.start("two", name=bad, input={})


def test_an_input_that_is_too_large_is_refused(workflow: Workflow, name: str) -> None:
    with pytest.raises(TooLarge):
        workflow.start("two", name=name, input="x" * INPUT_BYTES_MAX)
    with pytest.raises(UnknownExecution):
        workflow.describe("two", name=name)
