"""Lists as editors have them: the list as it was counted, without what is hidden, with what is pinned at its place.

Ranks and hits stay what they were counted to be, so a reader sees what an editor did: an entry that stands elsewhere
than at its rank, a rank that is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.catalog.asset import Asset
from footfall.catalog.edits import Acts, Pin
from footfall.flow.serve.directory import Directory
from footfall.flow.serve.listing import Candidates, shown_slices
from footfall.flow.serve.members import matches
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.sheets import Sheet
from footfall.flow.serve.wanted import Wanted, wanted
from footfall.flow.store.columns import Slice


class Arranged(NamedTuple):
    """The assets of an edited list in their order, and how many it leaves out on the way to its last one."""

    names: list[str]
    hidden: int


@dataclass(frozen=True, slots=True)
class Pinned:
    """What was counted of a pinned asset that is further down than its list goes."""

    rank: int | None  # None when it has no hits that the list counts
    hits: int
    missed: int  # Hits that no row tells of, at most.
    labels: Slice


def hidden_of(query: PopularQuery, acts: Acts) -> frozenset[str]:
    """Return the assets that are not to be on the list."""
    return frozenset(one.asset for one in acts.hidden) if query.edited else frozenset()


def pins_of(query: PopularQuery, acts: Acts) -> list[Pin]:
    """Return the pins that are meant for such a list, in the order of their places; the past has none."""
    if not query.edited or not query.period:
        return []
    hidden = hidden_of(query, acts)
    return [
        pin
        for pin in acts.pins
        if pin.asset not in hidden
        and pin.asset not in query.exclude
        and (not pin.periods or query.period in pin.periods)
        and (not pin.sections or not set(pin.sections).isdisjoint(query.sections))
    ]


def arranged(
    counted: Sequence[str], pins: Sequence[tuple[int, str]], hidden: frozenset[str], *, limit: int, is_all: bool
) -> Arranged:
    """Return the list that pins and hiding make of a counted one; `is_all`: nothing comes after what was counted.

    A list whose counted entries end too early is shorter than the limit: count more and ask again.
    """
    pinned = {name for _, name in pins}
    names, passed, waiting = list[str](), 0, list(pins)
    for name in counted:
        while waiting and waiting[0][0] <= len(names) + 1 and len(names) < limit:
            names.append(waiting.pop(0)[1])
        if len(names) == limit:
            break
        if name in hidden:
            passed += 1
        elif name not in pinned:
            names.append(name)
    while waiting and len(names) < limit and (is_all or waiting[0][0] <= len(names) + 1):
        names.append(waiting.pop(0)[1])
    return Arranged(names, passed)


class Counted:
    """What was counted in a view for a question, looked at for single assets."""

    def __init__(self, directory: Directory, sheet: Sheet, query: PopularQuery, asked: Wanted) -> None:
        self._directory = directory
        self._query = query
        self._asked = asked
        self._totals = sheet.totals(directory.rows)
        self._bounds = sheet.bounds(directory, shows_others=asked.shows_others)

    @cached_property
    def _rows(self) -> NDArray[np.intp] | None:
        return self._asked.rows(self._directory)

    @cached_property
    def _candidates(self) -> Candidates:
        return Candidates(self._directory, self._totals, self._rows)

    @property
    def is_proven(self) -> bool:
        """Tell whether the rows tell of all hits."""
        return not self._bounds.is_cut and not self._bounds.other

    def may_stand(self, pin: Pin, known: Asset | None) -> bool:
        """Tell whether the question's filters let a pinned asset through; a pin for sections needs not be of them."""
        if not matches(known, self._query):
            return False
        query = replace(self._query, sections=()) if pin.sections else self._query
        if not (query.sections or query.resource_types or query.paid_types):
            return True
        rows = self._rows_of(self._directory.asset_of(pin.asset))
        slices = wanted(self._directory, query, None).among(self._directory, rows, self._directory.row_slice[rows])
        return bool(slices.any()) or (known is not None and _has_labels(known, query))

    def pinned(self, name: str, known: Asset | None) -> Pinned:
        """Return what was counted of an asset."""
        asset = self._directory.asset_of(name)
        per_unit = self._bounds.per_unit(self._asked.slices)
        if asset is None:
            return Pinned(None, 0, self._bounds.other + int(per_unit.sum()), _labels_of(known))
        missed = int(self._bounds.uncertainty(np.array([asset], np.uint32), per_unit)[0])
        rank, hits = self._rank(asset)
        if not hits and (known is not None or not len(self._rows_of(asset))):
            return Pinned(rank, hits, missed, _labels_of(known))
        slices = shown_slices(self._directory, self._totals, self._rows if hits else None, [asset])
        return Pinned(rank, hits, missed, self._directory.slices[slices[asset]])

    def _rows_of(self, asset: int | None) -> NDArray[np.uint32]:
        """Return the rows of an asset that have hits; others are there only for as long as they are remembered."""
        if asset is None:
            return np.empty(0, np.uint32)
        rows = np.flatnonzero(self._directory.row_asset == asset)
        return rows[self._totals[rows] > 0].astype(np.uint32)

    def _rank(self, asset: int) -> tuple[int | None, int]:
        """Return the place of an asset among all that were counted, and its hits."""
        rows = self._rows_of(asset)
        if not self._asked.is_everything:
            rows = rows[self._asked.among(self._directory, rows, self._directory.row_slice[rows])]
        hits = int(self._totals[rows].sum())
        if not hits:
            return None, 0
        among = self._candidates
        tied = among.assets(np.flatnonzero(among.hits == hits))
        self._directory.rank_all_assets()
        ranks = self._directory.order.ranks(tied)
        before = int(np.count_nonzero(ranks < self._directory.order.ranks(np.array([asset], np.uint32))[0]))
        return 1 + int(np.count_nonzero(among.hits > hits)) + before, hits


def _has_labels(known: Asset, query: PopularQuery) -> bool:
    return (
        (not query.sections or known.section in query.sections)
        and (not query.resource_types or known.resource_type in query.resource_types)
        and (not query.paid_types or known.paid_type in query.paid_types)
    )


def _labels_of(known: Asset | None) -> Slice:
    return Slice("", "", "") if known is None else Slice(known.section, known.resource_type, known.paid_type)
