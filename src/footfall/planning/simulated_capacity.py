"""How much a table or a stream may do, and how that changes: provisioned, scaled, on demand, and as it once was.

Capacity changes only between minutes, as CloudWatch tells of whole ones.
"""

import math
from collections import deque
from dataclasses import dataclass

from footfall.planning.simulated_limits import (
    BURST_S,
    DECREASE_EVERY_MINUTES,
    DECREASES_A_DAY_MAX,
    DECREASES_FREE,
    ON_DEMAND_MINUTES,
    ON_DEMAND_TIMES,
    RESHARD_SECONDS_EACH,
    RESHARD_TIMES_MAX,
    RESHARDS_A_DAY_MAX,
    SCALE_APPLIED_MINUTES,
    SCALE_DOWN_BELOW,
    SCALE_DOWN_MINUTES,
    SCALE_UP_MINUTES,
    SHARDS_MAX,
    STREAM_ON_DEMAND_MINUTES,
    STREAM_ON_DEMAND_SHARDS,
    STREAM_ON_DEMAND_SHARDS_MAX,
    TABLE_UNITS_MAX,
    TARGET,
    TARGET_MAX,
    TARGET_MIN,
)
from footfall.planning.traffic import DAY_MINUTES
from footfall.values.errors import Refused

_LAST_DIGITS = 1e-6  # 49 units of a target of 0.7 are 70, whatever the last digits of a sum are.


@dataclass(frozen=True, slots=True)
class Scaling:
    """Auto scaling by target tracking, within bounds."""

    units_min: float
    units_max: float
    target: float = TARGET
    applied_minutes: int = SCALE_APPLIED_MINUTES

    def __post_init__(self) -> None:
        if not TARGET_MIN <= self.target <= TARGET_MAX:
            raise Refused("target", f"{self.target} is not between {TARGET_MIN} and {TARGET_MAX}, as the vendor has it")
        if not 1 <= self.units_min <= self.units_max <= TABLE_UNITS_MAX:
            raise Refused(
                "scaling", f"1 <= {self.units_min:g} <= {self.units_max:g} <= {TABLE_UNITS_MAX:g} does not hold"
            )


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Units a second of the whole table, which any partition may have up to its own limit (adaptive capacity)."""

    units: float
    scaling: Scaling | None = None
    burst_s: int = BURST_S

    def __post_init__(self) -> None:
        if not 1 <= self.units <= TABLE_UNITS_MAX:
            raise Refused("units", f"{self.units:g} is not between 1 and {TABLE_UNITS_MAX:g}, the quota of a table")
        if not 0 <= self.burst_s <= BURST_S:
            raise Refused("burst", f"{self.burst_s} s is not between 0 and {BURST_S}, all that is saved up")


@dataclass(frozen=True, slots=True)
class Divided:
    """Units a second that are divided evenly among the partitions, as before adaptive capacity; no partition lends."""

    units: float
    burst_s: int = 0  # The talk is older than the vendor's page on burst capacity.

    def __post_init__(self) -> None:
        if not 1 <= self.units <= TABLE_UNITS_MAX:
            raise Refused("units", f"{self.units:g} is not between 1 and {TABLE_UNITS_MAX:g}, the quota of a table")


@dataclass(frozen=True, slots=True)
class OnDemand:
    """As much as comes, up to double what has come before, and to the table's quota."""

    previous_peak: float = 0.0  # units a second that the table has had before the simulation begins

    def __post_init__(self) -> None:
        if not 0 <= self.previous_peak < math.inf:
            raise Refused("previous_peak", f"{self.previous_peak} is no number of units a second")


@dataclass(frozen=True, slots=True)
class Sharded:
    """Shards of a stream, each with the same limit: so many, more from given minutes on, or as many as it takes."""

    shards: int = STREAM_ON_DEMAND_SHARDS
    reshards: tuple[tuple[int, int], ...] = ()  # (minute, shards): when the new ones are there
    is_on_demand: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.shards <= SHARDS_MAX:
            raise Refused("shards", f"{self.shards} is not between 1 and {SHARDS_MAX}")
        before_minute, before = 0, self.shards
        for minute, shards in self.reshards:
            if minute < before_minute or not before < shards <= min(SHARDS_MAX, before * RESHARD_TIMES_MAX):
                raise Refused(
                    "reshards", f"from {before} to {shards} shards at minute {minute}: in order, up to double"
                )
            before_minute, before = minute, shards
        minutes = [minute for minute, _ in self.reshards]
        pairs = zip(minutes, minutes[RESHARDS_A_DAY_MAX:], strict=False)
        if any(later - earlier < DAY_MINUTES for earlier, later in pairs):
            raise Refused("reshards", f"more than {RESHARDS_A_DAY_MAX} within 24 hours")


def resharded(minute: int, before: int, after: int) -> tuple[int, int]:
    """Return when shards that are asked for in a minute are there: they are made one after another."""
    return minute + math.ceil(abs(after - before) * RESHARD_SECONDS_EACH / 60), after


Capacity = Provisioned | Divided | OnDemand


class ProvisionedUnits:
    """The units of a table that is provisioned, minute by minute."""

    def __init__(self, units: float, scaling: Scaling | None) -> None:
        self.units = units
        self._scaling = scaling
        self._above = 0
        self._low: deque[float] = deque(maxlen=SCALE_DOWN_MINUTES)
        self._pending: tuple[int, float] | None = None
        self._decreases_at: list[int] = []

    def begin(self, minute: int) -> None:
        """Apply what was asked for and is due."""
        if self._pending is not None and minute >= self._pending[0]:
            self.units = self._pending[1]
            self._pending = None
            self._above = 0
            self._low.clear()

    def end(self, minute: int, consumed: float) -> None:
        """Look at the units a second that the minute has consumed, as the alarms do."""
        scaling = self._scaling
        if scaling is None or self._pending is not None:
            return
        used = consumed / self.units
        self._above = self._above + 1 if used > scaling.target else 0
        if used <= scaling.target - SCALE_DOWN_BELOW:
            self._low.append(consumed)
        else:
            self._low.clear()
        # Down to what the busiest of those minutes needs: the vendor calls its scaling in conservative.
        wanted = consumed if self._above >= SCALE_UP_MINUTES else max(self._low, default=consumed)
        units = float(min(max(math.ceil(wanted / scaling.target - _LAST_DIGITS), scaling.units_min), scaling.units_max))
        if self._above >= SCALE_UP_MINUTES and units > self.units:
            self._pending = (minute + 1 + scaling.applied_minutes, units)
        elif len(self._low) == SCALE_DOWN_MINUTES and units < self.units and self._may_decrease(minute):
            self._pending = (minute + 1 + scaling.applied_minutes, units)
            self._decreases_at.append(minute)

    def _may_decrease(self, minute: int) -> bool:
        today = [at for at in self._decreases_at if at // DAY_MINUTES == minute // DAY_MINUTES]
        self._decreases_at = today
        if len(today) < DECREASES_FREE:
            return True
        return len(today) < DECREASES_A_DAY_MAX and minute - today[-1] >= DECREASE_EVERY_MINUTES


class OnDemandUnits:
    """The units that an on-demand table accommodates: double the peak, once that is half an hour old."""

    def __init__(self, first: float, previous_peak: float, *, minutes: int = ON_DEMAND_MINUTES) -> None:
        self.units = max(first, ON_DEMAND_TIMES * previous_peak)
        self._minutes = minutes
        self._recent: deque[float] = deque()

    def begin(self, minute: int) -> None:
        """Change nothing: the peak decides."""
        del minute

    def end(self, minute: int, consumed: float) -> None:
        """Note what the minute has consumed a second."""
        del minute
        self._recent.append(consumed)
        if len(self._recent) > self._minutes:
            self.units = max(self.units, ON_DEMAND_TIMES * self._recent.popleft())


class ShardUnits:
    """The units of a stream's shards: by a schedule, or double the peak."""

    def __init__(self, sharded: Sharded, shard_units: float) -> None:
        self._shard_units = shard_units
        self._reshards = deque(sharded.reshards)
        self._peak = (
            OnDemandUnits(sharded.shards * shard_units, 0.0, minutes=STREAM_ON_DEMAND_MINUTES)
            if sharded.is_on_demand
            else None
        )
        self.units = sharded.shards * shard_units

    def begin(self, minute: int) -> None:
        """Let shards that were asked for be there."""
        while self._reshards and self._reshards[0][0] <= minute:
            self.units = self._reshards.popleft()[1] * self._shard_units

    def end(self, minute: int, consumed: float) -> None:
        """Note what the minute has consumed a second."""
        if self._peak is not None:
            self._peak.end(minute, consumed)
            shards = math.ceil(self._peak.units / self._shard_units)
            self.units = min(shards, STREAM_ON_DEMAND_SHARDS_MAX) * self._shard_units
