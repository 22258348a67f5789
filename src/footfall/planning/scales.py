"""To internet scale, on paper: how many stacks, shards and machines, which limit is next, and the bill.

A stack has at most 200 Kinesis shards (the template) and 256 counting shards (for good); beyond them traffic is divided
among stacks by brand, and each is planned for its part.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil

import numpy as np

from footfall.planning.alternatives import machines
from footfall.planning.bill import Bill, bill_of
from footfall.planning.limits import ALARM_SHARE, Limit, Raised, limits_of, shards_for
from footfall.planning.prices import Region
from footfall.planning.simulated_limits import SHARD_BYTES, SHARD_RECORDS
from footfall.planning.site import COUNTING_SHARDS_MAX, KINESIS_SHARDS_MAX, Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.traffic import DAY_MINUTES, Rhythm
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import Workload, workload_of_minutes
from footfall.planning.workload_stream import carried

BRANDS_EACH = 20
ASSETS_EACH = 50_000
LISTS_SHARE = 0.05
YEAR_DAYS = 365
WEEK_DAYS = 7


@dataclass(frozen=True, slots=True)
class Scale:
    """One amount of traffic, sent in one way."""

    per_day: float
    batch: int
    stacks: int
    work: Workload  # of one of them
    bill: Bill  # of one of them
    next_limits: tuple[Limit, ...]  # in their order
    machines: int  # of eight cores, that would carry it
    machine_usd: Decimal

    @property
    def usd(self) -> Decimal:
        """Return the bill of all stacks."""
        return self.bill.usd * self.stacks


def scale_of(per_day: float, region: Region, *, batch: int) -> Scale:
    """Return what so many hits a day come to, as many stacks as they need."""
    hits = Rhythm(per_day).hits(WEEK_DAYS * DAY_MINUTES)
    stacks = _stacks(hits, batch)
    site = _site(per_day / stacks, batch)
    part = hits / stacks
    kinesis, counting = shards_for(site, float(part.max()))
    stack = Stack(counting_shards=max(counting, kinesis), kinesis_shards=kinesis)
    work = workload_of_minutes(site, stack, Readers(per_day / stacks * LISTS_SHARE), part)
    bill = bill_of(work, region, after_days=YEAR_DAYS, ways=False)
    limits = tuple(one for one in limits_of(work) if one.raised is not Raised.BY_PARAMETER)
    count, usd = _machines(work, region, stacks)
    return Scale(per_day, batch, stacks, work, bill, limits, count, usd)


def _site(per_day: float, batch: int) -> Site:
    return Site(Rhythm(per_day), Popularity(ASSETS_EACH, brands=BRANDS_EACH), batch=batch)


def _stacks(hits: Floats, batch: int) -> int:
    """Return among how many stacks such traffic has to be divided, so that each has shards to spare until the alarm."""
    site = _site(1.0, batch)
    peak = np.array([float(hits.max())])
    stacks = 1
    for _ in range(6):  # More counting shards make more records of a batch.
        shards = min(COUNTING_SHARDS_MAX, KINESIS_SHARDS_MAX)
        moved = carried(site, Stack(counting_shards=shards), peak)
        needed = max(float(moved.records[0]) / SHARD_RECORDS, float(moved.bytes[0]) / SHARD_BYTES) / 60 / ALARM_SHARE
        wanted = max(1, ceil(needed / (0.9 * KINESIS_SHARDS_MAX)))  # A tenth is left for the hottest asset's shard.
        if wanted == stacks:
            break
        stacks = wanted
    return stacks


def _machines(work: Workload, region: Region, stacks: int) -> tuple[int, Decimal]:
    large = machines(work, region, after_days=YEAR_DAYS)[-1]
    peak = float(work.hits.max()) / 60 * stacks
    count = max(1, ceil(peak / float(large.carries.value)))
    return count, Decimal(large.cost.value) * count
