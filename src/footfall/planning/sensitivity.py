"""Which input moves the bill: each one lower and higher, with everything else as it is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from footfall.planning.bill import Bill, bill_of
from footfall.planning.limits import shards_for
from footfall.planning.prices import Region
from footfall.planning.site import COUNTING_SHARDS_MAX, KINESIS_SHARDS_MAX, Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.traffic_popularity import ASSETS_MAX, BRANDS_MAX, Popularity
from footfall.planning.workload import Workload, workload_of_minutes

DAYS = 7  # A week has every kind of day, and is four times as fast as a month.


@dataclass(frozen=True, slots=True)
class Moved:
    """One input: what the bill is with less and with more of it."""

    name: str
    low: str  # the input, as it is told
    high: str
    low_usd: Decimal
    high_usd: Decimal

    @property
    def span(self) -> Decimal:
        """Return how far the bill moves between the two."""
        return abs(self.high_usd - self.low_usd)


@dataclass(frozen=True, slots=True)
class _Case:
    site: Site
    stack: Stack
    readers: Readers
    hits: Floats


def sensitivity(work: Workload, bill: Bill, region: Region, *, after_days: float) -> list[Moved]:
    """Return how the bill moves with each input, the strongest first."""
    minutes = min(len(work.hits), DAYS * 1_440)
    base = _Case(work.site, work.stack, work.readers, work.hits[:minutes])
    now = _usd(base, region, after_days)
    scale = bill.usd / now if now else Decimal(1)  # The week may not be the mean week.
    found: list[Moved] = []
    for name, (low_text, low), (high_text, high) in _cases(base):
        low_usd, high_usd = (_usd(one, region, after_days) * scale for one in (low, high))
        found.append(Moved(name, low_text, high_text, low_usd, high_usd))
    return sorted(found, key=lambda one: -one.span)


def _usd(case: _Case, region: Region, after_days: float) -> Decimal:
    work = workload_of_minutes(case.site, case.stack, case.readers, case.hits)
    return bill_of(work, region, after_days=after_days, ways=False).usd


Told = tuple[str, _Case]


def _cases(base: _Case) -> Iterator[tuple[str, Told, Told]]:
    site, stack, readers = base.site, base.stack, base.readers
    popular = site.popularity

    def hits(times: float) -> _Case:
        kinesis, counting = shards_for(site, float(base.hits.max()) * times)
        sized = replace(stack, kinesis_shards=max(kinesis, 1), counting_shards=max(counting, kinesis))
        return replace(base, hits=base.hits * times, stack=sized)

    def of_popularity(changed: Popularity) -> _Case:
        return replace(base, site=replace(site, popularity=changed))

    yield "hits", ("half", hits(0.5)), ("twice", hits(2.0))
    yield (
        "hits of a request",
        ("1", replace(base, site=replace(site, batch=1))),
        (str(max(20, 2 * site.batch)), replace(base, site=replace(site, batch=min(2_000, max(20, 2 * site.batch))))),
    )
    yield (
        "lists that are asked for",
        ("none", replace(base, readers=replace(readers, lists_per_day=0.0))),
        ("twice", replace(base, readers=replace(readers, lists_per_day=2 * readers.lists_per_day))),
    )
    fewer, more = max(1, popular.assets // 4), min(ASSETS_MAX, popular.assets * 4)
    yield (
        "assets of a brand",
        (f"{fewer:,}", of_popularity(replace(popular, assets=fewer))),
        (f"{more:,}", of_popularity(replace(popular, assets=more))),
    )
    few, many = max(1, popular.brands // 2), min(BRANDS_MAX, popular.brands * 2)
    yield (
        "brands",
        (f"{few:,}", of_popularity(replace(popular, brands=few))),
        (f"{many:,}", of_popularity(replace(popular, brands=many))),
    )
    yield (
        "hits that bring an id",
        ("none", replace(base, site=replace(site, ids=0.0))),
        ("all", replace(base, site=replace(site, ids=1.0))),
    )
    yield (
        "hits that tell of a visitor",
        ("none", replace(base, site=replace(site, visitors=0.0))),
        ("all", replace(base, site=replace(site, visitors=1.0))),
    )
    yield (
        "freshness",
        ("300 s", replace(base, stack=replace(stack, freshness_s=300))),
        ("15 s", replace(base, stack=replace(stack, freshness_s=15))),
    )
    half, double = max(1, stack.counting_shards // 2), min(COUNTING_SHARDS_MAX, stack.counting_shards * 2)
    yield (
        "counting shards",
        (
            str(half),
            replace(base, stack=replace(stack, counting_shards=half, kinesis_shards=min(half, stack.kinesis_shards))),
        ),
        (str(double), replace(base, stack=replace(stack, counting_shards=double))),
    )
    yield (
        "Kinesis shards",
        (
            "as few as there are" if stack.kinesis_shards == 1 else str(stack.kinesis_shards // 2),
            replace(base, stack=replace(stack, kinesis_shards=max(1, stack.kinesis_shards // 2))),
        ),
        (
            str(min(KINESIS_SHARDS_MAX, 2 * stack.kinesis_shards)),
            replace(base, stack=replace(stack, kinesis_shards=min(KINESIS_SHARDS_MAX, 2 * stack.kinesis_shards))),
        ),
    )
    yield (
        "days that raw hits are kept",
        ("2", replace(base, stack=replace(stack, raw_days=2))),
        ("60", replace(base, stack=replace(stack, raw_days=60))),
    )
