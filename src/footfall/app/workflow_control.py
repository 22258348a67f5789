"""What an operator asks of the workflows of a data directory: done on their file, whether or not a process runs it."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from footfall.adapters.embedded.workflow_file import WorkflowFile
from footfall.app.settings import Settings
from footfall.ports.workflow import Listed
from footfall.states.execution import Status
from footfall.values.clock import Clock

WORKFLOWS_FILE = "workflows.db"


@contextmanager
def workflows_of(settings: Settings, clock: Clock) -> Generator[WorkflowFile]:
    """Open the workflows of a data directory for the block; raise Unavailable when it has none."""
    with closing(WorkflowFile(Path(settings.data_dir) / WORKFLOWS_FILE, clock=clock)) as opened:
        yield opened


def listed(settings: Settings, clock: Clock, *, machine: str | None, status: Status | None, limit: int) -> Listed:
    """Return the newest executions; a directory in which nothing was ever started has none."""
    if not (Path(settings.data_dir) / WORKFLOWS_FILE).exists():
        return Listed([], None)
    with workflows_of(settings, clock) as opened:
        return opened.executions(machine, status=status, limit=limit)
