"""Which ids were seen in the last day, kept in the transaction that appends their hits.

New ones lie in the order of their coming: a row for those of an append, and all of them in memory. When there are many
they are settled in the order in which a table has them, some with each append. Each by itself, when it comes, would
make a page of that table dirty, which is more than all the hits that came under it. Where few come they are forgotten
before they are settled.

Three tables take turns: the first takes the ids of one keeping time, the second holds the ones before, and in the
third all are too old, so that it can be emptied from its start, a piece at a time and without a search. Before each
stands a filter in memory, which is filled again some ids at a time after a start.
"""

import logging
from collections.abc import Iterator, Sequence
from functools import lru_cache

import apsw
import msgspec

from footfall.adapters.embedded.database import each_row, rows, run_for_each
from footfall.adapters.embedded.id_filter import IdFilter
from footfall.ports.stream import Claim

RECENT_MAX = 30_000  # that are gathered before they are settled: some 7 MB, and as much again while they are
SETTLED_FOR_ONE = 4  # that are settled for each that comes, so that all are before there are as many again
SETTLED_AT_ONCE = 2_000  # In a few milliseconds, for which an append takes longer,
SETTLED_LEAST = 2  # but always so many for one: however many come at once, those that wait are soon fewer again.
FILTERED_AT_ONCE = 20_000  # In 20 milliseconds: of a million settled ones all in the first minute after a start.

_TABLES = ("ids_0", "ids_1", "ids_2")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS ids_0(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_1(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_2(id BLOB PRIMARY KEY, seen_at_ms INTEGER NOT NULL, body BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids_recent(number INTEGER PRIMARY KEY, seen_at_ms INTEGER NOT NULL, ids BLOB NOT NULL);
"""
# All before the first that is young enough; without one, all. They lie in the order of time, so this reads only those.
_FORGET_RECENT = """
DELETE FROM ids_recent
WHERE number<coalesce((SELECT number FROM ids_recent WHERE seen_at_ms>=? ORDER BY number LIMIT 1), ?)
"""
_ASKED_AT_ONCE = 50
_FORGOTTEN_AT_ONCE = 20_000  # In a few tens of milliseconds, which the next append has to wait.

_Seen = tuple[int, bytes | None]  # when, and with which body

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(dict[bytes, bytes | None]).decode
_log = logging.getLogger(__name__)


class SeenIds:
    """Ids and claims of the last keeping time.

    Calls run inside the caller's transaction, but for `keep` and `take_back`, one of which follows it.
    """

    def __init__(self, db: apsw.Connection, *, keep_ms: int, recent_max: int = RECENT_MAX) -> None:
        self._db = db
        self._keep_ms = keep_ms
        self._recent_max = recent_max
        self._added: dict[bytes, _Seen] = {}  # by this transaction
        self._recent: dict[bytes, _Seen] = {}
        self._number = 0  # of the last row of these
        self._settling: _Settling | None = None
        rows(db, _SCHEMA)
        self._filters = {table: IdFilter(is_complete=False) for table in self._filled_tables()}
        for number, seen_at_ms, ids in each_row(db, "SELECT number, seen_at_ms, ids FROM ids_recent ORDER BY number"):
            self._recent |= {id_: (seen_at_ms, body) for id_, body in _unpacked(ids).items()}
            self._number = number

    @property
    def gathered(self) -> int:
        """Return how many are in memory."""
        return len(self._recent) + (0 if self._settling is None else len(self._settling.ids))

    def repeats(self, ids: Sequence[tuple[int, bytes]], now_ms: int) -> tuple[int, ...]:
        """Return the places whose ids were seen before, and remember the others."""
        if not ids:
            return ()
        known = self._known([id_ for _, id_ in ids], since_ms=now_ms - self._keep_ms)
        repeated: list[int] = []
        for place, id_ in ids:
            if id_ in known:
                repeated.append(place)
            else:
                known.add(id_)
                self._added[id_] = now_ms, None
        return tuple(repeated)

    def claimed(self, claim: Claim, now_ms: int) -> bool | None:
        """Return None for a new claim, which is remembered; else whether it came with the same body."""
        id_ = claim.key
        if claim.part > 0:
            if self._body(claim.key) != claim.body:
                return False  # Part 0 was refused just before, and so is the rest.
            id_ += claim.part.to_bytes(4, "big")
        if self._known([id_], since_ms=now_ms - self._keep_ms):
            return claim.part > 0 or self._body(id_) == claim.body
        self._added[id_] = now_ms, claim.body
        return None

    def are_new(self, claims: Sequence[Claim], now_ms: int) -> bool:
        """Tell whether all these claims, each of one part, are new and unlike each other; if so, they are remembered.

        If not, the caller takes its transaction back.
        """
        ids = [claim.key for claim in claims]
        if len(set(ids)) < len(ids) or self._known(ids, since_ms=now_ms - self._keep_ms):
            return False
        self._added.update((claim.key, (now_ms, claim.body)) for claim in claims)
        return True

    def store(self, now_ms: int) -> None:
        """Write what this transaction has added, and settle some of what others have."""
        if not self._added:
            return
        self._number += 1
        added = _pack({id_: body for id_, (_, body) in self._added.items()})
        rows(self._db, "INSERT INTO ids_recent VALUES(?,?,?)", (self._number, now_ms, added))
        if self._settling is not None:
            self._settle(self._settling, since_ms=now_ms - self._keep_ms)

    def keep(self) -> None:
        """Remember what was added: the transaction is on disk."""
        for id_ in self._recent.keys() & self._added.keys():
            del self._recent[id_]  # It had its time, and comes to its new place in the order.
        self._recent |= self._added
        self._added.clear()
        if self._settling is not None and self._settling.is_kept():
            self._settling = None
        if self._settling is None and len(self._recent) >= self._recent_max:
            self._settling, self._recent = _Settling(self._recent, self._number), {}

    def take_back(self) -> None:
        """Forget what was added: the transaction was taken back."""
        self._added.clear()
        if self._settling is not None:
            self._settling.take_back()

    def forget(self, now_ms: int) -> None:
        """Forget what was gathered too long ago, and empty the table whose ids have all had their time, in steps.

        The filters of what is left are filled by a step, too.
        """
        since_ms = now_ms - self._keep_ms
        self._fill_filters()
        oldest = self._table(now_ms, turn=-2)
        chunk = f"DELETE FROM {oldest} WHERE id IN (SELECT id FROM {oldest} WHERE seen_at_ms<? LIMIT ?)"  # noqa: S608 - our own table names
        rows(self._db, chunk, (since_ms, _FORGOTTEN_AT_ONCE))
        while (first := next(iter(self._recent), None)) is not None and self._recent[first][0] < since_ms:
            del self._recent[first]
        rows(self._db, _FORGET_RECENT, (since_ms, self._number + 1))

    def _known(self, ids: Sequence[bytes], *, since_ms: int) -> set[bytes]:
        """Return those that were seen since a moment."""
        return {id_ for id_, (seen_at_ms, _) in self._seen(ids) if seen_at_ms >= since_ms}

    def _body(self, id_: bytes) -> bytes | None:
        """Return what an id came with when it was last seen as new."""
        _, body = max((seen for _, seen in self._seen([id_])), key=lambda seen: seen[0], default=(0, None))
        return body

    def _seen(self, ids: Sequence[bytes]) -> Iterator[tuple[bytes, _Seen]]:
        """Yield when ids were seen as new: one may be twice, where too long lay between or a clock was set back."""
        for gathered in (self._added, self._recent, {} if self._settling is None else self._settling.ids):
            for id_ in ids if gathered else ():
                if id_ in gathered:
                    yield id_, gathered[id_]
        for table, filter_ in self._filters.items():
            asked = filter_.possible(ids)
            for start in range(0, len(asked), _ASKED_AT_ONCE):
                some = asked[start : start + _ASKED_AT_ONCE]
                for id_, seen_at_ms, body in rows(self._db, _question(table, len(some)), some):
                    yield id_, (seen_at_ms, body)

    def _settle(self, settling: "_Settling", *, since_ms: int) -> None:
        """Move some ids to the tables of their times, but for those that had theirs."""
        by_table: dict[str, list[tuple[bytes, int, bytes | None]]] = {}
        added = len(self._added)
        for id_ in settling.next(max(SETTLED_LEAST * added, min(SETTLED_AT_ONCE, SETTLED_FOR_ONE * added))):
            seen_at_ms, body = settling.ids[id_]
            if seen_at_ms >= since_ms:
                by_table.setdefault(self._table(seen_at_ms), []).append((id_, seen_at_ms, body))
        for table, values in by_table.items():
            run_for_each(self._db, _upsert(table), values)
            if table not in self._filters:
                self._filters[table] = IdFilter(is_complete=True)
            self._filters[table].add(id_ for id_, _, _ in values)
        if settling.is_over:
            rows(self._db, "DELETE FROM ids_recent WHERE number<=?", (settling.number,))

    def _fill_filters(self) -> None:
        """Go on with the filters of tables that were there at the start, and drop those of empty ones."""
        filled = self._filled_tables()
        self._filters = {table: filter_ for table, filter_ in self._filters.items() if table in filled}
        for table, filter_ in self._filters.items():
            if filter_.missing_from is not None:
                more = f"SELECT id FROM {table} WHERE id>=? ORDER BY id LIMIT ?"  # noqa: S608 - our own table names
                ids = [id_ for (id_,) in rows(self._db, more, (filter_.missing_from, FILTERED_AT_ONCE))]
                filter_.go_on(ids, are_last=len(ids) < FILTERED_AT_ONCE)

    def _filled_tables(self) -> set[str]:
        """Return the tables that have any ids."""
        return {table for table in _TABLES if rows(self._db, f"SELECT 1 FROM {table} LIMIT 1")}  # noqa: S608 - our own table names

    def _table(self, now_ms: int, *, turn: int = 0) -> str:
        return _TABLES[(now_ms // self._keep_ms + turn) % len(_TABLES)]


class _Settling:
    """Ids on their way to the tables, in the order of these."""

    def __init__(self, ids: dict[bytes, _Seen], number: int) -> None:
        self.ids = ids  # They are looked up here until all of them are settled.
        self.number = number  # of their last row
        self._order = sorted(ids)
        self._settled = 0  # before this transaction
        self._done = 0  # with it

    @property
    def is_over(self) -> bool:
        """Tell whether this transaction settles the last of them."""
        return self._done == len(self._order)

    def next(self, count: int) -> list[bytes]:
        """Return the next to be settled."""
        some = self._order[self._done : self._done + count]
        self._done += len(some)
        return some

    def is_kept(self) -> bool:
        """Note that the transaction is on disk; tell whether all are settled."""
        self._settled = self._done
        return self.is_over

    def take_back(self) -> None:
        """Note that the transaction was taken back."""
        self._done = self._settled


@lru_cache(maxsize=len(_TABLES) * _ASKED_AT_ONCE)
def _question(table: str, ids: int) -> str:
    return f"SELECT id, seen_at_ms, body FROM {table} WHERE id IN ({','.join('?' * ids)})"  # noqa: S608 - our own table names


def _upsert(table: str) -> str:
    return (
        f"INSERT INTO {table} VALUES(?,?,?) ON CONFLICT(id) DO UPDATE"
        " SET seen_at_ms=excluded.seen_at_ms, body=excluded.body WHERE seen_at_ms<excluded.seen_at_ms"
    )


def _unpacked(ids: bytes) -> dict[bytes, bytes | None]:
    try:
        return _unpack(ids)
    except msgspec.MsgspecError:
        # The hits themselves are there. To take none for that would be the greater harm.
        _log.error("ids of one append do not decode: what is sent again of it is counted again")
        return {}
