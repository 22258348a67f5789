"""The queue: who is next, fair between all who wait, one watch after some people; and what is being worked on.

Each request has a turn when it is asked for: one more than the last of whoever asks, and never one that is over. The
lowest turn is next. Somebody with a thousand pages and somebody with one are served in turns. People come before
watches, but after every fourth of them one watch does, so that those who never stop asking do not stop all watches.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footfall.archive import keys
from footfall.archive.captures import Request, State
from footfall.archive.requests import puts
from footfall.archive.stored import request_from
from footfall.ports.errors import Changed
from footfall.ports.table import Delete, Equals, Key, Present, Put, Table, Update, everything

PRIORITIES = PEOPLE, WATCHES = 0, 1
PEOPLE_PER_WATCH = 4
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
    limit = min(limit, AT_ONCE_MAX)
    people = list(_of_priority(table, PEOPLE, limit))
    since = (table.get(keys.turn(PEOPLE)) or {}).get("since", 0)
    assert isinstance(since, int)
    if len(people) >= limit and since + limit <= PEOPLE_PER_WATCH:
        return people
    return _in_order(people, list(_of_priority(table, WATCHES, limit)), since=since)[:limit]


def _in_order(people: Sequence[Waiting], watches: Sequence[Waiting], *, since: int) -> Sequence[Waiting]:
    """Return all of them, a watch after every few people; `since` the last watch so many people had their turn."""
    found: list[Waiting] = []
    own, others = deque(people), deque(watches)
    while own or others:
        is_watch = bool(others) and (since >= PEOPLE_PER_WATCH or not own)
        found.append(others.popleft() if is_watch else own.popleft())
        since = 0 if is_watch else since + 1
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
                *_turned(request.priority, turn),
            ]
        )
    except Changed:
        return None
    return request


def _turned(priority: int, turn: int) -> Iterator[Update]:
    if priority == PEOPLE:
        yield Update(keys.turn(PEOPLE), set={"turn": turn}, add={"since": 1})
    else:
        yield Update(keys.turn(WATCHES), set={"turn": turn})
        yield Update(keys.turn(PEOPLE), set={"since": 0})


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
