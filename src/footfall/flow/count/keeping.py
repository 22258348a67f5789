"""What a shard keeps beside its counts, on a ground where the stream is only transport.

There the stream looks no ids up and lets raw hits go after a while. So the worker decides here, before it tallies,
what was seen before; and before its summaries and its checkpoint it archives what it has taken in, stores the ids that
are new, and asks the stream for the place from which the next reader goes on. All of it follows from the records and
the checkpoint alone, and every write may be repeated: whoever is killed, sleeps or runs beside another changes nothing.
"""

from collections.abc import Sequence

import xxhash
from msgspec import structs

from footfall.flow.store import keys
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.seen_ids import HOUR_MS, IDS_MAX, KEPT_HOURS, SeenIds, Verdict, first_hour
from footfall.ports.errors import Corrupt
from footfall.ports.stream import PlacedStream, Record
from footfall.ports.table import BATCH_ITEMS_MAX, Put, Table, everything
from footfall.values.clock import Clock
from footfall.values.window import DAY_MS

KEY_REUSED = "its Idempotency-Key came before with another body"
TAKEN_BYTES_MAX = 16_000_000  # Beyond it a flush does not wait: what was taken in lies in memory until it is archived.
BATCH_BYTES_MAX = 4_000_000  # One batch to DynamoDB holds 16 MB; a smaller one is repeated at less cost.
# Ids are kept for longer than they are asked for, because a shard that stood still asks late. Kinesis keeps records
# for a week here; whoever lets it keep them for longer may find repeats counted after such a standstill.
STANDSTILL_MS = 7 * DAY_MS

_RECORD_BYTES = 200  # What a record takes in memory beside its data, at least.


class Keeping:
    """Archive, ids and place of one shard."""

    def __init__(
        self,
        shard: int,
        stream: PlacedStream,
        table: Table,
        archive: Archive,
        *,
        clock: Clock,
        ids_max: int = IDS_MAX,
    ) -> None:
        self._shard = shard
        self._stream = stream
        self._table = table
        self._archive = archive
        self._clock = clock
        self._ids_max = ids_max
        self._through = 0
        self._arrived_at_ms = 0
        self._ids: SeenIds | None = None  # None: they have not been asked for
        self._taken: dict[int, Record] = {}  # by sequence number, in their order
        self._taken_bytes = 0

    @property
    def sees_tip(self) -> bool:
        """Tell whether the stream knows when there is nothing more to read."""
        return self._stream.sees_tip

    @property
    def is_full(self) -> bool:
        """Tell whether so much was taken in that it should be kept now."""
        return self._taken_bytes >= TAKEN_BYTES_MAX

    @property
    def forgotten_ids(self) -> int:
        """Return how many ids had to go from memory before their day was over."""
        return 0 if self._ids is None else self._ids.forgotten

    def resume(self, place: bytes, *, through: int, arrived_at_ms: int) -> None:
        """Go on from a checkpoint; what was taken in since is forgotten and will be read again."""
        self._stream.resume(self._shard, place)
        self._through = through
        self._arrived_at_ms = arrived_at_ms
        self._ids = None
        self._taken = {}
        self._taken_bytes = 0

    def settled(self, records: Sequence[Record]) -> list[Record]:
        """Return the records with what is known of their ids and claims, and take them in."""
        decided = list(records)
        asking = [place for place, record in enumerate(records) if record.ids or record.claim is not None]
        if asking:
            ids = self._ids = self._ids or self._loaded()
            verdicts = ids.verdicts([records[place] for place in asking])
            for place, verdict in zip(asking, verdicts, strict=True):
                decided[place] = _with(records[place], verdict)
        for record in decided:
            if record.sequence not in self._taken:
                self._taken_bytes += _size(record)
            self._taken[record.sequence] = record
        return decided

    def keep(self, through: int) -> bytes:
        """Archive what was taken in up to a record, store the ids that are new in it, and return the place to keep."""
        kept = [record for record in self._taken.values() if record.sequence <= through]
        self._archive.keep(self._shard, kept)
        if self._ids is not None:
            self._store(self._ids, through)
        for record in kept:
            del self._taken[record.sequence]
            self._taken_bytes -= _size(record)
            self._arrived_at_ms = max(self._arrived_at_ms, record.arrived_at_ms)
        self._through = max(self._through, through)
        if self._ids is not None:
            self._ids.forget(arrived_at_ms=self._arrived_at_ms)
        return self._stream.place(self._shard, through=through)

    def _store(self, ids: SeenIds, through: int) -> None:
        """Store blocks of the ids that are new: one for each flush and hour, however many ids there are."""
        expires_at_ms = self._clock.now_ms() + (KEPT_HOURS + 1) * HOUR_MS + STANDSTILL_MS
        batch: list[Put] = []
        for hour, blocks in ids.fresh_blocks(through=through).items():
            for block in blocks:
                checksum = xxhash.xxh3_64_hexdigest(block)
                key = keys.ids_block(self._shard, hour * HOUR_MS, through=through, checksum=checksum)
                batch.append(Put(key, {"ids": block}, expires_at_ms=expires_at_ms))
                if len(batch) == BATCH_ITEMS_MAX or len(batch) * len(block) >= BATCH_BYTES_MAX:
                    self._table.write(batch)
                    batch = []
        if batch:
            self._table.write(batch)

    def _loaded(self) -> SeenIds:
        """Return the ids as of the checkpoint, of the hours that may still be asked for."""
        ids = SeenIds(ids_max=self._ids_max)
        first = max(first_hour(self._arrived_at_ms), 0)
        partition = keys.ids_partition(self._shard)
        for found in everything(self._table, partition, at_least=keys.ids_from(first * HOUR_MS)):
            block = found.item.get("ids")
            if not isinstance(block, bytes):
                raise Corrupt(f"{found.key.sort} of {partition} holds no ids; restore the store from a backup")
            ids.load(keys.hour_of_ids(found.key) // HOUR_MS, block, through=self._through)
        return ids


def _with(record: Record, verdict: Verdict) -> Record:
    if verdict.is_key_reused:
        return structs.replace(record, dead=KEY_REUSED)
    if verdict.repeated or verdict.repeats:
        return structs.replace(record, repeats=verdict.repeats, repeated=verdict.repeated)
    return record


def _size(record: Record) -> int:
    return _RECORD_BYTES + len(record.data) + 100 * len(record.ids)
