"""Raw hits read from the archive: each once, in order, and what was archived since is found."""

from pathlib import Path

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.stream.archive import HOUR_MS, Archive
from footfall.flow.stream.raw import ArchiveRaw, StreamRaw
from footfall.ports.blobs import PAGE_NAMES_MAX, Page
from footfall.ports.stream import Entry, Record
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000


def record(sequence: int, *, brand: str = "abc", hour: int = 0) -> Record:
    return Record(sequence, brand, 1, b"hits %d" % sequence, NOON_MS + hour * HOUR_MS)


class Counted(FileBlobs):
    """Objects whose lists are counted."""

    lists = 0

    def page(self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_NAMES_MAX) -> Page:
        self.lists += 1
        return super().page(prefix, after=after, limit=limit)


@pytest.fixture
def blobs(tmp_path: Path) -> Counted:
    return Counted(tmp_path)


def test_a_shard_is_read_on_in_steps_and_a_brand_is_listed_once_for_all_shards(blobs: Counted) -> None:
    archive = Archive(blobs)
    for shard in range(3):
        archive.keep(shard, [record(n, hour=n // 10) for n in range(1, 31)])
    raw = ArchiveRaw(archive)
    for shard in range(3):
        assert raw.first("abc", shard, arrived_at_ms=NOON_MS + HOUR_MS + 5) == 9
        after, found = 9, list[int]()
        while len(found) < 21:
            found += [one.sequence for one in raw.read("abc", shard, after=after, limit=4)]
            after = found[-1]
        assert found == list(range(10, 31))
    assert blobs.lists == 1


def test_what_was_archived_since_the_list_was_made_is_found_at_its_end(blobs: Counted) -> None:
    archive, raw = Archive(blobs), ArchiveRaw(Archive(blobs))
    assert raw.first("abc", 0, arrived_at_ms=NOON_MS) == 0
    assert raw.read("abc", 0, after=0, limit=10) == []
    archive.keep(0, [record(1), record(2)])
    assert raw.read("abc", 0, after=0, limit=10) == [record(1), record(2)]
    archive.keep(0, [record(2), record(3)])
    assert raw.read("abc", 0, after=2, limit=10) == [record(3)]
    assert raw.read("abc", 0, after=0, limit=10) == [record(1), record(2), record(3)]
    assert raw.read("xyz", 0, after=0, limit=10) == []


def test_what_was_listed_is_not_listed_again_and_shards_that_lag_are_not_passed_over(tmp_path: Path) -> None:
    seen: list[str] = []

    class Seen(FileBlobs):
        def page(self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_NAMES_MAX) -> Page:
            page = super().page(prefix, after=after, limit=limit)
            seen.extend(one.name for one in page.blobs)
            return page

    archive, raw = Archive(FileBlobs(tmp_path)), ArchiveRaw(Archive(Seen(tmp_path)))
    archive.keep(0, [record(n, hour=n) for n in range(1, 101)])
    archive.keep(1, [record(1, hour=1)])
    assert [len(raw.read("abc", shard, after=0, limit=1_000)) for shard in (0, 1)] == [100, 1]
    archive.keep(0, [record(101, hour=101)])
    archive.keep(1, [record(2, hour=2)])  # It lags behind the other by days.
    seen.clear()
    assert [one.sequence for one in raw.read("abc", 0, after=100, limit=10)] == [101]
    assert len(seen) == 3
    assert [one.sequence for one in raw.read("abc", 1, after=1, limit=10)] == [2]
    seen.clear()
    archive.keep(0, [record(102, hour=101)])
    assert raw.record("abc", 0, 102) == record(102, hour=101)
    assert len(seen) == 3
    archive.forget("abc", before_ms=NOON_MS + 51 * HOUR_MS)
    assert raw.record("abc", 0, 103) is None
    assert raw.record("abc", 0, 50) is None  # Its object is gone, and known to be.


def test_one_record_is_found_also_when_it_was_archived_later(blobs: Counted) -> None:
    archive, raw = Archive(blobs), ArchiveRaw(Archive(blobs))
    archive.keep(0, [record(1), record(3)])
    assert raw.record("abc", 0, 3) == record(3)
    archive.keep(0, [record(4)])
    assert raw.record("abc", 0, 4) == record(4)
    assert (raw.record("abc", 0, 2), raw.record("abc", 1, 3)) == (None, None)
    archive.forget("abc", before_ms=NOON_MS + HOUR_MS)
    assert raw.kept_since_ms("abc") == NOON_MS + HOUR_MS


def test_a_stream_that_keeps_raw_hits_is_read_itself() -> None:
    stream = SqliteStream(":memory:", clock=SetClock(NOON_MS), shards=1)
    stream.append([Entry(0, "abc", 1, b"1", NOON_MS), Entry(0, "xyz", 1, b"2", NOON_MS)])
    raw = StreamRaw(stream)
    assert [one.group for one in raw.read("abc", 0, after=0, limit=5)] == ["abc", "xyz"]
    found = raw.record("abc", 0, 1)
    assert found is not None
    assert found.data == b"1"
    assert (raw.record("abc", 0, 2), raw.record("abc", 0, 3)) == (None, None)
    assert (raw.first("abc", 0, arrived_at_ms=NOON_MS + 1), raw.kept_since_ms("abc")) == (2, 0)
