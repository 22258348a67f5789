"""The function that tells the stream of follows: woken by the changes of the audience's table.

It fails only when Kinesis does, and then all of the event comes again; a record that cannot be read is passed over,
told in the log and counted, for it would hold up its shard until DynamoDB forgets it. What of an event was appended
before is known by its ids when it is counted, for as long as DynamoDB keeps changes.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from footfall.adapters.aws import at_start as at_start
from footfall.adapters.aws.dynamodb_changes import FedChanges, first_number_of
from footfall.adapters.aws.dynamodb_items import Names
from footfall.app import aws_wiring
from footfall.app.settings import Settings, require_named
from footfall.audience.follow_feed import CHANGES_MAX, named_entries
from footfall.audience.keys import FOLLOWS_TOLD
from footfall.ports.errors import PortError
from footfall.ports.stream import Stream
from footfall.shells.lambdas import gauges
from footfall.shells.lambdas.start import begin
from footfall.values.clock import Clock

_log = logging.getLogger(__name__)
_state: list["Follows"] = []


def handler(event: Mapping[str, Any], context: object) -> Mapping[str, Any]:
    """Append the follows of an event, and say whether it has to be delivered again."""
    del context
    try:
        if not _state:
            settings, clock = begin("follows")
            _state.append(Follows(settings, clock, aws_wiring.open_stream(settings, clock)))
        told = _state[0].append(event)
    except PortError as error:
        _log.warning("follows wait, nothing is lost: %s", error)
        return {"batchItemFailures": [{"itemIdentifier": first_number_of(event)}]}
    gauges.emit(FollowChanges=told.changes, UnreadableFollows=told.unreadable)
    return {"batchItemFailures": []}


@dataclass(frozen=True, slots=True)
class Relayed:
    """What came of an event."""

    changes: int
    unreadable: int


class Follows:
    """What a warm function keeps: its client."""

    def __init__(self, settings: Settings, clock: Clock, stream: Stream) -> None:
        self._names = Names(require_named(settings, "aws_audience_table"))
        self._clock = clock
        self._stream = stream

    def append(self, event: Mapping[str, Any]) -> Relayed:
        """Append what an event tells of follows; return how many came and went, and how much was passed over."""
        changes = FedChanges(event, names=self._names, told=FOLLOWS_TOLD)
        appended = place = 0
        while some := changes.read(after=place, limit=CHANGES_MAX):
            now_ms = self._clock.now_ms()
            self._stream.append(named_entries(some, shards=self._stream.shards, arrived_at_ms=now_ms))
            appended, place = appended + len(some), some[-1].place
        return Relayed(appended, changes.unreadable)
