"""Bodies that come compressed, taken apart under a limit that no bomb passes."""

import zlib

import zstandard

from footfall.values.errors import FootfallError, Refused

_WINDOW_BYTES_MAX = 8 * 1024 * 1024  # What a zstd frame may ask us to hold; senders' defaults are below.


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
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES_MAX)
    try:
        with decompressor.stream_reader(body, read_across_frames=True) as reader:
            parts: list[bytes] = []
            room = bytes_max + 1
            while room > 0 and (part := reader.read(min(room, 1 << 20))):
                parts.append(part)
                room -= len(part)
    except zstandard.ZstdError as error:
        raise Refused("body", f"is not zstd: {error}") from error
    return b"".join(parts)
