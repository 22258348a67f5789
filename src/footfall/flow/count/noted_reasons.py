"""Noting what the door screened for which reason, once a day for each brand, when its day has begun.

What verdicts say of a day changes later; it is kept hour by hour, and added when the reasons of days are told.
"""

from collections.abc import Callable, Mapping

from footfall.flow.store.checkpoints import Checkpoint
from footfall.flow.store.moved_lines import door_totals_of
from footfall.flow.store.reason_days import ReasonDay, note_reasons
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.groups import is_beside
from footfall.values.window import Grain, window_of


class NotedReasons:
    """Writes the ledger's reasons down after midnight of each brand's zone."""

    def __init__(self, table: Table, *, clock: Clock, zone_of: Callable[[str], str], keep_ms: int) -> None:
        self._table = table
        self._clock = clock
        self._zone_of = zone_of
        self._keep_ms = keep_ms
        self._noted: dict[str, int] = {}  # the day that was noted last, for each brand

    def step(self, checkpoints: Mapping[int, Checkpoint]) -> int:
        """Note what is due, and return how many brands that were; the checkpoints are those of all shards."""
        if not checkpoints:
            return 0
        now_ms = self._clock.now_ms()
        # Hits of the day before that are not counted yet are its own: its end is noted when all shards have passed it.
        passed_ms = min(one.passed_ms for one in checkpoints.values())
        brands = {brand for one in checkpoints.values() for brand in one.lines if not is_beside(brand)}
        due = 0
        for brand in sorted(brands):
            day_ms = window_of(now_ms, Grain.DAY, self._zone_of(brand)).from_ms
            if self._noted.get(brand) == day_ms or passed_ms < day_ms:
                continue
            totals = door_totals_of(checkpoints.values(), brand)
            noted = ReasonDay(day_ms, now_ms, totals)
            note_reasons(self._table, brand, noted, expires_at_ms=now_ms + self._keep_ms)
            self._noted[brand] = day_ms
            due += 1
        return due
