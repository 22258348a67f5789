"""Hours in which nobody came: found out once, and remembered until something is written there.

An hour without hits looks like one that is still to be built, so all its minutes are looked at. A week of them is
twenty thousand looks, which no change of the minute should repeat.
"""

from collections.abc import Iterable

from footfall.values.window import Grain, Window, window_of

_AROUND = (Grain.FIVE, Grain.HOUR)  # the windows that are made of minutes


class Hollow:
    """The windows of a brand of which neither they nor their minutes hold anything."""

    def __init__(self, zone: str) -> None:
        self._zone = zone
        self._windows: set[Window] = set()

    def __contains__(self, window: Window) -> bool:
        """Tell whether nothing is there."""
        return window in self._windows

    def add(self, window: Window) -> None:
        """Remember that nothing is there."""
        self._windows.add(window)

    def fill(self, changed: Iterable[Window]) -> bool:
        """Forget it of the windows around those that were written; return whether there were any."""
        if not self._windows:
            return False
        around = {window_of(one.from_ms, grain, self._zone) for one in changed for grain in _AROUND}
        filled = self._windows & around
        self._windows -= filled
        return bool(filled)

    def forget_all_but(self, windows: Iterable[Window]) -> None:
        """Let go of what nobody looks at any more."""
        self._windows.intersection_update(windows)
