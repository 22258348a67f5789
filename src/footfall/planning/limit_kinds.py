"""The limits that traffic comes near: what each is, who says so, what happens beyond it, and what to do then."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from footfall.planning.figures import Figure, derived, documented
from footfall.planning.simulated_limits import (
    FUNCTION_CONCURRENCY,
    ON_DEMAND_WRITE_UNITS,
    PARTITION_WRITE_UNITS,
    SHARD_BYTES,
    SHARD_RECORDS,
    TABLE_UNITS_MAX,
)
from footfall.planning.site import KINESIS_SHARDS_MAX

API_REQUESTS = 10_000  # deploy/aws/template.yaml, ApiStage; also an account's default
IDS_OF_SHARD = 4_000_000  # flow/stream/seen_ids.py
MINUTE_ASSETS = 200_000  # of a brand and shard: docs/architecture.md
REFUSED_RECORDS = (
    "Kinesis refuses records; collect tries again and then answers 429, and nothing that was answered 202 is lost"
)
KINESIS = "Kinesis Data Streams, Quotas and limits"


class Raised(StrEnum):
    """How a limit is moved."""

    BY_PARAMETER = "a parameter of the stack"
    BY_VENDOR = "an increase that the vendor grants"
    NEVER = "nothing: another key, batch or stack"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit, and how near the busiest minute comes to it."""

    name: str
    title: str
    used: Figure
    limit: Figure
    raised: Raised
    then: str  # what happens beyond it
    do: str

    @property
    def share(self) -> float:
        """Return how much of it is used."""
        return float(self.used.value) / float(self.limit.value)

    @property
    def multiple(self) -> float:
        """Return how many times the traffic reaches it."""
        return float("inf") if not self.share else 1 / self.share


@dataclass(frozen=True, slots=True)
class LimitKind:
    """A limit before anything has used it."""

    name: str
    title: str
    unit: str
    limit: float
    says: str
    source: str
    used_says: str
    raised: Raised
    then: str
    do: str

    def at(self, used: float, *inputs: Figure, raised: Raised | None = None, do: str | None = None) -> Limit:
        """Return the limit with so much of it used."""
        return Limit(
            self.name,
            self.title,
            derived(f"peak.{self.name}", used, self.unit, self.used_says, *inputs),
            documented(f"limit.{self.name}", self.limit, self.unit, self.says, self.source),
            raised or self.raised,
            self.then,
            do or self.do,
        )


SHARD_RECORDS_OF_ONE: Final = LimitKind(
    "kinesis-records",
    "records a second of a Kinesis shard",
    "records/s",
    SHARD_RECORDS,
    "One shard takes so many.",
    KINESIS,
    "The fullest shard in the busiest minute: an even part of all, and the most popular asset on top.",
    Raised.BY_PARAMETER,
    REFUSED_RECORDS,
    "",
)
SHARD_BYTES_OF_ONE: Final = LimitKind(
    "kinesis-bytes",
    "bytes a second of a Kinesis shard",
    "bytes/s",
    SHARD_BYTES,
    "One shard takes so many.",
    KINESIS,
    "The fullest shard in the busiest minute: an even part of all, and the most popular asset on top.",
    Raised.BY_PARAMETER,
    REFUSED_RECORDS,
    "",
)
HOT_ASSET: Final = LimitKind(
    "hot-asset",
    "requests a second of one asset",
    "records/s",
    SHARD_RECORDS,
    "All hits of an asset go to one shard.",
    "docs/deploying.md, Limits",
    "The hottest asset in its busiest minute; a record for each request.",
    Raised.NEVER,
    REFUSED_RECORDS,
    "have servers send that asset's hits in batches",
)
ALL_SHARDS: Final = LimitKind(
    "all-shards",
    "records a second of all shards that a stack may have",
    "records/s",
    SHARD_RECORDS * KINESIS_SHARDS_MAX,
    "200 shards, which the template allows, of 1,000 records each.",
    "deploy/aws/template.yaml (ShardCount)",
    "All records of the busiest minute.",
    Raised.NEVER,
    REFUSED_RECORDS,
    "a stack for each group of brands, or batches",
)
API: Final = LimitKind(
    "api-requests",
    "requests a second of the HTTP API",
    "requests/s",
    API_REQUESTS,
    "The stage's limit, and an account's default.",
    "deploy/aws/template.yaml (ApiStage)",
    "Requests with hits, and lists behind the edge.",
    Raised.BY_VENDOR,
    "the API answers 429; trackers send again for a while",
    "ask AWS for more and raise ApiStage, or have servers send batches",
)
CONCURRENCY: Final = LimitKind(
    "concurrency",
    "functions at once",
    "functions",
    FUNCTION_CONCURRENCY,
    "An account's default in a region.",
    "AWS Lambda, Understanding function scaling",
    "All functions' time a second, and three deviations of chance.",
    Raised.BY_VENDOR,
    "Lambda refuses calls; the API answers 503",
    "raise it in Service Quotas",
)
COUNTING_TIME: Final = LimitKind(
    "counting-time",
    "time of the one function that counts a Kinesis shard",
    "seconds/s",
    1.0,
    "One function at a time counts a shard, in order.",
    "deploy/aws/template.yaml (ParallelizationFactor)",
    "Its time of a second: processor, and waiting for tables and objects.",
    Raised.BY_PARAMETER,
    "counting falls behind; hits wait in the stream",
    "more shards of Kinesis, or more CountMemory",
)
NEW_TABLE: Final = LimitKind(
    "table-new",
    "write units a second of a table that is new",
    "units/s",
    ON_DEMAND_WRITE_UNITS,
    "A new table on demand; it doubles within 30 minutes.",
    "DynamoDB, On-demand capacity mode",
    "All writes of the busiest minute; builds are spread over the hour.",
    Raised.BY_VENDOR,
    "writes are refused for a while; shards slow down by themselves and catch up",
    "warm the table up before the first day",
)
TABLE_QUOTA: Final = LimitKind(
    "table-quota",
    "write units a second of a table",
    "units/s",
    TABLE_UNITS_MAX,
    "The default quota of a table.",
    "DynamoDB, Service quotas",
    "The same writes, against the account's quota for a table.",
    Raised.BY_VENDOR,
    "writes are refused; counting falls behind",
    "raise the quota",
)
ONE_KEY: Final = LimitKind(
    "one-key",
    "write units a second of one partition key",
    "units/s",
    PARTITION_WRITE_UNITS,
    "A partition takes so many, whatever the table has.",
    "DynamoDB, Designing partition keys",
    "The largest brand's open minute, of all shards, has one partition key.",
    Raised.NEVER,
    "writes of that brand are refused and paced; its lists come later",
    "--set Uniques=false, a larger FreshnessSeconds, or more brands",
)
IDS: Final = LimitKind(
    "ids",
    "ids that a counting shard remembers for a day",
    "ids",
    IDS_OF_SHARD,
    "Beyond it the oldest are forgotten before their day is over.",
    "docs/formats/seen-ids.md",
    "Hits with an id of a day, by counting shards.",
    Raised.NEVER,
    "a repeat after hours may count twice",
    "more CountingShards, which are chosen once",
)
ASSETS: Final = LimitKind(
    "minute-assets",
    "assets of a brand's minute in a shard",
    "assets",
    MINUTE_ASSETS,
    "Beyond it hits count in `other`.",
    "docs/architecture.md",
    "Assets that the largest brand's busiest minute meets.",
    Raised.NEVER,
    "lists say exact: false",
    "more CountingShards",
)
