"""Parallel and Map: one frame for each branch or item, at most so many of them at once, and their results in order."""

from dataclasses import replace

from footfall.states.data_flow import effective_input, output_of, with_item
from footfall.states.definition import Machine, Map, Parallel, State
from footfall.states.execution import Change, Doing, Event, Execution, Fork, Frame, Kind
from footfall.states.failing import RUNTIME, StateFailed
from footfall.states.moving import moved
from footfall.states.templates import Sight, filled, value_of
from footfall.states.values import Json, bytes_from_value, value_from_bytes

CONCURRENCY_MAX = 40  # Step Functions: how many items of an inline Map are under way at once.


def forked(machine: Machine, execution: Execution, frame: Frame, sight: Sight, *, now_ms: int) -> Change:
    """Return the change that begins the branches or items; those above the limit are queued."""
    state = machine.states[frame.state]
    at_once = CONCURRENCY_MAX
    if isinstance(state.work, Parallel):
        given = bytes_from_value(effective_input(state, sight))
        children = [
            _child(frame, number, scope.start_at, given, now_ms) for number, scope in enumerate(state.work.branches)
        ]
        at_once = len(children)
    else:
        assert isinstance(state.work, Map)
        seen = sight.of(effective_input(state, sight))
        children = _items(frame, state.work, seen, now_ms)
        at_once = _at_once(state.work, seen)
    if not children:
        return _nothing(execution, frame, state, sight, now_ms)
    begun = min(at_once, len(children))
    waiting = [replace(child, doing=Doing.QUEUED) for child in children[begun:]]
    parent = replace(frame, doing=Doing.FORKED, fork=Fork(len(children), begun))
    entered = [Event(Kind.ENTERED, now_ms, child.path, child.state, child.data) for child in children[:begun]]
    return Change(frames=(parent, *children[:begun], *waiting), events=tuple(entered))


def joined_result(execution: Execution, frame: Frame) -> tuple[Json, tuple[str, ...]]:
    """Return the results of all branches or items in their order, and the frames that held them."""
    assert frame.fork is not None
    paths = tuple(f"{frame.path}/{frame.entry}.{number}" for number in range(frame.fork.total))
    return [value_from_bytes(execution.frames[path].data) for path in paths], paths


def _items(frame: Frame, work: Map, sight: Sight, now_ms: int) -> list[Frame]:
    items = value_of(work.items_path, sight)
    if not isinstance(items, list):
        raise StateFailed(RUNTIME, f"ItemsPath {work.items_path!r} has to lead to an array")
    made: list[Frame] = []
    for number, item in enumerate(items):
        given = filled(work.selector, with_item(sight, number, item)) if work.has_selector else item
        made.append(_child(frame, number, work.processor.start_at, bytes_from_value(given), now_ms))
    return made


def _at_once(work: Map, sight: Sight) -> int:
    wanted: Json = work.concurrency_max
    if work.concurrency_path is not None:
        wanted = value_of(work.concurrency_path, sight)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 0:
        raise StateFailed(RUNTIME, f"the concurrency of a Map is a whole number, not {wanted!r}")
    return min(wanted, CONCURRENCY_MAX) or CONCURRENCY_MAX


def _child(frame: Frame, number: int, state: str, data: bytes, now_ms: int) -> Frame:
    return Frame(f"{frame.path}/{frame.entry}.{number}", state, 1, data, now_ms, now_ms)


def _nothing(execution: Execution, frame: Frame, state: State, sight: Sight, now_ms: int) -> Change:
    return moved(execution, frame, state.next, output_of(state, sight, []), now_ms=now_ms)
