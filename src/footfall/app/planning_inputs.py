"""What a plan is made of, from what was typed: traffic from a number or a trace, prices from a file."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from footfall.app.price_files import prices_with, shipped_prices
from footfall.planning.plan import Asked
from footfall.planning.prices import PriceBook
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.traffic import DAY_MINUTES, Constant, Grown, Monthly, Rhythm, Spike, Sum, Traffic
from footfall.planning.traffic_popularity import Popularity
from footfall.values.errors import Refused

SPIKE_DAY = 9  # The tenth, in its evening: after a while, and not at the month's edge.
SPIKE_HOUR = 20
LISTS_SHARE = 0.05  # of the hits, where nobody says how many lists are asked for: a box on one page of twenty


@dataclass(frozen=True, slots=True)
class Shape:
    """How traffic is told without a trace."""

    per_day: float
    evening_times: float = 5.0  # 1: the same at all times
    spike_times: float = 0.0  # of the mean minute, on top of it
    growth: float = 0.0  # a month


def shaped(shape: Shape) -> Traffic:
    """Return the traffic of a shape."""
    if shape.per_day <= 0:
        raise Refused("--hits-per-day", "there is nothing to plan for without a hit")
    base: Traffic = Constant(shape.per_day)
    if shape.evening_times != 1:
        base = Monthly(Rhythm(shape.per_day, shape.evening_times), shape.per_day)
    viral = viral_of(shape)
    base = base if viral is None else Sum((base, viral))
    return Grown(base, shape.growth) if shape.growth else base


def viral_of(shape: Shape) -> Spike | None:
    """Return what one asset has of it when it goes viral."""
    if not shape.spike_times:
        return None
    at = SPIKE_DAY * DAY_MINUTES + SPIKE_HOUR * 60
    return Spike(at, shape.spike_times * shape.per_day / DAY_MINUTES)


@dataclass(frozen=True, slots=True)
class Given:
    """Numbers that are given beside the traffic."""

    assets: int = 100_000
    brands: int = 1
    sections: int = 50
    batch: int = 1
    ids: float = 0.0
    visitors: float = 1.0
    lists_per_day: float | None = None
    kinesis_shards: int | None = None
    counting_shards: int | None = None
    month: int = 1
    seed: int = 0


def asked(traffic: Traffic, given: Given, stack: Stack, *, per_day: float, viral: Traffic | None = None) -> Asked:
    """Return what a plan is asked for."""
    if given.assets < given.brands:
        raise Refused(
            "--assets", f"{given.assets:,} assets are fewer than {given.brands:,} brands, and each has one at least"
        )
    popularity = Popularity(given.assets // given.brands, brands=given.brands)
    site = Site(traffic, popularity, given.sections, given.batch, given.ids, given.visitors, viral)
    lists = per_day * LISTS_SHARE if given.lists_per_day is None else given.lists_per_day
    return Asked(
        site, Readers(lists), stack, given.kinesis_shards, given.counting_shards, month=given.month, seed=given.seed
    )


def prices(path: str | None, *, today: date) -> PriceBook:
    """Return the prices that come with footfall, with those of somebody's own file in their place."""
    return shipped_prices() if path is None else prices_with(Path(path), today=today)
