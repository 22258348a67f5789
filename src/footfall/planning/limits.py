"""What breaks first: every limit that traffic comes near, how much of it is used, and at which multiple it is reached.

Some limits are a parameter away (shards), some an increase that the vendor grants, some hold for good.
"""

from collections.abc import Iterator

import numpy as np

from footfall.planning import limit_kinds as kinds
from footfall.planning.figures import derived
from footfall.planning.limit_kinds import Limit, Raised
from footfall.planning.simulated_limits import SHARD_BYTES, SHARD_RECORDS
from footfall.planning.site import COUNTING_SHARDS_MAX, KINESIS_SHARDS_MAX, Site, Stack
from footfall.planning.workload import Workload
from footfall.planning.workload_functions import OBJECT_S, TABLE_S
from footfall.planning.workload_stream import carried

__all__ = ["ALARM_SHARE", "Limit", "Raised", "first_to_break", "limits_of", "shards_for", "with_asset"]

ALARM_SHARE = 0.7  # HottestShardAlarm
# Towards an asset that rings the alarm alone, shards that keep it silent would grow without end, and be fewer again
# just beyond: it is kept silent as long as that takes at most so many times the shards without which hits are refused.
SILENCE_TIMES = 3


def limits_of(work: Workload) -> list[Limit]:
    """Return all limits, the nearest first."""
    found = [*_stream(work), *_functions(work), *_table(work), *_counting(work)]
    return sorted(found, key=lambda one: one.multiple)


def first_to_break(limits: list[Limit]) -> Limit:
    """Return the limit that is reached first."""
    return min(limits, key=lambda one: one.multiple)


def shards_for(site: Site, peak_hits: float, *, hottest_hits: float | None = None) -> tuple[int, int]:
    """Return how many Kinesis shards keep the busiest minute under the alarm, and counting shards to grow twofold.

    An asset that fills a shard by itself is not helped by more of them; the others then need shards beside it. One that
    nearly does is given shards enough that it has the rest of its own.
    """
    hot = peak_hits * site.hottest_share() if hottest_hits is None else hottest_hits
    share = hot / peak_hits if peak_hits else 0.0
    counting = kinesis = 1
    for _ in range(8):  # More counting shards make more records of a batch, so it is looked at again.
        moved = carried(site, Stack(counting_shards=counting, kinesis_shards=1), np.array([peak_hits]))
        full = max(float(moved.records[0]) / SHARD_RECORDS, float(moved.bytes[0]) / SHARD_BYTES) / 60
        own = with_asset(float(moved.requests[0]), share, site.batch) / 60 / SHARD_RECORDS
        wanted = min(KINESIS_SHARDS_MAX, max(1, int(np.ceil(_shards_needed(full, own)))))
        both = min(COUNTING_SHARDS_MAX, max(2, 2 * wanted))
        if wanted <= kinesis and both <= counting:
            break
        counting, kinesis = max(both, counting), max(wanted, kinesis)
    return kinesis, counting


def _shards_needed(full: float, own: float) -> float:
    """Return the shards for traffic that would fill so many, and the hottest asset so much of the one it is on."""
    if full <= ALARM_SHARE:
        return 1.0
    others = max(full - own, 0.0)
    if own >= 1:
        return others / ALARM_SHARE + 1
    enough = others / (1 - own)
    silent = others / (ALARM_SHARE - own) if own < ALARM_SHARE else float("inf")
    return min(silent, SILENCE_TIMES * enough)


def with_asset(requests: float, share: float, batch: int) -> float:
    """Return how many requests are expected to bring a hit of an asset with a share of all hits: a record each."""
    return requests * -float(np.expm1(batch * np.log1p(-min(share, 1 - 1e-12))))


def _hottest_part(work: Workload, at: int) -> float:
    """Return the share of a minute's hits that the fullest shard has: its part of the rest, and the hottest asset."""
    shards = work.stack.kinesis_shards
    hottest = _hottest_share(work, at)
    return hottest + (1 - hottest) / shards


def _peak(work: Workload) -> int:
    return int(np.argmax(work.hits))


def _stream(work: Workload) -> Iterator[Limit]:
    at, moved, shards = _peak(work), work.carried, work.stack.kinesis_shards
    part = _hottest_part(work, at)
    # However many shards a request's hits go to, each of them gets one record of it.
    records = min(float(moved.records[at]) * part, float(moved.requests[at])) / 60
    told = derived("peak.shard-share", part, "share", "The fullest shard's part of all records.")
    if _hottest_share(work, at) > part / 2 and shards > 1:
        raised, do = Raised.NEVER, "more shards do not help, since one asset fills this one: send its hits in batches"
    else:
        raised = Raised.BY_PARAMETER
        more = min(2 * shards, KINESIS_SHARDS_MAX)
        do = f"`footfall deploy update --shards {more}`, up to CountingShards; or have servers send batches"
    yield kinds.SHARD_RECORDS_OF_ONE.at(records, told, raised=raised, do=do)
    yield kinds.SHARD_BYTES_OF_ONE.at(float(moved.bytes[at]) / 60 * part, told, raised=raised, do=do)
    hot = int(np.argmax(work.hottest))
    yield kinds.HOT_ASSET.at(with_asset(float(moved.requests[hot]), _hottest_share(work, hot), work.site.batch) / 60)
    yield kinds.ALL_SHARDS.at(float(moved.records[at]) / 60)


def _functions(work: Workload) -> Iterator[Limit]:
    at = _peak(work)
    yield kinds.API.at(float(work.carried.requests[at] + work.lists.reached[at]) / 60)
    at_once = sum(float(one.at_once[at]) for one in work.functions.values())
    yield kinds.CONCURRENCY.at(at_once + 3 * float(np.sqrt(at_once)))
    busy = float(work.functions["count"].at_once[at])
    waits = (float(work.written.puts[at]) * OBJECT_S + float(work.written.requests[at]) * TABLE_S) / 60
    # Every brand has an object and windows of its own in each flush, one after another; shards divide hits, not brands.
    is_by_time = float(work.carried.flush_s[at]) > work.stack.freshness_s
    longer = "a larger FreshnessSeconds" if is_by_time else "batches, since events are full before their time"
    do = f"{longer}; or a stack for each group of brands" if waits > busy / 2 else None
    yield kinds.COUNTING_TIME.at(busy * _hottest_part(work, at), do=do)


def _table(work: Workload) -> Iterator[Limit]:
    peak = float(work.writes.max()) / 60
    yield kinds.NEW_TABLE.at(peak)
    yield kinds.TABLE_QUOTA.at(peak)
    windows = work.written.units["minutes"] + work.written.units["visitors"]
    yield kinds.ONE_KEY.at(float(windows.max()) / 60 * float(work.site.popularity.brand_shares()[0]))


def _counting(work: Workload) -> Iterator[Limit]:
    shards = work.stack.counting_shards
    if work.site.ids:
        yield kinds.IDS.at(float(work.hits.sum()) / work.days * work.site.ids / shards)
    busiest = float(work.hits.max()) * float(work.site.popularity.brand_shares()[0])
    yield kinds.ASSETS.at(work.site.popularity.seen(busiest) / shards)


def _hottest_share(work: Workload, at: int) -> float:
    return float(work.hottest[at]) / max(float(work.hits[at]), 1e-9)
