"""The ground of many machines: settings become adapters of AWS, or of what stands in for it.

boto3 is imported by whoever opens something here, and by nobody else.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.dynamodb_calls import DynamoDbClient, Patience
from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.dynamodb_setup import require_operations, require_table
from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.adapters.aws.kinesis_places import KeepUnreadable
from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.adapters.aws.s3_blobs import Bucket, S3Blobs
from footfall.adapters.aws.s3_client import S3Client
from footfall.adapters.aws.s3_lists import Lists
from footfall.adapters.aws.s3_source import S3Source
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.app.settings import Settings, require_named
from footfall.flow.stream.archive import Archive
from footfall.ports.table import Index
from footfall.values.clock import Clock

ENDPOINTS = {
    "dynamodb": "aws_dynamodb_endpoint",
    "kinesis": "aws_kinesis_endpoint",
    "s3": "aws_s3_endpoint",
}
OTHER_ENDPOINT = "aws_other_endpoint"
REQUEST_BACKOFF = Backoff(first_ms=50, cap_ms=1_000, attempts_max=4)  # With time-outs some 11 s, of a function's 15.
# A table that does not answer costs some 4 s, one that refuses some 2 s; then there is time left to say so.
REQUEST_PATIENCE = Patience(Backoff(first_ms=50, cap_ms=500, attempts_max=2), throttled_ms=2_000)


def ground_of(settings: Settings, service: str) -> Ground:
    """Return where a service of AWS is: at its own address, or at the endpoint that the settings name."""
    endpoint: str = getattr(settings, ENDPOINTS.get(service, OTHER_ENDPOINT))
    return Ground(region=settings.aws_region or None, endpoint=endpoint or None)


def open_table(  # noqa: PLR0913 - what is opened, and all that its ground has to be able to do
    settings: Settings,
    name: str,
    clock: Clock,
    *,
    read_only: bool = False,
    transactions: bool = False,
    indexes: Sequence[Index] = (),
    key_names: tuple[str, str] = ("pk", "sk"),
) -> DynamoDbTable:
    """Open the table that a setting names; refuse a store that cannot do what we need, with the operation named."""
    ground = ground_of(settings, "dynamodb")
    names = Names(require_named(settings, name), *key_names)
    client = _client_of_table(ground, names, indexes, read_only=read_only, transactions=transactions)
    return DynamoDbTable(
        client,
        names,
        clock=clock,
        chance=_chance(),
        pause=time.sleep,
        indexes=indexes,
        has_transactions=transactions,
    )


def open_table_for_requests(
    settings: Settings,
    name: str,
    clock: Clock,
    *,
    read_only: bool = False,
    transactions: bool = False,
    indexes: Sequence[Index] = (),
) -> DynamoDbTable:
    """Open the table for a function whose callers wait: it gives up soon enough to say so."""
    ground = replace(ground_of(settings, "dynamodb"), connect_timeout_ms=1_000, read_timeout_ms=2_000)
    names = Names(require_named(settings, name), "pk", "sk")
    return DynamoDbTable(
        _client_of_table(ground, names, indexes, read_only=read_only, transactions=transactions),
        names,
        clock=clock,
        chance=_chance(),
        pause=time.sleep,
        indexes=indexes,
        patience=REQUEST_PATIENCE,
        has_transactions=transactions,
    )


def _client_of_table(
    ground: Ground, names: Names, indexes: Sequence[Index], *, read_only: bool, transactions: bool
) -> DynamoDbClient:
    client = client_of("dynamodb", ground)
    if ground.endpoint is not None:
        # AWS's own store has every operation, and asking it would make each cold start longer.
        require_table(client, names, indexes=indexes)
        if not read_only:
            require_operations(client, names, transactions=transactions)
    return client


def open_stream_for_requests(settings: Settings, clock: Clock) -> KinesisStream:
    """Open the stream for a function whose callers wait: it gives up soon enough to say so."""
    ground = replace(ground_of(settings, "kinesis"), connect_timeout_ms=1_000, read_timeout_ms=2_500)
    return KinesisStream(
        client_of("kinesis", ground),
        require_named(settings, "aws_stream"),
        shards=settings.stream_shards,
        clock=clock,
        chance=_chance(),
        backoff=REQUEST_BACKOFF,
    )


def open_stream(
    settings: Settings, clock: Clock, *, read_only: bool = False, keep_unreadable: KeepUnreadable | None = None
) -> KinesisStream:
    """Open the stream; whoever writes checkpoints says how a record that nobody can read is kept."""
    return KinesisStream(
        client_of("kinesis", ground_of(settings, "kinesis")),
        require_named(settings, "aws_stream"),
        shards=settings.stream_shards,
        clock=clock,
        chance=_chance(),
        read_only=read_only,
        keep_unreadable=keep_unreadable,
    )


def s3_client(settings: Settings) -> S3Client:
    """Return a client of S3."""
    ground = ground_of(settings, "s3")
    # What stands in for S3 on another address has no name of its own for each bucket. AWS's own has: addresses that are
    # handed out name the bucket and its region, and are signed as every region takes it.
    style = "path" if ground.endpoint is not None else "virtual"
    return client_of("s3", ground, config={"s3": {"addressing_style": style}, "signature_version": "s3v4"})


def open_source(settings: Settings) -> S3Source:
    """Open the buckets of others."""
    return S3Source(s3_client(settings), chance=_chance(), pause=time.sleep)


def open_blobs(settings: Settings, bucket: str) -> S3Blobs:
    """Open a bucket of our own."""
    return S3Blobs(
        s3_client(settings),
        Bucket(bucket, Lists(settings.aws_s3_lists)),
        chance=_chance(),
        pause=time.sleep,
        new_writer=lambda: secrets.token_hex(16),
    )


def open_archive(settings: Settings, clock: Clock) -> Archive:
    """Open the archive of raw hits."""
    del clock
    return Archive(open_blobs(settings, require_named(settings, "aws_raw_bucket")))


def _chance() -> Random:
    # Seeded by the system: processes that waited together would meet again, and senders' names must differ.
    return Random(secrets.token_bytes(16))  # noqa: S311 - how long to wait, and names that keep no secret
