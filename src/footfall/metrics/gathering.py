"""Points of many days put together as columns: each row's day and group, and what it is worth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.calendar import Edges
from footfall.metrics.counts import Where
from footfall.metrics.day_points import DayPoints
from footfall.metrics.definition import ValueType
from footfall.values.errors import Refused

ROWS_MAX = 4_000_000  # of one metric in one question, some 40 bytes each
SKETCH_BYTES_MAX = 250_000_000  # the same of percentiles: a year of 130 groups with full sketches

Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Group = tuple[str, ...]

_RADIX_MAX = 1 << 40
_NONE = np.empty(0, np.int64)


@dataclass(slots=True)
class _Texts:
    """Numbers for the values of one dimension, in the order in which they were met."""

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    tables: dict[tuple[str, ...], Places] = field(default_factory=dict[tuple[str, ...], Places])

    def coded(self, table: tuple[str, ...]) -> Places:
        """Return the numbers of a day's values; most days have the same."""
        found = self.tables.get(table)
        if found is None:
            numbers = self.numbers
            found = np.array([numbers.setdefault(text, len(numbers)) for text in table], np.int64)
            self.tables[table] = found
        return found


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows that lie in periods and fit the conditions, and which days have any row at all."""

    period: Places
    day: Places
    group: Places
    groups: Sequence[Group]
    values: Floats
    weights: Floats
    sketches: Sequence[bytes]
    days: Places  # with a row of any dimensions, in a period
    last_days: Places  # by period, -1 where it has none


@dataclass(slots=True)
class Gathering:
    """Takes in the days of points, one after another."""

    kind: ValueType
    by: tuple[str, ...]
    where: Where
    _texts: dict[str, _Texts] = field(init=False)
    _codes: dict[str, list[Places]] = field(init=False)
    _days: list[int] = field(default_factory=list[int])
    _sizes: list[int] = field(default_factory=list[int])
    _values: list[Floats] = field(default_factory=list[Floats])
    _weights: list[Floats] = field(default_factory=list[Floats])
    _sketches: list[bytes] = field(default_factory=list[bytes])
    _rows: int = 0
    _bytes: int = 0

    def __post_init__(self) -> None:
        """Begin with the dimensions that are asked for."""
        names = dict.fromkeys((*self.by, *(name for name, _ in self.where)))
        self._texts = {name: _Texts() for name in names}
        self._codes = {name: [] for name in names}

    def add(self, day: int, points: DayPoints) -> None:
        """Take in a day; points of another kind than the metric has today are left out."""
        if points.kind is not self.kind or not len(points):
            return
        self._rows += len(points)
        if self._rows > ROWS_MAX:
            raise Refused("to", f"the span has more than {ROWS_MAX:,} points of one metric; ask for a shorter one")
        self._days.append(day)
        self._sizes.append(len(points))
        self._values.append(points.values)
        self._weights.append(points.weights)
        self._sketches.extend(points.sketches)
        self._bytes += sum(map(len, points.sketches))
        if self._bytes > SKETCH_BYTES_MAX:
            raise Refused("to", f"the span has more than {SKETCH_BYTES_MAX:,} bytes of sketches; ask for a shorter one")
        for name, texts in self._texts.items():
            if name in points.names:
                at = points.names.index(name)
                self._codes[name].append(texts.coded(points.tables[at])[points.codes[at]])
            else:
                self._codes[name].append(np.repeat(texts.coded(("",)), len(points)))

    def met(self) -> dict[str, frozenset[str]]:
        """Return which values the dimensions have that conditions name, whether they fit or not."""
        return {name: frozenset(self._texts[name].numbers) for name, _ in self.where}

    def rows(self, edges: Edges) -> Rows:
        """Return the rows of these periods."""
        starts, ends = edges.starts, edges.ends
        days = np.array(self._days, np.int64)
        of_day = np.searchsorted(starts, days, side="right") - 1
        is_in = (of_day >= 0) & (days < ends[of_day]) if len(ends) else np.zeros(len(days), np.bool_)
        last_days = np.full(len(edges), -1, np.int64)
        np.maximum.at(last_days, of_day[is_in], days[is_in])
        codes = {name: _joined(parts) for name, parts in self._codes.items()}
        fits = np.repeat(is_in, self._sizes)
        for name, values in self.where:
            fits &= np.isin(codes[name], self._numbers(name, values))
        group, groups = self._grouped({name: codes[name][fits] for name in self.by}, int(fits.sum()))
        return Rows(
            period=np.repeat(of_day, self._sizes)[fits],
            day=np.repeat(days, self._sizes)[fits],
            group=group,
            groups=groups,
            values=self._picked(self._values, fits),
            weights=self._picked(self._weights, fits),
            sketches=[self._sketches[at] for at in np.flatnonzero(fits)] if self._sketches else (),
            days=days[is_in],
            last_days=last_days,
        )

    def _numbers(self, name: str, values: Iterable[str]) -> Places:
        known = self._texts[name].numbers
        return np.array([known[value] for value in values if value in known], np.int64)

    def _picked(self, parts: Sequence[Floats], fits: NDArray[np.bool_]) -> Floats:
        joined = np.concatenate(parts) if parts else np.empty(0)
        return joined[fits] if len(joined) == len(fits) else np.empty(0)

    def _grouped(self, codes: dict[str, Places], count: int) -> tuple[Places, list[Group]]:
        """Return the group of each row, and what the groups are called."""
        if not self.by:
            return np.zeros(count, np.int64), [()]
        together, radix = np.zeros(count, np.int64), 1
        for name, numbers in codes.items():
            size = len(self._texts[name].numbers) or 1
            if radix * size > _RADIX_MAX:
                _, together = np.unique(together, return_inverse=True)
                radix = len(together) + 1
            together, radix = together * size + numbers, radix * size
        _, first, group = np.unique(together, return_index=True, return_inverse=True)
        names = [list(self._texts[name].numbers) for name in self.by]
        picked: list[list[int]] = [numbers[first].tolist() for numbers in codes.values()]
        columns = [[texts[at] for at in of] for texts, of in zip(names, picked, strict=True)]
        return group, list(zip(*columns, strict=True))


def _joined(parts: Sequence[Places]) -> Places:
    return np.concatenate(parts) if parts else _NONE
