"""Blobs as files: one object, one file, under a path that is made of the name and can still be read.

A name is cut at its slashes, and a segment again after every 40 bytes, because file systems bound the length of
a file's name. Every piece but the last is a folder. A piece that goes on with its segment starts with `~`, the
file's ends with `@`, and bytes other than small letters, digits, `.`, `-` and `_` are written as `%` and two
hex digits. So no name can leave the root, `a` and `a/b` have room beside each other, and names that differ only
by case stay apart on file systems that do not tell case.
"""

import errno
import fcntl
import os
import re
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from footfall.adapters.embedded.group_files import FILE, is_of_group, make_folders
from footfall.ports.blobs import PAGE_NAMES_MAX, Listed, Page, UnfitName, require_fits, require_name, require_page
from footfall.ports.errors import Changed, NoSpace, Unavailable

PIECE_BYTES_MAX = 40  # Three characters a byte, and the marks: 122, under the 143 of an encrypted file system.
ROOT_BYTES_MAX = 700  # The longest name makes a path of some 3,200 bytes, and Linux takes 4,096.
ATTEMPTS_MAX = 20  # Each is lost only to a delete that takes an emptied folder away at that very moment.

_FULL = {errno.ENOSPC, errno.EDQUOT}
_PIECE = re.compile(r"(~?)((?:[a-z0-9._-]|%[0-9A-F]{2})+)(@?)")
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")


class FileBlobs:
    """A Blobs whose objects are files in a folder, for any number of threads and processes."""

    def __init__(self, root: Path) -> None:
        if len(os.fsencode(root.absolute())) > ROOT_BYTES_MAX:
            raise Unavailable(f"{root} is over {ROOT_BYTES_MAX} bytes long; choose a folder with a shorter path")
        self._objects = root.absolute() / "objects"
        self._unfinished = root.absolute() / "unfinished"
        with _in_our_words(root):
            there_before = next(folder for folder in self._objects.parents if folder.exists())
            make_folders(self._objects)
            make_folders(self._unfinished)
            self._is_of_group = is_of_group(self._objects)
            _make_durable(self._objects, up_to=there_before)
            self._sweep()

    def put(self, name: str, data: bytes) -> None:
        """Store the object in the place of whatever was there; raise NoSpace."""
        self._store(name, data, replaces=True)

    def put_new(self, name: str, data: bytes) -> None:
        """Store the object; raise Changed when there is one of that name, or NoSpace."""
        self._store(name, data, replaces=False)

    def get(self, name: str) -> bytes | None:
        """Return the object's bytes; None when there is none."""
        path = self._path(name)
        with _in_our_words(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def size_bytes(self, name: str) -> int | None:
        """Return how large the object is; None when there is none."""
        path = self._path(name)
        with _in_our_words(path):
            try:
                return path.stat().st_size
            except FileNotFoundError:
                return None

    def delete(self, name: str) -> None:
        """Remove the object; nothing happens when there is none."""
        path = self._path(name)
        with _in_our_words(path):
            path.unlink(missing_ok=True)
            self._remove_emptied(path.parent)
            _make_durable(path.parent, up_to=self._objects)

    def page(self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_NAMES_MAX) -> Page:
        """Return the first objects whose names start with the prefix and come after a name, in name order."""
        require_page(limit)
        wanted = _encoded(prefix)
        beyond = b"" if after is None else _encoded(after)
        found: list[Listed] = []
        with _in_our_words(self._objects):
            for encoded, path in _walk(self._objects, wanted, beyond):
                if len(found) == limit:
                    return Page(found, after=found[-1].name)
                with suppress(FileNotFoundError):
                    size_bytes = path.stat().st_size
                    if self._is_ours(encoded, path):
                        found.append(Listed(encoded.decode(), size_bytes))
        return Page(found, after=None)

    def _path(self, name: str) -> Path:
        *folders, last = _pieces(require_name(name))
        return self._objects.joinpath(*folders, f"{last}@")

    def _is_ours(self, encoded: bytes, path: Path) -> bool:
        """Return whether a file that looks like an object lies where the object of that name would."""
        try:
            return self._path(encoded.decode()) == path
        except (UnicodeDecodeError, UnfitName):
            return False

    def _store(self, name: str, data: bytes, *, replaces: bool) -> None:
        path = self._path(name)
        require_fits(name, data)
        with _in_our_words(path):
            for _ in range(ATTEMPTS_MAX):
                try:
                    return self._store_once(path, data, replaces=replaces)
                except (FileNotFoundError, FileExistsError):
                    # A delete has just taken the emptied folder away, or a start swept the unfinished file. A folder
                    # that goes between being found there and being looked at is told as the second.
                    continue
        raise Unavailable(
            f"{path.parent} goes away each time it is made, or a file is in its place; see what else writes there"
        )

    def _store_once(self, path: Path, data: bytes, *, replaces: bool) -> None:
        with self._unfinished_file(data) as unfinished:
            make_folders(path.parent)
            if replaces:
                unfinished.replace(path)
            else:
                _link_new(unfinished, path)
        _make_durable(path.parent, up_to=self._objects)

    def _remove_emptied(self, folder: Path) -> None:
        """Remove a folder, and those around it, as long as nothing is left in them."""
        while folder != self._objects:
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                return
            folder = folder.parent

    @contextmanager
    def _unfinished_file(self, data: bytes) -> Generator[Path]:
        """Give a file with the bytes on disk, which is gone afterwards unless it was given its place."""
        descriptor, name = tempfile.mkstemp(dir=self._unfinished)
        unfinished = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if self._is_of_group:
                    os.fchmod(descriptor, FILE)
                # The lock tells a sweeping process that the writer is alive.
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                yield unfinished
        finally:
            unfinished.unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Remove the files that writers left unfinished when they were killed."""
        for left in self._unfinished.iterdir():
            with suppress(FileNotFoundError, BlockingIOError), left.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()


@contextmanager
def _in_our_words(path: Path) -> Generator[None]:
    """Raise what the file system says as the port's errors."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise NoSpace(f"no space for {path}; nothing was written, free some and try again") from error
        raise Unavailable(f"{path}: {error}; see that the disk is well and the folder may be written") from error


def _link_new(unfinished: Path, path: Path) -> None:
    """Give a file its place unless that is taken."""
    try:
        path.hardlink_to(unfinished)
    except FileExistsError as error:
        raise Changed(f"there is an object at {path} already; nothing was written") from error


def _make_durable(folder: Path, *, up_to: Path) -> None:
    """Have the names in the folder, and those of the folders around it, on disk."""
    for one in (folder, *folder.parents):
        # A folder that is gone was emptied by a delete, which is for the folders around it to remember.
        with suppress(FileNotFoundError):
            _sync_folder(one)
        if one == up_to:
            return


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnfitName(f"{text[:64]!r} has half of a surrogate pair; use whole characters") from error


def _pieces(encoded: bytes) -> list[str]:
    """Return the parts of the path that a name is written as."""
    found: list[str] = []
    for segment in encoded.split(b"/"):
        for start in range(0, len(segment), PIECE_BYTES_MAX):
            mark = "~" if start else ""
            found.append(mark + _escaped(segment[start : start + PIECE_BYTES_MAX]))
    return found


def _escaped(piece: bytes) -> str:
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in piece)


def _unescaped(text: str) -> bytes | None:
    """Return the bytes of a piece; None for what this adapter would not have written."""
    piece = re.sub(rb"%([0-9A-F]{2})", lambda match: bytes.fromhex(match[1].decode()), text.encode())
    return piece if _escaped(piece) == text and len(piece) <= PIECE_BYTES_MAX else None


def _walk(root: Path, prefix: bytes, after: bytes) -> Iterator[tuple[bytes, Path]]:
    """Yield the names under a prefix that come after a name, with their files, in name order."""
    waiting = [_entries(root, b"")]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        start, path, is_object = entry
        if is_object and start.startswith(prefix) and start > after:
            yield start, path
        elif not is_object and _may_hold(start, prefix, after):
            waiting.append(_entries(path, start.removesuffix(b"/")))


def _may_hold(start: bytes, prefix: bytes, after: bytes) -> bool:
    """Return whether a name that starts so may be asked for."""
    is_under_prefix = start.startswith(prefix) or prefix.startswith(start)
    return is_under_prefix and (start >= after or after.startswith(start))


def _entries(folder: Path, so_far: bytes) -> Iterator[tuple[bytes, Path, bool]]:
    """Yield what a folder holds in name order: how names go on there, where, and whether it is an object."""
    found: list[tuple[bytes, Path, bool]] = []
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            match = _PIECE.fullmatch(entry.name)
            piece = _unescaped(match[2]) if match else None
            if match is None or piece is None:
                continue
            is_object = match[3] == "@"
            if not (entry.is_file if is_object else entry.is_dir)(follow_symlinks=False):
                continue
            slash = b"" if match[1] or not so_far else b"/"
            # A folder of a piece that is not full holds only names that go on with a slash, which decides its place
            # among the others. A full one may hold both kinds, and no other name here starts like it.
            end = b"/" if not is_object and len(piece) < PIECE_BYTES_MAX else b""
            found.append((so_far + slash + piece + end, Path(entry.path), is_object))
    # An object comes before the folder of the names that go on from its own.
    yield from sorted(found, key=lambda one: (one[0], not one[2]))
