"""Settings become adapters of AWS: everything that is opened works on the engines, and what is wrong is named."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.aws.dynamodb_errors import MissingOperation
from footfall.app import aws_wiring, wiring
from footfall.app.audience_opening import open_audience
from footfall.app.settings import ImpossibleSetting, Settings
from footfall.catalog.asset import Asset
from footfall.ports.errors import Unavailable
from footfall.ports.stream import UNNUMBERED, Entry, Record
from footfall.ports.table import Key, Put
from footfall.values.clock import Clock, SetClock
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.store_between import UNKNOWN, StoreBetween

CLOCK = SetClock(1_794_000_000_000)


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground()


def test_what_is_appended_can_be_read_and_went_into_the_shard_that_was_said(ground: AwsGround) -> None:
    with closing(wiring.open_stream_to_write(ground.settings, CLOCK)) as stream:
        (appended,) = stream.append([Entry(1, "abc", 1, b"hit", CLOCK.now_ms())])
    assert appended.sequence == UNNUMBERED
    with closing(wiring.open_stream(ground.settings, CLOCK, read_only=True)) as stream:
        assert stream.shards == 2
        assert stream.read(0, after=0) == []
        assert [record.data for record in stream.read(1, after=0)] == [b"hit"]


def test_the_store_and_the_salts_lie_in_tables_of_their_own(ground: AwsGround) -> None:
    key = Key("one", "two")
    with closing(wiring.open_store(ground.settings, CLOCK)) as store:
        store.put(Put(key, {"n": 1}))
    with closing(wiring.open_store(ground.settings, CLOCK, read_only=True)) as store:
        assert store.get(key) == {"n": 1}
        assert store.expire(100) == 0
    with closing(wiring.open_salt_table(ground.settings, CLOCK)) as table:
        assert table.get(key) is None
        assert wiring.salts(table).of_brand("abc", now_ms=CLOCK.now_ms())


def test_brands_and_assets_that_are_written_are_known_at_once(ground: AwsGround) -> None:
    settings = ground.settings
    with closing(wiring.open_accounts(settings, CLOCK)) as accounts:
        accounts.register.add(Brand("stored", zone="Asia/Kolkata"), zone_in_use=None)
        assert accounts.register.add_public_key("stored").text.startswith("ffpub_")
    lookup = wiring.brand_lookup(settings, CLOCK)
    assert [lookup.zone_of(name) for name in ("stored", "kathmandu", "other")] == [
        "Asia/Kolkata", "Asia/Kathmandu", "UTC",
    ]  # fmt: skip
    assert (lookup.is_known("stored"), lookup.is_known("nobody")) == (True, False)
    wiring.open_catalogue(settings, CLOCK).put("abc", [Asset("1", title="One", section="7", resource_type="article")])
    labels = wiring.present_labels(settings, CLOCK)()
    assert labels is not None
    assert labels.labelled("abc", [("1", "", "", "")]) == [("1", "7", "article", "")]


def test_raw_hits_are_kept_in_the_bucket(ground: AwsGround) -> None:
    archive = aws_wiring.open_archive(ground.settings, CLOCK)
    record = Record(1, "abc", 1, b"hit", CLOCK.now_ms())
    (name,) = archive.keep(0, [record])
    assert list(archive.records("abc", 0, from_ms=0)) == [record]
    assert ground.s3.head_object(Bucket=ground.settings.aws_raw_bucket, Key=name)


@pytest.mark.parametrize(
    ("name", "opened"),
    [
        ("aws_stream", wiring.open_stream),
        ("aws_store_table", wiring.open_store),
        ("aws_accounts_table", wiring.open_accounts),
        ("aws_catalog_table", wiring.open_catalogue),
        ("aws_metrics_table", wiring.open_metrics_table),
        ("aws_audience_table", open_audience),
        ("aws_salts_table", wiring.open_salt_table),
        ("aws_raw_bucket", aws_wiring.open_archive),
    ],
)
def test_what_is_not_named_is_refused_by_the_name_of_its_setting(
    name: str, opened: Callable[[Settings, Clock], object]
) -> None:
    with pytest.raises(ImpossibleSetting, match=f"{name} is empty"):
        opened(Settings(ground="aws", aws_region="eu-north-1"), CLOCK)


def test_a_table_that_is_not_there_is_named(ground: AwsGround) -> None:
    with pytest.raises(Unavailable, match=r"t0.*correct its name and region"):
        wiring.open_store(ground.with_settings(aws_store_table="t0-not-there").settings, CLOCK)


def test_a_store_that_lacks_an_operation_is_refused_at_the_start_and_the_operation_is_named(
    ground: AwsGround, store_between: StoreBetween
) -> None:
    store_between.refuses = lambda operation, asked: UNKNOWN if operation == "TransactWriteItems" else None
    lacking = ground.with_settings(aws_dynamodb_endpoint=store_between.endpoint).settings
    with pytest.raises(MissingOperation, match="does not do TransactWriteItems as DynamoDB does"):
        wiring.open_accounts(lacking, CLOCK)
    wiring.open_store(lacking, CLOCK).close()  # Counting writes one item at a time.


def test_services_are_where_the_settings_say() -> None:
    settings = Settings(
        ground="aws", aws_region="eu-west-1", aws_kinesis_endpoint="http://k", aws_other_endpoint="http://o"
    )
    grounds = [aws_wiring.ground_of(settings, service) for service in ("kinesis", "s3", "cloudformation")]
    assert [(ground.region, ground.endpoint) for ground in grounds] == [
        ("eu-west-1", "http://k"), ("eu-west-1", None), ("eu-west-1", "http://o"),
    ]  # fmt: skip


def test_one_machine_alone_never_imports_the_vendor(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from footfall.app import wiring\n"
        "from footfall.app.settings import Settings\n"
        "from footfall.values.clock import SystemClock\n"
        f"wiring.open_store(Settings(data_dir={str(tmp_path)!r}), SystemClock()).close()\n"
        "sys.exit(any(name.startswith(('boto', 'footfall.adapters.aws')) for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
