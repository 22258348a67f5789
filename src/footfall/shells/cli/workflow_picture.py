"""A machine drawn for a terminal: its states in the order of their reach, and where an execution is among them."""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from footfall.states.definition import Choice, Machine, Map, Parallel, Scope, State, Task
from footfall.states.execution import Doing, Execution, Frame, Status
from footfall.states.timestamps import timestamp_of

DONE, HERE, WAITING, FAILED, STOPPED, AHEAD = "✓", "▶", "◷", "✗", "■", "·"
LEGEND = f"{DONE} done  {HERE} here  {WAITING} waiting  {FAILED} failed  {STOPPED} stopped here  {AHEAD} not reached"
SHOWN_MAX = 200  # Lines: more than any terminal shows, and a machine of a thousand states stays readable.


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What a picture is drawn from."""

    machine: Machine
    execution: Execution
    exited: Set[str]
    status: Status
    now_ms: int


def picture(where: Whereabouts) -> list[str]:
    """Return the lines of the picture."""
    lines = list(_scope(where, where.machine.whole, ""))
    return [*lines[:SHOWN_MAX], *([f"... and {len(lines) - SHOWN_MAX} lines more"] if len(lines) > SHOWN_MAX else [])]


def _scope(where: Whereabouts, scope: Scope, indent: str) -> Iterator[str]:
    names = _in_order(where.machine, scope)
    for place, name in enumerate(names):
        state = where.machine.states[name]
        frames = [frame for frame in where.execution.frames.values() if frame.state == name]
        mark, note = _standing(where, state, frames)
        yield f"{indent}{mark} {name}  ({_kind(state)}){_arrow(state)}{f'  {note}' if note else ''}"
        yield from _ways(state, indent)
        yield from _inner(where, state, indent)
        following = names[place + 1] if place + 1 < len(names) else None
        if following is not None and following == state.next:
            yield f"{indent}│"


def _inner(where: Whereabouts, state: State, indent: str) -> Iterator[str]:
    if isinstance(state.work, Parallel):
        for number, branch in enumerate(state.work.branches, start=1):
            yield f"{indent}├─ branch {number}"
            yield from _scope(where, branch, f"{indent}│    ")
    elif isinstance(state.work, Map):
        yield f"{indent}├─ each item"
        yield from _scope(where, state.work.processor, f"{indent}│    ")


def _ways(state: State, indent: str) -> Iterator[str]:
    if isinstance(state.work, Choice):
        for number, (_, following) in enumerate(state.work.rules, start=1):
            yield f"{indent}├╴ rule {number} ─▶ {following}"
        if state.work.default is not None:
            yield f"{indent}├╴ else ─▶ {state.work.default}"
    for catcher in state.catch:
        yield f"{indent}├╴ on {', '.join(catcher.errors)} ─▶ {catcher.next}"


def _in_order(machine: Machine, scope: Scope) -> list[str]:
    """Return the states of a scope: each is followed by its next one; those that rules and errors reach come after."""
    found: dict[str, None] = {}
    waiting = [scope.start_at]
    while waiting:
        name = waiting.pop(0)
        while name not in found:
            found[name] = None
            state = machine.states[name]
            if isinstance(state.work, Choice):
                others = [following for _, following in state.work.rules]
                waiting += [*others, *([state.work.default] if state.work.default is not None else [])]
            waiting += [catcher.next for catcher in state.catch]
            if state.next is None:
                break
            name = state.next
    return list(found)


def _kind(state: State) -> str:
    kind = type(state.work).__name__
    return f"{kind} {state.work.resource}" if isinstance(state.work, Task) else kind


def _arrow(state: State) -> str:
    return f" ─▶ {state.next}" if state.next is not None else ""


def _standing(where: Whereabouts, state: State, frames: list[Frame]) -> tuple[str, str]:
    """Return the mark of a state, and what is to be said of it beside."""
    if any(frame.doing is Doing.FAILED for frame in frames):
        return FAILED, ""
    active = [frame for frame in frames if frame.doing not in (Doing.DONE, Doing.QUEUED)]
    if not active:
        return (DONE if state.name in where.exited else AHEAD), ""
    if where.status is not Status.RUNNING:
        return STOPPED, _progress(active)
    waits = [frame.since_ms for frame in active if frame.since_ms > where.now_ms]
    if len(waits) == len(active):
        return WAITING, f"until {timestamp_of(min(waits))}{_attempts(active)}"
    return HERE, f"{_progress(active)}{_attempts(active)}".strip()


def _progress(frames: list[Frame]) -> str:
    forks = [frame.fork for frame in frames if frame.fork is not None]
    if forks:
        return f"{sum(fork.done for fork in forks)} of {sum(fork.total for fork in forks)} done"
    return f"{len(frames)} at once" if len(frames) > 1 else ""


def _attempts(frames: list[Frame]) -> str:
    most = max(frame.attempt for frame in frames)
    return f"  attempt {most + 1}" if most else ""
