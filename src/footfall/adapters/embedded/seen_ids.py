"""Which ids were seen in the last day, kept in the transaction that appends their hits.

Three tables take turns: the first takes the ids of one keeping time, the second holds the ones before, and in the
third all are too old, so that it can be emptied from its start, a piece at a time and without a search.
"""

from collections.abc import Sequence

import apsw

from footfall.adapters.embedded.database import rows
from footfall.ports.stream import Claim

_SCHEMA = """
CREATE TABLE IF NOT EXISTS ids_0(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_1(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_2(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
"""
_TABLES = 3
_FORGOTTEN_AT_ONCE = 20_000  # In a few tens of milliseconds, which the next append has to wait.


class SeenIds:
    """Ids and claims of the last keeping time; every call runs inside the caller's transaction."""

    def __init__(self, db: apsw.Connection, *, keep_ms: int) -> None:
        self._db = db
        self._keep_ms = keep_ms
        rows(db, _SCHEMA)

    def repeats(self, ids: Sequence[tuple[int, bytes]], now_ms: int) -> tuple[int, ...]:
        """Return the places whose ids were seen before, and remember the others."""
        return tuple(place for place, id_ in ids if not self._is_new(id_, None, now_ms))

    def claimed(self, claim: Claim, now_ms: int) -> bool | None:
        """Return None for a new claim, which is remembered; else whether it came with the same body."""
        if claim.part == 0:
            return None if self._is_new(claim.key, claim.body, now_ms) else self._body(claim.key) == claim.body
        if self._body(claim.key) != claim.body:
            return False  # Part 0 was refused just before, and so is the rest.
        part = claim.key + claim.part.to_bytes(4, "big")
        return None if self._is_new(part, claim.body, now_ms) else True

    def forget(self, now_ms: int) -> None:
        """Empty the table whose ids have all had their time, in small steps."""
        oldest = self._table(now_ms, turn=-2)
        chunk = f"DELETE FROM {oldest} WHERE id IN (SELECT id FROM {oldest} WHERE seen_at_ms<? LIMIT ?)"  # noqa: S608 - our own table names
        rows(self._db, chunk, (now_ms - self._keep_ms, _FORGOTTEN_AT_ONCE))

    def _is_new(self, id_: bytes, body: bytes | None, now_ms: int) -> bool:
        newer, older, oldest = (self._table(now_ms, turn=turn) for turn in (0, -1, -2))
        since_ms = now_ms - self._keep_ms
        # The oldest is asked as well, because a clock that was set back made it the newest for a while.
        known = (
            f"SELECT 1 FROM {older} WHERE id=?1 AND seen_at_ms>=?2"  # noqa: S608 - our own table names
            f" UNION ALL SELECT 1 FROM {oldest} WHERE id=?1 AND seen_at_ms>=?2"
        )
        if rows(self._db, known, (id_, since_ms)):
            return False
        insert = (
            f"INSERT INTO {newer} VALUES(?,?,?) ON CONFLICT(id) DO UPDATE"
            " SET seen_at_ms=excluded.seen_at_ms, body=excluded.body WHERE seen_at_ms<?"
        )
        rows(self._db, insert, (id_, now_ms, body, since_ms))
        return self._db.changes() > 0

    def _body(self, id_: bytes) -> bytes | None:
        each = " UNION ALL ".join(f"SELECT body, seen_at_ms FROM ids_{turn} WHERE id=?1" for turn in range(_TABLES))  # noqa: S608 - our own table names
        found = rows(self._db, f"{each} ORDER BY seen_at_ms DESC", (id_,))
        return found[0][0] if found else None

    def _table(self, now_ms: int, *, turn: int) -> str:
        return f"ids_{(now_ms // self._keep_ms + turn) % _TABLES}"
