"""How a frame goes on: into the next state, or to the end of its branch, its item or the whole execution."""

from dataclasses import replace

from footfall.states.execution import Change, Doing, Ended, Event, Execution, Frame, Kind, Status
from footfall.states.values import Json, bytes_from_value


def moved(execution: Execution, frame: Frame, following: str | None, output: Json, *, now_ms: int) -> Change:
    """Return the change of leaving a state with its output."""
    if following is None:
        return ended_well(execution, frame, output, now_ms=now_ms)
    data = bytes_from_value(output)
    entered = Frame(frame.path, following, frame.entry + 1, data, now_ms, now_ms)
    return Change(
        frames=(entered,), events=(_exited(frame, data, now_ms), Event(Kind.ENTERED, now_ms, frame.path, following))
    )


def ended_well(execution: Execution, frame: Frame, output: Json, *, now_ms: int) -> Change:
    """Return the change of ending a branch, an item or the whole execution with an output."""
    data = bytes_from_value(output)
    exited = _exited(frame, data, now_ms)
    if frame.parent is None:
        return Change(
            removed=("",),
            events=(exited, Event(Kind.ENDED, now_ms, data=data)),
            ended=Ended(Status.SUCCEEDED, output=data),
        )
    parent = execution.frames[frame.parent]
    assert parent.fork is not None
    done = replace(frame, doing=Doing.DONE, data=data, fork=None)
    fork = replace(parent.fork, done=parent.fork.done + 1)
    queued: Frame | None = None
    if fork.begun < fork.total:
        queued = execution.frames[f"{parent.path}/{parent.entry}.{fork.begun}"]
        fork = replace(fork, begun=fork.begun + 1)
    doing = Doing.JOINING if fork.done == fork.total else Doing.FORKED
    frames = [done, replace(parent, fork=fork, doing=doing, since_ms=now_ms)]
    events = [exited]
    if queued is not None:
        frames.append(replace(queued, doing=Doing.READY, since_ms=now_ms, entered_at_ms=now_ms))
        events.append(Event(Kind.ENTERED, now_ms, queued.path, queued.state, queued.data))
    return Change(frames=tuple(frames), events=tuple(events))


def _exited(frame: Frame, data: bytes, now_ms: int) -> Event:
    return Event(Kind.EXITED, now_ms, frame.path, frame.state, data)
