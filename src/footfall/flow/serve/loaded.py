"""The windows that a board holds in memory, within limits, whatever was sent.

When a limit is passed, every window is cut to fewer rows and the bounds of what was left out are kept: lists then
say that they are not proven, and memory does not grow.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from footfall.flow.serve.directory import Directory
from footfall.flow.serve.sheets import Contribution, Unit, contribution, renumbered
from footfall.flow.store import keys
from footfall.flow.store.merging import bounded
from footfall.flow.store.summaries import Summary
from footfall.values.window import HOUR_MS, MINUTE_MS, Window

Read = Callable[[Window], list[Summary]]

SHRINK_BY = 4  # A cut to a half would often cut everything twice.
WINDOW_ROWS_MIN = 500  # Five times what the longest list shows.
TEXT_BYTES_PER_ROW = 64  # A generous id; longer ones count for more.
WIDEN_AFTER_MS = HOUR_MS  # Whoever sent too much may do so again at once.
SWEEP_EVERY_MS = 10 * MINUTE_MS
SWEEP_ROWS_MIN = 4_096  # Fewer rows are not worth the numbering.


@dataclass(frozen=True, slots=True)
class BoardLimits:
    """How much one brand's board may hold; a million distinct rows are some 100 MB with all their sheets."""

    window_rows_max: int = 1_000_000
    rows_max: int = 12_000_000  # of all windows together, 8 bytes each
    distinct_rows_max: int = 2_000_000
    text_bytes_max: int = 64_000_000


def limits_within(rows_max: int) -> BoardLimits:
    """Return the limits of a board that may hold so many rows, the others in proportion: they are memory as well."""
    usual = BoardLimits()
    share = min(1.0, rows_max / usual.rows_max)
    return BoardLimits(
        rows_max=rows_max,
        distinct_rows_max=max(WINDOW_ROWS_MIN, int(usual.distinct_rows_max * share)),
        text_bytes_max=max(WINDOW_ROWS_MIN * TEXT_BYTES_PER_ROW, int(usual.text_bytes_max * share)),
    )


@dataclass(slots=True)
class Held:
    """What is known of one window: its parts, each with what it adds if that was ever needed."""

    parts: dict[str, Contribution | None]
    merged: frozenset[str]  # the shards that the part for all shards holds


class LoadedWindows:
    """Windows in memory, in the numbers of one directory."""

    def __init__(self, limits: BoardLimits) -> None:
        self.directory = Directory()
        self.renumberings = 0  # What was added up under earlier numbers is void.
        self._limits = limits
        self._held: dict[Window, Held] = {}
        self._rows = 0
        self._window_rows_max = limits.window_rows_max
        self._shrunk_at_ms = 0
        self._swept_at_ms = 0

    def held(self, window: Window) -> Held | None:
        """Return what is known of the window, None when it was never read."""
        return self._held.get(window)

    def contribution(self, unit: Unit) -> Contribution:
        """Return what a part that was entered adds."""
        found = self._held[unit.window].parts[unit.part]
        assert found is not None, f"{unit} was never entered; resolve the span first"
        return found

    def note(self, window: Window, summaries: Collection[Summary]) -> Held:
        """Take note of which parts the window has, without entering any."""
        self.forget(window)
        merged = frozenset(shard for one in summaries for shard in one.throughs if one.part == keys.ALL)
        held = Held(parts={one.part: None for one in summaries}, merged=merged)
        self._held[window] = held
        return held

    def enter(self, window: Window, summary: Summary) -> None:
        """Enter one part of a window that was noted."""
        rows_max = self._window_rows_max
        columns = bounded(summary.columns, rows_max=rows_max, text_bytes_max=rows_max * TEXT_BYTES_PER_ROW)
        new = contribution(columns, self.directory)
        self._rows += len(new.rows)
        self._held[window].parts[summary.part] = new

    def forget(self, window: Window) -> None:
        """Let go of the window."""
        held = self._held.pop(window, None)
        if held is not None:
            self._rows -= sum(len(one.rows) for one in held.parts.values() if one is not None)

    def forget_all_but(self, windows: Collection[Window]) -> None:
        """Let go of every window that is not among those given."""
        for window in [window for window in self._held if window not in windows]:
            self.forget(window)

    def fit(self, read: Read, *, now_ms: int) -> None:
        """Cut windows until everything is within the limits again."""
        if self._is_over() and self._rows_live() < self.directory.rows:
            self._compact()
        while self._is_over() and self._window_rows_max > WINDOW_ROWS_MIN:
            self._window_rows_max = max(self._window_rows_max // SHRINK_BY, WINDOW_ROWS_MIN)
            self._shrunk_at_ms = now_ms
            self._reenter_large(read)
            self._compact()

    def tidy(self, *, now_ms: int) -> None:
        """From time to time, forget rows that no window has any more, and take in more again if there is room."""
        if now_ms - self._swept_at_ms < SWEEP_EVERY_MS:
            return
        self._swept_at_ms = now_ms
        if self.directory.rows >= SWEEP_ROWS_MIN and 2 * self._rows_live() < self.directory.rows:
            self._compact()
        has_room = (
            self._rows * 2 * SHRINK_BY < self._limits.rows_max
            and self.directory.rows * 2 * SHRINK_BY < self._limits.distinct_rows_max
        )
        if has_room and now_ms - self._shrunk_at_ms >= WIDEN_AFTER_MS:
            self._window_rows_max = min(self._window_rows_max * SHRINK_BY, self._limits.window_rows_max)

    def _is_over(self) -> bool:
        return (
            self._rows > self._limits.rows_max
            or self.directory.rows > self._limits.distinct_rows_max
            or self.directory.text_bytes > self._limits.text_bytes_max
        )

    def _reenter_large(self, read: Read) -> None:
        """Read those windows again that have a part with more rows, or longer texts, than a part may have now."""
        for window, held in list(self._held.items()):
            entered = {part for part, one in held.parts.items() if one is not None}
            if any(self._is_large(one) for one in held.parts.values() if one is not None):
                summaries = read(window)
                self.note(window, summaries)
                for summary in summaries:
                    if summary.part in entered:
                        self.enter(window, summary)

    def _is_large(self, one: Contribution) -> bool:
        rows_max = self._window_rows_max
        return len(one.rows) > rows_max or one.text_bytes > rows_max * TEXT_BYTES_PER_ROW

    def _contributions(self) -> Iterator[Contribution]:
        return (one for held in self._held.values() for one in held.parts.values() if one is not None)

    def _live(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        is_live = np.zeros(self.directory.rows, np.bool_)
        for one in self._contributions():
            is_live[one.rows] = True
        return is_live

    @property
    def rows(self) -> int:
        """Return how many rows all windows together hold."""
        return self._rows

    def _rows_live(self) -> int:
        return int(np.count_nonzero(self._live()))

    def _compact(self) -> None:
        is_slice_live = np.zeros(len(self.directory.slices), np.bool_)
        for one in self._contributions():
            is_slice_live[one.cut_slices] = True
        numbers = self.directory.compact(self._live(), is_slice_live)
        self.renumberings += 1
        for held in self._held.values():
            for part, one in held.parts.items():
                if one is not None:
                    held.parts[part] = renumbered(one, numbers)
