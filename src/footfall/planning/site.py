"""What a plan is made for: who comes, how it is sent, who reads lists, and how the stack is set up."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from footfall.planning.traffic import Traffic
from footfall.planning.traffic_popularity import Popularity
from footfall.values.errors import Refused

COUNTING_SHARDS_MAX = 256  # docs/deploying.md: fixed when the stack is made
KINESIS_SHARDS_MAX = 200  # the template's ShardCount
BATCH_MAX = 2_000  # hits of a record
BRAND_CLASSES_MAX = 8  # Brands of a like size are counted as that many of one size.
LISTS_PER_DAY_MAX = 10**14  # Ten thousand a day for everybody there is; more is a slip of the keyboard.
VISITS_EACH = 5.0  # hits of a visitor in a day, as bench/dynamodb_cost.py has them


@dataclass(frozen=True, slots=True)
class Site:
    """Who is counted, and how hits come in."""

    traffic: Traffic
    popularity: Popularity  # of one brand's assets, and of the brands
    sections: int = 50  # of each brand
    batch: int = 1  # hits of a request: browsers send one, servers many
    ids: float = 0.0  # the share of hits that bring an id
    visitors: float = 1.0  # the share of hits that tell of their visitor
    viral: Traffic | None = None  # what of the traffic is one asset's, beside its ordinary share

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= BATCH_MAX:
            raise Refused("batch", f"{self.batch} hits of a request are not between 1 and {BATCH_MAX:,}")
        if not 1 <= self.sections <= 2_000:
            raise Refused("sections", f"{self.sections} is not between 1 and 2,000, which a minute can tell apart")
        for name, share in (("ids", self.ids), ("visitors", self.visitors)):
            if not 0 <= share <= 1:
                raise Refused(name, f"{share:g} is no share of the hits: 0 to 1")

    def brand_classes(self) -> list[tuple[int, float]]:
        """Return brands by size: how many of each, and which share of all hits one has."""
        shares = self.popularity.brand_shares()
        if len(shares) <= BRAND_CLASSES_MAX:
            return [(1, float(one)) for one in shares]
        edges = np.unique(np.geomspace(1, len(shares) + 1, BRAND_CLASSES_MAX + 1).astype(int)) - 1
        return [(int(end - start), float(shares[start:end].mean())) for start, end in pairwise(edges)]

    def hottest_share(self) -> float:
        """Return the share of all hits that the most popular asset of the largest brand has."""
        return float(self.popularity.brand_shares()[0]) * self.popularity.asset_share()


@dataclass(frozen=True, slots=True)
class Readers:
    """Who asks for lists."""

    lists_per_day: float = 0.0
    questions: int = 1_000  # different ones, of a brand's filters and periods
    edges: int = 10  # caches of CloudFront that each ask for themselves

    def __post_init__(self) -> None:
        if not 0 <= self.lists_per_day <= LISTS_PER_DAY_MAX:
            raise Refused("lists_per_day", f"{self.lists_per_day:g} lists a day are not between 0 and 10**14")
        if self.questions < 1 or self.edges < 1:
            raise Refused("questions", "there is at least one question, and one edge that it is asked at")


@dataclass(frozen=True, slots=True)
class Memory:
    """What each function has, in MB, as the template says unless it is told otherwise."""

    collect: int = 512
    serve: int = 1_024
    count: int = 1_024


@dataclass(frozen=True, slots=True)
class Stack:
    """The template's parameters that cost money."""

    counting_shards: int = 2
    kinesis_shards: int = 1
    freshness_s: int = 60
    uniques: bool = True
    judging: bool = True
    referrers: bool = True
    raw_days: int = 14
    retention_h: int = 168
    log_days: int = 30
    memory: Memory = field(default_factory=Memory)
    arm: bool = False
    edge: bool = True  # whether hits come through CloudFront; lists always do

    def __post_init__(self) -> None:
        if not 1 <= self.counting_shards <= COUNTING_SHARDS_MAX:
            raise Refused(
                "counting_shards", f"{self.counting_shards} is not between 1 and {COUNTING_SHARDS_MAX}, for good"
            )
        if not 1 <= self.kinesis_shards <= KINESIS_SHARDS_MAX:
            raise Refused("kinesis_shards", f"{self.kinesis_shards} is not between 1 and {KINESIS_SHARDS_MAX}")
        if not 1 <= self.freshness_s <= 300:
            raise Refused("freshness_s", f"{self.freshness_s} seconds are not between 1 and 300")
        if not 2 <= self.raw_days <= 366:
            raise Refused("raw_days", f"{self.raw_days} days are not between 2 and 366")
