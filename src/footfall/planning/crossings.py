"""Where one way becomes cheaper than another: by traffic, or by how much of it is used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from footfall.planning.alternatives import machines
from footfall.planning.bill import bill_of, gb_second_price
from footfall.planning.capacity import PROVISIONED, RESERVED_1Y, RESERVED_3Y, SCALED, capacity_costs
from footfall.planning.limits import shards_for
from footfall.planning.prices import Region
from footfall.planning.site import LISTS_PER_DAY_MAX, Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.workload import MONTH_DAYS, Workload, workload_of_minutes

POINTS = 13
LEAST_PER_DAY, MOST_PER_DAY = 1e4, 1e10
TASK_VCPU, TASK_GB = 0.25, 0.5  # the smallest task of Fargate
TASK_REQUESTS_PER_S = (
    400.0  # assumed: a quarter of a core, at 0.55 ms of a core for a request of a server with PutRecords
)
SECONDS = MONTH_DAYS * 86_400


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """What one way costs a month, at each number of hits a day; beyond its end there is no such way."""

    name: str
    usd: Floats
    ends_at: float = float("inf")  # hits a day


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Several ways over the same traffic, and where the cheapest changes."""

    name: str
    title: str
    says: str
    per_day: Floats
    curves: tuple[Curve, ...]
    at: tuple[tuple[float, str], ...]  # hits a day, and which way is cheapest from there on


def scaled_workloads(site: Site, readers: Readers, stack: Stack, minutes: Floats, per_day: Floats) -> list[Workload]:
    """Return the workload at each number of hits a day, with as many shards as each needs and the same rhythm."""
    now = float(minutes.sum()) / (len(minutes) / 1_440)
    shape = minutes / max(now, 1e-9)
    found: list[Workload] = []
    for one in per_day:
        hits = shape * one
        kinesis, counting = shards_for(site, float(hits.max()))
        sized = replace(stack, kinesis_shards=kinesis, counting_shards=counting)
        # A curve goes on to traffic that nobody has asked about: there its lists stay at what is possible.
        per_day_lists = min(readers.lists_per_day * one / max(now, 1e-9), LISTS_PER_DAY_MAX)
        lists = replace(readers, lists_per_day=per_day_lists)
        found.append(workload_of_minutes(site, sized, lists, hits))
    return found


def crossings(
    works: list[Workload], per_day: Floats, region: Region, *, after_days: float, peak_share: float
) -> list[Crossing]:
    """Return the three questions that everybody has: a machine or AWS, how to buy units, functions or tasks.

    `peak_share` is what the busiest minute of the plan has of its mean day, by which a machine is full.
    """
    return [
        _machine_or_aws(works, per_day, region, after_days=after_days, peak_share=peak_share),
        _units(works, per_day, region),
        _functions_or_tasks(works, per_day, region),
    ]


def _machine_or_aws(
    works: list[Workload], per_day: Floats, region: Region, *, after_days: float, peak_share: float
) -> Crossing:
    aws = np.array([float(bill_of(work, region, after_days=after_days, ways=False).usd) for work in works])
    sizes = zip(*(machines(work, region, after_days=after_days) for work in works), strict=True)
    curves = [Curve("AWS", aws)]
    for name, of_size in zip(("one machine, 2 cores", "one machine, 8 cores"), sizes, strict=True):
        # Where it is full is computed, not looked for between the points: they are a factor of three apart.
        ends_at = float(of_size[0].carries.value) * 60 / peak_share
        curves.append(Curve(name, np.array([float(one.cost.value) for one in of_size]), ends_at))
    says = (
        "A machine costs the same whatever comes, until it is full; the stack's fixed part alone is dearer "
        "than a small one."
    )
    return _crossing("machine", "One rented machine, or AWS", says, per_day, curves)


def _units(works: list[Workload], per_day: Floats, region: Region) -> Crossing:
    all_ways = [capacity_costs(work, region, months=work.days / MONTH_DAYS) for work in works]
    names = ("on demand", PROVISIONED, SCALED, RESERVED_1Y, RESERVED_3Y)
    curves = [Curve(name, np.array([float(ways.way(name).usd) for ways in all_ways])) for name in names]
    says = (
        "Provisioned units are cheaper from 29 % of steady use on; reserved ones are sold by the hundred, so "
        "small tables have none."
    )
    return _crossing("units", "The table's units: on demand, provisioned, reserved", says, per_day, curves)


def _functions_or_tasks(works: list[Workload], per_day: Floats, region: Region) -> Crossing:
    """Compare the function that collects with containers that would do the same."""
    functions, tasks = np.zeros(len(works)), np.zeros(len(works))
    for place, work in enumerate(works):
        collect = work.functions["collect"]
        month = MONTH_DAYS / work.days
        calls, seconds = float(collect.calls.sum()) * month, collect.gb_seconds * month
        functions[place] = float(
            region.cost("lambda.request", _d(calls)) + region.cost(gb_second_price(work.stack), _d(seconds))
        )
        peak = float(work.carried.requests.max()) / 60
        count = max(2.0, np.ceil(peak / TASK_REQUESTS_PER_S / 0.5))
        hours = count * MONTH_DAYS * 24
        tasks[place] = float(
            region.cost("fargate.vcpu-hour", _d(hours * TASK_VCPU))
            + region.cost("fargate.gb-hour", _d(hours * TASK_GB))
        )
    curves = [Curve("Lambda, collecting", functions), Curve("Fargate, two tasks or more", tasks)]
    says = (
        "Two small tasks that are always there, or functions that are paid by the request; a task is taken to "
        "answer 400 requests "
        "a second and is used by half. The API's own price is the same for both; the load balancer that tasks need "
        "behind it is left out, so Fargate is cheaper here than it would be."
    )
    return _crossing("functions", "Collecting: Lambda, or Fargate", says, per_day, curves)


def _crossing(name: str, title: str, says: str, per_day: Floats, curves: Sequence[Curve]) -> Crossing:
    at = changes(per_day, curves)
    # What is drawn has a point where a curve ends, so that it does not end at the point before.
    ends = [one.ends_at for one in curves if per_day[0] < one.ends_at < per_day[-1]]
    drawn = np.union1d(per_day, ends)
    return Crossing(
        name,
        title,
        says,
        drawn,
        tuple(Curve(one.name, _between(drawn, per_day, one), one.ends_at) for one in curves),
        at,
    )


def changes(per_day: Floats, curves: Sequence[Curve]) -> tuple[tuple[float, str], ...]:
    """Return from which traffic on which curve is the lowest, by lines between the points on logarithmic scales."""
    ends = [one.ends_at for one in curves if per_day[0] < one.ends_at < per_day[-1]]
    fine = np.geomspace(float(per_day[0]), float(per_day[-1]), 2_000)
    fine = np.unique(np.concatenate([fine, ends, np.nextafter(ends, np.inf)]))
    values = np.stack([_between(fine, per_day, curve) for curve in curves])
    known = np.where(np.isnan(values), np.inf, values)
    best = np.argmin(known, axis=0)
    starts = [0, *(np.flatnonzero(np.diff(best)) + 1).tolist()]
    return tuple((float(fine[start]), curves[int(best[start])].name) for start in starts)


def _between(at: Floats, known: Floats, curve: Curve) -> Floats:
    found = np.exp(np.interp(np.log(at), np.log(known), np.log(np.maximum(curve.usd, 1e-6))))
    return np.where(at > curve.ends_at, np.nan, found)


def _d(value: float) -> Decimal:
    return Decimal(repr(float(value)))
