"""A sketch as the bytes that we store, and back. The format is drawn in docs/formats/uniques.md.

Equal sketches are equal bytes. Bytes that we would not have written are never turned into a sketch.
"""

import struct

import numpy as np

from footfall.sketches.coupons import ADDRESS_BITS, LG_K_MAX, LG_K_MIN, NO_COUPONS, Coupons, sparse_max
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import content_of, framed
from footfall.sketches.nibbles import bytes_from_registers, registers_from_bytes
from footfall.sketches.uniques import Uniques, from_registers

VERSION = 1

_MAGIC = b"ffun"
_HEAD = struct.Struct("<BB")  # lgK, form
_SPARSE, _DENSE = 0, 1


def bytes_from_uniques(sketch: Uniques) -> bytes:
    """Return the sketch as bytes."""
    if sketch.registers is None:
        content = _HEAD.pack(sketch.lg_k, _SPARSE) + sketch.coupons.astype("<u4").tobytes()
    else:
        content = _HEAD.pack(sketch.lg_k, _DENSE) + bytes_from_registers(sketch.registers)
    return framed(_MAGIC, VERSION, content)


def uniques_from_bytes(data: bytes) -> Uniques:
    """Return the sketch that the bytes hold, or raise NotASketch."""
    content = content_of(data, magic=_MAGIC, version=VERSION, what="a sketch of uniques")
    if len(content) < _HEAD.size:
        raise NotASketch(f"a sketch of uniques has {len(content)} bytes of content, too few for any; count it again")
    lg_k, form = _HEAD.unpack_from(content)
    if not LG_K_MIN <= lg_k <= LG_K_MAX or form not in (_SPARSE, _DENSE):
        raise NotASketch(f"a sketch of uniques says lgK {lg_k} and form {form}, and none has those; count it again")
    body = content[_HEAD.size :]
    if form == _DENSE:
        return from_registers(registers_from_bytes(body, size=1 << lg_k))
    if len(body) % 4 or len(body) > 4 * sparse_max(lg_k):
        raise NotASketch(f"{len(body)} bytes of coupons are no whole number, or more than a sketch has; count it again")
    coupons = np.frombuffer(body, "<u4").astype(np.uint32)
    require_coupons(coupons)
    coupons.setflags(write=False)
    return Uniques(lg_k, coupons if len(coupons) else NO_COUPONS, None)


def require_coupons(coupons: Coupons) -> None:
    """Raise NotASketch unless these are coupons, each higher than the one before."""
    if np.any(coupons[1:] <= coupons[:-1]) or np.any(coupons >> np.uint32(ADDRESS_BITS) == 0):
        raise NotASketch("the coupons of a sketch are not distinct and rising, or are none; count it again")
