"""The archive's functions, of a container image with Chromium: the tasks of its machine, and what starts it."""

from collections.abc import Mapping
from secrets import token_bytes
from typing import Any

from footfall.app.archive_on_aws import DispatchOnAws, TasksOnAws, open_workflow
from footfall.app.archive_opening import open_archive
from footfall.archive.replay_tokens import SECRET_BYTES, kept_secret
from footfall.shells.lambdas.start import begin
from footfall.states.values import Json

_tasks: list[TasksOnAws] = []
_dispatching: list[DispatchOnAws] = []


def task(event: Mapping[str, Any], context: object) -> Json:
    """Do a task of the machine; what the event says is its input and its key."""
    del context
    if not _tasks:
        _tasks.append(TasksOnAws(*begin("archive")))
    return _tasks[0].run(event["input"], str(event["key"]))


def dispatch(event: Mapping[str, Any], context: object) -> Mapping[str, int]:
    """Start what waits. Records of the table say that something was asked for; any other event is the minute's."""
    del context
    if not _dispatching:
        settings, clock = begin("archive-dispatch")
        opened = open_archive(settings, clock)
        kept_secret(opened.table, new=token_bytes(SECRET_BYTES))  # Those who sign with it and replay may only read.
        _dispatching.append(DispatchOnAws(settings, opened, open_workflow(settings), clock))
    return _dispatching[0].run(is_round="Records" not in event)
