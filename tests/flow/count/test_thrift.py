"""Counting where writes cost money: the same counts, built in turns, and merged only where that pays."""

from itertools import pairwise
from random import Random

import pytest

from footfall.flow.count.thrift import FOLD_MS, SPREAD_MS, thrifty
from footfall.flow.count.worker import CountRules
from footfall.flow.store import keys
from footfall.ports.table import everything
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, window_of
from tests.flow.count.aws_stage import AwsStage
from tests.flow.count.stage import NOON_MS, Side, Stage
from tests.simulation.grounds import Killed, KilledTable

BRANDS = ("abc", "def", "ghi", "jkl", "mno")
HOUR_ENDS_MS = NOON_MS + HOUR_MS
LATER_MS = NOON_MS + 50 * HOUR_MS  # The day of noon is final then.


def thrifty_stage(*, shards: int = 1, keep_rows: int = 0) -> Stage:
    return Stage(shards=shards, keep_rows=keep_rows, how=thrifty(CountRules(), freshness_ms=60_000))


def pass_time(stage: Stage, side: Side, until_ms: int) -> None:
    """Let time pass as it does, so that every turn comes."""
    while stage.clock.now_ms() < until_ms:
        stage.clock.set(min(until_ms, stage.clock.now_ms() + 30 * MINUTE_MS))
        side.count()


def pending(stage: Stage) -> list[str]:
    return [one.key.sort for one in everything(stage.table, keys.pending_partition(0))]


def built_brands(stage: Stage) -> set[str]:
    return {brand for brand in BRANDS if stage.parts(NOON_MS, Grain.HOUR, brand)}


def test_hours_of_many_brands_are_built_one_after_another() -> None:
    stage = thrifty_stage()
    side = stage.side()
    for brand in BRANDS:
        stage.send("1", brand=brand)
    side.count()
    built: list[set[str]] = []
    for minute in range(0, 61, 2):
        stage.clock.set(HOUR_ENDS_MS + minute * MINUTE_MS)
        side.count()
        built.append(built_brands(stage))
    assert built[0] == set()
    assert built[-1] == set(BRANDS)
    assert all(len(after - before) <= 1 for before, after in pairwise(built))


def test_whoever_starts_anew_keeps_to_the_turns() -> None:
    moments_ms = [HOUR_ENDS_MS + minute * MINUTE_MS for minute in range(0, 61, 4)]

    def played(*, anew: bool) -> list[set[str]]:
        stage = thrifty_stage()
        side = stage.side()
        for brand in BRANDS:
            stage.send("1", brand=brand)
        side.count()
        built: list[set[str]] = []
        for moment_ms in moments_ms:
            stage.clock.set(moment_ms)
            side = stage.side() if anew else side
            side.count()
            built.append(built_brands(stage))
        return built

    assert played(anew=True) == played(anew=False)


def test_counts_are_those_of_one_machine() -> None:
    stages = [thrifty_stage(shards=3), Stage(shards=3)]
    for stage in stages:
        side = stage.side()
        stage.send("1", "1", "2", "x", "y")
        side.count()
        pass_time(stage, side, NOON_MS + 3 * HOUR_MS)
        stage.send("1", "z", at_ms=NOON_MS + 1)
        pass_time(stage, side, NOON_MS + 20 * HOUR_MS)
    for grain in (Grain.MINUTE, Grain.HOUR, Grain.DAY):
        assert stages[0].counts(NOON_MS, grain) == stages[1].counts(NOON_MS, grain)


def test_final_minutes_and_hours_stay_as_they_are() -> None:
    stage = thrifty_stage(shards=2)
    side = stage.side()
    stage.send("1", "2", "3", "4")
    side.count()
    pass_time(stage, side, NOON_MS + 26 * HOUR_MS)
    before = {grain: stage.parts(NOON_MS, grain) for grain in (Grain.MINUTE, Grain.HOUR)}
    number = stage.checkpoints()[0].number
    assert side.finish() == 1
    assert {grain: stage.parts(NOON_MS, grain) for grain in (Grain.MINUTE, Grain.HOUR)} == before
    assert keys.ALL not in before[Grain.HOUR]
    assert [one for one in pending(stage) if one.startswith("H")] == []
    assert stage.checkpoints()[0].number == number  # Readers are told nothing, for nothing has changed.


@pytest.mark.parametrize(
    ("assets", "keep_rows", "parts"),
    [
        (["1", "2", "3", "4"], 500, {"s00", "s01"}),
        (["1", "2", "3", "4"], 1, {keys.ALL}),  # Rows are left out.
        (["1"], 500, {keys.ALL}),  # One shard has no part.
    ],
)
def test_a_final_day_is_merged_only_where_that_pays(assets: list[str], keep_rows: int, parts: set[str]) -> None:
    stage = thrifty_stage(shards=2, keep_rows=keep_rows)
    side = stage.side()
    stage.send(*assets, *assets[:1])
    side.count()
    pass_time(stage, side, LATER_MS)
    side.finish()
    assert set(stage.parts(NOON_MS, Grain.DAY)) == parts
    assert pending(stage) == []


def test_late_hits_wait_for_long_beside_their_hour_and_are_seen_meanwhile() -> None:
    stage = thrifty_stage()
    side = stage.side()
    stage.send("1")
    side.count()
    pass_time(stage, side, HOUR_ENDS_MS + SPREAD_MS + MINUTE_MS)
    stage.send("1", at_ms=NOON_MS + 1)
    pass_time(stage, side, stage.clock.now_ms() + HOUR_MS)
    late = keys.late_part(0)
    assert late in stage.parts(NOON_MS, Grain.HOUR)
    assert sum(stage.counts(NOON_MS, Grain.HOUR).values()) == 2
    pass_time(stage, side, stage.clock.now_ms() + FOLD_MS)
    assert late not in stage.parts(NOON_MS, Grain.HOUR)
    assert sum(stage.counts(NOON_MS, Grain.HOUR).values()) == 2


def test_a_build_does_not_keep_counts_waiting() -> None:
    stage = thrifty_stage()
    side = stage.side()
    (worker,) = side.workers
    stage.send("1")
    side.count()
    stage.clock.set(HOUR_ENDS_MS + SPREAD_MS)
    worker.step()
    flushed_at_ms = worker.checkpoint.flushed_at_ms
    stage.clock.set(flushed_at_ms + 59_000)
    stage.send("2")
    worker.commit_touched([])  # As a build does.
    stage.clock.set(flushed_at_ms + 60_000)
    worker.step()
    assert sum(stage.counts(stage.clock.now_ms() - 1_000, Grain.MINUTE).values()) == 1


def test_parts_that_nobody_builds_upon_go_a_week_after_their_time() -> None:
    stage = thrifty_stage()
    side = stage.side()
    stage.send("1")
    side.count()
    expires_at_ms = side.workers[0].expires_at_ms(stage.windows()[0]) + 7 * DAY_MS
    stage.clock.set(expires_at_ms - 1)
    assert stage.parts(NOON_MS, Grain.MINUTE)
    stage.clock.set(expires_at_ms)
    assert not stage.parts(NOON_MS, Grain.MINUTE)


def large_hour(stage: Stage, side: Side) -> None:
    """Have an hour of a brand counted that is several pieces large, and let it end; text does not pack well."""
    chance = Random(7)
    for _ in range(3):
        stage.send(*(chance.randbytes(12).hex() for _ in range(1_000)))
        side.count()
    stage.clock.set(HOUR_ENDS_MS)
    side.count()


def blocks(stage: Stage, moment_ms: int = NOON_MS) -> list[str]:
    partition = keys.partition("abc", window_of(moment_ms, Grain.HOUR, "UTC"))
    return [one.key.sort for one in everything(stage.table, partition) if one.key.sort.startswith("z#")]


@pytest.mark.parametrize("kind", [Stage, AwsStage])
def test_a_large_hour_is_written_a_piece_a_minute_and_its_head_last(kind: type[Stage]) -> None:
    stage = kind(how=thrifty(CountRules(), freshness_ms=60_000))
    side = stage.side()
    large_hour(stage, side)
    written: list[int] = []
    while not stage.parts(NOON_MS, Grain.HOUR):
        stage.clock.advance(MINUTE_MS)
        side.count()
        written.append(len(blocks(stage)))
        assert stage.clock.now_ms() < HOUR_ENDS_MS + HOUR_MS
    assert written[-1] >= 3
    assert all(after - before <= 1 for before, after in pairwise(written))
    head = stage.parts(NOON_MS, Grain.HOUR)[keys.shard_name(0)]
    assert list(head.blocks) == blocks(stage)
    assert head.inline
    assert sum(stage.counts(NOON_MS, Grain.HOUR).values()) == 3_000


def test_an_hour_whose_pieces_were_overtaken_by_late_hits_is_written_at_once_and_whole() -> None:
    stage = AwsStage(how=thrifty(CountRules(), freshness_ms=60_000))
    side = stage.side()
    large_hour(stage, side)
    while not blocks(stage):
        stage.clock.advance(MINUTE_MS)
        side.count()
    stage.send("late", at_ms=NOON_MS + 1)
    stage.clock.advance(MINUTE_MS)
    side.count()
    assert stage.parts(NOON_MS, Grain.HOUR)[keys.shard_name(0)].blocks == []
    assert sum(stage.counts(NOON_MS, Grain.HOUR).values()) == 3_001


@pytest.mark.parametrize("writes", range(1, 16, 2))
def test_a_worker_killed_between_two_pieces_leaves_an_hour_that_another_builds(writes: int) -> None:
    stage = AwsStage(how=thrifty(CountRules(), freshness_ms=60_000))
    large_hour(stage, stage.side())
    side = stage.side(KilledTable(stage.table, writes=writes, is_ordered=True))
    with pytest.raises(Killed):
        count_for_ever(stage, side)
    side = stage.side()
    pass_time(stage, side, HOUR_ENDS_MS + 2 * HOUR_MS)
    assert sum(stage.counts(NOON_MS, Grain.HOUR).values()) == 3_000
    assert not any(key.startswith("H#2026-11-15T12") for key in unbuilt(stage))


def test_whoever_is_behind_writes_pieces_without_waiting() -> None:
    stage = thrifty_stage()
    side = stage.side()
    large_hour(stage, side)
    stage.clock.set(HOUR_ENDS_MS + 2 * HOUR_MS)
    side.count()
    assert stage.parts(NOON_MS, Grain.HOUR)


def count_for_ever(stage: Stage, side: Side) -> None:
    while True:
        stage.clock.advance(MINUTE_MS)
        side.count()


def unbuilt(stage: Stage) -> list[str]:
    return [one.key.sort for one in everything(stage.table, keys.pending_partition(0)) if not one.item["built"]]
