"""What is read for questions about visitors, in turns like the past and only while somebody asks."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.editing import hidden_of
from footfall.flow.serve.parameters import FORMATS
from footfall.flow.serve.past import Moments
from footfall.flow.serve.query import RISING, SECTIONS, PopularQuery
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.rise_view import RiseView
from footfall.flow.serve.series_query import SeriesQuery
from footfall.flow.serve.unique_labels import UniqueLabels
from footfall.flow.serve.unique_list import UniqueList
from footfall.flow.serve.unique_rise import UniqueRise
from footfall.flow.serve.unique_series import UniqueSeries
from footfall.flow.serve.view import View
from footfall.flow.serve.visitor_windows import VisitorWindows
from footfall.flow.serve.visits import Visits
from footfall.flow.serve.words import Words
from footfall.flow.store.visitors import load_visitors
from footfall.ports.table import Table
from footfall.values.period import Span

BYTES_PER_ROW = 8  # Windows of visitors may take about as much memory as the rows of boards,
BYTES_MAX = 128 * 1024 * 1024  # but not more than this.

VisitorPast = UniqueList | UniqueLabels | UniqueSeries | UniqueRise
Sight = Callable[[str], tuple[Ground, Moments]]  # what decides which windows of a brand there are, as it is now


@dataclass(frozen=True, slots=True)
class VisitorKey:
    """Whose visitors, and what is asked about them."""

    brand: str
    question: object
    from_ms: int
    to_ms: int
    versions: tuple[int, ...]  # of all else that the answer is made of
    size: int = field(compare=False)  # in windows, about
    make: Callable[[], VisitorPast] = field(compare=False)


class VisitorReading:
    """Where visitors are read, and which of them are in memory."""

    def __init__(self, table: Table, sight: Sight, *, rows_max: int) -> None:
        self._sight = sight
        self.windows = VisitorWindows(
            lambda brand, window: load_visitors(table, brand, window),
            bytes_max=min(BYTES_MAX, rows_max * BYTES_PER_ROW),
        )

    def list_key(
        self, path: str, query: PopularQuery, look: Callable[[], View], words: Words, *, began_at_ms: int
    ) -> VisitorKey:
        """Return what to read for a list of assets, of sections or of a brand; `look` gives its hits."""
        plain = replace(query, format=FORMATS[0])
        brand = query.brand
        # Assets that editors hide are counted and left out when the answer is made.
        reach = 0 if path else _known_of(look().directory, hidden_of(query, words.acts(brand)))

        def make() -> VisitorPast:
            if path:
                return UniqueLabels(plain, self._visits(brand), look, by_section=path == SECTIONS)
            return UniqueList(plain, self._visits(brand), look, words, reach=reach)

        # Filters that ask the catalogue are looked up once for all batches, so another catalogue is another question.
        words_version = words.look(brand) if query.asks_catalogue else 0
        return _key(brand, (path, plain), look().sheet.span, make, versions=(began_at_ms, words_version, reach))

    def series_key(self, query: SeriesQuery, span: Span) -> VisitorKey:
        """Return what to read for a series, whose ends stay where they are."""
        plain = replace(query, format=FORMATS[0], from_ms=span.from_ms, to_ms=span.to_ms)
        # Who goes through years must not push out what lists need.
        return _key(
            query.brand,
            plain,
            span,
            lambda: UniqueSeries(plain, span, self._visits(query.brand, keeps=False)),
            spans=1 + len(query.compare),
        )

    def rise_key(self, query: PopularQuery, look: Callable[[], RiseView], words: Words) -> VisitorKey:
        """Return what to read for a list of what rises, which shows what the catalogue says when it is made."""
        plain = replace(query, format=FORMATS[0])
        span = Span(tuple(window for one in look().recent for window in one.span.windows))
        return _key(
            query.brand,
            (RISING, plain),
            span,
            lambda: UniqueRise(plain, self._visits(query.brand), look, words),
            versions=(words.look(query.brand), *words.mark(query.brand)),
        )

    def _visits(self, brand: str, *, keeps: bool = True) -> Visits:
        ground, moments = self._sight(brand)
        visited = self.windows.visitors if keeps else self.windows.glance
        return Visits(ground, moments, lambda window: visited(brand, window))


def _known_of(directory: Directory, names: Collection[str]) -> int:
    return sum(directory.asset_of(name) is not None for name in names)


def _key(
    brand: str,
    question: object,
    span: Span,
    make: Callable[[], VisitorPast],
    *,
    versions: tuple[int, ...] = (),
    spans: int = 1,
) -> VisitorKey:
    """Return a key that names a span by its ends alone: it is compared for every window that is read."""
    return VisitorKey(brand, question, span.from_ms, span.to_ms, versions, len(span.windows) * spans, make)
