"""How hits are divided among brands and assets: a few have most of them (Zipf)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.values.errors import Refused

ASSETS_MAX = 50_000_000  # 400 MB of shares would follow; a plan needs the first ones and their sum.
BRANDS_MAX = 100_000
EXPONENT_MAX = 5.0
# Zipf's own exponent, 1. Breslau et al., "Web Caching and Zipf-like Distributions", found 0.64 to 0.83 for pages;
# with 1 the first asset is hotter, which is the side to be wrong on.
EXPONENT = 1.0
_EXACT_MAX = 1_000_000  # Beyond it the sum is taken as an integral, wrong by less than one in 10**6.


@dataclass(frozen=True, slots=True)
class Popularity:
    """The shares of assets by rank, and of brands by rank; brands have assets of their own."""

    assets: int
    exponent: float = EXPONENT
    brands: int = 1
    brand_exponent: float = 0.5  # Our assumption: of five brands the first has a third.

    def __post_init__(self) -> None:
        if not 1 <= self.assets <= ASSETS_MAX:
            raise Refused("assets", f"{self.assets} is not between 1 and {ASSETS_MAX}")
        if not 1 <= self.brands <= BRANDS_MAX:
            raise Refused("brands", f"{self.brands} is not between 1 and {BRANDS_MAX}")
        for name, exponent in (("exponent", self.exponent), ("brand_exponent", self.brand_exponent)):
            if not 0 <= exponent <= EXPONENT_MAX:
                raise Refused(name, f"{exponent} is not between 0 (all alike) and {EXPONENT_MAX:g}")

    def asset_share(self, rank: int = 0) -> float:
        """Return the share of a brand's hits that the asset of a rank has, from 0 on."""
        return float((rank + 1) ** -self.exponent) / harmonic(self.assets, self.exponent)

    def top_assets(self, count: int) -> NDArray[np.float64]:
        """Return the shares of the first assets of a brand."""
        ranks = np.arange(1, min(count, self.assets) + 1, dtype=np.float64)
        return ranks**-self.exponent / harmonic(self.assets, self.exponent)

    def brand_shares(self) -> NDArray[np.float64]:
        """Return each brand's share of all hits, the largest first."""
        return zipf_shares(self.brands, self.brand_exponent)

    def seen(self, hits: float) -> float:
        """Return how many of a brand's assets are expected to be seen at least once in so many hits."""
        if hits <= 0:
            return 0.0
        # Ranks are taken in growing steps: neighbours far down are alike.
        edges = np.unique(
            np.concatenate([np.arange(1, 1_001), np.geomspace(1_000, self.assets + 1, 2_000)]).astype(int)
        )
        edges = edges[edges <= self.assets + 1]
        if edges[-1] != self.assets + 1:
            edges = np.append(edges, self.assets + 1)
        middle = np.sqrt(edges[:-1].astype(np.float64) * np.maximum(edges[:-1], edges[1:] - 1))
        share = middle**-self.exponent / harmonic(self.assets, self.exponent)
        return float(np.sum(np.diff(edges) * -np.expm1(-hits * share)))


def zipf_shares(count: int, exponent: float) -> NDArray[np.float64]:
    """Return shares by rank that come to one."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def harmonic(count: int, exponent: float) -> float:
    """Return the sum of rank ** -exponent over all ranks."""
    exact = min(count, _EXACT_MAX)
    total = float((np.arange(1, exact + 1, dtype=np.float64) ** -exponent).sum())
    if count == exact:
        return total
    first, last = exact + 0.5, count + 0.5
    if exponent == 1:
        return total + float(np.log(last / first))
    return total + float((last ** (1 - exponent) - first ** (1 - exponent)) / (1 - exponent))
