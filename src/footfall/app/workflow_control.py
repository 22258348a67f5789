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


def workflows_file(settings: Settings) -> Path:
    """Return where the workflows of an instance lie; on AWS, those of the movers that run on this machine."""
    return Path(settings.data_dir) / WORKFLOWS_FILE


@contextmanager
def workflows_of(settings: Settings, clock: Clock) -> Generator[WorkflowFile]:
    """Open the workflows of a data directory for the block; raise Unavailable when it has none."""
    with closing(WorkflowFile(workflows_file(settings), clock=clock)) as opened:
        yield opened


def listed(settings: Settings, clock: Clock, *, machine: str | None, status: Status | None, limit: int) -> Listed:
    """Return the newest executions; a directory in which nothing was ever started has none."""
    if not workflows_file(settings).exists():
        return Listed([], None)
    with workflows_of(settings, clock) as opened:
        return opened.executions(machine, status=status, limit=limit)
