"""Executions, frames and events as rows of a workflow's file, and what is read of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import apsw

from footfall.adapters.embedded.database import Row, rows, run_for_each, translated
from footfall.ports.workflow import PAGE_MAX, Happened, Listed, Standing, UnknownExecution
from footfall.states.execution import Doing, Event, Execution, Fork, Frame, Kind, Status
from footfall.states.values import value_from_bytes

_STANDING = "machine, name, status, input, started_at_ms, ended_at_ms, output, error, cause, retries"
_FRAME = "path, state, entry, data, entered_at_ms, since_ms, doing, retries, fork"
_FRAME_PUT = f"INSERT OR REPLACE INTO frame(execution, {_FRAME}) VALUES(?,?,?,?,?,?,?,?,?,?)"
_FRAMES = f"SELECT {_FRAME} FROM frame WHERE execution=? ORDER BY path"  # noqa: S608 - our own names
_ONE = f"SELECT {_STANDING} FROM execution WHERE id=?"  # noqa: S608 - our own names
_SEVERAL = f"SELECT id, {_STANDING} FROM execution WHERE id < ?"  # noqa: S608 - our own names
_EVENTS = """
    SELECT number, at_ms, kind, path, state, data FROM event WHERE execution=? AND number>? ORDER BY number LIMIT ?
"""
_GIVEN = """
    SELECT data FROM event WHERE execution=? AND number<? AND path=? AND data IS NOT NULL AND kind IN (?,?)
    ORDER BY number DESC LIMIT 1
"""
_EVENT_PUT = "INSERT INTO event(execution, number, at_ms, kind, path, state, data) VALUES(?,?,?,?,?,?,?)"


def put_frames(connection: apsw.Connection, frames: Mapping[tuple[int, str], Frame | None]) -> None:
    """Write frames under their executions; None removes one."""
    gone = [key for key, frame in frames.items() if frame is None]
    kept = [(key[0], *_row_from_frame(frame)) for key, frame in frames.items() if frame is not None]
    if gone:
        run_for_each(connection, "DELETE FROM frame WHERE execution=? AND path=?", gone)
    run_for_each(connection, _FRAME_PUT, kept)


def put_events(connection: apsw.Connection, events: Sequence[tuple[int, int, Event]]) -> None:
    """Write events under their executions and numbers."""
    written = [(run, number, e.at_ms, e.kind.value, e.path, e.state, e.data) for run, number, e in events]
    run_for_each(connection, _EVENT_PUT, written)


def frames_of(connection: apsw.Connection, run: int) -> dict[str, Frame]:
    """Return where an execution is."""
    found = rows(connection, _FRAMES, (run,))
    return {str(row[0]): _frame_from_row(row) for row in found}


def last_event(connection: apsw.Connection, run: int) -> int:
    """Return the number of an execution's last event."""
    return int(rows(connection, "SELECT coalesce(max(number), 0) FROM event WHERE execution=?", (run,))[0][0])


def run_of(connection: apsw.Connection, machine: str, name: str) -> int | None:
    """Return the number of an execution; None when there is none."""
    found = rows(connection, "SELECT id FROM execution WHERE machine=? AND name=?", (machine, name))
    return int(found[0][0]) if found else None


def required_run(connection: apsw.Connection, machine: str, name: str) -> int:
    """Return the number of an execution; raise UnknownExecution."""
    run = run_of(connection, machine, name)
    if run is None:
        raise UnknownExecution(f"{machine!r} has no execution {name!r}")
    return run


def standing_of(connection: apsw.Connection, run: int) -> Standing:
    """Return how an execution stands."""
    return _standing(rows(connection, _ONE, (run,))[0])


def input_of(connection: apsw.Connection, run: int) -> bytes:
    """Return what an execution was started with, as it is stored."""
    data: bytes = rows(connection, "SELECT input FROM execution WHERE id=?", (run,))[0][0]
    return data


def listed(
    connection: apsw.Connection, machine: str | None, *, status: Status | None, limit: int, after: str | None
) -> Listed:
    """Return one page of executions, the newest first; without a machine those of all."""
    sql = _SEVERAL
    more: list[str | int] = [int(after) if after else 2**62]
    if machine is not None:
        sql, more = f"{sql} AND machine=?", [*more, machine]
    if status is not None:
        sql, more = f"{sql} AND status=?", [*more, status.value]
    limit = max(1, min(limit, PAGE_MAX))
    with translated(connection):
        found = rows(connection, f"{sql} ORDER BY id DESC LIMIT ?", (*more, limit + 1))
    items = [replace(_standing(row[1:]), input=None, output=None) for row in found[:limit]]
    return Listed(items, str(found[limit - 1][0]) if len(found) > limit else None)


def happened(connection: apsw.Connection, run: int, *, after: int, limit: int) -> list[Happened]:
    """Return some of an execution's events."""
    found = rows(connection, _EVENTS, (run, after, max(1, min(limit, PAGE_MAX))))
    return [_happened(connection, run, row) for row in found]


def exited_states(connection: apsw.Connection, run: int) -> frozenset[str]:
    """Return the names of the states that an execution has left."""
    sql = "SELECT DISTINCT state FROM event WHERE execution=? AND kind=?"
    return frozenset(str(state) for (state,) in rows(connection, sql, (run, Kind.EXITED.value)))


def execution_of(connection: apsw.Connection, run: int) -> tuple[Execution, bytes, int]:
    """Return an execution with its frames, its definition, and the moment from which its time is counted."""
    sql = (
        "SELECT e.machine, e.name, e.input, e.started_at_ms, e.salt, e.retries, d.body, e.since_ms"
        " FROM execution e JOIN definition d ON d.hash = e.definition WHERE e.id=?"
    )
    machine, name, data, started_at_ms, salt, retries, body, since_ms = rows(connection, sql, (run,))[0]
    execution = Execution(machine, name, data, started_at_ms, salt, frames_of(connection, run), retries)
    return execution, body, since_ms


def _standing(row: Row) -> Standing:
    machine, name, status, data, started_at_ms, ended_at_ms, output, error, cause, retries = row
    given = None if output is None else value_from_bytes(output)
    return Standing(
        machine, name, Status(status), value_from_bytes(data), started_at_ms, ended_at_ms, given, error, cause, retries
    )


def _happened(connection: apsw.Connection, run: int, row: Row) -> Happened:
    number, at_ms, kind, path, state, data = row
    if data is None and kind == Kind.ENTERED.value:
        # What a state is given is what the one before it gave, and is not written twice.
        before = rows(connection, _GIVEN, (run, number, path, Kind.EXITED.value, Kind.STARTED.value))
        data = before[0][0] if before else None
    return Happened(number, at_ms, Kind(kind), state, None if data is None else value_from_bytes(data), path)


def _row_from_frame(frame: Frame) -> Row:
    retries = ",".join(str(times) for times in frame.retries)
    fork = "" if frame.fork is None else f"{frame.fork.total},{frame.fork.begun},{frame.fork.done}"
    return (
        frame.path,
        frame.state,
        frame.entry,
        frame.data,
        frame.entered_at_ms,
        frame.since_ms,
        frame.doing.value,
        retries,
        fork,
    )


def _frame_from_row(row: Row) -> Frame:
    path, state, entry, data, entered_at_ms, since_ms, doing, retries, fork = row
    used = tuple(int(times) for times in retries.split(",") if times)
    parts = [int(part) for part in fork.split(",") if part]
    split = Fork(*parts) if parts else None
    return Frame(path, state, entry, data, entered_at_ms, since_ms, Doing(doing), used, split)
