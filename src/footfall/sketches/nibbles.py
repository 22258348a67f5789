"""Registers in four bits each: the distance from the lowest one, and a list of the few that are too far from it.

Of registers that have met n values, nearly all lie within 14 of the lowest, whatever n is. Packing is by rule and not
by a compressor, so equal registers are equal bytes in every release.
"""

import struct

import numpy as np

from footfall.sketches.coupons import ADDRESS_BITS, RHO_MAX, Registers
from footfall.sketches.errors import NotASketch

_HEAD = struct.Struct("<BI")  # the lowest register, and how many exceptions follow the nibbles
_FAR = 15


def bytes_from_registers(registers: Registers) -> bytes:
    """Return the registers as bytes."""
    lowest = int(registers.min())
    distance = registers - np.uint8(lowest)
    far = np.flatnonzero(distance >= _FAR)
    nibbles = np.minimum(distance, np.uint8(_FAR)).reshape(-1, 2)
    packed = nibbles[:, 0] | nibbles[:, 1] << np.uint8(4)
    exceptions = far.astype("<u4") | registers[far].astype("<u4") << np.uint32(ADDRESS_BITS)
    return _HEAD.pack(lowest, len(far)) + packed.tobytes() + exceptions.astype("<u4").tobytes()


def packed_bytes(data: bytes, *, at: int, size: int) -> int:
    """Return how many bytes the registers that begin there take, so many of them."""
    if len(data) - at < _HEAD.size:
        raise NotASketch(f"{len(data) - at} bytes are too few for the head of registers; count it again")
    return _HEAD.size + size // 2 + 4 * int(_HEAD.unpack_from(data, at)[1])


def registers_from_bytes(data: bytes, *, size: int) -> Registers:
    """Return as many registers of exactly these bytes, or raise NotASketch."""
    if len(data) != packed_bytes(data, at=0, size=size):
        raise NotASketch(f"{len(data)} bytes are not {size} registers; count it again")
    lowest, exceptions = _HEAD.unpack_from(data)
    packed = np.frombuffer(data, np.uint8, size // 2, _HEAD.size)
    registers = np.stack([packed & np.uint8(_FAR), packed >> np.uint8(4)], axis=1).ravel()
    far = np.frombuffer(data, "<u4", exceptions, _HEAD.size + size // 2).astype(np.uint32)
    address = far & np.uint32((1 << ADDRESS_BITS) - 1)
    if lowest > RHO_MAX or np.any(address >= size):
        raise NotASketch(f"the lowest register is {lowest}, or one lies outside of {size}; count it again")
    registers += np.uint8(lowest)
    registers[address] = far >> np.uint32(ADDRESS_BITS)
    # One form for one content: whatever is written otherwise was not written by us.
    if np.any(registers > RHO_MAX) or bytes_from_registers(registers) != data:
        raise NotASketch(f"{len(data)} bytes are not how {size} registers are written; count it again")
    return registers
