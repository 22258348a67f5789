"""Raw hits, wherever they are kept: in the stream itself, or in the archive where the stream is only transport."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from footfall.flow.stream.archive import HOUR_MS, Archive, Run
from footfall.ports.stream import Record, Stream

LISTS_MAX = 4  # Lists of a brand's objects that are kept: some 200 bytes an object.
OVERLAP_MS = HOUR_MS  # A shard archives in the order of arrival, but for the clocks of those at which hits arrive.
OBJECTS_MAX = 4  # Objects that are kept unpacked: records that are asked for one by one often lie near each other.


class RawHits(Protocol):
    """What counting again, replays and releases read."""

    def first(self, brand: str, shard: int, *, arrived_at_ms: int) -> int:
        """Return a sequence number below every record of the brand that arrived at or after the moment."""
        ...

    def read(self, brand: str, shard: int, *, after: int, limit: int) -> list[Record]:
        """Return records that follow a number, all of the brand's among them; none only at the end."""
        ...

    def record(self, brand: str, shard: int, sequence: int) -> Record | None:
        """Return one record of the brand; None when it is not kept any more."""
        ...

    def kept_since_ms(self, brand: str) -> int:
        """Return the moment of arrival from which every record of the brand is there; 0 when all are."""
        ...


class StreamRaw:
    """Raw hits in a stream that keeps them."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def first(self, brand: str, shard: int, *, arrived_at_ms: int) -> int:
        """Return a number below every record from a moment on."""
        del brand
        return self._stream.sequence_at(shard, arrived_at_ms=arrived_at_ms)

    def read(self, brand: str, shard: int, *, after: int, limit: int) -> list[Record]:
        """Return what follows, other brands' records too."""
        del brand
        return self._stream.read(shard, after=after, limit=limit)

    def record(self, brand: str, shard: int, sequence: int) -> Record | None:
        """Return one record."""
        found = self._stream.read(shard, after=sequence - 1, limit=1)
        return found[0] if found and (found[0].sequence, found[0].group) == (sequence, brand) else None

    def kept_since_ms(self, brand: str) -> int:
        """Return the moment from which every record is still there."""
        del brand
        return self._stream.kept_since_ms()


@dataclass(slots=True)
class _List:
    """A brand's objects by shard, and from which hours on they were listed again since the first time."""

    runs: dict[int, list[Run]]
    again: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class _Reading:
    """A shard that is being read: after which record it stands, what it knew when it began, and what follows."""

    after: int
    listed: _List
    again: int  # how often that was listed again by then
    next_ms: int  # the hour from which objects of the shard may have come since
    records: Iterator[Record]


class ArchiveRaw:
    """Raw hits in the archive.

    A brand's objects are listed once for all shards. When a shard has been read to its end, what follows its last hour
    is listed and added, unless another shard has had that done meanwhile.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._from_ms: dict[tuple[str, int], int] = {}
        self._lists: OrderedDict[tuple[str, int], _List] = OrderedDict()  # by brand and first hour
        self._readings: dict[tuple[str, int], _Reading] = {}
        self._objects: OrderedDict[str, Sequence[Record]] = OrderedDict()

    def first(self, brand: str, shard: int, *, arrived_at_ms: int) -> int:
        """Return a number below every record from a moment on, where the next reads of the shard begin."""
        from_ms = max(arrived_at_ms, 0) // HOUR_MS * HOUR_MS
        self._from_ms[brand, shard] = from_ms
        self._readings.pop((brand, shard), None)
        runs = self._listed(brand, from_ms).runs.get(shard, [])
        return min((run.first for run in runs), default=1) - 1

    def read(self, brand: str, shard: int, *, after: int, limit: int) -> list[Record]:
        """Return what follows of the brand, among the hours that `first` was asked for."""
        reading = self._readings.get((brand, shard))
        if reading is None or reading.after != after:
            reading = self._begin(brand, shard, after)
        found = _some(reading.records, limit)
        if not found:
            listed = self._listed(brand, self._from_ms.get((brand, shard), 0))
            is_new = listed is not reading.listed
            if not is_new and all(since_ms > reading.next_ms for since_ms in listed.again[reading.again :]):
                self._list_again(brand, listed, reading.next_ms)
            reading = self._begin(brand, shard, after)
            found = _some(reading.records, limit)
        reading.after = found[-1].sequence if found else after
        return found

    def record(self, brand: str, shard: int, sequence: int) -> Record | None:
        """Return one record."""
        listed = self._listed(brand, 0)
        found = self._found(listed, shard, sequence)
        if found is None:
            self._list_again(brand, listed, _next_ms(listed, shard, from_ms=0))
            found = self._found(listed, shard, sequence)
        return found

    def kept_since_ms(self, brand: str) -> int:
        """Return the moment from which every record is still there."""
        return self._archive.kept_since_ms(brand)

    def _begin(self, brand: str, shard: int, after: int) -> _Reading:
        from_ms = self._from_ms.get((brand, shard), 0)
        listed = self._listed(brand, from_ms)
        records = self._archive.merged(listed.runs.get(shard, []), after=after, read=self._records_of)
        next_ms = _next_ms(listed, shard, from_ms=from_ms)
        self._readings[brand, shard] = _Reading(after, listed, len(listed.again), next_ms, records)
        return self._readings[brand, shard]

    def _found(self, listed: _List, shard: int, sequence: int) -> Record | None:
        for run in listed.runs.get(shard, []):
            if run.first <= sequence <= run.last:
                for record in self._records_of(run):
                    if record.sequence == sequence:
                        return record
        return None

    def _list_again(self, brand: str, listed: _List, since_ms: int) -> None:
        """Add the objects that have come from an hour on, and leave out those whose time is over."""
        kept_ms = self._archive.kept_since_ms(brand)
        found = self._archive.runs_by_shard(brand, from_ms=since_ms)
        for shard in {*listed.runs, *found}:
            runs = {*listed.runs.get(shard, []), *found.get(shard, [])}
            listed.runs[shard] = sorted(run for run in runs if run.hour_ms >= kept_ms)
        listed.again.append(since_ms)

    def _listed(self, brand: str, from_ms: int) -> _List:
        key = (brand, from_ms)
        if key not in self._lists:
            self._lists[key] = _List(self._archive.runs_by_shard(brand, from_ms=from_ms))
            if len(self._lists) > LISTS_MAX:
                self._lists.popitem(last=False)
        return self._lists[key]

    def _records_of(self, run: Run) -> Sequence[Record]:
        if run.name not in self._objects:
            self._objects[run.name] = self._archive.records_of(run)
            if len(self._objects) > OBJECTS_MAX:
                self._objects.popitem(last=False)
        self._objects.move_to_end(run.name)
        return self._objects[run.name]


def _next_ms(listed: _List, shard: int, *, from_ms: int) -> int:
    """Return the hour from which a shard may have archived more than is listed."""
    last_ms = max((run.hour_ms for run in listed.runs.get(shard, [])), default=0)
    return max(from_ms, last_ms - OVERLAP_MS)


def _some(records: Iterator[Record], limit: int) -> list[Record]:
    found: list[Record] = []
    for record in records:
        found.append(record)
        if len(found) == limit:
            break
    return found
