"""How often each function runs, for how long, and how many of it at once.

Processor time is measured; how long AWS's services take to answer could not be, without an account, and is assumed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.planning.figures import Figure, assumed, documented, measured
from footfall.planning.site import Readers, Site, Stack
from footfall.planning.summary_sizes import Floats
from footfall.planning.workload_stream import Carried
from footfall.planning.workload_windows import Written

CORE_MB = 1_769  # Lambda: "at 1,769 MB, a function has the equivalent of one vCPU".
PUT_S, TABLE_S, OBJECT_S = 0.010, 0.005, 0.030
COLLECT_CORE_S = 0.002
SERVE_S = 0.003
EVENT_CORE_S, RECORD_CORE_US, HIT_CORE_US, ID_CORE_US, VISITOR_CORE_US = 0.002, 30.0, 2.4, 3.5, 0.5
JUDGED_CORE_US, REFERRED_CORE_US = 2.634, 4.714
ROUND_S = 0.3
JUDGED_MAX = 30_000  # hits of a minute, of all brands: docs/architecture.md, "What bounds memory and disk"
CACHED_S = 30  # of the shortest list, justnow; docs/caching.md
LIST_BYTES = 5_381

CORE = documented(
    "functions.core-mb",
    CORE_MB,
    "MB",
    "A function has a whole core at 1,769 MB, and its share below.",
    "AWS Lambda, Configure memory",
)
COLLECT = assumed(
    "functions.collect-seconds",
    0.017,
    "s",
    "A request takes 2 ms of a core (most of it boto3's), of which 512 MB have 0.29, and Kinesis some 10 ms to answer; "
    "bench/results/cold-start.json has 29 ms with a local Kinesis that is slower than AWS's.",
)
COUNT = measured(
    "functions.count-core-us",
    HIT_CORE_US + RECORD_CORE_US,
    "us",
    "Counting takes 2.4 us of a core for each hit and 30 us for each record, so single hits cost twelve "
    "times those of batches; "
    "an id costs 3.5 us more.",
    "tests/planning/test_workload_functions.py, bench/results/hot-asset.json",
)
WAITS = assumed(
    "functions.waits-seconds",
    TABLE_S,
    "s",
    "DynamoDB answers a write in some 5 ms, S3 a put in some 30 ms; counting waits for each.",
)
ROUNDS = documented(
    "functions.rounds-per-minute",
    1,
    "runs",
    "Maintenance and the judge run once a minute, whatever comes.",
    "deploy/aws/template.yaml (MaintenanceSchedule, JudgeSchedule)",
)
JUDGE = measured(
    "functions.judge-core-us",
    JUDGED_CORE_US + REFERRED_CORE_US,
    "us",
    "The judge takes 2.6 us of a core for a hit, of at most 30,000 hits a minute, and 4.7 us to count "
    "where its reader came from.",
    "bench/results/judging.json, bench/results/referrers.json",
)
SERVED = measured(
    "functions.serve-seconds",
    SERVE_S,
    "s",
    "A warm function answers a list in under a millisecond of a whole core (0.87 ms measured), 3 ms on its share.",
    "bench/results/cold-start.json",
)


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """One function: calls and seconds of each minute."""

    memory_mb: int
    calls: Floats
    seconds: Floats

    @property
    def gb_seconds(self) -> float:
        """Return what is paid for beside the calls."""
        return float(self.seconds.sum()) * self.memory_mb / 1_024

    @property
    def at_once(self) -> Floats:
        """Return how many run at once in the mean of each minute."""
        return self.seconds / 60


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """Lists that are asked for, in each minute: of the edge, and of the function behind it."""

    asked: Floats
    reached: Floats
    looks: Floats  # of the functions into the table

    @property
    def hit_share(self) -> float:
        """Return the share that the edge answers by itself."""
        asked = float(self.asked.sum())
        return 1 - float(self.reached.sum()) / asked if asked else 0.0


def core_share(memory_mb: int) -> float:
    """Return the part of a core that a function has; ours use one at most."""
    return min(1.0, memory_mb / CORE_MB)


def collect_s(stack: Stack) -> float:
    """Return how long a request takes."""
    return COLLECT_CORE_S / core_share(stack.memory.collect) + PUT_S


def hit_core_us(batch: int, *, ids: float, visitors: float) -> float:
    """Return the processor time that counting a hit takes."""
    return HIT_CORE_US + RECORD_CORE_US / batch + ID_CORE_US * ids + VISITOR_CORE_US * visitors


def served(readers: Readers, stack: Stack, shape: Floats) -> Served:
    """Return lists that follow the hits' rhythm; what the edge has is asked for again when its time is over."""
    total = float(shape.sum())
    minutes = len(shape)
    asked = shape / total * readers.lists_per_day * minutes / 1_440 if total else np.zeros(minutes)
    weights = np.arange(1, readers.questions + 1, dtype=np.float64) ** -1.0
    rates = weights / weights.sum() / readers.edges
    # A list is fetched once in the time that it may be kept, from when it is asked for first.
    grid = np.unique(np.concatenate([[0.0], np.geomspace(1e-3, max(float(asked.max()), 1.0), 40)]))
    per_s = grid[:, None] / 60 * rates[None, :]
    reached = (per_s / (1 + per_s * CACHED_S)).sum(axis=1) * readers.edges * 60
    behind = _read_off(asked, grid, reached)
    copies = np.maximum(1.0, np.ceil(behind / 60 * SERVE_S))
    looks = np.minimum(behind, copies * 60 / max(1.0, stack.freshness_s / 10))
    return Served(asked, behind, looks)


def _read_off(at: Floats, known: Floats, values: Floats) -> Floats:
    return np.interp(at, known, values)


def functions(site: Site, stack: Stack, carried: Carried, written: Written, lists: Served) -> Mapping[str, Work]:
    """Return the work of all six functions."""
    memory, minutes = stack.memory, len(carried.requests)
    hits = carried.requests * site.batch
    share = core_share(memory.count)
    counting = (
        carried.events * EVENT_CORE_S / share
        + hits * hit_core_us(site.batch, ids=site.ids, visitors=site.visitors) * 1e-6 / share
        + written.requests * TABLE_S
        + written.puts * OBJECT_S
    )
    runs = np.ones(minutes)
    maintenance = runs * (ROUND_S + stack.counting_shards * TABLE_S)
    judged = np.minimum(hits, JUDGED_MAX) * JUDGED_CORE_US * stack.judging
    referred = hits * REFERRED_CORE_US * stack.referrers
    judges = stack.judging or stack.referrers
    read = written.puts * OBJECT_S * (int(stack.judging) + int(stack.referrers))
    # A round ends before the next begins: what it cannot follow it passes over, or counts later.
    judging = np.minimum(runs * ROUND_S + read + (judged + referred) * 1e-6 / share, 60.0) * judges
    return {
        "collect": Work(memory.collect, carried.requests, carried.requests * collect_s(stack)),
        "count": Work(memory.count, carried.events, counting),
        "serve": Work(memory.serve, lists.reached, lists.reached * SERVE_S),
        "maintenance": Work(memory.count, runs, maintenance),
        "judge": Work(memory.count, runs * judges, judging),
    }


def function_figures() -> tuple[Figure, ...]:
    """Return what the functions' part rests on."""
    return (CORE, COLLECT, COUNT, WAITS, ROUNDS, JUDGE, SERVED)
