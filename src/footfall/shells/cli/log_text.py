"""The text of a log, whatever it is wrapped in: a file or the standard input, plain or compressed, cut into stretches.

A stretch is some hundred kilobytes of whole lines with the places where it begins and ends in the plain text, so that
a log and its compressed copy have the same places.
"""

import bz2
import gzip
import io
import os
import select
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import zstandard

from footfall.flow.collect.logfile.fingerprints import TAIL_BYTES
from footfall.values.errors import FootfallError

STRETCH_BYTES = 256 * 1_024  # One or two thousand lines: handed over in one go, and lost in one go when interrupted.
LINE_BYTES_MAX = 64 * 1_024  # Servers take some 32 KB of headers; what is longer is cut, never gathered.
STDIN = "-"
_WAIT_S = 0.2  # How soon a wait for the standard input notices that it should stop.
_ZSTD_WINDOW_BYTES_MAX = 128 * 1_024 * 1_024  # What `zstd --long` writes.
_HEAD_BYTES = 6
_CHECKED_BYTES = 2 * 1_024  # Fed at a time: what was packed to do harm unfolds to some 60 MB of it, no more.
_SPOOLED_BYTES_MAX = 1_024 * 1_024 * 1_024
_CUT_OFF = "is cut off: its compressed data ends early"
_GZIP, _BZ2, _ZSTD = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"
_BROKEN = (EOFError, OSError, zlib.error, zstandard.ZstdError)

IsStopping = Callable[[], bool]


class LogUnreadable(FootfallError):
    """A log cannot be opened."""


class _Read1(Protocol):
    def read1(self, size: int, /) -> bytes: ...


class _Unpacking(Protocol):
    """One member, stream or frame of a compressed file on its way."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole lines of a log: where they begin and end in its text, the number of the first, the text before the end."""

    begins: int
    ends: int
    lines: list[bytes]
    number: int
    tail: bytes


class LogText:
    """A log that is open for reading, and how far it has been read."""

    def __init__(self, name: str, raw: BinaryIO, *, size: int | None, is_stopping: IsStopping) -> None:
        self.name = name
        self.size = size  # of what is on disk; None: nobody knows
        self.is_live = size is None
        self.broken = ""
        self._raw = raw
        self._is_stopping = is_stopping
        self._head = head = b"" if not self._may_read() else raw.read(_HEAD_BYTES)
        self._counted = _Counted(raw, head)
        self.is_compressed, self._plain = _plain(self._counted, head)
        self.offset = 0  # of the end of the last stretch, in the plain text
        self.number = 1  # of the next line
        self._recent = b""  # the text before what is read next
        self._unread = b""
        self._partial = b""
        self._dropped = 0  # bytes of the partial line that were not kept

    @property
    def wire_bytes(self) -> int:
        """Return how many bytes of the file, as it is stored, have been read."""
        return self._counted.count

    def damage(self) -> str:
        """Read a compressed file to its end, before anything else is read, and say what is wrong with it, if anything.

        Checksums come behind the text that they vouch for, so that text may be believed only when all was read.
        """
        if not self.is_compressed or self.is_live:
            return ""
        self._raw.seek(0)
        wrong = self._damage()
        self._raw.seek(len(self._head))
        return wrong

    def from_start(self) -> "LogText":
        """Return the same file, to be read from its beginning; this text is then done with."""
        self._raw.seek(0)
        return LogText(self.name, self._raw, size=self.size, is_stopping=self._is_stopping)

    def spooled(self) -> "LogText":
        """Return a live input as a file without a name, for it takes a second reading to know that it is sound."""
        file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the text
        while self._may_read() and (piece := self._counted.read(STRETCH_BYTES)):
            if self.wire_bytes > _SPOOLED_BYTES_MAX:
                file.close()
                raise LogUnreadable(
                    f"{self.name} has more than {_SPOOLED_BYTES_MAX:,} compressed bytes; save it to a file and import "
                    "that, or unpack it on its way here."
                )
            file.write(piece)
        file.seek(0)
        return LogText(self.name, file, size=self.wire_bytes, is_stopping=self._is_stopping)

    def sample(self, size: int) -> list[bytes]:
        """Return the first lines that are whole, and leave them to be read."""
        block = self._block(size)
        while block and not block.strip(b"\0"):  # A hole, see below: it holds no line and may be long.
            self.offset += len(block)
            self._recent = (self._recent + block)[-TAIL_BYTES:]
            block = self._block(size)
        has_ended = False
        while self.is_live and not has_ended and b"\n" not in block and len(block) < size:
            piece = self._block(size - len(block))
            has_ended = not piece
            block += piece
        self._unread = block + self._unread
        lines = block.split(b"\n")
        # A first line that fills the sample, or all that a stream had to say, is whole enough to be a name.
        return lines[:-1] or (lines if has_ended or len(block) >= size else [])

    def has_more(self) -> bool:
        """Tell whether text is there that was looked at and not read: a line that does not end."""
        return bool(self._unread.strip())

    def stretch(self, most: int = STRETCH_BYTES) -> Stretch | None:
        """Return the next whole lines, None when there is none yet."""
        while True:
            block = self._block(most)
            if not block:
                return None
            cut = block.rfind(b"\n") + 1
            text, rest = self._partial + block[:cut], block[cut:]
            before, self._recent = self._recent, (self._recent + block)[-TAIL_BYTES:]
            if cut:
                begins = self.offset
                self.offset += len(text) + self._dropped
                self._dropped = 0
                self._keep(rest)
                return self._as_stretch(begins, text, tail=(before + block[:cut])[-TAIL_BYTES:])
            self._keep(self._partial + rest)

    def last_line(self) -> Stretch | None:
        """Return the text behind the last whole line, if there is any; it is then read."""
        if not self._partial:
            return None
        begins, text = self.offset, self._partial
        self.offset += len(text) + self._dropped
        self._partial, self._dropped = b"", 0
        return self._as_stretch(begins, text + b"\n", tail=self._recent)

    def skip(self, offset: int, on_lines: Callable[[list[bytes]], object]) -> bytes | None:
        """Read up to a place, showing its header lines, and return the text before it; None when it ends earlier."""
        tail = b""
        while self.offset + len(self._partial) + self._dropped < offset:
            stretch = self.stretch(min(STRETCH_BYTES, offset - self.offset - len(self._partial) - self._dropped))
            if stretch is None:
                break
            on_lines([line for line in stretch.lines if line.startswith(b"#")])
            tail = stretch.tail
        if self.offset < offset and self.offset + len(self._partial) + self._dropped == offset:
            self.last_line()  # The place is behind a last line that did not end when it was read.
            tail = self._recent
        return tail if self.offset == offset else None

    def end_of_file(self) -> tuple[int, int]:
        """Return which file is open and how long it is now."""
        state = os.fstat(self._raw.fileno())
        return state.st_ino, state.st_size

    def has_same_past(self) -> bool:
        """Tell whether a plain file still holds the text that was read last."""
        at = self.wire_bytes - len(self._unread)
        recent = self._recent
        return os.pread(self._raw.fileno(), len(recent), at - len(recent)) == recent

    def close(self) -> None:
        """Close what it opened; the standard input stays open."""
        if self.name != STDIN or not self.is_live:
            self._raw.close()

    def _damage(self) -> str:
        unpacking, padding = _unpacking(self._head), b"\0" if self._head.startswith(_GZIP) else b""
        try:
            while piece := self._raw.read(_CHECKED_BYTES):
                while piece:
                    if unpacking.eof:
                        piece = piece.lstrip(padding)
                        if not piece:
                            break
                        unpacking = _unpacking(self._head)
                    unpacking.decompress(piece)
                    piece = unpacking.unused_data if unpacking.eof else b""
                if self._is_stopping():
                    return ""  # Nothing of it will be taken either.
        except _BROKEN as error:
            return f"is damaged: {error}"
        return "" if unpacking.eof else _CUT_OFF

    def _as_stretch(self, begins: int, text: bytes, *, tail: bytes) -> Stretch:
        if b"\r\n" in text:
            text = text.replace(b"\r\n", b"\n")
        if begins == 0:
            text = text.removeprefix(b"\xef\xbb\xbf")
        lines = text.split(b"\n")
        lines.pop()
        if b"\0" in text:  # A log that was truncated under its writer begins with a hole.
            lines = [line.lstrip(b"\0") for line in lines]
        number, self.number = self.number, self.number + len(lines)
        return Stretch(begins, self.offset, lines, number, tail)

    def _keep(self, partial: bytes) -> None:
        # A hole may be gigabytes long, and what follows it is a line.
        kept = partial.lstrip(b"\0")[:LINE_BYTES_MAX] if len(partial) > LINE_BYTES_MAX else partial
        self._dropped += len(partial) - len(kept)
        self._partial = kept

    def _block(self, most: int) -> bytes:
        pieces, got = [self._unread[:most]], len(self._unread[:most])
        self._unread = self._unread[most:]
        while got < most and not self.broken and not (self.is_live and got):
            if not self._may_read():
                break
            piece = self._piece(most - got)
            if not piece:
                break
            pieces.append(piece)
            got += len(piece)
        return b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        try:
            return self._plain.read1(most)
        except _BROKEN as error:
            self.broken = "its compressed data ends early" if isinstance(error, EOFError) else f"it breaks off: {error}"
            return b""

    def _may_read(self) -> bool:
        """Wait until a live input has something, and tell whether it may be read at all."""
        if not self.is_live or not _has_descriptor(self._raw):
            return True
        while not self._is_stopping():
            if select.select([self._raw], [], [], _WAIT_S)[0]:
                return True
        return False


def open_log(name: str, *, stdin: BinaryIO, is_stopping: IsStopping) -> LogText:
    """Open the log of that name, or the standard input for a dash."""
    if name == STDIN:
        text = LogText(name, stdin, size=None, is_stopping=is_stopping)
        return text.spooled() if text.is_compressed else text
    try:
        raw = Path(name).open("rb")  # noqa: SIM115 - it is closed with the text
        if not raw.seekable():
            text = LogText(name, raw, size=None, is_stopping=is_stopping)
            return _spooled(text) if text.is_compressed else text
        return LogText(name, raw, size=os.fstat(raw.fileno()).st_size, is_stopping=is_stopping)
    except OSError as error:
        raise LogUnreadable(f"{name} cannot be read: {error.strerror}.") from error


def _spooled(text: LogText) -> LogText:
    try:
        return text.spooled()
    finally:
        text.close()


class _Counted(io.RawIOBase):
    """A file's bytes with those that were looked at first, counted as they are read."""

    def __init__(self, raw: BinaryIO, head: bytes) -> None:
        super().__init__()
        self._raw = raw
        self._head = head
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = cast("_Read1", self._raw).read1(size)
        self.count += len(data)
        return data

    def read1(self, size: int, /) -> bytes:
        return self.read(size)


def _unpacking(head: bytes) -> _Unpacking:
    """Return what checks a compressed file's next part, down to its checksum and length."""
    if head.startswith(_GZIP):
        return zlib.decompressobj(zlib.MAX_WBITS | 16)  # with gzip's header and trailer
    if head.startswith(_BZ2):
        return bz2.BZ2Decompressor()
    return cast("_Unpacking", zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES_MAX).decompressobj())


def _plain(counted: _Counted, head: bytes) -> tuple[bool, _Read1]:
    """Return the plain text behind what the first bytes say it is wrapped in."""
    if head.startswith(_GZIP):
        return True, cast("_Read1", gzip.GzipFile(fileobj=cast("BinaryIO", counted)))
    if head.startswith(_BZ2):
        return True, bz2.BZ2File(cast("BinaryIO", counted))
    if head.startswith(_ZSTD):
        decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES_MAX)
        return True, cast(
            "_Read1", decompressor.stream_reader(cast("BinaryIO", counted), read_across_frames=True, closefd=False)
        )
    return False, counted


def _has_descriptor(raw: BinaryIO) -> bool:
    try:
        raw.fileno()
    except OSError:
        return False
    return True
