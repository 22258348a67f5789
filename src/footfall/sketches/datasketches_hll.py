"""Sketches in Apache DataSketches' own HLL format, out and in, so that Spark, Druid and others read ours and we theirs.

What comes in was made by somebody else and may be anything: every length, count and number is checked here before it
is used, and no native code sees the bytes. The format is that of DataSketches' HLL preamble, version 1.
"""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.coupons import ADDRESS_BITS, LG_K_MAX, LG_K_MIN, RHO_MAX, Coupons, Registers
from footfall.sketches.errors import NotASketch, OtherSize
from footfall.sketches.uniques import Uniques, from_coupons, from_registers

BYTES_MAX = 40 + (1 << LG_K_MAX) * 5  # The registers, and an exception for each of them, which is more than any has.

_HEAD = struct.Struct("<8B")  # ints of preamble, version, family, lgK, lg of the array, flags, count or lowest, mode
_SUMS = struct.Struct("<dddII")  # HIP, sum of weights below and from 2**-32 on, registers at the lowest, exceptions
_VERSION, _FAMILY = 1, 7
_LIST, _SET, _HLL = 0, 1, 2  # the low two bits of the mode
_HLL_4, _HLL_6, _HLL_8 = 0, 1, 2  # the next two
_INTS = {_LIST: 2, _SET: 3, _HLL: 10}
_EMPTY, _COMPACT, _OUT_OF_ORDER, _STALE_SUMS = 4, 8, 16, 32  # flags; the last only in Java, another thing in C++
_LIST_MAX = 7  # An eighth coupon makes it a set.
_SET_LG_MIN = 5
_LARGE_RHO = 32  # Weights from here on are summed apart, so that either sum is exact.
_EXCEPTIONS_LG = {8: 3, 9: 3, 10: 4, 11: 4, 12: 5, 13: 5, 14: 6, 15: 7, 16: 8}  # the first table, by lgK
_EXCEPTION = 15  # A register of four bits that says: look among the exceptions.


def datasketches_from_uniques(sketch: Uniques) -> bytes:
    """Return the sketch as DataSketches writes one of type HLL_8, compact."""
    if sketch.registers is not None:
        return _bytes_of_registers(sketch.lg_k, sketch.registers)
    count = len(sketch.coupons)
    flags = _COMPACT | (0 if count else _EMPTY)
    body = sketch.coupons.astype("<u4").tobytes()
    mode = _HLL_8 << 2
    if count <= _LIST_MAX:
        return _HEAD.pack(_INTS[_LIST], _VERSION, _FAMILY, sketch.lg_k, 3, flags, count, mode | _LIST) + body
    # The smallest table that is at most three quarters full, as a reader would fill it.
    lg_table = max(_SET_LG_MIN, ((4 * count + 2) // 3 - 1).bit_length())
    head = _HEAD.pack(_INTS[_SET], _VERSION, _FAMILY, sketch.lg_k, lg_table, flags, 0, mode | _SET)
    return head + struct.pack("<I", count) + body


def uniques_from_datasketches(data: bytes) -> Uniques:
    """Return the sketch that DataSketches' bytes hold, of any type and form, or raise NotASketch or OtherSize."""
    head = _head_of(data)
    if head.mode == _HLL:
        return from_registers(_registers_of(data, head))
    return from_coupons(_coupons_of(data, head), lg_k=head.lg_k)


@dataclass(frozen=True, slots=True)
class _Head:
    """The first eight bytes."""

    lg_k: int
    lg_array: int
    flags: int
    number: int  # of a list: its length; of registers: the lowest
    mode: int
    kind: int

    @property
    def is_compact(self) -> bool:
        return bool(self.flags & _COMPACT)


def _head_of(data: bytes) -> _Head:
    if not _HEAD.size <= len(data) <= BYTES_MAX:
        raise _not(f"it has {len(data)} bytes, and a sketch has from {_HEAD.size} to {BYTES_MAX}")
    ints, version, family, lg_k, lg_array, flags, number, modes = _HEAD.unpack_from(data)
    mode, kind = modes & 3, modes >> 2
    if version != _VERSION or family != _FAMILY:
        raise _not(f"it says version {version} of family {family}, and HLL is version {_VERSION} of family {_FAMILY}")
    if mode not in _INTS or kind > _HLL_8 or ints != _INTS[mode]:
        raise _not(f"it says mode {modes} with a preamble of {ints}, which do not go together")
    if not LG_K_MIN <= lg_k <= LG_K_MAX:
        raise OtherSize(f"a sketch has lgK {lg_k}, and we keep {LG_K_MIN} to {LG_K_MAX}; make it of one of those sizes")
    return _Head(lg_k=lg_k, lg_array=lg_array, flags=flags, number=number, mode=mode, kind=kind)


def _coupons_of(data: bytes, head: _Head) -> Coupons:
    start, count = _HEAD.size, head.number
    if head.mode == _SET:
        start = _INTS[_SET] * 4
        count = int.from_bytes(data[_HEAD.size : start], "little")
    if head.is_compact:
        slots = count
    elif head.lg_array <= head.lg_k:
        slots = 1 << head.lg_array
    else:
        raise _not(f"its table of 2**{head.lg_array} coupons is larger than its registers would be")
    if len(data) != start + 4 * slots:
        raise _not(f"it has {len(data)} bytes where its counts need {start + 4 * slots}")
    coupons = np.frombuffer(data, "<u4", slots, start).astype(np.uint32)
    coupons = coupons if head.is_compact else coupons[coupons != 0]
    distinct = len(np.unique(coupons))
    if distinct != count or np.any(coupons >> np.uint32(ADDRESS_BITS) == 0):
        raise _not(f"it says {count} coupons and has {distinct}, or some that are none")
    return coupons


def _registers_of(data: bytes, head: _Head) -> Registers:
    size = 1 << head.lg_k
    start = _HEAD.size + _SUMS.size
    bytes_of = {_HLL_4: size // 2, _HLL_6: size * 3 // 4 + 1, _HLL_8: size}
    end = start + bytes_of[head.kind]
    if len(data) < end:
        raise _not(f"it has {len(data)} bytes where its registers need {end}")
    _, low_sum, high_sum, lowest_count, exceptions = _SUMS.unpack_from(data, _HEAD.size)
    packed = np.frombuffer(data, np.uint8, bytes_of[head.kind], start)
    if head.kind == _HLL_4:
        registers = _from_nibbles(packed, head, _exceptions_of(data[end:], head, exceptions))
    elif len(data) != end or exceptions or head.number:
        raise _not(f"it has {len(data) - end} bytes after its registers, which should be none")
    else:
        registers = packed if head.kind == _HLL_8 else _from_six_bits(packed[:-1])
    _require_sums(registers, head, (low_sum, high_sum, lowest_count))
    return registers


def _from_six_bits(packed: NDArray[np.uint8]) -> Registers:
    """Return four registers of every three bytes."""
    one, two, three = packed.reshape(-1, 3).T
    two_bits, four_bits, six_bits = np.uint8(2), np.uint8(4), np.uint8(6)
    second, third = one >> six_bits | two << two_bits, two >> four_bits | three << four_bits
    four = np.stack([one, second, third, three >> two_bits], axis=1)
    return (four & np.uint8(RHO_MAX)).ravel()


def _from_nibbles(packed: NDArray[np.uint8], head: _Head, exceptions: Coupons) -> Registers:
    nibbles = np.stack([packed & np.uint8(15), packed >> np.uint8(4)], axis=1).ravel()
    address = exceptions & np.uint32((1 << ADDRESS_BITS) - 1)
    rho = (exceptions >> np.uint32(ADDRESS_BITS)).astype(np.uint8)
    is_exception = nibbles == _EXCEPTION
    if head.number > RHO_MAX or np.any(address >= len(nibbles)):
        raise _not(f"its lowest register is {head.number}, or an exception lies outside of its registers")
    told = np.unique(address)
    if len(told) != len(address) or not np.array_equal(told, np.flatnonzero(is_exception)):
        raise _not("its exceptions are not those of its registers")
    if np.any(rho < head.number + _EXCEPTION):
        raise _not("an exception is lower than a register of four bits can say by itself")
    registers = nibbles + np.uint8(head.number)
    registers[address] = rho
    return registers


def _exceptions_of(data: bytes, head: _Head, count: int) -> Coupons:
    """Return the exceptions to registers of four bits, which follow them."""
    # The updatable form leaves room for exceptions even when there is none.
    lg_slots = min(head.lg_array, head.lg_k) if count else _EXCEPTIONS_LG[head.lg_k]
    slots = count if head.is_compact else 1 << lg_slots
    if len(data) != 4 * slots:
        raise _not(f"it has {len(data)} bytes of exceptions where its counts need {4 * slots}")
    coupons = np.frombuffer(data, "<u4").astype(np.uint32)
    coupons = coupons[coupons != 0]
    if len(coupons) != count:
        raise _not(f"it says {count} exceptions and has {len(coupons)}")
    return coupons


def _require_sums(registers: Registers, head: _Head, told: tuple[float, float, int]) -> None:
    """Raise unless the sums that DataSketches keeps beside its registers are those of these registers."""
    if np.any(registers > RHO_MAX):
        raise _not(f"it has a register above {RHO_MAX}")
    if head.flags & _STALE_SUMS:
        return
    low_sum, high_sum = _sums_of(registers)
    if (low_sum, high_sum, int(np.count_nonzero(registers == head.number))) != told:
        raise _not("its sums are not those of its registers")


def _sums_of(registers: Registers) -> tuple[float, float]:
    """Return the sums of 2**-register over the small registers and over the large ones, both exact."""
    counts = np.bincount(registers, minlength=RHO_MAX + 1)
    weighed = counts * np.exp2(-np.arange(RHO_MAX + 1.0))
    return float(weighed[:_LARGE_RHO].sum()), float(weighed[_LARGE_RHO:].sum())


def _bytes_of_registers(lg_k: int, registers: Registers) -> bytes:
    # Out of order: the estimator that follows the order of values has not followed it, and must not be asked.
    head = _HEAD.pack(_INTS[_HLL], _VERSION, _FAMILY, lg_k, 0, _COMPACT | _OUT_OF_ORDER, 0, _HLL_8 << 2 | _HLL)
    low_sum, high_sum = _sums_of(registers)
    sums = _SUMS.pack(0.0, low_sum, high_sum, int(np.count_nonzero(registers == 0)), 0)
    return head + sums + registers.tobytes()


def _not(reason: str) -> NotASketch:
    return NotASketch(f"these bytes are not a DataSketches HLL sketch: {reason}; send what its serialiser wrote")
