"""footfall on one rented machine against footfall on AWS, over traffic: what each costs, and where it turns."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from footfall.planning.alternatives import machines
from footfall.planning.bill import bill_of
from footfall.planning.crossings import scaled_workloads
from footfall.planning.prices import Region
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.traffic import DAY_MINUTES, Rhythm
from footfall.planning.traffic_popularity import Popularity

PER_DAY: Final = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000)
ASSETS: Final = 100_000
BRANDS: Final = 5
DAYS: Final = 7  # A week has every rhythm.
AFTER_DAYS: Final = 365.0
BATCH: Final = 20


@dataclass(frozen=True, slots=True)
class OnBoth:
    """What a month of some traffic costs on AWS, and on the cheapest machine that carries it; None if none does."""

    per_day: int
    aws_usd: Decimal
    machine: str
    machine_usd: Decimal | None


def on_both(region: Region, *, batch: int = 1) -> list[OnBoth]:
    """Return both costs for a site of five brands, whose hits come one by one or in batches."""
    site = Site(Rhythm(float(PER_DAY[0])), Popularity(ASSETS, brands=BRANDS), batch=batch)
    minutes = site.traffic.hits(DAYS * DAY_MINUTES)
    works = scaled_workloads(site, Readers(), Stack(), minutes, np.array(PER_DAY, np.float64))
    found: list[OnBoth] = []
    for per_day, work in zip(PER_DAY, works, strict=True):
        aws = bill_of(work, region, after_days=AFTER_DAYS, ways=False).usd
        fitting = [one for one in machines(work, region, after_days=AFTER_DAYS) if one.fits]
        best = min(fitting, key=lambda one: Decimal(one.cost.value), default=None)
        usd = None if best is None else Decimal(best.cost.value)
        found.append(OnBoth(per_day, aws, "none" if best is None else best.name, usd))
    return found


def fixed_usd(found: list[OnBoth]) -> Decimal:
    """Return about what AWS costs a month before the first hit: the line through the two smallest sites, at none."""
    first, second = found[0], found[1]
    each = (second.aws_usd - first.aws_usd) / (second.per_day - first.per_day)
    return first.aws_usd - each * first.per_day
