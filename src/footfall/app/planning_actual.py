"""What an instance or a stack has really counted: hits of each hour, brands and assets, read from its store.

A plan is made of it in the same way as of a guess, so that the two can be put beside each other.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import checkpoint_from_item
from footfall.flow.store.columns import assets_of, total_hits
from footfall.flow.store.summaries import Summaries
from footfall.planning.traffic import Minutes, require_span
from footfall.planning.traffic_popularity import Popularity
from footfall.ports.table import Table, everything
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError
from footfall.values.groups import is_beside
from footfall.values.window import DAY_MS, HOUR_MS, Grain, window_of

HOURS_MIN = 2  # Less tells nothing of a day.
DAY_HOURS = 24
UTC = "UTC"
DOUBT = (
    "What was counted is read by the hour: what peaks within one is not known, and the busiest minute may have more "
    "than is planned for here."
)


class NothingMeasured(FootfallError):
    """The store holds too few hours to make a plan of."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Hits of whole hours, oldest first, as traffic: what comes after its end is like the days before it."""

    hourly: Minutes
    brands: int
    assets: int  # that had a hit in their brand's day with the most, of all brands
    from_ms: int

    def hits(self, minutes: int, *, start_minute: int = 0) -> Minutes:
        """Return the measured hours again and again, each spread over its minutes."""
        require_span(minutes, start_minute)
        whole = self._whole_days()
        hour = (np.arange(start_minute, start_minute + minutes) // 60) % len(whole)
        return whole[hour] / 60

    @property
    def per_day(self) -> float:
        """Return the hits of a mean day."""
        return float(self.hourly.mean()) * DAY_HOURS

    def popularity(self) -> Popularity:
        """Return how hits are divided, as far as it was measured: how many brands and assets there are."""
        return Popularity(max(1, self.assets // max(1, self.brands)), brands=max(1, self.brands))

    def _whole_days(self) -> Minutes:
        days = len(self.hourly) // DAY_HOURS
        return self.hourly[-days * DAY_HOURS :] if days else self.hourly


def measured_traffic(settings: Settings, clock: Clock, *, days: int) -> Measured:
    """Return what was counted in the last days, whole hours of it."""
    to_ms = clock.now_ms() // HOUR_MS * HOUR_MS
    starts = range(to_ms - days * DAY_MS, to_ms, HOUR_MS)
    hours = np.zeros(len(starts))
    assets = 0
    zone_of = wiring.zone_of(settings, clock)
    with closing(wiring.open_store(settings, clock, read_only=True)) as store:
        brands = [one for one in _brands(store) if not is_beside(one)]
        for brand in brands:
            found, seen = _of_brand(Summaries(store, clock), brand, zone_of(brand), starts)
            hours += found
            assets += seen
    began = np.flatnonzero(hours)
    if not len(began) or len(hours) - began[0] < HOURS_MIN:
        raise NothingMeasured(
            f"fewer than {HOURS_MIN} whole hours were counted in the last {days} days; let it run for a while"
        )
    first = int(began[0])
    return Measured(hours[first:], len(brands), assets, starts[first])


def _brands(store: Table) -> list[str]:
    found = [checkpoint_from_item(one.item) for one in everything(store, keys.SHARDS)]
    return sorted({brand for checkpoint in found for brand in checkpoint.lines})


def _of_brand(summaries: Summaries, brand: str, zone: str, starts: Sequence[int]) -> tuple[Minutes, int]:
    """Return a brand's hits of each hour of UTC, and the most assets that one of its days has had."""
    hours = np.zeros(len(starts))
    most = 0
    seen = np.zeros(0, np.uint64)
    for place, start_ms in enumerate(starts):
        # A zone may begin its hours at half past; what lies in between is told for the hour that it begins in.
        parts = summaries.live(brand, window_of(start_ms + HOUR_MS // 2, Grain.HOUR, zone))
        hours[place] = sum(total_hits(part.columns) for part in parts)
        # An asset that is read all day is one asset; only those of one day are kept in mind at a time.
        kept = seen if place and start_ms // DAY_MS == starts[place - 1] // DAY_MS else seen[:0]
        seen = np.unique(np.concatenate([kept, *(assets_of(part.columns) for part in parts)]))
        most = max(most, len(seen))
    return hours, most
