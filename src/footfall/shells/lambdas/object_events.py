"""Which objects an event tells of: S3's own notification, alone, in SNS, in SQS or both, or EventBridge's."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote_plus

import msgspec

from footfall.app.object_feed import ObjectName
from footfall.values.errors import Refused

CREATED = "ObjectCreated:"
_NESTED_MAX = 4  # S3 in SNS in SQS, and one for luck.


@dataclass(frozen=True, slots=True)
class Told:
    """Objects that came in one message; only a message of SQS can be delivered again alone."""

    message_id: str
    objects: tuple[ObjectName, ...] = ()
    reason: str = ""  # why it tells of none


@dataclass(frozen=True, slots=True)
class Look:
    """A wish to look for objects that nobody told of."""

    bucket: str
    prefix: str = ""
    after: str = ""


def told_in(event: Mapping[str, Any]) -> list[Told]:
    """Return what an event tells of; raise Refused when it is none of those that are known."""
    records = _records(event)
    if records and all(record.get("eventSource") == "aws:sqs" for record in records):
        return [_told_in_message(record) for record in records]
    return [Told("", tuple(_objects(event, nested=0)))]


def look_in(event: Mapping[str, Any]) -> Look | None:
    """Return what an event wants to be looked for; None when it tells of objects itself."""
    look = event.get("look")
    if look is None:
        return None
    try:
        return Look(**msgspec.convert(look, type=dict[str, str]))
    except (msgspec.ValidationError, TypeError) as error:
        raise Refused("look", f'must be like {{"bucket": "name", "prefix": "2026/11/"}}: {error}') from error


def _told_in_message(record: Mapping[str, Any]) -> Told:
    message_id = str(record.get("messageId", ""))
    try:
        return Told(message_id, tuple(_objects(_decoded(record.get("body")), nested=1)))
    except Refused as refused:
        return Told(message_id, reason=refused.reason)  # The others of the batch are none the worse for it.


def _objects(event: Mapping[str, Any], *, nested: int) -> Iterator[ObjectName]:
    if nested > _NESTED_MAX:
        raise Refused("event", "has messages in messages in messages; send S3's notification as it is")
    if event.get("Event") == "s3:TestEvent":
        return  # S3 sends it when the notification is set up.
    if isinstance(event.get("requestPayload"), dict):  # What Lambda leaves in a queue when an event failed.
        yield from _objects(event["requestPayload"], nested=nested + 1)
    elif event.get("source") == "aws.s3":
        yield from _in_eventbridge(event)
    elif event.get("Type") == "Notification":  # SNS, as SQS and HTTP see it.
        yield from _objects(_decoded(event.get("Message")), nested=nested + 1)
    elif records := _records(event):
        for record in records:
            yield from _in_record(record, nested=nested)
    else:
        raise Refused("event", f"tells of no object: {msgspec.json.encode(event)[:200].decode(errors='replace')}")


def _in_record(record: Mapping[str, Any], *, nested: int) -> Iterable[ObjectName]:
    if record.get("eventSource") == "aws:s3":
        return _in_s3(record)
    if "Sns" in record:
        return _objects(_decoded(record["Sns"].get("Message")), nested=nested + 1)
    raise Refused("event", f"has a record of {record.get('eventSource')!r}; S3, SNS, SQS and EventBridge are known")


def _in_s3(record: Mapping[str, Any]) -> Iterator[ObjectName]:
    if str(record.get("eventName", "")).removeprefix("s3:").startswith(CREATED):
        said = record["s3"]
        one = said["object"]
        # S3 writes names here as they stand in an address.
        yield ObjectName(said["bucket"]["name"], unquote_plus(one["key"]), str(one.get("versionId", "")))


def _in_eventbridge(event: Mapping[str, Any]) -> Iterator[ObjectName]:
    if event.get("detail-type") == "Object Created":
        said = event["detail"]
        one = said["object"]
        yield ObjectName(said["bucket"]["name"], one["key"], str(one.get("version-id", "")))


def _records(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    records: object = event.get("Records")
    return cast("list[Mapping[str, Any]]", records) if isinstance(records, list) else []


def _decoded(text: object) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(str(text), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise Refused("event", f"has a message that is not JSON: {str(text)[:200]!r}") from error
