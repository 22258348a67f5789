"""The queue: who is next, fair between all who wait, people before watches; and what is being worked on.

Each request has a turn when it is asked for: one more than the last of whoever asks, and never one that is over. The
lowest turn is next. Somebody with a thousand pages and somebody with one are served in turns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footfall.archive import keys
from footfall.archive.captures import Request, State
from footfall.archive.requests import puts
from footfall.archive.stored import request_from
from footfall.ports.errors import Changed
from footfall.ports.table import Delete, Equals, Key, Present, Put, Table, Update, everything

PRIORITIES = (0, 1)
AT_ONCE_MAX = 100


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request and its place in the queue."""

    place: Key
    request: Request


@dataclass(frozen=True, slots=True)
class Running:
    """A request that is being worked on, and since when."""

    id: str
    attempt: int
    since_ms: int


def waiting(table: Table, *, limit: int) -> Sequence[Waiting]:
    """Return who is next, in order."""
    found: list[Waiting] = []
    for priority in PRIORITIES:
        left = min(limit, AT_ONCE_MAX) - len(found)
        if left < 1:
            break
        found += list(_of_priority(table, priority, left))
    return found


def count_waiting(table: Table, *, at_most: int = 10_000) -> int:
    """Return how many requests wait."""
    count = 0
    for priority in PRIORITIES:
        for _ in everything(table, keys.queue(priority)):
            count += 1
            if count >= at_most:
                return count
    return count


def begin(table: Table, one: Waiting, *, now_ms: int) -> Request | None:
    """Take a request out of the queue and say that it runs; None when somebody else was faster."""
    request = replace(one.request, state=State.RUNNING, attempts=one.request.attempts + 1)
    turn = int(one.place.sort.partition("#")[0])
    pending = (Equals("state", State.PENDING.value), Equals("attempts", one.request.attempts))
    try:
        table.transact(
            [
                *puts(request, now_ms=now_ms, expects=pending),
                Delete(one.place, expects=(Present(),)),
                Put(keys.running(request.id), {"attempt": request.attempts, "since": now_ms}),
                Update(keys.turn(request.priority), set={"turn": turn}),
            ]
        )
    except Changed:
        return None
    return request


def running(table: Table) -> Sequence[Running]:
    """Return everything that is being worked on."""
    return [
        Running(found.key.sort, _whole(found.item["attempt"]), _whole(found.item["since"]))
        for found in everything(table, keys.RUNNING)
    ]


def _of_priority(table: Table, priority: int, limit: int) -> Iterator[Waiting]:
    for found in table.query(keys.queue(priority), limit=limit).items:
        item = table.get(keys.request(str(found.item["id"])))
        request = None if item is None else request_from(item)
        if request is None or request.state is not State.PENDING:
            table.delete(Delete(found.key))  # Nobody waits here any more.
            continue
        yield Waiting(found.key, request)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
