"""Events as AWS's services write them, and what a function has done, seen from outside."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import msgspec

import footfall
from footfall.accounts.brands import Brands
from footfall.app import wiring
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Sender
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoint
from footfall.flow.store.summaries import Summaries
from footfall.ports.stream import Entry
from footfall.values.clock import SystemClock
from footfall.values.window import Grain, window_of
from tests.engines.aws_ground import AwsGround

SOURCES = Path(footfall.__file__).parents[1]
CLOCK = SystemClock()


class Minutes:
    """A context as Lambda gives it, with time left."""

    def __init__(self, left_ms: int = 300_000) -> None:
        self.left_ms = left_ms

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        return self.left_ms


def metrics(log: str) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of a log that CloudWatch makes metrics of, by the metrics' names."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in log.splitlines():
        if line.startswith('{"_aws"'):
            told = msgspec.json.decode(line)
            for one in told["_aws"]["CloudWatchMetrics"][0]["Metrics"]:
                found.setdefault(one["Name"], []).append(told)
    return found


def hits_of(count: int, *, brand: str = "abc", assets: int = 7, **fields: object) -> list[dict[str, object]]:
    """Return hits of a few assets."""
    return [{"brand": brand, "assetId": number % assets, "sectionId": 1, **fields} for number in range(count)]


def entries_of(ground: AwsGround, hits: Sequence[Mapping[str, object]], *, key: str = "") -> list[Entry]:
    """Return the entries that collecting makes of hits."""
    settings = ground.settings
    with closing(wiring.open_salt_table(settings, CLOCK)) as table:
        acceptance = Acceptance(
            Brands(settings.brands, any_brand=False), wiring.salts(table), shards=settings.stream_shards
        )
        body = msgspec.json.encode(hits)
        parsed = parse_hits(body, lines=False, hits_max=50_000)
        sender = Sender("192.0.2.1", "test", wants_privacy=True)
        return acceptance.entries(parsed, Request(CLOCK.now_ms(), sender, True, key, body))


def append(ground: AwsGround, entries: Sequence[Entry]) -> None:
    """Append entries as collecting does."""
    with closing(wiring.open_stream_to_write(ground.settings, CLOCK)) as stream:
        stream.append(entries)


def kinesis_events(ground: AwsGround) -> list[dict[str, Any]]:
    """Return all that the stream holds as the event source hands it over: an event for each Kinesis shard."""
    name = ground.settings.aws_stream
    events: list[dict[str, Any]] = []
    for shard in ground.kinesis.list_shards(StreamName=name)["Shards"]:
        asked = {"StreamName": name, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = ground.kinesis.get_shard_iterator(**asked)["ShardIterator"]
        records: list[dict[str, Any]] = []
        while iterator and (page := ground.kinesis.get_records(ShardIterator=iterator, Limit=10_000))["Records"]:
            records += [kinesis_record(shard["ShardId"], one) for one in page["Records"]]
            iterator = page.get("NextShardIterator")
        if records:
            events.append({"Records": records})
    return events


def kinesis_record(shard: str, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as the event source hands it over."""
    return {
        "kinesis": {
            "kinesisSchemaVersion": "1.0",
            "partitionKey": one["PartitionKey"],
            "sequenceNumber": one["SequenceNumber"],
            "data": b64encode(one["Data"]).decode(),
            "approximateArrivalTimestamp": one["ApproximateArrivalTimestamp"].timestamp(),
        },
        "eventSource": "aws:kinesis",
        "eventVersion": "1.0",
        "eventID": f"{shard}:{one['SequenceNumber']}",
        "eventName": "aws:kinesis:record",
        "invokeIdentityArn": "arn:aws:iam::000000000000:role/count",
        "awsRegion": "eu-north-1",
        "eventSourceARN": "arn:aws:kinesis:eu-north-1:000000000000:stream/hits",
    }


def s3_event(bucket: str, *keys: str, name: str = "ObjectCreated:Put") -> dict[str, Any]:
    """Return S3's own notification."""
    return {"Records": [_s3_record(bucket, key, name) for key in keys]}


def _s3_record(bucket: str, key: str, name: str) -> dict[str, Any]:
    return {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "eu-north-1",
        "eventTime": "2026-11-15T14:30:00.000Z",
        "eventName": name,
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}"},
            "object": {"key": quote_plus(key, safe="/"), "size": 1, "eTag": "0", "sequencer": "0"},
        },
    }


def in_sns(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notification as SNS hands it to a function."""
    message = msgspec.json.encode(event).decode()
    sns = {"Type": "Notification", "MessageId": "m", "TopicArn": "arn:t", "Subject": "S3", "Message": message}
    return {"Records": [{"EventSource": "aws:sns", "EventVersion": "1.0", "EventSubscriptionArn": "arn:s", "Sns": sns}]}


def in_sqs(*events: Mapping[str, Any] | str) -> dict[str, Any]:
    """Return messages as SQS hands them to a function, with the ids m0, m1 and so on."""
    bodies = [event if isinstance(event, str) else msgspec.json.encode(event).decode() for event in events]
    return {
        "Records": [
            {"messageId": f"m{number}", "eventSource": "aws:sqs", "body": body} for number, body in enumerate(bodies)
        ]
    }


def checkpoints(ground: AwsGround) -> list[Checkpoint | None]:
    """Return how far each shard is."""
    with closing(wiring.open_store(ground.settings, CLOCK, read_only=True)) as store:
        return [load_checkpoint(store, shard) for shard in range(ground.settings.stream_shards)]


def ledger(ground: AwsGround, brand: str = "abc") -> Lines:
    """Return the lines of a brand, all shards together."""
    lines = Lines()
    for checkpoint in checkpoints(ground):
        if checkpoint is not None:
            lines.add(checkpoint.lines.get(brand, Lines()))
    return lines


def minutes(ground: AwsGround, from_ms: int, to_ms: int, *, brand: str = "abc") -> int:
    """Return how many hits the minutes of a span hold."""
    total = 0
    with closing(wiring.open_store(ground.settings, CLOCK, read_only=True)) as store:
        summaries = Summaries(store, CLOCK)
        window = window_of(from_ms, Grain.MINUTE, "UTC")
        while window.from_ms < to_ms:
            total += sum(int(part.columns.hits.sum()) for part in summaries.live(brand, window))
            window = window_of(window.to_ms, Grain.MINUTE, "UTC")
    return total
