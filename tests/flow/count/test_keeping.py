"""Without transactions nothing is lost or doubled either: archive, ids and place go before the checkpoint."""

from contextlib import suppress

import pytest

from footfall.flow.count.aside import aside, place_at, record_at, replay_of
from footfall.flow.count.aside_items import AsideRecord, listed_aside
from footfall.flow.count.keeping import KEY_REUSED, STANDSTILL_MS
from footfall.flow.count.rollup import PARTS_PER_STEP
from footfall.flow.store import keys
from footfall.flow.store.columns import total_hits
from footfall.flow.store.journal import read_journal
from footfall.flow.stream.seen_ids import KEPT_HOURS
from footfall.ports.errors import Changed
from footfall.ports.stream import Claim, Entry
from footfall.ports.table import Delete, everything
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.aws_stage import AwsStage, entry_with, id_of
from tests.flow.count.stage import NOON_MS, Stage, key_of, minute_of
from tests.flow.count.test_worker import WRITES_MAX, eventful_days, stored, take_turn
from tests.simulation.grounds import Killed, KilledTable, TroubledTable


def played(stage: AwsStage, *, writes: int) -> tuple[object, bool]:
    """Play the days, killed once after so many writes of items or objects; return all that is stored."""
    table: TroubledTable = KilledTable(stage.table, writes=writes, is_ordered=True)
    side, was_killed = None, False
    for acts in eventful_days():
        for act in acts:
            act(stage)
        try:
            side = side or stage.side(table)
            take_turn(side)
        except Killed:
            was_killed, table = True, TroubledTable(stage.table, is_ordered=True)
            side = stage.side(table)
            take_turn(side)
    return stored(stage), was_killed


def eventful(stage: Stage) -> object:
    side = stage.side()
    for acts in eventful_days():
        for act in acts:
            act(stage)
        take_turn(side)
    return stored(stage)


@pytest.mark.parametrize("shards", [1, 2])
def test_both_grounds_store_the_same_of_the_same_days(shards: int) -> None:
    assert eventful(AwsStage(shards=shards)) == eventful(Stage(shards=shards))


EVERY = 23  # Another write each time; `make soak` meets all of them.


@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.soak)])
def test_a_worker_killed_between_any_two_writes_leaves_what_an_undisturbed_one_does(every: int) -> None:
    expected = eventful(Stage())
    undisturbed = AwsStage()
    played(undisturbed, writes=WRITES_MAX)
    raw = [record.sequence for record in undisturbed.archived()]
    for writes in range(0, WRITES_MAX, every):
        stage = AwsStage()
        found, was_killed = played(stage, writes=writes)
        assert found == expected, f"killed after {writes} writes"
        assert [record.sequence for record in stage.archived()] == raw
        if not was_killed:
            assert writes > 100  # The days are eventful.
            return


def repeating(stage: Stage) -> None:
    """Send ids again, in the same flush and in later ones, and acts too."""
    act, other = Claim(id_of("k"), id_of("body")), Claim(id_of("m"), id_of("body"))
    stage.stream.append([entry_with(stage, "123", ids=["a", "", "b"])])
    stage.stream.append([entry_with(stage, "12", ids=["a", "c"])])
    stage.stream.append([entry_with(stage, "45", claim=act), entry_with(stage, "6", ids=["d"], claim=other)])
    stage.side().count()
    stage.clock.advance(2 * HOUR_MS)
    stage.stream.append([entry_with(stage, "45", claim=act), entry_with(stage, "123", ids=["a", "", "e"])])
    stage.side().count()


def test_repeats_are_duplicates_on_either_ground() -> None:
    plain, other = Stage(), AwsStage()
    for stage in (plain, other):
        repeating(stage)
    assert other.lines() == plain.lines()
    assert other.lines().duplicate == 4
    assert other.everything() == plain.everything()
    assert [record.repeats for record in other.archived()] == [(), (0,), (), (), (), (0,)]
    assert [record.repeated for record in other.archived()] == [False] * 4 + [True, False]


class Counted(TroubledTable):
    """A table that counts the blocks of ids that are written."""

    blocks = 0

    def write(self, batch: object) -> None:
        self.blocks += sum(one.key.partition.startswith("@ids#") for one in batch)  # pyright: ignore[reportGeneralTypeIssues,reportAttributeAccessIssue]
        super().write(batch)  # pyright: ignore[reportArgumentType]


def test_ids_cost_one_write_for_each_flush_and_hour_and_repeats_none() -> None:
    stage = AwsStage()
    table = Counted(stage.table, is_ordered=True)
    worker = stage.side(table).workers[0]
    ids = [str(n) for n in range(1_000)]
    stage.stream.append([entry_with(stage, "1" * 1_000, ids=ids)])
    worker.drain()
    assert table.blocks == 1
    for _ in range(5):
        stage.stream.append([entry_with(stage, "1" * 1_000, ids=ids)])
        worker.drain()
    assert (table.blocks, stage.lines().counted, stage.lines().duplicate) == (1, 1_000, 5_000)


def test_ids_expire_in_the_table_a_week_after_they_are_last_asked_for() -> None:
    stage = AwsStage()
    stage.stream.append([entry_with(stage, "1", ids=["a"])])
    stage.side().count()
    stage.clock.set(NOON_MS + (KEPT_HOURS + 1) * HOUR_MS + STANDSTILL_MS - 1)
    assert len(list(everything(stage.table, keys.ids_partition(0)))) == 1
    stage.clock.advance(1)
    assert list(everything(stage.table, keys.ids_partition(0))) == []


def test_a_key_that_comes_with_another_body_is_set_aside_with_that_reason_and_can_be_replayed() -> None:
    stage = AwsStage()
    side = stage.side()
    stage.stream.append([entry_with(stage, "1", claim=Claim(id_of("k"), id_of("body")))])
    stage.stream.append([entry_with(stage, "23", claim=Claim(id_of("k"), id_of("other")))])
    side.count()
    assert (stage.lines().counted, stage.lines().dead) == (1, 2)
    (place,) = aside(stage.table, "abc", "dead")
    assert (place.position, place.reason) == ("0:2", KEY_REUSED)
    assert stage.archived()[1].dead == KEY_REUSED
    for _ in range(2):
        again = replay_of(record_at(stage.raw, "abc", place), place, "dead", now_ms=stage.clock.now_ms())
        stage.stream.append([again])
        side.count()
    assert (stage.lines().counted, stage.lines().dead) == (3, 0)
    assert stage.counts(NOON_MS, Grain.MINUTE) == {key_of("1"): 1, key_of("2"): 1, key_of("3"): 1}
    assert side.recount(NOON_MS, NOON_MS + HOUR_MS).changed == 0


def test_a_worker_that_wakes_up_after_another_took_over_changes_nothing() -> None:
    stage = AwsStage()
    stage.send("0")
    awake, asleep = stage.side().workers[0], stage.side().workers[0]
    stage.stream.append([entry_with(stage, "12", ids=["a", "b"])])
    asleep._take_in(100)  # It has tallied them.
    awake.drain()
    stage.stream.append([entry_with(stage, "1", ids=["a"]), entry_with(stage, "1", ids=["c"])])
    awake.drain()
    before, archived = stored(stage), stage.archived()
    stage.clock.advance(1_000)
    with pytest.raises(Changed):
        asleep.flush(is_at_tip=False)
    assert (stored(stage), stage.archived()) == (before, archived)
    asleep.drain()
    assert stage.lines().counted == 4
    assert stage.lines().duplicate == 1


def test_a_rival_that_read_less_takes_no_ids_away_from_one_that_read_more() -> None:
    stage = AwsStage()
    stage.stream.append([entry_with(stage, "1", ids=["a"])])
    slow = stage.side().workers[0]
    slow._take_in(100)
    quick = stage.side().workers[0]
    stage.stream.append([entry_with(stage, "2", ids=["b"])])
    quick.drain()
    stage.clock.advance(1_000)
    with suppress(Changed):
        slow.flush(is_at_tip=False)
    stage.stream.append([entry_with(stage, "1", ids=["a"]), entry_with(stage, "2", ids=["b"])])
    stage.side().count()
    assert (stage.lines().counted, stage.lines().duplicate) == (2, 2)


def test_news_that_one_wrote_are_not_lost_to_another_that_fails_for_the_same_checkpoint() -> None:
    stage = AwsStage()
    asleep, awake = stage.side().workers[0], stage.side().workers[0]
    stage.send("1")
    awake.drain()
    with pytest.raises(Changed):
        asleep.commit_touched([])
    news = read_journal(stage.table, 0, after=0, now_number=awake.checkpoint.number)
    assert (news.is_whole, [one.window for one in news.touched]) == (True, [minute_of(NOON_MS)])


def test_what_was_set_aside_stays_listed_once_whoever_lists_it_again() -> None:
    stage = AwsStage()
    old_ms = NOON_MS - 2 * DAY_MS
    stage.send("1", at_ms=old_ms)
    early, later = stage.side().workers[0], stage.side().workers[0]
    for one in (early, later):
        one._take_in(100)
    stage.send("2", at_ms=old_ms)
    late = stage.side().workers[0]
    late.drain()
    stage.clock.advance(1_000)
    for one in (early, later):
        with suppress(Changed):
            one.flush(is_at_tip=False)
    assert [place.position for place in aside(stage.table, "abc", "late")] == ["0:1", "0:2"]
    # A run that begins at another record lists it once more, and it is told once.
    for put in listed_aside(("abc", "late", ""), [AsideRecord(2, [0], 1)], shard=0, expires_at_ms=NOON_MS + DAY_MS):
        stage.table.put(put)
    assert [place.position for place in aside(stage.table, "abc", "late")] == ["0:1", "0:2"]


def test_a_shard_read_again_from_its_start_adds_nothing() -> None:
    stage = AwsStage()
    eventful(stage)
    repeating(stage)
    before, lines, archived = stage.everything(), stage.lines(), stage.archived()
    stage.table.delete(Delete(keys.checkpoint(0)))
    stage.side().count()
    # Minutes that have expired are counted anew, and will expire anew.
    assert {window: counts for window, counts in stage.everything().items() if window in before} == before
    assert all(window in before for window in stage.everything() if window.grain is not Grain.MINUTE)
    assert (stage.lines(), stage.archived()) == (lines, archived)


def test_one_that_slept_through_a_fold_puts_nothing_beside_it_again() -> None:
    stage = AwsStage()
    side = stage.side()
    old_ms = NOON_MS - 5 * DAY_MS  # Its minutes are not kept any more, so hits go straight to the hour.

    def bring_in(asset: str) -> None:
        stage.send_pack([key_of(asset)], at_ms=[old_ms], trusted=True)

    bring_in("1")
    side.count()
    assert set(stage.parts(old_ms, Grain.HOUR)) == {keys.shard_name(0)}
    bring_in("2")
    asleep = stage.side().workers[0]
    asleep._take_in(100)
    side.count()
    assert keys.late_part(0) in stage.parts(old_ms, Grain.HOUR)
    stage.clock.advance(11 * MINUTE_MS)
    side.build()  # What was late is folded in.
    bring_in("3")
    asleep._take_in(100)
    with pytest.raises(Changed):
        asleep.flush(is_at_tip=False)
    assert stage.counts(old_ms, Grain.HOUR) == {key_of("1"): 1, key_of("2"): 1}
    side.count()
    assert stage.counts(old_ms, Grain.HOUR) == {key_of("1"): 1, key_of("2"): 1, key_of("3"): 1}


def test_an_hour_that_was_built_by_one_that_slept_is_built_again_by_whoever_counts_on() -> None:
    stage = AwsStage()
    side = stage.side()
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    for minute in range(2 * PARTS_PER_STEP):
        stage.send("1", at_ms=NOON_MS + minute * MINUTE_MS)
    side.workers[0].drain()
    side.workers[0].flush(is_at_tip=True)
    asleep = stage.side().workers[0]
    passed_ms, through = asleep.checkpoint.passed_ms, asleep.checkpoint.through
    # The first minutes are in hand, nothing is written.
    assert asleep.rollup.step(passed_ms=passed_ms, through=through, now_ms=stage.clock.now_ms()) == []
    stage.send("1", "2", at_ms=NOON_MS)
    side.workers[0].drain()  # The hour is not built, so the minute has them.
    with suppress(Changed):
        asleep.build(lambda: False)
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 2 * PARTS_PER_STEP}  # It wrote what it had in hand.
    with pytest.raises(Changed):
        side.build()
    side.build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 2 * PARTS_PER_STEP + 1, key_of("2"): 1}


def test_an_idle_shard_passes_its_minutes_and_one_with_hits_does_not() -> None:
    stage = AwsStage()
    worker = stage.side().workers[0]
    stage.clock.set(NOON_MS + 90_000)
    assert worker.pass_idle()
    assert worker.checkpoint.passed_ms == NOON_MS + MINUTE_MS
    number = worker.checkpoint.number
    stage.clock.advance(10_000)
    assert worker.pass_idle()
    assert worker.checkpoint.number == number  # Within the same minute there is nothing to tell.
    stage.send("1")
    stage.clock.advance(MINUTE_MS)
    assert not worker.pass_idle()
    assert (worker.checkpoint.number, stage.lines().counted) == (number, 0)
    worker.drain()
    assert stage.lines().counted == 1


def test_building_stops_when_it_is_told_to() -> None:
    stage = AwsStage()
    worker = stage.side().workers[0]
    stage.send("1", "2")
    worker.drain()
    stage.clock.set(NOON_MS + 2 * DAY_MS)
    assert worker.pass_idle()
    assert worker.build(lambda: True)
    assert stage.parts(NOON_MS, Grain.HOUR) == {}
    assert not worker.build(lambda: False)
    assert total_hits(stage.columns(NOON_MS, Grain.HOUR)) == total_hits(stage.columns(NOON_MS, Grain.DAY)) == 2


def test_what_was_taken_in_is_archived_before_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.flow.count.keeping.TAKEN_BYTES_MAX", 5_000)
    stage = AwsStage()
    worker = stage.side().workers[0]
    for _ in range(100):
        stage.send("1")
    worker.drain()
    assert stage.lines().counted == len(stage.archived()) == 100


def test_records_of_a_position_that_is_not_kept_are_refused() -> None:
    stage = AwsStage()
    stage.stream.append([Entry(0, "abc", 3, b"\xc1", NOON_MS)])
    stage.side().count()
    place = place_at(stage.table, "abc", "dead", "0:1")
    assert record_at(stage.raw, "abc", place).data == b"\xc1"
