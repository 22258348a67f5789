"""The outbox: what waits to be carried over, what is done, and how it stays small."""

from collections.abc import Sequence

from footfall.adapters.relational.dialects import DROPPED, OUTBOX, Dialect
from footfall.adapters.relational.sessions import Record, Session, marks
from footfall.ports.relational import NOTICES_MAX, Notice

FOLDED_AT_ONCE = 200  # entities whose notices are folded in one transaction,
ROWS_AT_ONCE = 5_000  # and of these so many


def waiting(session: Session, entity: str, *, limit: int) -> list[Notice]:
    """Return notices that are not done, by whether they are, so that a late commit is never passed by."""
    sql = (
        f"SELECT id, entity_key, shared_table, at_ms FROM {OUTBOX} WHERE entity = %s AND done = 0"  # noqa: S608 - names of ours
        " ORDER BY id LIMIT %s"
    )
    found = session.rows(sql, (entity, min(limit, NOTICES_MAX)))
    return [
        Notice(int(str(number)), str(key), None if table is None else str(table), int(str(at_ms)))
        for number, key, table, at_ms in found
    ]


def done(session: Session, ids: Sequence[int]) -> None:
    """Say that notices have been carried over."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), NOTICES_MAX):
        chunk = ordered[start : start + NOTICES_MAX]
        session.run(f"UPDATE {OUTBOX} SET done = 1 WHERE id IN ({marks(chunk)})", chunk)  # noqa: S608 - names of ours


def lag(session: Session, entity: str, *, now_ms: int) -> tuple[int, int]:
    """Return how many notices wait, and for how long the oldest has."""
    sql = f"SELECT COUNT(*), MIN(at_ms) FROM {OUTBOX} WHERE entity = %s AND done = 0"  # noqa: S608 - names of ours
    count, oldest_ms = session.rows(sql, (entity,))[0]
    return int(str(count)), 0 if oldest_ms is None else max(0, now_ms - int(str(oldest_ms)))


def foldable(session: Session, entity: str) -> list[Record]:
    """Return tables and keys that have several notices that are done."""
    sql = (
        f"SELECT shared_table, entity_key FROM {OUTBOX} WHERE entity = %s AND done = 1"  # noqa: S608 - names of ours
        " GROUP BY shared_table, entity_key HAVING COUNT(*) > 1 LIMIT %s"
    )
    return session.rows(sql, (entity, FOLDED_AT_ONCE))


def fold(session: Session, dialect: Dialect, entity: str, found: Sequence[Record]) -> int:
    """Make one notice of those that are done, for each of the keys; their sum is the same before and after."""
    keys = sorted({str(key) for _, key in found})
    sql = (
        f"SELECT id, shared_table, entity_key, weight, at_ms FROM {OUTBOX} WHERE entity = %s AND done = 1"  # noqa: S608 - names of ours
        f" AND entity_key IN ({marks(keys)}) ORDER BY id LIMIT {ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED"
    )
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in session.rows(sql, (entity, *keys)):
        groups.setdefault((str(record[1] or ""), str(record[2])), []).append(record)
    gone: list[int] = []
    for (table, key), records in groups.items():
        if len(records) > 1:
            weight = sum(int(str(record[3])) for record in records)
            values = (entity, key, table or None, weight, records[-1][4])
            session.run(dialect.folded(("entity", "entity_key", "shared_table", "weight", "at_ms")), values)
            gone += [int(str(record[0])) for record in records]
    for start in range(0, len(gone), NOTICES_MAX):
        chunk = gone[start : start + NOTICES_MAX]
        session.run(f"DELETE FROM {OUTBOX} WHERE id IN ({marks(chunk)})", chunk)  # noqa: S608 - names of ours
    return len(gone) - sum(1 for records in groups.values() if len(records) > 1)


def thin_dropped(session: Session, entity: str) -> None:
    """Keep of pointers that were given up several times the first; which they are stays the same."""
    sql = (
        f"SELECT d.id FROM {DROPPED} d JOIN (SELECT MIN(id) AS first, owner_table, owner_key, shared_table, shared_key"  # noqa: S608 - names of ours
        f" FROM {DROPPED} WHERE entity = %s GROUP BY owner_table, owner_key, shared_table, shared_key"
        " HAVING COUNT(*) > 1) f ON f.owner_table = d.owner_table AND f.owner_key = d.owner_key"
        " AND f.shared_table = d.shared_table AND f.shared_key = d.shared_key AND d.id > f.first"
        " WHERE d.entity = %s ORDER BY d.id LIMIT %s"
    )
    ids = [int(str(number)) for (number,) in session.rows(sql, (entity, entity, NOTICES_MAX))]
    if ids:
        session.run(f"DELETE FROM {DROPPED} WHERE id IN ({marks(ids)})", ids)  # noqa: S608 - names of ours
