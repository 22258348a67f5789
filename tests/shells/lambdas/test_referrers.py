"""Where readers came from, on the real engines: counted by the function that judges, told by the one that serves."""

import json
from collections import Counter
from contextlib import closing

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.kept_blobs import open_blobs
from footfall.flow.stream.records import RULES, VERSION, Pack
from footfall.ports.blobs import everything
from footfall.shells.lambdas.count import Count
from footfall.values.source import source_of
from tests.app.judged_stage import entry_of, key_of
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.lambda_runtime import Function, RunHandler
from tests.shells.lambdas.api import event_of, reply_from
from tests.shells.lambdas.events import CLOCK, SOURCES, Minutes, kinesis_events

JUDGE, SERVE = "footfall.shells.lambdas.judge.handler", "footfall.shells.lambdas.serve.handler"
PAGES = ("https://www.google.com/?q=x", "https://t.co/y", "", "https://blog.example/z")


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    brands = {"abc": Brand("abc"), "xyz": Brand("xyz")}
    return new_ground(kinesis_shards=1).with_settings(brands=brands)


class Sent:
    """Hits on their way through Kinesis and the count function, and the plain count of where they came from."""

    def __init__(self, ground: AwsGround) -> None:
        self._ground = ground
        self._count = Count(ground.settings, CLOCK)
        self.plain = {"abc": Counter[str](), "xyz": Counter[str]()}

    def send(self, records: int) -> None:
        now_ms = CLOCK.now_ms()
        with closing(wiring.open_stream_to_write(self._ground.settings, CLOCK)) as stream:
            for number in range(records):
                brand, page = ("abc", "xyz")[number % 3 // 2], PAGES[number % len(PAGES)]
                pack = Pack(VERSION, RULES, now_ms - 60_000 + number, [key_of("one")] * 2, referrers=[page, page])
                stream.append([entry_of(pack, brand=brand, shard=number % stream.shards)])
                self.plain[brand][source_of(page)] += 2
        for event in kinesis_events(self._ground):
            assert self._count.answer(event, Minutes()) == {"batchItemFailures": []}


def told(serve: Function, brand: str, query: str = "") -> Counter[str]:
    reply = reply_from(serve.invoke(event_of("GET", f"/v1/referrers?brand={brand}{query}")))
    assert reply.status == 200, reply.body
    return Counter({one["source"]: one["hits"] for one in json.loads(reply.body)["sources"]})


def test_functions_that_come_and_go_count_every_reader_once(ground: AwsGround, run_handler: RunHandler) -> None:
    variables = {**ground.variables(), "FOOTFALL_SCREENING_JUDGING": "false"}
    sent, serve = Sent(ground), run_handler(SOURCES, SERVE, ground.variables(), timeout_s=60)
    sent.send(30)
    first = run_handler(SOURCES, JUDGE, variables, timeout_s=120)
    assert first.invoke({}) == {"judged": False}
    assert {brand: told(serve, brand) for brand in sent.plain} == sent.plain
    sent.send(20)
    first.invoke({})
    assert {brand: told(serve, brand, "&asset=one") for brand in sent.plain} == sent.plain
    sent.send(20)
    run_handler(SOURCES, JUDGE, variables, timeout_s=120).invoke({})  # Another one goes on where that one ended.
    sent.send(10)
    first.invoke({})  # And the first finds that somebody else has counted since.
    assert {brand: told(serve, brand, "&section=news") for brand in sent.plain} == sent.plain
    refused = reply_from(serve.invoke(event_of("GET", "/v1/referrers?brand=abc&period=never")))
    assert (refused.status, refused.headers["content-type"]) == (400, "application/problem+json")


def test_a_function_that_is_to_count_none_writes_none(ground: AwsGround, run_handler: RunHandler) -> None:
    Sent(ground).send(5)
    variables = {**ground.variables(), "FOOTFALL_SCREENING_JUDGING": "false", "FOOTFALL_REFERRERS": "false"}
    run_handler(SOURCES, JUDGE, variables, timeout_s=60).invoke({})
    assert list(everything(open_blobs(ground.settings), "referrers")) == []
