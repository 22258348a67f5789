"""Which ids a shard has seen, in packed blocks by hour: for grounds that cannot look ids up while they append.

Counting asks in the order of the records, and what it decides follows from the records alone: an id is a repeat when it
stood at an earlier position in the last 24 hours of arrival, counted in whole hours. Its position is kept with it, so
that a record that is read again is no repeat of itself. docs/formats/seen-ids.md draws a block.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import xxhash
from numpy.typing import NDArray

from footfall.ports.errors import Corrupt
from footfall.ports.stream import Claim, Record

MAGIC = b"FFI"
VERSION = 1
HOUR_MS = 3_600_000
KEPT_HOURS = 24
BLOCK_IDS_MAX = 12_000  # 26 bytes each: some 312,000, within what one item of a table holds.
CLAIM_PLACE = 65_535  # Where a claim stands in its record: after every hit.

_ID_BYTES = 16
_HEAD_BYTES = len(MAGIC) + 1 + 8  # magic, version, checksum

Position = tuple[int, int]  # sequence number, and place in the record

_ROW = np.dtype([("high", ">u8"), ("low", ">u8"), ("sequence", ">u8"), ("place", ">u2")])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a record: places of repeated ids, whether all of it is one, or its key came with other hits."""

    repeats: tuple[int, ...] = ()
    repeated: bool = False
    is_key_reused: bool = False


class SeenIds:
    """The ids of one shard, some in blocks that were stored, some seen since."""

    def __init__(self, stored: Mapping[int, Sequence[bytes]] | None = None) -> None:
        self._blocks = {hour: [_rows_from(one) for one in blocks] for hour, blocks in (stored or {}).items()}
        self._fresh: dict[int, dict[bytes, Position]] = {}  # by hour of arrival

    def verdict(self, record: Record) -> Verdict:
        """Return which ids of a record are repeats, and remember the others."""
        hour = record.arrived_at_ms // HOUR_MS
        if record.claim is not None:
            key, act = claim_ids(record.claim)
            at = (record.sequence, CLAIM_PLACE)
            if not self._is_first(act, at, hour):
                return Verdict(repeated=True)
            if not self._is_first(key, at, hour):
                return Verdict(is_key_reused=True)
        places = [place for place, id_ in record.ids if not self._is_first(id_, (record.sequence, place), hour)]
        return Verdict(repeats=tuple(places))

    def fresh_blocks(self) -> dict[int, list[bytes]]:
        """Return what was seen since the last call as blocks to be stored, by hour of arrival."""
        packed: dict[int, list[bytes]] = {}
        for hour, ids in self._fresh.items():
            packed[hour] = list(_blocks_from(ids))
            self._blocks.setdefault(hour, []).extend(_rows_from(one) for one in packed[hour])
        self._fresh = {}
        return packed

    def forget(self, *, arrived_at_ms: int) -> None:
        """Let go of the hours that no record from a moment of arrival on can ask for."""
        first = arrived_at_ms // HOUR_MS - KEPT_HOURS
        for hour in [hour for hour in self._blocks if hour < first]:
            del self._blocks[hour]

    def __len__(self) -> int:
        stored = sum(len(rows) for blocks in self._blocks.values() for rows in blocks)
        return stored + sum(map(len, self._fresh.values()))

    def _is_first(self, id_: bytes, at: Position, hour: int) -> bool:
        """Tell whether an id stands at no earlier position, and remember it if it is new."""
        before = self._first_position(id_, hour)
        if before is None:
            self._fresh.setdefault(hour, {})[id_] = at
            return True
        return at <= before

    def _first_position(self, id_: bytes, hour: int) -> Position | None:
        first = hour - KEPT_HOURS
        found = [ids[id_] for seen, ids in self._fresh.items() if seen >= first and id_ in ids]
        for seen, blocks in self._blocks.items():
            if seen >= first:
                found.extend(at for rows in blocks if (at := _position(rows, id_)) is not None)
        return min(found, default=None)


def claim_ids(claim: Claim) -> tuple[bytes, bytes]:
    """Return the ids that a claim is kept under: of its key, and of the key with its body."""
    part = claim.part.to_bytes(4, "big")
    key = blake2b(claim.key + part, digest_size=_ID_BYTES, person=b"key").digest()
    return key, blake2b(claim.key + part + claim.body, digest_size=_ID_BYTES, person=b"act").digest()


def _blocks_from(ids: Mapping[bytes, Position]) -> Iterator[bytes]:
    in_order = sorted(ids.items())
    for begin in range(0, len(in_order), BLOCK_IDS_MAX):
        rows = np.array(
            [
                (int.from_bytes(id_[:8], "big"), int.from_bytes(id_[8:], "big"), *at)
                for id_, at in in_order[begin : begin + BLOCK_IDS_MAX]
            ],
            dtype=_ROW,
        )
        body = rows.tobytes()
        yield MAGIC + bytes([VERSION]) + xxhash.xxh3_64_digest(body) + body


def _rows_from(block: bytes) -> "NDArray[np.void]":
    body = block[_HEAD_BYTES:]
    if block[: len(MAGIC)] != MAGIC or block[len(MAGIC) : len(MAGIC) + 1] != bytes([VERSION]):
        raise Corrupt(f"a block of seen ids begins with {block[:4]!r}, this release reads {MAGIC + bytes([VERSION])!r}")
    if xxhash.xxh3_64_digest(body) != block[len(MAGIC) + 1 : _HEAD_BYTES] or len(body) % _ROW.itemsize:
        raise Corrupt("a block of seen ids is damaged; restore the store from a backup")
    return np.frombuffer(body, dtype=_ROW)


def _position(rows: "NDArray[np.void]", id_: bytes) -> Position | None:
    high, low = int.from_bytes(id_[:8], "big"), int.from_bytes(id_[8:], "big")
    at = int(np.searchsorted(rows["high"], np.uint64(high)))
    while at < len(rows) and int(rows["high"][at]) == high:
        if int(rows["low"][at]) == low:
            return int(rows["sequence"][at]), int(rows["place"][at])
        at += 1
    return None
