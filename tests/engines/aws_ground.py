"""An empty ground of AWS for tests: a stream, tables and a bucket of their own on the engines, and their settings."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol
from uuid import uuid4

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.dynamodb_setup import create_table
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.app.aws_wiring import ground_of
from footfall.app.settings import NAMES, Settings
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.ports.table import Index
from tests.engines.dynamodb import ACCESS_KEY, REGION, SECRET_KEY, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine, require_active
from tests.engines.seaweedfs import Store, remove

TABLES: Mapping[str, Sequence[Index]] = {
    "aws_store_table": (),
    "aws_accounts_table": (),
    "aws_catalog_table": (),
    "aws_metrics_table": (),
    "aws_audience_table": AUDIENCE_INDEXES,
    "aws_salts_table": (),
}
# One pair that every engine lets in.
VARIABLES = {
    "AWS_ACCESS_KEY_ID": ACCESS_KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(frozen=True, slots=True)
class AwsGround:
    """What was made, as settings, and clients to look at it from outside."""

    settings: Settings
    kinesis: Any
    dynamodb: Any
    s3: Any

    def variables(self, **changes: object) -> Mapping[str, str]:
        """Return the environment of a function on this ground, with some settings changed."""
        chosen: dict[str, object] = {name: getattr(self.settings, name) for name in NAMES if name.startswith("aws_")}
        brands = ",".join(f"{brand.name}:{brand.zone}" for brand in self.settings.brands.values())
        chosen |= {"ground": "aws", "stream_shards": self.settings.stream_shards, "brands": brands, **changes}
        return {**VARIABLES, **{NAMES[name].variable: str(value) for name, value in chosen.items()}}

    def with_settings(self, **changes: Any) -> "AwsGround":
        """Return the same ground with some settings changed."""
        return replace(self, settings=replace(self.settings, **changes))


@cache
def _client(service: str, ground: Ground) -> Any:
    """Return the one client of a service that all grounds share: making one takes longer than using it."""
    return client_of(service, ground)


class NewGround(Protocol):
    """Makes an empty ground."""

    def __call__(self, *, shards: int = 2, kinesis_shards: int = 1) -> AwsGround: ...


@pytest.fixture
def new_ground(
    kinesis: KinesisEngine, dynamodb: DynamoDbEngine, seaweedfs: Store, monkeypatch: pytest.MonkeyPatch
) -> Generator[NewGround]:
    """Make grounds, each with the brands abc and kathmandu; clients of this process are let in as well."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    buckets: list[str] = []

    def make(*, shards: int = 2, kinesis_shards: int = 1) -> AwsGround:
        unnamed = Settings(
            ground="aws",
            stream_shards=shards,
            brands={"abc": Brand("abc"), "kathmandu": Brand("kathmandu", zone="Asia/Kathmandu")},
            aws_region=REGION,
            aws_kinesis_endpoint=kinesis.endpoint,
            aws_dynamodb_endpoint=dynamodb.endpoint,
            aws_s3_endpoint=seaweedfs.endpoint,
            aws_s3_lists="by-folders",
        )
        clients = {
            service: _client(
                service, replace(ground_of(unnamed, service), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
            )
            for service in ("kinesis", "dynamodb")
        }
        named: dict[str, str] = {name: f"t{uuid4().hex}" for name in TABLES}
        for name, table in named.items():
            # The engine removes by the machine's clock what tests expire by their own, so it is told of no expiry.
            said: dict[str, Any] = {"indexes": TABLES[name], "removes_expired": False}
            create_table(clients["dynamodb"], Names(table), pause=time.sleep, **said)
        named["aws_stream"] = f"hits-{uuid4().hex[:12]}"
        clients["kinesis"].create_stream(StreamName=named["aws_stream"], ShardCount=kinesis_shards)
        require_active(clients["kinesis"], named["aws_stream"])
        named["aws_raw_bucket"] = seaweedfs.new_bucket()
        buckets.append(named["aws_raw_bucket"])
        return AwsGround(replace(unnamed, **named), **clients, s3=seaweedfs.shared())

    yield make
    for bucket in buckets:  # Each takes room that the server has little of.
        remove(seaweedfs, bucket)
