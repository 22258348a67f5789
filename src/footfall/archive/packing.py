"""Packs: the exchanges and the documents of a capture as bytes, versioned and checksummed.

The layout is drawn in docs/formats/archive-packs.md. Equal content packs to equal bytes. Half of a surrogate pair,
which a page's script can make and UTF-8 cannot hold, becomes U+FFFD, as in what a browser itself would send.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

import msgspec
import zstandard
from xxhash import xxh3_64_intdigest

from footfall.archive.captures import Kept
from footfall.ports.capturing import Exchange, Frame
from footfall.ports.errors import Corrupt

RECORDS_MAGIC = b"FFAR"
FRAMES_MAGIC = b"FFAF"
VERSION = 1
INLINE_BYTES_MAX = 16_000  # A larger body is likely to be another page's, too, and lies under its hash.
UNPACKED_BYTES_MAX = 400_000_000  # Several times what one capture may fetch; a pack that claims more is not ours.

_HEAD = struct.Struct("<4sQH")
_CHECKED_FROM = 12
_LEVEL = 6

_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class Recorded:
    """An exchange whose larger bodies are still where they lie."""

    url: str
    method: str
    status: int
    at_us: int
    request_headers: Sequence[tuple[str, str]]
    response_headers: Sequence[tuple[str, str]]
    body: bytes | Kept
    request_body: bytes | Kept = b""
    is_cut: bool = False


class _Reference(NamedTuple):
    sha256: str
    size_bytes: int


class _Packed(NamedTuple):
    url: str
    method: str
    status: int
    at_us: int
    request_headers: list[tuple[str, str]]
    response_headers: list[tuple[str, str]]
    body: bytes | None
    body_at: _Reference | None
    request_body: bytes | None
    request_body_at: _Reference | None
    is_cut: bool


class _PackedFrame(NamedTuple):
    url: str
    html: str


def pack_records(exchanges: Sequence[Exchange], put_body: Callable[[bytes], Kept]) -> bytes:
    """Return the pack of all exchanges; bodies of more than 16 KB are given to `put_body` and referred to."""
    return _framed(RECORDS_MAGIC, [_packed(exchange, put_body) for exchange in exchanges])


def exchanges_from(pack: bytes, get_body: Callable[[str], bytes]) -> Iterator[Exchange]:
    """Yield the exchanges of a pack, with bodies that `get_body` finds by their hash; raise Corrupt."""
    for recorded in recorded_from(pack):
        yield Exchange(
            url=recorded.url,
            method=recorded.method,
            status=recorded.status,
            at_us=recorded.at_us,
            request_headers=recorded.request_headers,
            response_headers=recorded.response_headers,
            body=body_from(recorded.body, get_body),
            request_body=body_from(recorded.request_body, get_body),
            is_cut=recorded.is_cut,
        )


def recorded_from(pack: bytes) -> Sequence[Recorded]:
    """Return the exchanges of a pack without fetching what lies elsewhere; raise Corrupt."""
    return [
        Recorded(
            url=found.url,
            method=found.method,
            status=found.status,
            at_us=found.at_us,
            request_headers=found.request_headers,
            response_headers=found.response_headers,
            body=_place(found.body, found.body_at),
            request_body=_place(found.request_body, found.request_body_at),
            is_cut=found.is_cut,
        )
        for found in _unframed(pack, magic=RECORDS_MAGIC, kind=list[_Packed])
    ]


def bodies_of(pack: bytes) -> Sequence[Kept]:
    """Return what a pack refers to, each once, in order."""
    places = (place for recorded in recorded_from(pack) for place in (recorded.body, recorded.request_body))
    return list(dict.fromkeys(place for place in places if isinstance(place, Kept)))


def body_from(place: bytes | Kept, get_body: Callable[[str], bytes]) -> bytes:
    """Return a body from where it is; raise Corrupt when it is not the one that was put there."""
    if isinstance(place, bytes):
        return place
    body = get_body(place.sha256)
    if len(body) != place.size_bytes or sha256(body).hexdigest() != place.sha256:
        raise Corrupt(f"blob {place.sha256} does not have the bytes of its name: restore it from a backup")
    return body


def pack_frames(frames: Sequence[Frame]) -> bytes:
    """Return the pack of a page's documents."""
    return _framed(FRAMES_MAGIC, [_PackedFrame(_whole(frame.url), _whole(frame.html)) for frame in frames])


def frames_from(pack: bytes) -> Sequence[Frame]:
    """Return the documents of a pack, the page's own first; raise Corrupt."""
    return [Frame(*found) for found in _unframed(pack, magic=FRAMES_MAGIC, kind=list[_PackedFrame])]


def _packed(exchange: Exchange, put_body: Callable[[bytes], Kept]) -> _Packed:
    body, body_at = _placed(exchange.body, put_body)
    request_body, request_body_at = _placed(exchange.request_body, put_body)
    return _Packed(
        url=_whole(exchange.url),
        method=_whole(exchange.method),
        status=exchange.status,
        at_us=exchange.at_us,
        request_headers=[(_whole(name), _whole(value)) for name, value in exchange.request_headers],
        response_headers=[(_whole(name), _whole(value)) for name, value in exchange.response_headers],
        body=body,
        body_at=body_at,
        request_body=request_body,
        request_body_at=request_body_at,
        is_cut=exchange.is_cut,
    )


def _placed(body: bytes, put_body: Callable[[bytes], Kept]) -> tuple[bytes | None, _Reference | None]:
    if len(body) <= INLINE_BYTES_MAX:
        return body, None
    kept = put_body(body)
    return None, _Reference(kept.sha256, kept.size_bytes)


def _place(body: bytes | None, at: _Reference | None) -> bytes | Kept:
    return Kept(*at) if at is not None else body or b""


def _whole(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _framed(magic: bytes, content: Sequence[Any]) -> bytes:
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(content))
    checked = struct.pack("<H", VERSION) + packed
    return magic + struct.pack("<Q", xxh3_64_intdigest(checked)) + checked


def _unframed(pack: bytes, *, magic: bytes, kind: type[_Content]) -> _Content:
    if len(pack) < _HEAD.size or pack[: len(magic)] != magic:
        raise Corrupt(f"{len(pack)} bytes that begin with {pack[:4]!r} are no pack of a capture: restore a backup")
    _, check, version = _HEAD.unpack_from(pack)
    if xxh3_64_intdigest(memoryview(pack)[_CHECKED_FROM:]) != check:
        raise Corrupt(f"a pack of {len(pack)} bytes does not have its checksum: restore it from a backup")
    if version != VERSION:
        raise Corrupt(f"a pack has format version {version}, this footfall reads {VERSION}: upgrade footfall")
    try:
        content = zstandard.ZstdDecompressor().decompress(
            memoryview(pack)[_HEAD.size :], max_output_size=UNPACKED_BYTES_MAX
        )
        return msgspec.msgpack.decode(content, type=kind)
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise Corrupt(f"a pack of {len(pack)} bytes cannot be read ({error}): restore it from a backup") from error
