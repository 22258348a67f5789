"""The Workflow port on one SQLite file: executions are run by a thread of the process that opens it.

The file's layout is drawn in docs/formats/workflows.md. Any thread may use a SqliteWorkflow, and any process may look
at the file with a WorkflowFile; only one process runs it.
"""

import contextlib
import os
import threading
from collections.abc import Mapping, Sequence
from random import Random

from footfall.adapters.embedded.database import open_database, translated
from footfall.adapters.embedded.workflow_book import WorkflowBook
from footfall.adapters.embedded.workflow_layout import prepare_layout, take_lock
from footfall.adapters.embedded.workflow_rows import happened, listed, required_run, standing_of
from footfall.adapters.embedded.workflow_runner import Retention, WorkflowRunner
from footfall.ports.workflow import (
    PAGE_MAX,
    REASON_CHARACTERS_MAX,
    Happened,
    Listed,
    Standing,
    TaskFunction,
    UnknownMachine,
    require_input,
)
from footfall.states.execution import Status
from footfall.states.values import Json
from footfall.values.clock import Clock

THREADS = 8  # Tasks that are called at once; they wait for others more than they compute.
# As long as Step Functions remembers an ended execution; some kilobytes each.
RETENTION = Retention(keep_ms=90 * 86_400_000, kept_max=100_000)


class SqliteWorkflow:
    """The workflow of one machine."""

    def __init__(  # noqa: PLR0913 - machines and tasks belong to the file that they run on
        self,
        path: str | os.PathLike[str],
        *,
        machines: Mapping[str, str | bytes],
        tasks: Mapping[str, TaskFunction],
        clock: Clock,
        chance: Random,
        threads: int = THREADS,
        retention: Retention = RETENTION,
    ) -> None:
        self._lock = take_lock(path)
        self._machines = frozenset(machines)
        with contextlib.ExitStack() as undone:
            undone.callback(os.close, self._lock)
            self._db = open_database(path, durable=True)
            undone.callback(self._db.close)
            with translated(self._db):
                prepare_layout(self._db)
            book = WorkflowBook(self._db, machines, chance=chance)
            self._reading = open_database(path, durable=True, read_only=True)
            undone.callback(self._reading.close)
            self._read_lock = threading.Lock()
            self._runner = WorkflowRunner(self._db, book, tasks, threads=threads, clock=clock, retention=retention)
            self._runner.start()
            undone.pop_all()

    def start(self, machine: str, *, name: str, input: Json) -> Standing:
        """Start an execution; it is on disk when this returns."""
        data = require_input(input)
        return self._standing(self._runner.ask(lambda book, now_ms: book.start(machine, name, data, now_ms=now_ms)))

    def describe(self, machine: str, *, name: str) -> Standing:
        """Return how an execution stands."""
        with self._read_lock, translated(self._reading):
            return standing_of(self._reading, required_run(self._reading, machine, name))

    def executions(
        self, machine: str, *, status: Status | None = None, limit: int = 100, after: str | None = None
    ) -> Listed:
        """Return one page of a machine's executions, the newest first."""
        if machine not in self._machines:
            raise UnknownMachine(f"{machine!r} is not a machine here, only {sorted(self._machines)}")
        with self._read_lock:
            return listed(self._reading, machine, status=status, limit=limit, after=after)

    def history(self, machine: str, *, name: str, after: int = 0, limit: int = PAGE_MAX) -> Sequence[Happened]:
        """Return events with numbers above one, in order."""
        with self._read_lock, translated(self._reading):
            run = required_run(self._reading, machine, name)
            return happened(self._reading, run, after=after, limit=limit)

    def stop(self, machine: str, *, name: str, reason: str) -> Standing:
        """End an execution where it is; what its tasks still do is not waited for."""
        said = reason[:REASON_CHARACTERS_MAX]
        return self._standing(self._runner.ask(lambda book, now_ms: book.stop(machine, name, said, now_ms=now_ms)))

    def retry(self, machine: str, *, name: str) -> Standing:
        """Let an execution go on where it ended."""
        return self._standing(self._runner.ask(lambda book, now_ms: book.retry(machine, name, now_ms=now_ms)))

    def beat(self, key: str) -> None:
        """Tell that the task with this key is alive, so that its HeartbeatSeconds begin anew."""
        self._runner.beat(key)

    def close(self, *, wait: bool = True) -> None:
        """Stop running; what is under way goes on when the file is opened again."""
        self._runner.close(wait=wait)
        self._reading.close()
        self._db.close()
        os.close(self._lock)

    def _standing(self, run: int) -> Standing:
        with self._read_lock, translated(self._reading):
            return standing_of(self._reading, run)
