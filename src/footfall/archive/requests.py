"""Requests: a page that somebody wants kept, asked for once however often it is said, and what became of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footfall.archive import finding, keys
from footfall.archive.captures import Request, State
from footfall.archive.quotas import NO_QUOTAS, Quotas, Turn, given_back, require_within, taken
from footfall.archive.stored import item_of, request_from
from footfall.ports.capturing import Reason
from footfall.ports.errors import Changed, Throttled
from footfall.ports.items import Item
from footfall.ports.table import Absent, Action, Condition, Delete, Equals, Key, Put, Table
from footfall.values.errors import Refused

OPEN = (State.PENDING, State.RUNNING)
TRIES_MAX = 20  # while others ask in the same moment
SAYS_CHARACTERS_MAX = 500
TYPED_CHARACTERS_MAX = 8_000
KEPT_MS = 90 * 86_400_000  # a request that has ended; its capture stays
LIST_MAX = 200


class NoSuchRequest(Refused):
    """There is no request under that id, or it was forgotten."""


class NothingToRetry(Refused):
    """Only a request that failed can be tried again."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some requests, the newest first; `after` continues, None ends."""

    items: Sequence[Request]
    after: str | None


def ask(table: Table, asked: Request, *, now_ms: int, quotas: Quotas = NO_QUOTAS, reuse_ms: int = 0) -> Request:
    """Open a request; return the one that is open for the same page already, or one that is done by a young capture."""
    assert asked.state is State.PENDING
    if len(asked.typed) > TYPED_CHARACTERS_MAX or len(asked.url) > TYPED_CHARACTERS_MAX:
        raise Refused("url", f"has more than {TYPED_CHARACTERS_MAX:,} characters")
    young = _young(table, asked, since_us=(now_ms - reuse_ms) * 1_000) if reuse_ms else None
    if young is not None:
        done = replace(asked, state=State.DONE, capture=young, says="It was kept a short while ago.")
        table.transact([*puts(done, now_ms=now_ms, expects=(Absent(),)), _space(asked)])
        return done
    for _ in range(TRIES_MAX):
        already = _open_one(table, asked, now_ms=now_ms)
        if already is not None:
            return already
        try:
            table.transact([*_opening(table, asked, quotas, now_ms=now_ms, expects=(Absent(),)), _space(asked)])
        except Changed:
            require_within(table, asked, quotas, now_ms=now_ms)
        else:
            return asked
    raise Throttled("many pages are being asked for at once; try again")


def one(table: Table, id: str) -> Request:
    """Return a request; raise NoSuchRequest."""
    item = table.get(keys.request(id[:64])) if id else None
    if item is None:
        raise NoSuchRequest("id", f"{id[:40]!r} is not a request here")
    return request_from(item)


def of(table: Table, space: str, *, limit: int = 50, after: str | None = None) -> Page:
    """Return the requests of a space, the newest first."""
    at = None if after is None else Key(keys.requests(space), after[:64])
    page = table.query(keys.requests(space), backwards=True, limit=max(1, min(limit, LIST_MAX)), after=at)
    return Page([request_from(found.item) for found in page.items], None if page.after is None else page.after.sort)


def retry(table: Table, id: str, *, now_ms: int, quotas: Quotas = NO_QUOTAS) -> Request:
    """Let a request that failed wait again; return the one that is open for the page already."""
    for _ in range(TRIES_MAX):
        failed = one(table, id)
        if failed.state is not State.FAILED:
            raise NothingToRetry("id", f"this request has not failed: it is {failed.state.value}")
        again = replace(failed, state=State.PENDING, reason=None, says="")
        already = _open_one(table, again, now_ms=now_ms)
        if already is not None:
            return already
        try:
            still = (Equals("state", State.FAILED.value), Equals("attempts", failed.attempts))
            table.transact(list(_opening(table, again, quotas, now_ms=now_ms, expects=still)))
        except Changed:
            require_within(table, again, quotas, now_ms=now_ms)
        else:
            return again
    raise Throttled("many pages are being asked for at once; try again")


def fail(table: Table, request: Request, *, reason: Reason, says: str, now_ms: int) -> Request:
    """Close a request with the reason why it could not be done; who does it again changes nothing."""
    for _ in range(TRIES_MAX):
        present = one(table, request.id)
        if present.state is not State.RUNNING or present.attempts != request.attempts:
            return present
        failed = replace(present, state=State.FAILED, reason=reason, says=says[:SAYS_CHARACTERS_MAX])
        try:
            table.transact(list(closing(failed, now_ms=now_ms)))
        except Changed:
            continue  # It was shared in this moment.
        return failed
    raise Throttled(f"request {request.id} is being changed by others all the time; try again")


def closing(ended: Request, *, now_ms: int) -> Iterator[Action]:
    """Yield what closes a request that is running in this very attempt, once, and as whoever closes it knows it."""
    assert ended.state not in OPEN
    still = (
        Equals("state", State.RUNNING.value),
        Equals("attempts", ended.attempts),
        Equals("is_shared", ended.is_shared),
    )
    yield from puts(ended, now_ms=now_ms, expects=still)
    yield Delete(keys.open_request(ended))
    yield Delete(keys.running(ended.id))
    yield from given_back(ended)


def puts(request: Request, *, now_ms: int, expects: Sequence[Condition] = ()) -> Iterator[Put]:
    """Yield what writes a request, under its id and for the list of its space."""
    until_ms = None if request.state in OPEN else now_ms + KEPT_MS
    item: Item = item_of(request)
    yield Put(keys.request(request.id), item, expires_at_ms=until_ms, expects=expects)
    yield Put(keys.request_of(request.space, request.id), item, expires_at_ms=until_ms)


def _opening(
    table: Table, asked: Request, quotas: Quotas, *, now_ms: int, expects: Sequence[Condition]
) -> Iterator[Action]:
    turn = _turn(table, asked)
    yield from puts(asked, now_ms=now_ms, expects=expects)
    yield Put(keys.open_request(asked), {"id": asked.id}, expects=(Absent(),))
    yield Put(keys.queued(asked.priority, turn.number, asked.id), {"id": asked.id, "by": asked.by})
    yield from taken(asked, quotas, turn, now_ms=now_ms)


def _turn(table: Table, asked: Request) -> Turn:
    """Return the next turn of whoever asks: each has one after the other, and nobody saves up turns by waiting."""
    name = f"turn{asked.priority}"
    own, all_ = table.get(keys.quota(asked.by)) or {}, table.get(keys.turn(asked.priority)) or {}
    before, current = own.get(name), all_.get("turn", 0)
    assert before is None or isinstance(before, int)
    assert isinstance(current, int)
    return Turn(name, max(current, 0 if before is None else before + 1), before)


def _open_one(table: Table, asked: Request, *, now_ms: int) -> Request | None:
    marker = table.get(keys.open_request(asked))
    if marker is None:
        return None
    item = table.get(keys.request(str(marker["id"])))
    found = None if item is None else request_from(item)
    if found is None or found.state not in OPEN:
        return None  # It was closed in this moment.
    if asked.is_shared and not found.is_shared:
        shared = replace(found, is_shared=True)
        try:
            table.transact(list(puts(shared, now_ms=now_ms, expects=(Equals("state", found.state.value),))))
        except Changed:
            return _open_one(table, asked, now_ms=now_ms)
        return shared
    return found


def _young(table: Table, asked: Request, *, since_us: int) -> str | None:
    shared = keys.brand_space(asked.brand)
    spaces = (shared,) if asked.is_shared else (asked.space, shared)
    found = finding.captures(table, spaces, asked.key, from_us=since_us, limit=1, newest_first=True).items
    return found[0].id if found else None


def _space(asked: Request) -> Put:
    return Put(keys.space(asked.space), {"brand": asked.brand})
