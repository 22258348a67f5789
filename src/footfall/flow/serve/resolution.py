"""Which summaries stand for a window: its own, or those of the finer windows it will be built from.

Shards build hours and days without waiting for each other. So this is decided shard by shard: where a shard has
its hour, its minutes inside that hour are not looked at, and where it has none yet, they stand for it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from footfall.flow.serve.hollow import Hollow
from footfall.flow.serve.loaded import Read
from footfall.flow.serve.sheets import Unit
from footfall.flow.store import keys
from footfall.flow.store.retention import KeptFor, known_since_ms
from footfall.flow.store.summaries import Summary
from footfall.values.period import Span
from footfall.values.window import Grain, Window, parts_of

Unbuilt = Mapping[str, Mapping[Grain, int]]  # by shard: where its first window of a grain begins that is not built

_FINER = {Grain.DAY: Grain.HOUR, Grain.HOUR: Grain.MINUTE, Grain.FIVE: Grain.MINUTE}
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Ground:
    """What decides which windows can exist at all."""

    zone: str
    shards: frozenset[str]
    kept_ms: Mapping[Grain, int]  # how long windows of a grain are kept
    now_ms: int
    seen_until_ms: int  # No window that begins later has any hits.
    kept_before: Sequence[KeptFor] = ()  # for how long they were kept over time, when that is known
    unbuilt: Unbuilt = field(default_factory=dict[str, Mapping[Grain, int]])  # A shard that is not in it does not say.


class HeldParts(Protocol):
    """What is known of one window: its parts, None where what a part adds was never needed."""

    @property
    def parts(self) -> Mapping[str, object]:
        """Return the parts by name."""
        ...

    @property
    def merged(self) -> frozenset[str]:
        """Return the shards that the part for all shards holds."""
        ...


class Holding(Protocol):
    """Whoever takes in what the summaries of windows add."""

    def held(self, window: Window) -> HeldParts | None:
        """Return what is known of the window, None when it was never read."""
        ...

    def note(self, window: Window, summaries: Collection[Summary]) -> HeldParts:
        """Take note of which parts the window has, without entering any."""
        ...

    def enter(self, window: Window, summary: Summary) -> None:
        """Enter one part of a window that was noted."""
        ...

    def fit(self, read: Read, *, now_ms: int) -> None:
        """Keep to whatever limits there are."""
        ...


@dataclass(slots=True)
class Resolution:
    """One look at all spans of a board, which reads what is not in memory and notes what it came across."""

    ground: Ground
    loaded: Holding
    read: Read
    fresh: Mapping[Window, Collection[Summary]]  # read a moment ago, not to be read again
    hollow: Hollow | None = None  # Where this is remembered, somebody tells what is written.
    reached: set[Window] = field(default_factory=set[Window])
    unknown: set[Window] = field(default_factory=set[Window])  # not there, and too old to say that nobody came
    _known: dict[Window, tuple[Unit, ...]] = field(default_factory=dict[Window, tuple[Unit, ...]])

    def units(self, span: Span) -> tuple[Unit, ...]:
        """Return the summaries that the span is the sum of, all of them entered."""
        for window in span.windows:
            if window not in self._known:
                self._known[window] = tuple(self._units_of(window, _NOBODY))
                # One that has gone may be there again with what came after, in a backfill; that is not all of it.
                if not is_kept(self.ground, window):
                    self.unknown.add(window)
        return tuple(unit for window in span.windows for unit in self._known[window])

    def kept_since_ms(self, span: Span) -> int | None:
        """Return the end of the last window of the span that is not kept any more, None when all are."""
        return max((window.to_ms for window in span.windows if window in self.unknown), default=None)

    def _units_of(self, window: Window, covered: frozenset[str]) -> list[Unit]:
        """Return what stands for the window, leaving out shards that a longer window around it has already."""
        if window.from_ms > self.ground.seen_until_ms:
            return []
        self.reached.add(window)
        held = self._held(window)
        unbuilt = unbuilt_shards(self.ground, window)
        parts = [part for part in held.parts if _counts(part, held, covered=covered, unbuilt=unbuilt)]
        self._enter(window, parts)
        units = [Unit(window, part) for part in parts]
        covered |= {keys.shard_of_part(part) for part in parts}
        if keys.ALL not in held.parts and not covered >= unbuilt:
            units += self._finer_units(window, covered)
        return units

    def _finer_units(self, window: Window, covered: frozenset[str]) -> list[Unit]:
        if self.hollow is not None and window in self.hollow:
            return []
        finer = parts_of(window, self.ground.zone)
        units = [unit for one in finer for unit in self._units_of(one, covered)]
        if self.hollow is not None and not units and self._is_hollow(window, finer):
            self.hollow.add(window)
        return units

    def _is_hollow(self, window: Window, finer: Sequence[Window]) -> bool:
        """Tell whether neither a window nor its minutes hold anything, whosoever it were."""
        if window.grain is Grain.DAY or window.to_ms > self.ground.seen_until_ms:
            return False
        helds = [self.loaded.held(one) for one in (window, *finer)]
        return all(held is not None and not held.parts for held in helds)

    def _held(self, window: Window) -> HeldParts:
        held = self.loaded.held(window)
        if held is None:
            # Five minutes are never stored: they are few enough to be added up.
            held = self.loaded.note(window, [] if window.grain is Grain.FIVE else self._summaries(window))
        return held

    def _summaries(self, window: Window) -> Collection[Summary]:
        return self.fresh[window] if window in self.fresh else self.read(window)

    def _enter(self, window: Window, parts: Collection[str]) -> None:
        held = self.loaded.held(window)
        assert held is not None
        missing = {part for part in parts if held.parts[part] is None}
        if not missing:
            return
        for summary in self._summaries(window):
            if summary.part in missing:
                self.loaded.enter(window, summary)
        self.loaded.fit(self.read, now_ms=self.ground.now_ms)


def is_kept(ground: Ground, window: Window) -> bool:
    """Tell whether the window is there with all its hits, or else all the finer ones that stand for it are."""
    if window.grain is not Grain.FIVE and window.to_ms >= _kept_from_ms(ground, window.grain):
        return True
    finer = _FINER.get(window.grain)
    while finer is not None:
        if window.from_ms >= _kept_from_ms(ground, finer):
            return True
        finer = _FINER.get(finer)
    return False


def unbuilt_shards(ground: Ground, window: Window) -> frozenset[str]:
    """Return the shards whose hits of the window may lie in finer ones: those that have it still to build."""
    finer = _FINER.get(window.grain)
    if finer is None or ground.now_ms - window.to_ms > ground.kept_ms[finer]:
        return _NOBODY
    if not ground.unbuilt or window.grain is Grain.FIVE:
        return ground.shards
    # A window without hits looks like one that is not built. Only this tells them apart, and saves a cold board
    # from looking for each minute of every hour in which nobody came.
    return frozenset(
        shard for shard in ground.shards if window.to_ms > ground.unbuilt.get(shard, {}).get(window.grain, 0)
    )


def _kept_from_ms(ground: Ground, grain: Grain) -> int:
    """Return the moment from which on every window of the grain that ended then or later is kept."""
    if not ground.kept_before:
        return ground.now_ms - ground.kept_ms[grain]
    return known_since_ms(ground.kept_before, grain, now_ms=ground.now_ms)


def _counts(part: str, held: HeldParts, *, covered: frozenset[str], unbuilt: frozenset[str]) -> bool:
    """Tell whether a part of a window is to be added up."""
    if part == keys.ALL:
        return not held.merged & covered
    shard = keys.shard_of_part(part)
    if shard in covered:
        return False
    # Late hits of an hour that a shard has not built lie in its minutes as well, which stand for the hour.
    return shard not in unbuilt or keys.ALL in held.parts or shard in held.parts
