"""Windows that were to be kept for longer than is said now: let go of, so that a retention holds for the past as well.

A window's expiry is written with it. When an operator keeps windows for less time than before, those that are there
would stay until their old time. They are looked for once for each such change, some at a time, and expire at once.
So do the days of named counters, which are kept as long as windows of a day.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from footfall.flow.store import keys
from footfall.flow.store.checkpoints import load_checkpoints
from footfall.flow.store.counters import expire_days, names_in
from footfall.flow.store.retention import (
    RULE_KNOWN_AFTER_MS,
    KeptFor,
    load_forgotten,
    load_retention,
    note_forgotten,
)
from footfall.ports.errors import Changed
from footfall.ports.table import Present, Table, Update, everything
from footfall.values.clock import Clock
from footfall.values.groups import window_names
from footfall.values.window import MOMENT_MS_MIN, Grain, Window, walk

WINDOWS_AT_ONCE = 500  # Some 20 ms on one machine; where each look costs money it is half a unit.
COUNTER_WEIGHT = 10  # A counter's head is read for its days, and it has up to 82 KB.
GRAINS = (Grain.DAY, Grain.HOUR, Grain.MINUTE)


class Forgetting:
    """Lets go of what an earlier rule would keep and the present one does not."""

    def __init__(
        self,
        table: Table,
        *,
        clock: Clock,
        zone_of: Callable[[str], str],
        brands: Callable[[], Iterable[str]],
    ) -> None:
        self._table = table
        self._clock = clock
        self._zone_of = zone_of
        self._brands = brands
        self._work: Iterator[int] | None = None  # Each step yields what it has weighed.
        self._rule_since_ms = -1
        self._is_done = False

    def step(self) -> bool:
        """Look at some windows; return whether there may be more to look at."""
        if self._is_done:
            return False
        if self._work is None and not self._begin():
            return False
        assert self._work is not None
        weight = 0
        while weight < WINDOWS_AT_ONCE:
            done = next(self._work, None)
            if done is None:
                note_forgotten(self._table, rule_since_ms=self._rule_since_ms)
                self._is_done = True
                return False
            weight += done
        return True

    def _begin(self) -> bool:
        """Find out what there is to look at; the rules of a process do not change while it runs."""
        history = load_retention(self._table)
        if not history or load_forgotten(self._table) >= history[-1].since_ms:
            self._is_done = bool(history)
            return False
        now_ms = self._clock.now_ms()
        if now_ms < history[-1].since_ms + 2 * RULE_KNOWN_AFTER_MS:
            return False  # A reader that knows the old rule only would take what has gone for an hour without hits.
        self._rule_since_ms = history[-1].since_ms
        self._work = self._worked({grain: shortened(history, grain, now_ms=now_ms) for grain in GRAINS})
        return True

    def _worked(self, spans: Mapping[Grain, tuple[int, int]]) -> Iterator[int]:
        for brand in sorted(window_names(self._brands())):
            for grain, (from_ms, to_ms) in spans.items():
                for window in walk(grain, from_ms=from_ms, to_ms=to_ms, zone=self._zone_of(brand)):
                    if window.to_ms <= to_ms:
                        self._let_go(brand, window)
                        yield 1
            from_ms, to_ms = spans[Grain.DAY]
            if from_ms < to_ms:
                yield from self._counters_let_go(brand, ended_by_ms=to_ms)

    def _counters_let_go(self, brand: str, *, ended_by_ms: int) -> Iterator[int]:
        for shard in load_checkpoints(self._table):
            for name in names_in(self._table, brand, shard):
                expire_days(self._table, brand, name, ended_by_ms=ended_by_ms)
                yield COUNTER_WEIGHT

    def _let_go(self, brand: str, window: Window) -> None:
        for one in everything(self._table, keys.partition(brand, window)):
            try:
                self._table.update(Update(one.key, expires_at_ms=window.to_ms, expects=(Present(),)))
            except Changed:
                continue  # It has gone by itself.


def shortened(history: Sequence[KeptFor], grain: Grain, *, now_ms: int) -> tuple[int, int]:
    """Return the stretch of time whose windows an earlier rule keeps and the last one does not; it may be empty."""
    before: Iterable[Mapping[Grain, int]] = (rule.kept_ms for rule in history[:-1])
    longest_ms = max((kept_ms[grain] for kept_ms in before), default=0)
    to_ms = max(MOMENT_MS_MIN, now_ms - history[-1].kept_ms[grain])
    return max(MOMENT_MS_MIN, now_ms - longest_ms), to_ms
