"""A restore brings back every byte or changes nothing."""

import os
import tarfile
from contextlib import closing
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import msgspec
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.adapters.embedded.database import PAGE_BYTES
from footfall.app import wiring
from footfall.app.backup import Source, back_up, back_up_to_file
from footfall.app.backup_file import (
    SKIPPED_FRAME,
    TRAILER_BYTES,
    BackupDamaged,
    BackupTooNew,
    Content,
    Kept,
    Manifest,
    require_whole,
    unpack_backup,
    write_backup,
)
from footfall.app.counting import Counting
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import InUse, take_lock
from footfall.app.restore import CannotRestore, IsAMount, NotEmpty, restore
from footfall.app.wiring import StreamIsBehind
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.ports.errors import Corrupt
from footfall.values.clock import SetClock
from footfall.values.errors import FootfallError
from tests.app.directories import NOON_MS, contents, make_directory, record_of

CLOCK = SetClock(NOON_MS)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    make_directory(tmp_path / "data", record_of("1", "2"), record_of("1"))
    return backed_up(tmp_path / "data", tmp_path / "backup")


def backed_up(directory: Path, target: Path) -> Path:
    back_up_to_file(Source(directory), target, clock=CLOCK, between=lambda: None)
    return target


@cache
def small_backup() -> bytes:
    with TemporaryDirectory() as folder:
        make_directory(Path(folder) / "data", record_of("1"))
        out = BytesIO()
        back_up(Source(Path(folder) / "data"), out, scratch=None, clock=CLOCK, between=lambda: None)
        return out.getvalue()


def test_restoring_twice_gives_the_same_bytes(backup: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        restored = restore(backup, tmp_path / name, clock=CLOCK)
        assert restored.kept is None
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert set(contents(tmp_path / "one")) == {"store.db", "stream.db", "settings.json"}


def test_what_was_counted_is_counted_and_what_was_not_is_counted_after_the_restore(tmp_path: Path) -> None:
    settings = make_directory(tmp_path / "data", record_of("1", "2"))
    with closing(wiring.open_stream_to_write(settings, CLOCK)) as stream:
        stream.append([record_of("3")])
    restore(backed_up(tmp_path / "data", tmp_path / "b"), tmp_path / "restored", clock=CLOCK)
    restored = kept_settings(str(tmp_path / "restored"))
    assert restored is not None
    with (
        closing(wiring.open_stream_to_write(restored, CLOCK)) as stream,
        closing(wiring.open_store(restored, CLOCK)) as store,
    ):
        checkpoint = load_checkpoint(store, 0)
        assert checkpoint is not None
        assert checkpoint.lines["abc"].counted == 2
        Counting(restored, stream, store, clock=CLOCK).drain()
        checkpoint = load_checkpoint(store, 0)
        assert checkpoint is not None
        assert checkpoint.lines["abc"].counted == stream.appended()["abc"] == 3


@given(st.integers(0, len(small_backup()) - 1), st.integers(1, 255))
@example(0, 1)
@example(len(small_backup()) - 1, 128)
@example(len(small_backup()) - TRAILER_BYTES, 1)
def test_a_backup_with_any_byte_changed_is_refused(place: int, change: int) -> None:
    damaged = bytearray(small_backup())
    damaged[place] ^= change
    require_refused(bytes(damaged))


@given(st.integers(0, len(small_backup()) - 1))
def test_a_backup_that_was_cut_off_is_refused(size: int) -> None:
    require_refused(small_backup()[:size])


@given(st.binary(min_size=1, max_size=100))
def test_a_backup_with_something_behind_it_is_refused(more: bytes) -> None:
    require_refused(small_backup() + more)


def require_refused(damaged: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "backup"
        path.write_bytes(damaged)
        with pytest.raises(BackupDamaged, match="take another"):
            restore(path, Path(folder) / "data", clock=CLOCK)
        assert os.listdir(folder) == ["backup"]


def test_a_backup_comes_through_a_pipe_as_well(backup: Path, tmp_path: Path) -> None:
    restore(BytesIO(backup.read_bytes()), tmp_path / "piped", clock=CLOCK)
    restore(backup, tmp_path / "read", clock=CLOCK)
    assert contents(tmp_path / "piped") == contents(tmp_path / "read")
    assert not list(tmp_path.glob("*restoring*"))


def test_a_directory_with_data_is_left_alone(backup: Path, tmp_path: Path) -> None:
    before = contents(tmp_path / "data")
    with pytest.raises(NotEmpty, match="--replace"):
        restore(backup, tmp_path / "data", clock=CLOCK)
    assert contents(tmp_path / "data") == before


def test_a_directory_that_is_replaced_is_kept_beside(backup: Path, tmp_path: Path) -> None:
    make_directory(tmp_path / "other", record_of("9"))
    before = contents(tmp_path / "other")
    for name in ("salts.db", "salts.db-wal", "salts.db-shm"):
        (tmp_path / "other" / name).write_bytes(b"secret")  # They must not outlive their day, so they are not kept.
    restored = restore(backup, tmp_path / "other", clock=CLOCK, replace_it=True)
    kept = tmp_path / "other.before-20261115T1200Z"
    assert restored.kept == kept
    assert contents(kept) == before | {"lock": contents(kept)["lock"]}
    restore(backup, tmp_path / "fresh", clock=CLOCK)
    assert contents(tmp_path / "other") == contents(tmp_path / "fresh")


def test_an_instance_that_runs_is_never_replaced(backup: Path, tmp_path: Path) -> None:
    lock = take_lock(tmp_path / "data")
    before = contents(tmp_path / "data")
    with pytest.raises(InUse, match=str(os.getpid())):
        restore(backup, tmp_path / "data", clock=CLOCK, replace_it=True)
    os.close(lock)
    assert contents(tmp_path / "data") == before


def test_an_empty_directory_and_a_link_to_one_are_filled(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    restore(backup, tmp_path / "link", clock=CLOCK)
    assert "stream.db" in contents(tmp_path / "empty")
    assert (tmp_path / "link").is_symlink()


def test_a_mounted_disk_is_not_exchanged(backup: Path) -> None:
    with pytest.raises(IsAMount, match="a directory inside it"):
        restore(backup, Path("/proc"), clock=CLOCK, replace_it=True)


def test_restored_files_are_readable_by_their_owner_alone(backup: Path, tmp_path: Path) -> None:
    restore(backup, tmp_path / "restored", clock=CLOCK)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "restored").iterdir()}
    assert (modes, (tmp_path / "restored").stat().st_mode & 0o777) == ({0o600}, 0o700)


def test_a_stream_that_is_behind_its_store_is_refused(tmp_path: Path) -> None:
    settings = make_directory(tmp_path / "data", record_of("1"))
    stream = (tmp_path / "data" / "stream.db").read_bytes()
    make_directory(tmp_path / "data", record_of("2"))
    (tmp_path / "data" / "stream.db").write_bytes(stream)
    assert settings.stream_shards == 1
    backup = backed_up(tmp_path / "data", tmp_path / "b")
    with pytest.raises(StreamIsBehind):
        restore(backup, tmp_path / "restored", clock=CLOCK)
    assert not (tmp_path / "restored").exists()


def made_of(files: dict[str, bytes], folder: Path) -> Path:
    """Write a backup with a right digest and manifest, whatever it holds."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    about = Manifest(1, "2026-11-15T12:00Z", "0", "0", ())
    with (folder / "backup").open("wb") as out:
        write_backup(out, Content({name: folder / name for name in files}, {}), about=about, made_at_ms=NOON_MS)
    return folder / "backup"


def files_of(folder: Path) -> dict[str, bytes]:
    make_directory(folder, record_of("1"))
    return {name: (folder / name).read_bytes() for name in ("store.db", "stream.db", "settings.json")}


@pytest.mark.parametrize("name", ["salts.db", "stream.db-wal", "lock", "control.sock", "other.db", ".hidden"])
def test_a_backup_that_holds_anything_else_is_refused(tmp_path: Path, name: str) -> None:
    backup = made_of(files_of(tmp_path / "data") | {name: b"x"}, tmp_path / "made")
    with pytest.raises(BackupDamaged, match="no part of a backup"):
        restore(backup, tmp_path / "restored", clock=CLOCK)
    assert not (tmp_path / "restored").exists()


@pytest.mark.parametrize("name", ["store.db", "stream.db", "accounts.db", "catalog.db"])
def test_a_backup_of_a_damaged_database_replaces_nothing(tmp_path: Path, name: str) -> None:
    files = files_of(tmp_path / "data")
    damaged = bytearray(files.get(name) or files["store.db"])
    for start in range(PAGE_BYTES, len(damaged), PAGE_BYTES):
        damaged[start : start + 64] = b"\xff" * 64
    backup = made_of(files | {name: bytes(damaged)}, tmp_path / "made")
    before = contents(tmp_path / "data")
    with pytest.raises(Corrupt):
        restore(backup, tmp_path / "data", clock=CLOCK, replace_it=True)
    assert contents(tmp_path / "data") == before | {"lock": contents(tmp_path / "data")["lock"]}


def test_a_backup_without_a_stream_or_with_another_file_in_its_place_is_refused(tmp_path: Path) -> None:
    files = files_of(tmp_path / "data")
    with pytest.raises(BackupDamaged, match=r"no stream\.db"):
        restore(made_of({"store.db": files["store.db"]}, tmp_path / "a"), tmp_path / "restored", clock=CLOCK)
    with pytest.raises(FootfallError):
        restore(
            made_of(files | {"accounts.db": files["stream.db"]}, tmp_path / "b"), tmp_path / "restored", clock=CLOCK
        )
    assert not (tmp_path / "restored").exists()


def test_a_backup_that_needs_more_room_than_there_is_is_not_unpacked(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1_000))
    with pytest.raises(CannotRestore, match="1,000 free"):
        restore(backup, tmp_path / "restored", clock=CLOCK)


def test_members_whose_sizes_the_manifest_does_not_tell_are_refused_before_they_are_written(tmp_path: Path) -> None:
    files = files_of(tmp_path / "data")
    path = tmp_path / "backup"
    plain = BytesIO()
    with tarfile.open(fileobj=plain, mode="w|") as tar:
        said = Manifest(1, "", "", "", (Kept("stream.db", 5, "0" * 64),))
        for name, content in {"stream.db": files["stream.db"], "manifest.json": msgspec.json.encode(said)}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, BytesIO(content))
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(plain.getvalue())
    path.write_bytes(packed + SKIPPED_FRAME + sha256(packed).digest())
    require_whole(path)
    (tmp_path / "into").mkdir()
    with pytest.raises(BackupDamaged, match="manifest says"):
        unpack_backup(path, tmp_path / "into")
    assert os.listdir(tmp_path / "into") == []


def test_a_backup_of_a_newer_release_is_refused_by_its_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_directory(tmp_path / "data", record_of("1"))
    monkeypatch.setattr("footfall.app.backup.FORMAT_WITHOUT_ARCHIVE", 3)
    backup = backed_up(tmp_path / "data", tmp_path / "b")
    require_whole(backup)
    with pytest.raises(BackupTooNew, match="format 3, this release reads 2"):
        restore(backup, tmp_path / "restored", clock=CLOCK)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotRestore, match="No such file"):
        restore(tmp_path / "gone", tmp_path / "restored", clock=CLOCK)
    assert os.listdir(tmp_path) == []
