"""Where one way becomes cheaper than another: by traffic, or by how much of it is used."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from footfall.planning.alternatives import machines
from footfall.planning.bill import bill_of
from footfall.planning.capacity import PROVISIONED, RESERVED_1Y, RESERVED_3Y, SCALED, capacity_costs
from footfall.planning.limits import shards_for
from footfall.planning.prices import Region
from footfall.planning.site import Readers, Site, Stack
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
    """What one way costs a month, at each number of hits a day."""

    name: str
    usd: Floats


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
        sized = _with_shards(stack, kinesis, counting)
        lists = Readers(readers.lists_per_day * one / max(now, 1e-9), readers.questions, readers.edges)
        found.append(workload_of_minutes(site, sized, lists, hits))
    return found


def _with_shards(stack: Stack, kinesis: int, counting: int) -> Stack:
    from dataclasses import replace

    return replace(stack, kinesis_shards=kinesis, counting_shards=counting)


def crossings(works: list[Workload], per_day: Floats, region: Region, *, after_days: float) -> list[Crossing]:
    """Return the three questions that everybody has: a machine or AWS, how to buy units, functions or tasks."""
    return [
        _machine_or_aws(works, per_day, region, after_days=after_days),
        _units(works, per_day, region),
        _functions_or_tasks(works, per_day, region),
    ]


def _machine_or_aws(works: list[Workload], per_day: Floats, region: Region, *, after_days: float) -> Crossing:
    aws = np.array([float(bill_of(work, region, after_days=after_days, ways=False).usd) for work in works])
    small, large = np.full(len(works), np.nan), np.full(len(works), np.nan)
    for place, work in enumerate(works):
        for values, machine in zip((small, large), machines(work, region, after_days=after_days), strict=True):
            if machine.fits:
                values[place] = float(machine.cost.value)
    curves = (Curve("AWS", aws), Curve("one machine, 2 cores", small), Curve("one machine, 8 cores", large))
    says = (
        "A machine costs the same whatever comes, until it is full; the stack's fixed part alone is dearer "
        "than a small one."
    )
    return Crossing("machine", "One rented machine, or AWS", says, per_day, curves, changes(per_day, curves))


def _units(works: list[Workload], per_day: Floats, region: Region) -> Crossing:
    all_ways = [capacity_costs(work, region, months=work.days / MONTH_DAYS) for work in works]
    names = ("on demand", PROVISIONED, SCALED, RESERVED_1Y, RESERVED_3Y)
    curves = tuple(Curve(name, np.array([float(ways.way(name).usd) for ways in all_ways])) for name in names)
    says = (
        "Provisioned units are cheaper from 29 % of steady use on; reserved ones are sold by the hundred, so "
        "small tables have none."
    )
    return Crossing(
        "units", "The table's units: on demand, provisioned, reserved", says, per_day, curves, changes(per_day, curves)
    )


def _functions_or_tasks(works: list[Workload], per_day: Floats, region: Region) -> Crossing:
    """Compare the function that collects with containers that would do the same."""
    functions, tasks = np.zeros(len(works)), np.zeros(len(works))
    for place, work in enumerate(works):
        collect = work.functions["collect"]
        month = MONTH_DAYS / work.days
        calls, seconds = float(collect.calls.sum()) * month, collect.gb_seconds * month
        functions[place] = float(
            region.cost("lambda.request", _d(calls)) + region.cost("lambda.gb-second", _d(seconds))
        )
        peak = float(work.carried.requests.max()) / 60
        count = max(2.0, np.ceil(peak / TASK_REQUESTS_PER_S / 0.5))
        hours = count * MONTH_DAYS * 24
        tasks[place] = float(
            region.cost("fargate.vcpu-hour", _d(hours * TASK_VCPU))
            + region.cost("fargate.gb-hour", _d(hours * TASK_GB))
        )
    curves = (Curve("Lambda, collecting", functions), Curve("Fargate, two tasks or more", tasks))
    says = (
        "Two small tasks that are always there, or functions that are paid by the request; a task is taken to "
        "answer 400 requests "
        "a second and is used by half. The API's own price is the same for both."
    )
    return Crossing("functions", "Collecting: Lambda, or Fargate", says, per_day, curves, changes(per_day, curves))


def changes(per_day: Floats, curves: tuple[Curve, ...]) -> tuple[tuple[float, str], ...]:
    """Return from which traffic on which curve is the lowest, by lines between the points on logarithmic scales."""
    fine = np.geomspace(float(per_day[0]), float(per_day[-1]), 2_000)
    values = np.stack([_between(fine, per_day, curve.usd) for curve in curves])
    known = np.where(np.isnan(values), np.inf, values)
    best = np.argmin(known, axis=0)
    starts = [0, *(np.flatnonzero(np.diff(best)) + 1).tolist()]
    return tuple((float(fine[start]), curves[int(best[start])].name) for start in starts)


def _between(at: Floats, known: Floats, usd: Floats) -> Floats:
    is_known = ~np.isnan(usd)
    if not is_known.any():
        return np.full(len(at), np.nan)
    found = np.exp(np.interp(np.log(at), np.log(known[is_known]), np.log(np.maximum(usd[is_known], 1e-6))))
    last = known[is_known].max()
    return np.where(at > last * 1.000_001, np.nan, found)


def _d(value: float) -> Decimal:
    return Decimal(repr(float(value)))


Scaled = Callable[[Floats], list[Workload]]
