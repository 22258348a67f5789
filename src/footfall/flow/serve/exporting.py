"""What windows hold, row by row, for whoever takes it elsewhere: one window at a time, however many there are.

A row is an asset under one slice. What a cut left out of a slice, and what found no row at all, are rows without an
asset: so the rows of a window always add up to what was counted in it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from footfall.flow.serve.loaded import Read
from footfall.flow.serve.measures import measuring_asset
from footfall.flow.serve.resolution import Ground, Resolution
from footfall.flow.serve.shown import EVERYBODY, PERSONS
from footfall.flow.serve.visitor_windows import Visited, windows_of
from footfall.flow.serve.visits import NO_VISITORS, Visitors, bounded, visitors_from
from footfall.flow.store import keys
from footfall.flow.store.columns import Columns, rows
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summary
from footfall.flow.store.visitors import group_of_asset
from footfall.sketches.estimation import Estimate
from footfall.sketches.grouped import estimates, merge_grouped
from footfall.values.period import Span
from footfall.values.window import Window

ASSET, LEFT_OUT, OTHER = "asset", "leftOut", "other"
SCREENED = "screened"  # the label of rows of whoever is no person, where nobody knows which it was


@dataclass(frozen=True, slots=True)
class ExportedRow:
    """How often one asset was seen under one slice; without an asset, what has no row of its own."""

    kind: str
    asset: str
    section: str
    resource_type: str
    paid_type: str
    hits: int
    label: str = ""  # of screening; empty: persons
    visitors: Visitors | None = None  # of the asset in the window, under whatever labels; None: nobody asked


@dataclass(frozen=True, slots=True)
class ExportedWindow:
    """A window's rows; None when it is not kept any more."""

    window: Window
    rows: Iterator[ExportedRow] | None


@dataclass(slots=True)
class _HeldColumns:
    """What is known of one window."""

    parts: dict[str, Columns | None]
    merged: frozenset[str]


@dataclass(slots=True)
class _WholeWindows:
    """Windows of which everything is kept, as long as they are written out."""

    windows: dict[Window, _HeldColumns] = field(default_factory=dict[Window, _HeldColumns])

    def held(self, window: Window) -> _HeldColumns | None:
        """Return what is known of the window, None when it was never read."""
        return self.windows.get(window)

    def note(self, window: Window, summaries: Collection[Summary]) -> _HeldColumns:
        """Take note of which parts the window has."""
        merged = frozenset(shard for one in summaries for shard in one.throughs if one.part == keys.ALL)
        held = self.windows[window] = _HeldColumns({one.part: None for one in summaries}, merged)
        return held

    def enter(self, window: Window, summary: Summary) -> None:
        """Keep one part of a window that was noted."""
        self.windows[window].parts[summary.part] = summary.columns

    def fit(self, read: Read, *, now_ms: int) -> None:
        """Do nothing: one window at a time is little."""


def exported(
    windows: Iterable[Window],
    read: Read,
    ground: Ground,
    visited: Visited | None = None,
    *,
    labels: frozenset[str] = PERSONS,
) -> Iterator[ExportedWindow]:
    """Yield every window with its rows, those of assets first, and with their visitors if these are read, too.

    Of hits with these labels of screening.
    """
    for window in windows:
        whole = _WholeWindows()
        resolution = Resolution(ground=ground, loaded=whole, read=cache(read), fresh={})
        units = resolution.units(Span((window,)))
        columns = merge([found for one in units if (found := whole.windows[one.window].parts[one.part]) is not None])
        if resolution.unknown:
            yield ExportedWindow(window, None)
        else:
            counts = None if visited is None else _visitors(window, ground, visited)
            yield ExportedWindow(window, _rows_of(columns, counts, labels))


def _visitors(window: Window, ground: Ground, visited: Visited) -> dict[int, Visitors]:
    """Return the visitors of every set that a window knows of."""
    found = merge_grouped([visited(one) for one in windows_of(Span((window,)), ground)])
    told = estimates(found)
    all_told = map(Estimate, told.count.tolist(), told.lower.tolist(), told.upper.tolist())
    return dict(zip(found.groups.tolist(), map(visitors_from, all_told), strict=True))


def _rows_of(
    columns: Columns, visitors: Mapping[int, Visitors] | None, labels: frozenset[str]
) -> Iterator[ExportedRow]:
    for row in rows(columns):
        if row.slice.label not in labels:
            continue
        told = None if visitors is None else _visitors_of(row.asset, columns, visitors)
        yield ExportedRow(ASSET, row.asset, *row.slice[:3], row.hits, row.slice.label, told)
    for label, hits in sorted(columns.cuts.left_out.items()):
        if label.label not in labels:
            continue
        yield ExportedRow(LEFT_OUT, "", *label[:3], hits, label.label)
    if columns.other:
        yield ExportedRow(OTHER, "", "", "", "", columns.other)
    if columns.other_screened and labels >= EVERYBODY:
        yield ExportedRow(OTHER, "", "", "", "", columns.other_screened, SCREENED)


def _visitors_of(asset: str, columns: Columns, visitors: Mapping[int, Visitors]) -> Visitors:
    """Return the visitors of an asset, not more than it has hits of persons under all labels."""
    hits = measuring_asset(asset)(columns)
    assert hits.at_most is not None, "an asset's hits are always bounded"
    told = visitors.get(group_of_asset(asset), NO_VISITORS)
    return bounded(told, hits=hits.hits, missed=hits.at_most - hits.hits)
