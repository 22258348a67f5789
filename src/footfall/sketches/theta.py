"""Theta sketches: the smallest hashes of a set, from which intersections and differences can be told, with their error.

Registers can only be united; what two sets share is told by hashes that both have kept. Adding is done here, for a
whole batch at once; set operations and bounds are Apache DataSketches', which has had years to get them right.
DataSketches keeps between one and two times the nominal number of hashes, as the order of values has it. Here it is
never more than the nominal number, so that the same values give the same sketch in any order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.coupons import firsts
from footfall.sketches.errors import OtherSize
from footfall.sketches.estimation import CONFIDENCE, Estimate
from footfall.sketches.murmur import Hashes
from footfall.sketches.theta_bytes import THETA_MAX, CompactTheta, bytes_from_compact, compact_from_bytes
from footfall.sketches.theta_operations import difference, intersection, read, union

THETA_LG_K = 12  # 4,096 hashes: a standard error of 1.6 % of the union, 32 KB stored
LG_K_MIN, LG_K_MAX = 5, 15  # Beyond 15 a sketch is larger than an item.

_NO_HASHES = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Theta:
    """The hashes of a set below a limit, all of them: at most as many as its size. Never changed once made."""

    lg_k: int
    limit: int  # 2**63 - 1 as long as every hash is kept
    hashes: NDArray[np.uint64]  # rising, above 0 and below the limit

    @property
    def is_exact(self) -> bool:
        """Tell whether every value that was met is still there."""
        return self.limit == THETA_MAX

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Theta) or (self.lg_k, self.limit) != (other.lg_k, other.limit):
            return False
        return np.array_equal(self.hashes, other.hashes)

    def __hash__(self) -> int:
        return hash((self.lg_k, self.limit, self.hashes.tobytes()))


def no_theta(lg_k: int = THETA_LG_K) -> Theta:
    """Return the sketch of the empty set."""
    if not LG_K_MIN <= lg_k <= LG_K_MAX:
        raise OtherSize(f"Theta sketches have an lgK from {LG_K_MIN} to {LG_K_MAX}, not {lg_k}; make it one of those")
    return Theta(lg_k, THETA_MAX, _NO_HASHES)


def theta_added(sketch: Theta, chunks: Iterable[Hashes]) -> Theta:
    """Return the sketch with these hashed values in it."""
    kept = [sketch.hashes]
    for chunk in chunks:
        hashes = chunk.first >> np.uint64(1)
        # Once a sketch is full nearly all hashes are above its limit, so little is left to sort.
        kept.append(hashes[(hashes < np.uint64(sketch.limit)) & (hashes > 0)])
    return _bounded(sketch.lg_k, sketch.limit, np.concatenate(kept))


def theta_union(sketches: Sequence[Theta], *, lg_k: int = THETA_LG_K) -> Theta:
    """Return the sketch of what is in any of the sets; of no sketches, that of the empty set."""
    _require_one_size(sketches, lg_k)
    return _from_compact(lg_k, union([_bytes_of(one) for one in sketches], lg_k=lg_k))


def theta_intersection(sketches: Sequence[Theta], *, lg_k: int = THETA_LG_K) -> Theta:
    """Return the sketch of what is in all of the sets; there must be at least one."""
    _require_one_size(sketches, lg_k)
    assert sketches, "what is in all of no sets is everything"
    return _from_compact(lg_k, intersection([_bytes_of(one) for one in sketches]))


def theta_difference(sketch: Theta, *, minus: Theta) -> Theta:
    """Return the sketch of what is in the first set and not in the other."""
    _require_one_size([minus], sketch.lg_k)
    return _from_compact(sketch.lg_k, difference(_bytes_of(sketch), _bytes_of(minus)))


def theta_estimate(sketch: Theta) -> Estimate:
    """Return how many the set has, with bounds that hold at the stated confidence."""
    told = read(_bytes_of(sketch))
    return Estimate(told.get_estimate(), told.get_lower_bound(2), told.get_upper_bound(2), CONFIDENCE)


def datasketches_from_theta(sketch: Theta) -> bytes:
    """Return the sketch as DataSketches writes a compact ordered one."""
    return _bytes_of(sketch)


def theta_from_datasketches(data: bytes, *, lg_k: int = THETA_LG_K) -> Theta:
    """Return the sketch that DataSketches' compact bytes hold, cut to our size, or raise NotASketch."""
    return _from_compact(no_theta(lg_k).lg_k, data)


def _bytes_of(sketch: Theta) -> bytes:
    return bytes_from_compact(CompactTheta(sketch.limit, sketch.hashes))


def _from_compact(lg_k: int, data: bytes) -> Theta:
    compact = compact_from_bytes(data)
    return _bounded(lg_k, compact.limit, compact.hashes)


def _bounded(lg_k: int, limit: int, hashes: NDArray[np.uint64]) -> Theta:
    """Return the sketch of the lowest of the hashes; the first that is left out becomes the limit."""
    rising = np.sort(hashes)
    rising = rising[firsts(rising)]
    size = 1 << lg_k
    if len(rising) > size:
        limit, rising = int(rising[size]), rising[:size].copy()
    rising.setflags(write=False)
    return Theta(lg_k, limit, rising)


def _require_one_size(sketches: Iterable[Theta], lg_k: int) -> None:
    for one in sketches:
        if one.lg_k != lg_k:
            raise OtherSize(
                f"a Theta sketch of lgK {one.lg_k} does not go with one of lgK {lg_k}; make both of one size"
            )
