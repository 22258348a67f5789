"""What functions tell of themselves: lines of the log in CloudWatch's embedded metric format, which become metrics.

A function has no address that could be asked, and a call to CloudWatch would cost its readers time; a line costs
nothing. The alarms of the template look at these names.
"""

import sys
from collections.abc import Iterable, Mapping

import msgspec

from footfall.adapters.aws.counting_calls import CountedCalls, Spent
from footfall.values.clock import Clock, SystemClock

NAMESPACE = "footfall"
BRANDS_MAX = 50  # CloudWatch bills each name it has ever heard; the stack's own gauges tell of the rest.
UNITS: Mapping[str, str] = {
    "SecondsSinceLastHit": "Seconds",
    "HottestShardPercent": "Percent",
    "DeadLetters": "Count",
    "ThrottledUnits": "Count",
    "ReadUnits": "Count",
    "WrittenUnits": "Count",
    "ObjectHits": "Count",
    "FollowChanges": "Count",
    "UnreadableFollows": "Count",
    "PlaybacksUnrecorded": "Count",
    "PlaybacksForgotten": "Count",
    "RefusedLines": "Count",
    "Strangers": "Count",
    "SetAside": "Count",
    "WaitingShards": "Count",
    "UnprovenRequests": "Count",
    "JudgingBehindSeconds": "Seconds",
    "JudgedHits": "Count",
    "JudgingLeftOutHits": "Count",
    "JudgingSkippedSeconds": "Seconds",
    "Verdicts": "Count",
}

_stack = [NAMESPACE]
_told: dict[int, tuple[CountedCalls, Spent]] = {}


def name_stack(stack: str) -> None:
    """Have every line from now on name the stack."""
    _stack[0] = stack


def emit(*, brand: str = "", clock: Clock | None = None, **metrics: float) -> None:
    """Print one line with metrics of the stack, or of one brand of it."""
    if metrics:
        now_ms = (clock or SystemClock()).now_ms()
        print(line_of(metrics, stack=_stack[0], brand=brand, now_ms=now_ms), file=sys.stdout, flush=True)  # noqa: T201


def emit_units(tables: Iterable[CountedCalls]) -> None:
    """Print the units that tables took and refused since this was asked for them last."""
    spent = Spent()
    for counted in tables:
        _, before = _told.get(id(counted), (counted, Spent()))
        now = counted.total
        _told[id(counted)] = (counted, now)
        spent = spent.plus(Spent(now.read - before.read, now.written - before.written, now.refused - before.refused))
    emit(ReadUnits=spent.read, WrittenUnits=spent.written, ThrottledUnits=spent.refused)


def line_of(metrics: Mapping[str, float], *, stack: str, brand: str, now_ms: int) -> str:
    """Return the line that CloudWatch makes metrics of."""
    dimensions = {"stack": stack} | ({"brand": brand} if brand else {})
    named = [{"Name": name, "Unit": UNITS.get(name, "None")} for name in metrics]
    told = {"Namespace": NAMESPACE, "Dimensions": [list(dimensions)], "Metrics": named}
    line = {"_aws": {"Timestamp": now_ms, "CloudWatchMetrics": [told]}, **dimensions, **metrics}
    return msgspec.json.encode(line).decode()
