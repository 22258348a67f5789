"""A longer window on its way: what is known of it until it is final, and how far its building has come."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footfall.flow.count.visitors import Union
from footfall.flow.store.columns import EMPTY, Columns
from footfall.flow.store.merging import bounded, merge
from footfall.flow.store.summaries import Laid
from footfall.values.window import Grain, Window

BUSY_WAIT_MS = 10_000  # A window that is built while its hits come is built again with those that came after.
WINDOW_ROWS_MAX = 1_000_000
WINDOW_TEXT_BYTES_MAX = 32_000_000
PIECES_APART_MS = 60_000  # So that no minute has two.
GOLDEN = 0.618_033_988_749_895  # Its multiples, less their whole part, lie evenly however many there are.
PIECES_APART_MS_MIN = 20_000  # With so many brands that less is left for each piece, they are spread as it is.

WindowKey = tuple[str, Window]  # brand, window


@dataclass(frozen=True, slots=True)
class BuildTiming:
    """How long late hits wait beside their window, and over how long after its end the builds of all brands are spread.

    Where each write costs money and too many at once are refused, a thousand brands' hours must not all be written
    when the clock strikes.
    """

    fold_ms: int
    spread_ms: int = 0
    is_shared: bool = False  # Others may work on the same shard, and each write stands by itself.


@dataclass(slots=True)
class Expected:
    """A window that is not final: whether it was built, and since when late hits wait beside it."""

    is_built: bool
    late_since_ms: int | None = None
    late_rows: int = 0
    open_until_ms: int = 0  # Hits of long ago came in; more of the same log may follow, so it is not cut before.
    since: int | None = None  # From this checkpoint on the journal names all its minutes; None: nobody knows them.
    minutes: set[int] | None = None  # where those begin that were written; None: the journal is still to be read
    waits_since_ms: int | None = None  # since when it is not built because hits keep coming for it

    def may_wait(self, now_ms: int) -> bool:
        """Tell whether a window that hits keep coming for is not built yet; after a while it is, whatever comes."""
        if self.waits_since_ms is None:
            self.waits_since_ms = now_ms
        return 0 <= now_ms - self.waits_since_ms < BUSY_WAIT_MS


@dataclass(slots=True)
class Build:
    """A window on its way to being built from its parts, and to being written in pieces."""

    brand: str
    window: Window
    visitors: Union
    parts: list[Window] = field(default_factory=list[Window])
    done: int = 0
    attempts: int = 1
    merged: Columns = field(default_factory=lambda: EMPTY)
    waiting: list[Columns] = field(default_factory=list[Columns])  # parts that are not added up
    laid: Laid | None = None
    through: int = 0  # up to which record it holds everything, as of when it was laid out
    pieces_apart_ms: int = 0
    next_piece_ms: int = 0


def bounded_sum(columns: Sequence[Columns]) -> Columns:
    """Return what columns come to, within what a window may hold."""
    return bounded(merge(columns), rows_max=WINDOW_ROWS_MAX, text_bytes_max=WINDOW_TEXT_BYTES_MAX)


def turns_of(expected: Iterable[WindowKey], *, shard: int, spread_ms: int) -> dict[WindowKey, int]:
    """Return the moment at which each expected window is to be built: brand after brand, evenly, days in between.

    It follows from which windows are expected alone, so that a worker that starts anew keeps to it.
    """
    brands: defaultdict[Window, list[str]] = defaultdict(list)
    for brand, window in expected:
        brands[window].append(brand)
    turns_ms: dict[WindowKey, int] = {}
    for window, names in brands.items():
        slot_ms = spread_ms / len(names)
        # Not at once: the first minutes of an hour have enough to write.
        first = (0.5 + shard * GOLDEN) % 1.0 + (0.5 if window.grain is Grain.DAY else 0.0)
        for n, brand in enumerate(sorted(names)):
            turns_ms[brand, window] = window.to_ms + int(slot_ms * (n + first))
    return turns_ms
