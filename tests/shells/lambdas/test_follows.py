"""The function that tells the stream of follows, with real records of DynamoDB's streams, and what is counted of it."""

import base64
import json
import re
from collections import Counter
from contextlib import closing
from typing import Any

import pytest

from footfall.app import aws_wiring, wiring
from footfall.app.audience_history import events_from, tell
from footfall.app.audience_opening import open_audience
from footfall.audience import blocking
from footfall.audience.publishing import Publication, publish
from footfall.audience.things import Thing
from footfall.ports.errors import Unavailable
from footfall.ports.stream import Appended, Entry, Stream
from footfall.shells.lambdas import follows as function_of_follows
from footfall.shells.lambdas.count import Count
from footfall.shells.lambdas.follows import Follows, Relayed
from footfall.values.groups import follows_name, unfollows_name
from tests.audience.followed_windows import Followed, by_window, followed, in_all
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.dynamodb_streams import TableStream
from tests.engines.lambda_runtime import RunHandler
from tests.shells.lambdas.events import CLOCK, SOURCES, Minutes, kinesis_events, ledger, metrics

NOTHING_FAILED: dict[str, list[object]] = {"batchItemFailures": []}
HANDLER = "footfall.shells.lambdas.follows.handler"
MEMBERS = [Thing("member", f"{number}") for number in range(5)]
DARK, SEVEN = Thing("series", "dark"), Thing("author", "a#7")
DARKS, SEVENS = followed(MEMBERS[0], DARK), followed(MEMBERS[0], SEVEN)


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground()


@pytest.fixture
def stream(ground: AwsGround) -> TableStream:
    return TableStream(ground.dynamodb, ground.settings.aws_audience_table)


def act(ground: AwsGround) -> None:
    """Let members follow, leave, be blocked, ask, and do what is no follow at all."""
    opened = open_audience(ground.settings, CLOCK)
    try:
        graph = opened.audience.follows
        for member in MEMBERS:
            assert graph.follow("abc", member, DARK).is_new
        assert not graph.follow("abc", MEMBERS[0], DARK).is_new
        assert graph.follow("kathmandu", MEMBERS[0], SEVEN).is_new
        assert graph.unfollow("abc", MEMBERS[1], DARK)
        assert graph.follow("abc", MEMBERS[1], DARK).is_new
        assert blocking.block(graph, "abc", DARK, MEMBERS[2])
        blocking.set_private(graph, "abc", SEVEN, is_private=True)
        graph.follow("abc", MEMBERS[3], SEVEN)
        graph.follow("abc", MEMBERS[4], SEVEN)
        assert graph.approve("abc", SEVEN, MEMBERS[3]).is_new
    finally:
        opened.close()


def count_all(ground: AwsGround) -> None:
    count = Count(ground.settings, CLOCK)
    for event in kinesis_events(ground):
        assert count.answer(event, Minutes()) == NOTHING_FAILED


def counted(ground: AwsGround, name: str, *, zone: str = "UTC") -> Counter[Followed]:
    now_ms = CLOCK.now_ms()
    with closing(wiring.open_store(ground.settings, CLOCK, read_only=True)) as store:
        return in_all(by_window(store, CLOCK, name, from_ms=now_ms - 300_000, to_ms=now_ms + 60_000, zone=zone))


def require_counted(ground: AwsGround, *, duplicates: bool) -> None:
    assert counted(ground, follows_name("abc")) == {DARKS: 6, SEVENS: 1}
    assert counted(ground, unfollows_name("abc")) == {DARKS: 2}
    assert counted(ground, follows_name("kathmandu"), zone="Asia/Kathmandu") == {SEVENS: 1}
    for name, total in ((follows_name("abc"), 7), (unfollows_name("abc"), 2), (follows_name("kathmandu"), 1)):
        lines = ledger(ground, name)
        assert (lines.counted, lines.late, lines.future, lines.dead) == (total, 0, 0, 0)
        assert bool(lines.duplicate) == duplicates


def test_follows_that_came_and_went_are_counted_in_windows_of_their_own(
    ground: AwsGround, stream: TableStream, run_handler: RunHandler
) -> None:
    function = run_handler(SOURCES, HANDLER, ground.variables())
    act(ground)
    assert function.invoke(json.loads(json.dumps(stream.event(), default=_base64))) == NOTHING_FAILED
    count_all(ground)
    require_counted(ground, duplicates=False)
    assert [line["FollowChanges"] for line in metrics(function.log())["FollowChanges"]] == [10]


def test_an_event_that_comes_again_in_whole_or_in_part_counts_once(ground: AwsGround, stream: TableStream) -> None:
    act(ground)
    event, half = stream.event(), {"Records": stream.event()["Records"][:9]}
    told = opened(ground)
    for delivered in (half, event, half, event):
        told.append(delivered)
    count_all(ground)
    require_counted(ground, duplicates=True)


def test_the_source_hands_over_every_follow_and_of_the_rest_only_requests_and_blocks(
    ground: AwsGround, stream: TableStream
) -> None:
    act(ground)
    opened_audience = open_audience(ground.settings, CLOCK)
    try:
        audience = opened_audience.audience
        now_ms = CLOCK.now_ms()
        publish(audience.table, "abc", Publication(DARK, "s1e1", now_ms), now_ms=now_ms)
        for sequence in range(3):
            position = {"positionMs": 600_000 + sequence, "durationMs": 3_600_000, "sequence": sequence}
            watched = {"member": "0", "asset": "s1e1", "series": "dark", **position}
            tell(audience, "abc", events_from(watched, now_ms=now_ms))
    finally:
        opened_audience.close()
    whole = stream.event()["Records"]
    passed = [record for record in whole if any(is_let_in(pattern, record) for pattern in patterns())]
    follows = [record for record in whole if is_follow(record)]
    assert len(follows) == 10
    assert [record for record in passed if is_follow(record)] == follows
    parts = Counter(record["dynamodb"]["Keys"]["pk"]["S"].split("#")[1] for record in passed if not is_follow(record))
    assert parts == {"q": 3, "x": 1}  # of more than twenty that are no follows
    assert len(whole) - len(follows) > 20


class Refusing:
    """A stream that stores what it is given and then says that it did not, as a time-out does."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.shards = stream.shards

    def append(self, entries: list[Entry]) -> list[Appended]:
        self._stream.append(entries)
        raise Unavailable("the answer did not come")


def test_an_event_that_kinesis_does_not_answer_for_is_delivered_again_from_its_beginning(
    ground: AwsGround, stream: TableStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(ground)
    event = stream.event()
    kinesis = aws_wiring.open_stream(ground.settings, CLOCK)
    refusing = Follows(ground.settings, CLOCK, Refusing(kinesis))  # pyright: ignore[reportArgumentType] - it appends
    monkeypatch.setattr(function_of_follows, "_state", [refusing])
    first = event["Records"][0]["dynamodb"]["SequenceNumber"]
    assert function_of_follows.handler(event, None) == {"batchItemFailures": [{"itemIdentifier": first}]}
    monkeypatch.setattr(function_of_follows, "_state", [Follows(ground.settings, CLOCK, kinesis)])
    assert function_of_follows.handler(event, None) == NOTHING_FAILED
    count_all(ground)
    require_counted(ground, duplicates=True)


def test_a_record_that_cannot_be_read_is_passed_over_and_told_without_a_name_and_the_others_are_counted(
    ground: AwsGround, stream: TableStream, run_handler: RunHandler
) -> None:
    function = run_handler(SOURCES, HANDLER, ground.variables())
    act(ground)
    event = json.loads(json.dumps(stream.event(), default=_base64))
    came = next(one for one in event["Records"] if one["eventName"] == "INSERT")
    broken = [json.loads(json.dumps(came)) for _ in range(3)]
    broken[0]["dynamodb"]["NewImage"]["at_us"] = {"N": "jane"}
    del broken[1]["dynamodb"]["Keys"]
    broken[2]["dynamodb"]["ApproximateCreationDateTime"] = None
    event["Records"][1:1] = broken
    assert function.invoke(event) == NOTHING_FAILED
    count_all(ground)
    require_counted(ground, duplicates=False)
    told = metrics(function.log())
    assert [line["FollowChanges"] for line in told["FollowChanges"]] == [10]
    assert [line["UnreadableFollows"] for line in told["UnreadableFollows"]] == [3]
    assert function.log().count("a change cannot be read and is passed over") == 3
    assert "jane" not in function.log()


def test_an_event_without_follows_appends_nothing(ground: AwsGround, stream: TableStream) -> None:
    opened_audience = open_audience(ground.settings, CLOCK)
    try:
        blocking.set_private(opened_audience.audience.follows, "abc", DARK, is_private=True)
    finally:
        opened_audience.close()
    event = stream.event()
    assert event["Records"]
    assert opened(ground).append(event) == Relayed(0, 0)
    assert kinesis_events(ground) == []


def patterns() -> list[Any]:
    """Return what the template has the event source look for."""
    text = (SOURCES / "footfall/app/aws_template.yaml").read_text(encoding="utf-8")
    return [json.loads(line) for line in re.findall(r"- Pattern: '(.*)'", text)]


def is_let_in(pattern: Any, record: Any) -> bool:
    """Tell whether Lambda lets a record pass, by the one rule that the patterns have: what is at the end of a path."""
    if isinstance(pattern, list):
        ((word, is_wanted),) = pattern[0].items()
        assert (word, len(pattern)) == ("exists", 1)
        return (record is not None) == is_wanted
    return all(is_let_in(inner, (record or {}).get(name)) for name, inner in pattern.items())


def is_follow(record: Any) -> bool:
    is_told = record["eventName"] in ("INSERT", "REMOVE")
    return is_told and record["dynamodb"]["Keys"]["pk"]["S"].split("#")[1] == "f"


def opened(ground: AwsGround) -> Follows:
    return Follows(ground.settings, CLOCK, aws_wiring.open_stream(ground.settings, CLOCK))


def _base64(value: object) -> Any:
    assert isinstance(value, bytes)
    return base64.b64encode(value).decode()
