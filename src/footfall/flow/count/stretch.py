"""A stretch of hours that is counted again at once, and what was counted for it so far.

What is counted lies in memory until it is swapped in, so a stretch that turns out to be too rich gives up its end.
Hours that are not kept any more come in whole days, for they live on in their day only.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise, takewhile

from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.count.placing import Place
from footfall.flow.count.tally import Counts
from footfall.flow.store.columns import CountKey
from footfall.flow.store.moved_lines import Move
from footfall.values.window import MINUTE_MS, Grain, Window, window_of

HOURS_AT_ONCE = 6  # Each has sixty minutes to write.
DAYS_AT_ONCE = 31  # Every stretch reads the stream once, so a range of years should not have too many of them.
ROWS_MAX = 300_000  # Some 250 bytes each.


class Age(Enum):
    """What is kept of an hour: all of it, only the hour itself, or nothing but its part in the day."""

    RECENT = 0
    WITHOUT_MINUTES = 1
    GONE = 2


@dataclass(slots=True)
class Stretch:
    """Hours one after the other, and each shard's counts of them by place."""

    hours: list[Window]
    zone: str
    is_in_days: bool
    counted: list[dict[Place, Counts]] = field(default_factory=list[dict[Place, Counts]])
    met: list[dict[Place, PlaceTally]] = field(
        default_factory=list[dict[Place, PlaceTally]]
    )  # each shard's visitors by place
    moved: list[Counter[Move]] = field(default_factory=list[Counter[Move]])  # each shard's hits that verdicts moved
    _by_minutes: frozenset[Window] | None = None

    def begin(self, shards: int) -> None:
        """Have nothing counted yet."""
        self.counted, self.met = [{} for _ in range(shards)], [{} for _ in range(shards)]
        self.moved = [Counter() for _ in range(shards)]

    def times(self) -> tuple[int, int]:
        """Return the event times of all hits that it can hold."""
        # Hits of hours that were gone when they came lie in their day, of which some hours may be before the stretch.
        first = window_of(self.hours[0].from_ms, Grain.DAY, self.zone) if self.is_in_days else self.hours[0]
        return first.from_ms, self.hours[-1].to_ms

    def days(self) -> list[Window]:
        """Return the days that end with an hour of the stretch."""
        days = dict.fromkeys(window_of(hour.from_ms, Grain.DAY, self.zone) for hour in self.hours)
        return [day for day in days if day.to_ms <= self.hours[-1].to_ms]

    def by_minutes(self) -> frozenset[Window]:
        """Return the hours that have minutes of their own, once all is counted."""
        if self._by_minutes is None:
            starts = {place for counts in self.counted for place in counts if isinstance(place, int)}
            self._by_minutes = frozenset(window_of(start_ms, Grain.HOUR, self.zone) for start_ms in starts)
        return self._by_minutes

    def count(self, shard: int, place: Place, counts: Mapping[CountKey, int]) -> None:
        """Add counts of a place, if it lies in the stretch."""
        if self._holds(place):
            self.counted[shard].setdefault(place, Counter()).update(counts)

    def meet(self, shard: int, place: Place, met: PlaceTally, keys: Sequence[CountKey]) -> None:
        """Add visitors of a place, if it lies in the stretch, who were met under these keys."""
        if not self._holds(place):
            return
        held = self.met[shard].get(place)
        if held is not None:
            held.take(met, keys)
        elif keys == met.keys():  # Nearly every minute lies in one piece of what is read, and is taken as it is.
            self.met[shard][place] = met
        else:
            self.met[shard][place] = PlaceTally()
            self.met[shard][place].take(met, keys)

    def shrink(self) -> None:
        """Give up the later half while too much is counted; it will be a stretch of its own."""
        while len(self.hours) > 1 and self._rows() > ROWS_MAX:
            middle = self._middle()
            if middle == 0:
                return
            self.hours = self.hours[:middle]
            end_ms = self.hours[-1].to_ms
            for held in (*self.counted, *self.met):
                for place in [place for place in held if _end_of(place) > end_ms]:
                    del held[place]

    def _rows(self) -> int:
        hits = sum(len(one) for of in self.counted for one in of.values())
        return hits + sum(one.rows for of in self.met for one in of.values())

    def _holds(self, place: Place) -> bool:
        # A day is swapped in with its last hour, so its own hits are counted until then.
        at_ms = place if isinstance(place, int) else place.to_ms - 1
        return self.hours[0].from_ms <= at_ms < self.hours[-1].to_ms

    def _middle(self) -> int:
        """Return how many hours stay, whole days where it has to be days; 0 when it is only one."""
        half = len(self.hours) // 2
        if not self.is_in_days:
            return half
        days = [window_of(hour.from_ms, Grain.DAY, self.zone) for hour in self.hours]
        ends = [number for number in range(1, len(days)) if days[number] != days[number - 1]]
        return min(ends, key=lambda end: abs(end - half), default=0)


def first_stretch(
    hours: Sequence[Window], *, zone: str, age_of: Callable[[Window], Age], hours_max: int = HOURS_AT_ONCE
) -> Stretch:
    """Return what is counted first of the hours that are left; of recent ones, so many at most."""
    age = age_of(hours[0])
    if age is Age.RECENT:
        return Stretch(_in_a_row(hours[:hours_max]), zone, is_in_days=False)
    most = hours[: DAYS_AT_ONCE * 24]
    alike = list(takewhile(lambda hour: age_of(hour) is age, most))
    if age is Age.WITHOUT_MINUTES:
        return Stretch(alike, zone, is_in_days=False)
    last = window_of(alike[-1].from_ms, Grain.DAY, zone)
    return Stretch([hour for hour in hours if hour.from_ms < last.to_ms], zone, is_in_days=True)


def _in_a_row(hours: Sequence[Window]) -> list[Window]:
    """Return the first hours as far as each begins where the one before ends."""
    meeting = takewhile(lambda pair: pair[0].to_ms == pair[1].from_ms, pairwise(hours))
    return [hours[0], *(after for _, after in meeting)]


def _end_of(place: Place) -> int:
    return place + MINUTE_MS if isinstance(place, int) else place.to_ms
