"""The archive's machine as Step Functions runs it: one function does all tasks, and knows which by its key."""

from contextlib import closing
from pathlib import Path
from uuid import uuid4

from footfall.adapters.aws.step_functions import StepFunctionsWorkflow
from footfall.adapters.aws.step_functions_machines import publish_machine
from footfall.app.archive_machine import ONE, definition
from footfall.app.archive_on_aws import resources_by_state
from footfall.app.archive_opening import open_archive
from footfall.app.settings import Settings
from footfall.archive import finding, requests
from footfall.archive.captures import Capture, State
from footfall.states.execution import Kind, Status
from footfall.states.values import Json
from footfall.values.clock import SetClock, SystemClock
from tests.archive.archive_world import World
from tests.contract.test_workflow import ended
from tests.engines.step_functions import StepFunctionsEngine


def test_a_page_that_was_seen_is_kept_and_found_and_what_nobody_asked_for_fails(
    step_functions: StepFunctionsEngine, tmp_path: Path
) -> None:
    function = step_functions.function(f"archive-{uuid4().hex[:8]}", "tests.contract.archive_function.handler")
    functions = dict.fromkeys(resources_by_state().values(), function)
    role, client = step_functions.role(), step_functions.client()
    machine = publish_machine(client, ONE, definition(), functions=functions, role_arn=role)
    workflow = StepFunctionsWorkflow(client, machines={ONE: machine})
    with closing(open_archive(Settings(data_dir=str(tmp_path)), SystemClock())) as opened:
        archive = opened.archive
        world = World(archive.table, archive.blobs, SetClock(SystemClock().now_ms()))
        world.ask("ann", "https://a.example/")
        begun = world.begin()
        assert begun is not None
        world.store(begun, "words of the page")  # by a function that was stopped before it could say so
        told: dict[str, Json] = {"id": begun.id, "attempt": 1, "folder": str(tmp_path)}
        workflow.start(ONE, name=f"{begun.id}-1", input=told)
        workflow.start(ONE, name="nobody-1", input={**told, "id": "nobody"})
        assert ended(workflow, ONE, f"{begun.id}-1").status is Status.SUCCEEDED
        assert requests.one(archive.table, begun.id).state is State.DONE
        assert isinstance(finding.capture(archive.table, begun.id), Capture)
        assert [hit.id for hit in archive.searching.search("words", spaces=["member:ann"]).hits] == [begun.id]
    failed = ended(workflow, ONE, "nobody-1")
    assert (failed.status, failed.error) == (Status.FAILED, "NotArchived")
    entered = [one.state for one in workflow.history(ONE, name="nobody-1") if one.kind is Kind.ENTERED]
    assert entered == ["Capture", "Fail", "Failed"]
