"""The archive's task function as Lambda has it, on the directory that its input names."""

from collections.abc import Mapping
from typing import Any

from footfall.app.archive_on_aws import TasksOnAws
from footfall.app.settings import Settings
from footfall.states.values import Json
from footfall.values.clock import SystemClock


def handler(event: Mapping[str, Any], _context: object) -> Json:
    """Do the task of the state that calls."""
    tasks = TasksOnAws(Settings(data_dir=str(event["input"]["folder"])), SystemClock())
    return tasks.run(event["input"], str(event["key"]))
