"""Theta sketches as Apache DataSketches writes compact ones (serial version 3), out and in.

What comes in was made by somebody else and may be anything: all of it is checked here before native code sees it.
"""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.errors import NotASketch

THETA_MAX = (1 << 63) - 1
HASHES_MAX = 1 << 16  # Half a megabyte: twice what the largest of our sketches may hold.

_HEAD = struct.Struct("<BBBBBBH")  # longs of preamble, version, family, two unused, flags, check of the seed
_COUNTS = struct.Struct("<II")  # hashes, unused
_VERSION, _FAMILY = 3, 3
_SEED_CHECK = 0x93CC  # of the seed 9001
_READ_ONLY, _EMPTY, _COMPACT, _ORDERED = 2, 4, 8, 16
_LONG = 8


@dataclass(frozen=True, slots=True, eq=False)
class CompactTheta:
    """What the bytes hold: all hashes of a set below a limit, rising."""

    limit: int
    hashes: NDArray[np.uint64]


def bytes_from_compact(compact: CompactTheta) -> bytes:
    """Return the bytes, the same for the same content."""
    flags = _READ_ONLY | _COMPACT | _ORDERED
    count, body = len(compact.hashes), compact.hashes.astype("<u8").tobytes()
    if compact.limit < THETA_MAX:
        return _head(3, flags) + _COUNTS.pack(count, 0) + struct.pack("<Q", compact.limit) + body
    if count == 0:
        return _head(1, flags | _EMPTY)
    return _head(1, flags) + body if count == 1 else _head(2, flags) + _COUNTS.pack(count, 0) + body


def compact_from_bytes(data: bytes) -> CompactTheta:
    """Return what the bytes hold, or raise NotASketch."""
    longs, flags = _head_of(data)
    if flags & _EMPTY:
        if len(data) != _LONG:
            raise _not(f"it says that it is empty and has {len(data)} bytes")
        return CompactTheta(THETA_MAX, np.empty(0, np.uint64))
    if len(data) < longs * _LONG:
        raise _not(f"it has {len(data)} bytes, fewer than its preamble of {longs * _LONG}")
    count = 1 if longs == 1 else int(_COUNTS.unpack_from(data, _LONG)[0])
    limit = THETA_MAX if longs < 3 else int.from_bytes(data[2 * _LONG : 3 * _LONG], "little")
    if count > HASHES_MAX or len(data) != (longs + count) * _LONG:
        raise _not(f"it says {count} hashes and has {len(data)} bytes")
    hashes = np.frombuffer(data, "<u8", count, longs * _LONG).astype(np.uint64)
    hashes = hashes if flags & _ORDERED else np.sort(hashes)
    if not 0 < limit <= THETA_MAX or np.any(hashes[1:] <= hashes[:-1]) or np.any(hashes[:1] == 0):
        raise _not("its limit is none, or its hashes are not distinct and rising")
    if np.any(hashes[-1:] >= np.uint64(limit)):
        raise _not("a hash lies above its limit")
    return CompactTheta(limit, hashes)


def _head(longs: int, flags: int) -> bytes:
    return _HEAD.pack(longs, _VERSION, _FAMILY, 0, 0, flags, _SEED_CHECK)


def _head_of(data: bytes) -> tuple[int, int]:
    """Return how long the preamble is, and the flags."""
    if len(data) < _HEAD.size:
        raise _not(f"it has {len(data)} bytes, and a sketch has at least {_HEAD.size}")
    longs, version, family, _, _, flags, check = _HEAD.unpack_from(data)
    if version != _VERSION or family != _FAMILY or not 1 <= longs <= 3:
        raise _not(f"it says version {version} of family {family} with {longs} longs; write it compact, not compressed")
    if check != _SEED_CHECK and not flags & _EMPTY:
        raise _not(f"it was made with another seed (check {check:#06x}), so its hashes are not ours")
    return longs, flags


def _not(reason: str) -> NotASketch:
    return NotASketch(
        f"these bytes are not a compact DataSketches Theta sketch: {reason}; send what its serialiser wrote"
    )
