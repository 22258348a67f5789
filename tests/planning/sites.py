"""Sites and prices that the tests of planning share."""

from functools import cache

import numpy as np

from footfall.app.price_files import shipped_prices
from footfall.planning.plan import Asked, Plan, plan
from footfall.planning.prices import PriceBook, Region
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.traffic import Constant, Rhythm
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import Workload, workload

REGION = "us-east-1"


@cache
def book() -> PriceBook:
    return shipped_prices()


def region() -> Region:
    return book().region(REGION)


def site(per_day: float = 50e6, *, batch: int = 1, brands: int = 5, assets: int = 20_000) -> Site:
    return Site(Rhythm(per_day), Popularity(assets, brands=brands), batch=batch)


@cache
def work(per_day: float = 50e6, *, batch: int = 1, counting: int = 4, kinesis: int = 2) -> Workload:
    stack = Stack(counting_shards=counting, kinesis_shards=kinesis)
    return workload(site(per_day, batch=batch), stack, Readers(per_day / 20), days=7)


@cache
def even_work(per_day: float = 8_640_000.0) -> Workload:
    """A day in which nothing varies, so that sums can be done by hand."""
    even = Site(Constant(per_day), Popularity(1_000, brands=1), batch=1)
    return workload(even, Stack(counting_shards=1, kinesis_shards=1), Readers(), days=1)


@cache
def whole_plan(per_day: float = 50e6) -> Plan:
    return plan(Asked(site(per_day), Readers(per_day / 20), Stack()), book(), region())


class BenchDay:
    """The benchmark's day (bench/day.py): ten million hits, the busiest hour with nine times those of the quietest."""

    def hits(self, minutes: int, *, start_minute: int = 0) -> Floats:
        assert start_minute == 0
        rhythm = 1 + 0.8 * np.cos((np.arange(minutes) / 60 - 19) / 24 * 2 * np.pi)
        return rhythm / rhythm.sum() * 10_000_000


class BenchBrands(Popularity):
    """Its five brands."""

    def brand_shares(self) -> Floats:
        return np.array([0.30, 0.25, 0.20, 0.15, 0.10])
