"""An execution as a value: where each of its parts is, what happened to it, and what its next step changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from footfall.states.values import Json


class Doing(StrEnum):
    """What a frame does in its state."""

    READY = "ready"  # The state's work is to be done, from a moment on.
    SLEEPING = "sleeping"  # A Wait state waits for its moment.
    FORKED = "forked"  # Branches or items are under way.
    JOINING = "joining"  # All of them are done.
    QUEUED = "queued"  # An item waits for its turn.
    DONE = "done"  # A branch or an item waits for the others; the data are what it gave.
    FAILED = "failed"  # Here the execution failed; a retry begins here.


class Status(StrEnum):
    """How an execution stands."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    STOPPED = "stopped"


class Kind(StrEnum):
    """What an event of a history tells."""

    STARTED = "started"
    ENTERED = "entered"
    EXITED = "exited"
    ATTEMPT_FAILED = "attempt failed"
    RETRIED = "retried"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Fork:
    """How many branches or items there are, how many have begun, and how many are done."""

    total: int
    begun: int
    done: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """One part of an execution: the whole of it, a branch or an item, and the state that it is in.

    The path names the part: empty for the whole, else for each fork on the way down the entry that forked and the
    number of the branch or item, like `/3.0/2.17`.
    """

    path: str
    state: str
    entry: int  # How many states this part has entered, this one included.
    data: bytes  # What the state was given.
    entered_at_ms: int
    since_ms: int  # Not before this moment is anything done.
    doing: Doing = Doing.READY
    retries: tuple[int, ...] = ()  # How often each retrier of the state was used.
    fork: Fork | None = None

    @property
    def parent(self) -> str | None:
        """Return the path of the part that this one is a branch or an item of."""
        return self.path.rpartition("/")[0] if self.path else None

    @property
    def number(self) -> int | None:
        """Return the number of this branch or item."""
        return int(self.path.rpartition(".")[2]) if self.path else None

    @property
    def attempt(self) -> int:
        """Return how many attempts of the state's work came before this one."""
        return sum(self.retries)


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a machine. The frames are its runner's own, which changes them only by whole changes."""

    machine: str
    name: str
    input: bytes
    started_at_ms: int
    salt: int  # Chance of this execution: the same after a crash.
    frames: Mapping[str, Frame]
    redrives: int = 0

    def key(self, frame: Frame) -> str:
        """Return what tells this state's work from all other work, however often it is tried."""
        return f"{self.machine}/{self.name}{frame.path}:{frame.state}:{frame.entry}"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an execution."""

    kind: Kind
    at_ms: int
    path: str = ""
    state: str = ""
    data: bytes | None = None  # None of an entry: what the state before gave.


@dataclass(frozen=True, slots=True)
class Ended:
    """How an execution ended."""

    status: Status
    output: bytes | None = None
    error: str | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What one step changes: all of it is written before the next step begins."""

    frames: tuple[Frame, ...] = ()
    removed: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    ended: Ended | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A task's function has to be called; its outcome is the next step."""

    resource: str
    payload: Json
    key: str
    timeout_ms: int | None = None
    heartbeat_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """A task's function gave a result, as JSON."""

    result: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """A task's function failed."""

    error: str
    cause: str


Outcome = Given | Failed
