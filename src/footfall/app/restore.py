"""Restoring a backup: every byte is checked before anything is put in its place, and nothing is lost by it."""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from footfall.adapters.embedded.group_files import is_of_group
from footfall.adapters.embedded.snapshot import require_sound
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.archive_opening import ARCHIVE_FILE, ARCHIVE_FOLDER
from footfall.app.audience_opening import open_audience_table
from footfall.app.backup_file import (
    CHUNK_BYTES,
    DATABASES,
    BackupDamaged,
    Manifest,
    manifest_of,
    require_whole,
    unpack_backup,
)
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import take_lock
from footfall.app.settings import Settings
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError
from footfall.values.window import instant_text

LOCK_WAIT_S = 0.5


class NotEmpty(FootfallError):
    """The directory holds something, and a restore does not write over what it did not make."""


class IsAMount(FootfallError):
    """The directory is where a disk is mounted, so it cannot be exchanged for another."""


class CannotRestore(FootfallError):
    """The place that should be restored to cannot be written."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, and where that is kept which was there before."""

    manifest: Manifest
    kept: Path | None


def restore(backup: Path | BinaryIO, directory: Path, *, clock: Clock, replace_it: bool = False) -> Restored:
    """Put a backup in the place of a directory that is absent or empty; a full one is kept beside when replaced."""
    directory = directory.resolve()
    _require_free(directory, replace_it=replace_it)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with (
            _held(directory),
            tempfile.TemporaryDirectory(prefix=f"{directory.name}.restoring-", dir=directory.parent) as folder,
        ):
            path = backup if isinstance(backup, Path) else _spooled(backup, Path(folder))
            unpacked = Path(folder) / "data"
            unpacked.mkdir(mode=0o700)
            require_whole(path)
            _require_room(manifest_of(path), Path(folder))
            manifest = unpack_backup(path, unpacked)
            _require_usable(unpacked, clock)
            _prepare(unpacked, like=directory)
            kept = _exchange(unpacked, directory, now_ms=clock.now_ms())
    except OSError as error:
        raise CannotRestore(f"{directory} cannot be restored: {error.strerror or error}.") from error
    return Restored(manifest, kept)


def _require_free(directory: Path, *, replace_it: bool) -> None:
    if not directory.exists():
        return
    if not directory.is_dir():
        raise CannotRestore(f"{directory} is not a directory; name another with --data.")
    if directory.is_mount():
        raise IsAMount(f"{directory} is a mounted disk; name a directory inside it with --data.")
    if any(directory.iterdir()) and not replace_it:
        raise NotEmpty(f"{directory} is not empty; name another, or give --replace to keep it beside the restored one.")


@contextmanager
def _held(directory: Path) -> Generator[None]:
    """Keep any instance off the directory, or raise InUse when one runs there."""
    if not directory.exists() or not any(directory.iterdir()):
        yield
        return
    lock = take_lock(directory, wait_s=LOCK_WAIT_S)
    try:
        yield
    finally:
        os.close(lock)


def _spooled(backup: BinaryIO, folder: Path) -> Path:
    """Write what comes from a pipe to a file: it is read twice, and only the second time believed."""
    path = folder / "backup"
    with path.open("wb") as file:
        shutil.copyfileobj(backup, file, CHUNK_BYTES)
    return path


def _require_room(manifest: Manifest, folder: Path) -> None:
    wanted, free = manifest.bytes, shutil.disk_usage(folder).free
    if wanted > free:
        raise CannotRestore(
            f"the backup has {wanted:,} bytes when it is unpacked and {folder.parent} has {free:,} free; make room."
        )


def _require_usable(unpacked: Path, clock: Clock) -> None:
    """Raise unless every database is sound and this release can start on what was unpacked."""
    if not (unpacked / wiring.STREAM_FILE).exists():
        raise BackupDamaged(f"the backup holds no {wiring.STREAM_FILE}; take another backup.")
    for name in DATABASES:
        if (unpacked / name).exists():
            require_sound(unpacked / name)
    settings = kept_settings(str(unpacked)) or replace(Settings(), data_dir=str(unpacked))
    with closing(wiring.open_stream(settings, clock, read_only=True)) as stream:
        wiring.require_not_behind(stream, settings, clock)
    _require_layouts(settings, clock)
    for leftover in [*unpacked.glob("**/*-wal"), *unpacked.glob("**/*-shm")]:
        leftover.unlink()  # Looking makes SQLite write them; they hold nothing.


def _require_layouts(settings: Settings, clock: Clock) -> None:
    """Raise unless each table is one that this release reads."""
    for name, opened in (
        (wiring.STORE_FILE, wiring.open_store),
        (wiring.ACCOUNTS_FILE, wiring.open_accounts),
        (wiring.CATALOG_FILE, wiring.open_catalog_table),
        (wiring.METRICS_FILE, wiring.open_metrics_table),
        (wiring.AUDIENCE_FILE, open_audience_table),
    ):
        if (Path(settings.data_dir) / name).exists():
            opened(settings, clock, read_only=True).close()
    if (archive := Path(settings.data_dir) / ARCHIVE_FILE).exists():
        SqliteTable(archive, clock=clock, read_only=True).close()


def _prepare(unpacked: Path, *, like: Path) -> None:
    """Have every file on disk, and owned as the directory was that is replaced, when the system allows it.

    An archive that the old directory shared with its group is shared again.
    """
    owner = like.stat() if like.exists() else None
    is_shared = (like / ARCHIVE_FOLDER).is_dir() and is_of_group(like / ARCHIVE_FOLDER)
    for path in [*unpacked.rglob("*"), unpacked]:
        if owner is not None and os.geteuid() == 0:
            os.chown(path, owner.st_uid, owner.st_gid)
        mode = 0o700 if path.is_dir() else 0o600
        if is_shared and path == unpacked:
            mode |= 0o010
        elif is_shared and unpacked / ARCHIVE_FOLDER in (path, *path.parents):
            mode |= mode >> 3
        number = os.open(path, os.O_RDONLY)
        try:
            os.fchmod(number, mode)
            os.fsync(number)
        finally:
            os.close(number)


def _exchange(unpacked: Path, directory: Path, *, now_ms: int) -> Path | None:
    """Put one directory in the other's place: two renames, each of which leaves whole directories behind."""
    kept: Path | None = None
    if directory.exists() and any(directory.iterdir()):
        stamp = instant_text(now_ms).replace("-", "").replace(":", "")
        kept = directory.with_name(f"{directory.name}.before-{stamp}")
        directory.rename(kept)
        for salts in kept.glob(f"{wiring.SALTS_FILE}*"):
            salts.unlink()  # No instance runs there any more that would destroy them on time.
    unpacked.rename(directory)
    number = os.open(directory.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
    return kept
