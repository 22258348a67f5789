"""What breaks first: every limit that traffic comes near, how much of it is used, and at which multiple it is reached.

Some limits are a parameter away (shards), some an increase that the vendor grants, some hold for good.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from footfall.planning.figures import Figure, derived, documented
from footfall.planning.simulated_limits import (
    FUNCTION_CONCURRENCY,
    ON_DEMAND_WRITE_UNITS,
    PARTITION_WRITE_UNITS,
    SHARD_BYTES,
    SHARD_RECORDS,
    TABLE_UNITS_MAX,
)
from footfall.planning.site import COUNTING_SHARDS_MAX, KINESIS_SHARDS_MAX, Site, Stack
from footfall.planning.workload import Workload
from footfall.planning.workload_stream import carried

API_REQUESTS = 10_000  # deploy/aws/template.yaml, ApiStage; also an account's default
IDS_OF_SHARD = 4_000_000  # flow/stream/seen_ids.py
MINUTE_ASSETS = 200_000  # of a brand and shard: docs/architecture.md
ALARM_SHARE = 0.7  # HottestShardAlarm


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


def limits_of(work: Workload) -> list[Limit]:
    """Return all limits, the nearest first."""
    found = [*_stream(work), *_functions(work), *_table(work), *_counting(work)]
    return sorted(found, key=lambda one: one.multiple)


def first_to_break(limits: list[Limit]) -> Limit:
    """Return the limit that is reached first."""
    return min(limits, key=lambda one: one.multiple)


def shards_for(site: Site, peak_hits: float, *, hottest_hits: float | None = None) -> tuple[int, int]:
    """Return how many Kinesis shards keep the busiest minute under the alarm, and counting shards to grow twofold.

    An asset that fills a shard by itself is not helped by more of them; the others then need shards beside it.
    """
    hot = peak_hits * site.hottest_share() if hottest_hits is None else hottest_hits
    share = hot / peak_hits if peak_hits else 0.0
    counting = kinesis = 1
    for _ in range(8):  # More counting shards make more records of a batch, so it is looked at again.
        moved = carried(site, Stack(counting_shards=counting, kinesis_shards=1), np.array([peak_hits]))
        full = max(float(moved.records[0]) / SHARD_RECORDS, float(moved.bytes[0]) / SHARD_BYTES) / 60
        own = with_asset(float(moved.requests[0]), share, site.batch) / 60 / SHARD_RECORDS
        room = ALARM_SHARE - own
        needed = max(full - own, 0.0) / (room if room > ALARM_SHARE / 2 else ALARM_SHARE) + (room <= ALARM_SHARE / 2)
        if full <= ALARM_SHARE:
            needed = 1.0
        wanted = min(KINESIS_SHARDS_MAX, max(1, int(np.ceil(needed))))
        both = min(COUNTING_SHARDS_MAX, max(2, 2 * wanted))
        if wanted <= kinesis and both <= counting:
            break
        counting, kinesis = max(both, counting), max(wanted, kinesis)
    return kinesis, counting


def with_asset(requests: float, share: float, batch: int) -> float:
    """Return how many requests are expected to bring a hit of an asset with a share of all hits: a record each."""
    return requests * -float(np.expm1(batch * np.log1p(-min(share, 1 - 1e-12))))


def _hottest_part(work: Workload, at: int) -> float:
    """Return the share of a minute's hits that the fullest shard has: its part of the rest, and the hottest asset."""
    shards = work.stack.kinesis_shards
    hottest = float(work.hottest[at]) / max(float(work.hits[at]), 1e-9)
    return hottest + (1 - hottest) / shards


def _peak(work: Workload) -> int:
    return int(np.argmax(work.hits))


def _stream(work: Workload) -> Iterator[Limit]:
    at, moved, shards = _peak(work), work.carried, work.stack.kinesis_shards
    part = _hottest_part(work, at)
    # However many shards a request's hits go to, each of them gets one record of it.
    records = min(float(moved.records[at]) * part, float(moved.requests[at])) / 60
    size = float(moved.bytes[at]) / 60 * part
    source = "Kinesis Data Streams, Quotas and limits"
    why = "The fullest shard in the busiest minute: an even part of all, and the most popular asset on top."
    told = derived("peak.shard-share", part, "share", "The fullest shard's part of all records.")
    is_one_asset = float(work.hottest[at]) / max(float(work.hits[at]), 1e-9) > part / 2
    raised = Raised.NEVER if is_one_asset and shards > 1 else Raised.BY_PARAMETER
    do = f"`footfall deploy update --shards {min(2 * shards, KINESIS_SHARDS_MAX)}`, up to CountingShards; or have servers send batches"
    if is_one_asset and shards > 1:
        do = "more shards do not help, since one asset fills this one: have servers send its hits in batches"
    then = "Kinesis refuses records; collect tries again and then answers 429, and nothing that was answered 202 is lost"
    yield Limit("kinesis-records", "records a second of a Kinesis shard",
                derived("peak.shard-records", records, "records/s", why, told),
                documented("limit.shard-records", SHARD_RECORDS, "records/s", "One shard takes so many.", source),
                raised, then, do)  # fmt: skip
    yield Limit("kinesis-bytes", "bytes a second of a Kinesis shard",
                derived("peak.shard-bytes", size, "bytes/s", why, told),
                documented("limit.shard-bytes", SHARD_BYTES, "bytes/s", "One shard takes so many.", source),
                raised, then, do)  # fmt: skip
    hot = int(np.argmax(work.hottest))
    one = with_asset(float(moved.requests[hot]), float(work.hottest[hot]) / max(float(work.hits[hot]), 1e-9), work.site.batch) / 60
    yield Limit("hot-asset", "requests a second of one asset",
                derived("peak.hot-asset", one, "records/s", "The hottest asset in its busiest minute; a record for each request."),
                documented("limit.hot-asset", SHARD_RECORDS, "records/s", "All hits of an asset go to one shard.",
                           "docs/deploying.md, Limits"),
                Raised.NEVER, then, "have servers send that asset's hits in batches")  # fmt: skip
    all_shards = float(moved.records[at]) / 60
    top = SHARD_RECORDS * KINESIS_SHARDS_MAX
    yield Limit("all-shards", "records a second of all shards that a stack may have",
                derived("peak.records", all_shards, "records/s", "All records of the busiest minute."),
                documented("limit.records", top, "records/s", "200 shards, which the template allows, of 1,000 records each.",
                           "deploy/aws/template.yaml (ShardCount)"),
                Raised.NEVER, then, "a stack for each group of brands, or batches")  # fmt: skip


def _functions(work: Workload) -> Iterator[Limit]:
    at = _peak(work)
    requests = float(work.carried.requests[at] + work.lists.reached[at]) / 60
    yield Limit("api-requests", "requests a second of the HTTP API",
                derived("peak.api-requests", requests, "requests/s", "Requests with hits, and lists behind the edge."),
                documented("limit.api-requests", API_REQUESTS, "requests/s", "The stage's limit, and an account's default.",
                           "deploy/aws/template.yaml (ApiStage)"),
                Raised.BY_VENDOR, "the API answers 429; trackers send again for a while",
                "ask AWS for more and raise ApiStage, or have servers send batches")  # fmt: skip
    at_once = sum(float(one.at_once[at]) for one in work.functions.values())
    burst = at_once + 3 * float(np.sqrt(at_once))
    yield Limit("concurrency", "functions at once",
                derived("peak.concurrency", burst, "functions", "All functions' time a second, and three deviations of chance."),
                documented("limit.concurrency", FUNCTION_CONCURRENCY, "functions", "An account's default in a region.",
                           "AWS Lambda, Understanding function scaling"),
                Raised.BY_VENDOR, "Lambda refuses calls; the API answers 503", "raise it in Service Quotas")  # fmt: skip
    counting = work.functions["count"]
    busy = float(counting.at_once[at]) * _hottest_part(work, at)
    yield Limit("counting-time", "time of the one function that counts a Kinesis shard",
                derived("peak.counting-time", busy, "seconds/s", "Its time of a second: processor, and waiting for tables and objects."),
                documented("limit.counting-time", 1.0, "seconds/s", "One function at a time counts a shard, in order.",
                           "deploy/aws/template.yaml (ParallelizationFactor)"),
                Raised.BY_PARAMETER, "counting falls behind; hits wait in the stream",
                "more shards of Kinesis, or more CountMemory")  # fmt: skip


def _table(work: Workload) -> Iterator[Limit]:
    peak = float(work.writes.max()) / 60
    yield Limit("table-new", "write units a second of a table that is new",
                derived("peak.writes", peak, "units/s", "All writes of the busiest minute; builds are spread over the hour."),
                documented("limit.table-new", ON_DEMAND_WRITE_UNITS, "units/s", "A new table on demand; it doubles within 30 minutes.",
                           "DynamoDB, On-demand capacity mode"),
                Raised.BY_VENDOR, "writes are refused for a while; shards slow down by themselves and catch up",
                "warm the table up before the first day")  # fmt: skip
    yield Limit("table-quota", "write units a second of a table",
                derived("peak.table-writes", peak, "units/s", "The same writes, against the account's quota for a table."),
                documented("limit.table", TABLE_UNITS_MAX, "units/s", "The default quota of a table.", "DynamoDB, Service quotas"),
                Raised.BY_VENDOR, "writes are refused; counting falls behind", "raise the quota")  # fmt: skip
    brand = float(work.site.popularity.brand_shares()[0])
    windows = work.written.units["minutes"] + work.written.units["visitors"]
    key = float(windows.max()) / 60 * brand
    yield Limit("one-key", "write units a second of one partition key",
                derived("peak.one-key", key, "units/s", "The largest brand's open minute, of all shards, has one partition key."),
                documented("limit.partition", PARTITION_WRITE_UNITS, "units/s", "A partition takes so many, whatever the table has.",
                           "DynamoDB, Designing partition keys"),
                Raised.NEVER, "writes of that brand are refused and paced; its lists come later",
                "--set Uniques=false, a larger FreshnessSeconds, or more brands")  # fmt: skip


def _counting(work: Workload) -> Iterator[Limit]:
    day = float(work.hits.sum()) / work.days
    shards = work.stack.counting_shards
    if work.site.ids:
        yield Limit("ids", "ids that a counting shard remembers for a day",
                    derived("peak.ids", day * work.site.ids / shards, "ids", "Hits with an id of a day, by counting shards."),
                    documented("limit.ids", IDS_OF_SHARD, "ids", "Beyond it the oldest are forgotten before their day is over.",
                               "docs/formats/seen-ids.md"),
                    Raised.NEVER, "a repeat after hours may count twice", "more CountingShards, which are chosen once")  # fmt: skip
    brand = float(work.site.popularity.brand_shares()[0])
    busiest = float(work.hits.max()) * brand
    seen = work.site.popularity.seen(busiest) / shards
    yield Limit("minute-assets", "assets of a brand's minute in a shard",
                derived("peak.minute-assets", seen, "assets", "Assets that the largest brand's busiest minute meets."),
                documented("limit.minute-assets", MINUTE_ASSETS, "assets", "Beyond it hits count in `other`.", "docs/architecture.md"),
                Raised.NEVER, "lists say exact: false", "more CountingShards")  # fmt: skip
