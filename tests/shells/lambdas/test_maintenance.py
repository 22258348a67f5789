"""The function that keeps house, on the real engines; once as a process under Lambda's own runtime client."""

import json
from contextlib import closing

import pytest
import zstandard

from footfall.accounts.brands import Brand
from footfall.app import aws_wiring, wiring
from footfall.app.audience_opening import open_audience
from footfall.app.audience_personal import erase_some, kept
from footfall.app.kept_blobs import open_blobs
from footfall.app.maintaining import Maintained, Maintenance, open_maintenance
from footfall.app.set_apart import SetApart, name_of
from footfall.audience.kept_lists import all_rows
from footfall.audience.things import Thing
from footfall.catalog.asset import Asset
from footfall.flow.collect.senders import SALT_MS
from footfall.flow.count.ticking import ticks_due
from footfall.flow.store.digests import stored_digest
from footfall.flow.store.sessions import load_head
from footfall.flow.store.summaries import Summaries
from footfall.flow.store.watch_log import WatchRow, rows_of_day, save_rows, session_digest
from footfall.flow.stream.raw import ArchiveRaw
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import Entry, Record
from footfall.ports.table import Key
from footfall.shells.lambdas.count import Count
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, Grain, instant_text, window_of
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.kinesis import require_active
from tests.engines.lambda_runtime import HandlerFailed, RunHandler
from tests.flow.count.playing import GROUP, beat, record_of
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
)

MINUTE_MS, HOUR_MS = 60_000, 3_600_000


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground(kinesis_shards=2)


def maintained(ground: AwsGround, *, in_ms: int = 0) -> Maintained:
    """Return what a round in some time from now comes to."""
    done = open_maintenance(ground.settings, SetClock(CLOCK.now_ms() + in_ms)).run(lambda: False)
    assert done.failures == []
    return done


def count_all(ground: AwsGround) -> None:
    count = Count(ground.settings, CLOCK)
    for event in kinesis_events(ground):
        assert count.answer(event, Minutes()) == {"batchItemFailures": []}


def passed_ms(ground: AwsGround) -> list[int]:
    return [0 if one is None else one.passed_ms for one in checkpoints(ground)]


def test_a_round_as_lambda_runs_it_passes_time_where_no_hit_ever_came_and_tells_how_long_it_is_quiet(
    ground: AwsGround, run_handler: RunHandler
) -> None:
    began_ms = CLOCK.now_ms()
    append(ground, entries_of(ground, hits_of(1)))
    count_all(ground)
    function = run_handler(SOURCES, "footfall.shells.lambdas.maintenance.handler", ground.variables(), timeout_s=90)
    assert function.invoke({"source": "aws.events"}) == {
        "passed": 1, "waiting": 0, "finished": 0, "forgotten": 0, "released": 0, "recounted": 0, "told": 0,
    }  # fmt: skip
    assert min(passed_ms(ground)) >= began_ms - 31_000
    assert function.invoke({})["passed"] == 0  # That was a moment ago.
    assert "credentials" not in function.log()
    told = metrics(function.log())["SecondsSinceLastHit"]
    assert [line.get("brand") for line in told[:2]] == [None, "abc"]
    assert all(0 <= line["SecondsSinceLastHit"] < 600 for line in told)
    assert told[1]["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["stack", "brand"]]


def test_the_windows_of_a_shard_close_and_are_built_although_nothing_more_comes(ground: AwsGround) -> None:
    append(ground, entries_of(ground, hits_of(20)))
    count_all(ground)
    hour = window_of(CLOCK.now_ms(), Grain.HOUR, "UTC")
    assert maintained(ground, in_ms=3 * HOUR_MS).passed == 2
    assert min(passed_ms(ground)) > hour.to_ms
    with closing(wiring.open_store(ground.settings, CLOCK)) as store:
        parts = Summaries(store, CLOCK).live("abc", hour)
        assert sum(int(part.columns.hits.sum()) for part in parts) == 20


def test_a_shard_with_something_to_count_is_left_to_counting(ground: AwsGround) -> None:
    append(ground, [entry for entry in entries_of(ground, hits_of(20)) if entry.shard == 0])
    done = maintained(ground, in_ms=MINUTE_MS)
    assert (done.passed, done.waiting) == (1, 1)
    assert (ledger(ground).counted, passed_ms(ground)[0]) == (0, 0)
    count_all(ground)
    assert ledger(ground).counted > 0
    assert maintained(ground, in_ms=5 * MINUTE_MS).passed == 2


def test_time_passes_after_a_shard_was_divided_and_nothing_came_since(ground: AwsGround) -> None:
    append(ground, entries_of(ground, hits_of(20)))
    count_all(ground)
    name = ground.settings.aws_stream
    old = ground.kinesis.list_shards(StreamName=name)["Shards"][0]
    middle = (int(old["HashKeyRange"]["StartingHashKey"]) + int(old["HashKeyRange"]["EndingHashKey"])) // 2
    ground.kinesis.split_shard(StreamName=name, ShardToSplit=old["ShardId"], NewStartingHashKey=str(middle))
    require_active(ground.kinesis, name)
    assert maintained(ground, in_ms=5 * MINUTE_MS).passed == 2
    append(ground, entries_of(ground, hits_of(20)))
    count_all(ground)
    assert ledger(ground).counted == 40


def test_counting_goes_on_after_maintenance_has_written_the_checkpoint(ground: AwsGround) -> None:
    count = Count(ground.settings, CLOCK)
    maintenance = open_maintenance(ground.settings, SetClock(CLOCK.now_ms() + 5 * MINUTE_MS))
    for number in range(1, 4):
        append(ground, entries_of(ground, hits_of(10)))
        for event in kinesis_events(ground):
            assert count.answer(event, Minutes()) == {"batchItemFailures": []}
        assert ledger(ground).counted == 10 * number
        assert maintenance.run(lambda: False).failures == []


def test_days_are_finished_when_no_hit_can_reach_them_any_more(ground: AwsGround) -> None:
    append(ground, entries_of(ground, hits_of(20)))
    count_all(ground)
    clock = SetClock(CLOCK.now_ms())
    maintenance: Maintenance = open_maintenance(ground.settings, clock)
    finished = 0
    for _ in range(4):
        clock.set(clock.now_ms() + DAY_MS)
        finished += maintenance.run(lambda: False).finished
    assert finished > 0
    with closing(wiring.open_store(ground.settings, clock)) as store:
        day = window_of(CLOCK.now_ms(), Grain.DAY, "UTC")
        assert sum(int(part.columns.hits.sum()) for part in Summaries(store, clock).live("abc", day)) == 20


def test_raw_hits_and_salts_go_when_their_time_is_over(ground: AwsGround) -> None:
    now_ms = CLOCK.now_ms()
    archive = aws_wiring.open_archive(ground.settings, CLOCK)
    old_ms = now_ms - 15 * DAY_MS
    archive.keep(0, [Record(1, "abc", 1, b"old", old_ms), Record(2, "abc", 1, b"new", now_ms)])
    past = SetClock(now_ms - SALT_MS - DAY_MS)
    with closing(wiring.open_salt_table(ground.settings, past)) as table:
        salts = wiring.salts(table)
        for at_ms in (past.now_ms(), now_ms):
            assert salts.of_day("abc", "UTC", at_ms=at_ms, now_ms=past.now_ms()) is not None
        assert maintained(ground).forgotten == 1
        days = [window_of(at_ms, Grain.DAY, "UTC").from_ms for at_ms in (past.now_ms(), now_ms)]
        # By a clock of then the first would still be shown, if it were there.
        assert [table.get(Key("abc", f"day#{day}")) is None for day in days] == [True, False]
    assert [record.data for record in archive.records("abc", 0, from_ms=0)] == [b"new"]
    assert archive.kept_since_ms("abc") > old_ms


def test_hits_that_were_held_come_again_when_the_catalogue_knows_their_labels(ground: AwsGround) -> None:
    holding = ground.with_settings(brands={"abc": Brand("abc", unlabelled="hold")})
    append(holding, entries_of(holding, hits_of(14)))
    count_all(holding)
    assert (ledger(holding).counted, ledger(holding).unlabelled) == (0, 14)
    maintenance = open_maintenance(holding.settings, CLOCK)
    assert maintenance.run(lambda: False).released == 0
    assets = [Asset(str(number), resource_type="article") for number in range(7)]
    wiring.open_catalogue(holding.settings, CLOCK).put("abc", assets)
    assert maintenance.run(lambda: False).released > 0
    assert maintenance.run(lambda: False).released == 0
    count_all(holding)
    assert (ledger(holding).counted, ledger(holding).unlabelled) == (14, 0)


def test_a_chore_that_fails_makes_the_function_fail_after_all_the_others_are_done(
    ground: AwsGround, run_handler: RunHandler
) -> None:
    append(ground, entries_of(ground, hits_of(1)))
    count_all(ground)
    lost = ground.with_settings(aws_raw_bucket="not-there")
    function = run_handler(SOURCES, "footfall.shells.lambdas.maintenance.handler", lost.variables(), timeout_s=90)
    with pytest.raises(HandlerFailed, match="ChoresFailed: 1 chores wait for the next round: forgetting: "):
        function.invoke({})
    assert min(passed_ms(ground)) > 0
    assert metrics(function.log())["SecondsSinceLastHit"]


def test_a_round_without_time_does_nothing_and_fails_nothing(ground: AwsGround) -> None:
    done = open_maintenance(ground.settings, CLOCK).run(lambda: True)
    assert (done.passed, done.failures, checkpoints(ground)) == (0, [], [None, None])


def test_the_digest_of_a_day_is_written_when_it_is_over_and_hits_are_set_apart(ground: AwsGround) -> None:
    append(ground, entries_of(ground, hits_of(20)))
    screened = Pack(VERSION, RULES, CLOCK.now_ms(), [("bought", "", "", "")], screened={0: "reload"})
    append(ground, [Entry(0, "abc", 1, record_from_pack(screened), CLOCK.now_ms())])
    count_all(ground)
    day = window_of(CLOCK.now_ms(), Grain.DAY, "UTC")
    clock = SetClock(day.to_ms + 15 * MINUTE_MS)
    maintenance = open_maintenance(ground.settings, clock)
    for _ in range(3):
        assert maintenance.run(lambda: False).failures == []
        clock.advance(MINUTE_MS)
    name = instant_text(day.from_ms)[:10]
    blobs = open_blobs(ground.settings)
    written = blobs.get(f"digests/abc/{name}.md")
    assert written is not None
    assert "| bought | 1 | 0 |" in written.decode()
    assert json.loads(stored_digest(maintenance.table, "abc", name) or b"")["hits"] == 21
    hour_ms = screened.arrived_at_ms // HOUR_MS * HOUR_MS
    blobs.put("screened-until/abc", str(hour_ms).encode())
    apart = SetApart(
        *(blobs, ArchiveRaw(aws_wiring.open_archive(ground.settings, clock))),
        shards=2,
        brands=lambda: ["abc"],
        changes=lambda brand, *, after_version=0: [],
        clock=SetClock(hour_ms + 2 * HOUR_MS),
        keep_ms=DAY_MS,
        read_until_ms=lambda: min(passed_ms(ground)),
    )
    while apart.step():
        pass
    found = zstandard.ZstdDecompressor().decompressobj().decompress(blobs.get(name_of("abc", hour_ms)) or b"")
    assert [json.loads(line)["asset"] for line in found.splitlines()] == ["bought"]


def test_the_name_of_an_erased_member_goes_out_of_the_watch_log(ground: AwsGround) -> None:
    day = window_of(CLOCK.now_ms(), Grain.DAY, "UTC")
    row = WatchRow(
        brand="abc", day_ms=day.from_ms, shard=1, session="s1", number=0, asset="film", section="", series="",
        resource_type="", paid_type="", member="ann", device="tv", from_ms=day.from_ms, to_ms=day.from_ms + 60_000,
        ms=60_000, duration_ms=0, beats=7, seen=b"",
    )  # fmt: skip
    maintenance = open_maintenance(ground.settings, SetClock(CLOCK.now_ms()))
    save_rows(maintenance.table, [(row, day.to_ms + DAY_MS)])
    with closing(open_audience(ground.settings, CLOCK)) as opened:
        ann = Thing("member", "ann")
        assert [one["session"] for one in all_rows(kept(opened.audience, "abc", ann))] == ["s1"]
        assert erase_some(opened.audience, "abc", ann).is_done
        assert list(all_rows(kept(opened.audience, "abc", ann))) == []
    assert maintenance.run(lambda: False).failures == []
    (left,) = rows_of_day(maintenance.table, "abc", day.from_ms, shards=2)
    assert (left.member, left.device, left.session, left.ms) == ("", "", session_digest("s1"), 60_000)


def test_players_that_fell_silent_are_in_the_watch_log_although_no_ping_comes_any_more(ground: AwsGround) -> None:
    began_ms = CLOCK.now_ms()
    beats = [(name, beat(n, at_ms=began_ms - 100_000 + 10_000 * n)) for name in ("s1", "s2", "s3") for n in range(7)]
    shards = ground.settings.stream_shards
    by_shard = {shard: [one for one in beats if shard_of("abc", one[0], shards=shards) == shard] for shard in (0, 1)}
    append(
        ground,
        [Entry(at, GROUP, len(some), record_of(some, began_ms), began_ms) for at, some in by_shard.items() if some],
    )
    count_all(ground)
    with closing(wiring.open_store(ground.settings, CLOCK)) as store:

        def told() -> int:
            days = {window_of(began_ms - ago_ms, Grain.DAY, "UTC").from_ms for ago_ms in (0, 100_000)}
            return sum(row.ms for day_ms in days for row in rows_of_day(store, "abc", day_ms, shards=shards))

        maintained(ground, in_ms=2 * MINUTE_MS)
        count_all(ground)
        assert told() == 0  # They may go on.
        maintained(ground, in_ms=11 * MINUTE_MS)
        count_all(ground)
        assert told() == 3 * 60_000
        heads = [load_head(store, shard) for shard, some in by_shard.items() if some]
        assert [head.open for head in heads if head is not None] == [0] * len(heads)
        assert ticks_due(store, dict(enumerate(one for one in checkpoints(ground) if one)), now_ms=10**15) == []
