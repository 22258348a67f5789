"""The change feed of a DynamoDB table: what an event of its stream holds, as Lambda's event source hands it over.

Lambda reads the stream, and goes on when a function has answered for an event; so there is nothing to be forgotten
here, and a place is where a record stands in its event.
"""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from footfall.adapters.aws.dynamodb_items import Names, item_from_stored, key_from_stored
from footfall.ports.changes import ID_BYTES, READ_CHANGES_MAX, Change, Told
from footfall.ports.errors import Corrupt

_log = logging.getLogger(__name__)
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, Corrupt)
_CAME, _WENT = "INSERT", "REMOVE"  # A record of MODIFY tells of an item that was put again in its place.


class FedChanges:
    """The changes of one event."""

    def __init__(self, event: Mapping[str, Any], *, names: Names, told: Told) -> None:
        self.unreadable = 0  # records that say nothing that could be counted
        self._changes: list[Change] = []
        for place, record in enumerate(event["Records"], 1):
            change = self._readable(names, place, record)
            if change is not None and told.has(change.key.partition):
                self._changes.append(change)

    def _readable(self, names: Names, place: int, record: Mapping[str, Any]) -> Change | None:
        """Return the change that a record tells of; None where it tells of none, or cannot be read."""
        try:
            return _change(names, place, record) if record["eventName"] in (_CAME, _WENT) else None
        except _MALFORMED as error:  # Delivered again it would be the same, and hold up all that come after it.
            self.unreadable += 1
            # The record itself has members' names, which no log may have.
            _log.error("a change cannot be read and is passed over: %s in record %d", type(error).__name__, place)
            return None

    def read(self, *, after: int, limit: int = READ_CHANGES_MAX) -> Sequence[Change]:
        """Return the changes that follow a place, in their order."""
        return [change for change in self._changes if change.place > after][: min(limit, READ_CHANGES_MAX)]

    def forget(self, *, through: int) -> None:
        """Let go of the changes up to a place."""
        self._changes = [change for change in self._changes if change.place > through]

    def close(self) -> None:
        """Let go of the event."""
        self._changes = []


def first_number_of(event: Mapping[str, Any]) -> str:
    """Return the number by which an event source is told that it has to deliver all of an event again."""
    return str(event["Records"][0]["dynamodb"]["SequenceNumber"])


def _change(names: Names, place: int, record: Mapping[str, Any]) -> Change:
    told = record["dynamodb"]
    item = item_from_stored(names, told["NewImage"]) if record["eventName"] == _CAME else None
    # DynamoDB gives each record of a stream a name of its own, which it has in every delivery.
    name = hashlib.blake2b(record["eventID"].encode(), digest_size=ID_BYTES).digest()
    at_ms = int(told["ApproximateCreationDateTime"] * 1_000)
    return Change(place, name, key_from_stored(names, told["Keys"]), at_ms, item)
