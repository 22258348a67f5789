"""`footfall autoscale` on a provisioned table with indexes, and on the figures that CloudWatch has of it."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from footfall.adapters.aws.account_calls import NotThere
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.adapters.aws.table_capacity import TableCapacity
from footfall.app.autoscaling import Look, keep_looking
from footfall.ports.errors import Unavailable
from tests.engines.dynamodb import ACCESS_KEY, REGION, SECRET_KEY, DynamoDbEngine
from tests.engines.seaweedfs import ACCESS_KEY as OTHER_KEY
from tests.engines.seaweedfs import SECRET, Store

NOW_MS = int(datetime(2026, 11, 17, 12, 0, 30, tzinfo=UTC).timestamp() * 1_000)
NOON_S = NOW_MS // 1_000 - 30
KEYS: dict[str, Any] = {
    "AttributeDefinitions": [
        {"AttributeName": "p", "AttributeType": "S"},
        {"AttributeName": "i", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
}


def throughput(reads: int, writes: int) -> dict[str, int]:
    return {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}


def made(client: Any) -> str:
    """Make a provisioned table with an index, and return its name."""
    name = f"t{uuid4().hex}"
    index = {"IndexName": "by-i", "KeySchema": [{"AttributeName": "i", "KeyType": "HASH"}]}
    index |= {"Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": throughput(10, 100)}
    client.create_table(
        TableName=name, ProvisionedThroughput=throughput(20, 100), GlobalSecondaryIndexes=[index], **KEYS
    )
    return name


class Scene:
    """A table, what CloudWatch knows of it, and a shell."""

    def __init__(self, engine: Store, shell: Any) -> None:
        ground = Ground(region=REGION, endpoint=engine.endpoint, access_key=OTHER_KEY, secret_key=SECRET)
        self.tables, self.watch = client_of("dynamodb", ground), client_of("cloudwatch", ground)
        self.shell, self.endpoint, self.name = shell, engine.endpoint, made(self.tables)
        shell.clock.set(NOW_MS)

    def used(self, metric: str, *sums: float, index: str = "") -> None:
        """Let the last minutes have used so many units in all."""
        dimensions = [{"Name": "TableName", "Value": self.name}]
        dimensions += [{"Name": "GlobalSecondaryIndexName", "Value": index}] if index else []
        told = [
            {"MetricName": metric, "Dimensions": dimensions, "Value": one, "Unit": "Count",
             "Timestamp": datetime.fromtimestamp(NOON_S - 60 * (len(sums) - number), UTC)}
            for number, one in enumerate(sums)
        ]  # fmt: skip
        self.watch.put_metric_data(Namespace="AWS/DynamoDB", MetricData=told)

    def run(self, *words: str) -> str:
        where = ("--endpoint", self.endpoint, "--region", REGION, "--once")
        assert self.shell.run("autoscale", self.name, *where, *words) == 0, self.shell.complained()
        return self.shell.printed()

    def writes(self) -> tuple[int, int]:
        """Return the write capacity of the table and of its index."""
        told = self.tables.describe_table(TableName=self.name)["Table"]
        index = told["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
        return told["ProvisionedThroughput"]["WriteCapacityUnits"], index["WriteCapacityUnits"]


@pytest.fixture
def scene(ministack: Store, shell: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", OTHER_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    return Scene(ministack, shell)


def test_a_busy_table_is_told_and_left_alone_until_it_may_be_changed(scene: Scene) -> None:
    scene.used("ConsumedWriteCapacityUnits", 60 * 30, 60 * 90)
    scene.used("ConsumedWriteCapacityUnits", 60 * 10, index="by-i")
    told = scene.run("--writes", "50:1000")
    assert f"{scene.name} writes: 100 to 120 (90% is in use)" in told
    assert f"{scene.name}/by-i writes: stays at 100 (10% is in use)" in told
    assert "nothing was changed: --apply does it." in told
    assert scene.writes() == (100, 100)
    assert "DynamoDB was asked for it" in scene.run("--writes", "50:1000", "--apply")
    assert scene.writes() == (120, 100)


def test_an_index_that_refuses_is_doubled_and_its_table_stays(scene: Scene) -> None:
    scene.used("ConsumedWriteCapacityUnits", 60 * 100, index="by-i")
    scene.used("WriteProvisionedThroughputThrottleEvents", 7, index="by-i")
    scene.used("ConsumedWriteCapacityUnits", 60 * 10)
    told = json.loads(scene.run("--writes", "50:1000", "--apply", "--json"))
    assert (told["table"], told["wasApplied"], told["isOnDemand"]) == (scene.name, True, False)
    assert [(one["index"], one["before"], one["after"]) for one in told["capacities"]] == [
        ("", 100, 100),
        ("by-i", 100, 200),
    ]
    assert scene.writes() == (100, 200)


def test_at_its_time_a_table_is_lowered_to_what_the_hour_needed(scene: Scene) -> None:
    scene.used("ConsumedWriteCapacityUnits", 60 * 20, 60 * 4)
    scene.used("ConsumedWriteCapacityUnits", 60 * 4, index="by-i")
    assert "stays at 100" in scene.run("--writes", "5:1000", "--apply")
    assert "100 to 30" in scene.run("--writes", "5:1000", "--apply", "--drop-at", "13:00", "--zone", "Europe/Berlin")
    assert scene.writes() == (30, 6)


def test_a_hot_key_is_told_and_buys_nothing(scene: Scene) -> None:
    scene.used("ConsumedWriteCapacityUnits", 60 * 40)
    scene.used("WriteKeyRangeThroughputThrottleEvents", 50)
    told = scene.run("--writes", "50:1000", "--apply")
    assert "stays at 100 (50 calls were refused for one range of keys" in told
    assert scene.writes() == (100, 100)


def test_what_was_busy_an_hour_ago_is_idle_now(scene: Scene) -> None:
    scene.used("ConsumedWriteCapacityUnits", 60 * 95)
    scene.shell.clock.set(NOW_MS + 20 * 60_000)
    assert "stays at 100 (0% is in use)" in scene.run("--writes", "50:1000")


def test_a_table_that_nobody_used_for_an_hour_is_lowered_at_its_time(scene: Scene) -> None:
    assert "100 to 50" in scene.run("--writes", "50:1000", "--apply", "--drop-at", "12:00")
    assert scene.writes() == (50, 50)


def test_what_fails_once_is_told_and_looked_at_again() -> None:
    calls: list[int] = []

    def look_once() -> Look:
        calls.append(1)
        if len(calls) == 1:
            raise Unavailable("dynamodb:DescribeTable got no answer")
        if len(calls) == 3:
            raise NotThere("dynamodb:DescribeTable: no such table")
        return Look(NOW_MS, "ACTIVE", [], is_on_demand=True, was_applied=False)

    told: list[Look] = []
    complaints: list[str] = []
    with pytest.raises(NotThere):
        keep_looking(look_once, told.append, complaints.append, lambda: None)
    assert (len(told), complaints) == (
        1,
        ["dynamodb:DescribeTable got no answer; the next look may find it otherwise."],
    )


def test_a_table_that_is_billed_by_use_has_nothing_to_set(scene: Scene) -> None:
    name = f"t{uuid4().hex}"
    attributes = KEYS["AttributeDefinitions"][:1]
    scene.tables.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=attributes, KeySchema=KEYS["KeySchema"]
    )
    scene.name = name
    assert "is billed by use: there is no capacity to set." in scene.run("--writes", "5:1000", "--apply")


def test_what_dynamodb_local_says_of_a_table_is_read_and_changed_alike(dynamodb: DynamoDbEngine) -> None:
    name = made(dynamodb.shared())
    ground = Ground(region=REGION, endpoint=dynamodb.endpoint, access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    table, index = TableCapacity(name, ground).provisioned()
    assert (table.index, table.units, table.status) == ("", {"reads": 20, "writes": 100}, "ACTIVE")
    assert (index.index, index.units, index.is_on_demand) == ("by-i", {"reads": 10, "writes": 100}, False)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Nothing may be moved"),
        (("--writes", "100"), "is not LOW:HIGH"),
        (("--writes", "9:3"), "is no range"),
        (("--writes", "0:3"), "--writes"),
        (("--writes", "1:3", "--drop-at", "24:00"), "is not a time of day"),
        (("--writes", "1:3", "--raise-at", "often"), "is not a number"),
        (("--writes", "1:3", "--raise-by", "3"), "is not a factor"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(
    shell: Any, words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run("autoscale", "t", "--once", *words) == 2
    assert says in shell.complained() + capsys.readouterr().err


def test_a_table_that_is_not_there_is_told(scene: Scene) -> None:
    where = ("--endpoint", scene.endpoint, "--region", REGION, "--once", "--writes", "1:3")
    assert scene.shell.run("autoscale", "nowhere", *where) == 1
    assert "dynamodb:DescribeTable" in scene.shell.complained()
