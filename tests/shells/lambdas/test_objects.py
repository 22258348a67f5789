"""The function that takes objects of other pipelines, on the real engines; once under Lambda's own runtime client."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from random import Random
from typing import Any, cast

import msgspec
import pytest
import zstandard

from footfall.accounts.brands import Brand
from footfall.app import object_feed, wiring
from footfall.flow.collect import object_hits
from footfall.flow.store import keys
from footfall.ports.errors import Unavailable
from footfall.ports.stream import Appended, Entry, Stream
from footfall.screening.rules import BrandRules
from footfall.shells.lambdas.count import Count
from footfall.shells.lambdas.objects import Objects, ObjectsFailed
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.lambda_runtime import RunHandler
from tests.engines.seaweedfs import Store, remove
from tests.shells.lambdas.events import (
    CLOCK,
    SOURCES,
    Minutes,
    hits_of,
    in_sns,
    in_sqs,
    kinesis_events,
    ledger,
    s3_event,
)

NOTHING_FAILED: dict[str, list[object]] = {"batchItemFailures": []}


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground()


@pytest.fixture
def source(seaweedfs: Store) -> Any:
    """Return the name of a bucket that another pipeline fills."""
    name = seaweedfs.new_bucket()
    yield name
    remove(seaweedfs, name)


@pytest.fixture
def put(ground: AwsGround, source: str) -> Callable[[str, bytes], None]:
    def write(key: str, data: bytes) -> None:
        ground.s3.put_object(Bucket=source, Key=key, Body=data)

    return write


def lines_of(hits: Sequence[Mapping[str, object]]) -> bytes:
    return b"".join(msgspec.json.encode(hit) + b"\n" for hit in hits)


def joined(hits: Sequence[Mapping[str, object]]) -> bytes:
    return b"".join(msgspec.json.encode(hit) for hit in hits)


def count_all(ground: AwsGround) -> None:
    count = Count(ground.settings, CLOCK)
    for event in kinesis_events(ground):
        assert count.answer(event, Minutes()) == NOTHING_FAILED


def test_objects_count_once_however_they_are_written_and_whoever_tells_of_them(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], run_handler: RunHandler
) -> None:
    hits = hits_of(20)
    put("2026/11/15/lines", lines_of(hits))
    put("2026/11/15/joined +ä.gz", gzip.compress(joined(hits)))
    put("zstd", zstandard.compress(msgspec.json.encode(hits)))
    put("brand=abc/pagehits.json", msgspec.json.encode([{"assetId": 1, "hits": 5, "resourceType": "a"}]))
    function = run_handler(SOURCES, "footfall.shells.lambdas.objects.handler", ground.variables(), timeout_s=60)
    lines, gz = s3_event(source, "2026/11/15/lines"), s3_event(source, "2026/11/15/joined +ä.gz")
    zstd, page = s3_event(source, "zstd"), s3_event(source, "brand=abc/pagehits.json")
    sns_envelope = {"Type": "Notification", "Message": msgspec.json.encode(page).decode()}
    for _ in range(2):
        for event in (lines, in_sns(gz), in_sqs(zstd, sns_envelope)):
            assert function.invoke(event) == NOTHING_FAILED
    count_all(ground)
    assert (ledger(ground).counted, ledger(ground).duplicate) == (65, 0)
    assert function.log().count('"an object was taken before"') == 4
    assert "credentials" not in function.log()


def test_objects_count_once_when_deliveries_fail_and_are_repeated_in_any_order(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_hits, "RUN_HITS", 10)
    monkeypatch.setattr(object_feed, "STRETCH_RUNS", 2)
    chance = Random(4)
    names = [f"o{number}" for number in range(3)]
    for number, name in enumerate(names):
        put(name, lines_of(hits_of(60 + number)))
    objects = [Objects(ground.settings, CLOCK) for _ in range(2)]
    for one in objects:
        one._stream = cast("Stream", Unsure(one._stream, chance))
    waiting = names * 2
    for _ in range(200):
        if not waiting:
            break
        chance.shuffle(waiting)
        answer = chance.choice(objects).answer(in_sqs(*(s3_event(source, name) for name in waiting)), Minutes())
        failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
        waiting = [name for number, name in enumerate(waiting) if f"m{number}" in failed]
    assert waiting == []
    count_all(ground)
    assert ledger(ground).counted == 183
    assert ledger(ground).duplicate > 0  # Some were appended, and nobody heard of it.


def test_programs_and_what_an_operator_blocks_are_told_apart_by_what_records_say(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None]
) -> None:
    objects = Objects(ground.settings, CLOCK)
    put("before", lines_of([*hits_of(3), *hits_of(2, agent="curl/8.5.0"), *hits_of(1, agent="AcmeReader (iPhone)")]))
    put("after", lines_of(hits_of(4, agent="AcmeReader (iPhone)")))
    assert objects.answer(s3_event(source, "before"), Minutes()) == NOTHING_FAILED
    with closing(wiring.open_accounts(ground.settings, CLOCK)) as accounts:
        accounts.register.screening.put_rules("abc", BrandRules(agents=("AcmeReader",)))
    assert objects.answer(s3_event(source, "after"), Minutes()) == NOTHING_FAILED
    count_all(ground)
    assert (ledger(ground).counted, ledger(ground).screened) == (4, {"bot-agent": 2, "rule-agent": 4})


class Unsure:
    """A stream that often does not say whether it has stored what it was given."""

    def __init__(self, stream: Stream, chance: Random) -> None:
        self._stream = stream
        self._chance = chance

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        fate = self._chance.random()
        if fate < 0.2:
            raise Unavailable("nothing came of it")
        done = self._stream.append(entries)
        if fate < 0.4:
            raise Unavailable("the answer was lost")
        return done


def test_only_the_message_that_failed_comes_again_and_an_event_of_s3_as_a_whole(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None]
) -> None:
    objects = Objects(ground.settings, CLOCK)
    put("good", lines_of(hits_of(3)))
    put("bad", b"PAR1 and so on")
    messages = in_sqs(s3_event(source, "good"), s3_event(source, "bad"), "not json", {"Event": "s3:TestEvent"})
    assert objects.answer(messages, Minutes()) == {
        "batchItemFailures": [{"itemIdentifier": "m1"}, {"itemIdentifier": "m2"}]
    }
    with pytest.raises(ObjectsFailed, match=r"bad: .*is Parquet"):
        objects.answer(s3_event(source, "bad", "good"), Minutes())
    with pytest.raises(ObjectsFailed, match="time is over"):
        objects.answer(s3_event(source, "later"), Minutes(left_ms=1_000))
    count_all(ground)
    assert (ledger(ground).counted, ledger(ground).duplicate) == (3, 0)


def test_what_is_wrong_in_an_object_is_told_and_kept_and_stops_nothing(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], caplog: pytest.LogCaptureFixture
) -> None:
    put("mixed", lines_of(hits_of(2)) + b"oops\n" + lines_of([{"brand": "nobody", "assetId": 1}]))
    assert Objects(ground.settings, CLOCK).answer(s3_event(source, "mixed"), Minutes()) == NOTHING_FAILED
    (told,) = [record for record in caplog.records if record.getMessage() == "an object was taken"]
    assert vars(told)["fields"]["refused"] == {"body": 1, "brand": 1}
    assert vars(told)["fields"]["first"][0].startswith("hit 3: body is not JSON")
    etag = ground.s3.head_object(Bucket=source, Key="mixed")["ETag"].strip('"')
    with closing(wiring.open_store(ground.settings, CLOCK)) as store:
        item = store.get(keys.fed_object(f"{source}\0mixed\0{etag}"))
    assert item is not None
    assert (item["hits"], item["refused"], item["done"]) == (2, 2, True)


def test_an_object_without_a_known_brand_comes_again_until_its_brand_is_added_and_then_counts_whole(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_hits, "RUN_HITS", 10)
    monkeypatch.setattr(object_feed, "STRETCH_RUNS", 1)
    put("early", lines_of(hits_of(25, brand="later")))
    put("nameless", lines_of([{"assetId": 1}]))
    objects = Objects(ground.settings, CLOCK)
    for _ in range(2):
        with pytest.raises(ObjectsFailed, match=r"'later' is not a brand here; `footfall brands add later`"):
            objects.answer(s3_event(source, "early"), Minutes())
    with pytest.raises(ObjectsFailed, match="brand=abc/"):
        objects.answer(s3_event(source, "nameless"), Minutes())
    with closing(wiring.open_accounts(ground.settings, CLOCK)) as accounts:
        accounts.register.add(Brand("later"), zone_in_use=None)
    for _ in range(2):
        assert objects.answer(s3_event(source, "early"), Minutes()) == NOTHING_FAILED
    count_all(ground)
    assert (ledger(ground, "later").counted, ledger(ground, "later").duplicate) == (25, 0)


def test_a_known_brand_late_in_an_object_is_enough_for_it_to_be_noted_whole(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_hits, "RUN_HITS", 10)
    monkeypatch.setattr(object_feed, "STRETCH_RUNS", 1)
    put("mixed", lines_of([*hits_of(25, brand="nobody"), *hits_of(5), *hits_of(12, brand="nobody")]))
    assert Objects(ground.settings, CLOCK).answer(s3_event(source, "mixed"), Minutes()) == NOTHING_FAILED
    etag = ground.s3.head_object(Bucket=source, Key="mixed")["ETag"].strip('"')
    with closing(wiring.open_store(ground.settings, CLOCK)) as store:
        item = store.get(keys.fed_object(f"{source}\0mixed\0{etag}"))
    assert item is not None
    assert (item["hits"], item["refused"], item["through"], item["done"]) == (5, 37, 5, True)


def test_an_object_that_is_written_anew_counts_anew_and_one_that_is_gone_is_left(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None]
) -> None:
    objects = Objects(ground.settings, CLOCK)
    for count in (1, 2):
        put("same", lines_of(hits_of(count)))
        assert objects.answer(s3_event(source, "same"), Minutes()) == NOTHING_FAILED
    for event in (s3_event(source, "gone"), s3_event(source, "same", name="ObjectRemoved:Delete")):
        assert objects.answer(event, Minutes()) == NOTHING_FAILED
    count_all(ground)
    assert ledger(ground).counted == 3


def test_a_brand_with_keys_is_counted_without_one_and_eventbridge_is_heard_as_well(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None]
) -> None:
    with closing(wiring.open_accounts(ground.settings, CLOCK)) as accounts:
        accounts.register.add(Brand("stored"), zone_in_use=None)
    put("a b", lines_of(hits_of(4, brand="stored")))
    detail = {"bucket": {"name": source}, "object": {"key": "a b", "etag": "0"}}
    event = {"source": "aws.s3", "detail-type": "Object Created", "detail": detail}
    left_behind = in_sqs({"requestContext": {"condition": "RetriesExhausted"}, "requestPayload": event})
    objects = Objects(ground.settings, CLOCK)
    assert objects.answer(event, Minutes()) == NOTHING_FAILED
    assert objects.answer(left_behind, Minutes()) == NOTHING_FAILED
    count_all(ground)
    assert ledger(ground, "stored").counted == 4


def test_a_look_finds_what_nobody_told_of_and_says_where_to_go_on(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None]
) -> None:
    for number in range(3):
        put(f"2026/{number}", lines_of(hits_of(1)))
    objects = Objects(ground.settings, CLOCK)
    objects.answer(s3_event(source, "2026/1"), Minutes())
    look = {"look": {"bucket": source, "prefix": "2026/"}}
    assert objects.answer(look, Minutes(left_ms=1_000)) == {"taken": 0, "failed": [], "after": ""}
    assert objects.answer(look, Minutes()) == {"taken": 3, "failed": []}
    after = {"look": {"bucket": source, "prefix": "2026/", "after": "2026/1"}}
    assert objects.answer(after, Minutes()) == {"taken": 1, "failed": []}
    count_all(ground)
    assert ledger(ground).counted == 3


def test_an_object_that_does_not_end_in_time_goes_on_where_it_stopped(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_hits, "RUN_HITS", 10)
    monkeypatch.setattr(object_feed, "STRETCH_RUNS", 1)
    put("long", lines_of(hits_of(55)))
    objects, context = Objects(ground.settings, CLOCK), Running(stretches=2)
    with pytest.raises(ObjectsFailed, match="2 of 6 runs are taken"):
        objects.answer(s3_event(source, "long"), context)
    assert objects.answer(s3_event(source, "long"), Minutes()) == NOTHING_FAILED
    count_all(ground)
    assert (ledger(ground).counted, ledger(ground).duplicate) == (55, 0)


def test_a_look_that_runs_out_of_time_inside_an_object_goes_on_with_the_rest_of_it(
    ground: AwsGround, source: str, put: Callable[[str, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_hits, "RUN_HITS", 10)
    monkeypatch.setattr(object_feed, "STRETCH_RUNS", 1)
    put("0-bad", b"PAR1 and so on")
    for key, count in (("a", 5), ("b", 35), ("c", 5)):
        put(key, lines_of(hits_of(count)))
    objects = Objects(ground.settings, CLOCK)
    # It is asked before 0-bad, before a, before b, and after each stretch of b but the last.
    answer = objects.answer({"look": {"bucket": source}}, Running(stretches=4))
    assert answer == {"taken": 1, "failed": ["0-bad"], "after": "a"}
    rest = {"look": {"bucket": source, "after": "a"}}
    assert objects.answer(rest, Minutes()) == {"taken": 2, "failed": []}
    count_all(ground)
    assert (ledger(ground).counted, ledger(ground).duplicate) == (45, 0)


class Running:
    """A context whose time is over after some stretches of an object."""

    def __init__(self, *, stretches: int) -> None:
        self._left = stretches + 1  # It is asked once before the first.

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        self._left -= 1
        return 300_000 if self._left > 0 else 1_000
