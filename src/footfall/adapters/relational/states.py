"""How far entities have come, as the source remembers it."""

from collections.abc import Mapping, Sequence

from footfall.adapters.relational.dialects import STATES, Dialect
from footfall.adapters.relational.sessions import Session, marks
from footfall.ports.relational import Problem, State

REASON_LENGTH_MAX = 2_000


def taken(session: Session, entity: str, *, limit: int, now_ms: int, until_ms: int) -> list[str]:
    """Take entities that wait, then those whose time is over, leaving alone what others are about to take."""
    waiting = f"SELECT entity_key FROM {STATES} WHERE entity = %s AND state = %s"  # noqa: S608 - names of ours
    last = " LIMIT %s FOR UPDATE SKIP LOCKED"
    found = session.rows(waiting + last, (entity, State.NOT_MIGRATED, limit))
    if len(found) < limit:
        values = (entity, State.IN_MIGRATION, now_ms, limit - len(found))
        found += session.rows(f"{waiting} AND until_ms <= %s{last}", values)
    keys = [str(key) for (key,) in found]
    if keys:
        session.run(
            f"UPDATE {STATES} SET state = %s, until_ms = %s WHERE entity = %s AND entity_key IN ({marks(keys)})",  # noqa: S608 - names of ours
            (State.IN_MIGRATION, until_ms, entity, *keys),
        )
    return keys


def settle(session: Session, dialect: Dialect, entity: str, keys: Sequence[str], *, state: State, reason: str) -> None:
    """Say how far entities have come, in the order of their keys, so that two of us never wait for each other."""
    ordered = sorted(set(keys))
    if ordered:
        values = [cell for key in ordered for cell in (entity, key, state.value, reason[:REASON_LENGTH_MAX])]
        session.run(dialect.settling(rows=len(ordered)), values)


def counts(session: Session, entity: str) -> Mapping[State, int]:
    """Return how many entities are in which state."""
    sql = f"SELECT state, COUNT(*) FROM {STATES} WHERE entity = %s GROUP BY state"  # noqa: S608 - names of ours
    found = {str(state): int(str(count)) for state, count in session.rows(sql, (entity,))}
    return {state: found.get(state.value, 0) for state in State}


def problems(session: Session, entity: str, *, limit: int) -> list[Problem]:
    """Return entities that were set aside, with the reason."""
    sql = (
        f"SELECT entity_key, reason FROM {STATES} WHERE entity = %s AND state = %s"  # noqa: S608 - names of ours
        " ORDER BY entity_key LIMIT %s"
    )
    return [Problem(str(key), str(reason)) for key, reason in session.rows(sql, (entity, State.SET_ASIDE, limit))]
