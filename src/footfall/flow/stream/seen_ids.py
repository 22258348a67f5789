"""Which ids a shard has seen, in packed blocks by hour: for grounds that cannot look ids up while they append.

Counting asks in the order of the records, and what it decides follows from the records alone: an id is a repeat when it
stood at an earlier position in the last 24 hours of arrival, counted in whole hours. Its position is stored with it, so
that a record that is read again is no repeat of itself. docs/formats/seen-ids.md draws a block.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

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
IDS_MAX = 4_000_000  # In memory, 16 bytes each. Beyond it the oldest are forgotten before their day is over.
RUN_IDS_MAX = 500_000  # An hour's ids lie in one sorted array until there are so many.
RUNS_APART_MAX = 8  # Arrays of the latest hour that wait to be joined: each flush brings one.

ID_BYTES = 16
_HEAD_BYTES = len(MAGIC) + 1 + 8  # magic, version, checksum

Position = tuple[int, int]  # sequence number, and place in the record

_ROW = np.dtype([("high", ">u8"), ("low", ">u8"), ("sequence", ">u8"), ("place", ">u2")])
_ID = np.dtype([("high", ">u8"), ("low", ">u8")])
_Numbers = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a record: places of repeated ids, whether all of it is one, or its key came with other hits."""

    repeats: tuple[int, ...] = ()
    repeated: bool = False
    is_key_reused: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """Ids in the order of their first halves."""

    high: _Numbers
    low: _Numbers

    def __len__(self) -> int:
        return len(self.high)

    def holds(self, high: _Numbers, low: _Numbers) -> "NDArray[np.bool_]":
        """Tell which of the ids are in it."""
        inside = np.minimum(np.searchsorted(self.high, high), len(self.high) - 1)
        is_near = self.high[inside] == high
        is_held = is_near & (self.low[inside] == low)
        for one in np.flatnonzero(is_near & ~is_held).tolist():  # Ids with the same first half lie beside each other.
            alike = self.low[self.high == high[one]]
            is_held[one] = bool(np.isin(low[one], alike))
        return is_held


class SeenIds:
    """The ids of one shard up to a checkpoint, and those seen since."""

    def __init__(self, *, ids_max: int = IDS_MAX) -> None:
        self._ids_max = ids_max
        self._runs: dict[int, list[_Run]] = {}  # by hour of arrival, the oldest first
        self._fresh: dict[int, dict[bytes, Position]] = {}  # the same, since the last blocks
        self._loose: set[int] = set()  # hours with arrays that were not joined yet
        self._stored = 0
        self.forgotten = 0  # ids that had to go before their day was over

    def load(self, hour: int, block: bytes, *, through: int) -> None:
        """Take in a stored block; what it holds beyond a checkpoint will be seen again."""
        rows = _rows_from(block)
        rows = rows[rows["sequence"] <= through]
        self._add(hour, _run_of(rows))

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Return of each record which of its ids are repeats, and remember the others."""
        ids = [_ids_of(record) for record in records]
        known = iter(self._known(records, ids))
        return [self._verdict(record, of, known) for record, of in zip(records, ids, strict=True)]

    def fresh_blocks(self, *, through: int) -> dict[int, list[bytes]]:
        """Return what was seen up to a record since the last call as blocks to be stored, by hour of arrival."""
        packed: dict[int, list[bytes]] = {}
        for hour, ids in list(self._fresh.items()):
            rows = _rows_of({id_: at for id_, at in ids.items() if at[0] <= through})
            if len(rows):
                packed[hour] = list(_blocks_from(rows))
                self._add(hour, _run_of(rows))
            self._fresh[hour] = {id_: at for id_, at in ids.items() if at[0] > through}
            if not self._fresh[hour]:
                del self._fresh[hour]
        return packed

    def forget(self, *, arrived_at_ms: int) -> None:
        """Let go of the hours that no record from a moment of arrival on can ask for."""
        first = first_hour(arrived_at_ms)
        for hour in [hour for hour in self._runs if hour < first]:
            self._stored -= sum(map(len, self._runs.pop(hour)))

    def __len__(self) -> int:
        return self._stored + sum(map(len, self._fresh.values()))

    def _verdict(self, record: Record, ids: Sequence[bytes], known: Iterator[bool]) -> Verdict:
        is_known = [next(known) for _ in ids]
        hour = record.arrived_at_ms // HOUR_MS
        if record.claim is not None:
            at = (record.sequence, CLAIM_PLACE)
            if not self._is_first(ids[1], at, hour, is_known=is_known[1]):
                return Verdict(repeated=True)
            if not self._is_first(ids[0], at, hour, is_known=is_known[0]):
                return Verdict(is_key_reused=True)
            is_known = is_known[2:]
        repeats = [
            place
            for (place, id_), before in zip(record.ids, is_known, strict=True)
            if not self._is_first(id_, (record.sequence, place), hour, is_known=before)
        ]
        return Verdict(repeats=tuple(repeats))

    def _is_first(self, id_: bytes, at: Position, hour: int, *, is_known: bool) -> bool:
        """Tell whether an id stands at no earlier position, and remember it if it is new."""
        if is_known:
            return False
        for seen, ids in self._fresh.items():
            before = ids.get(id_)
            if before is not None and seen >= hour - KEPT_HOURS:
                return at <= before
        self._fresh.setdefault(hour, {})[id_] = at
        return True

    def _known(self, records: Sequence[Record], ids: Sequence[Sequence[bytes]]) -> list[bool]:
        """Tell of the ids of all records, one after another, which stand in blocks."""
        found = np.zeros(sum(map(len, ids)), dtype=np.bool_)
        if not len(found) or not self._runs:
            return found.tolist()
        asked = np.frombuffer(b"".join(chain.from_iterable(ids)), dtype=_ID)
        hours = np.repeat([record.arrived_at_ms // HOUR_MS for record in records], [len(of) for of in ids])
        order = np.argsort(asked["high"].astype(np.uint64))  # Neighbours are searched for one after the other.
        high, low, hours = asked["high"][order].astype(np.uint64), asked["low"][order].astype(np.uint64), hours[order]
        for hour in self._runs:
            if hour + KEPT_HOURS >= hours.min():
                for run in self._joined(hour):
                    found[order] |= run.holds(high, low) & (hours <= hour + KEPT_HOURS)
        return found.tolist()

    def _add(self, hour: int, run: _Run) -> None:
        if not len(run):
            return
        if hour not in self._runs:
            self._runs = dict(sorted({**self._runs, hour: []}.items()))
        self._runs[hour].append(run)
        self._loose.add(hour)
        self._stored += len(run)
        while self._stored > self._ids_max:
            oldest = next(iter(self._runs))
            gone = self._runs[oldest].pop(0)
            self._stored -= len(gone)
            self.forgotten += len(gone)
            if not self._runs[oldest]:
                del self._runs[oldest]

    def _joined(self, hour: int) -> list[_Run]:
        """Return the arrays of an hour: one, unless it is the latest or has very many ids."""
        runs = self._runs[hour]
        if hour in self._loose and (len(runs) > RUNS_APART_MAX or hour != next(reversed(self._runs))):
            self._loose.discard(hour)
            joined: list[list[_Run]] = []
            size = RUN_IDS_MAX
            for run in runs:
                if size + len(run) > RUN_IDS_MAX:
                    joined.append([])
                    size = 0
                joined[-1].append(run)
                size += len(run)
            runs[:] = [_merged(of) for of in joined]
        return runs


def first_hour(arrived_at_ms: int) -> int:
    """Return the first hour that a record which arrived at a moment, or an hour before it, may ask for."""
    return arrived_at_ms // HOUR_MS - KEPT_HOURS - 1


def claim_ids(claim: Claim) -> tuple[bytes, bytes]:
    """Return the ids that a claim is kept under: of its key, and of the key with its body."""
    part = claim.part.to_bytes(4, "big")
    key = blake2b(claim.key + part, digest_size=ID_BYTES, person=b"key").digest()
    return key, blake2b(claim.key + part + claim.body, digest_size=ID_BYTES, person=b"act").digest()


def _ids_of(record: Record) -> list[bytes]:
    ids = [id_ for _, id_ in record.ids]
    return ids if record.claim is None else [*claim_ids(record.claim), *ids]


def _merged(runs: Sequence[_Run]) -> _Run:
    if len(runs) == 1:
        return runs[0]
    high, low = np.concatenate([run.high for run in runs]), np.concatenate([run.low for run in runs])
    order = np.argsort(high, kind="stable")  # Runs that are in order already are merged, not sorted.
    return _Run(high[order], low[order])


def _run_of(rows: "NDArray[np.void]") -> _Run:
    return _Run(rows["high"].astype(np.uint64), rows["low"].astype(np.uint64))


def _rows_of(ids: Mapping[bytes, Position]) -> "NDArray[np.void]":
    rows = np.empty(len(ids), dtype=_ROW)
    in_order = sorted(ids)
    named = np.frombuffer(b"".join(in_order), dtype=_ID)
    rows["high"], rows["low"] = named["high"], named["low"]
    rows["sequence"] = [ids[id_][0] for id_ in in_order]
    rows["place"] = [ids[id_][1] for id_ in in_order]
    return rows


def _blocks_from(rows: "NDArray[np.void]") -> Iterator[bytes]:
    for begin in range(0, len(rows), BLOCK_IDS_MAX):
        body = rows[begin : begin + BLOCK_IDS_MAX].tobytes()
        yield MAGIC + bytes([VERSION]) + xxhash.xxh3_64_digest(body) + body


def _rows_from(block: bytes) -> "NDArray[np.void]":
    body = block[_HEAD_BYTES:]
    if block[: len(MAGIC)] != MAGIC or block[len(MAGIC) : len(MAGIC) + 1] != bytes([VERSION]):
        raise Corrupt(f"a block of seen ids begins with {block[:4]!r}, this release reads {MAGIC + bytes([VERSION])!r}")
    if xxhash.xxh3_64_digest(body) != block[len(MAGIC) + 1 : _HEAD_BYTES] or len(body) % _ROW.itemsize:
        raise Corrupt("a block of seen ids is damaged; restore the store from a backup")
    return np.frombuffer(body, dtype=_ROW)
