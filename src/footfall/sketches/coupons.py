"""Coupons: what a sketch keeps of one value, the same 32 bits that Apache DataSketches keeps of it.

The lower 26 bits choose a register, of a sketch of any size by as many of them as it has registers for; the upper 6
say how many zero bits lead the other half of the hash, plus one. A set of few values is its coupons; a set of many
is the highest upper part that each register has met.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.murmur import Hashes, hashes_of_bytes, hashes_of_numbers, hashes_of_texts

Coupons = NDArray[np.uint32]
Registers = NDArray[np.uint8]

ADDRESS_BITS = 26
RHO_MAX = 63
LG_K_MIN, LG_K_MAX = 8, 16  # Below 8 DataSketches has other rules for small sets; 16 is 64 KB, a sixth of an item.
NO_COUPONS: Coupons = np.empty(0, np.uint32)

_ADDRESS_MASK = np.uint64((1 << ADDRESS_BITS) - 1)


def coupons_of_texts(texts: Sequence[str]) -> Coupons:
    """Return the coupons of texts; empty ones have none."""
    return coupons_of(hashes_of_texts(texts))


def coupons_of_bytes(values: Sequence[bytes]) -> Coupons:
    """Return the coupons of byte strings; empty ones have none."""
    return coupons_of(hashes_of_bytes(values))


def coupons_of_numbers(numbers: NDArray[np.uint64] | NDArray[np.int64]) -> Coupons:
    """Return the coupons of 64-bit numbers, in their order."""
    return coupons_of(hashes_of_numbers(numbers))


def coupons_of(chunks: Iterable[Hashes]) -> Coupons:
    """Return the coupons of hashed values, in their order."""
    parts = [_coupons_of_chunk(chunk) for chunk in chunks]
    return parts[0] if len(parts) == 1 else np.concatenate([NO_COUPONS, *parts])


def _coupons_of_chunk(hashes: Hashes) -> Coupons:
    coupons = (hashes.first & _ADDRESS_MASK).astype(np.uint32)
    coupons |= _rhos_of(hashes.second) << np.uint32(ADDRESS_BITS)
    return coupons


def firsts(rising: NDArray[np.uint32] | NDArray[np.uint64] | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each of rising numbers whether it is another than the one before."""
    is_first = np.ones(len(rising), np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=is_first[1:])
    return is_first


def sparse_max(lg_k: int) -> int:
    """Return how many coupons a sketch keeps before it becomes registers: as many as DataSketches does."""
    return 3 << (lg_k - 5)


def raise_registers(registers: Registers, coupons: Coupons) -> None:
    """Raise registers in place to what the coupons say; their number is a power of two."""
    address = coupons & np.uint32(len(registers) - 1)
    np.maximum.at(registers, address, (coupons >> np.uint32(ADDRESS_BITS)).astype(np.uint8))


def _rhos_of(words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return one more than the number of leading zero bits of each word, at most 63."""
    # The exponent of a float tells the highest bit. Rounding up to a power of two would tell one too many, so the
    # bits that could carry are cleared first: whoever has a bit set keeps it, and what lies below no longer matters.
    clean = words & ~(words >> np.uint64(1))
    exponents = (clean.astype(np.float64).view(np.uint64) >> np.uint64(52)).astype(np.uint32)
    return np.minimum(np.uint32(1023 + 64) - exponents, np.uint32(RHO_MAX))
