"""Which input moves the bill: each one lower and higher, with everything else as it is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from footfall.planning.bill import Bill, bill_of
from footfall.planning.limits import shards_for
from footfall.planning.prices import Region
from footfall.planning.site import (
    BATCH_MAX,
    COUNTING_SHARDS_MAX,
    KINESIS_SHARDS_MAX,
    LISTS_PER_DAY_MAX,
    Readers,
    Site,
    Stack,
)
from footfall.planning.summary_sizes import Floats
from footfall.planning.traffic_popularity import ASSETS_MAX, BRANDS_MAX
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
Changed = tuple[str, Told, Told]


def _cases(base: _Case) -> Iterator[Changed]:
    yield from _of_traffic(base)
    yield from _of_catalogue(base)
    yield from _of_stack(base)


def _of_traffic(base: _Case) -> Iterator[Changed]:
    site, readers = base.site, base.readers

    def hits(times: float) -> _Case:
        kinesis, counting = shards_for(site, float(base.hits.max()) * times)
        sized = replace(base.stack, kinesis_shards=max(kinesis, 1), counting_shards=max(counting, kinesis))
        return replace(base, hits=base.hits * times, stack=sized)

    yield "hits", ("half", hits(0.5)), ("twice", hits(2.0))
    batch = min(BATCH_MAX, max(20, 2 * site.batch))
    yield "hits of a request", ("1", _site(base, batch=1)), (str(batch), _site(base, batch=batch))
    twice = min(2 * readers.lists_per_day, LISTS_PER_DAY_MAX)
    few, many = (replace(base, readers=replace(readers, lists_per_day=n)) for n in (0.0, twice))
    yield "lists that are asked for", ("none", few), ("twice", many)
    yield "hits that bring an id", ("none", _site(base, ids=0.0)), ("all", _site(base, ids=1.0))
    yield "hits that tell of a visitor", ("none", _site(base, visitors=0.0)), ("all", _site(base, visitors=1.0))


def _of_catalogue(base: _Case) -> Iterator[Changed]:
    popular = base.site.popularity
    fewer, more = max(1, popular.assets // 4), min(ASSETS_MAX, popular.assets * 4)
    assets = [(f"{n:,}", _site(base, popularity=replace(popular, assets=n))) for n in (fewer, more)]
    yield "assets of a brand", assets[0], assets[1]
    few, many = max(1, popular.brands // 2), min(BRANDS_MAX, popular.brands * 2)
    brands = [(f"{n:,}", _site(base, popularity=replace(popular, brands=n))) for n in (few, many)]
    yield "brands", brands[0], brands[1]


def _of_stack(base: _Case) -> Iterator[Changed]:
    stack = base.stack
    yield "freshness", ("300 s", _stack(base, freshness_s=300)), ("15 s", _stack(base, freshness_s=15))
    half, double = max(1, stack.counting_shards // 2), min(COUNTING_SHARDS_MAX, stack.counting_shards * 2)
    fewer = _stack(base, counting_shards=half, kinesis_shards=min(half, stack.kinesis_shards))
    yield "counting shards", (str(half), fewer), (str(double), _stack(base, counting_shards=double))
    few, many = max(1, stack.kinesis_shards // 2), min(KINESIS_SHARDS_MAX, 2 * stack.kinesis_shards)
    yield "Kinesis shards", (str(few), _stack(base, kinesis_shards=few)), (str(many), _stack(base, kinesis_shards=many))
    yield "days that raw hits are kept", ("2", _stack(base, raw_days=2)), ("60", _stack(base, raw_days=60))


def _site(base: _Case, **changes: Any) -> _Case:
    return replace(base, site=replace(base.site, **changes))


def _stack(base: _Case, **changes: Any) -> _Case:
    return replace(base, stack=replace(base.stack, **changes))
