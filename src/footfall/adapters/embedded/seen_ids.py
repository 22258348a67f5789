"""Which ids were seen in the last day, kept in the transaction that appends their hits.

Two tables take turns: the newer takes the ids of one keeping time, the older holds the one before and is
emptied whole, because deleting millions of single rows would cost as much as writing them.
"""

from collections.abc import Sequence

import apsw

from footfall.adapters.embedded.database import rows
from footfall.ports.stream import Claim

_SCHEMA = """
CREATE TABLE IF NOT EXISTS ids_0(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_1(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
"""


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
        if self._is_new(claim.key, claim.body, now_ms):
            return None
        return self._body(claim.key) == claim.body

    def forget(self, now_ms: int) -> None:
        """Empty the table whose ids have all had their time, in small steps."""
        older = self._table(now_ms, turn=1)
        chunk = f"DELETE FROM {older} WHERE id IN (SELECT id FROM {older} WHERE seen_at_ms<? LIMIT 20000)"  # noqa: S608 - our own table names
        rows(self._db, chunk, (now_ms - self._keep_ms,))

    def _is_new(self, id_: bytes, body: bytes | None, now_ms: int) -> bool:
        newer, older = self._table(now_ms, turn=0), self._table(now_ms, turn=1)
        since_ms = now_ms - self._keep_ms
        known = f"SELECT 1 FROM {older} WHERE id=? AND seen_at_ms>=?"  # noqa: S608 - our own table names
        if rows(self._db, known, (id_, since_ms)):
            return False
        insert = (
            f"INSERT INTO {newer} VALUES(?,?,?) ON CONFLICT(id) DO UPDATE"  # noqa: S608 - our own table names
            " SET seen_at_ms=excluded.seen_at_ms, body=excluded.body WHERE seen_at_ms<?"
        )
        rows(self._db, insert, (id_, now_ms, body, since_ms))
        return self._db.changes() > 0

    def _body(self, id_: bytes) -> bytes | None:
        both = "SELECT body FROM ids_0 WHERE id=?1 UNION ALL SELECT body FROM ids_1 WHERE id=?1"
        found = rows(self._db, both, (id_,))
        return found[0][0] if found else None

    def _table(self, now_ms: int, *, turn: int) -> str:
        return f"ids_{(now_ms // self._keep_ms + turn) % 2}"
