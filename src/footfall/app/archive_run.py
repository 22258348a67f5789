"""The archive's worker: takes requests from the queue as there are places, and sweeps up what was left behind.

It may be killed at any time. Executions go on where they were; a request that runs and has no execution gets one, and
one whose execution has ended without it is closed.
"""

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.adapters.embedded.workflow_layout import is_run
from footfall.app.archive_capturing import Capturer
from footfall.app.archive_machine import BROKEN_OFF, ONE, Ground, Tasks, definition, execution_input, execution_name
from footfall.app.archive_opening import ARCHIVE_FOLDER, OpenedArchive, open_archive
from footfall.app.settings import DAY_MS, Settings
from footfall.archive import keys, queueing, references, removing, requests
from footfall.archive.captures import Request, State
from footfall.archive.requests import NoSuchRequest
from footfall.ports.capturing import Reason
from footfall.ports.errors import Changed, PortError
from footfall.ports.searching import Searching
from footfall.ports.table import Absent, Delete, Put, Table
from footfall.ports.workflow import UnknownExecution, Workflow
from footfall.states.execution import Status
from footfall.values.clock import Clock

WORKFLOWS_FILE = f"{ARCHIVE_FOLDER}/archive-workflows.db"
PLACES_PER_CONTEXT = 3  # Requests under way for each page at once: those that wait for their next try take no browser.
ROUND_S = 0.2
SWEEP_EVERY_MS = 30_000
TIDY_EVERY_MS = 600_000
TIDIED_AT_ONCE_MAX = 500
TRY_EVERY_MS = 15_000  # to start a browser that did not
LEASE_MS = 900_000  # Longer than a function on AWS may run; who is killed is waited for.

_log = logging.getLogger(__name__)


def has_worker(settings: Settings) -> bool:
    """Tell whether a worker has the data directory; on AWS functions are always there."""
    return settings.ground == "aws" or is_run(Path(settings.data_dir) / WORKFLOWS_FILE)


def dispatch(table: Table, workflow: Workflow, *, places: int, now_ms: int) -> int:
    """Start as many requests as there are places, the next member's first; return how many."""
    free = places - len(queueing.running(table))
    begun = 0
    for one in queueing.waiting(table, limit=free) if free > 0 else ():
        request = queueing.begin(table, one, now_ms=now_ms)
        if request is not None:
            start(workflow, request)
            begun += 1
    return begun


def start(workflow: Workflow, request: Request) -> None:
    """Start the execution of a request that runs; it is one however often it is started."""
    workflow.start(ONE, name=execution_name(request), input=execution_input(request))


def sweep(table: Table, workflow: Workflow, *, now_ms: int) -> int:
    """Let every request that runs have an execution, and close those whose execution has ended; return how many."""
    mended = 0
    for one in queueing.running(table):
        try:
            request = requests.one(table, one.id)
        except NoSuchRequest:
            continue
        if request.state is not State.RUNNING:
            continue
        try:
            standing = workflow.describe(ONE, name=execution_name(request))
        except UnknownExecution:
            start(workflow, request)
            mended += 1
            continue
        if standing.status is not Status.RUNNING:
            ended = requests.fail(table, request, reason=Reason.CRASHED, says=BROKEN_OFF, now_ms=now_ms)
            if ended.state is State.FAILED:  # Otherwise it was kept in this moment, with all that it refers to.
                references.let_go(table, request.id, now_ms=now_ms)
            mended += 1
    return mended


def tidy(opened: OpenedArchive, settings: Settings, *, now_ms: int) -> tuple[int, int]:
    """Remove what is too old and what nothing refers to; return how many captures and how many objects.

    One at a time does so: whoever has the lease.
    """
    archive = opened.archive
    lease = Put(keys.sweep("tidying"), {}, expires_at_ms=now_ms + LEASE_MS, expects=(Absent(),))
    try:
        archive.table.put(lease)
    except Changed:
        return 0, 0
    removed = 0
    if settings.archive_keep_days:
        before_us = (now_ms - settings.archive_keep_days * DAY_MS) * 1_000
        for brand in removing.brands(archive.table):
            removed += len(_too_old(archive.table, archive.searching, brand, before_us=before_us, now_ms=now_ms))
    opened.table.expire(TIDIED_AT_ONCE_MAX)
    objects = references.remove_loose(archive.table, archive.blobs, now_ms=now_ms, limit=TIDIED_AT_ONCE_MAX)
    archive.table.delete(Delete(lease.key))
    return removed, objects


def _too_old(table: Table, searching: Searching, brand: str, *, before_us: int, now_ms: int) -> list[str]:
    gone = [one.id for one in removing.remove_old(table, brand, before_us=before_us, now_ms=now_ms)]
    for id in gone:
        searching.remove(id)
    return gone


@dataclass(slots=True)
class Grounds:
    """The archive, opened once by each thread that asks for it."""

    settings: Settings
    clock: Clock
    _own: threading.local = field(default_factory=threading.local)
    _opened: list[OpenedArchive] = field(default_factory=list[OpenedArchive])
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def own(self) -> OpenedArchive:
        """Return the calling thread's."""
        found: OpenedArchive | None = getattr(self._own, "opened", None)
        if found is None:
            with self._guard:
                found = open_archive(self.settings, self.clock)
                self._opened.append(found)
            self._own.opened = found
        return found

    def ground(self) -> Ground:
        """Return what the calling thread's tasks stand on."""
        archive = self.own().archive
        return Ground(archive.table, archive.blobs, archive.searching)

    def close(self) -> None:
        """Close all of them, when no thread is at work any more."""
        for opened in self._opened:
            opened.close()


@dataclass(slots=True)
class Worker:
    """One worker of a data directory; a second one is refused by the lock of its workflows."""

    settings: Settings
    clock: Clock
    chance: Random
    capturer: Capturer
    _next_sweep_ms: int = 0
    _next_tidy_ms: int = 0
    _next_try_ms: int = 0

    def run(self, wait: Callable[[float], bool]) -> None:
        """Work until waiting says that it is over."""
        grounds = Grounds(self.settings, self.clock)
        tasks = Tasks(
            grounds.ground, self.capturer.capturing, self.capturer.ask, self.clock, hand_on=self.capturer.hand_on
        )
        grounds.own()  # Makes the table before anybody runs on it.
        workflow = SqliteWorkflow(
            Path(self.settings.data_dir) / WORKFLOWS_FILE, machines={ONE: definition()}, tasks=tasks.by_name(),
            clock=self.clock, chance=self.chance, threads=self.settings.archive_contexts,
        )  # fmt: skip
        try:
            self._rounds(grounds.own(), workflow, wait)
        finally:
            self.capturer.close()  # So that no page is waited for; it is captured again.
            workflow.close()
            grounds.close()

    def _rounds(self, opened: OpenedArchive, workflow: Workflow, wait: Callable[[float], bool]) -> None:
        trouble = ""
        while True:
            try:
                is_busy = self._round(opened, workflow) > 0
                trouble = ""
            except PortError as error:  # Whatever it was, the next round does it again.
                is_busy = False
                if str(error) != trouble:
                    trouble = str(error)
                    _log.warning("the archive waits, nothing is lost: %s", error)
            if wait(0.0 if is_busy else ROUND_S):
                return

    def _round(self, opened: OpenedArchive, workflow: Workflow) -> int:
        now_ms, table = self.clock.now_ms(), opened.archive.table
        if now_ms >= self._next_sweep_ms:
            self._next_sweep_ms = now_ms + SWEEP_EVERY_MS
            sweep(table, workflow, now_ms=now_ms)
        if now_ms >= self._next_tidy_ms:
            self._next_tidy_ms = now_ms + TIDY_EVERY_MS
            with contextlib.suppress(PortError):
                tidy(opened, self.settings, now_ms=now_ms)
        if now_ms < self._next_try_ms or not queueing.waiting(table, limit=1):
            return 0
        try:
            self.capturer.make_ready()  # Without a browser pages wait; begun, they would fail one after the other.
        except PortError:
            self._next_try_ms = now_ms + TRY_EVERY_MS
            raise
        return dispatch(table, workflow, places=self.settings.archive_contexts * PLACES_PER_CONTEXT, now_ms=now_ms)
