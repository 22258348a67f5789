"""The function that answers: what it reads and when, what its memory holds, and the ledger's estimate."""

import json
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.aws.counting_calls import CountedCalls
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.catalog.edits import Edits, Hidden, Pin
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Sender
from footfall.ports.errors import Unavailable
from footfall.shells.lambdas.function_site import Counted
from footfall.shells.lambdas.lists import EDITS_LOOK_MS, look_ms, settings_within
from footfall.values.clock import SetClock
from footfall.values.window import instant_text
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.shells.lambdas.api import Reply, place_on
from tests.shells.lambdas.sites import Staged, staged

NOON_MS = 1_794_744_000_000
LOOK_MS = 6_000  # a tenth of the freshness
LIST = "/v1/popular?brand=abc&period=day"


@dataclass(slots=True)
class Ground:
    """A store on DynamoDB that hits are counted into, and a function that reads it."""

    stage: Staged
    clock: SetClock
    stream: SqliteStream
    counting: Counting
    acceptance: Acceptance

    def send(self, count: int, *, ago_ms: int = 0, asset: str = "7") -> None:
        """Have hits counted."""
        now_ms = self.clock.now_ms()
        hits = [{"brand": "abc", "assetId": asset, "at": instant_text(now_ms - ago_ms)}] * count
        parsed = parse_hits(json.dumps(hits).encode(), lines=False, hits_max=5_000)
        request = Request(now_ms, Sender("192.0.2.1", "test", wants_privacy=True), is_batch=True)
        self.stream.append(self.acceptance.entries(parsed, request))
        self.counting.drain()

    def units(self) -> float:
        """Return what was read so far, of all tables."""
        counts: list[CountedCalls] = [table.counted for table in self.stage.site.tables if isinstance(table, Counted)]
        return sum(one.total.read for one in counts)

    def asked(self, target: str = LIST) -> tuple[Reply, float]:
        """Return an answer and the units that it cost."""
        before = self.units()
        return self.stage.call("GET", target), self.units() - before

    def hits(self, target: str = LIST) -> dict[str, int]:
        """Return the hits of each asset."""
        return {one["assetId"]: one["hits"] for one in json.loads(self.asked(target)[0].body)["items"]}


@pytest.fixture
def ground(
    tmp_path: Path, dynamodb: DynamoDbEngine, kinesis: KinesisEngine, monkeypatch: pytest.MonkeyPatch
) -> Generator[Ground]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    clock = SetClock(NOON_MS)
    settings = place_on(dynamodb, kinesis, brands={"abc": Brand("abc")}).settings
    embedded = Settings(data_dir=str(tmp_path), brands=settings.brands)
    with (
        closing(SqliteStream(tmp_path / "stream.db", clock=clock, shards=1, id_ms=86_400_000)) as stream,
        closing(wiring.open_salt_table(embedded, clock)) as salts,
        staged(settings, clock) as stage,
    ):
        yield Ground(
            stage=stage,
            clock=clock,
            stream=stream,
            counting=Counting(embedded, stream, wiring.open_store(settings, clock), clock=clock),
            acceptance=Acceptance(wiring.brands(settings), wiring.salts(salts), shards=1),
        )


def test_a_warm_question_between_two_looks_reads_nothing(ground: Ground) -> None:
    ground.send(3)
    first, cold_units = ground.asked()
    assert first.status == 200
    assert cold_units > 20
    ground.send(1)
    ground.clock.advance(EDITS_LOOK_MS - 1)
    assert ground.asked()[1] == 0
    ground.clock.advance(LOOK_MS - EDITS_LOOK_MS)
    assert ground.asked()[1] == 1  # What editors did is looked for more often.
    for target in (LIST, "/v1/popular?period=day&brand=abc", f"{LIST}&section=1", "/v1/popular?brand=abc&period=week"):
        answer, units = ground.asked(target)
        assert (answer.status, units) == (200, 0)
    assert ground.asked()[0].body == first.body
    ground.clock.advance(1)
    assert ground.hits() == {"7": 4}


def test_what_an_editor_did_is_seen_within_a_second_and_so_is_its_end(ground: Ground) -> None:
    ground.send(3)
    ground.send(2, asset="8")
    assert list(ground.hits()) == ["7", "8"]
    now_ms = ground.clock.now_ms()
    edits = Edits(wiring.open_catalog_table(ground.stage.site.settings, ground.clock))
    edits.put("abc", Hidden(asset="7", by="key", at_ms=now_ms, until_ms=now_ms + 2 * EDITS_LOOK_MS))
    ground.clock.advance(EDITS_LOOK_MS)
    assert ground.hits() == {"8": 2}
    assert list(ground.hits(f"{LIST}&edited=false")) == ["7", "8"]
    ground.clock.advance(EDITS_LOOK_MS)
    assert list(ground.hits()) == ["7", "8"]
    edits.put("abc", Pin(asset="8", place=1, by="key", at_ms=now_ms))
    ground.clock.advance(EDITS_LOOK_MS)
    assert list(ground.hits()) == ["8", "7"]


def test_a_look_costs_two_units_and_with_news_one_more_for_each_shard_and_window(ground: Ground) -> None:
    ground.send(3)
    ground.asked()
    ground.clock.advance(LOOK_MS)
    _, quiet = ground.asked()
    assert quiet == 2  # All checkpoints, the catalogue's version.
    ground.send(1)
    ground.clock.advance(LOOK_MS)  # By now brands and keys are looked at again, too.
    _, news = ground.asked()
    # The version of brands and keys; the journal of the shard, the window.
    assert news == quiet + 1 + 2


def test_a_cold_list_of_a_brand_that_was_quiet_looks_only_where_something_can_be(ground: Ground) -> None:
    ground.send(3)
    _, units = ground.asked()
    # Days of two weeks, hours of two days, minutes of the open hour; not each minute of every hour without hits.
    assert units < 160


def test_hits_of_an_hour_that_was_empty_are_seen_with_the_next_look(ground: Ground) -> None:
    ground.send(3)
    assert ground.hits() == {"7": 3}
    ground.send(2, ago_ms=5 * 3_600_000, asset="old")
    ground.clock.advance(LOOK_MS)
    assert ground.hits() == {"7": 3, "old": 2}


def test_lists_stay_as_they_are_while_counts_cannot_be_read(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    ground.send(3)
    first, _ = ground.asked()

    def unavailable(*_: Any, **__: Any) -> Any:
        raise Unavailable("gone")

    for table in ground.stage.site.tables:
        monkeypatch.setattr(table, "get", unavailable)
        monkeypatch.setattr(table, "query", unavailable)
    ground.clock.advance(20_000)
    assert ground.asked()[0].body == first.body
    assert ground.asked("/readyz")[0].status == 503


def test_the_ledger_is_exact_when_drained_and_an_estimate_before(ground: Ground) -> None:
    def book() -> dict[str, Any]:
        return json.loads(ground.asked("/v1/ledger?brand=abc")[0].body)

    ground.send(30)
    ground.counting.workers[0].flush(is_at_tip=True)
    assert (book()["counted"], book()["inFlight"], book()["accepted"]) == (30, 0, 30)
    ground.clock.advance(60_000)
    ground.send(60)
    ground.counting.workers[0].flush(is_at_tip=True)
    assert book()["inFlightIsEstimate"] is True
    ground.clock.advance(30_000)
    # Sixty came in a minute and were read, so another thirty are taken to be on their way.
    assert (book()["counted"], book()["inFlight"], book()["accepted"]) == (90, 30, 120)
    ground.clock.advance(30_000)
    ground.counting.workers[0].flush(is_at_tip=True)
    assert (book()["counted"], book()["inFlight"], book()["accepted"]) == (90, 0, 90)


def test_raw_hits_are_said_to_be_there_for_as_long_as_the_archive_keeps_them(ground: Ground) -> None:
    ground.send(1)
    book = json.loads(ground.asked("/v1/ledger?brand=abc")[0].body)
    assert book["rawSince"] == instant_text(NOON_MS - 14 * 86_400_000)


def test_counts_are_looked_at_ten_times_between_two_writes_and_once_a_second_at_most() -> None:
    settings = Settings()
    assert look_ms(settings) == LOOK_MS
    assert look_ms(replace(settings, aws_freshness_s=300)) == 30_000
    assert look_ms(replace(settings, aws_freshness_s=1)) == 1_000


def test_more_memory_holds_more_rows() -> None:
    rows = [settings_within(Settings(), memory_mb=memory_mb).serve_rows_max for memory_mb in (128, 512, 1_024, 10_240)]
    assert rows == sorted(rows)
    assert 50_000 <= rows[0] < rows[2]
    assert rows[-1] == Settings().serve_rows_max
    assert settings_within(Settings(), memory_mb=256).serve_answers_bytes_max == 16 * 1_048_576
