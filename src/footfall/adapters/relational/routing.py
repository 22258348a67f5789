"""The gate: who answers for an entity, and handing it over without anybody waiting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footfall.adapters.relational.dialects import OUTBOX, OUTLINES, ROUTES, STATES, Dialect, Kind
from footfall.adapters.relational.reading import SqlSnapshot, route_from
from footfall.adapters.relational.sessions import Session, marks
from footfall.adapters.relational.shapes import Shape
from footfall.adapters.relational.sharing import remember_rows
from footfall.adapters.relational.watching import shared_parts
from footfall.ports.relational import EPOCH_STEP, EVERYTHING, Document, Route, Side, State

LEFT_AT_ONCE = 25  # in one transaction, which who writes them meanwhile waits for: some milliseconds

_ROUTE = f"SELECT entity_key, side, epoch, clock, written_back FROM {ROUTES}"  # noqa: S608 - names of ours
_THIS = "WHERE entity = %s AND entity_key = %s"


@dataclass(frozen=True, slots=True)
class Standing:
    """Entities as they stood a moment ago: their clocks, and how much of these is their own."""

    clocks: Mapping[str, int]
    own: Mapping[str, int]


def standing(snapshot: SqlSnapshot, keys: Sequence[str]) -> Standing:
    """Return how entities stand, so that little is left to ask while they are held."""
    found = [key for key in keys if key != EVERYTHING]
    return Standing(snapshot.clocks(found), snapshot.own_clocks(found))


def left(
    session: Session, dialect: Dialect, shape: Shape, before: Standing, fences: Mapping[str, int]
) -> Mapping[str, Route]:
    """Put entities in doubt that nobody writes and whose clock is as the target has it."""
    entity, ordered = shape.outline.entity, sorted(fences)
    # Whoever holds a route is writing: it is passed by, not waited for.
    sql = f"{_ROUTE}{dialect.by_key} WHERE entity = %s AND entity_key IN ({marks(ordered)}) FOR UPDATE SKIP LOCKED"
    locked = {str(record[0]): route_from(record[1:]) for record in session.rows(sql, (entity, *ordered))}
    ours = {key: route for key, route in locked.items() if route.side is Side.OLD}
    standing_still = _standing_still(SqlSnapshot(session, dialect, shape), shape, before, [*ours])
    given: dict[str, Route] = {}
    for key, route in ours.items():
        clock = before.clocks.get(key, 0)
        if fences[key] == route.epoch * EPOCH_STEP + clock and key in standing_still:
            given[key] = Route(Side.DOUBT, route.epoch + 1, clock, route.written_back)
    _put_in_doubt(session, entity, given)
    if shared_parts(shape.outline):
        remember_rows(session, dialect, shape, {key: standing_still[key] for key in given if key != EVERYTHING})
    return given


def _standing_still(
    snapshot: SqlSnapshot, shape: Shape, before: Standing, keys: Sequence[str]
) -> Mapping[str, Document | None]:
    """Return those whose routes are held and that nobody has written since, with their rows where they share some."""
    # Every write that was noted before the lock is committed, so a read that begins now sees it. Rows that are looked
    # up are not gated, so one that changes now is as one that changes later: a notice tells.
    found = [key for key in keys if key != EVERYTHING]
    still: dict[str, Document | None] = {EVERYTHING: None}
    if shared_parts(shape.outline):
        seen = snapshot.see(found)
        return still | {one.key: one.document for one in seen if one.clock == before.clocks[one.key]}
    own = snapshot.own_clocks(found)
    return still | {key: None for key in found if own[key] == before.own[key]}


def _put_in_doubt(session: Session, entity: str, given: Mapping[str, Route]) -> None:
    if not given:
        return
    clocks = " ".join(["WHEN %s THEN %s"] * len(given))
    values = [cell for key, route in given.items() for cell in (key, route.clock)]
    session.run(
        f"UPDATE {ROUTES} SET side = %s, epoch = epoch + 1, clock = CASE entity_key {clocks} END"  # noqa: S608 - ours
        f" WHERE entity = %s AND entity_key IN ({marks(list(given))})",
        (Side.DOUBT.value, *values, entity, *given),
    )


def entered(session: Session, dialect: Dialect, entity: str, key: str, *, to: tuple[Route, Route]) -> bool:
    """Set a route where it still is the first of the two."""
    expected, route = to
    if locked_route(session, dialect, entity, key) != expected:
        return False
    put(session, entity, key, route)
    if route.side is Side.OLD and expected.side is not Side.OLD and key != EVERYTHING:
        # What it looks up may have changed while it was not carried, and those notices are done.
        session.run(dialect.reminding, (entity, key))
    return True


def locked_route(session: Session, dialect: Dialect, entity: str, key: str) -> Route:
    """Return the route of an entity, made from that of EVERYTHING if it had none, held until the transaction ends."""
    by_key = f"{_ROUTE}{dialect.by_key} {_THIS}"
    found = session.rows(f"{by_key} FOR UPDATE NOWAIT", (entity, key))
    if not found:
        # A gap is never locked: what is not there was looked for without a range, in a transaction that locks none.
        everything = session.rows(f"{_ROUTE} {_THIS}", (entity, EVERYTHING))
        route = route_from(everything[0][1:]) if everything else Route(Side.OLD, 0)
        add_routes(session, dialect, entity, [key], Route(route.side, route.epoch, route.clock))
        found = session.rows(f"{by_key} FOR UPDATE NOWAIT", (entity, key))
    return route_from(found[0][1:])


def give_route(session: Session, dialect: Dialect, entity: str, key: str, *, epoch: int) -> None:
    """Give an entity that was made on the new side a route of the epoch that it has there, unless it has one."""
    if session.rows(f"{_ROUTE} {_THIS}", (entity, key)):
        return
    everything = session.rows(f"{_ROUTE} {_THIS}", (entity, EVERYTHING))
    if everything and route_from(everything[0][1:]).side is Side.NEW:
        add_routes(session, dialect, entity, [key], Route(Side.NEW, epoch))


def routed(session: Session, entity: str, side: Side, *, after: str | None, limit: int) -> list[str]:
    """Return entities whose route says this side."""
    sql = (
        f"SELECT entity_key FROM {ROUTES} WHERE entity = %s AND side = %s AND entity_key <> %s AND entity_key > %s"  # noqa: S608 - names of ours
        " ORDER BY entity_key LIMIT %s"
    )
    return [str(key) for (key,) in session.rows(sql, (entity, side.value, EVERYTHING, after or "", limit))]


def sides(session: Session, entity: str) -> Mapping[Side, int]:
    """Return how many entities have a route to which side."""
    sql = f"SELECT side, COUNT(*) FROM {ROUTES} WHERE entity = %s AND entity_key <> %s GROUP BY side"  # noqa: S608 - ours
    found = {str(side): int(str(count)) for side, count in session.rows(sql, (entity, EVERYTHING))}
    return {side: found.get(side.value, 0) for side in Side}


def last_key(session: Session, dialect: Dialect, shape: Shape, *, is_recent: bool) -> int | None:
    """Return the largest number that is or was a key; of those that are gone, only such as wait if it is recent."""
    outline = shape.outline
    if shape.key.kind is not Kind.WHOLE:
        return None
    largest = f"SELECT MAX({dialect.name(outline.key)}) FROM {dialect.table(outline.table)}"  # noqa: S608 - quoted
    found = [cell for (cell,) in session.rows(largest)]
    if is_recent:
        waiting = f"SELECT DISTINCT entity_key FROM {OUTBOX} WHERE entity = %s AND done = 0 AND shared_table IS NULL"  # noqa: S608 - names of ours
        found += [key for (key,) in session.rows(waiting, (outline.entity,))]
    else:
        ever = (
            f"SELECT CAST(MAX(CAST(entity_key AS DECIMAL(30, 0))) AS CHAR(31)) FROM {ROUTES}"  # noqa: S608 - names of ours
            " WHERE entity = %s AND entity_key <> %s"
        )
        found += [key for (key,) in session.rows(ever, (outline.entity, EVERYTHING))]
    texts = [str(cell).strip() for cell in found if cell is not None]
    return max((int(text) for text in texts if text.isdecimal()), default=0)


def put(session: Session, entity: str, key: str, route: Route) -> None:
    """Set a route that is held."""
    session.run(
        f"UPDATE {ROUTES} SET side = %s, epoch = %s, clock = %s, written_back = %s {_THIS}",  # noqa: S608 - names of ours
        (route.side.value, route.epoch, route.clock, route.written_back, entity, key),
    )


def add_routes(session: Session, dialect: Dialect, entity: str, keys: Sequence[str], route: Route) -> None:
    """Give entities a route that have none."""
    columns = ("entity", "entity_key", "side", "epoch", "clock", "written_back")
    told = (route.side.value, route.epoch, route.clock, route.written_back)
    values = [cell for key in keys for cell in (entity, key, *told)]
    session.run(dialect.inserting(dialect.table(ROUTES), columns, rows=len(keys)), values)


def is_filled(session: Session, entity: str) -> bool:
    """Tell whether every entity has a route, and no writer is left who could not know."""
    return session.rows(f"SELECT filled FROM {OUTLINES} WHERE entity = %s", (entity,)) == [(1,)]  # noqa: S608 - ours


def close_filling(session: Session, entity: str) -> None:
    """Say that every entity has a route; raises Busy while somebody writes who came before that."""
    session.rows(f"SELECT filled FROM {OUTLINES} WHERE entity = %s FOR UPDATE NOWAIT", (entity,))  # noqa: S608 - ours
    session.run(f"UPDATE {OUTLINES} SET filled = 1 WHERE entity = %s", (entity,))  # noqa: S608 - names of ours


def fill(session: Session, dialect: Dialect, entity: str, keys: Sequence[str]) -> None:
    """Give entities a route and a state that have none."""
    if not keys:
        return
    add_routes(session, dialect, entity, keys, Route(Side.OLD, 0))
    states = [cell for key in keys for cell in (entity, key, State.NOT_MIGRATED.value, 0, "")]
    columns = ("entity", "entity_key", "state", "until_ms", "reason")
    session.run(dialect.inserting(dialect.table(STATES), columns, rows=len(keys)), states)
