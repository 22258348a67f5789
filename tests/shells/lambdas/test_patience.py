"""Functions whose callers wait: tables that hang or refuse are given up on soon, and never after hits were stored."""

import asyncio
import json
from collections.abc import Sequence
from threading import Event
from typing import Any, cast

import pytest

from footfall.accounts.brands import Brand
from footfall.app import aws_wiring, wiring
from footfall.app.settings import Settings
from footfall.ports.errors import Throttled, Unavailable
from footfall.ports.stream import Appended, Entry, Stream
from footfall.ports.table import Key, Put
from footfall.shells.lambdas.function_routes import FunctionRoutes
from footfall.shells.lambdas.function_site import FunctionSite
from footfall.shells.lambdas.http_function import HttpFunction
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.engines.store_between import THROTTLED, Refusal, StoreBetween
from tests.shells.lambdas.api import Reply, event_of, place_on, reply_from

KEY = Key("one", "two")


class Later(SystemClock):
    """The machine's clock, some time ahead."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class Marked:
    """A stream that notes how much the tables were asked by the time that it has stored something."""

    def __init__(self, stream: Stream, asked: Sequence[str]) -> None:
        self._stream = stream
        self._asked = asked
        self.stored_after: list[int] = []
        self.shards = stream.shards

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        done = self._stream.append(entries)
        self.stored_after.append(len(self._asked))
        return done


class Invocation:
    """What Lambda tells of an invocation."""

    aws_request_id = "0123456789"
    memory_limit_in_mb = "512"


@pytest.fixture
def settings(
    dynamodb: DynamoDbEngine, kinesis: KinesisEngine, store_between: StoreBetween, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    return place_on(dynamodb, kinesis, aws_dynamodb_endpoint=store_between.endpoint).settings


def test_uses_of_keys_are_written_before_hits_are_stored_and_a_table_that_refuses_holds_no_answer_up(
    settings: Settings, store_between: StoreBetween
) -> None:
    clock = Later()
    register = wiring.open_accounts(settings, clock).register
    register.add(Brand("new"), zone_in_use=None)
    bearer = {"authorization": f"Bearer {register.add_secret_key('new', ['write']).text}"}
    marked = Marked(aws_wiring.open_stream_for_requests(settings, clock), store_between.operations)
    function = HttpFunction("collect", may_write=True)
    site = function._site = FunctionSite(
        settings, clock, memory_mb=512, open_stream=lambda _settings, _clock: cast("Stream", marked)
    )
    function._routes = FunctionRoutes(site)

    def refuses(operation: str, asked: dict[str, Any]) -> Refusal | None:
        return THROTTLED if operation == "UpdateItem" else None

    def sent() -> Reply:
        body = json.dumps({"assetId": "7"}).encode()
        return reply_from(function.answer(event_of("POST", "/v1/hits", body=body, headers=bearer), Invocation()))

    with asyncio.Runner() as function._runner:
        for is_refused, ahead_ms in ((False, 0), (True, 61_000), (False, 122_000)):
            store_between.refuses = refuses if is_refused else lambda operation, asked: None
            clock.ahead_ms = ahead_ms
            assert sent().status == 202
            # Nothing lies between the hits and the answer.
            assert store_between.operations[marked.stored_after[-1] :] == []
    assert "UpdateItem" in store_between.operations[marked.stored_after[0] : marked.stored_after[1]]
    assert [key.used_at_ms is not None for key in register.keys("new")] == [True]
    assert len(aws_wiring.open_stream(settings, clock, read_only=True).read(0, after=0)) == 3


def test_a_table_that_hangs_or_refuses_is_given_up_on_while_there_is_time_to_say_so(
    settings: Settings, store_between: StoreBetween
) -> None:
    table = wiring.open_store(settings, SystemClock(), for_requests=True)
    go_on = Event()

    def hangs(operation: str, asked: dict[str, Any]) -> Refusal | None:
        go_on.wait(60)
        return None

    store_between.operations.clear()
    store_between.refuses = hangs
    with pytest.raises(Unavailable):
        table.get(KEY)
    go_on.set()
    assert store_between.operations == ["GetItem"] * 2
    store_between.refuses = lambda operation, asked: THROTTLED
    with pytest.raises(Throttled):
        table.put(Put(KEY, {"n": 1}))
    store_between.refuses = lambda operation, asked: None
    assert table.get(KEY) is None
    table.close()


def test_every_table_of_a_site_is_one_for_requests(settings: Settings) -> None:
    site = FunctionSite(settings, SystemClock(), memory_mb=512)
    with asyncio.Runner() as runner:
        runner.run(_touched(site))
    patiences = [getattr(table, "_calls")._patience for table in site.tables]  # noqa: B009 - of no port
    assert patiences == [aws_wiring.REQUEST_PATIENCE] * 4


async def _touched(site: FunctionSite) -> None:
    site.desk.refresh()
    assert site.door is not None
    assert site.store is not site.catalog_table
