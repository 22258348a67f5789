"""Every interleaving of processes that do single steps, with crashes between any two of them."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from tests.migrate.handover_model import DOUBT, NEW, OLD, Broken, Handover, Mind, Step, World

STATES_MAX = 2_000_000  # A scope that is larger says nothing sooner than one that is smaller.

Process = tuple[str, Step | None, Mind]
State = tuple[World, tuple[Process, ...], int]


@dataclass(frozen=True, slots=True)
class Explored:
    """How much was looked at."""

    states: int
    steps: int


def explore(protocol: Handover, world: World, processes: Sequence[Process], *, crashes: int) -> Explored:
    """Look at everything that can happen, or raise Broken with the steps that lead to what may not."""
    first: State = (world, tuple(processes), crashes)
    came_from: dict[State, tuple[State, str] | None] = {first: None}
    before: dict[State, list[State]] = {}
    ended: list[State] = []
    waiting = deque([first])
    steps = 0
    while waiting:
        state = waiting.popleft()
        _require_sound(protocol, state, came_from)
        if not any(label is not None for _, label, _ in state[1]):
            ended.append(state)
        for told, after, is_crash in _after(state, came_from):
            steps += 1
            if not is_crash:
                before.setdefault(after, []).append(state)
            if after not in came_from:
                came_from[after] = (state, told)
                waiting.append(after)
                assert len(came_from) < STATES_MAX
    _require_all_end(ended, before, came_from)
    return Explored(len(came_from), steps)


def _after(state: State, came_from: dict[State, tuple[State, str] | None]) -> list[tuple[str, State, bool]]:
    world, processes, crashes = state
    found: list[tuple[str, State, bool]] = []
    for at, (name, label, mind) in enumerate(processes):
        if label is None:
            continue
        told = f"{name}: {label.__name__}"
        try:
            outcomes = list(label(world, mind))
        except Broken as error:
            raise Broken(f"{error}\n{_story(state, came_from)}\n  {told}") from None
        for after, then, remembered in outcomes:
            found.append((told, (after, _with(processes, at, (name, then, remembered)), crashes), False))
        if crashes:
            # A transaction whose client is gone is rolled back, and its locks with it.
            freed = world._replace(gate=world.gate - 1) if label.__name__ == "commit_old" else world
            dead = _with(processes, at, (name, None, Mind()))
            found.append((f"{name} is killed before {label.__name__}", (freed, dead, crashes - 1), True))
    return found


def _with(processes: tuple[Process, ...], at: int, process: Process) -> tuple[Process, ...]:
    return (*processes[:at], process, *processes[at + 1 :])


def _require_sound(protocol: Handover, state: State, came_from: dict[State, tuple[State, str] | None]) -> None:
    world = state[0]
    if world.route.side == OLD and world.item is not None and world.item.side == NEW:
        raise Broken(f"both sides take writes: {world}\n{_story(state, came_from)}")
    if any(label is not None for _, label, _ in state[1]):
        return
    held = world.rows if world.route.side == OLD else world.item.value if world.item is not None else ()
    is_known = world.route.side != DOUBT or world.item is not None
    if not is_known or held != world.truth:
        raise Broken(f"{world.truth} was written and {held} is kept: {world}\n{_story(state, came_from)}")


def _require_all_end(
    ended: list[State], before: dict[State, list[State]], came_from: dict[State, tuple[State, str] | None]
) -> None:
    """Raise unless from everywhere, without another crash, everybody who lives can come to an end."""
    reached = set(ended)
    waiting = deque(ended)
    while waiting:
        for state in before.get(waiting.popleft(), ()):
            if state not in reached:
                reached.add(state)
                waiting.append(state)
    for state in came_from:
        if state not in reached:
            raise Broken(f"somebody waits for ever: {state[0]}\n{_story(state, came_from)}")


def _story(state: State, came_from: dict[State, tuple[State, str] | None]) -> str:
    told: list[str] = []
    last = came_from[state]
    while last is not None:
        told.append(f"  {last[1]}")
        last = came_from[last[0]]
    return "\n".join(reversed(told))
