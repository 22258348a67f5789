"""Distinct counting in a few kilobytes: a HyperLogLog sketch whose registers are those of Apache DataSketches.

A sketch is a value: adding gives another one. The same values give the same sketch, byte for byte, in whatever
order, number and grouping they came, so shards and windows are counted apart and merged when they are read.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from footfall.sketches.coupons import (
    LG_K_MAX,
    LG_K_MIN,
    NO_COUPONS,
    Coupons,
    Registers,
    firsts,
    raise_registers,
    sparse_max,
)
from footfall.sketches.errors import OtherSize
from footfall.sketches.estimation import Estimate, Estimates, estimates_of_coupons, estimates_of_registers

NAMED_LG_K = 14  # 16,384 registers: a standard error of 0.8 %, 8 KB stored
GROUP_LG_K = 12  # 4,096 registers for an asset, a section, a brand: 1.6 %, 2 KB stored


@dataclass(frozen=True, slots=True, eq=False)
class Uniques:
    """What is kept of a set: its coupons while they are few, then registers. Never changed once made."""

    lg_k: int
    coupons: Coupons  # distinct and rising; none when there are registers
    registers: Registers | None

    @property
    def is_sparse(self) -> bool:
        """Tell whether every value is still known by its coupon."""
        return self.registers is None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Uniques) or self.lg_k != other.lg_k:
            return False
        if self.registers is None or other.registers is None:
            return self.is_sparse == other.is_sparse and np.array_equal(self.coupons, other.coupons)
        return np.array_equal(self.registers, other.registers)

    def __hash__(self) -> int:
        return hash((self.lg_k, self.coupons.tobytes(), None if self.registers is None else self.registers.tobytes()))


def no_uniques(lg_k: int = NAMED_LG_K) -> Uniques:
    """Return the sketch of the empty set."""
    require_size(lg_k)
    return Uniques(lg_k, NO_COUPONS, None)


def added(sketch: Uniques, coupons: Coupons) -> Uniques:
    """Return the sketch with the values of these coupons in it."""
    if sketch.registers is not None:
        return _dense(sketch.lg_k, sketch.registers.copy(), coupons)
    if len(coupons) > sparse_max(sketch.lg_k):
        # Sorting a large batch is dear, and so many registers in use are proof enough that it is no small set.
        tried = _dense(sketch.lg_k, np.zeros(1 << sketch.lg_k, np.uint8), coupons)
        if tried.registers is not None and np.count_nonzero(tried.registers) > sparse_max(sketch.lg_k):
            return _dense(sketch.lg_k, tried.registers.copy(), sketch.coupons)
    return from_coupons(np.concatenate([sketch.coupons, coupons]), lg_k=sketch.lg_k)


def merged(sketches: Iterable[Uniques], *, lg_k: int) -> Uniques:
    """Return the sketch of the union; of no sketches at all, that of the empty set."""
    registers: Registers | None = None
    coupons = [NO_COUPONS]
    for sketch in sketches:
        if sketch.lg_k != lg_k:
            raise OtherSize(
                f"a sketch of lgK {sketch.lg_k} cannot be merged into one of lgK {lg_k}; make both of one size"
            )
        if sketch.registers is None:
            coupons.append(sketch.coupons)
        elif registers is None:
            registers = sketch.registers.copy()
        else:
            np.maximum(registers, sketch.registers, out=registers)
    together = np.concatenate(coupons)
    if registers is None:
        return added(no_uniques(lg_k), together)
    return _dense(lg_k, registers, together)


def from_coupons(coupons: Coupons, *, lg_k: int) -> Uniques:
    """Return the sketch of the values of these coupons."""
    rising = np.sort(coupons)  # Several times as fast as numpy's own `unique`, which hashes.
    distinct = rising[firsts(rising)]
    if len(distinct) <= sparse_max(lg_k):
        distinct.setflags(write=False)
        return Uniques(lg_k, distinct, None)
    return _dense(lg_k, np.zeros(1 << lg_k, np.uint8), distinct)


def from_registers(registers: Registers) -> Uniques:
    """Return the sketch that has these registers, as many as a power of two."""
    return _dense(len(registers).bit_length() - 1, registers.copy(), NO_COUPONS)


def estimate(sketch: Uniques) -> Estimate:
    """Return how many distinct values the sketch has met."""
    if sketch.registers is None:
        return _only(estimates_of_coupons(np.array([len(sketch.coupons)], np.int64)))
    return _only(estimates_of_registers(sketch.registers[np.newaxis]))


def require_size(lg_k: int) -> None:
    """Raise OtherSize unless we keep sketches of this size."""
    if not LG_K_MIN <= lg_k <= LG_K_MAX:
        raise OtherSize(f"sketches have an lgK from {LG_K_MIN} to {LG_K_MAX}, not {lg_k}; make it one of those")


def _dense(lg_k: int, registers: Registers, coupons: Coupons) -> Uniques:
    """Return a sketch of registers that nobody else holds, raised to what the coupons say."""
    raise_registers(registers, coupons)
    registers.setflags(write=False)
    return Uniques(lg_k, NO_COUPONS, registers)


def _only(estimates: Estimates) -> Estimate:
    count, lower, upper = (float(column[0]) for column in (estimates.count, estimates.lower, estimates.upper))
    return Estimate(count, lower, upper, estimates.confidence)
