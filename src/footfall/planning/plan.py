"""The plan: from traffic to shards, capacity, storage, the bill, what breaks first, and the cheaper way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil

import numpy as np

from footfall.planning.alternatives import Alternative, Machine, alternatives, machines
from footfall.planning.bill import Bill, bill_of
from footfall.planning.capacity import break_even_share
from footfall.planning.crossings import LEAST_PER_DAY, MOST_PER_DAY, POINTS, Crossing, crossings, scaled_workloads
from footfall.planning.figures import Figure, derived, given, walked
from footfall.planning.limit_kinds import ALL_SHARDS, SHARD_BYTES_OF_ONE, SHARD_RECORDS_OF_ONE
from footfall.planning.limits import ALARM_SHARE, Limit, Raised, first_to_break, limits_of, shards_for
from footfall.planning.prices import PriceBook, Region
from footfall.planning.sensitivity import Moved, sensitivity
from footfall.planning.site import KINESIS_SHARDS_MAX, Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.throttling import Throttling, throttling
from footfall.planning.traffic import DAY_MINUTES
from footfall.planning.workload import MONTH_DAYS, Workload, workload
from footfall.values.errors import Refused

MONTHS_TOLD = (1, 2, 3, 6, 12, 24)
CURVE_DAYS = 7
YEAR_DAYS = 365
OF_SHARDS = (SHARD_RECORDS_OF_ONE.name, SHARD_BYTES_OF_ONE.name, ALL_SHARDS.name)  # Beyond them hits are refused.


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan is asked for."""

    site: Site
    readers: Readers
    stack: Stack
    kinesis_shards: int | None = None  # None: as many as the traffic needs
    counting_shards: int | None = None
    month: int = 1  # which month from now, where traffic grows
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """What lies there after some months, and what the month then costs."""

    months: int
    hits_per_day: float
    table_gb: float
    objects_gb: float
    usd: Decimal


@dataclass(frozen=True, slots=True)
class Plan:
    """All of it."""

    asked: Asked
    region: Region
    dated: str
    work: Workload
    bill: Bill
    limits: Sequence[Limit]
    stored: Sequence[Stored]
    cheaper: Sequence[Alternative]
    machines: Sequence[Machine]
    crossings: Sequence[Crossing]
    moved: Sequence[Moved]
    throttling: Throttling
    figures: Sequence[Figure]

    @property
    def first(self) -> Limit:
        """Return what breaks first."""
        return first_to_break(list(self.limits))

    @property
    def first_hard(self) -> Limit:
        """Return what breaks first of all that no parameter of the stack moves."""
        return first_to_break([one for one in self.limits if one.raised is not Raised.BY_PARAMETER])

    @property
    def refused(self) -> str | None:
        """Return the sentence that belongs beside the dollars when they are for hits that the stack would refuse."""
        of_shards = [one for one in self.limits if one.name in OF_SHARDS]
        worst = first_to_break(of_shards)
        if worst.multiple >= 1:
            return None
        stack = self.work.stack
        says = (
            f"That is for all of this traffic, and the fullest of {stack.kinesis_shards} Kinesis "
            f"shard{'s' * (stack.kinesis_shards > 1)} takes {worst.multiple:.2g} times its part of the busiest "
            "minute and refuses the rest"
        )
        all_shards = next(one for one in of_shards if one.name == ALL_SHARDS.name)
        if all_shards.multiple >= 1:
            return f"{says}."
        stacks = ceil(all_shards.share / ALARM_SHARE)
        return f"{says}; it needs some {stacks:,} stacks, divided by brand, which have their fixed parts each."

    @property
    def cheapest(self) -> Alternative | None:
        """Return the change that saves most."""
        return self.cheaper[0] if self.cheaper else None


def plan(asked: Asked, book: PriceBook, region: Region, *, whole: bool = True) -> Plan:
    """Return the plan for what is asked; without `whole`, only what one month is made of."""
    start_day = (asked.month - 1) * MONTH_DAYS
    hits = asked.site.traffic.hits(MONTH_DAYS * DAY_MINUTES, start_minute=start_day * DAY_MINUTES)
    if not float(hits.sum()):
        raise Refused("traffic", "there is not a single hit in the month that is planned for")
    stack = sized(asked, hits, start_day=start_day)
    work = workload(asked.site, stack, asked.readers, start_day=start_day, seed=asked.seed)
    bill = bill_of(work, region, after_days=YEAR_DAYS)
    limits = limits_of(work)
    figures = _figures(asked, work, bill, limits, region)
    if not whole:
        return Plan(asked, region, str(book.dated), work, bill, limits, (), (), (), (), (), Throttling(()), figures)
    mean_per_day = float(work.hits.sum()) / work.days
    per_day = np.geomspace(LEAST_PER_DAY, MOST_PER_DAY, POINTS)
    works = scaled_workloads(asked.site, asked.readers, stack, work.hits[: CURVE_DAYS * DAY_MINUTES], per_day)
    return Plan(
        asked,
        region,
        str(book.dated),
        work,
        bill,
        limits,
        _stored(asked, region),
        alternatives(work, bill, region, book, after_days=YEAR_DAYS),
        machines(work, region, after_days=YEAR_DAYS),
        crossings(works, per_day, region, after_days=YEAR_DAYS, peak_share=float(work.hits.max()) / mean_per_day),
        sensitivity(work, bill, region, after_days=YEAR_DAYS),
        throttling(work, seed=asked.seed),
        figures,
    )


def sized(asked: Asked, hits: Floats, *, start_day: int) -> Stack:
    """Return the stack with shards for the busiest minute, where nobody has chosen them."""
    at = int(np.argmax(hits))
    site, hottest = asked.site, None
    if site.viral is not None:
        own = min(float(site.viral.hits(1, start_minute=start_day * DAY_MINUTES + at)[0]), float(hits[at]))
        hottest = own + (float(hits[at]) - own) * site.hottest_share()
    kinesis, counting = shards_for(site, float(hits[at]), hottest_hits=hottest)
    kinesis = asked.kinesis_shards or kinesis
    counting = asked.counting_shards or max(counting, kinesis)
    if kinesis > counting:
        raise Refused(
            "shards",
            f"{kinesis} Kinesis shards are more than {counting} counting shards, and no hit would go to the others",
        )
    return replace(asked.stack, kinesis_shards=min(kinesis, KINESIS_SHARDS_MAX), counting_shards=counting)


def _stored(asked: Asked, region: Region) -> list[Stored]:
    found: list[Stored] = []
    for months in MONTHS_TOLD:
        hits = asked.site.traffic.hits(MONTH_DAYS * DAY_MINUTES, start_minute=(months - 1) * MONTH_DAYS * DAY_MINUTES)
        if not float(hits.sum()):
            continue  # A trace may end before.
        grown = sized(asked, hits, start_day=(months - 1) * MONTH_DAYS)
        work = workload(asked.site, grown, asked.readers, start_day=(months - 1) * MONTH_DAYS, seed=asked.seed)
        days = months * MONTH_DAYS
        bill = bill_of(work, region, after_days=days, ways=False)
        table, objects = sum(work.table_bytes(after_days=days).values()), work.raw_bytes(after_days=days)
        found.append(Stored(months, float(hits.sum()) / MONTH_DAYS, table / 10**9, objects / 10**9, bill.usd))
    return found


def _figures(asked: Asked, work: Workload, bill: Bill, limits: Sequence[Limit], region: Region) -> list[Figure]:
    """Return the numbers that a plan begins with, from which all others can be walked to."""
    site, popular = asked.site, asked.site.popularity
    hits = float(work.hits.sum()) / work.days
    inputs = [
        given("traffic.hits-per-day", hits, "hits", "The mean day of the month that is planned for."),
        given("traffic.assets", popular.assets * popular.brands, "assets", "Of all brands together."),
        given("traffic.brands", popular.brands, "brands", "Each has windows of its own."),
        given("traffic.batch", site.batch, "hits", "Hits of a request: browsers send one."),
        given("traffic.ids", site.ids, "share", "Hits that bring an id of their own."),
        given("traffic.visitors", site.visitors, "share", "Hits that tell of their visitor."),
        given("traffic.lists-per-day", asked.readers.lists_per_day, "lists", "Lists that readers ask for."),
    ]
    peak = derived(
        "traffic.peak-per-minute", float(work.hits.max()), "hits", "The busiest minute of the month.", inputs[0]
    )
    shards = derived(
        "shards.kinesis",
        work.stack.kinesis_shards,
        "shards",
        "The busiest minute's records or bytes, by what a shard takes, at most 70 % full, as the alarm has it.",
        peak,
    )
    counting = derived(
        "shards.counting",
        work.stack.counting_shards,
        "shards",
        "Twice the Kinesis shards, since it is chosen for good and bounds them.",
        shards,
    )
    flush = derived(
        "stream.flush-interval",
        float(np.median(work.carried.flush_s)),
        "s",
        "How long an event is gathered: the freshness and a second, or until 10,000 records or 6 MB.",
        shards,
    )
    capacity = [way.cost for way in bill.capacity.ways]
    ends = [figure for limit in limits for figure in (limit.used, limit.limit)]
    return [bill.total, *inputs, peak, shards, counting, flush, break_even_share(region), *capacity, *ends]


def all_figures(made: Plan) -> list[Figure]:
    """Return every number of a plan, each once."""
    return list(walked(made.figures))
