"""The function that counts: an event of the Kinesis event source, which waits as long for more as counts may be old.

What cannot be read is set aside inside. The function fails only when the store does, and then it names the first record
that is not fully counted, so that the source delivers from there again, as often as it takes.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from footfall.adapters.aws import at_start as at_start
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.aws.kinesis_fed import raw_records_from_event
from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.app import aws_wiring, wiring
from footfall.app.event_counting import EventCounting, hottest_percent, ids_max_within
from footfall.app.settings import Settings
from footfall.flow.store.retention import note_retention
from footfall.ports.errors import PortError
from footfall.ports.table import Table
from footfall.shells.lambdas import gauges
from footfall.shells.lambdas.start import begin, memory_mb
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

SPARE_MS = 20_000  # Building ends so long before the function's time does: a step may meet a slow store.
BUILD_MS_MAX = 15_000  # The next event waits for this one.

_log = logging.getLogger(__name__)
_state: list["Count"] = []


class Context(Protocol):
    """What we use of Lambda's."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        ...


class EventFailed(FootfallError):
    """Nothing of the event can be named that has to come again, so all of it has to."""


def handler(event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Count an event, and say from where it has to be delivered again."""
    try:
        if not _state:
            _state.append(Count(*begin("count"), memory_mb=memory_mb()))
    except PortError as error:
        # A store that is away is no reason to be started anew: the source waits, and comes again with all of it.
        _log.warning("counting cannot begin, nothing is lost: %s", error)
        first = event["Records"][0]["kinesis"]["sequenceNumber"]
        return {"batchItemFailures": [{"itemIdentifier": first}]}
    return _state[0].answer(event, context)


class Count:
    """What a warm function keeps: its clients and its workers."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        open_store: Callable[[Settings, Clock], Table] = wiring.open_store,
        memory_mb: int | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._table = open_store(settings, clock)
        archive = aws_wiring.open_archive(settings, clock)
        zone_of = wiring.zone_of(settings, clock)
        note_retention(self._table, wiring.kept_ms(settings), now_ms=clock.now_ms())
        self._stream: list[KinesisStream] = []
        self._counting = EventCounting(
            settings,
            self._table,
            archive,
            clock=clock,
            zone_of=zone_of,
            may_enter=self._may_enter,
            ids_max=ids_max_within(memory_mb, shards=settings.stream_shards),
        )

    def answer(self, event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
        """Count, then build longer windows while there is time."""
        began_ms = self._clock.now_ms()
        raws = raw_records_from_event(event)
        counted = self._counting.count(raws)
        took_ms = self._clock.now_ms() - began_ms
        if not counted.failures:
            self._counting.build(
                lambda: (
                    context.get_remaining_time_in_millis() < SPARE_MS
                    or self._clock.now_ms() - began_ms > took_ms + BUILD_MS_MAX
                )
            )
        percent = hottest_percent(raws, freshness_s=self._settings.aws_freshness_s, took_ms=took_ms)
        gauges.emit(HottestShardPercent=percent, DeadLetters=counted.dead, Strangers=counted.strangers)
        if isinstance(self._table, DynamoDbTable):
            gauges.emit_units([self._table.counted])
        if counted.failures and counted.left is None:
            raise EventFailed("; ".join(counted.failures))
        failed = [] if counted.left is None else [{"itemIdentifier": str(counted.left)}]
        return {"batchItemFailures": failed}

    def _may_enter(self, shard: int, place: bytes, kinesis_shard: str) -> bool:
        """Ask Kinesis itself, which happens only after shards were split or merged."""
        if not self._stream:
            self._stream.append(aws_wiring.open_stream(self._settings, self._clock, read_only=True))
        return self._stream[0].may_enter(shard, place, kinesis_shard)
