"""The visitors of windows in memory: as many windows as there is room for, each until it is written again.

Nothing is read before somebody asks for visitors, and a window that was read serves every question about it.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator

from footfall.flow.serve.resolution import Ground, unbuilt_shards
from footfall.sketches.grouped import GroupedUniques
from footfall.values.period import Span
from footfall.values.window import Grain, Window, parts_of

WINDOW_BYTES = 600  # What a window costs besides its sketches; many have none.

LoadVisitors = Callable[[str, Window], GroupedUniques]
Visited = Callable[[Window], GroupedUniques]  # the visitors of one brand's window


class VisitorWindows:
    """Windows that were asked for lately, those of all brands together within a bound of memory."""

    def __init__(self, load: LoadVisitors, *, bytes_max: int) -> None:
        self._load = load
        self._bytes_max = bytes_max
        self._kept: OrderedDict[tuple[str, Window], GroupedUniques] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size_bytes(self) -> int:
        """Return what the windows take."""
        return self._bytes

    def visitors(self, brand: str, window: Window) -> GroupedUniques:
        """Return the visitors of a window, and keep them for the next question."""
        found = self._kept.get((brand, window))
        if found is not None:
            self._kept.move_to_end((brand, window))
            return found
        found = self._kept[brand, window] = self._load(brand, window)
        self._bytes += _size(found)
        while self._bytes > self._bytes_max and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])
        return found

    def glance(self, brand: str, window: Window) -> GroupedUniques:
        """Return the same without keeping it: who goes through years must not push out what lists need."""
        found = self._kept.get((brand, window))
        return self._load(brand, window) if found is None else found

    def touch(self, brand: str, window: Window) -> None:
        """Let go of a window that was written."""
        found = self._kept.pop((brand, window), None)
        if found is not None:
            self._bytes -= _size(found)

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self._bytes = 0


def windows_of(span: Span, ground: Ground) -> list[Window]:
    """Return every window that has visitors of the span, the first one last.

    To unite a visitor twice changes nothing. So a window that is not built by all shards is looked at together with the
    finer ones that stand for it, and nobody has to know which of them hold the same.
    """
    return [one for window in span.windows for one in _standing_for(window, ground)][::-1]


def _standing_for(window: Window, ground: Ground) -> Iterator[Window]:
    if window.from_ms > ground.seen_until_ms:
        return
    if window.grain is not Grain.FIVE:  # Five minutes are never stored.
        yield window
    if unbuilt_shards(ground, window):
        for finer in parts_of(window, ground.zone):
            yield from _standing_for(finer, ground)


def _size(one: GroupedUniques) -> int:
    columns = (one.groups, one.starts, one.coupons, one.dense, one.registers)
    return WINDOW_BYTES + sum(column.nbytes for column in columns)
