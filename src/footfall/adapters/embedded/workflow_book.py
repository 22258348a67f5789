"""The executions of a workflow's file that are running, in memory, and everything that happens to them as one write.

A step changes the memory first and is then written with all other steps of its round. When the write fails, what is in
memory is thrown away and read from the file again: nothing that was not written ever has followers.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

import apsw

from footfall.adapters.embedded.database import Bound, rows, run_for_each, transaction, translated
from footfall.adapters.embedded.workflow_rows import (
    execution_of,
    input_of,
    last_event,
    put_events,
    put_frames,
    run_of,
    standing_of,
)
from footfall.ports.errors import Throttled
from footfall.ports.workflow import (
    HISTORY_EVENTS_MAX,
    NothingToRetry,
    OtherInput,
    UnknownExecution,
    UnknownMachine,
    require_definition,
    require_name,
)
from footfall.states.definition import Machine, machine_from_json
from footfall.states.execution import Change, Event, Execution, Frame, Status
from footfall.states.failing import RUNTIME, StateFailed
from footfall.states.failures import ended_badly
from footfall.states.stepping import begun, retried, stopped
from footfall.states.values import is_equal, value_from_bytes

RUNNING_MAX = 10_000  # Each holds its frames in memory: some kilobytes.
FORGOTTEN_AT_ONCE = 100  # Executions with all their events that one round deletes.
_EXECUTION_PUT = (
    "INSERT INTO execution(id, machine, name, definition, input, salt, status, started_at_ms, since_ms)"
    " VALUES(?,?,?,?,?,?,?,?,?)"
)
_END = "UPDATE execution SET status=?, ended_at_ms=?, output=?, error=?, cause=? WHERE id=?"
_AGAIN = (
    "UPDATE execution SET status=?, since_ms=?, ended_at_ms=NULL, output=NULL, error=NULL, cause=NULL,"
    " retries=retries+1 WHERE id=?"
)


@dataclass(slots=True)
class Run:
    """A running execution: its number, its machine as it was when it started, and its frames."""

    number: int
    machine: Machine
    execution: Execution
    frames: dict[str, Frame]
    events: int
    since_ms: int


@dataclass(slots=True)
class _Waiting:
    """What the next write holds."""

    statements: list[tuple[str, tuple[Bound, ...]]] = field(default_factory=list[tuple[str, tuple[Bound, ...]]])
    frames: dict[tuple[int, str], Frame | None] = field(default_factory=dict[tuple[int, str], Frame | None])
    events: list[tuple[int, int, Event]] = field(default_factory=list[tuple[int, int, Event]])


class WorkflowBook:
    """The running executions of one file; one thread uses it."""

    def __init__(self, connection: apsw.Connection, machines: Mapping[str, str | bytes], *, chance: Random) -> None:
        self._db = connection
        self._chance = chance
        self._definitions: dict[str, tuple[bytes, bytes]] = {}
        self._machines: dict[bytes, Machine] = {}
        self._waiting = _Waiting()
        self._fresh: dict[tuple[str, str], Run] = {}  # Started since the last write.
        self.runs: dict[int, Run] = {}
        for name, definition in machines.items():
            self._define(name, definition)
        with translated(self._db):
            self._last = _newest(self._db)

    def load(self) -> None:
        """Read every running execution from the file, and forget what was in memory."""
        self._waiting, self._fresh = _Waiting(), {}
        with translated(self._db):
            self._last = _newest(self._db)
            found = rows(self._db, "SELECT id FROM execution WHERE status=?", (Status.RUNNING.value,))
            self.runs = {int(run): self._read(int(run)) for (run,) in found}

    def start(self, machine: str, name: str, data: bytes, *, now_ms: int) -> int:
        """Begin an execution, unless it is there already, and return its number."""
        require_name(name)
        if machine not in self._definitions:
            raise UnknownMachine(f"{machine!r} is not a machine here, only {sorted(self._definitions)}")
        there = self._there(machine, name)
        if there is not None:
            return self._same(there, machine, name, data)
        if len(self.runs) >= RUNNING_MAX:
            raise Throttled(f"{RUNNING_MAX} executions are running; try again when some have ended")
        digest, body = self._definitions[machine]
        self._last += 1
        salt = self._chance.getrandbits(62)
        frames: dict[str, Frame] = {}
        execution = Execution(machine, name, data, now_ms, salt, frames)
        row = (self._last, machine, name, digest, data, salt, Status.RUNNING.value, now_ms, now_ms)
        self._waiting.statements.append(("INSERT OR IGNORE INTO definition VALUES(?,?,?)", (digest, machine, body)))
        self._waiting.statements.append((_EXECUTION_PUT, row))
        run = Run(self._last, self._machine(digest, body), execution, frames, 0, now_ms)
        self.runs[run.number] = self._fresh[machine, name] = run
        self.apply(run, begun(run.machine, execution, now_ms=now_ms), now_ms=now_ms)
        return run.number

    def stop(self, machine: str, name: str, reason: str, *, now_ms: int) -> int:
        """End an execution where it is, unless it has ended, and return its number."""
        number = self._required(machine, name)
        if number in self.runs:
            self.apply(self.runs[number], stopped(reason=reason, now_ms=now_ms), now_ms=now_ms)
        return number

    def retry(self, machine: str, name: str, *, now_ms: int) -> int:
        """Let an execution go on where it ended, and return its number."""
        number = self._required(machine, name)
        if number in self.runs:
            raise NothingToRetry(f"{machine}/{name} is running")
        self.write()  # It may have ended in this very round.
        if standing_of(self._db, number).status is Status.SUCCEEDED:
            raise NothingToRetry(f"{machine}/{name} has succeeded")
        run = self._read(number)
        run.execution, run.since_ms = replace(run.execution, redrives=run.execution.redrives + 1), now_ms
        self.runs[number] = run
        self._waiting.statements.append((_AGAIN, (Status.RUNNING.value, now_ms, number)))
        self.apply(run, retried(run.execution, now_ms=now_ms), now_ms=now_ms)
        return number

    def apply(self, run: Run, change: Change, *, now_ms: int) -> None:
        """Change an execution in memory and let the next write hold it."""
        if change.ended is None and run.events + len(change.events) > HISTORY_EVENTS_MAX:
            change = _too_long(now_ms)
        for path in change.removed:
            run.frames.pop(path, None)
            self._waiting.frames[run.number, path] = None
        for frame in change.frames:
            run.frames[frame.path] = frame
            self._waiting.frames[run.number, frame.path] = frame
        for event in change.events:
            run.events += 1
            self._waiting.events.append((run.number, run.events, event))
        if change.ended is not None:
            ended = change.ended
            row = (ended.status.value, now_ms, ended.output, ended.error, ended.cause, run.number)
            self._waiting.statements.append((_END, row))
            del self.runs[run.number]

    def write(self) -> bool:
        """Write everything since the last write at once; tell whether there was anything."""
        waiting = self._waiting
        if not (waiting.statements or waiting.frames or waiting.events):
            return False
        with translated(self._db), transaction(self._db):
            for statement, bound in waiting.statements:
                rows(self._db, statement, bound)
            put_frames(self._db, waiting.frames)
            put_events(self._db, waiting.events)
        self._waiting, self._fresh = _Waiting(), {}
        return True

    def forget(self, *, ended_before_ms: int, kept_max: int) -> int:
        """Delete some of the executions that ended too long ago, or are too many; return how many."""
        with translated(self._db), transaction(self._db):
            ended = "SELECT id FROM execution WHERE ended_at_ms IS NOT NULL"
            old = rows(self._db, f"{ended} AND ended_at_ms < ? LIMIT ?", (ended_before_ms, FORGOTTEN_AT_ONCE))
            beyond = rows(
                self._db, f"{ended} ORDER BY ended_at_ms DESC LIMIT ? OFFSET ?", (FORGOTTEN_AT_ONCE, kept_max)
            )
            numbers = [(int(number),) for (number,) in {*old, *beyond}]
            for table, column in (("event", "execution"), ("frame", "execution"), ("execution", "id")):
                run_for_each(self._db, f"DELETE FROM {table} WHERE {column}=?", numbers)  # noqa: S608 - our own names
        return len(numbers)

    def _define(self, name: str, definition: str | bytes) -> None:
        require_name(name)
        require_definition(definition)
        body = definition.encode() if isinstance(definition, str) else definition
        # The name is in it, so that two machines with one definition have rows of their own.
        digest = hashlib.blake2b(name.encode() + b"\0" + body, digest_size=16).digest()
        self._machine(digest, body)
        self._definitions[name] = (digest, body)

    def _machine(self, digest: bytes, body: bytes) -> Machine:
        if digest not in self._machines:
            self._machines[digest] = machine_from_json(body)
        return self._machines[digest]

    def _read(self, number: int) -> Run:
        execution, body, since_ms = execution_of(self._db, number)
        digest = hashlib.blake2b(execution.machine.encode() + b"\0" + body, digest_size=16).digest()
        frames = dict(execution.frames)
        events = last_event(self._db, number)
        return Run(number, self._machine(digest, body), replace(execution, frames=frames), frames, events, since_ms)

    def _there(self, machine: str, name: str) -> int | None:
        if (machine, name) in self._fresh:
            return self._fresh[machine, name].number
        with translated(self._db):
            return run_of(self._db, machine, name)

    def _required(self, machine: str, name: str) -> int:
        number = self._there(machine, name)
        if number is None:
            raise UnknownExecution(f"{machine!r} has no execution {name!r}")
        return number

    def _same(self, number: int, machine: str, name: str, data: bytes) -> int:
        fresh = self._fresh.get((machine, name))
        with translated(self._db):
            stored = fresh.execution.input if fresh is not None else input_of(self._db, number)
        if stored != data and not is_equal(value_from_bytes(stored), value_from_bytes(data)):
            raise OtherInput(f"{machine}/{name} was started with another input; choose another name")
        return number


def _newest(connection: apsw.Connection) -> int:
    return int(rows(connection, "SELECT coalesce(max(id), 0) FROM execution")[0][0])


def _too_long(now_ms: int) -> Change:
    cause = f"an execution has at most {HISTORY_EVENTS_MAX} events: let it start another one"
    return ended_badly(Status.FAILED, StateFailed(RUNTIME, cause), now_ms=now_ms)
