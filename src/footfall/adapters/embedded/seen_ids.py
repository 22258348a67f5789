"""Which ids were seen in the last day, kept in the transaction that appends their hits.

Three tables take turns: the first takes the ids of one keeping time, the second holds the ones before, and in the
third all are too old, so that it can be emptied from its start, a piece at a time and without a search.
"""

from collections.abc import Sequence

import apsw

from footfall.adapters.embedded.database import rows, run_for_each
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

    def are_new(self, claims: Sequence[Claim], now_ms: int) -> bool:
        """Tell whether all these claims, each of one part, are new and unlike each other; if so, they are remembered.

        If not, some of them are remembered nevertheless, and the caller takes its transaction back.
        """
        before = self._db.total_changes()
        since_ms = now_ms - self._keep_ms
        values = [(claim.key, now_ms, claim.body, since_ms) for claim in claims]
        run_for_each(self._db, self._remember(now_ms), values)
        return self._db.total_changes() - before == len(claims)

    def forget(self, now_ms: int) -> None:
        """Empty the table whose ids have all had their time, in small steps."""
        oldest = self._table(now_ms, turn=-2)
        chunk = f"DELETE FROM {oldest} WHERE id IN (SELECT id FROM {oldest} WHERE seen_at_ms<? LIMIT ?)"  # noqa: S608 - our own table names
        rows(self._db, chunk, (now_ms - self._keep_ms, _FORGOTTEN_AT_ONCE))

    def _is_new(self, id_: bytes, body: bytes | None, now_ms: int) -> bool:
        rows(self._db, self._remember(now_ms), (id_, now_ms, body, now_ms - self._keep_ms))
        return self._db.changes() > 0

    def _remember(self, now_ms: int) -> str:
        """Return what remembers an id unless it is known: its values are the id, now, a body, and since when."""
        newer, older, oldest = (self._table(now_ms, turn=turn) for turn in (0, -1, -2))
        # The oldest is asked as well, because a clock that was set back made it the newest for a while.
        return (
            f"INSERT INTO {newer} SELECT ?1,?2,?3"  # noqa: S608 - our own table names
            f" WHERE NOT EXISTS(SELECT 1 FROM {older} WHERE id=?1 AND seen_at_ms>=?4)"
            f" AND NOT EXISTS(SELECT 1 FROM {oldest} WHERE id=?1 AND seen_at_ms>=?4)"
            " ON CONFLICT(id) DO UPDATE SET seen_at_ms=excluded.seen_at_ms, body=excluded.body WHERE seen_at_ms<?4"
        )

    def _body(self, id_: bytes) -> bytes | None:
        each = " UNION ALL ".join(f"SELECT body, seen_at_ms FROM ids_{turn} WHERE id=?1" for turn in range(_TABLES))  # noqa: S608 - our own table names
        found = rows(self._db, f"{each} ORDER BY seen_at_ms DESC", (id_,))
        return found[0][0] if found else None

    def _table(self, now_ms: int, *, turn: int) -> str:
        return f"ids_{(now_ms // self._keep_ms + turn) % _TABLES}"
