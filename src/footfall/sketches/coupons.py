"""Coupons: what a sketch keeps of one value, the same 32 bits that Apache DataSketches keeps of it.

The lower 26 bits choose a register, of a sketch of any size by as many of them as it has registers for; the upper 6
say how many zero bits lead the other half of the hash, plus one. A set of few values is its coupons; a set of many
is the highest upper part that each register has met.
"""

import sys
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

_ADDRESS_MASK = np.uint32((1 << ADDRESS_BITS) - 1)
_FLOAT_EXPONENT_OF_HALF = np.uint32(1023 + 32)  # of 2**32, which no half of a word reaches
_LOW, _HIGH = (0, 1) if sys.byteorder == "little" else (1, 0)  # where the halves of a word lie


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
    coupons = rhos_of(hashes.second)
    coupons <<= np.uint32(ADDRESS_BITS)
    coupons |= hashes.first.view(np.uint32)[_LOW::2] & _ADDRESS_MASK
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


def rhos_of(words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return one more than the number of leading zero bits of each word, at most 63."""
    # The exponent of a float tells the highest bit, and half a word is a float without rounding.
    high = words.view(np.uint32)[_HIGH::2].astype(np.float64)
    rhos = _FLOAT_EXPONENT_OF_HALF - (high.view(np.uint32)[_HIGH::2] >> np.uint32(20))
    if rhos.max(initial=0) > RHO_MAX:  # Half a word was zero, as one in four thousand million is.
        for at in np.flatnonzero(high == 0).tolist():
            rhos[at] = min(64 - int(words[at]).bit_length() + 1, RHO_MAX)
    return rhos
