"""The change feed of a DynamoDB table: what an event of its stream holds, as Lambda's event source hands it over.

Lambda reads the stream, and goes on when a function has answered for an event; so there is nothing to be forgotten
here, and a place is where a record stands in its event.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from footfall.adapters.aws.dynamodb_items import Names, item_from_stored, key_from_stored
from footfall.ports.changes import ID_BYTES, READ_CHANGES_MAX, Change, Told

_CAME, _WENT = "INSERT", "REMOVE"  # A record of MODIFY tells of an item that was put again in its place.


class FedChanges:
    """The changes of one event."""

    def __init__(self, event: Mapping[str, Any], *, names: Names, told: Told) -> None:
        found = [
            _change(names, place, record)
            for place, record in enumerate(event["Records"], 1)
            if record["eventName"] in (_CAME, _WENT)
        ]
        self._changes = [change for change in found if told.has(change.key.partition)]

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
