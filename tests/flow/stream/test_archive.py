"""The archive: what was kept is read back once and in order, whatever was written twice, and damage is noticed."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.flow.stream import archive as archiving
from footfall.flow.stream.archive import HOUR_MS, Archive
from footfall.ports.blobs import everything
from footfall.ports.errors import Corrupt
from footfall.ports.stream import Claim, Record

NOON_MS = 1_794_744_000_000


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path)


def record(sequence: int, *, brand: str = "abc", at_ms: int = NOON_MS) -> Record:
    return Record(sequence, brand, sequence, b"hits %d" % sequence, at_ms)


def test_what_was_kept_is_read_back_as_it_was(blobs: FileBlobs) -> None:
    full = Record(7, "abc", 3, b"\0data", NOON_MS, (1, 2), True, ((0, b"i" * 16), (2, b"j" * 16)), Claim(b"k", b"b", 4))
    Archive(blobs).keep(3, [record(5), full])
    assert list(Archive(blobs).records("abc", 3, from_ms=0)) == [record(5), full]
    assert list(Archive(blobs).records("abc", 2, from_ms=0)) == []
    assert list(Archive(blobs).records("ab", 3, from_ms=0)) == []


def test_an_objects_name_says_brand_hour_shard_and_records(blobs: FileBlobs) -> None:
    names = Archive(blobs).keep(3, [record(5), record(6, brand="xyz"), record(7), record(8, at_ms=NOON_MS + HOUR_MS)])
    assert names == [
        "raw/abc/2026-11-15T12:00Z/s03/00000000000000000005-00000000000000000007",
        "raw/xyz/2026-11-15T12:00Z/s03/00000000000000000006-00000000000000000006",
        "raw/abc/2026-11-15T13:00Z/s03/00000000000000000008-00000000000000000008",
    ]
    assert [one.name for one in everything(blobs)] == sorted(names)


FLUSHES = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 9)), min_size=1, max_size=8)
HOURS = st.lists(st.integers(0, 5), min_size=40, max_size=40)


@given(flushes=FLUSHES, hours=HOURS, after=st.integers(0, 40), begin=st.integers(0, 5), end=st.integers(0, 6))
@settings(max_examples=25)
def test_flushes_that_overlap_are_read_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory,
    flushes: list[tuple[int, int]],
    hours: list[int],
    after: int,
    begin: int,
    end: int,
) -> None:
    archive = Archive(FileBlobs(tmp_path_factory.mktemp("archive")))
    every = [record(n, brand=f"b{n % 2}", at_ms=NOON_MS + hours[n % 40] * HOUR_MS + n) for n in range(1, 41)]
    through = 0
    for back, length in flushes:
        start = max(through - back, 0)  # A flush that failed is made again, longer or shorter.
        archive.keep(0, every[start : start + length])
        through = max(through, min(start + length, 40))
    from_ms, to_ms = NOON_MS + begin * HOUR_MS, NOON_MS + end * HOUR_MS
    for brand in ("b0", "b1"):
        kept = [one for one in every[:through] if one.group == brand and one.sequence > after]
        assert list(archive.records(brand, 0, from_ms=0, after=after)) == kept
        expected = [one for one in kept if from_ms <= one.arrived_at_ms < to_ms]
        assert list(archive.records(brand, 0, from_ms=from_ms, to_ms=to_ms, after=after)) == expected


def test_keeping_again_changes_no_byte(blobs: FileBlobs) -> None:
    records = [record(n) for n in range(1, 50)]
    (name,) = Archive(blobs).keep(0, records)
    before = blobs.get(name)
    assert Archive(blobs).keep(0, records) == [name]
    assert blobs.get(name) == before


def test_much_at_once_is_kept_in_several_objects(blobs: FileBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving, "OBJECT_BYTES_MAX", 1_000)
    records = [record(n) for n in range(1, 101)]
    assert len(Archive(blobs).keep(0, records)) > 5
    assert list(Archive(blobs).records("abc", 0, from_ms=0)) == records


def test_one_record_is_found_by_its_number(blobs: FileBlobs) -> None:
    archive = Archive(blobs)
    archive.keep(0, [record(1), record(3)])
    archive.keep(0, [record(4, at_ms=NOON_MS + 9 * HOUR_MS)])
    assert [archive.record("abc", 0, n) for n in (1, 2, 3, 4, 5)] == [
        record(1),
        None,
        record(3),
        record(4, at_ms=NOON_MS + 9 * HOUR_MS),
        None,
    ]


def test_old_hours_are_forgotten_and_it_is_told_since_when_all_is_kept(blobs: FileBlobs) -> None:
    archive = Archive(blobs)
    for hour in range(4):
        archive.keep(0, [record(hour + 1, at_ms=NOON_MS + hour * HOUR_MS)])
    archive.keep(0, [record(9, brand="xyz")])
    assert archive.kept_since_ms("abc") == 0
    assert archive.forget("abc", before_ms=NOON_MS + 2 * HOUR_MS + 5) == 2
    assert [one.sequence for one in archive.records("abc", 0, from_ms=0)] == [3, 4]
    assert (archive.kept_since_ms("abc"), archive.kept_since_ms("xyz")) == (NOON_MS + 2 * HOUR_MS, 0)
    assert archive.forget("abc", before_ms=NOON_MS) == 0
    assert archive.kept_since_ms("abc") == NOON_MS + 2 * HOUR_MS


def test_damage_at_any_byte_is_noticed_or_harmless(blobs: FileBlobs) -> None:
    records = [record(1), record(2)]
    (name,) = Archive(blobs).keep(0, records)
    whole = blobs.get(name)
    assert whole is not None
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        blobs.put(name, bytes(damaged))
        with suppress(Corrupt):
            assert list(Archive(blobs).records("abc", 0, from_ms=0)) == records
    blobs.put(name, whole[:-1])
    with pytest.raises(Corrupt, match=name):
        list(Archive(blobs).records("abc", 0, from_ms=0))


def test_an_object_of_the_first_format_is_read(blobs: FileBlobs) -> None:
    name = "raw/abc/2026-11-15T12:00Z/s00/00000000000000000001-00000000000000000001"
    blobs.put(
        name,
        bytes.fromhex(
            "4646410128b52ffd242a51010094a361626300cf000001a1df141e0091990101cf000001a1df141e00c40668697473203190c290c400c075d07712"
        ),
    )
    assert list(Archive(blobs).records("abc", 0, from_ms=0)) == [record(1)]
