"""How many hits come in each minute: models of traffic, which can be added up, and what no traffic can be.

Minute 0 is a Monday's midnight where the readers live. All models are plain functions of the minute, so that a plan
made twice is the same plan; noise belongs to the simulator, which has a seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.values.errors import Refused

Minutes = NDArray[np.float64]

DAY_MINUTES = 1_440
WEEK_MINUTES = 7 * DAY_MINUTES
PLANNED_MINUTES = 30 * DAY_MINUTES  # the month that a plan is for
MONTH_MINUTES = 43_830  # A twelfth of 365.25 days.
PEOPLE = 8_300_000_000
HITS_PER_MINUTE_MAX = PEOPLE * 60.0  # Everybody on Earth, once a second: whatever is more was mistyped.
HITS_PER_DAY_MAX = HITS_PER_MINUTE_MAX * DAY_MINUTES
MINUTES_MAX = 10 * 366 * DAY_MINUTES  # Ten years: 42 MB of minutes.
GROWTH_PER_MONTH_MAX = 10.0  # Elevenfold every month; from one hit a day to everybody on Earth within a year.
EVENING_TIMES = 5.0  # The DynamoDB talk: "a load that varies 5x between morning and evenings".
EVENING_HOUR = 20.0  # Its "prime time": the most hits; the fewest twelve hours before, in the morning.
# Our assumption, which no source speaks of: at weekends a news site has fewer readers than on other days.
WEEK = (1.0, 1.0, 1.0, 1.0, 1.0, 0.85, 0.9)


class Traffic(Protocol):
    """Anything that knows how many hits come in each minute."""

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return the hits of each of so many minutes, from the start on."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """The same in every minute."""

    per_day: float

    def __post_init__(self) -> None:
        require_per_day(self.per_day)

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return a day's hits, spread evenly."""
        require_span(minutes, start_minute)
        return np.full(minutes, self.per_day / DAY_MINUTES)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A day with a quiet morning and a busy evening, and a week with its weekend; `per_day` is the week's mean day."""

    per_day: float
    evening_times: float = EVENING_TIMES
    evening_hour: float = EVENING_HOUR
    week: tuple[float, ...] = WEEK

    def __post_init__(self) -> None:
        require_per_day(self.per_day)
        if not 1 <= self.evening_times <= 1_000:
            raise Refused("evening_times", f"{self.evening_times} is not between 1 and 1000 times the morning")
        if not 0 <= self.evening_hour < 24:
            raise Refused("evening_hour", f"{self.evening_hour} is no hour of a day: 0 up to 24")
        if len(self.week) != 7 or not all(0 <= day <= 100 for day in self.week) or sum(self.week) <= 0:
            raise Refused(
                "week", "seven days from Monday on are needed, each 0 to 100 times an ordinary one, not all 0"
            )

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return the hits of each minute by its hour and its day of the week."""
        require_span(minutes, start_minute)
        whole = self._shape(np.arange(WEEK_MINUTES))
        shape = self._shape(np.arange(start_minute, start_minute + minutes))
        return shape * (self.per_day / DAY_MINUTES / float(whole.mean()))

    def _shape(self, minute: NDArray[np.int64]) -> Minutes:
        swing = (self.evening_times - 1) / (self.evening_times + 1)
        hour = minute / 60
        daily = 1 + swing * np.cos((hour - self.evening_hour) * (2 * np.pi / 24))
        # A day has its own height at noon, and goes over into the next: no jump at midnight.
        noons = np.arange(-1, 8) * DAY_MINUTES + DAY_MINUTES / 2
        heights = np.array([self.week[-1], *self.week, self.week[0]])
        return daily * np.interp(minute % WEEK_MINUTES, noons, heights)


@dataclass(frozen=True, slots=True)
class Monthly:
    """Traffic of which each month that is planned for has the hits that were said: 30 days are no whole weeks."""

    traffic: Traffic
    per_day: float

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return the traffic of each minute, by so much more or less as its month needs."""
        found = self.traffic.hits(minutes, start_minute=start_minute)
        month = np.arange(start_minute, start_minute + minutes) // PLANNED_MINUTES
        told = self.per_day * PLANNED_MINUTES / DAY_MINUTES
        for one in np.unique(month).tolist():
            whole = float(self.traffic.hits(PLANNED_MINUTES, start_minute=one * PLANNED_MINUTES).sum())
            found[month == one] *= told / whole
        return found


@dataclass(frozen=True, slots=True)
class Spike:
    """What one asset has beside everything else while it goes viral: a rise, then half as much each half-life."""

    at_minute: int
    height_per_minute: float
    rise_minutes: int = 20
    half_life_minutes: float = 180.0
    asset: int = 0  # its rank among the brand's assets

    def __post_init__(self) -> None:
        require_per_minute(self.height_per_minute)
        if self.at_minute < 0 or self.asset < 0:
            raise Refused("spike", "it begins at minute 0 or later and is an asset's, from 0 on")
        if self.rise_minutes < 1 or not 0 < self.half_life_minutes < MINUTES_MAX:
            raise Refused("spike", "it rises for a minute at least, and its half-life is more than nothing")

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return only what the spike adds."""
        require_span(minutes, start_minute)
        since = np.arange(start_minute, start_minute + minutes, dtype=np.float64) - self.at_minute + 1
        rising = since / self.rise_minutes
        falling = np.exp2(-np.maximum(0, since - self.rise_minutes) / self.half_life_minutes)
        return np.where(since <= 0, 0.0, self.height_per_minute * np.where(rising < 1, rising, falling))


@dataclass(frozen=True, slots=True)
class Grown:
    """Traffic that grows by the same part each month; less than nothing shrinks."""

    traffic: Traffic
    per_month: float

    def __post_init__(self) -> None:
        if not -1 < self.per_month <= GROWTH_PER_MONTH_MAX:
            raise Refused("growth", f"{self.per_month} a month is not more than -1 (all is lost) and at most 10")

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return the traffic of each minute times what it has grown by then."""
        grown = self.traffic.hits(minutes, start_minute=start_minute)
        months = np.arange(start_minute, start_minute + minutes) / MONTH_MINUTES
        return require_possible(grown * np.power(1 + self.per_month, months))


@dataclass(frozen=True, slots=True)
class Sum:
    """Several kinds of traffic at once."""

    parts: Sequence[Traffic] = field(default=())

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return what all parts have together."""
        require_span(minutes, start_minute)
        total = np.zeros(minutes)
        for part in self.parts:
            total += part.hits(minutes, start_minute=start_minute)
        return require_possible(total)


def require_possible(hits: Minutes) -> Minutes:
    """Return the hits of minutes if they can be; the sentence names the first minute that cannot."""
    bad = ~((hits >= 0) & (hits <= HITS_PER_MINUTE_MAX))  # NaN is neither.
    if bad.any():
        minute = int(np.argmax(bad))
        raise Refused("traffic", f"minute {minute} has {_hits_cannot(float(hits[minute]))}")
    return hits


def require_per_day(per_day: float) -> None:
    """Refuse what nobody can have in a day."""
    if not 0 <= per_day <= HITS_PER_DAY_MAX:
        raise Refused("hits_per_day", _hits_cannot(per_day / DAY_MINUTES, told=per_day))


def require_per_minute(per_minute: float) -> None:
    """Refuse what nobody can have in a minute."""
    if not 0 <= per_minute <= HITS_PER_MINUTE_MAX:
        raise Refused("hits_per_minute", _hits_cannot(per_minute))


def require_span(minutes: int, start_minute: int) -> None:
    """Refuse spans that begin before minute 0, or are longer than plans are made for."""
    if start_minute < 0 or minutes < 0:
        raise Refused("minutes", f"{minutes} minutes from minute {start_minute} on: neither may be below 0")
    if minutes > MINUTES_MAX:
        raise Refused("minutes", f"{minutes} minutes are more than ten years")


def peak_to_mean(hits: Minutes) -> float:
    """Return how many times the mean minute the busiest has; 0 where there is nothing."""
    mean = float(hits.mean()) if len(hits) else 0.0
    return float(hits.max()) / mean if mean > 0 else 0.0


def _hits_cannot(per_minute: float, *, told: float | None = None) -> str:
    number = per_minute if told is None else told
    if np.isnan(number):
        return "hits that are no number"
    if number < 0:
        return f"{number:g} hits, and there cannot be fewer than none"
    return f"{number:g} hits, more than everybody on Earth clicking once a second"
