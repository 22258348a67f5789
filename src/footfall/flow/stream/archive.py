"""The archive: raw hits as objects, where the stream itself is only transport and lets them go after a day.

An object holds what one shard read of one brand and one hour of arrival, under a name that says which records. It is
written before the checkpoint passes them; a flush that is repeated writes the same bytes under the same name, or a
longer run beside a shorter one, and reading gives each record once. docs/formats/archive.md draws it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import msgspec
import zstandard

from footfall.ports.blobs import Blobs, Listed
from footfall.ports.errors import Corrupt
from footfall.ports.stream import Claim, Record
from footfall.values.window import instant_text, moment_from_text

MAGIC = b"FFA"
VERSION = 1
HOUR_MS = 3_600_000
OBJECT_BYTES_MAX = 16_000_000  # of records, before compression: an object passes through memory whole
UNPACKED_BYTES_MAX = 64_000_000  # A damaged length must not ask for gigabytes.
LEVEL = 6  # Written once and kept for weeks.

_RAW, _SINCE = "raw", "raw-since"
_UNREADABLE = "@unreadable"  # In the place of a brand, and no brand can be called so.

_ID_BYTES = 16


class _Stored(msgspec.Struct, array_like=True, frozen=True):
    sequence: int
    weight: int
    arrived_at_ms: int
    data: bytes
    repeats: list[int]
    repeated: bool
    places: list[int]  # of the ids
    ids: bytes  # one after another
    claim: tuple[bytes, bytes, int] | None
    dead: str = ""


class _Content(msgspec.Struct, array_like=True, frozen=True):
    brand: str
    shard: int
    hour_ms: int
    records: list[_Stored]


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """An object of the archive: the first and the last record in it, its hour of arrival and its name."""

    first: int
    last: int
    hour_ms: int
    shard: int
    name: str


class Archive:
    """Raw hits in Blobs, by brand, hour of arrival and shard."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def keep(self, shard: int, records: Iterable[Record]) -> list[str]:
        """Store records of a shard that follow each other; return the names of the objects."""
        names: list[str] = []
        for (brand, hour_ms), run in _by_brand_and_hour(records).items():
            for part in _parts(run):
                content = _Content(brand, shard, hour_ms, [_stored(record) for record in part])
                names.append(_name(brand, hour_ms, shard, part))
                self._blobs.put(names[-1], _bytes_from(content))
        return names

    def keep_unreadable(self, place: str, sequence: int, data: bytes) -> str:
        """Store what the transport carried there and nobody can read, as it came; return the object's name."""
        name = f"{_RAW}/{_UNREADABLE}/{place}/{sequence}"
        self._blobs.put(name, data)
        return name

    def runs(self, brand: str, shard: int, *, from_ms: int, to_ms: int | None = None) -> list[Run]:
        """Return the objects with records of a shard that arrived in a range of whole hours, by their first record."""
        runs = [run for run in self._listed(brand, from_ms=from_ms, to_ms=to_ms) if run.shard == shard]
        return sorted(runs)

    def runs_by_shard(self, brand: str, *, from_ms: int) -> dict[int, list[Run]]:
        """Return the objects of every shard from an hour of arrival on, each shard's by their first record."""
        of_shard: dict[int, list[Run]] = {}
        for run in self._listed(brand, from_ms=from_ms, to_ms=None):
            of_shard.setdefault(run.shard, []).append(run)
        return {shard: sorted(runs) for shard, runs in of_shard.items()}

    def records(
        self, brand: str, shard: int, *, from_ms: int, to_ms: int | None = None, after: int = 0
    ) -> Iterator[Record]:
        """Yield a brand's records of a shard that follow a number and arrived in a range, each once, in their order."""
        runs = self.runs(brand, shard, from_ms=from_ms, to_ms=to_ms)
        for record in self.merged(runs, after=after, read=self.records_of):
            if record.arrived_at_ms >= from_ms and (to_ms is None or record.arrived_at_ms < to_ms):
                yield record

    def merged(self, runs: Sequence[Run], *, after: int, read: Callable[[Run], Sequence[Record]]) -> Iterator[Record]:
        """Yield the records of runs that follow a number, each once, in their order; few objects are open at once."""
        ahead: list[tuple[int, int, Record, Iterator[Record]]] = []  # the next record of each open run, by number
        opened = 0
        runs = [run for run in runs if run.last > after]
        last = after
        while opened < len(runs) or ahead:
            while opened < len(runs) and (not ahead or runs[opened].first <= ahead[0][0]):
                rest = iter(read(runs[opened]))
                heappush(ahead, (runs[opened].first, opened, next(rest), rest))
                opened += 1
            number, which, record, rest = heappop(ahead)
            if number > last:
                last = number
                yield record
            if (following := next(rest, None)) is not None:
                heappush(ahead, (following.sequence, which, following, rest))

    def record(self, brand: str, shard: int, sequence: int) -> Record | None:
        """Return one record; None when it is not in the archive, or not any more."""
        for run in self.runs(brand, shard, from_ms=0):
            if run.first <= sequence <= run.last:
                for record in self.records_of(run):
                    if record.sequence == sequence:
                        return record
        return None

    def forget(self, brand: str, *, before_ms: int) -> int:
        """Delete whole hours of arrival that ended before a moment; return how many objects went."""
        hour_ms = before_ms // HOUR_MS * HOUR_MS
        gone = list(self._listed(brand, from_ms=0, to_ms=hour_ms))
        if gone and hour_ms > self.kept_since_ms(brand):
            # Told before it is so: a re-count must never take what is left for all there was.
            self._blobs.put(f"{_SINCE}/{brand}", str(hour_ms).encode())
        for run in gone:
            self._blobs.delete(run.name)
        return len(gone)

    def kept_since_ms(self, brand: str) -> int:
        """Return the moment of arrival from which every record is still there; 0 when none was ever deleted."""
        found = self._blobs.get(f"{_SINCE}/{brand}")
        return 0 if found is None else int(found)

    def _listed(self, brand: str, *, from_ms: int, to_ms: int | None) -> Iterator[Run]:
        prefix = f"{_RAW}/{brand}/"
        after: str | None = prefix + instant_text(max(from_ms, 0) // HOUR_MS * HOUR_MS)
        while after is not None:
            page = self._blobs.page(prefix, after=after)
            for one in page.blobs:
                run = _run(one)
                if to_ms is not None and run.hour_ms >= to_ms:
                    return
                yield run
            after = page.after

    def records_of(self, run: Run) -> Sequence[Record]:
        """Return the records of one object; raise Corrupt when it is gone or damaged."""
        data = self._blobs.get(run.name)
        if data is None:
            raise Corrupt(f"{run.name} of the archive was listed and is gone; ask for a range that is still kept")
        content = _content_from(run.name, data)
        return [_record(content.brand, stored) for stored in content.records]


def _by_brand_and_hour(records: Iterable[Record]) -> dict[tuple[str, int], list[Record]]:
    runs: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        runs.setdefault((record.group, record.arrived_at_ms // HOUR_MS * HOUR_MS), []).append(record)
    return runs


def _parts(run: Sequence[Record]) -> Iterator[Sequence[Record]]:
    begin, size = 0, 0
    for place, record in enumerate(run):
        size += len(record.data) + len(record.ids) * (_ID_BYTES + 4) + 64
        if size > OBJECT_BYTES_MAX and place > begin:
            yield run[begin:place]
            begin, size = place, len(record.data)
    yield run[begin:]


def _name(brand: str, hour_ms: int, shard: int, part: Sequence[Record]) -> str:
    run = f"{part[0].sequence:020d}-{part[-1].sequence:020d}"
    return f"{_RAW}/{brand}/{instant_text(hour_ms)}/s{shard:02d}/{run}"


def _run(listed: Listed) -> Run:
    _, _, hour, shard, run = listed.name.split("/")
    first, _, last = run.partition("-")
    hour_ms = moment_from_text(hour, field="hour")
    return Run(int(first), int(last), hour_ms, int(shard.removeprefix("s")), listed.name)


def _stored(record: Record) -> _Stored:
    claim = record.claim
    return _Stored(
        record.sequence,
        record.weight,
        record.arrived_at_ms,
        record.data,
        list(record.repeats),
        record.repeated,
        [place for place, _ in record.ids],
        b"".join(id_ for _, id_ in record.ids),
        None if claim is None else (claim.key, claim.body, claim.part),
        record.dead,
    )


def _record(brand: str, stored: _Stored) -> Record:
    ids = stored.ids
    return Record(
        stored.sequence,
        brand,
        stored.weight,
        stored.data,
        stored.arrived_at_ms,
        repeats=tuple(stored.repeats),
        repeated=stored.repeated,
        ids=tuple((place, ids[n * _ID_BYTES : (n + 1) * _ID_BYTES]) for n, place in enumerate(stored.places)),
        claim=None if stored.claim is None else Claim(*stored.claim),
        dead=stored.dead,
    )


def _bytes_from(content: _Content) -> bytes:
    packed = msgspec.msgpack.encode(content)
    compressed = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(packed)
    return MAGIC + bytes([VERSION]) + compressed


def _content_from(name: str, data: bytes) -> _Content:
    if data[: len(MAGIC)] != MAGIC or len(data) <= len(MAGIC):
        raise Corrupt(f"{name} of the archive does not hold raw hits")
    if data[len(MAGIC)] != VERSION:
        raise Corrupt(f"{name} of the archive has format {data[len(MAGIC)]}, this release reads {VERSION}: upgrade")
    body = data[len(MAGIC) + 1 :]
    try:
        size = zstandard.frame_content_size(body)
        unpacked = zstandard.ZstdDecompressor().decompress(body) if 0 <= size <= UNPACKED_BYTES_MAX else b""
        return msgspec.msgpack.decode(unpacked, type=_Content)
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise Corrupt(f"{name} of the archive is damaged; restore the object from a copy") from error
