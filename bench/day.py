"""One day of a publisher's traffic: five brands, each of a Zipf shape, with a rhythm of day and night; always alike."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.traffic import FIRST_ASSET, FIRST_SECTION, PAID, SECTIONS, TYPES, ZIPF
from footfall.flow.stream.records import HitKey

BRANDS = ("abc", "def", "ghi", "jkl", "mno")
SHARES = (0.30, 0.25, 0.20, 0.15, 0.10)  # of the hits
ASSETS = 50_000  # of all brands together
HITS = 10_000_000
HOURS = 24
HOUR_S = 3_600
STARTS_AT_MS = 1_794_700_800_000  # 2026-11-15T00:00Z
SWING = 0.8  # The busiest hour has nine times the hits of the quietest.
BUSIEST_HOUR = 19


@dataclass(frozen=True, slots=True)
class HourOfHits:
    """The hits of an hour, by second: when each came, and its asset's number among all brands' assets."""

    hour: int
    second: NDArray[np.int64]  # of the day, ascending
    asset: NDArray[np.int64]


class Day:
    """A source of hours; asked twice, it gives the same."""

    def __init__(self, *, hits: int = HITS, hours: int = HOURS, assets: int = ASSETS, seed: int = 26) -> None:
        self.hits = hits
        self.hours = hours
        self.assets_per_brand = assets // len(BRANDS)
        self._seed = seed
        chance = np.random.default_rng(seed)
        size = self.assets_per_brand * len(BRANDS)
        self.section = chance.integers(0, SECTIONS, size)
        self.kind = chance.choice(len(TYPES), size, p=(0.8, 0.15, 0.05))
        self.pays = chance.choice(len(PAID), size, p=(0.6, 0.3, 0.1))
        weights = 1.0 / np.arange(1, self.assets_per_brand + 1) ** ZIPF
        self._shape = np.cumsum(weights / weights.sum())
        at = np.arange(hours * HOUR_S) / HOUR_S
        rhythm = 1 + SWING * np.cos((at - BUSIEST_HOUR) / HOURS * 2 * np.pi)
        self.rhythm = rhythm / rhythm.sum()  # the share of each second
        self._per_second = chance.multinomial(hits, self.rhythm)
        # The popular ones are not the first that were made.
        self._asset_of_rank = np.concatenate(
            [chance.permutation(self.assets_per_brand) + n * self.assets_per_brand for n in range(len(BRANDS))]
        )

    @property
    def ends_at_ms(self) -> int:
        """The moment at which the last hour has ended."""
        return STARTS_AT_MS + self.hours * HOUR_S * 1_000

    def hour(self, hour: int) -> HourOfHits:
        """Return the hits of an hour; one after the last has the rhythm of the first."""
        chance = np.random.default_rng((self._seed, hour))
        like = hour % self.hours
        per_second = self._per_second[like * HOUR_S : (like + 1) * HOUR_S]
        second = np.repeat(np.arange(hour * HOUR_S, (hour + 1) * HOUR_S), per_second)
        brand = chance.choice(len(BRANDS), len(second), p=SHARES)
        rank = np.minimum(np.searchsorted(self._shape, chance.random(len(second))), self.assets_per_brand - 1)
        asset = self._asset_of_rank[brand * self.assets_per_brand + rank]
        order = np.lexsort((brand, second))
        return HourOfHits(hour, second[order], asset[order])

    def each_hour(self) -> Iterator[HourOfHits]:
        """Yield the hours in order."""
        return map(self.hour, range(self.hours))

    def keys(self) -> list[HitKey]:
        """Return what a hit of each asset is counted under."""
        labels = zip(self.section.tolist(), self.kind.tolist(), self.pays.tolist(), strict=True)
        return [
            (str(FIRST_ASSET + number), str(FIRST_SECTION + section), TYPES[kind], PAID[pays])
            for number, (section, kind, pays) in enumerate(labels)
        ]

    def brand_of(self, asset: int) -> str:
        """Return the brand of an asset."""
        return BRANDS[asset // self.assets_per_brand]
