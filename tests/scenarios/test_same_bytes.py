"""The same hits through an instance and through the functions on AWS's engines: the lists are the same, byte for byte.

Both run on a clock that is set, with the same number of rows kept, and are asked when all hits are counted.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.maintaining import open_maintenance
from footfall.app.settings import Settings
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.serve.ledger import ledger, ledger_json
from footfall.flow.serve.query import canonical, parameters, query_from
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import lines_item, load_checkpoints
from footfall.shells.lambdas import http_function
from footfall.shells.lambdas.count import Count
from footfall.shells.lambdas.http_function import HttpFunction
from footfall.values.clock import SetClock
from tests.app.stage import Instance
from tests.engines.aws_ground import AwsGround, NewGround
from tests.scenarios.recorded_hits import (
    BRANDS,
    HOUR_MS,
    PAID,
    QUARTER_MS,
    SECTIONS,
    TYPES,
    Sent,
    record_hits,
    recorded,
)
from tests.shells.lambdas.api import event_of, reply_from
from tests.shells.lambdas.event_source import EventSource

FROM_MS = 1_794_355_200_000  # 2026-11-11T00:00Z
FILTERS, FILTERS_IN_A_CAMPAIGN = 40, 200
SETTLED_MS = 180_000  # By then the functions take a shard for idle, and windows that ended are closed on both sides.
LONG_MS = 1_000_000  # A function's time, which no test may need.


@dataclass
class OneMachine:
    """An instance without its processes."""

    settings: Settings
    clock: SetClock

    def __post_init__(self) -> None:
        self.instance = Instance(self.settings, self.clock)
        salts = Salts(SqliteTable(":memory:", clock=self.clock), random_bytes=bytes)
        self._acceptance = Acceptance(wiring.brands(self.settings), salts, shards=self.settings.stream_shards)

    def take(self, sent: Sent) -> None:
        """Accept a request, as the door does."""
        parsed = parse_hits(sent.body, lines=True, hits_max=5_000)
        request = Request(
            self.clock.now_ms(),
            Sender("127.0.0.1", "", True, ""),
            is_batch=True,
            idempotency_key=sent.key,
            body=sent.body,
        )
        self.instance.stream.append(self._acceptance.entries(parsed, request))

    def count(self) -> None:
        """Count, and do what is due besides."""
        now_ms = self.clock.now_ms()
        self.instance.count()
        self.clock.set(now_ms)

    def ask(self, target: str) -> tuple[str, bytes]:
        """Return the etag and the bytes of a list."""
        given = parameters(target.partition("?")[2])
        told = self.instance.answering.answer(canonical(query_from(given, periods=self.settings.periods)))
        assert told is not None
        assert not told[2], told[2]
        return cast("str", told[3]), cast("bytes", told[5])

    def ledger(self, brand: str) -> dict[str, Any]:
        """Return a brand's ledger, of which nothing may be in flight."""
        stream, table = self.instance.stream, self.instance.table
        handled = {
            keys.shard_name(shard): lines_item(one.lines[brand])
            for shard, one in load_checkpoints(table).items()
            if brand in one.lines
        }
        book = json.loads(ledger_json(ledger(brand, handled, appended=stream.appended()[brand])))
        assert book.pop("inFlight") == 0
        assert min(book[line] for line in ("counted", "duplicate", "late", "future")) > 0
        return book


@dataclass
class Functions:
    """All functions of a deployment in one process, with an event source between."""

    ground: AwsGround
    clock: SetClock
    refused: list[bytes] = field(default_factory=list[bytes])

    def __post_init__(self) -> None:
        self._collect, self._serve = HttpFunction("collect", may_write=True), HttpFunction("serve", may_write=False)
        self._count = Count(self.ground.settings, self.clock)
        self._maintenance = open_maintenance(self.ground.settings, self.clock)
        self._source = EventSource(self.ground.kinesis, self.ground.settings.aws_stream)
        self._context: Any = SimpleNamespace(
            aws_request_id="one", memory_limit_in_mb=2_048, get_remaining_time_in_millis=lambda: LONG_MS
        )

    def take(self, sent: Sent) -> None:
        """Post a request to the API."""
        headers = {"content-type": "application/x-ndjson", "dnt": "1"}
        if sent.key:
            headers["idempotency-key"] = sent.key
        event = event_of("POST", "/v1/hits", body=sent.body, headers=headers)
        reply = reply_from(self._collect.answer(event, self._context))
        assert reply.status == 202, reply.body

    def count(self) -> None:
        """Hand over what the stream has, and do what is done each minute."""
        for event in self._source.events():
            assert self._count.answer(event, self._context) == {"batchItemFailures": []}
        done = self._maintenance.run(lambda: False)
        assert not done.failures, done.failures

    def ask(self, target: str) -> tuple[str, bytes]:
        """Return the etag and the bytes of a list."""
        reply = reply_from(self._serve.answer(event_of("GET", target), self._context))
        assert reply.status == 200, reply.body
        return reply.headers["etag"], reply.body

    def close(self) -> None:
        """Let go of the functions' loops."""
        for function in (self._collect, self._serve):
            assert function._runner is not None
            function._runner.close()

    def ledger(self, brand: str) -> dict[str, Any]:
        """Return a brand's ledger."""
        reply = reply_from(self._serve.answer(event_of("GET", f"/v1/ledger?brand={brand}"), self._context))
        return json.loads(reply.body)


def questions(settings: Settings, *, filters: int) -> Iterator[str]:
    """Yield every period of every brand, with and without its open window, unfiltered and through random filters."""
    chance = Random(4)
    drawn = [_filter(chance) for _ in range(filters)]
    for brand in BRANDS:
        for period in settings.periods:
            for closed in ("false", "true"):
                for words in ([], *drawn):
                    yield "/v1/popular?" + urlencode([("brand", brand), ("period", period), ("closed", closed), *words])


def _filter(chance: Random) -> list[tuple[str, str]]:
    words = [("section", str(chance.randrange(SECTIONS))) for _ in range(chance.choice((0, 1, 1, 13)))]
    words += [("resourceType", one) for one in chance.sample(TYPES[:3], chance.choice((0, 0, 1, 2)))]
    words += [("paidType", one) for one in chance.sample(PAID[:2], chance.choice((0, 0, 1)))]
    return [*words, ("limit", str(chance.choice((10, 20, 100))))]


def replay(
    requests: Iterator[Sent], sides: Sequence[OneMachine | Functions], clock: SetClock, *, count_every_ms: int
) -> None:
    """Send the requests to both sides at their moments, and let both count now and then."""
    counted_at_ms = FROM_MS
    for sent in requests:
        clock.set(sent.arrived_at_ms)
        for side in sides:
            side.take(sent)
        if sent.arrived_at_ms - counted_at_ms >= count_every_ms:
            counted_at_ms = sent.arrived_at_ms
            for side in sides:
                side.count()


def compare(
    place: Path,
    ground: AwsGround,
    monkeypatch: pytest.MonkeyPatch,
    *,
    hits: int,
    every_ms: int,
    hours: int,
    filters: int,
) -> None:
    """Send a recorded file through both and ask for lists; of more than a day some windows are final, and cut."""
    clock = SetClock(FROM_MS)
    monkeypatch.setattr(http_function, "begin", lambda _process: (ground.settings, clock))
    settings = replace(ground.settings, ground="embedded")
    one = OneMachine(settings, clock)
    file = place / "hits"
    record_hits(file, hits=hits, from_ms=FROM_MS, hours=hours, every_ms=every_ms)
    with closing(Functions(ground, clock)) as many:
        replay(recorded(file), (one, many), clock, count_every_ms=2 * every_ms)
        clock.advance(SETTLED_MS)
        for side in (one, many):
            side.count()
        one.instance.answering.refresh()
        for brand in BRANDS:
            book = many.ledger(brand)
            assert (book.pop("inFlight"), book.pop("inFlightIsEstimate")) == (0, True)
            del book["rawSince"]  # The archive keeps raw hits by their age.
            assert book == one.ledger(brand)
        equal = 0
        for question in questions(settings, filters=filters):
            left, right = many.ask(question), one.ask(question)
            assert left[1].decode() == right[1].decode(), question
            assert left == right
            equal += 1
    assert equal == len(BRANDS) * len(settings.periods) * 2 * (filters + 1) > 0


def test_lists_are_the_same_bytes_on_one_machine_and_on_aws(
    tmp_path: Path, new_ground: NewGround, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = new_ground(shards=2, kinesis_shards=1)
    compare(tmp_path, ground, monkeypatch, hits=24_000, every_ms=HOUR_MS, hours=27, filters=FILTERS)


@pytest.mark.soak
def test_a_million_hits_give_the_same_bytes_on_one_machine_and_on_aws(
    tmp_path: Path, new_ground: NewGround, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = new_ground(shards=4, kinesis_shards=2)
    hours, filters = 51, FILTERS_IN_A_CAMPAIGN
    compare(tmp_path, ground, monkeypatch, hits=1_000_000, every_ms=QUARTER_MS, hours=hours, filters=filters)
