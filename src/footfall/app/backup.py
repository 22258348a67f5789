"""Backups of a data directory, made while its instance runs: one moment of every file, in one compressed file."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from footfall import __version__
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.snapshot import Snapshot, sqlite_version
from footfall.app.archive_opening import ARCHIVE_FILE, ARCHIVE_FOLDER
from footfall.app.backup_file import (
    DATABASES,
    FORMAT,
    FORMAT_WITHOUT_ARCHIVE,
    GIVEN_FILE,
    Content,
    Manifest,
    write_backup,
)
from footfall.app.kept_blobs import BLOBS_FOLDER
from footfall.app.kept_settings import KEPT_FILE
from footfall.app.settings_reading import FILE_NAME
from footfall.app.wiring import STREAM_FILE
from footfall.app.workflow_control import WORKFLOWS_FILE
from footfall.archive.references import PREFIX, name_of
from footfall.ports.blobs import everything
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError
from footfall.values.window import instant_text

STEP_BYTES = 4_000_000  # of objects, between which others get their turn
ROOM_BYTES = 64_000_000  # Left free for others on the disk that takes the backup.


class NothingToBackUp(FootfallError):
    """The directory holds no stream, so there is nothing that a restore could bring back."""


class AlreadyThere(FootfallError):
    """A file of that name exists."""


class NoRoomForBackup(FootfallError):
    """The disk that takes the backup has not enough room for it."""


class CannotWriteBackup(FootfallError):
    """The backup cannot be written where it should go."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is backed up: a data directory, and the settings file that is used with it, if it lies elsewhere."""

    directory: Path
    config: Path | None = None


def left_out(source: Source) -> Sequence[str]:
    """Return, in sentences, what of a directory is in no backup of it though somebody may look for it there."""
    if not (source.directory / WORKFLOWS_FILE).exists():
        return ()
    # What an execution has done since the moment of the backup would be done again, perhaps beside the one that did it.
    return (
        f"{WORKFLOWS_FILE} is not in it: restored, its executions would run a second time. A mover that is started "
        "again begins a new one and copies only what is left",
    )


def back_up_to_file(
    source: Source, target: Path, *, clock: Clock, between: Callable[[], None], overwrite: bool = False
) -> Manifest:
    """Make a backup under a name of its own, which it gets when it is whole and on disk."""
    if target.exists() and not overwrite:
        raise AlreadyThere(f"{target} is there already; name another file, or give --overwrite.")
    try:
        with _unfinished(target) as (out, unfinished):
            manifest = back_up(source, out, scratch=target.parent, clock=clock, between=between)
            out.flush()
            os.fsync(out.fileno())
            unfinished.replace(target)
            _sync_directory(target.parent)
    except OSError as error:
        raise CannotWriteBackup(f"{target} cannot be written: {error.strerror or error}.") from error
    return manifest


def back_up(
    source: Source, out: BinaryIO, *, scratch: Path | None, clock: Clock, between: Callable[[], None]
) -> Manifest:
    """Write a backup; `between` is called after each step, so that a caller may pause for others' sake."""
    if not (source.directory / STREAM_FILE).exists():
        raise NothingToBackUp(f"{source.directory} holds no {STREAM_FILE}; name the data directory with --data.")
    with tempfile.TemporaryDirectory(prefix="footfall-backup-", dir=scratch) as folder:
        made_at_ms = clock.now_ms()
        if scratch is not None:  # Otherwise they go where nobody can look how much room there is.
            _require_room(Path(folder), streamed_bytes=_objects_bytes(source.directory))
        files, formats = _copied(source.directory, Path(folder), between)
        files |= _settings_files(source, Path(folder))
        has_archive = ARCHIVE_FILE in files
        # After the table: objects never change, and none that it names goes within a day.
        objects = _objects(source.directory, between) if has_archive else ()
        format = FORMAT if has_archive else FORMAT_WITHOUT_ARCHIVE
        about = Manifest(format, instant_text(made_at_ms), __version__, sqlite_version(), ())
        return write_backup(out, Content(files, formats, objects), about=about, made_at_ms=made_at_ms)


def _objects(directory: Path, between: Callable[[], None]) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of captures under their hashes; what is damaged stays out, as `archive admin verify` tells."""
    blobs = FileBlobs(directory / ARCHIVE_FOLDER / BLOBS_FOLDER)
    since_bytes = 0
    for listed in everything(blobs, PREFIX):
        data = blobs.get(listed.name)
        digest = "" if data is None else sha256(data).hexdigest()
        if data is not None and listed.name == name_of(digest):
            yield digest, data
        since_bytes += listed.size_bytes
        if since_bytes > STEP_BYTES:
            since_bytes = 0
            between()


def _objects_bytes(directory: Path) -> int:
    if not (directory / ARCHIVE_FILE).exists():
        return 0
    return sum(one.size_bytes for one in everything(FileBlobs(directory / ARCHIVE_FOLDER / BLOBS_FOLDER), PREFIX))


def _copied(directory: Path, folder: Path, between: Callable[[], None]) -> tuple[dict[str, Path], dict[str, int]]:
    """Copy one moment of every database: all are held still first, so that what is copied last is no younger."""
    files: dict[str, Path] = {}
    formats: dict[str, int] = {}
    with ExitStack() as stack:
        held = {
            name: stack.enter_context(closing(Snapshot(directory / name)))
            for name in DATABASES
            if (directory / name).exists()
        }
        _require_room(folder, sum(snapshot.size_bytes for snapshot in held.values()))
        for name, snapshot in held.items():
            (folder / name).parent.mkdir(exist_ok=True)
            snapshot.copy_to(folder / name, between=between)
            files[name], formats[name] = folder / name, snapshot.format
            snapshot.close()
    return files, formats


def _settings_files(source: Source, folder: Path) -> dict[str, Path]:
    """Copy the settings, which may be replaced while they are being read."""
    found: dict[str, Path] = {}
    given = {GIVEN_FILE: source.config} if source.config is not None else {}
    for name, path in {
        KEPT_FILE: source.directory / KEPT_FILE,
        FILE_NAME: source.directory / FILE_NAME,
        **given,
    }.items():
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(path, folder / name)
            found[name] = folder / name
    return found


def _require_room(folder: Path, copies_bytes: int = 0, *, streamed_bytes: int = 0) -> None:
    # The copies, and at worst as much again, because what is in them is compressed already; objects are not copied.
    wanted, free = 2 * copies_bytes + streamed_bytes + ROOM_BYTES, shutil.disk_usage(folder).free
    if free < wanted:
        raise NoRoomForBackup(
            f"{folder.parent} has {free:,} bytes free and a backup may need {wanted:,} for a while; free some space, "
            "or write it to another disk."
        )


@contextmanager
def _unfinished(target: Path) -> Generator[tuple[BinaryIO, Path]]:
    number, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".unfinished", dir=target.parent)
    try:
        with os.fdopen(number, "wb") as out:
            yield out, Path(name)
    finally:
        with contextlib.suppress(FileNotFoundError):  # It has its own name by now.
            os.unlink(name)


def _sync_directory(directory: Path) -> None:
    number = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
