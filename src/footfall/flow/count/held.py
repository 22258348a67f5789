"""The parts of windows that a shard's worker has in hand, as they are in the store.

Bounded by rows, not by windows: an attacker may fill a few minutes or touch a thousand. What is let go is read
again when it is needed.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from footfall.flow.store.columns import EMPTY, Columns
from footfall.flow.store.merging import Limits, admit
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.stream.records import RULES, HitKey
from footfall.values.window import Window

ROWS_MAX = 1_000_000  # Some 25 bytes each.

PartKey = tuple[str, Window, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a window and the `through` it was stored with; None: it is not stored."""

    through: int | None
    columns: Columns


class Held:
    """Reads and writes the parts of one shard."""

    def __init__(self, summaries: Summaries, *, expires_at_ms: Callable[[Window], int]) -> None:
        self._summaries = summaries
        self._expires_at_ms = expires_at_ms
        self._parts: OrderedDict[PartKey, Part] = OrderedDict()
        self._rows = 0

    def part(self, brand: str, window: Window, name: str) -> Part:
        """Return a part, from hand or from the store."""
        key = (brand, window, name)
        held = self._parts.get(key)
        if held is not None:
            self._parts.move_to_end(key)
            return held
        summary = self._summaries.load(brand, window, name)
        part = Part(None, EMPTY) if summary is None else Part(summary.through, summary.columns)
        self._hold(key, part)
        return part

    def add(
        self, brand: str, window: Window, name: str, counts: Mapping[HitKey, int], *, limits: Limits, through: int
    ) -> int:
        """Add counts to a part and store it; return its rows."""
        before = self.part(brand, window, name)
        columns = admit(before.columns, counts, limits)
        self.save(brand, window, name, columns, through=through)
        return len(columns.ident)

    def save(self, brand: str, window: Window, name: str, columns: Columns, *, through: int) -> None:
        """Store a part in the place of the one in hand."""
        before = self.part(brand, window, name)
        summary = Summary(window, name, through, {}, columns, final=False, rules=RULES)
        self._summaries.save(brand, summary, replaces=before.through, expires_at_ms=self._expires_at_ms(window))
        self._hold((brand, window, name), Part(through, columns))

    def remove(self, brand: str, window: Window, name: str) -> None:
        """Remove a part if it is there."""
        through = self.part(brand, window, name).through
        if through is not None:
            self._summaries.remove(brand, window, name, replaces=through)
            self._hold((brand, window, name), Part(None, EMPTY))

    def forget(self, brand: str, window: Window) -> None:
        """Let go of a window that somebody else wrote."""
        for key in [key for key in self._parts if key[0] == brand and key[1] == window]:
            self._rows -= len(self._parts.pop(key).columns.ident)

    def clear(self) -> None:
        """Let go of everything, for what was in hand may not be what is stored."""
        self._parts.clear()
        self._rows = 0

    def _hold(self, key: PartKey, part: Part) -> None:
        before = self._parts.pop(key, None)
        self._rows += len(part.columns.ident) + 1 - (0 if before is None else len(before.columns.ident) + 1)
        self._parts[key] = part
        while self._rows > ROWS_MAX and len(self._parts) > 1:
            _, dropped = self._parts.popitem(last=False)
            self._rows -= len(dropped.columns.ident) + 1
