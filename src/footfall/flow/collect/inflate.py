"""Bodies that come compressed, taken apart under a limit that no bomb passes."""

import zlib
from collections.abc import Iterator

import zstandard

from footfall.values.errors import FootfallError, Refused

_WINDOW_BYTES_MAX = 8 * 1024 * 1024  # What a zstd frame may ask us to hold; senders' defaults are below.
_GZIP_MEMBERS_MAX = 100  # Each costs a copy of the rest; a body of empty members would never end.
_ZSTD_PIECE_BYTES = 512  # A block of four bytes may hold 128 KB, so a piece gives 16 MB at most before it is measured.


class TooMuch(FootfallError):
    """A body is larger than what is taken."""


def inflate(body: bytes, encoding: str, *, bytes_max: int) -> bytes:
    """Return the body as it was before compression; raise TooMuch, or Refused when it does not decode."""
    match encoding:
        case "" | "identity":
            inflated = body
        case "gzip" | "x-gzip":
            inflated = _gzip(body, bytes_max)
        case "zstd":
            inflated = _zstd(body, bytes_max)
        case _:
            raise Refused("Content-Encoding", f"{encoding[:40]!r} is not taken; send gzip, zstd or none")
    if len(inflated) > bytes_max:
        raise TooMuch(f"the body has more than {bytes_max:,} bytes once decompressed")
    return inflated


def _gzip(body: bytes, bytes_max: int) -> bytes:
    parts: list[bytes] = []
    room = bytes_max + 1
    rest = body
    while rest and room > 0:  # A gzip file may have several members.
        if len(parts) == _GZIP_MEMBERS_MAX:
            raise Refused("body", f"has more than {_GZIP_MEMBERS_MAX} gzip members")
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(rest, room)
        except zlib.error as error:
            raise Refused("body", f"is not gzip: {error}") from error
        parts.append(part)
        room -= len(part)
        if not member.eof and room > 0:
            raise Refused("body", "is cut off: the gzip data does not end")
        rest = member.unused_data
    return b"".join(parts)


def _zstd(body: bytes, bytes_max: int) -> bytes:
    parts: list[bytes] = []
    room = bytes_max + 1
    try:
        for part in _zstd_parts(body):
            parts.append(part)
            room -= len(part)
            if room <= 0:
                break
    except zstandard.ZstdError as error:
        raise Refused("body", f"is not zstd: {error}") from error
    return b"".join(parts)


def _zstd_parts(body: bytes) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES_MAX)
    frame = decompressor.decompressobj()
    is_within = False
    for start in range(0, len(body), _ZSTD_PIECE_BYTES):
        piece = body[start : start + _ZSTD_PIECE_BYTES]
        while piece:  # Several frames may follow each other.
            yield frame.decompress(piece)
            is_within = not frame.eof
            piece = b"" if is_within else frame.unused_data
            if not is_within:
                frame = decompressor.decompressobj()
    if is_within:
        raise Refused("body", "is cut off: the zstd data does not end")
