"""What windows hold that metrics ask for, read once and kept until the journal says that they were written again.

A live brand is counted every few seconds, and of thirty days only the last has changed. So whoever asks again reads the
journal and the windows that it names. Of a window no more is kept than the hits of each label, and the visitors of
the brand, its sections and its labels: not those of assets, of which there are thousands.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from footfall.flow.serve.loaded import Read
from footfall.flow.serve.shown import EVERYBODY, PERSONS
from footfall.flow.serve.uniting import among, groups_from
from footfall.flow.serve.visitor_windows import WINDOW_BYTES
from footfall.flow.serve.visits import Visitors
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.store.columns import Columns, asset_text
from footfall.flow.store.journal import read_journal
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, load_visitors
from footfall.ports.table import Table
from footfall.sketches.grouped import GroupedUniques, merge_grouped, regrouped, weight_bytes
from footfall.values.clock import Clock
from footfall.values.window import Window

# Of each of the threads that make answers.
TOTALS_BYTES_MAX = 8_000_000
VISITORS_BYTES_MAX = 24_000_000
TOLD_BYTES_MAX = 4_000_000
LABEL_BYTES = 200  # of the hits of one label in memory
LABELS_MAX = 100_000  # that have numbers

Label = tuple[str, ...]  # section, resource type, paid type
_T = TypeVar("_T")


@dataclass(slots=True)
class Totals:
    """The hits of each label of a window or a span; those that nobody knows the labels of are under empty ones."""

    hits: Counter[Label] = field(default_factory=Counter[Label])
    unlabelled: int = 0
    is_known: bool = True  # False: a cut left out nobody knows how many.

    def add(self, more: "Totals") -> None:
        """Add another's."""
        self.hits.update(more.hits)
        self.unlabelled += more.unlabelled
        self.is_known &= more.is_known


@dataclass(slots=True)
class HeldTotals:
    """The parts of a window, None where what a part adds was never needed."""

    parts: dict[str, Totals | None]
    merged: frozenset[str]


@dataclass(frozen=True, slots=True)
class VisitorSets:
    """Sets of a window's visitors by number; `is_whole`: each has all that were met, and nobody else."""

    sketches: GroupedUniques
    is_whole: bool = True
    among: frozenset[int] = frozenset()  # the sets that were looked for


@dataclass(frozen=True, slots=True)
class VisitorsTold:
    """How many visitors each group of a question has."""

    visitors: Sequence[Visitors]
    is_exact: bool


class Kept(Generic[_T]):
    """What was made of windows, those of all brands together within a bound of memory."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._found: OrderedDict[tuple[str, Window], dict[Hashable, tuple[_T, int]]] = OrderedDict()

    def get(self, brand: str, window: Window, kind: Hashable) -> _T | None:
        """Return what is kept of a window, None when that is nothing."""
        of_window = self._found.get((brand, window))
        if of_window is None or kind not in of_window:
            return None
        self._found.move_to_end((brand, window))
        return of_window[kind][0]

    def keep(self, brand: str, window: Window, kind: Hashable, made: _T, *, size: int) -> None:
        """Keep what was made of a window, in the place of what was."""
        of_window = self._found.setdefault((brand, window), {})
        self._found.move_to_end((brand, window))
        self._bytes += size - of_window.get(kind, (None, 0))[1]
        of_window[kind] = (made, size)
        while self._bytes > self._bytes_max and len(self._found) > 1:
            self.drop(*next(iter(self._found)))

    def drop(self, brand: str, window: Window) -> None:
        """Let go of a window."""
        self._bytes -= sum(size for _, size in self._found.pop((brand, window), {}).values())

    def clear(self) -> None:
        """Let go of everything."""
        self._found.clear()
        self._bytes = 0

    @property
    def size_bytes(self) -> int:
        """Return what it takes."""
        return self._bytes


@dataclass(slots=True)
class TotalWindows:
    """Windows of one brand of which no more is kept than the hits of each label."""

    brand: str
    labels: frozenset[str]
    kept: Kept[HeldTotals]
    reached: dict[Window, HeldTotals] = field(default_factory=dict[Window, HeldTotals])  # by one question

    def held(self, window: Window) -> HeldTotals | None:
        """Return what is known of the window, None when it was never read."""
        found = self.reached.get(window)
        if found is None:
            found = self.kept.get(self.brand, window, self.labels)
            if found is not None:
                self.reached[window] = found
        return found

    def note(self, window: Window, summaries: Collection[Summary]) -> HeldTotals:
        """Take note of which parts the window has."""
        merged = frozenset(shard for one in summaries for shard in one.throughs if one.part == keys.ALL)
        held = self.reached[window] = HeldTotals({one.part: None for one in summaries}, merged)
        self._keep(window, held)
        return held

    def enter(self, window: Window, summary: Summary) -> None:
        """Add up one part of a window that was noted."""
        held = self.reached[window]
        held.parts[summary.part] = totals_of(summary.columns, self.labels)
        self._keep(window, held)

    def fit(self, read: Read, *, now_ms: int) -> None:
        """Do nothing: whoever keeps them lets go of some."""

    def _keep(self, window: Window, held: HeldTotals) -> None:
        labels = sum(len(one.hits) for one in held.parts.values() if one is not None)
        self.kept.keep(self.brand, window, self.labels, held, size=WINDOW_BYTES + LABEL_BYTES * labels)


def totals_of(columns: Columns, labels: frozenset[str]) -> Totals:
    """Return the hits of each label, of those who are shown."""
    sums: list[float] = np.bincount(columns.slice_no, columns.hits, len(columns.slices)).tolist()
    totals = Totals()
    for one, hits in zip(columns.slices, sums, strict=True):
        if one.label in labels:
            totals.hits[one[:3]] += int(hits)
    for one in columns.cuts.per_slice:
        if one.label in labels:
            totals.hits[one[:3]] += columns.cuts.left_out.get(one, 0)
            totals.is_known &= one in columns.cuts.left_out
    totals.unlabelled = columns.other + (columns.other_screened if labels >= EVERYBODY else 0)
    return totals


class WindowMemory:
    """The windows that metrics asked for lately."""

    def __init__(self, table: Table, clock: Clock, checkpoints: Callable[[], Mapping[int, Checkpoint]]) -> None:
        self._table = table
        self._summaries = Summaries(table, clock)
        self._checkpoints = checkpoints
        self._numbers: dict[int, int] = {}  # of each shard's journal that was looked at
        self._totals = Kept[HeldTotals](TOTALS_BYTES_MAX)
        self._visitors = Kept[VisitorSets](VISITORS_BYTES_MAX)
        self._told = Kept[VisitorsTold](TOLD_BYTES_MAX)
        self._sections: dict[str, frozenset[int]] = {}  # by brand: the sets that are kept
        self._labels: dict[Label, int] = {}

    @property
    def size_bytes(self) -> int:
        """Return what the windows take."""
        return self._totals.size_bytes + self._visitors.size_bytes + self._told.size_bytes

    def follow(self) -> None:
        """Let go of what was written since; called before a question is answered."""
        for shard, checkpoint in self._checkpoints().items():
            before, self._numbers[shard] = self._numbers.get(shard), checkpoint.number
            if before is None or before == checkpoint.number:
                continue  # What is kept was read after this was looked at first.
            is_whole = False
            if before < checkpoint.number:
                news = read_journal(self._table, shard, after=before, now_number=checkpoint.number)
                is_whole = news.is_whole
                for one in news.touched:
                    self._totals.drop(one.brand, one.window)
                    self._visitors.drop(one.brand, one.window)
                    self._told.drop(one.brand, one.window)
            if not is_whole:
                self.clear()
        if len(self._labels) > LABELS_MAX:
            self.clear()

    def clear(self) -> None:
        """Let go of everything."""
        self._totals.clear()
        self._visitors.clear()
        self._told.clear()
        self._sections.clear()
        self._labels.clear()

    def totals(self, brand: str, labels: frozenset[str]) -> TotalWindows:
        """Return where the hits of a brand's windows are kept, for one question."""
        return TotalWindows(brand, labels, self._totals)

    def live(self, brand: str, window: Window) -> list[Summary]:
        """Return the parts of a window that a reader adds up."""
        return self._summaries.live(brand, window)

    def section_sets(self, brand: str, windows: Sequence[Window], sections: Collection[str]) -> list[VisitorSets]:
        """Return the visitors of the brand and of its sections in each of some windows, each read once."""
        known = self._sections.get(brand, frozenset((BRAND_GROUP,)))
        wanted = frozenset(group_of_section(one) for one in sections)
        if not wanted <= known:
            known |= wanted
        self._sections[brand] = known
        groups = groups_from(sorted(known))

        def load(window: Window) -> VisitorSets:
            return VisitorSets(among(load_visitors(self._table, brand, window), groups), among=known)

        return [self._sets(brand, window, "sections", wanted, load) for window in windows]

    def label_sets(self, brand: str, windows: Sequence[Window]) -> list[VisitorSets]:
        """Return the visitors of each label in each of some windows: those of all its assets."""

        def load(window: Window) -> VisitorSets:
            return self._by_label(brand, window)

        return [self._sets(brand, window, "labels", frozenset(), load) for window in windows]

    def told(
        self, brand: str, windows: Sequence[Window], asked: Hashable, make: Callable[[], VisitorsTold]
    ) -> VisitorsTold:
        """Return how many visitors some windows have; of one alone, such as a day of the past, that is kept."""
        if len(windows) != 1:
            return make()
        found = self._told.get(brand, windows[0], asked)
        if found is None:
            found = make()
            self._told.keep(brand, windows[0], asked, found, size=WINDOW_BYTES + LABEL_BYTES * len(found.visitors))
        return found

    def number_of_label(self, label: Label) -> int:
        """Return the number of the set of a label's visitors."""
        return self._labels.setdefault(label, len(self._labels))

    def _sets(
        self, brand: str, window: Window, kind: str, wanted: frozenset[int], load: Callable[[Window], VisitorSets]
    ) -> VisitorSets:
        found = self._visitors.get(brand, window, kind)
        if found is None or not wanted <= found.among:
            found = load(window)
            self._visitors.keep(brand, window, kind, found, size=WINDOW_BYTES + weight_bytes(found.sketches))
        return found

    def _by_label(self, brand: str, window: Window) -> VisitorSets:
        """Return the visitors of a window by label; an asset of two labels gives its visitors to both."""
        sketches = load_visitors(self._table, brand, window)
        assets: dict[Label, set[int]] = {}
        is_whole = True
        for summary in self._summaries.live(brand, window):
            is_whole &= not summary.columns.cuts.any_asset and not summary.columns.other
            for asset, label in _labelled(summary.columns):
                assets.setdefault(label, set()).add(asset)
        parts: list[GroupedUniques] = []
        for label, members in assets.items():
            some = among(sketches, groups_from(sorted(members)))
            parts.append(regrouped(some, np.full(len(some), self.number_of_label(label), np.int64)))
        is_whole &= sum(map(len, assets.values())) == len(set[int]().union(*assets.values()))
        return VisitorSets(merge_grouped(parts), is_whole)


def _labelled(columns: Columns) -> list[tuple[int, Label]]:
    """Return which asset has persons' hits under which label, by the number of its set of visitors."""
    groups: dict[int, int] = {}
    found: list[tuple[int, Label]] = []
    idents: list[int] = columns.ident.tolist()
    slices: list[int] = columns.slice_no.tolist()
    for ident, slice_no in zip(idents, slices, strict=True):
        one = columns.slices[slice_no]
        if one.label not in PERSONS:
            continue
        if ident not in groups:
            groups[ident] = group_of_asset(asset_text(columns, ident))
        found.append((groups[ident], one[:3]))
    return found
