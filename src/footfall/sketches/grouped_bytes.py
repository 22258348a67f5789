"""The sketches of many sets as the bytes that we store, and back. The format is drawn in docs/formats/uniques.md.

Equal sketches have equal content; the content is compressed, and its checksum tells without decoding whether two
windows met the same. Bytes that are not what was written are never turned into an answer.
"""

import struct

import numpy as np
import zstandard
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from footfall.sketches.coupons import ADDRESS_BITS, LG_K_MAX, LG_K_MIN, sparse_max
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed
from footfall.sketches.grouped import GroupedUniques
from footfall.sketches.nibbles import bytes_from_registers, packed_bytes, registers_from_bytes

VERSION = 1
CONTENT_BYTES_MAX = 500_000_000  # Some forty million groups of one: more is a broken length, and gets no memory.
DENSE_BYTES_MAX = 1_000_000_000  # Registers unpacked: a quarter of a million rows.

_MAGIC = b"ffug"
_WHAT = "a block of uniques"
_HEAD = struct.Struct("<QQ")  # bytes and checksum of the content
_COUNTS = struct.Struct("<BIII")  # lgK, groups, coupons, rows of registers
_LEVEL = 1


def bytes_from_grouped(sketches: GroupedUniques) -> bytes:
    """Return the sketches as bytes."""
    content = _content_from(sketches)
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(content)
    return framed(_MAGIC, VERSION, _HEAD.pack(len(content), xxh3_64_intdigest(content)) + packed)


def grouped_from_bytes(data: bytes) -> GroupedUniques:
    """Return the sketches that the bytes hold, or raise NotASketch."""
    frame = content_of(data, magic=_MAGIC, version=VERSION, what=_WHAT)
    size, checksum = _head_of(frame)
    if size > CONTENT_BYTES_MAX:
        raise _not(f"it claims {size} bytes of content, at most {CONTENT_BYTES_MAX} are read")
    try:
        content = zstandard.ZstdDecompressor().decompress(
            memoryview(frame)[_HEAD.size :], max_output_size=size, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise _not(f"it cannot be unpacked: {error}") from error
    if len(content) != size or xxh3_64_intdigest(content) != checksum:
        raise _not("its content does not have its checksum")
    return _grouped_from(content)


def grouped_checksum(data: bytes) -> str:
    """Return the checksum of the content, which is equal for equal sketches, without decoding them."""
    return f"{_head_of(content_of(data, magic=_MAGIC, version=VERSION, what=_WHAT))[1]:016x}"


def _head_of(frame: bytes) -> tuple[int, int]:
    if len(frame) < _HEAD.size:
        raise _not(f"it has {len(frame)} bytes, too few for any")
    size, checksum = _HEAD.unpack_from(frame)
    return size, checksum


def _content_from(one: GroupedUniques) -> bytes:
    counts = _COUNTS.pack(one.lg_k, len(one.groups), len(one.coupons), len(one.dense))
    # Steps between sorted numbers are small: their upper bytes are nearly all alike, and lie beside each other.
    steps = np.diff(one.groups.view(np.uint64), prepend=np.uint64(0))
    columns = [
        _planes(steps),
        _planes(np.diff(one.starts).astype(np.uint32)),
        _planes(one.coupons),
        _planes(one.dense.astype(np.uint32)),
    ]
    return b"".join([counts, *columns, *map(bytes_from_registers, one.registers)])


def _planes(numbers: NDArray[np.uint64] | NDArray[np.uint32]) -> bytes:
    """Return the lowest byte of every number, then the next of every number, and so on."""
    width = numbers.itemsize
    return np.ascontiguousarray(numbers, f"<u{width}").view(np.uint8).reshape(len(numbers), width).T.tobytes()


def _numbers(content: bytes, at: int, count: int, width: int) -> NDArray[np.uint64]:
    """Return the numbers whose planes begin there."""
    planes = np.frombuffer(content, np.uint8, count * width, at).reshape(width, count)
    return np.ascontiguousarray(planes.T).view(f"<u{width}").reshape(count).astype(np.uint64)


def _grouped_from(content: bytes) -> GroupedUniques:
    if len(content) < _COUNTS.size:
        raise _not(f"its content has {len(content)} bytes, too few for any")
    lg_k, groups, coupons, rows = _COUNTS.unpack_from(content)
    sizes = [(groups, 8), (groups, 4), (coupons, 4), (rows, 4)]
    ends = np.cumsum([_COUNTS.size, *(count * width for count, width in sizes)]).tolist()
    if ends[-1] > len(content) or not LG_K_MIN <= lg_k <= LG_K_MAX or rows << lg_k > DENSE_BYTES_MAX:
        raise _not(f"its content has {len(content)} bytes where its counts need {ends[-1]}, or lgK is {lg_k}")
    read = [_numbers(content, at, *size) for at, size in zip(ends, sizes, strict=False)]
    starts = np.zeros(groups + 1, np.int64)
    np.cumsum(read[1], out=starts[1:])
    made = GroupedUniques(
        lg_k=lg_k,
        groups=np.cumsum(read[0], dtype=np.uint64).view(np.int64),
        starts=starts,
        coupons=read[2].astype(np.uint32),
        dense=read[3].astype(np.int64),
        registers=_rows_from(content, ends[-1], rows=rows, size=1 << lg_k),
    )
    _require_sound(made)
    return made


def _rows_from(content: bytes, at: int, *, rows: int, size: int) -> NDArray[np.uint8]:
    registers = np.empty((rows, size), np.uint8)
    for row in range(rows):
        end = at + packed_bytes(content, at=at, size=size)
        registers[row] = registers_from_bytes(content[at:end], size=size)
        at = end
    if at != len(content):
        raise _not(f"{len(content) - at} bytes follow its last row")
    return registers


def _require_sound(made: GroupedUniques) -> None:
    """Raise unless groups rise, coupons rise within them, and only groups without coupons have registers."""
    counts = np.diff(made.starts)
    if made.starts[-1] != len(made.coupons) or np.any(counts > sparse_max(made.lg_k)):
        raise _not("its groups do not have its coupons")
    if np.any(made.groups[1:] <= made.groups[:-1]):
        raise _not("its groups are not distinct and rising")
    falls = np.flatnonzero(made.coupons[1:] <= made.coupons[:-1]) + 1
    if not np.all(np.isin(falls, made.starts)) or np.any(made.coupons >> np.uint32(ADDRESS_BITS) == 0):
        raise _not("its coupons are not distinct and rising within a group, or are none")
    if not np.array_equal(made.dense, np.flatnonzero(counts == 0)):
        raise _not("its groups without coupons are not those with registers")


def _not(reason: str) -> NotASketch:
    return NotASketch(f"these bytes are not {_WHAT}: {reason}; count its window again")
