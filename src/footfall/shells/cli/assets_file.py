"""A file of assets, whatever it is: JSON or a table, plain or compressed, as numbered pieces that can be sent."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import msgspec
import zstandard

from footfall.catalog.sent import ID_CHARACTERS_SHOWN, Row, fields_from_row, separator_in, table_from_csv
from footfall.shells.cli.batches import Refusals
from footfall.shells.cli.calls import Reply
from footfall.shells.cli.command import Surroundings
from footfall.shells.cli.hits_file import BATCH_BYTES_MAX, FileUnreadable, Sent, hits_in
from footfall.values.errors import Refused

GZIP_MARK, ZSTD_MARK = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
BOM = b"\xef\xbb\xbf"
_BROKEN = (EOFError, zlib.error, zstandard.ZstdError, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class AssetsFile:
    """What a file holds: what its numbers count, its columns that no asset has, and its assets as they come."""

    counts: str
    ignored: tuple[str, ...]
    assets: Iterator[Sent]


def assets_in(file: BinaryIO, *, name: str, form: str, brand: str | None) -> AssetsFile:
    """Begin to read a file of assets; with the form auto, its name and then its content say what it is."""
    try:
        plain = _plain(file)
        head = _first_lines(plain)
        text = io.BufferedReader(_Again(head.removeprefix(BOM), plain))
        if form == "csv" or (form == "auto" and _is_table(name, head)):
            # What is not UTF-8 is passed on, for the reader of the table knows which line it stands in.
            lines = io.TextIOWrapper(text, encoding="utf-8", errors="surrogateescape", newline="")
            table = table_from_csv(lines)
            return AssetsFile("line", table.ignored, _guarded(_rows(table.rows), name))
    except _BROKEN as error:
        raise _broken(name, error) from error
    except Refused as refused:
        raise _unreadable(name, refused) from refused
    counts = "entry" if head.removeprefix(BOM).lstrip().startswith(b"[") else "line"
    return AssetsFile(counts, (), _guarded(hits_in(text, brand=brand), name))


class AssetRefusals(Refusals):
    """Counts the assets of a file that were refused, and tells the first of them in the file's order, with their id."""

    def __init__(self, counts: str, around: Surroundings) -> None:
        super().__init__(counts, around)
        self._held: list[tuple[int | str, str]] = []

    def sent(self, batch: Sequence[Sent], send: Callable[[bytes], Reply]) -> Mapping[str, Any]:
        """Send what can be sent of a batch, tell what was refused by whomever, and return the answer."""
        try:
            return super().sent(batch, send)
        finally:
            held, self._held = self._held, []
            pieces = {one.number: one.hit for one in batch}
            for number, reason in sorted(held, key=lambda one: one[0] if isinstance(one[0], int) else 0):
                asset_id = _id_in(pieces.get(number, b"") if isinstance(number, int) else b"")
                super()._tell(f"{number}, asset {asset_id}" if asset_id else number, reason)

    def _tell(self, number: int | str, reason: str) -> None:
        self._held.append((number, reason))


def _id_in(piece: bytes) -> str:
    try:
        fields = msgspec.json.decode(piece, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    text = str(fields.get("assetId") or "")[:ID_CHARACTERS_SHOWN]
    return text if text.isprintable() else repr(text)


def _rows(rows: Iterator[Row]) -> Iterator[Sent]:
    for row in rows:
        try:
            fields = fields_from_row(row)
        except Refused as refused:
            yield Sent(row.line, msgspec.json.encode(row.cells), refused.reason)
        else:
            yield Sent(row.line, msgspec.json.encode(fields))


def _is_table(name: str, head: bytes) -> bool:
    if name.lower().removesuffix(".gz").removesuffix(".zst").endswith(".csv"):
        return True
    first = head.removeprefix(BOM).strip()
    return not first.startswith((b"{", b"[")) and separator_in(first.decode(errors="replace")) is not None


def _guarded(assets: Iterator[Sent], name: str) -> Iterator[Sent]:
    try:
        yield from assets
    except _BROKEN as error:
        raise _broken(name, error) from error
    except Refused as refused:
        raise _unreadable(name, refused) from refused


def _broken(name: str, error: Exception) -> FileUnreadable:
    return FileUnreadable(f"{name} cannot be read to its end, its compressed data is damaged: {error}.")


def _unreadable(name: str, refused: Refused) -> FileUnreadable:
    what = "" if refused.field == "body" else f"{refused.field} "
    return FileUnreadable(f"{name}: {what}{refused.reason}.")


def _first_lines(file: BinaryIO) -> bytes:
    """Return the file up to its first line that is not blank."""
    head = line = file.readline(BATCH_BYTES_MAX)
    while line and not head.removeprefix(BOM).strip() and len(head) < BATCH_BYTES_MAX:
        line = file.readline(BATCH_BYTES_MAX)
        head += line
    return head


def _plain(file: BinaryIO) -> BinaryIO:
    """Return the content behind what the first bytes say it is wrapped in."""
    head = file.read(len(ZSTD_MARK))
    whole = io.BufferedReader(_Again(head, file))
    if head.startswith(GZIP_MARK):
        return cast("BinaryIO", gzip.GzipFile(fileobj=whole))
    if head.startswith(ZSTD_MARK):
        reader = zstandard.ZstdDecompressor().stream_reader(whole, read_across_frames=True, closefd=False)
        return io.BufferedReader(cast("io.RawIOBase", reader))
    return whole


class _Again(io.RawIOBase):
    """A file of which the first bytes were looked at, as if they were not."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size = len(buffer)
        data, self._head = self._head[:size], self._head[size:]
        if not data:
            data = self._rest.read(size)
        buffer[: len(data)] = data
        return len(data)
