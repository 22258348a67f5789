"""The frame around every stored sketch: what it is, whether it is whole, and in which version it was written.

The first 14 bytes mean the same in every version and for every kind: four letters, the checksum of all that follows
it, and the version. So broken bytes can always be told from bytes of a version that is not known here.
"""

import struct

from xxhash import xxh3_64_intdigest

from footfall.sketches.errors import NotASketch, UnknownSketchVersion

FRAME_BYTES = 14

_FRAME = struct.Struct("<4sQH")
_CHECKED_FROM = 12


def framed(magic: bytes, version: int, content: bytes) -> bytes:
    """Return the content behind its letters, checksum and version."""
    checked = struct.pack("<H", version) + content
    return magic + struct.pack("<Q", xxh3_64_intdigest(checked)) + checked


def content_of(data: bytes, *, magic: bytes, version: int, what: str) -> bytes:
    """Return what the frame holds, or raise NotASketch when it is not whole or of another kind or version."""
    if len(data) < FRAME_BYTES or data[: len(magic)] != magic:
        raise NotASketch(f"{len(data)} bytes that begin with {data[:4]!r} are not {what}; count it again")
    _, check, found = _FRAME.unpack_from(data)
    if xxh3_64_intdigest(memoryview(data)[_CHECKED_FROM:]) != check:
        raise NotASketch(f"{what} of {len(data)} bytes does not have its checksum; count it again")
    if found != version:
        raise UnknownSketchVersion(f"{what} has format version {found}, this footfall reads {version}; upgrade it")
    return data[FRAME_BYTES:]
