"""Stream on SQLite: one row per shard and commit, holding a compressed block of records.

A row per record would cost four times as much; a block is within a factor of two of what the disk can do.
One process writes; any number read beside it. Small blocks are joined once they have been counted.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import zstandard

from footfall.adapters.embedded.block_runs import HEAD_BYTES, LARGE_BLOCK_BYTES, runs_to_join
from footfall.adapters.embedded.database import (
    each_row,
    give_back_pages,
    open_database,
    rows,
    run_for_each,
    transaction,
    translated,
)
from footfall.adapters.embedded.seen_ids import RECENT_MAX, SeenIds
from footfall.ports.errors import Corrupt, Unavailable
from footfall.ports.stream import READ_RECORDS_MAX, Appended, ClaimKnown, Entry, Mark, Record, require_fits
from footfall.values.clock import Clock

FORMAT = 2
READABLE = (1, FORMAT)  # The first had no table of ids that came last.
READ_BYTES_MAX = 1_500_000  # Compressed; keeps one read of a long backlog within some ten megabytes.
RESTS_MAX = 4  # Blocks of which a reader with a small limit has had a part: some megabyte each.

# group, weight, arrival, places of repeated ids, whether all of it is repeated, data
_Stored = tuple[str, int, int, tuple[int, ...], bool, bytes]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS block(
    shard INTEGER NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL, arrived_to_ms INTEGER NOT NULL,
    weights BLOB NOT NULL, body BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS block_order ON block(shard, last);
CREATE INDEX IF NOT EXISTS block_arrival ON block(shard, arrived_to_ms);
CREATE TABLE IF NOT EXISTS shard(
    shard INTEGER PRIMARY KEY, tip INTEGER NOT NULL, arrived_to_ms INTEGER NOT NULL, trimmed_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS appended(name TEXT PRIMARY KEY, weight INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mark(name BLOB PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID;
"""


class SqliteStream:
    """The stream of one machine."""

    def __init__(
        self,
        path: Path | str,
        *,
        clock: Clock,
        shards: int = 1,
        id_ms: int = 86_400_000,
        recent_ids_max: int = RECENT_MAX,
        read_only: bool = False,
    ) -> None:
        self._clock = clock
        self._compress = zstandard.ZstdCompressor(level=1, write_checksum=True)
        self._join = zstandard.ZstdCompressor(level=3, write_checksum=True)  # 6: a tenth less, thrice the time
        self._decompress = zstandard.ZstdDecompressor()
        self._pack = msgspec.msgpack.Encoder()
        self._unpack = msgspec.msgpack.Decoder(list[_Stored])
        with translated():
            self._db = open_database(path, durable=True, read_only=read_only)
            if not read_only:
                self._prepare(shards)
            self._require_format()
            self._shards = self._about("shards")
            self._ids = None if read_only else SeenIds(self._db, keep_ms=id_ms, recent_max=recent_ids_max)
            self._state = self._read_state()
        self._rests: dict[tuple[int, int], list[Record]] = {}  # by what they follow: a shard and a record

    @property
    def shards(self) -> int:
        """Return how many shards there are."""
        return self._shards

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        """Store the entries in one transaction that is on disk when this returns."""
        for entry in entries:
            require_fits(entry, shards=self._shards)
        try:
            with translated(self._db), transaction(self._db):
                done = self._append(entries)
        except BaseException:
            self._state = {}  # What was counted up in memory was rolled back on disk.
            if self._ids is not None:
                self._ids.take_back()
            raise
        if self._ids is not None:
            self._ids.keep()
        return done

    def read(self, shard: int, *, after: int, limit: int = READ_RECORDS_MAX) -> list[Record]:
        """Return records in order, whole blocks at a time up to the limits."""
        limit = min(limit, READ_RECORDS_MAX)
        found = list(self._rests.get((shard, after), ()))
        if len(found) < limit:
            found += self._from_blocks(shard, found[-1].sequence if found else after, limit - len(found))
        if len(found) > limit:
            self._keep_rest(shard, found[limit - 1].sequence, found[limit:])
        return found[:limit]

    def _from_blocks(self, shard: int, after: int, wanted: int) -> list[Record]:
        found: list[Record] = []
        size = 0
        sql = "SELECT first, last, weights, body, arrived_to_ms FROM block WHERE shard=? AND last>? ORDER BY last"
        with translated(self._db):
            for first, last, weights, body, arrived_to_ms in each_row(self._db, sql, (shard, after)):
                records = self._records(first, last, weights, body, arrived_to_ms)
                found.extend(records if first > after else [r for r in records if r.sequence > after])
                size += len(body)
                if len(found) >= wanted or size >= READ_BYTES_MAX:
                    break
        return found

    def _keep_rest(self, shard: int, after: int, rest: list[Record]) -> None:
        """Keep what a limit has cut off a block: it would have to be unpacked once more for whoever reads on."""
        self._rests[shard, after] = rest
        if len(self._rests) > RESTS_MAX:
            del self._rests[next(iter(self._rests))]

    def tip(self, shard: int) -> int:
        """Return the last sequence number given out."""
        with translated(self._db):
            return int(self._value("SELECT tip FROM shard WHERE shard=?", shard))

    def sequence_at(self, shard: int, *, arrived_at_ms: int) -> int:
        """Return the number before the first block that may hold the moment."""
        sql = "SELECT first FROM block WHERE shard=? AND arrived_to_ms>=? ORDER BY arrived_to_ms, last LIMIT 1"
        tip = self.tip(shard)  # Before the search: what arrives in between must not be passed over.
        with translated(self._db):
            found = rows(self._db, sql, (shard, arrived_at_ms))
        return int(found[0][0]) - 1 if found else tip

    def kept_since_ms(self) -> int:
        """Return the moment after the youngest trimmed record."""
        with translated(self._db):
            trimmed = int(self._value("SELECT max(trimmed_ms) FROM shard"))
        return trimmed + 1 if trimmed else 0

    def mark(self, name: bytes) -> int:
        """Return where the mark stands."""
        with translated(self._db):
            found = rows(self._db, "SELECT place FROM mark WHERE name=?", (name,))
        return int(found[0][0]) if found else 0

    def appended(self) -> Mapping[str, int]:
        """Return the weight ever appended for each group."""
        with translated(self._db):
            return {str(name): int(weight) for name, weight in rows(self._db, "SELECT name, weight FROM appended")}

    def trim(self, shard: int, *, through: int) -> None:
        """Delete the blocks that end at or before a sequence number."""
        self._rests.clear()
        with translated(self._db), transaction(self._db):
            last = "SELECT coalesce(max(arrived_to_ms), 0) FROM block WHERE shard=? AND last<=?"
            trimmed_ms = int(self._value(last, shard, through))
            if trimmed_ms:
                rows(self._db, "DELETE FROM block WHERE shard=? AND last<=?", (shard, through))
                rows(self._db, "UPDATE shard SET trimmed_ms=max(trimmed_ms, ?) WHERE shard=?", (trimmed_ms, shard))

    def oldest_end(self, shard: int) -> int:
        """Return the last sequence number of the shard's oldest block, which can only be trimmed whole; 0: none."""
        with translated(self._db):
            found = rows(self._db, "SELECT last FROM block WHERE shard=? ORDER BY last LIMIT 1", (shard,))
        return int(found[0][0]) if found else 0

    def join_blocks(self, shard: int, *, after: int, through: int, leave_from_ms: int | None = None) -> int:
        """Rewrite runs of small blocks as one each; return the sequence number to go on from, or 0 for the same.

        A run at the end that is not full yet is left as it is if it began at `leave_from_ms` or later.
        """
        sql = (
            "SELECT first, last, arrived_to_ms, CASE WHEN length(body)<? THEN substr(body, 1, ?) END FROM block"
            " WHERE shard=? AND last>? AND last<=? AND first>? ORDER BY last"
        )
        with translated(self._db):
            found = each_row(self._db, sql, (LARGE_BLOCK_BYTES, HEAD_BYTES, shard, after, through, after))
            runs, end = runs_to_join(found, leave_from_ms=leave_from_ms)
            found.close()
            if runs:
                with transaction(self._db):
                    for first, last in runs:
                        self._join_run(shard, first, last)
        return end

    def stored_bytes(self) -> int:
        """Return the size of the database file's used pages."""
        with translated(self._db):
            used = self._value("PRAGMA page_count") - self._value("PRAGMA freelist_count")
            return used * self._value("PRAGMA page_size")

    def give_back(self, pages: int = 2_000) -> None:
        """Return some free pages to the file system."""
        give_back_pages(self._db, pages_max=pages)

    def forget_ids(self) -> None:
        """Drop the ids that are too old to matter."""
        if self._ids is not None:
            with translated(self._db), transaction(self._db):
                self._ids.forget(self._clock.now_ms())

    def close(self) -> None:
        """Close the file."""
        with translated():
            self._db.close()

    def _append(self, entries: Sequence[Entry]) -> list[Appended]:
        done: list[Appended] = []
        blocks: dict[int, list[_Stored]] = {}
        now_ms = self._clock.now_ms()
        state = self._state or self._read_state()
        passed: dict[bytes, bool | None] = {}
        for entry in entries:
            if entry.mark is not None:
                if entry.mark.part == 0:
                    passed[entry.mark.name] = self._move(entry.mark)
                was_passed = passed[entry.mark.name]
                if was_passed is not None or not entry.data:
                    done.append(Appended(0, repeated=was_passed is not False))
                    continue
            repeats, repeated, refused = self._known(entry, now_ms)
            if refused:
                done.append(Appended(0))
                continue
            block = blocks.setdefault(entry.shard, [])
            block.append((entry.group, entry.weight, entry.arrived_at_ms, repeats, repeated, entry.data))
            done.append(Appended(state[entry.shard][0] + len(block), repeats, repeated))
        for shard, stored in blocks.items():
            state[shard] = self._store(shard, stored, state[shard])
        self._count(blocks)
        if self._ids is not None:
            self._ids.store(now_ms)
        self._state = state
        return done

    def _move(self, mark: Mark) -> bool | None:
        """Move a mark that stands where it should and return None, else whether it has come past."""
        place = self.mark(mark.name)
        if place != mark.begins:
            return place >= mark.ends
        upsert = "INSERT INTO mark VALUES(?,?) ON CONFLICT(name) DO UPDATE SET place=excluded.place"
        rows(self._db, upsert, (mark.name, mark.ends))
        return None

    def _known(self, entry: Entry, now_ms: int) -> tuple[tuple[int, ...], bool, bool]:
        if entry.claim is None and not entry.ids and not entry.shared:
            return (), False, False
        if self._ids is None:
            raise Unavailable("this stream was opened for reading")
        if entry.shared and not self._ids.are_new(entry.shared, now_ms):
            raise ClaimKnown("one of the claims that share an entry was made before")
        if entry.claim is not None:
            before = self._ids.claimed(entry.claim, now_ms)
            if before is not None:
                return (), before, not before
        return self._ids.repeats(entry.ids, now_ms), False, False

    def _store(self, shard: int, stored: list[_Stored], state: tuple[int, int]) -> tuple[int, int]:
        tip, arrived_to_ms = state
        first, last = tip + 1, tip + len(stored)
        arrived_to_ms = max(arrived_to_ms, max(record[2] for record in stored))
        body = self._compress.compress(self._pack.encode(stored))
        self._insert(shard, first, last, arrived_to_ms, self._pack.encode(_weights(stored)), body)
        rows(self._db, "UPDATE shard SET tip=?, arrived_to_ms=? WHERE shard=?", (last, arrived_to_ms, shard))
        return last, arrived_to_ms

    def _insert(self, shard: int, first: int, last: int, arrived_to_ms: int, weights: bytes, body: bytes) -> None:
        row = (shard, last, first, arrived_to_ms, weights, body)
        rows(self._db, "INSERT INTO block(shard, last, first, arrived_to_ms, weights, body) VALUES(?,?,?,?,?,?)", row)

    def _count(self, blocks: Mapping[int, list[_Stored]]) -> None:
        added = _weights([record for stored in blocks.values() for record in stored])
        upsert = "INSERT INTO appended VALUES(?,?) ON CONFLICT(name) DO UPDATE SET weight=weight+excluded.weight"
        run_for_each(self._db, upsert, list(added.items()))

    def _records(self, first: int, last: int, weights: bytes, body: bytes, arrived_to_ms: int) -> list[Record]:
        try:
            stored = self._stored(body)
        except Corrupt:
            return self._unreadable(last, weights, arrived_to_ms)
        return [
            Record(first + place, group, weight, data, arrived_at_ms, repeats, repeated)
            for place, (group, weight, arrived_at_ms, repeats, repeated, data) in enumerate(stored)
        ]

    def _stored(self, body: bytes) -> list[_Stored]:
        try:
            return self._unpack.decode(self._decompress.decompress(body))
        except (zstandard.ZstdError, msgspec.MsgspecError, MemoryError) as error:
            # A damaged length asks for more memory than there is.
            raise Corrupt("a block of the stream does not decode") from error

    def _unreadable(self, last: int, weights: bytes, arrived_to_ms: int) -> list[Record]:
        """Return one empty record per group, so that what was lost is still accounted for."""
        try:
            lost = msgspec.msgpack.decode(weights, type=dict[str, int])
        except msgspec.MsgspecError as error:
            raise Corrupt("a block of the stream does not decode, nor does the list of what it holds") from error
        return [
            Record(last - len(lost) + 1 + place, group, weight, b"", arrived_to_ms)
            for place, (group, weight) in enumerate(sorted(lost.items()))
        ]

    def _join_run(self, shard: int, first: int, last: int) -> None:
        """Join neighbours; one that does not decode stays as it is between them: it is evidence."""
        sql = "SELECT first, last, arrived_to_ms, body FROM block WHERE shard=? AND last BETWEEN ? AND ? ORDER BY last"
        joined: list[tuple[int, int, int]] = []
        stored: list[_Stored] = []
        for one_first, one_last, arrived_to_ms, body in rows(self._db, sql, (shard, first, last)):
            try:
                stored += self._stored(body)
            except Corrupt:
                self._replace(shard, joined, stored)
                joined, stored = [], []
            else:
                joined.append((one_first, one_last, arrived_to_ms))
        self._replace(shard, joined, stored)

    def _replace(self, shard: int, blocks: Sequence[tuple[int, int, int]], stored: list[_Stored]) -> None:
        """Put one block in the place of several (first, last, latest arrival)."""
        if len(blocks) > 1:
            first, (_, last, arrived_to_ms) = blocks[0][0], blocks[-1]
            body = self._join.compress(self._pack.encode(stored))
            rows(self._db, "DELETE FROM block WHERE shard=? AND last BETWEEN ? AND ?", (shard, first, last))
            self._insert(shard, first, last, arrived_to_ms, self._pack.encode(_weights(stored)), body)

    def _prepare(self, shards: int) -> None:
        with transaction(self._db):
            rows(self._db, _SCHEMA)
            rows(self._db, "INSERT OR IGNORE INTO about VALUES('format', ?), ('shards', ?)", (FORMAT, shards))
            empty = [(shard, 0, 0, 0) for shard in range(self._about("shards"))]
            run_for_each(self._db, "INSERT OR IGNORE INTO shard VALUES(?,?,?,?)", empty)
            self._require_format()  # Inside, so that a newer stream is left as it was found.
            rows(self._db, "UPDATE about SET value=? WHERE name='format'", (FORMAT,))

    def _require_format(self) -> None:
        found = self._about("format")
        if found not in READABLE:
            raise Unavailable(
                f"the stream has format {found}, this release reads formats up to {FORMAT}: use a newer one"
            )

    def _read_state(self) -> dict[int, tuple[int, int]]:
        found = rows(self._db, "SELECT shard, tip, arrived_to_ms FROM shard")
        return {int(shard): (int(tip), int(arrived)) for shard, tip, arrived in found}

    def _about(self, name: str) -> int:
        return int(self._value("SELECT value FROM about WHERE name=?", name))

    def _value(self, sql: str, *arguments: int | str) -> int:
        return int(rows(self._db, sql, arguments)[0][0])


def _weights(stored: Sequence[_Stored]) -> dict[str, int]:
    """Return the weight of each group."""
    sums: dict[str, int] = {}
    for record in stored:
        sums[record[0]] = sums.get(record[0], 0) + record[1]
    return sums
