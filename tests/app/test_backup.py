"""A backup holds one moment of a directory, and is there whole or not at all."""

import subprocess
from contextlib import closing
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from footfall import __version__
from footfall.app import wiring
from footfall.app.archive_opening import ARCHIVE_FILE, ARCHIVE_FOLDER, open_archive
from footfall.app.backup import (
    AlreadyThere,
    CannotWriteBackup,
    NoRoomForBackup,
    NothingToBackUp,
    Source,
    back_up,
    back_up_to_file,
)
from footfall.app.backup_file import FORMAT, BackupDamaged, Content, Manifest, write_backup
from footfall.app.restore import restore
from footfall.app.wiring import SALTS_FILE
from footfall.archive import finding
from footfall.archive.references import PREFIX
from footfall.ports.blobs import everything
from footfall.values.clock import SetClock
from tests.app.directories import NOON_MS, contents, make_directory, record_of
from tests.archive.archive_world import World

CLOCK = SetClock(NOON_MS)


def nothing() -> None:
    """Let a backup go on at once."""


def backed_up(directory: Path, target: Path, *, config: Path | None = None) -> dict[str, int]:
    manifest = back_up_to_file(Source(directory, config), target, clock=CLOCK, between=nothing)
    return {one.name: one.bytes for one in manifest.files}


def test_a_backup_says_what_it_holds_and_what_made_it(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1", "2"))
    (tmp_path / "data" / "footfall.toml").write_text("http_port = 8081\n")
    (tmp_path / "elsewhere.toml").write_text("http_port = 8082\n")
    source = Source(tmp_path / "data", tmp_path / "elsewhere.toml")
    manifest = back_up_to_file(source, tmp_path / "b", clock=CLOCK, between=nothing)
    assert (manifest.format, manifest.footfall, manifest.made_at) == (1, __version__, "2026-11-15T12:00Z")
    names = [one.name for one in manifest.files]
    assert names == ["store.db", "stream.db", "settings.json", "footfall.toml", "given.toml"]
    assert {one.name: one.format for one in manifest.files}["store.db"] == 1


def test_salts_are_never_in_a_backup(tmp_path: Path) -> None:
    settings = make_directory(tmp_path / "data", record_of("1"))
    with closing(wiring.open_salt_table(settings, CLOCK)) as table:
        wiring.salts(table)
    assert (tmp_path / "data" / SALTS_FILE).exists()
    assert SALTS_FILE not in backed_up(tmp_path / "data", tmp_path / "b")


@pytest.mark.parametrize("name", ["accounts.db", "catalog.db"])
def test_brands_and_catalogue_are_in_a_backup_when_they_exist(tmp_path: Path, name: str) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    (tmp_path / "data" / name).write_bytes((tmp_path / "data" / "store.db").read_bytes())
    assert name in backed_up(tmp_path / "data", tmp_path / "b")


def test_other_programs_can_open_a_backup(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    backed_up(tmp_path / "data", tmp_path / "b.tar.zst")
    listed = subprocess.run(["tar", "--zstd", "-tf", "b.tar.zst"], cwd=tmp_path, capture_output=True, check=True)
    assert listed.stdout.split() == [b"store.db", b"stream.db", b"settings.json", b"manifest.json"]
    unpacked = subprocess.run(
        ["tar", "--zstd", "-xOf", "b.tar.zst", "manifest.json"], cwd=tmp_path, capture_output=True, check=True
    )
    assert msgspec.json.decode(unpacked.stdout)["format"] == 1


def test_a_backup_of_the_same_moment_is_the_same_bytes(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    backed_up(tmp_path / "data", tmp_path / "one")
    backed_up(tmp_path / "data", tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_backup_to_a_pipe_is_the_same(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    backed_up(tmp_path / "data", tmp_path / "file")
    out = BytesIO()
    back_up(Source(tmp_path / "data"), out, scratch=tmp_path, clock=CLOCK, between=nothing)
    assert out.getvalue() == (tmp_path / "file").read_bytes()


def test_hits_that_come_during_a_backup_are_not_lost_by_it(tmp_path: Path) -> None:
    settings = make_directory(tmp_path / "data", record_of("1"))
    with closing(wiring.open_stream_to_write(settings, CLOCK)) as stream:

        def take_a_hit() -> None:
            stream.append([record_of("2")])

        back_up_to_file(Source(tmp_path / "data"), tmp_path / "b", clock=CLOCK, between=take_a_hit)
        assert stream.tip(0) > 1
    restore(tmp_path / "b", tmp_path / "restored", clock=CLOCK)
    restored = make_directory(tmp_path / "restored")
    with closing(wiring.open_stream(restored, CLOCK, read_only=True)) as stream:
        assert stream.tip(0) == 1  # What came later is not of that moment.


def test_an_earlier_backup_is_not_written_over_by_mistake(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    (tmp_path / "b").write_bytes(b"mine")
    with pytest.raises(AlreadyThere, match="--overwrite"):
        backed_up(tmp_path / "data", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"mine"
    back_up_to_file(Source(tmp_path / "data"), tmp_path / "b", clock=CLOCK, between=nothing, overwrite=True)
    assert (tmp_path / "b").stat().st_size > 1_000


def test_a_backup_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    before = contents(tmp_path / "data")
    (tmp_path / "target").mkdir()

    def fail() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(CannotWriteBackup, match="No space left"):
        back_up_to_file(Source(tmp_path / "data"), tmp_path / "target" / "b", clock=CLOCK, between=fail)
    assert list((tmp_path / "target").iterdir()) == []
    assert {name: data for name, data in contents(tmp_path / "data").items() if name in before} == before


def test_a_disk_without_room_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    monkeypatch.setattr("footfall.app.backup.ROOM_BYTES", 1 << 62)
    with pytest.raises(NoRoomForBackup, match="free some space"):
        backed_up(tmp_path / "data", tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    with pytest.raises(CannotWriteBackup, match="No such file"):
        backed_up(tmp_path / "data", tmp_path / "no folder" / "b")


def test_a_directory_without_hits_is_not_backed_up(tmp_path: Path) -> None:
    with pytest.raises(NothingToBackUp, match="--data"):
        backed_up(tmp_path, tmp_path / "b")


def test_an_archive_is_backed_up_with_every_object_and_restored_as_open_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    settings = make_directory(data, record_of("1"))
    (data / ARCHIVE_FOLDER).mkdir()
    (data / ARCHIVE_FOLDER).chmod(0o770)
    with closing(open_archive(settings, CLOCK)) as opened:
        world = World(opened.table, opened.archive.blobs, SetClock(NOON_MS))
        capture = world.kept("ann", "https://news.example/", "Budget passed.")
        opened.archive.let_be_found(capture)
        objects = {one.name: one.size_bytes for one in everything(opened.archive.blobs)}
        damaged = opened.archive.blobs
        damaged.put(f"{PREFIX}ff/{'f' * 64}", b"not what its name says")
        manifest = back_up_to_file(Source(data), tmp_path / "b", clock=CLOCK, between=nothing)
    assert (manifest.format, manifest.objects, manifest.objects_bytes) == (2, len(objects), sum(objects.values()))
    restore(tmp_path / "b", data, clock=CLOCK, replace_it=True)
    assert [path.stat().st_mode & 0o777 for path in (data, data / ARCHIVE_FOLDER, data / ARCHIVE_FILE)] == [
        0o710, 0o770, 0o660,
    ]  # fmt: skip
    with closing(open_archive(settings, CLOCK)) as opened:
        assert {one.name: one.size_bytes for one in everything(opened.archive.blobs)} == objects
        assert finding.capture(opened.table, capture.id) == capture
        assert [hit.id for hit in opened.archive.searching.search("budget", spaces=["member:ann"]).hits] == [capture.id]


def test_an_object_that_is_not_what_its_name_says_makes_a_backup_damaged(tmp_path: Path) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    about = Manifest(FORMAT, "2026-11-15T12:00Z", __version__, "3", ())
    content = Content({"stream.db": tmp_path / "data" / "stream.db"}, {}, [("0" * 64, b"other bytes")])
    with (tmp_path / "b").open("wb") as out:
        write_backup(out, content, about=about, made_at_ms=NOON_MS)
    with pytest.raises(BackupDamaged, match="does not hold what its manifest says"):
        restore(tmp_path / "b", tmp_path / "new", clock=CLOCK)
    assert not (tmp_path / "new").exists()
