"""What is read for questions about visitors, in turns like the past and only while somebody asks."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from footfall.flow.serve.parameters import FORMATS
from footfall.flow.serve.past import Moments
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.unique_list import UniqueList, Visits
from footfall.flow.serve.view import View
from footfall.flow.serve.visitor_windows import VisitorWindows
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import load_visitors
from footfall.ports.table import Table
from footfall.values.period import Span

BYTES_PER_ROW = 8  # Windows of visitors may take about as much memory as the rows of boards,
BYTES_MAX = 128 * 1024 * 1024  # but not more than this.

VisitorPast = UniqueList
Sight = Callable[[str], tuple[Ground, Moments]]  # what decides which windows of a brand there are, as it is now


@dataclass(frozen=True, slots=True)
class VisitorKey:
    """Whose visitors, and what is asked about them."""

    brand: str
    question: object
    span: Span
    versions: tuple[int, ...]  # of all else that the answer is made of
    make: Callable[[], VisitorPast] = field(compare=False)
    spans: int = 1  # with those that it is compared with

    @property
    def size(self) -> int:
        """Return how many windows are read, about."""
        return len(self.span.windows) * self.spans


class VisitorReading:
    """Where visitors are read, and which of them are in memory."""

    def __init__(self, table: Table, sight: Sight, *, rows_max: int) -> None:
        self._sight = sight
        self.windows = VisitorWindows(
            lambda brand, window: load_visitors(table, brand, window),
            bytes_max=min(BYTES_MAX, rows_max * BYTES_PER_ROW),
        )

    def list_key(
        self, query: PopularQuery, look: Callable[[], View], words: Words, *, versions: tuple[int, ...]
    ) -> VisitorKey:
        """Return what to read for a list of assets; `look` gives the hits that it begins with."""
        plain = replace(query, format=FORMATS[0])
        return VisitorKey(
            query.brand,
            plain,
            look().sheet.span,
            versions,
            lambda: UniqueList(plain, self._visits(query.brand), look, words),
        )

    def _visits(self, brand: str, *, keeps: bool = True) -> Visits:
        ground, moments = self._sight(brand)
        visited = self.windows.visitors if keeps else self.windows.glance
        return Visits(ground, moments, lambda window: visited(brand, window))
