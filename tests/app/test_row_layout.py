"""`store_layout = rows` as an instance has it: a file beside the store, or the thesis' table on DynamoDB."""

import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.dynamodb_setup import create_table
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.row_layout import ROWS_FILE, open_row_table, open_rows
from footfall.app.settings import Settings
from footfall.flow.store.rows import PARTITION_NAME, SORT_NAME
from tests.app.stage import NOON_MS, Instance
from tests.engines.dynamodb import REGION, VARIABLES, DynamoDbEngine

HOUR_MS = 3_600_000
BRANDS = {"abc": Brand("abc")}


def test_counting_writes_rows_beside_the_store(tmp_path: Path) -> None:
    settings = Settings(brands=BRANDS, dev=True, data_dir=str(tmp_path), store_layout="rows")
    instance = Instance(settings)
    instance.send("132141398", "132141398", "7")
    instance.count()
    instance.clock.set(NOON_MS + HOUR_MS + 60_000)
    instance.count()
    assert (tmp_path / ROWS_FILE).exists()
    found = open_row_table(settings, instance.clock).query("abc#H#2026-11-15T12:00", backwards=True, limit=500)
    assert [one.key.sort for one in found.items] == ["00000002#132141398", "00000001#7"]


def test_packed_is_the_default_and_writes_no_rows(tmp_path: Path) -> None:
    settings = Settings(brands=BRANDS, dev=True, data_dir=str(tmp_path))
    instance = Instance(settings)
    assert open_rows(settings, instance.table, instance.clock) is None
    instance.send("1")
    instance.clock.set(NOON_MS + HOUR_MS + 60_000)
    instance.count()
    assert not (tmp_path / ROWS_FILE).exists()


def test_on_aws_rows_without_a_table_go_nowhere() -> None:
    instance = Instance()
    settings = Settings(ground="aws", store_layout="rows", brands=BRANDS)
    assert open_rows(settings, instance.table, instance.clock) is None


@pytest.fixture
def rows_table(dynamodb: DynamoDbEngine, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, str]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    client = dynamodb.client()
    names = Names(f"t{uuid4().hex}", PARTITION_NAME, SORT_NAME)
    create_table(client, names, pause=time.sleep, removes_expired=False)
    return client, names.table


def _empty_table(client: Any) -> str:
    names = Names(f"t{uuid4().hex}")
    create_table(client, names, pause=time.sleep, removes_expired=False)
    return names.table


def test_the_thesis_own_query_finds_its_rows_on_dynamodb(dynamodb: DynamoDbEngine, rows_table: tuple[Any, str]) -> None:
    client, table = rows_table
    instance = Instance()
    assert isinstance(instance.table, SqliteTable)
    rows = open_rows(
        Settings(
            ground="aws",
            store_layout="rows",
            brands=BRANDS,
            dev=True,
            aws_region=REGION,
            aws_dynamodb_endpoint=dynamodb.endpoint,
            aws_rows_table=table,
            aws_accounts_table=_empty_table(client),
        ),
        instance.table,
        instance.clock,
    )
    assert rows is not None
    instance.send("132141398", "132141398", "7")
    instance.count()
    instance.clock.set(NOON_MS + HOUR_MS + 60_000)
    instance.count()
    while rows.step():
        pass
    answer = client.query(
        TableName=table,
        KeyConditionExpression="hashKey = :h",
        ExpressionAttributeValues={":h": {"S": "abc#H#2026-11-15T12:00"}},
        ScanIndexForward=False,
        Limit=500,
    )
    first, second = answer["Items"]
    assert first["rangeKey"] == {"S": "00000002#132141398"}
    assert second["rangeKey"] == {"S": "00000001#7"}
    assert set(first) == {"hashKey", "rangeKey", "sectionId", "resourceType", "paidType", "expirationTime"}
    assert int(first["expirationTime"]["N"]) > (NOON_MS + HOUR_MS) // 1_000
