"""An hour is built of the minutes that were written: nobody asks for the others, and none of them is missed."""

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count.thrift import SPREAD_MS, thrifty
from footfall.flow.count.worker import CountRules
from footfall.flow.count.written import minutes_written
from footfall.flow.store import keys
from footfall.flow.store.journal import SHARED_KEPT_MS
from footfall.ports.table import Page, everything
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, window_of
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.stage import NOON_MS, Stage, key_of
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

HOUR = window_of(NOON_MS, Grain.HOUR, "UTC")
QUIET = (3, 4, 58)  # the minutes of the hour in which somebody came


class Asked(TroubledTable):
    """A table that counts which partitions are asked for."""

    def __init__(self, inner: SqliteTable, *, is_ordered: bool = True) -> None:
        super().__init__(inner, is_ordered=is_ordered)
        self.partitions: Counter[str] = Counter()

    def query(self, partition: str, **asked: Any) -> Page:
        """Ask, and count it, unless it is for visitors: those of minutes are not kept in hand."""
        if not str(asked.get("at_least", "")).startswith(keys.VISITORS_FROM):
            self.partitions[partition] += 1
        return super().query(partition, **asked)

    @property
    def minutes(self) -> set[str]:
        """Return the minutes that were asked for."""
        return {one.removeprefix("abc#M#") for one in self.partitions if one.startswith("abc#M#")}


def quiet_hour(stage: Stage) -> None:
    """Have hits counted in a few minutes of the hour, and let it end."""
    side = stage.side()
    for minute in QUIET:
        stage.clock.set(NOON_MS + minute * MINUTE_MS)
        stage.send("1")
        side.count()
    stage.clock.set(HOUR.to_ms + MINUTE_MS)
    side.workers[0].flush(is_at_tip=True)


@pytest.mark.parametrize("kind", [Stage, AwsStage])
def test_whoever_starts_anew_asks_for_the_minutes_that_were_written_and_no_others(kind: type[Stage]) -> None:
    stage = kind()
    quiet_hour(stage)
    table = Asked(stage.table)
    stage.side(table).build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): len(QUIET)}
    assert table.minutes == {f"2026-11-15T12:{minute:02d}Z" for minute in QUIET}


@pytest.mark.parametrize("kind", [Stage, AwsStage])
def test_a_worker_that_wrote_them_itself_asks_nobody(kind: type[Stage]) -> None:
    stage = kind()
    table = Asked(stage.table)
    side = stage.side(table)
    for minute in QUIET:
        stage.clock.set(NOON_MS + minute * MINUTE_MS)
        stage.send("1")
        side.workers[0].drain()
    stage.clock.set(HOUR.to_ms + MINUTE_MS)
    side.workers[0].flush(is_at_tip=True)
    table.partitions.clear()
    side.build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): len(QUIET)}
    assert table.minutes == set()
    assert not any(one.startswith("@journal") for one in table.partitions)


@pytest.mark.parametrize("kind", [Stage, AwsStage])
def test_where_the_journal_does_not_reach_back_every_minute_is_asked_for(kind: type[Stage]) -> None:
    stage = kind()
    quiet_hour(stage)
    stage.clock.advance(SHARED_KEPT_MS)
    table = Asked(stage.table)
    stage.side(table).build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): len(QUIET)}
    assert len(table.minutes) >= 60


def test_the_journal_is_read_once_for_all_brands_of_an_hour() -> None:
    stage = AwsStage()
    brands = [f"brand{n}" for n in range(20)]
    side = stage.side()
    for brand in brands:
        stage.send("1", brand=brand)
    side.count()
    stage.clock.set(HOUR.to_ms + MINUTE_MS)
    side.workers[0].flush(is_at_tip=True)
    table = Asked(stage.table)
    stage.side(table).build()
    assert all(stage.counts(NOON_MS, Grain.HOUR, brand) == {key_of("1"): 1} for brand in brands)
    assert table.partitions[keys.journal_partition(0)] == 1


@pytest.mark.parametrize("kind", [Stage, AwsStage])
def test_a_minute_that_a_recount_brings_is_built_into_its_hour(kind: type[Stage]) -> None:
    stage = kind(shards=2)
    side = stage.side()
    stage.send("1", "2", "3", "4")
    side.count()
    stage.clock.set(NOON_MS + 20 * MINUTE_MS)
    stage.send("1", "2", "3", "4")
    side.count()
    for shard in range(2):  # Minutes are lost, and counted again from raw hits while their hour is open.
        stage.summaries.remove("abc", window_of(NOON_MS, Grain.MINUTE, "UTC"), keys.shard_name(shard),
                               replaces=stage.parts(NOON_MS, Grain.MINUTE)[keys.shard_name(shard)].through)  # fmt: skip
    side = stage.side()
    side.recount(NOON_MS, NOON_MS + HOUR_MS)
    stage.clock.set(HOUR.to_ms + MINUTE_MS)
    stage.side().count()
    assert sum(stage.counts(NOON_MS, Grain.HOUR).values()) == 8


@pytest.mark.parametrize("writes", range(1, 14))
def test_a_flush_cut_short_anywhere_loses_no_minute_of_the_hour(writes: int) -> None:
    stage = AwsStage()
    for minute in QUIET:
        stage.clock.set(NOON_MS + minute * MINUTE_MS)
        stage.send("1")
        with suppress(Killed):
            stage.side(KilledTable(stage.table, writes=writes, is_ordered=True)).count()
    stage.clock.set(HOUR.to_ms + MINUTE_MS)
    stage.side().count()
    stage.side().build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): len(QUIET)}


def test_what_no_journal_tells_is_not_known() -> None:
    stage = Stage()
    quiet_hour(stage)
    number = stage.checkpoints()[0].number
    known = minutes_written(stage.table, 0, since=1)
    assert known == {("abc", NOON_MS + minute * MINUTE_MS) for minute in QUIET}
    assert minutes_written(stage.table, 0, since=number + 1) == set()
    assert minutes_written(stage.table, 0, since=0) is None  # There was no checkpoint of that number.


def test_hours_to_be_built_in_turns_are_still_named_when_their_turn_comes() -> None:
    stage = AwsStage(how=thrifty(CountRules(), freshness_ms=60_000))
    quiet_hour(stage)
    stage.clock.set(HOUR.to_ms + SPREAD_MS + MINUTE_MS)
    stage.side().workers[0].flush(is_at_tip=True)
    table = Asked(stage.table)
    stage.side(table).build()
    assert len(table.minutes) == len(QUIET)
    assert [one.key.sort for one in everything(stage.table, keys.pending_partition(0)) if one.item["built"]]
