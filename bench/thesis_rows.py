"""The page-hit-counter thesis' own table, as its chapter 6 describes it, over the same day: what it costs and answers.

A window is written once, when it closes: a row an asset, of those with at least as many hits as the 500th. Its API
reads whole windows in descending order, keeps the rows in an LRU cache that never misses what it has once read, and
filters afterwards. Reads are eventually consistent, which is what a query of DynamoDB is when nothing else is said.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.day import BRANDS, Day
from bench.traffic import FIRST_SECTION, PAID, TYPES
from footfall.ports.capacity import query_units, write_units
from footfall.ports.items import number_bytes

KEPT = 500
MINUTES = {"M": 1, "F": 5, "H": 60, "D": 1_440}

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a brand's window: assets and their hits, and how many bytes all of them have."""

    asset: Counts
    hits: Counts
    row_bytes: int


@dataclass(frozen=True, slots=True)
class Filter:
    """What a reader asks to see; an empty part is not asked for. Numbers stand for sections, types and paid types."""

    sections: frozenset[int]
    kind: int | None
    pays: int | None
    limit: int

    def of(self, day: Day, asset: Counts) -> "NDArray[np.bool_]":
        """Tell of each asset whether it passes."""
        passes = np.ones(len(asset), np.bool_)
        if self.sections:
            passes &= np.isin(day.section[asset], list(self.sections))
        if self.kind is not None:
            passes &= day.kind[asset] == self.kind
        if self.pays is not None:
            passes &= day.pays[asset] == self.pays
        return passes


class ThesisTable:
    """One table of rows, for the windows of some grains."""

    def __init__(self, day: Day, grains: Sequence[str]) -> None:
        self._day = day
        self._grains = grains
        self._sums: dict[str, Counts] = {}
        self._fixed_bytes = _row_bytes(day)
        self.windows: dict[tuple[int, str, int], Rows] = {}  # brand, grain, first minute
        self.written = 0
        self.written_by_grain: Counter[str] = Counter()
        self.written_at_500 = 0  # if ties with the 500th were left out
        self.by_minute: Counter[int] = Counter()

    def add(self, minute: int, counts: Counts) -> None:
        """Take in the hits of a minute of the day, by asset, and write the windows that end with it."""
        for grain in self._grains:
            before = self._sums.get(grain)
            self._sums[grain] = counts.copy() if before is None else before + counts
            if (minute + 1) % MINUTES[grain] == 0:
                self._close(grain, minute, self._sums.pop(grain))

    def close(self, minute: int) -> None:
        """Write what is still open after the last minute."""
        for grain, counts in self._sums.items():
            self._close(grain, minute, counts)
        self._sums = {}

    def _close(self, grain: str, minute: int, counts: Counts) -> None:
        size = self._day.assets_per_brand
        first = minute + 1 - MINUTES[grain]
        for brand in range(len(BRANDS)):
            own = counts[brand * size : (brand + 1) * size]
            hit = np.flatnonzero(own)
            least = np.sort(own[hit])[-KEPT] if len(hit) > KEPT else 1
            asset = np.flatnonzero(own >= least) + brand * size
            rows = Rows(asset, counts[asset], int(self._fixed_bytes[asset].sum()))
            self.windows[brand, grain, first] = rows
            units = sum(write_units(int(size)) for size in self._fixed_bytes[asset])
            self.written += units
            self.written_by_grain[grain] += units
            self.written_at_500 += min(units, KEPT)
            self.by_minute[minute + 1] += units


class ThesisApi:
    """One instance of the API: reads windows through its cache."""

    def __init__(self, table: ThesisTable) -> None:
        self._table = table
        self._cached: set[tuple[int, str, int]] = set()
        self.read = 0.0

    def ask(self, brand: int, grain: str, *, count: int, before_minute: int) -> list[Rows]:
        """Return the rows of the last closed windows, reading those that are not in the cache."""
        length = MINUTES[grain]
        last = before_minute // length * length
        found: list[Rows] = []
        for first in range(last - count * length, last, length):
            rows = self._table.windows.get((brand, grain, first))
            key = (brand, grain, first)
            if key not in self._cached:
                self._cached.add(key)
                self.read += query_units([0 if rows is None else rows.row_bytes], consistent=False)
            if rows is not None:
                found.append(rows)
        return found


def listed(day: Day, windows: Iterable[Rows], asked: Filter) -> list[tuple[int, int]]:
    """Return the list that the API makes of rows: assets and hits, most first."""
    totals: defaultdict[int, int] = defaultdict(int)
    for rows in windows:
        passes = asked.of(day, rows.asset)
        for asset, hits in zip(rows.asset[passes].tolist(), rows.hits[passes].tolist(), strict=True):
            totals[asset] += hits
    return sorted(totals.items(), key=lambda one: (-one[1], one[0]))[: asked.limit]


def is_right(day: Day, made: Sequence[tuple[int, int]], truth: Counts, asked: Filter) -> bool:
    """Tell whether a list has the right members, the right order and the right hits, whatever the order of ties."""
    asset = np.flatnonzero(truth)
    true_hits = np.sort(truth[asset[asked.of(day, asset)]])[::-1][: asked.limit]
    right_hits = [hits for _, hits in made] == true_hits.tolist()
    return right_hits and all(truth[asset] == hits for asset, hits in made)


def _row_bytes(day: Day) -> Counts:
    """Return the size of a row of each asset; the keys have the thesis' form, whose lengths are always the same."""
    keys = len("hashKey") + len("abc#F#2020-05-06T11:05") + len("rangeKey") + len("00000258#132141398")
    names = len("sectionId") + len("resourceType") + len("paidType")
    expires = len("expirationTime") + number_bytes(1_588_764_000 + 1)
    labels = [
        number_bytes(FIRST_SECTION + section) + len(TYPES[kind]) + len(PAID[pays])
        for section, kind, pays in zip(day.section.tolist(), day.kind.tolist(), day.pays.tolist(), strict=True)
    ]
    return np.array(labels, np.int64) + keys + names + expires
