"""Lists of any span: its windows are read from the store when they are asked for, a few at a time.

Nothing here touches the boards of the live lists. A window is read, added up and let go, so that memory depends on how
many different assets a span has seen, not on how long it is; where even those are too many, all windows are cut to
fewer rows and read again, and the list says what that leaves unproven.
"""

from dataclasses import dataclass, field
from functools import cache

from footfall.flow.serve.loaded import WINDOW_ROWS_MIN, BoardLimits, LoadedWindows, Read
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.resolution import Ground, Resolution
from footfall.flow.serve.sheets import Sheet
from footfall.flow.serve.spans import span_before
from footfall.flow.serve.view import View
from footfall.values.period import Span
from footfall.values.window import Window

OPEN_CACHE_S = 60
CLOSED_CACHE_S = 300  # Late hits still come.
FINAL_CACHE_S = 86_400  # Only a backfill or a re-count changes it.
SHRINK_BY = 4
NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class PastLimits:
    """How much one span may hold while it is read and after."""

    distinct_rows_max: int = 500_000  # some 60 bytes each
    text_bytes_max: int = 32_000_000
    cut_rows_max: int = 8_000_000  # rows of windows that were cut, which a proof needs; four bytes each
    window_rows_max: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Moments:
    """Until when windows are closed and final, as it was when the reading began."""

    closed_until_ms: int
    lateness_ms: int


@dataclass(slots=True)
class PastList:
    """One span of one brand, on its way from the store or read already."""

    span: Span
    ground: Ground
    moments: Moments
    limits: PastLimits = field(default_factory=PastLimits)
    _before: Span = field(init=False)
    _todo: list[tuple[Window, bool]] = field(init=False)  # the next window last, and whether it is of the span before
    _window_rows_max: int = field(init=False)
    _loaded: LoadedWindows = field(init=False)
    _sheets: dict[bool, Sheet] = field(init=False)
    _kept_since_ms: dict[bool, int | None] = field(init=False)
    _cut_rows: int = field(init=False)

    def __post_init__(self) -> None:
        """Begin with all windows unread."""
        self._before = span_before(self.span, self.ground.zone)
        self._window_rows_max = self.limits.window_rows_max
        self._begin()

    @property
    def rows(self) -> int:
        """Return how many rows it holds, as a measure of its memory: those that have a sum, and those of proofs."""
        return self._loaded.directory.rows + self._cut_rows // 16

    @property
    def left(self) -> int:
        """Return how many windows are still to be read."""
        return len(self._todo)

    @property
    def is_read(self) -> bool:
        """Tell whether the list can be asked."""
        return not self._todo

    @property
    def is_final(self) -> bool:
        """Tell whether no hit can change the span any more, except in a backfill."""
        return self.span.to_ms + self.moments.lateness_ms <= self.moments.closed_until_ms

    def step(self, read: Read) -> None:
        """Read the next window."""
        window, is_before = self._todo[-1]
        one = Span((window,))
        # What stands for a window is looked for first and entered then; it is read once for both.
        resolution = Resolution(ground=self.ground, loaded=self._loaded, read=cache(read), fresh={})
        units = resolution.units(one)
        for unit in units:
            new = self._loaded.contribution(unit)
            self._sheets[is_before].add_for_good(new)
            self._cut_rows += len(new.rows) if new.is_cut else 0
        since_ms = resolution.kept_since_ms(one)
        if since_ms is not None:
            self._kept_since_ms[is_before] = max(since_ms, self._kept_since_ms[is_before] or 0)
        self._loaded.forget_all_but(())
        self._todo.pop()
        if not self._todo:
            self._loaded.directory.rank_new_assets()
        if self._is_over() and self._window_rows_max > WINDOW_ROWS_MIN:
            self._window_rows_max = max(self._window_rows_max // SHRINK_BY, WINDOW_ROWS_MIN)
            self._begin()

    def touches(self, window: Window) -> bool:
        """Tell whether a window that was written has hits of this list."""
        return window.from_ms < self.span.to_ms and window.to_ms > self._before.from_ms

    def view(self, query: PopularQuery) -> View:
        """Return the sums that a question about the span is answered from."""
        assert self.is_read, f"{len(self._todo)} windows are still to be read"
        assert (query.from_ms, query.to_ms) == (self.span.from_ms, self.span.to_ms)
        is_closed = self.span.to_ms <= self.moments.closed_until_ms
        return View(
            directory=self._loaded.directory,
            sheet=self._sheets[False],
            before=self._sheets[True] if self._kept_since_ms[True] is None else None,
            max_age_s=FINAL_CACHE_S if self.is_final else CLOSED_CACHE_S if is_closed else OPEN_CACHE_S,
            final=self.is_final,
            kept_since_ms=self._kept_since_ms[False],
        )

    def _begin(self) -> None:
        """Let go of everything and begin anew, with windows of at most so many rows."""
        no_limits = BoardLimits(self._window_rows_max, NO_LIMIT, NO_LIMIT, NO_LIMIT)
        self._loaded = LoadedWindows(no_limits)
        self._sheets = {False: Sheet(self.span), True: Sheet(self._before)}
        self._kept_since_ms = {False: None, True: None}
        self._cut_rows = 0
        self._todo = [(window, True) for window in reversed(self._before.windows)]
        self._todo += [(window, False) for window in reversed(self.span.windows)]

    def _is_over(self) -> bool:
        directory = self._loaded.directory
        return (
            directory.rows > self.limits.distinct_rows_max
            or directory.text_bytes > self.limits.text_bytes_max
            or self._cut_rows > self.limits.cut_rows_max
        )
