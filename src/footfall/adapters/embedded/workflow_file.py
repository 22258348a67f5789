"""A workflow's file as an operator sees it: read while another process runs it, and acted upon through wishes.

Where nobody runs the file, a wish is done here at once; else the running process does it within a tenth of a second.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from footfall.adapters.embedded.database import open_database, rows, transaction, translated
from footfall.adapters.embedded.workflow_book import WorkflowBook
from footfall.adapters.embedded.workflow_layout import RunElsewhere, require_layout, take_lock
from footfall.adapters.embedded.workflow_rows import (
    execution_of,
    exited_states,
    happened,
    listed,
    required_run,
    standing_of,
)
from footfall.ports.errors import Unavailable
from footfall.ports.workflow import PAGE_MAX, REASON_CHARACTERS_MAX, Happened, Listed, NothingToRetry, Standing
from footfall.states.definition import Machine, machine_from_json
from footfall.states.execution import Execution, Status
from footfall.values.clock import Clock

GRANTED_S_MAX = 5.0  # A process that runs the file looks for wishes ten times a second.


class WorkflowFile:
    """The executions of a file, whoever runs them."""

    def __init__(self, path: str | os.PathLike[str], *, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        if not Path(path).exists():
            raise Unavailable(f"there are no workflows at {os.fspath(path)}")
        self._db = open_database(path, durable=True)
        with translated(self._db):
            require_layout(self._db)

    def executions(
        self, machine: str | None, *, status: Status | None = None, limit: int = 100, after: str | None = None
    ) -> Listed:
        """Return one page of executions, of one machine or of all, the newest first."""
        return listed(self._db, machine, status=status, limit=limit, after=after)

    def describe(self, machine: str, *, name: str) -> Standing:
        """Return how an execution stands; raise UnknownExecution."""
        with translated(self._db):
            return standing_of(self._db, required_run(self._db, machine, name))

    def history(self, machine: str, *, name: str, after: int = 0, limit: int = PAGE_MAX) -> Sequence[Happened]:
        """Return events with numbers above one, in order."""
        with translated(self._db):
            return happened(self._db, required_run(self._db, machine, name), after=after, limit=limit)

    def whereabouts(self, machine: str, *, name: str) -> tuple[Machine, Execution]:
        """Return an execution with its frames, and the machine that it was started with."""
        with translated(self._db):
            execution, body, _ = execution_of(self._db, required_run(self._db, machine, name))
        return machine_from_json(body), execution

    def exited(self, machine: str, *, name: str) -> frozenset[str]:
        """Return the names of the states that an execution has left."""
        with translated(self._db):
            return exited_states(self._db, required_run(self._db, machine, name))

    def stop(self, machine: str, *, name: str, reason: str) -> Standing:
        """End an execution where it is; nothing happens to one that has ended."""
        self._wish("stop", machine, name, reason[:REASON_CHARACTERS_MAX])
        return self.describe(machine, name=name)

    def retry(self, machine: str, *, name: str) -> Standing:
        """Let an execution go on where it ended, as soon as somebody runs the file; raise NothingToRetry."""
        standing = self.describe(machine, name=name)
        if standing.status in (Status.RUNNING, Status.SUCCEEDED):
            raise NothingToRetry(f"{machine}/{name} has not failed: it is {standing.status.value}")
        self._wish("retry", machine, name, "")
        return self.describe(machine, name=name)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _wish(self, kind: str, machine: str, name: str, reason: str) -> None:
        self.describe(machine, name=name)
        try:
            lock = take_lock(self._path)
        except RunElsewhere:
            self._leave_wish(kind, machine, name, reason)
            return
        try:
            book = WorkflowBook(self._db, {}, chance=Random(0))  # noqa: S311 - it starts nothing, so it draws nothing
            book.load()
            now_ms = self._clock.now_ms()
            if kind == "stop":
                book.stop(machine, name, reason, now_ms=now_ms)
            else:
                book.retry(machine, name, now_ms=now_ms)
            book.write()
        finally:
            os.close(lock)

    def _leave_wish(self, kind: str, machine: str, name: str, reason: str) -> None:
        insert = "INSERT INTO wish(kind, machine, name, reason) VALUES(?,?,?,?) RETURNING id"
        with translated(self._db), transaction(self._db):
            wish = rows(self._db, insert, (kind, machine, name, reason))[0][0]
        gives_up_at = time.monotonic() + GRANTED_S_MAX
        while time.monotonic() < gives_up_at:
            with translated(self._db):
                if not rows(self._db, "SELECT 1 FROM wish WHERE id=?", (wish,)):
                    return
            time.sleep(0.02)
        raise Unavailable(f"the process that runs {os.fspath(self._path)} does not answer; it will {kind} it later")
