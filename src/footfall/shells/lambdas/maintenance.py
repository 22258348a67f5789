"""The function that keeps house, each minute: time for idle shards, finished windows, old hits, and the gauges."""

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from footfall.adapters.aws import at_start as at_start
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.app.maintaining import Maintained, Maintenance, open_maintenance
from footfall.shells.lambdas import gauges
from footfall.shells.lambdas.start import begin, memory_mb
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

SPARE_MS = 30_000  # A step that meets a slow store must end before the function's time does.

_log = logging.getLogger(__name__)
_state: list[tuple[Maintenance, Clock]] = []


class Context(Protocol):
    """What we use of Lambda's."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        ...


class ChoresFailed(FootfallError):
    """Some chores failed; the others are done. Lambda counts it as an error, for which there is an alarm."""


def handler(event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Do a round of chores; what the event says does not matter."""
    del event
    if not _state:
        settings, clock = begin("maintenance")
        _state.append((open_maintenance(settings, clock, memory_mb=memory_mb()), clock))
    maintenance, clock = _state[0]
    done = maintenance.run(lambda: context.get_remaining_time_in_millis() < SPARE_MS)
    _tell(done, now_ms=clock.now_ms())
    if isinstance(maintenance.table, DynamoDbTable):
        gauges.emit_units([maintenance.table.counted])
    if done.failures:
        raise ChoresFailed(f"{len(done.failures)} chores wait for the next round: {'; '.join(done.failures)}")
    return {
        "passed": done.passed,
        "waiting": done.waiting,
        "finished": done.finished,
        "forgotten": done.forgotten,
        "released": done.released,
        "recounted": done.recounted,
        "told": done.told,
    }


def _tell(done: Maintained, *, now_ms: int) -> None:
    seconds = {brand: max(0.0, (now_ms - last_ms) / 1_000) for brand, last_ms in done.last_hit_ms.items() if last_ms}
    if seconds:
        gauges.emit(SecondsSinceLastHit=min(seconds.values()))
    heard_last = sorted(seconds, key=lambda brand: (seconds[brand], brand))
    for brand in heard_last[: gauges.BRANDS_MAX]:
        gauges.emit(brand=brand, SecondsSinceLastHit=seconds[brand])
    gauges.emit(SetAside=done.dead, WaitingShards=done.waiting)
