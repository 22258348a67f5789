"""Open sessions of players as a shard's worker keeps them beside its checkpoint: all at once, and what changed since.

A head names the pieces that hold: those of a snapshot, and those of each flush after it. Pieces come before the head,
and the head comes on the condition that it is the one that was read; so a worker that is killed in between has changed
nothing, and of two that count the same shard one finds out. docs/formats/store.md draws it.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import xxhash

from footfall.flow.store import keys
from footfall.ports.errors import Corrupt
from footfall.ports.table import BATCH_ITEMS_MAX, Absent, Delete, Equals, Item, Key, Put, Table, Value, everything

PIECE_BYTES_MAX = 300_000
AT_ONCE = 1_000  # Sessions that are packed together; some 150 bytes each before they are compressed.
DELTAS_MAX = 100
DELTA_BYTES_MIN = 64_000  # Fewer bytes are not worth a snapshot.

_SNAPSHOT, _DELTA = "p", "d"
Piece = tuple[str, int, str, int]  # kind, through, checksum, number
_crowded = msgspec.msgpack.Decoder(list[tuple[int, int]])


@dataclass(slots=True)
class SessionsHead:
    """Which pieces hold, up to which record, and when sessions were last looked through."""

    through: int = 0
    swept_at_ms: int = 0
    cleared_at_ms: int = 0  # when room was last made for more sessions
    open: int = 0  # sessions
    crowded: bytes = b""  # the records of the last flush with beats that found no room, and how many each had
    snapshot: list[Piece] = field(default_factory=list[Piece])
    deltas: list[Piece] = field(default_factory=list[Piece])
    snapshot_bytes: int = 0
    delta_bytes: int = 0

    @property
    def wants_snapshot(self) -> bool:
        """Tell whether changes have outgrown what they are changes of."""
        return self.delta_bytes > max(DELTA_BYTES_MIN, self.snapshot_bytes) or len(self.deltas) > DELTAS_MAX


@dataclass(frozen=True, slots=True)
class StoredSessions:
    """What a shard has stored: its head (None: none yet), and the changes in their order, from the snapshot on."""

    head: SessionsHead | None
    packs: Sequence[bytes]
    orphans: Sequence[Key]  # pieces that no head names any more


def load_sessions(table: Table, shard: int) -> StoredSessions:
    """Return what a shard knows of open sessions."""
    found = {one.key: one.item for one in everything(table, keys.sessions_partition(shard))}
    item = found.pop(keys.sessions_head(shard), None)
    if item is None:
        return StoredSessions(None, (), ())
    head = _head_from(item)
    named = [_key(shard, piece) for piece in (*head.snapshot, *head.deltas)]
    packs: list[bytes] = []
    for key in named:
        data = found.pop(key, {}).get("sessions")
        if not isinstance(data, bytes):
            raise Corrupt(f"{key.partition} {key.sort} is missing or damaged; restore the store from a backup")
        packs.append(zlib.decompress(data))
    orphans = [key for key in found if keys.through_of_sessions(key) <= head.through]
    return StoredSessions(head, packs, orphans)


def load_head(table: Table, shard: int) -> SessionsHead | None:
    """Return the head alone: how many sessions are open, and when they were last looked through."""
    item = table.get(keys.sessions_head(shard))
    return None if item is None else _head_from(item)


def save_sessions(table: Table, shard: int, head: SessionsHead, packs: Iterable[bytes], *, whole: bool) -> SessionsHead:
    """Write packs of sessions, all there are or those that changed, and return the head that names them."""
    kind = _SNAPSHOT if whole else _DELTA
    pieces: list[Piece] = []
    size = 0
    for n, pack in enumerate(packs):
        data = zlib.compress(pack, 1)
        piece = (kind, head.through, xxhash.xxh3_64_hexdigest(data), n)
        table.put(Put(_key(shard, piece), {"sessions": data}))
        pieces.append(piece)
        size += len(data)
    if whole:
        return replace(head, snapshot=pieces, deltas=[], snapshot_bytes=size, delta_bytes=0)
    return replace(head, deltas=[*head.deltas, *pieces], delta_bytes=head.delta_bytes + size)


def crowded_pack(records: Mapping[int, int]) -> bytes:
    """Return what a head keeps of records with beats that found no room: with it they are counted again alike."""
    return zlib.compress(msgspec.msgpack.encode(list(records.items())), 1) if records else b""


def crowded_from(data: bytes) -> dict[int, int]:
    """Return how many beats of which records found no room."""
    return dict(_crowded.decode(zlib.decompress(data))) if data else {}


def save_head(table: Table, shard: int, head: SessionsHead, *, replaces: int | None) -> None:
    """Write the head in the place of the one with the record `replaces`, or raise Changed."""
    condition = Absent() if replaces is None else Equals("through", replaces)
    item: dict[str, Value] = {
        "through": head.through,
        "swept_at_ms": head.swept_at_ms,
        "cleared_at_ms": head.cleared_at_ms,
        "open": head.open,
        "crowded": head.crowded,
        "snapshot": [list(piece) for piece in head.snapshot],
        "deltas": [list(piece) for piece in head.deltas],
        "snapshot_bytes": head.snapshot_bytes,
        "delta_bytes": head.delta_bytes,
    }
    table.put(Put(keys.sessions_head(shard), item, expects=(condition,)))


def forget_pieces(table: Table, shard: int, before: SessionsHead) -> None:
    """Remove the pieces that a head named which was replaced by one with a snapshot of its own."""
    forget_keys(table, [_key(shard, piece) for piece in (*before.snapshot, *before.deltas)])


def forget_keys(table: Table, old: Sequence[Key]) -> None:
    """Remove pieces that nobody reads any more."""
    for start in range(0, len(old), BATCH_ITEMS_MAX):
        table.write([Delete(key) for key in old[start : start + BATCH_ITEMS_MAX]])


def packed(sessions: Sequence[object], gone: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    """Yield packs of sessions, and of the names of those that are over, none larger than an item holds."""
    for start in range(0, len(sessions), AT_ONCE):
        yield from _halves(sessions[start : start + AT_ONCE])
    for start in range(0, len(gone), AT_ONCE):
        yield msgspec.msgpack.encode(((), gone[start : start + AT_ONCE]))


def _halves(sessions: Sequence[object]) -> Iterator[bytes]:
    data = msgspec.msgpack.encode((sessions, ()))
    if len(data) <= PIECE_BYTES_MAX or len(sessions) == 1:
        yield data
        return
    half = len(sessions) // 2
    yield from _halves(sessions[:half])
    yield from _halves(sessions[half:])


def _key(shard: int, piece: Piece) -> Key:
    kind, through, checksum, n = piece
    return keys.sessions_piece(shard, kind=kind, through=through, checksum=checksum, n=n)


def _head_from(item: Item) -> SessionsHead:
    try:
        return msgspec.convert(item, SessionsHead)
    except msgspec.ValidationError as error:
        raise Corrupt(f"the head of a shard's sessions cannot be read: {error}; restore the store") from error
