"""The calls of tasks that are under way: a bounded number of threads, and which outcome still belongs to whom."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec

from footfall.ports.workflow import TaskFunction
from footfall.states.execution import Call, Failed, Given, Outcome
from footfall.states.failing import DATA_LIMIT_EXCEEDED
from footfall.states.values import DATA_BYTES_MAX

CAUSE_CHARACTERS_MAX = 32_768  # Step Functions: of the cause of a failure.
NO_SUCH_TASK = "Lambda.ResourceNotFoundException"  # What Step Functions meets when a function is not there.


@dataclass(frozen=True, slots=True)
class Began:
    """A thread has taken up a call; from now on its time runs."""

    token: int


@dataclass(frozen=True, slots=True)
class Returned:
    """A call came back."""

    token: int
    outcome: Outcome


Place = tuple[int, str]  # An execution's number and the path of one of its frames.
Tell = Callable[[Began | Returned], None]


class WorkflowCalls:
    """Calls under way, each under a token of its own; a token that was let go of is nobody's any more."""

    def __init__(self, tasks: Mapping[str, TaskFunction], *, threads: int, tell: Tell) -> None:
        self._tasks = dict(tasks)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="workflow-task")
        self._tell = tell
        self._token = 0
        self._under_way: dict[int, tuple[Place, Call]] = {}
        self._tokens: dict[int, dict[str, int]] = {}  # By execution and path.
        self._is_closed = False

    def make(self, place: Place, call: Call) -> None:
        """Call a task's function for a place; who is closing leaves that to whoever opens the file next."""
        if self._is_closed:
            return
        self._token += 1
        self._under_way[self._token] = (place, call)
        self._tokens.setdefault(place[0], {})[place[1]] = self._token
        self._threads.submit(self._run, self._token, call)

    def drop(self, place: Place) -> None:
        """Let go of the call that a place waits for, if it waits for one."""
        paths = self._tokens.get(place[0])
        token = paths.pop(place[1], None) if paths else None
        if token is not None:
            del self._under_way[token]
        if paths is not None and not paths:
            del self._tokens[place[0]]

    def drop_all(self, number: int) -> None:
        """Let go of all calls of an execution."""
        for token in self._tokens.pop(number, {}).values():
            del self._under_way[token]

    def waiting(self, token: int) -> tuple[Place, Call] | None:
        """Return the place that waits for the call, and the call; None when nobody does any more."""
        return self._under_way.get(token)

    def token_of(self, key: str) -> int | None:
        """Return the token of the call with a task's key."""
        return next((token for token, (_, call) in self._under_way.items() if call.key == key), None)

    def close(self, *, wait: bool) -> None:
        """Begin no further call; those under way are waited for, if wished."""
        self._is_closed = True
        self._threads.shutdown(wait=wait, cancel_futures=True)

    def _run(self, token: int, call: Call) -> None:
        if call.timeout_ms is not None or call.heartbeat_ms is not None:
            self._tell(Began(token))
        self._tell(Returned(token, outcome_of(self._tasks.get(call.resource), call)))


def outcome_of(task: TaskFunction | None, call: Call) -> Outcome:
    """Call a task's function and return what became of it, with names of errors as Step Functions has them."""
    if task is None:
        return Failed(NO_SUCH_TASK, f"no function is registered for {call.resource!r}")
    try:
        result = msgspec.json.encode(task(call.payload, call.key))
    except Exception as error:  # noqa: BLE001 - whatever a task raises is the outcome that its machine answers
        told = {"errorMessage": str(error)[:CAUSE_CHARACTERS_MAX], "errorType": type(error).__name__}
        return Failed(type(error).__name__, msgspec.json.encode(told).decode())
    if len(result) > DATA_BYTES_MAX:
        return Failed(DATA_LIMIT_EXCEEDED, f"{call.resource!r} gave {len(result)} bytes, more than {DATA_BYTES_MAX}")
    return Given(result)
