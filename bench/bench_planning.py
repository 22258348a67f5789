"""Planning: a month of a hundred million hits a day through the simulated engines, on one core.

Sketch. A month has 2.6 million seconds. In most minutes nothing is refused, and such a minute is some ten operations on
arrays of sixty seconds, about 50 us: two seconds a month for each engine. Drawing the requests of a day takes five
milliseconds. A minute that refuses something is done second by second, at 15 to 25 us each; a month of nothing else,
as one hot key has it, takes a minute. Memory is a day of seconds and a month of minutes: some megabytes beside numpy.
"""

import time
from collections.abc import Callable
from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage

from bench.plan import Plan
from bench.results import Row, row
from footfall.planning.simulated_capacity import OnDemand, Provisioned, Scaling, Sharded
from footfall.planning.simulated_clients import BackedOff, Paced
from footfall.planning.simulated_function import FunctionDesign, simulate_function
from footfall.planning.simulated_hot_key import hot_key
from footfall.planning.simulated_night import nightly_burst
from footfall.planning.simulated_partitions import Keys, Sort
from footfall.planning.simulated_snowball import snowball
from footfall.planning.simulated_stream import Records, StreamDesign, simulate_stream
from footfall.planning.simulated_table import Load, TableDesign, simulate_table
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.traffic import DAY_MINUTES, Rhythm
from footfall.planning.traffic_popularity import Popularity
from footfall.planning.workload import workload_of_minutes

DAYS = 30
PER_DAY = 100_000_000.0
ASSETS = 100_000
SECONDS_MAX = 60
MB_MAX = 300
SEED = 2026


def run(plan: Plan) -> list[Row]:
    """Measure each month in a process of its own, and whether it gives the same bytes again."""
    days = plan.scaled(DAYS)
    engines, megabytes, first = _apart(engines_month, days)
    _, _, again = _apart(engines_month, days)
    rows, rows_mb, _ = _apart(rows_month, days)
    hot, _, _ = _apart(hot_month, days)
    sources, _, _ = _apart(scenarios, days)
    what = f"{days} days of 100 M hits"
    return [
        row(f"{what}: stream, functions and table as footfall has them", engines, "CPU s", at_most=SECONDS_MAX),
        row("the same, of the limit of a minute", engines / SECONDS_MAX, "", at_most=1.0),
        row("the same, memory", megabytes, "MB", at_most=MB_MAX),
        row("the same again in another process: equal bytes", float(first == again), "", at_least=1.0),
        row(f"{what}: a row for each, on demand", rows, "CPU s", at_most=SECONDS_MAX),
        row("the same, memory", rows_mb, "MB", at_most=MB_MAX),
        row(f"{what}: a row for each under one hot key, all of it second by second", hot, "CPU s"),
        row("the three scenarios of the sources, in 18 variants", sources, "CPU s"),
    ]


def engines_month(days: int) -> str:
    """Simulate what footfall does on AWS; return a hash of everything."""
    hits = Rhythm(PER_DAY).hits(days * DAY_MINUTES)
    popularity = Popularity(ASSETS, brands=5)
    stream = simulate_stream(
        StreamDesign(Sharded(8)), [Records("hits", hits / 10, 400.0, Keys(ASSETS, 1.0))], seed=SEED
    )
    collected = simulate_function(FunctionDesign(duration_ms=5, cold_ms=900), hits / 10, seed=SEED)
    site = Site(Rhythm(PER_DAY), popularity, batch=10)
    units = workload_of_minutes(site, Stack(kinesis_shards=8), Readers(), hits).writes
    table = simulate_table(
        TableDesign(writes=Provisioned(20, Scaling(5, 1_000))),
        [Load("summaries", units, Keys(5, 0.5, Sort.SPREAD, 1), client=Paced(writers=2))],
        seed=SEED,
    )
    return stream.writes.digest() + collected.calls.digest() + table.digest()


def rows_month(days: int) -> str:
    """Simulate a row for each hit, on an on-demand table."""
    hits = Rhythm(PER_DAY).hits(days * DAY_MINUTES)
    load = Load("rows", hits, Keys(ASSETS, 1.0), client=BackedOff())
    return simulate_table(TableDesign(OnDemand()), [load], seed=SEED).digest()


def hot_month(days: int) -> str:
    """Simulate a row for each hit under one key."""
    hits = Rhythm(PER_DAY).hits(days * DAY_MINUTES)
    load = Load("rows", hits, Keys(1), client=BackedOff())
    return simulate_table(TableDesign(Provisioned(4_000)), [load], seed=SEED).digest()


def scenarios(days: int) -> str:
    """Simulate what the sources ran into."""
    del days
    found = [make(seed=SEED) for make in (hot_key, nightly_burst, snowball)]
    return "".join(variant.outcome.digest() for scenario in found for variant in scenario.variants)


def _apart(work: Callable[[int], str], days: int) -> tuple[float, float, str]:
    """Return the processor seconds of some work, the most memory of its process, and what it gave."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, days))


def _measured(work: Callable[[int], str], days: int) -> tuple[float, float, str]:
    began = time.process_time()
    given = work(days)
    return time.process_time() - began, getrusage(RUSAGE_SELF).ru_maxrss / 1_024, given
