"""Making our tables and triggers in a database that is in use, and removing them."""

from collections.abc import Callable, Sequence

from footfall.adapters.relational.dialects import OUR_TABLES, OUTLINES, Dialect, Trigger
from footfall.adapters.relational.reading import SqlSnapshot
from footfall.adapters.relational.routing import add_routes, close_filling, fill
from footfall.adapters.relational.sessions import Busy, Session, transaction
from footfall.adapters.relational.shapes import Shape
from footfall.adapters.relational.watching import digest_of, watches
from footfall.ports.relational import EVERYTHING, Outline, Route, Side
from footfall.values.errors import Refused

FILLED_AT_ONCE = 500  # routes of one statement, whose writers wait for nothing meanwhile
TRIES_MAX = 6_000  # to find a moment at which nobody uses a table,
PAUSE_S = 0.005  # so far apart: half a minute at least
OLDER_TRIES_MAX = 10  # to wait for who began before us, but not for hours: some only read
OLDER_PAUSE_S = 0.15  # InnoDB tells the same of transactions to who asks more often.
CLOSING_TRIES_MAX = 20  # Whoever leaves tries again, so a long transaction is not waited for.

Pause = Callable[[float], None]


def prepare(session: Session, dialect: Dialect, shape: Shape, pause: Pause) -> None:
    """Make what is missing of our tables and triggers, then give every entity a route.

    Making a trigger needs the table for a moment in which no transaction uses it. We ask for that without waiting,
    again and again, since whoever came while we waited would wait behind us.
    """
    outline = shape.outline
    if not dialect.columns(session, OUTLINES):
        _make(session, dialect, pause)
    digest = digest_of(outline)
    session.run(
        dialect.inserting(dialect.table(OUTLINES), ("entity", "digest", "filled"), rows=1), (outline.entity, digest, 0)
    )
    (there,) = session.rows(f"SELECT digest FROM {OUTLINES} WHERE entity = %s", (outline.entity,))  # noqa: S608 - ours
    if there != (digest,):
        raise Refused(
            "outline", f"{outline.entity} is prepared with another mapping here; end that first, with its own mapping"
        )
    add_routes(session, dialect, outline.entity, [EVERYTHING], Route(Side.OLD, 0))
    made = dialect.triggers_there(session)
    for watch in watches(outline):
        missing = [trigger for trigger in dialect.triggers(outline, watch) if trigger.name not in made]
        _alter(session, dialect, watch.table, [one for trigger in missing for one in trigger.making], pause)
    _fill(session, dialect, shape)
    _close(session, dialect, outline.entity, pause)


def withdraw(session: Session, dialect: Dialect, outline: Outline, pause: Pause) -> None:
    """Remove triggers first, so that nobody writes what is no longer there; with the last outline go our tables."""
    made = dialect.triggers_there(session)
    for watch in watches(outline):
        there = [trigger for trigger in dialect.triggers(outline, watch) if trigger.name in made]
        _alter(session, dialect, watch.table, [one for trigger in there for one in trigger.removing], pause)
    if not dialect.columns(session, OUTLINES):
        return
    for table in OUR_TABLES:
        session.run(f"DELETE FROM {dialect.table(table)} WHERE entity = %s", (outline.entity,))  # noqa: S608 - ours
    if not session.rows(f"SELECT entity FROM {OUTLINES} LIMIT 1"):  # noqa: S608 - names of ours
        for statement in dialect.removing:
            session.run(statement)
        for table in OUR_TABLES:
            _alter(session, dialect, table, (f"DROP TABLE IF EXISTS {dialect.table(table)}",), pause)


def is_prepared(session: Session, dialect: Dialect, outline: Outline) -> bool:
    """Tell whether every trigger is there, made for just this outline."""
    if not dialect.columns(session, OUTLINES):
        return False
    found = session.rows(f"SELECT digest FROM {OUTLINES} WHERE entity = %s", (outline.entity,))  # noqa: S608 - ours
    made = dialect.triggers_there(session)
    return found == [(digest_of(outline),)] and all(one.name in made for one in triggers(dialect, outline))


def triggers(dialect: Dialect, outline: Outline) -> list[Trigger]:
    """Return the triggers of an outline."""
    return [trigger for watch in watches(outline) for trigger in dialect.triggers(outline, watch)]


def _make(session: Session, dialect: Dialect, pause: Pause) -> None:
    """Make our tables, and let those end a while who could not read them."""
    for statement in dialect.making:
        session.run(statement)
    older = dialect.older(session)
    for _ in range(OLDER_TRIES_MAX):
        if not older & dialect.older(session):
            return
        pause(OLDER_PAUSE_S)


def _alter(session: Session, dialect: Dialect, table: str, statements: Sequence[str], pause: Pause) -> None:
    if not statements:
        return
    for _ in range(TRIES_MAX):
        try:
            dialect.altering(session, table, statements)
        except Busy:
            pause(PAUSE_S)
        else:
            return
    raise Busy(f"{table} was in use at each of {TRIES_MAX} moments; end transactions that stay open, then try again")


def _fill(session: Session, dialect: Dialect, shape: Shape) -> None:
    entity, after = shape.outline.entity, None
    snapshot = SqlSnapshot(session, dialect, shape)
    if session.rows(f"SELECT filled FROM {OUTLINES} WHERE entity = %s", (entity,)) == [(1,)]:  # noqa: S608 - ours
        return
    while keys := snapshot.keys(after=after, limit=FILLED_AT_ONCE):
        _fill_some(session, dialect, entity, keys)
        after = keys[-1]


def _fill_some(session: Session, dialect: Dialect, entity: str, keys: Sequence[str]) -> None:
    with transaction(session, dialect.writing):
        fill(session, dialect, entity, keys)


def _close(session: Session, dialect: Dialect, entity: str, pause: Pause) -> None:
    for _ in range(CLOSING_TRIES_MAX):
        try:
            with transaction(session, dialect.writing):
                close_filling(session, entity)
        except Busy:
            pause(PAUSE_S)
        else:
            return
