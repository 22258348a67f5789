"""The archive on AWS: Step Functions runs its machine, one function does its tasks, another starts what waits."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from footfall.adapters.aws.sessions import client_of
from footfall.adapters.aws.step_functions import StepFunctionsWorkflow
from footfall.app.archive_capturing import Capturer
from footfall.app.archive_machine import ONE, Ground, Tasks, definition
from footfall.app.archive_opening import OpenedArchive, open_archive
from footfall.app.archive_run import dispatch, sweep, tidy
from footfall.app.aws_wiring import ground_of
from footfall.app.settings import Settings, require_named
from footfall.ports.workflow import TaskFunction, Workflow
from footfall.states.values import Json
from footfall.values.clock import Clock


@dataclass(slots=True)
class TasksOnAws:
    """The tasks of the machine in one function: its key says which state calls."""

    settings: Settings
    clock: Clock
    _by_state: dict[str, TaskFunction] = field(default_factory=dict[str, TaskFunction])

    def run(self, input: Json, key: str) -> Json:
        """Do the task of the state that the key names last."""
        if not self._by_state:
            self._open()
        return self._by_state[key.rpartition("/")[2]](input, key)

    def _open(self) -> None:
        archive = open_archive(self.settings, self.clock).archive
        ground = Ground(archive.table, archive.blobs, archive.searching)
        capturer = Capturer(self.settings)
        tasks = Tasks(lambda: ground, capturer.capturing, capturer.ask, self.clock, hand_on=capturer.hand_on).by_name()
        self._by_state.update({state: tasks[resource] for state, resource in resources_by_state().items()})


def resources_by_state() -> Mapping[str, str]:
    """Return which task each state of the machine calls."""
    states: dict[str, Any] = json.loads(definition())["States"]
    return {name: str(state["Resource"]) for name, state in states.items() if state["Type"] == "Task"}


def open_workflow(settings: Settings) -> Workflow:
    """Open the workflow whose machine the settings name."""
    client = client_of("stepfunctions", ground_of(settings, "stepfunctions"))
    return StepFunctionsWorkflow(client, machines={ONE: require_named(settings, "aws_archive_machine")})


@dataclass(slots=True)
class DispatchOnAws:
    """Starts what waits, mends and tidies; called when something was asked for, and each minute for what was missed."""

    settings: Settings
    opened: OpenedArchive
    workflow: Workflow
    clock: Clock

    def run(self, *, is_round: bool) -> Mapping[str, int]:
        """Start as many as there are places; with a round, mend and tidy as well."""
        table, now_ms = self.opened.archive.table, self.clock.now_ms()
        mended = sweep(table, self.workflow, now_ms=now_ms) if is_round else 0
        started = dispatch(table, self.workflow, places=self.settings.archive_contexts, now_ms=now_ms)
        removed, objects = tidy(self.opened, self.settings, now_ms=now_ms) if is_round else (0, 0)
        return {"mended": mended, "started": started, "removed": removed, "objects": objects}
