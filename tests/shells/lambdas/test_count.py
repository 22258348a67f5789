"""The function that counts, on the real engines; once as a process under Lambda's own runtime client."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from footfall.adapters.aws.kinesis_records import data_from_entries
from footfall.adapters.aws.kinesis_shards import hash_key_of
from footfall.app.event_counting import hottest_percent, ids_max_within
from footfall.app.maintaining import open_maintenance
from footfall.flow.store.checkpoints import Lines
from footfall.flow.stream.seen_ids import IDS_MAX
from footfall.ports.stream import Entry
from footfall.shells.lambdas.count import Count
from footfall.values.clock import SetClock
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.kinesis import require_active
from tests.engines.lambda_runtime import RunHandler
from tests.engines.store_between import DENIED, Refusal, StoreBetween
from tests.shells.lambdas.events import (
    CLOCK,
    SOURCES,
    Minutes,
    append,
    checkpoints,
    entries_of,
    hits_of,
    kinesis_events,
    ledger,
    metrics,
    minutes,
)

NOTHING_FAILED: dict[str, list[object]] = {"batchItemFailures": []}
HANDLER = "footfall.shells.lambdas.count.handler"
Event = dict[str, Any]


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground()


@pytest.fixture
def count(ground: AwsGround) -> Count:
    return Count(ground.settings, CLOCK)


def counted(ground: AwsGround) -> tuple[int, int]:
    """Return what the ledger says and what the minutes hold."""
    now_ms = CLOCK.now_ms()
    return ledger(ground).counted, minutes(ground, now_ms - 180_000, now_ms + 60_000)


def of_shard(event: Event, shard: int) -> list[int]:
    key = f"footfall-{shard:03d}"
    records = [record["kinesis"] for record in event["Records"]]
    return [int(record["sequenceNumber"]) for record in records if record["partitionKey"] == key]


def test_an_event_is_counted_once_by_functions_that_sleep_and_wake_and_start_anew(
    ground: AwsGround, run_handler: RunHandler
) -> None:
    function = run_handler(SOURCES, HANDLER, ground.variables())
    append(ground, entries_of(ground, hits_of(50)))
    append(ground, entries_of(ground, hits_of(50)))
    (event,) = kinesis_events(ground)
    half = {"Records": event["Records"][: len(event["Records"]) // 2]}
    for delivered in (half, event, half, event):
        assert function.invoke(delivered) == NOTHING_FAILED
    assert ledger(ground) == Lines(counted=100, last_hit_ms=ledger(ground).last_hit_ms)
    # Another has never seen any of it, and finds the place in the store; the first was asleep meanwhile.
    other = Count(ground.settings, CLOCK)
    for asked in (other.answer, None, other.answer, None):
        append(ground, entries_of(ground, hits_of(10)))
        (event,) = kinesis_events(ground)
        latest = {"Records": event["Records"][-2:]}
        assert (function.invoke(latest) if asked is None else asked(latest, Minutes())) == NOTHING_FAILED
    assert counted(ground) == (140, 140)
    assert function.starts == 1
    assert "credentials" not in function.log()
    told = metrics(function.log())
    assert 0 < max(line["HottestShardPercent"] for line in told["HottestShardPercent"]) < 70
    assert {line["stack"] for line in told["WrittenUnits"]} == {"footfall"}
    assert sum(line["WrittenUnits"] for line in told["WrittenUnits"]) >= 6


def test_raw_hits_are_in_the_archive_and_every_shard_has_its_place(ground: AwsGround, count: Count) -> None:
    append(ground, entries_of(ground, hits_of(20)))
    (event,) = kinesis_events(ground)
    count.answer(event, Minutes())
    found = ground.s3.list_objects_v2(Bucket=ground.settings.aws_raw_bucket, Prefix="raw/abc/")["Contents"]
    assert len(found) == 2
    assert [checkpoint is not None and checkpoint.place != b"" for checkpoint in checkpoints(ground)] == [True, True]


def test_what_came_twice_under_one_key_counts_once_and_the_rest_is_told_as_duplicate(
    ground: AwsGround, count: Count
) -> None:
    keyed = entries_of(ground, hits_of(10), key="same")
    append(ground, keyed)
    append(ground, keyed)
    (event,) = kinesis_events(ground)
    assert count.answer(event, Minutes()) == NOTHING_FAILED
    assert (ledger(ground).counted, ledger(ground).duplicate) == (10, 10)


def test_poison_is_set_aside_and_strangers_are_counted_and_left(
    ground: AwsGround, count: Count, capsys: pytest.CaptureFixture[str]
) -> None:
    now_ms = CLOCK.now_ms()
    append(ground, [Entry(0, "abc", 3, b"not a pack", now_ms), Entry(1, "abc", 1, b"", now_ms)])
    name = ground.settings.aws_stream
    ours = {"PartitionKey": "footfall-001", "ExplicitHashKey": str(hash_key_of(1, shards=2))}
    ground.kinesis.put_record(StreamName=name, Data=b"somebody else's", PartitionKey="other")
    ground.kinesis.put_record(StreamName=name, Data=b"under our name", **ours)
    append(ground, entries_of(ground, hits_of(20)))
    (event,) = kinesis_events(ground)
    assert count.answer(event, Minutes()) == NOTHING_FAILED
    assert (ledger(ground).counted, ledger(ground).dead) == (20, 4)
    (told,) = metrics(capsys.readouterr().out)["DeadLetters"]
    assert (told["DeadLetters"], told["Strangers"]) == (4, 2)
    strangers = {"Records": [one for one in event["Records"] if one["kinesis"]["partitionKey"] == "other"]}
    assert count.answer(strangers, Minutes()) == NOTHING_FAILED


def test_a_damaged_record_is_kept_as_it_is_before_anything_passes_it(
    ground: AwsGround, count: Count, caplog: pytest.LogCaptureFixture
) -> None:
    entry = Entry(0, "abc", 1, b"hit", CLOCK.now_ms())
    whole = data_from_entries([entry], shards=2, producer=b"producer", number=1)
    damaged = whole[:20] + bytes([whole[20] ^ 1]) + whole[21:]
    ours = {"PartitionKey": "footfall-000", "ExplicitHashKey": str(hash_key_of(0, shards=2))}
    put = ground.kinesis.put_record(StreamName=ground.settings.aws_stream, Data=damaged, **ours)
    number, bucket = put["SequenceNumber"], ground.settings.aws_raw_bucket
    (event,) = kinesis_events(ground)
    lost = Count(ground.with_settings(aws_raw_bucket="not-there").settings, CLOCK)
    assert lost.answer(event, Minutes()) == {"batchItemFailures": [{"itemIdentifier": number}]}
    assert count.answer(event, Minutes()) == NOTHING_FAILED
    name = f"raw/@unreadable/{put['ShardId']}/{number}"
    assert ground.s3.get_object(Bucket=bucket, Key=name)["Body"].read() == damaged
    (told,) = [record for record in caplog.records if "cannot be read" in record.getMessage()]
    assert vars(told)["fields"] == {"kinesis_shard": put["ShardId"], "sequence": number, "kept": name}
    # Maintenance passes over it as well, where no event has come.
    ground.s3.delete_object(Bucket=bucket, Key=name)
    maintenance = open_maintenance(ground.settings, SetClock(CLOCK.now_ms() + 300_000))
    assert maintenance.run(lambda: False).failures == []
    assert ground.s3.get_object(Bucket=bucket, Key=name)["Body"].read() == damaged


def test_ids_take_a_quarter_of_the_functions_memory_at_most_all_shards_together() -> None:
    assert ids_max_within(None, shards=256) == IDS_MAX
    assert ids_max_within(10_240, shards=1) == IDS_MAX
    assert ids_max_within(1_024, shards=64) * 64 * 16 == 256 * 1_048_576
    assert ids_max_within(512, shards=256) * 256 * 16 <= 128 * 1_048_576


def failing(*where: str) -> Callable[[str, Event], Refusal | None]:
    def refuses(operation: str, asked: Event) -> Refusal | None:
        text = json.dumps(asked)
        return DENIED if operation in ("PutItem", "BatchWriteItem") and all(one in text for one in where) else None

    return refuses


@pytest.mark.parametrize("where", ['"@shards"', '"@journal#s01"', '"abc#M#', '"@pending#s01"'])
def test_a_store_that_fails_gets_the_event_again_from_the_first_record_that_is_not_counted(
    ground: AwsGround, store_between: StoreBetween, where: str
) -> None:
    append(ground, entries_of(ground, hits_of(40)))
    (event,) = kinesis_events(ground)
    count = Count(ground.with_settings(aws_dynamodb_endpoint=store_between.endpoint).settings, CLOCK)
    store_between.refuses = failing(where, "s01")
    second = of_shard(event, 1)
    assert count.answer(event, Minutes()) == {"batchItemFailures": [{"itemIdentifier": str(min(second))}]}
    assert [checkpoint is not None for checkpoint in checkpoints(ground)] == [True, False]
    store_between.refuses = lambda operation, asked: None
    again = [record for record in event["Records"] if int(record["kinesis"]["sequenceNumber"]) >= min(second)]
    assert count.answer({"Records": again}, Minutes()) == NOTHING_FAILED
    assert counted(ground) == (40, 40)


def test_a_store_that_is_away_when_the_function_starts_gets_all_of_the_event_again(
    ground: AwsGround, run_handler: RunHandler, store_between: StoreBetween
) -> None:
    append(ground, entries_of(ground, hits_of(5)))
    (event,) = kinesis_events(ground)
    between = ground.with_settings(aws_dynamodb_endpoint=store_between.endpoint)
    function = run_handler(SOURCES, HANDLER, between.variables())
    store_between.refuses = lambda operation, asked: DENIED
    first = event["Records"][0]["kinesis"]["sequenceNumber"]
    assert function.invoke(event) == {"batchItemFailures": [{"itemIdentifier": first}]}
    store_between.refuses = lambda operation, asked: None
    assert function.invoke(event) == NOTHING_FAILED
    assert (counted(ground), function.starts) == ((5, 5), 1)


def test_an_archive_that_fails_lets_no_checkpoint_pass(ground: AwsGround, count: Count) -> None:
    append(ground, entries_of(ground, hits_of(5)))
    (event,) = kinesis_events(ground)
    lost = Count(ground.with_settings(aws_raw_bucket="not-there").settings, CLOCK)
    first = event["Records"][0]["kinesis"]["sequenceNumber"]
    assert lost.answer(event, Minutes()) == {"batchItemFailures": [{"itemIdentifier": first}]}
    assert checkpoints(ground) == [None, None]
    assert lost.answer(event, Minutes())["batchItemFailures"]
    assert count.answer(event, Minutes()) == NOTHING_FAILED
    assert counted(ground) == (5, 5)


def test_without_time_left_nothing_is_built_and_everything_is_counted(ground: AwsGround, count: Count) -> None:
    append(ground, entries_of(ground, hits_of(5)))
    (event,) = kinesis_events(ground)
    assert count.answer(event, Minutes(left_ms=1_000)) == NOTHING_FAILED
    assert counted(ground) == (5, 5)
    assert [checkpoint and checkpoint.number for checkpoint in checkpoints(ground)] == [1, 1]


def test_how_full_a_shard_is_follows_from_its_bytes_its_records_and_the_time_that_counting_takes() -> None:
    from footfall.adapters.aws.kinesis_places import RawRecord

    def raws(count: int, size: int, span_ms: int) -> list[RawRecord]:
        return [RawRecord("s", n, "footfall-000", b"x" * (size - 12), n * span_ms // (count - 1)) for n in range(count)]

    def percent(count: int, size: int, span_ms: int, took_ms: int = 0) -> float:
        return hottest_percent(raws(count, size, span_ms), freshness_s=60, took_ms=took_ms)

    assert percent(5, 1_048_576, 10_000) == 50  # A full event that came in ten seconds.
    assert percent(10_000, 100, 20_000) == 50
    assert percent(100, 100, 10_000, took_ms=30_000) == 50  # It waited for a minute, and took half of one.
    assert percent(7_000, 200, 7_000) == 100  # Lambda closes an event of single hits at 6 MB of JSON.
    assert percent(2, 100, 0) == 0
    assert hottest_percent([], freshness_s=60, took_ms=5) == 0


def test_what_follows_a_split_waits_until_all_before_it_is_counted(ground: AwsGround, count: Count) -> None:
    append(ground, entries_of(ground, hits_of(40)))
    name = ground.settings.aws_stream
    (old,) = ground.kinesis.list_shards(StreamName=name)["Shards"]
    ground.kinesis.split_shard(StreamName=name, ShardToSplit=old["ShardId"], NewStartingHashKey=str(2**127))
    require_active(ground.kinesis, name)
    append(ground, entries_of(ground, hits_of(40)))
    parent, *children = kinesis_events(ground)
    assert len(children) == 2
    for event in children:
        first = event["Records"][0]["kinesis"]["sequenceNumber"]
        assert count.answer(event, Minutes()) == {"batchItemFailures": [{"itemIdentifier": first}]}
    assert ledger(ground).counted == 0
    for event in (parent, *children):
        assert count.answer(event, Minutes()) == NOTHING_FAILED
    assert counted(ground) == (80, 80)
