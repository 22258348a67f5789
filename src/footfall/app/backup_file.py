"""What a backup looks like: a tar inside one Zstandard frame, and behind it the digest of every byte before.

The digest stands in a frame that other programs skip, so `tar --zstd` can open a backup without footfall. The format
is stated in docs/formats/backup.md.
"""

import hashlib
import io
import re
import tarfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import msgspec
import zstandard

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.app.archive_opening import ARCHIVE_FILE, ARCHIVE_FOLDER, SEARCH_FILE
from footfall.app.kept_blobs import BLOBS_FOLDER
from footfall.app.kept_settings import KEPT_FILE
from footfall.app.settings_reading import FILE_NAME
from footfall.app.wiring import ACCOUNTS_FILE, AUDIENCE_FILE, CATALOG_FILE, METRICS_FILE, STORE_FILE, STREAM_FILE
from footfall.archive.references import name_of
from footfall.ports.blobs import DATA_BYTES_MAX
from footfall.values.errors import FootfallError

FORMAT = 2
FORMAT_WITHOUT_ARCHIVE = 1  # which older releases read as well
MANIFEST = "manifest.json"
MANIFEST_BYTES_MAX = 1_048_576
CHUNK_BYTES = 1_048_576
LEVEL = 3  # Raw hits are compressed already; a higher level costs time and gains a few per cent.
DIGEST_BYTES = 32
SKIPPED_FRAME = 0x184D2A5F.to_bytes(4, "little") + DIGEST_BYTES.to_bytes(4, "little")
TRAILER_BYTES = len(SKIPPED_FRAME) + DIGEST_BYTES

# The store before the stream: counted hits must be in the stream, or the two do not go together. So is the audience:
# what its feed has forgotten must be in the stream, and the stream knows what of the rest it has. Salts are never kept:
# what was to be destroyed on time must not come back. Words before the archive: what is found is there.
DATABASES = (
    STORE_FILE, AUDIENCE_FILE, STREAM_FILE, ACCOUNTS_FILE, CATALOG_FILE, METRICS_FILE, SEARCH_FILE, ARCHIVE_FILE,
)  # fmt: skip
OBJECTS = f"{ARCHIVE_FOLDER}/objects/"  # Behind it stands the hash of an object's bytes, which need no other digest.
GIVEN_FILE = "given.toml"  # What --config names; the directory's own file keeps its name.
MEMBERS = frozenset((*DATABASES, KEPT_FILE, FILE_NAME, GIVEN_FILE, MANIFEST))

_OBJECT = re.compile(rf"{OBJECTS}([0-9a-f]{{64}})")


class BackupDamaged(FootfallError):
    """The bytes of a backup are not those that were written."""


class BackupTooNew(FootfallError):
    """The backup was made by a release that this one does not understand."""


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a backup."""

    name: str
    bytes: int
    sha256: str
    format: int = 0


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a backup holds, and what made it."""

    format: int
    made_at: str
    footfall: str
    sqlite: str
    files: tuple[Kept, ...]
    objects: int = 0  # of the archive
    objects_bytes: int = 0

    @property
    def bytes(self) -> int:
        """Return how much it is when it is unpacked."""
        return sum(one.bytes for one in self.files) + self.objects_bytes


@dataclass(frozen=True, slots=True)
class Content:
    """What goes into a backup: files under their names, with SQLite's formats, and objects under their hashes."""

    files: Mapping[str, Path]
    formats: Mapping[str, int]
    objects: Iterable[tuple[str, bytes]] = ()


def write_backup(out: BinaryIO, content: Content, *, about: Manifest, made_at_ms: int) -> Manifest:
    """Write a backup of the files, in their order, and then of all objects; return its manifest."""
    summed = _SummedWriter(out)
    compressed = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).stream_writer(
        cast("BinaryIO", summed), closefd=False
    )
    kept: list[Kept] = []
    with compressed, tarfile.open(fileobj=compressed, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for name, path in content.files.items():
            size = path.stat().st_size
            with path.open("rb") as file:
                source = _SummedReader(file)
                tar.addfile(_member(name, size, made_at_ms), cast("BinaryIO", source))
            kept.append(Kept(name, size, source.hexdigest(), content.formats.get(name, 0)))
        objects = objects_bytes = 0
        for digest, data in content.objects:
            tar.addfile(_member(OBJECTS + digest, len(data), made_at_ms), io.BytesIO(data))
            objects, objects_bytes = objects + 1, objects_bytes + len(data)
        manifest = msgspec.structs.replace(about, files=tuple(kept), objects=objects, objects_bytes=objects_bytes)
        told = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        tar.addfile(_member(MANIFEST, len(told), made_at_ms), io.BytesIO(told))
    out.write(SKIPPED_FRAME + summed.digest())
    return manifest


def require_whole(path: Path) -> None:
    """Raise BackupDamaged unless every byte of the file is as it was written."""
    digest = hashlib.sha256()
    left = path.stat().st_size - TRAILER_BYTES
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
            digest.update(chunk)
            left -= len(chunk)
        trailer = file.read()
    if left or not trailer.startswith(SKIPPED_FRAME):
        raise BackupDamaged(f"{path} is no backup of footfall's, or its end is missing; take another one.")
    if trailer != SKIPPED_FRAME + digest.digest():
        raise BackupDamaged(f"{path} is not what was written: its digest differs; take another backup.")


def manifest_of(path: Path) -> Manifest:
    """Return the manifest of a whole backup, once it names every member and its size; nothing is unpacked."""
    sizes: dict[str, int] = {}
    manifest: Manifest | None = None
    with _opened(path) as tar:
        for member in tar:
            if not _is_part(member) or member.name in sizes:
                raise BackupDamaged(f"{path} holds {member.name[:80]!r}, which is no part of a backup.")
            sizes[member.name] = member.size
            if member.name == MANIFEST:
                manifest = _manifest_from(_content(tar, member).read(MANIFEST_BYTES_MAX), path)
    sizes.pop(MANIFEST, None)
    objects = [sizes.pop(name) for name in list(sizes) if name.startswith(OBJECTS)]
    if manifest is None or sorted(sizes.items()) != sorted((one.name, one.bytes) for one in manifest.files):
        raise _not_as_said(path)
    if (len(objects), sum(objects)) != (manifest.objects, manifest.objects_bytes):
        raise _not_as_said(path)
    return manifest


def _is_part(member: tarfile.TarInfo) -> bool:
    is_object = _OBJECT.fullmatch(member.name) is not None and member.size <= DATA_BYTES_MAX
    return member.isreg() and (is_object or member.name in MEMBERS)


def unpack_backup(path: Path, into: Path) -> Manifest:
    """Write the files of a whole backup into a directory and return its manifest; raise when anything differs."""
    manifest = manifest_of(path)
    said = {one.name: one for one in manifest.files}
    blobs = FileBlobs(into / ARCHIVE_FOLDER / BLOBS_FOLDER) if manifest.objects else None
    with _opened(path) as tar:
        for member in tar:
            if member.name == MANIFEST:
                continue
            if blobs is not None and member.name.startswith(OBJECTS):
                data = _content(tar, member).read()
                if hashlib.sha256(data).hexdigest() != member.name.removeprefix(OBJECTS):
                    raise _not_as_said(path)
                blobs.put(name_of(member.name.removeprefix(OBJECTS)), data)
                continue
            found = _extracted(_content(tar, member), member.name, into)
            if (found.bytes, found.sha256) != (said[member.name].bytes, said[member.name].sha256):
                raise _not_as_said(path)
    return manifest


@contextmanager
def _opened(path: Path) -> Generator[tarfile.TarFile]:
    try:
        with (
            path.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=False) as plain,
            tarfile.open(fileobj=plain, mode="r|") as tar,
        ):
            yield tar
    except (tarfile.TarError, zstandard.ZstdError, EOFError) as error:
        raise BackupDamaged(f"{path} cannot be unpacked: {error}; take another backup.") from error


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    if content is None:
        raise tarfile.TarError(f"{member.name} is no file")
    return content


def _not_as_said(path: Path) -> BackupDamaged:
    return BackupDamaged(f"{path} does not hold what its manifest says; take another backup.")


def _manifest_from(content: bytes, path: Path) -> Manifest:
    try:
        found = msgspec.json.decode(content, type=dict[str, Any]).get("format")
        if isinstance(found, int) and found > FORMAT:
            raise BackupTooNew(f"{path} has format {found}, this release reads {FORMAT}: use a newer footfall.")
        return msgspec.json.decode(content, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BackupDamaged(f"{path} has a manifest that cannot be read: {error}.") from error


def _extracted(content: IO[bytes], name: str, into: Path) -> Kept:
    size, digest = 0, hashlib.sha256()
    (into / name).parent.mkdir(exist_ok=True)
    with (into / name).open("xb") as file:
        while chunk := content.read(CHUNK_BYTES):
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
    return Kept(name, size, digest.hexdigest())


def _member(name: str, size: int, made_at_ms: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = size, made_at_ms // 1_000, 0o600
    return member


class _SummedWriter(io.RawIOBase):
    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._digest.update(data)
        self._out.write(data)
        return len(data)

    def digest(self) -> bytes:
        return self._digest.digest()


class _SummedReader:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._digest.update(data)
        return data

    def hexdigest(self) -> str:
        return self._digest.hexdigest()
