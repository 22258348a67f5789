"""When a provisioned table should have more capacity or less, and how much: the rule, without the table.

The DynamoDB talk raised its tables by hand-written rules; these are the same with what it left out: a demand that was
refused counts as demand, every call stays within the vendor's limits, and nothing leaves the bounds that were given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, MINUTE_MS, SECOND_MS, zone_named

RAISE_AT = 0.80
RAISE_BY = 1.2
CALL_FACTOR_MAX = 2.0  # The talk's vendor refused more in one call; more than doubling is no answer to one minute.
DROP_WINDOW_MIN = 30  # A drop that was missed by more than this waits for the next one.
DROP_WORTH = 0.9  # The vendor allows few decreases a day: none is spent on less than a tenth.
LOOKED_BACK_MIN = 60
MINUTES_PER_DAY = 1_440
# Amazon DynamoDB Developer Guide, "Quotas in Amazon DynamoDB": four decreases at any time of a UTC day, and one more
# whenever the last was over an hour ago: 27 in all.
DECREASES_FREE = 4
DECREASES_MAX = 27


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which capacities somebody lets a table be moved."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high:
            raise Refused("bounds", f"{self.low} to {self.high} is no range: give at least 1, the lower first")

    def holding(self, units: float) -> int:
        """Return the nearest whole capacity within the bounds."""
        return min(self.high, max(self.low, ceil(units)))


@dataclass(frozen=True, slots=True)
class Rule:
    """How a table is scaled."""

    raise_at: float = RAISE_AT
    raise_by: float = RAISE_BY
    drops: Sequence[int] = ()  # minutes of the day at which capacity is lowered to what is needed
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if not 0.2 <= self.raise_at <= 0.95:
            raise Refused("raise-at", f"{self.raise_at} is not a share between 0.2 and 0.95, such as 0.8")
        if not 1.0 < self.raise_by <= CALL_FACTOR_MAX:
            raise Refused("raise-by", f"{self.raise_by} is not a factor above 1 and up to {CALL_FACTOR_MAX:g}")
        if any(not 0 <= minute < MINUTES_PER_DAY for minute in self.drops):
            raise Refused("drop-at", "is a time of day, such as 23:30")


@dataclass(frozen=True, slots=True)
class Minute:
    """What one minute asked of a table: units per second that were served, and how many calls were refused."""

    at_ms: int
    served: float
    refused: int = 0  # since more was asked for than is provisioned
    hot: int = 0  # since one range of keys was asked for more than a partition gives


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a table or an index is provisioned with in one direction, and its last minutes, the newest last."""

    provisioned: int
    minutes: Sequence[Minute]
    raised_ms: int | None = None  # when it was last raised

    @property
    def knows_itself(self) -> bool:
        """Whether the last minute began after the last raise: figures come late, and would raise it again and again."""
        return self.raised_ms is None or self.minutes[-1].at_ms >= self.raised_ms

    @property
    def use(self) -> float:
        """The share that the last minute used."""
        return self.minutes[-1].served / self.provisioned


@dataclass(frozen=True, slots=True)
class Decreases:
    """How often a table was lowered on this UTC day, and when last."""

    today: int = 0
    last_ms: int | None = None

    def are_left(self, now_ms: int) -> bool:
        """Tell whether the vendor takes another."""
        rested = self.last_ms is None or now_ms - self.last_ms > HOUR_MS
        return self.today < DECREASES_FREE or (rested and self.today < DECREASES_MAX)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The capacity to have, and why; equal to what is there when nothing should change."""

    before: int
    after: int
    reason: str

    @property
    def is_raise(self) -> bool:
        """Whether there should be more."""
        return self.after > self.before

    @property
    def is_drop(self) -> bool:
        """Whether there should be less."""
        return self.after < self.before


def proposed(seen: Capacity, bounds: Bounds, rule: Rule, decreases: Decreases, *, now_ms: int) -> Proposal:
    """Return what a table should have in one direction at a moment."""
    within = bounds.holding(seen.provisioned)
    if within > seen.provisioned:
        return _raise(seen, within, f"is below the lower bound of {bounds.low:,}")
    if seen.minutes[-1].refused or seen.use >= rule.raise_at:
        if not seen.knows_itself:
            return Proposal(seen.provisioned, seen.provisioned, "there is no whole minute since the last raise")
        return _raised(seen, bounds, rule)
    if seen.provisioned > bounds.high or is_drop_due(rule, now_ms):
        return _dropped(seen, bounds, rule, decreases, now_ms=now_ms)
    if hot := seen.minutes[-1].hot:
        why = f"{hot:,} calls were refused for one range of keys: no capacity helps, other keys do"
        return Proposal(seen.provisioned, seen.provisioned, why)
    return Proposal(seen.provisioned, seen.provisioned, f"{seen.use:.0%} is in use")


def is_drop_due(rule: Rule, now_ms: int) -> bool:
    """Tell whether one of the times to lower capacity was a moment ago."""
    here = datetime.fromtimestamp(now_ms / SECOND_MS, zone_named(rule.zone))
    minute = here.hour * 60 + here.minute
    return any((minute - drop) % MINUTES_PER_DAY < DROP_WINDOW_MIN for drop in rule.drops)


def minutes_back(now_ms: int) -> tuple[int, int]:
    """Return the ends of the whole minutes that a proposal looks at."""
    to_ms = now_ms - now_ms % MINUTE_MS
    return to_ms - LOOKED_BACK_MIN * MINUTE_MS, to_ms


def _raised(seen: Capacity, bounds: Bounds, rule: Rule) -> Proposal:
    last = seen.minutes[-1]
    # What was refused is not in what was served, so its size is unknown: then the most that one call may do.
    wanted = max(seen.provisioned * rule.raise_by, last.served / rule.raise_at)
    if last.refused:
        wanted = seen.provisioned * CALL_FACTOR_MAX
    why = f"{last.refused:,} calls were refused in the last minute" if last.refused else f"{seen.use:.0%} is in use"
    if seen.provisioned >= bounds.high:
        return Proposal(seen.provisioned, seen.provisioned, f"{why}, and the upper bound of {bounds.high:,} is reached")
    return _raise(seen, bounds.holding(wanted), why)


def _raise(seen: Capacity, wanted: int, why: str) -> Proposal:
    after = min(wanted, int(seen.provisioned * CALL_FACTOR_MAX))
    more = "" if after == wanted else f"; {wanted:,} take another call"
    return Proposal(seen.provisioned, after, why + more)


def _dropped(seen: Capacity, bounds: Bounds, rule: Rule, decreases: Decreases, *, now_ms: int) -> Proposal:
    peak = max(one.served for one in seen.minutes)
    over = seen.provisioned > bounds.high
    # Just under the share at which it would be raised again.
    after = bounds.holding(peak / rule.raise_at * rule.raise_by)
    stay = Proposal(seen.provisioned, seen.provisioned, f"{seen.use:.0%} is in use")
    if after >= seen.provisioned or (not over and after > seen.provisioned * DROP_WORTH):
        return stay
    if any(one.refused for one in seen.minutes):
        return Proposal(stay.before, stay.after, "calls were refused within the hour, so nothing is lowered")
    if not decreases.are_left(now_ms):
        return Proposal(stay.before, stay.after, f"the vendor takes no decrease now: {decreases.today} today")
    why = f"is above the upper bound of {bounds.high:,}" if over else f"the hour's peak was {peak:,.0f} units a second"
    return Proposal(seen.provisioned, after, why)
