"""Every interleaving of processes that do single steps, with crashes between any two of them.

A process is a label (the step it does next) and a mind (what it remembers). A step looks at the world, and gives the
worlds and minds that may come after it.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

STATES_MAX = 2_000_000  # A scope that is larger says nothing sooner than one that is smaller.

Process = tuple[str, Callable[[Any, Any], Any] | None, Any]
State = tuple[Any, tuple[Process, ...], int]
Story = dict[State, tuple[State, str] | None]


class Broken(AssertionError):
    """Somebody saw what nobody may see."""


class Model(Protocol):
    """What the processes of a protocol have in common."""

    def require_sound(self, world: Any, *, is_over: bool) -> None:
        """Raise Broken where a world may not be so, at any moment or once everybody has come to an end."""
        ...

    def freed(self, world: Any, step: str) -> Any:
        """Return the world after whoever was about to do a step was killed: its locks are gone."""
        ...

    def nothing(self) -> Any:
        """Return the mind of who is no more."""
        ...


@dataclass(frozen=True, slots=True)
class Explored:
    """How much was looked at."""

    states: int
    steps: int


def explore(protocol: Model, world: Any, processes: Sequence[Process], *, crashes: int) -> Explored:
    """Look at everything that can happen, or raise Broken with the steps that lead to what may not."""
    first: State = (world, tuple(processes), crashes)
    came_from: Story = {first: None}
    before: dict[State, list[State]] = {}
    ended: list[State] = []
    waiting = deque([first])
    steps = 0
    while waiting:
        state = waiting.popleft()
        _require_sound(protocol, state, came_from)
        if not any(label is not None for _, label, _ in state[1]):
            ended.append(state)
        for told, after, is_crash in _after(protocol, state, came_from):
            steps += 1
            if not is_crash:
                before.setdefault(after, []).append(state)
            if after not in came_from:
                came_from[after] = (state, told)
                waiting.append(after)
                assert len(came_from) < STATES_MAX
    _require_all_end(ended, before, came_from)
    return Explored(len(came_from), steps)


def _after(protocol: Model, state: State, came_from: Story) -> list[tuple[str, State, bool]]:
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
            dead = _with(processes, at, (name, None, protocol.nothing()))
            after = protocol.freed(world, label.__name__)
            found.append((f"{name} is killed before {label.__name__}", (after, dead, crashes - 1), True))
    return found


def _with(processes: tuple[Process, ...], at: int, process: Process) -> tuple[Process, ...]:
    return (*processes[:at], process, *processes[at + 1 :])


def _require_sound(protocol: Model, state: State, came_from: Story) -> None:
    is_over = not any(label is not None for _, label, _ in state[1])
    try:
        protocol.require_sound(state[0], is_over=is_over)
    except Broken as error:
        raise Broken(f"{error}\n{_story(state, came_from)}") from None


def _require_all_end(ended: list[State], before: dict[State, list[State]], came_from: Story) -> None:
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


def _story(state: State, came_from: Story) -> str:
    told: list[str] = []
    last = came_from[state]
    while last is not None:
        told.append(f"  {last[1]}")
        last = came_from[last[0]]
    return "\n".join(reversed(told))
