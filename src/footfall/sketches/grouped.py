"""Distinct counting of thousands of sets at once, in columns: the sketch of every asset of a window is one value.

Most assets have few visitors, so nearly all that is kept is one long sorted run of coupons; only the sets that have
outgrown theirs have registers, a row each. Adding, merging and estimating are done for all sets together and never
for one by itself. Each set's sketch is the one that `uniques.py` would have made of the same values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.coupons import (
    ADDRESS_BITS,
    NO_COUPONS,
    Coupons,
    Registers,
    firsts,
    sparse_max,
)
from footfall.sketches.errors import OtherSize
from footfall.sketches.estimation import Estimates, estimates_of_coupons, estimates_of_registers
from footfall.sketches.uniques import GROUP_LG_K, Uniques, from_registers, require_size

Groups = NDArray[np.int64]
Places = NDArray[np.int64]
_Keys = NDArray[np.uint64]  # the place of a group in the upper half, a coupon in the lower

_COUPON_BITS = np.uint64(32)
_COUPON_MASK = np.uint64(0xFFFFFFFF)
_PLACE_MAX = (1 << 31) - 1


@dataclass(frozen=True, slots=True, eq=False)
class GroupedUniques:
    """The sketches of many sets by the number of each set. Never changed once made."""

    lg_k: int
    groups: Groups  # rising
    starts: Places  # where each group's coupons begin, and at last where they all end
    coupons: Coupons  # rising within a group; a group with registers has none
    dense: Places  # which of the groups have registers, rising
    registers: Registers  # a row for each of those

    def __len__(self) -> int:
        return len(self.groups)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupedUniques) and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(_columns(self), _columns(other), strict=True)
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType] # Megabytes are no key.


def no_groups(lg_k: int = GROUP_LG_K) -> GroupedUniques:
    """Return the sketches of no sets."""
    require_size(lg_k)
    none = np.empty(0, np.int64)
    return GroupedUniques(lg_k, none, np.zeros(1, np.int64), NO_COUPONS, none, np.empty((0, 1 << lg_k), np.uint8))


def grouped_from(groups: Groups, coupons: Coupons, *, lg_k: int = GROUP_LG_K) -> GroupedUniques:
    """Return the sketches of the sets in which the values of these coupons were met, value by value."""
    require_size(lg_k)
    if len(groups) and groups.min() >= 0 and groups.max() <= _PLACE_MAX:
        # Small numbers are sorted together with their coupons, at half the cost.
        keys = _keys(groups, coupons)
        keys.sort()
        place = (keys >> _COUPON_BITS).astype(np.int64)
        is_first = firsts(place)
        keys &= _COUPON_MASK
        keys |= (np.cumsum(is_first) - 1).astype(np.uint64) << _COUPON_BITS
        return _combined(lg_k, place[is_first], keys, [])
    order = np.argsort(groups)
    sorted_groups = groups[order]
    is_first = firsts(sorted_groups)
    keys = _keys(np.cumsum(is_first) - 1, coupons[order])
    keys.sort()
    return _combined(lg_k, sorted_groups[is_first], keys, [])


def merge_grouped(parts: Sequence[GroupedUniques], *, lg_k: int = GROUP_LG_K) -> GroupedUniques:
    """Return the sketches of the unions, set by set; of no parts, those of no sets."""
    for part in parts:
        if part.lg_k != lg_k:
            raise OtherSize(f"sketches of lgK {part.lg_k} cannot be merged into lgK {lg_k}; make them of one size")
    filled = [part for part in parts if len(part)]
    if len(filled) < 2:
        return filled[0] if filled else no_groups(lg_k)
    if all(one.groups[-1] < other.groups[0] for one, other in pairwise(filled)):
        return _joined(filled)  # Pieces of one whole, which nothing has to be sorted for.
    groups = np.sort(np.concatenate([part.groups for part in filled]))
    groups = groups[firsts(groups)]
    places = [np.searchsorted(groups, part.groups) for part in filled]
    keys = np.concatenate(
        [_keys(_repeated(place, part), part.coupons) for place, part in zip(places, filled, strict=True)]
    )
    keys.sort(kind="stable")  # which finds the runs that are sorted already and only merges them
    rows = [(place[part.dense], part.registers) for place, part in zip(places, filled, strict=True) if len(part.dense)]
    return _combined(lg_k, groups, keys, rows)


def regrouped(sketches: GroupedUniques, into: Groups) -> GroupedUniques:
    """Return the sketches of larger sets: each group's values are those of the group `into` has in its place."""
    if not len(sketches):
        return sketches
    groups, place = np.unique(into, return_inverse=True)
    keys = _keys(_repeated(place, sketches), sketches.coupons)
    keys.sort()
    of_rows = place[sketches.dense]
    order = np.argsort(of_rows, kind="stable")
    is_first = firsts(of_rows[order])
    rows: list[tuple[Places, Registers]] = []
    if len(order):
        highest = np.maximum.reduceat(sketches.registers[order], np.flatnonzero(is_first), axis=0)
        rows = [(of_rows[order][is_first], highest)]
    return _combined(sketches.lg_k, groups, keys, rows)


def picked(sketches: GroupedUniques, places: Places) -> GroupedUniques:
    """Return the sketches of some of the groups, by their places, which rise."""
    counts = np.diff(sketches.starts)[places]
    starts = np.zeros(len(places) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    # Where each coupon that stays lies now: its group's first, and how many of the group come before it.
    before: Places = np.repeat(sketches.starts[places] - starts[:-1], counts)
    at = before + np.arange(len(before))
    dense = np.flatnonzero(np.isin(places, sketches.dense))
    rows = np.searchsorted(sketches.dense, places[dense])
    return _frozen(
        GroupedUniques(
            sketches.lg_k, sketches.groups[places], starts, sketches.coupons[at], dense, sketches.registers[rows]
        )
    )


def weight_bytes(sketches: GroupedUniques) -> int:
    """Return about how much the sketches take as they are stored."""
    return 12 * len(sketches.groups) + sketches.coupons.nbytes + sketches.registers.size // 2


def estimates(sketches: GroupedUniques) -> Estimates:
    """Return how many distinct values each of the groups has met, in their order."""
    told = estimates_of_coupons(np.diff(sketches.starts))
    if len(sketches.dense):
        of_rows = estimates_of_registers(sketches.registers)
        told.count[sketches.dense] = of_rows.count
        told.lower[sketches.dense] = of_rows.lower
        told.upper[sketches.dense] = of_rows.upper
    return told


def uniques_of(sketches: GroupedUniques, group: int) -> Uniques | None:
    """Return the sketch of one group, None when it has none."""
    place = int(np.searchsorted(sketches.groups, group))
    if place == len(sketches) or sketches.groups[place] != group:
        return None
    row = int(np.searchsorted(sketches.dense, place))
    if row < len(sketches.dense) and sketches.dense[row] == place:
        return from_registers(sketches.registers[row])
    return Uniques(sketches.lg_k, sketches.coupons[sketches.starts[place] : sketches.starts[place + 1]], None)


def _combined(lg_k: int, groups: Groups, keys: _Keys, rows: Iterable[tuple[Places, Registers]]) -> GroupedUniques:
    """Return the sketches of sorted keys and of rows of registers, each with the places of its groups."""
    keys = keys[firsts(keys)]
    place = (keys >> _COUPON_BITS).astype(np.int64)
    counts = np.bincount(place, minlength=len(groups))
    is_dense = counts > sparse_max(lg_k)
    for places, _ in rows:
        is_dense[places] = True
    dense = np.flatnonzero(is_dense)
    registers = np.zeros((len(dense), 1 << lg_k), np.uint8)
    for places, some in rows:
        at = np.searchsorted(dense, places)
        registers[at] = np.maximum(registers[at], some)
    coupons = (keys & _COUPON_MASK).astype(np.uint32)
    if len(dense):
        outgrown = is_dense[place]
        _raise_rows(registers, np.searchsorted(dense, place[outgrown]), coupons[outgrown])
        coupons = coupons[~outgrown]
        counts[dense] = 0
    starts = np.zeros(len(groups) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return _frozen(GroupedUniques(lg_k, groups, starts, coupons, dense, registers))


def _joined(parts: Sequence[GroupedUniques]) -> GroupedUniques:
    """Return the sketches of parts whose groups follow each other."""
    coupons_before = np.cumsum([0, *(len(part.coupons) for part in parts)])
    groups_before = np.cumsum([0, *(len(part) for part in parts)])
    starts = [part.starts[:-1] + before for part, before in zip(parts, coupons_before[:-1], strict=True)]
    dense = [part.dense + before for part, before in zip(parts, groups_before[:-1], strict=True)]
    return _frozen(
        GroupedUniques(
            parts[0].lg_k,
            np.concatenate([part.groups for part in parts]),
            np.concatenate([*starts, coupons_before[-1:]]),
            np.concatenate([part.coupons for part in parts]),
            np.concatenate(dense),
            np.concatenate([part.registers for part in parts]),
        )
    )


def _frozen(made: GroupedUniques) -> GroupedUniques:
    for column in _columns(made):
        column.setflags(write=False)
    return made


def _raise_rows(registers: Registers, row: Places, coupons: Coupons) -> None:
    """Raise registers in place to what the coupons of each row say."""
    width = registers.shape[1]
    flat = row * width + (coupons & np.uint32(width - 1))
    np.maximum.at(registers.reshape(-1), flat, (coupons >> np.uint32(ADDRESS_BITS)).astype(np.uint8))


def _keys(place: Places, coupons: Coupons) -> _Keys:
    keys = place.astype(np.uint64)
    keys <<= _COUPON_BITS
    keys |= coupons
    return keys


def _repeated(place: Places, part: GroupedUniques) -> Places:
    """Return the place of each coupon's group."""
    return np.repeat(place, np.diff(part.starts))


def _columns(one: GroupedUniques) -> Sequence[NDArray[np.generic]]:
    return one.groups, one.starts, one.coupons, one.dense, one.registers
