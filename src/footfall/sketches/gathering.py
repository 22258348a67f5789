"""Where the uniques of a window that is still open are gathered, batch after batch, without sorting it all each time.

What comes is laid aside until there is as much of it as half of what was gathered before; only then is it sorted and
merged. So a value costs the same whether the window holds a thousand of them or ten million.
"""

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.coupons import NO_COUPONS, Coupons, coupons_of_numbers
from footfall.sketches.grouped import (
    GROUP_LG_K,
    GroupedUniques,
    Groups,
    grouped_from,
    merge_grouped,
    no_groups,
)

ASIDE_MIN = 1 << 18  # Sorting fewer costs more for each of them; so many lie in 3 MB.


class Gathering:
    """The sketches of many sets, growing."""

    def __init__(self, gathered: GroupedUniques | None = None, *, lg_k: int = GROUP_LG_K) -> None:
        self._gathered = no_groups(lg_k) if gathered is None else gathered
        self._groups: list[Groups] = []
        self._coupons: list[Coupons] = []
        self._aside = 0

    def add_many(self, groups: Groups, hashes: NDArray[np.uint64]) -> None:
        """Take values in, each as its 64-bit hash and with the number of the set it was met in."""
        self.add_coupons(groups, coupons_of_numbers(hashes))

    def add_coupons(self, groups: Groups, coupons: Coupons) -> None:
        """Take values in by their coupons, each with the number of the set it was met in."""
        assert len(groups) == len(coupons)
        self._groups.append(groups)
        self._coupons.append(coupons)
        self._aside += len(coupons)
        if self._aside >= max(ASIDE_MIN, len(self._gathered.coupons) // 2):
            self._gather()

    @property
    def rows(self) -> int:
        """Return how much is in hand: coupons, and for each row of registers as many as lie in its bytes."""
        held = self._gathered
        return self._aside + len(held.coupons) + len(held) + held.registers.size // NO_COUPONS.itemsize

    def gathered(self) -> GroupedUniques:
        """Return the sketches of all that was taken in until now."""
        self._gather()
        return self._gathered

    def _gather(self) -> None:
        if not self._aside:
            return
        lg_k = self._gathered.lg_k
        fresh = grouped_from(np.concatenate(self._groups), np.concatenate(self._coupons), lg_k=lg_k)
        self._gathered = merge_grouped([self._gathered, fresh], lg_k=lg_k)
        self._groups, self._coupons, self._aside = [], [], 0
