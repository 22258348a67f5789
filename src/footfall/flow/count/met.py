"""The visitors that a run of records has met at one place: under which asset and labels, each set in a sketch.

Pure, and told apart by what a hit is counted under, because it is known only when counts are written which of that a
window has room for, and because counting again may give an asset other labels.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.flow.store.columns import Columns, ident_of
from footfall.flow.store.visitors import BRAND_GROUP, group_of_section
from footfall.flow.stream.records import VISITOR_BYTES, HitKey
from footfall.sketches.gathering import Gathering
from footfall.sketches.grouped import GroupedUniques, Groups, merge_grouped, picked, regrouped, weight_bytes

PENDING_MAX = 20_000  # Hits whose keys wait to be numbered: references only.
NUMBER_BYTES = 64  # of a key's entry; the key itself lies in the counts as well
BYTES_PER_ROW = 250  # what a row of hits takes in memory
TAKEN_BYTES_MIN = 1_000_000  # Merging less costs more for each byte of it.

GroupOf = Callable[[str], int]


class _Numbers(dict[HitKey, int]):
    """What hits are counted under, each with a number of its own in the order of their coming."""

    def __missing__(self, key: HitKey) -> int:
        number = self[key] = len(self)
        return number


class Met:
    """The visitors of one place."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._keys: list[HitKey] = []
        self._visitors: list[bytes] = []
        self._gathering = Gathering()
        self._taken: list[GroupedUniques] = []
        self._taken_bytes = 0

    @property
    def rows(self) -> int:
        """Return how much is in hand, in rows of hits."""
        hashed = VISITOR_BYTES * len(self._keys) + 4 * self._gathering.rows + self._taken_bytes
        return (NUMBER_BYTES * len(self._numbers) + hashed) // BYTES_PER_ROW

    def add(self, keys: Sequence[HitKey], visitors: Sequence[bytes]) -> None:
        """Take in hits, each with its visitor; an empty one is none."""
        joined = b"".join(visitors)
        if len(joined) != VISITOR_BYTES * len(keys):
            keys = [key for key, visitor in zip(keys, visitors, strict=True) if len(visitor) == VISITOR_BYTES]
            joined = b"".join(visitor for visitor in visitors if len(visitor) == VISITOR_BYTES)
        self._keys += keys
        self._visitors.append(joined)
        if len(self._keys) >= PENDING_MAX:
            self._number()

    def take(self, other: "Met", keys: Sequence[HitKey]) -> None:
        """Take in all that another has met, whose hits are counted under these keys, in their order."""
        sketches = other.by_key()
        if not len(sketches):
            return
        numbers = np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))
        self._taken.append(regrouped(sketches, numbers[sketches.groups]))
        self._taken_bytes += weight_bytes(sketches)
        if self._taken_bytes > max(TAKEN_BYTES_MIN, weight_bytes(self._gathering.gathered())):
            self._gather_taken()

    def keys(self) -> list[HitKey]:
        """Return what the hits are counted under, in the order of their numbers."""
        self._number()
        return list(self._numbers)

    def by_key(self) -> GroupedUniques:
        """Return the visitors of each key, by its number."""
        self._number()
        self._gather_taken()
        return self._gathering.gathered()

    def sketches(self, group_of_asset: GroupOf, columns: Columns) -> GroupedUniques:
        """Return the visitors of the assets, the sections and the brand.

        Those of hits that found no row in the window's columns count for the brand alone: whatever is sent, a window
        has no more sets than it has assets and sections.
        """
        by_key = self.by_key()
        if not len(by_key):
            return by_key
        keys = list(self._numbers)
        brand = regrouped(by_key, np.full(len(by_key), BRAND_GROUP, np.int64))
        if columns.other:
            by_key = picked(by_key, np.flatnonzero(_have_rows(keys, columns)[by_key.groups]))
            keys = [keys[number] for number in by_key.groups.tolist()]
        assets = regrouped(by_key, _groups(group_of_asset, [key[0] for key in keys]))
        sections = regrouped(by_key, _groups(group_of_section, [key[1] for key in keys]))
        return merge_grouped([assets, sections, brand])

    def _number(self) -> None:
        """Give the keys of hits that wait their numbers, and lay their visitors to the others."""
        if not self._keys:
            return
        numbers = np.fromiter(map(self._numbers.__getitem__, self._keys), np.int64, len(self._keys))
        hashes = np.frombuffer(b"".join(self._visitors), "<u8").astype(np.uint64, copy=False)
        self._keys, self._visitors = [], []
        self._gathering.add_many(numbers, hashes)

    def _gather_taken(self) -> None:
        if self._taken:
            self._gathering = Gathering(merge_grouped([self._gathering.gathered(), *self._taken]))
            self._taken, self._taken_bytes = [], 0


def _groups(group_of: GroupOf, texts: Sequence[str]) -> Groups:
    known: dict[str, int] = {text: group_of(text) for text in dict.fromkeys(texts)}
    return np.fromiter(map(known.__getitem__, texts), np.int64, len(texts))


def _have_rows(keys: Sequence[HitKey], columns: Columns) -> NDArray[np.bool_]:
    """Tell of each key whether the columns have a row for it."""
    slices = [tuple(label) for label in columns.slices]
    rows = {(ident, slices[no]) for ident, no in zip(columns.ident.tolist(), columns.slice_no.tolist(), strict=True)}
    return np.fromiter(((ident_of(asset), tuple(label)) in rows for asset, *label in keys), np.bool_, len(keys))
