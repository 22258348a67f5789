"""Counting again gives the same bytes when nothing but time has passed, and puts right what is wrong."""

from collections.abc import Callable

import pytest

from footfall.flow.count.aside import aside, record_at, replay_of
from footfall.flow.count.recount import Asked, Done
from footfall.flow.count.rollup import PARTS_PER_STEP
from footfall.flow.store import keys
from footfall.flow.store.columns import columns_from_counts
from footfall.ports.table import Delete, Put
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, Window, window_of
from tests.flow.count.stage import NOON_MS, Side, Stage, day_of, go_on_until, key_of
from tests.simulation.grounds import TroubledTable


def eventful(stage: Stage) -> Side:
    """Return the side of a stage on which every kind of hit has come, some after their hour was built."""
    side = stage.side()
    stage.send("1", "2", "x", "y")
    stage.send("1", at_ms=NOON_MS - 3 * HOUR_MS)
    side.count()
    stage.clock.set(NOON_MS + 90 * MINUTE_MS)
    stage.send("1", "3", at_ms=NOON_MS + 7 * MINUTE_MS)
    stage.send("old", "y", at_ms=NOON_MS - 2 * DAY_MS)
    stage.send_pack([key_of("1"), key_of("2")], screened={0: "bot"})
    side.count()
    stage.clock.advance(20 * MINUTE_MS)
    side.build()
    stage.send("z", "1", at_ms=NOON_MS + 1)
    side = stage.side()
    side.count()
    return side


def replay_late(stage: Stage) -> None:
    now_ms = stage.clock.now_ms()
    places = list(aside(stage.table, "abc", "late"))
    stage.stream.append([replay_of(record_at(stage.raw, "abc", one), one, "late", now_ms=now_ms) for one in places * 2])


def next_days(stage: Stage, side: Side) -> None:
    go_on_until(stage, side, NOON_MS + 13 * HOUR_MS)


def until_final(stage: Stage, side: Side) -> None:
    go_on_until(stage, side, NOON_MS + 40 * HOUR_MS)


def nothing(stage: Stage, side: Side) -> None:
    """Let nothing happen."""


def replays(stage: Stage, side: Side) -> None:
    replay_late(stage)
    side.count()
    next_days(stage, side)


@pytest.mark.parametrize("then", [nothing, next_days, until_final, replays])
@pytest.mark.parametrize(("shards", "keep_rows"), [(1, 0), (3, 0), (2, 1)])
def test_the_same_range_gives_the_same_bytes(then: Callable[[Stage, Side], None], shards: int, keep_rows: int) -> None:
    stage = Stage(shards=shards, keep_rows=keep_rows)
    side = eventful(stage)
    then(stage, side)
    stage.clock.advance(11 * MINUTE_MS)
    side.build()  # What waits is folded in.
    side.finish()
    before, lines, now_ms = stage.checksums(), stage.lines(), stage.clock.now_ms()
    done = side.recount(NOON_MS - 3 * DAY_MS, now_ms)
    assert (done.windows > 0, done.changed) == (True, 0)
    side.finish()
    assert stage.checksums() == before
    assert stage.lines() == lines


def test_late_hits_that_wait_are_taken_into_their_hour() -> None:
    stage = Stage()
    side = eventful(stage)
    before = stage.everything()
    assert keys.late_part(0) in stage.parts(NOON_MS, Grain.HOUR)
    done = side.recount(NOON_MS, NOON_MS + HOUR_MS)
    assert done.changed == 0
    assert set(stage.parts(NOON_MS, Grain.HOUR)) == {keys.shard_name(0)}
    assert stage.everything() == before


def test_a_sparing_recount_writes_only_what_is_not_as_it_was() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", "2")
    stage.clock.advance(MINUTE_MS)
    stage.send("1", "2")
    side.count()
    through = stage.parts(NOON_MS, Grain.MINUTE)[keys.shard_name(0)].through
    stage.send("3", at_ms=NOON_MS + MINUTE_MS)  # Only the checkpoint and the second minute go on with it.
    side.count()
    wrong = stage.window(NOON_MS + MINUTE_MS, Grain.MINUTE)
    side.workers[0].held.save("abc", wrong, keys.shard_name(0), columns_from_counts({key_of("9"): 9}), through=3)
    *_, done = side.recounter.run(Asked("abc", NOON_MS, NOON_MS + HOUR_MS, is_sparing=True))
    assert isinstance(done, Done)
    assert done.changed == 1
    assert stage.counts(NOON_MS + MINUTE_MS, Grain.MINUTE) == {key_of("1"): 1, key_of("2"): 1, key_of("3"): 1}
    assert stage.parts(NOON_MS, Grain.MINUTE)[keys.shard_name(0)].through == through
    side.recount(NOON_MS, NOON_MS + HOUR_MS)
    assert stage.parts(NOON_MS, Grain.MINUTE)[keys.shard_name(0)].through > through


def test_a_range_inside_an_hour_counts_the_whole_hour_again() -> None:
    stage = Stage()
    side = eventful(stage)
    before = stage.everything()
    done = side.recount(NOON_MS + 5 * MINUTE_MS, NOON_MS + 6 * MINUTE_MS)
    assert (done.hits, done.changed) == (8, 0)
    assert stage.everything() == before


@pytest.mark.parametrize("is_final", [False, True])
@pytest.mark.parametrize("grain", [Grain.MINUTE, Grain.HOUR, Grain.DAY])
def test_a_window_that_was_tampered_with_is_put_right(grain: Grain, is_final: bool) -> None:
    stage = Stage(shards=2)
    side = eventful(stage)
    next_days(stage, side)
    if is_final:
        go_on_until(stage, side, NOON_MS + 37 * HOUR_MS)
    before = stage.everything()
    tamper(stage, window_of(NOON_MS, grain, "UTC"))
    assert stage.everything() != before
    side = stage.side()
    done = side.recount(NOON_MS, NOON_MS + HOUR_MS)
    assert done.changed == 1
    assert stage.everything() == before


def tamper(stage: Stage, window: Window) -> None:
    for part, head in stage.parts(window.from_ms, window.grain).items():
        summary = stage.summaries.load("abc", window, part)
        assert summary is not None
        forged = columns_from_counts({key_of("forged"): 9})
        changed = type(summary)(window, part, head.through, head.throughs, forged, final=head.final, rules=1)
        stage.summaries.save("abc", changed, replaces=head.through, expires_at_ms=None)


@pytest.mark.parametrize("grain", [Grain.MINUTE, Grain.HOUR])
def test_a_window_that_was_lost_or_damaged_is_counted_again(grain: Grain) -> None:
    stage = Stage()
    side = eventful(stage)
    next_days(stage, side)
    before = stage.everything()
    window = window_of(NOON_MS, grain, "UTC")
    head = keys.head("abc", window, keys.shard_name(0))
    item = stage.table.get(head)
    assert item is not None
    for damage in (Put(head, {**item, "bytes": b"broken"}), Delete(head)):
        stage.table.write([damage])
        side = stage.side()
        assert side.recount(NOON_MS, NOON_MS + HOUR_MS).changed == 1
        assert stage.everything() == before


def test_hits_that_keep_coming_are_neither_lost_nor_doubled() -> None:
    stage = Stage(shards=2)
    side = eventful(stage)
    sent = 0
    for _ in range(3_000):  # More than one read takes.
        stage.send("7", at_ms=NOON_MS + 30 * MINUTE_MS)
    side.count()

    def go_on() -> None:
        nonlocal sent
        stage.send("7", "8", at_ms=NOON_MS + 30 * MINUTE_MS)
        stage.clock.advance(600)
        sent += 1
        for worker in side.workers:
            worker.step()

    side.recount(NOON_MS, NOON_MS + HOUR_MS, between=go_on)
    assert sent > 1
    side.count()
    for grain in (Grain.MINUTE, Grain.HOUR):
        counts = stage.counts(NOON_MS + 30 * MINUTE_MS, grain)
        assert (counts[key_of("7")], counts[key_of("8")]) == (3_000 + sent, sent)


def test_a_build_on_its_way_takes_up_what_was_counted_again() -> None:
    stage = Stage()
    worker = (side := stage.side()).workers[0]
    stage.clock.set(NOON_MS + 2 * HOUR_MS)
    for minute in range(2 * PARTS_PER_STEP):
        stage.send("1", at_ms=NOON_MS + minute * MINUTE_MS)
    worker.drain()
    tamper(stage, window_of(NOON_MS, Grain.MINUTE, "UTC"))
    worker.held.clear()
    worker.flush(is_at_tip=True)
    now_ms = stage.clock.now_ms()
    assert worker.rollup.step(passed_ms=now_ms, through=worker.checkpoint.through, now_ms=now_ms) == []
    side.recount(NOON_MS, NOON_MS + HOUR_MS)
    side.build()
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 2 * PARTS_PER_STEP}


def test_replays_count_once_in_each_shard() -> None:
    stage = Stage(shards=3)
    side = stage.side()
    for asset in "abcdefghij":
        stage.send(asset, at_ms=NOON_MS - 2 * DAY_MS)
    side.count()
    replay_late(stage)
    side.count()
    go_on_until(stage, side, NOON_MS + HOUR_MS)
    before = stage.everything()
    done = side.recount(NOON_MS - 2 * DAY_MS - HOUR_MS, NOON_MS - 2 * DAY_MS + HOUR_MS)
    assert (done.hits, done.changed) == (10, 0)
    assert stage.everything() == before


def test_a_replayed_hit_of_the_future_is_found_again() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", at_ms=NOON_MS + 2 * HOUR_MS)
    side.count()
    (place,) = aside(stage.table, "abc", "future")
    stage.clock.set(NOON_MS + 3 * HOUR_MS)
    entry = replay_of(record_at(stage.raw, "abc", place), place, "future", now_ms=stage.clock.now_ms())
    stage.stream.append([entry])
    side.count()
    stage.clock.advance(HOUR_MS)
    side.build()
    assert side.recount(NOON_MS + 2 * HOUR_MS, NOON_MS + 3 * HOUR_MS).changed == 0
    assert stage.counts(NOON_MS + 2 * HOUR_MS, Grain.HOUR) == {key_of("1"): 1}


@pytest.mark.parametrize(
    ("from_ms", "to_ms", "field"),
    [
        (NOON_MS, NOON_MS, "from"),
        (NOON_MS, NOON_MS - 1, "from"),
        (NOON_MS, NOON_MS + 10 * DAY_MS, "to"),
        (NOON_MS - 3 * DAY_MS, NOON_MS, "from"),
    ],
)
def test_a_range_that_cannot_be_counted_again_is_refused(from_ms: int, to_ms: int, field: str) -> None:
    stage = Stage()
    side = stage.side()
    stage.clock.set(NOON_MS - 2 * DAY_MS)
    stage.send("1")
    stage.clock.set(NOON_MS)
    stage.send("1")
    side.count()
    stage.stream.trim(0, through=1)
    with pytest.raises(Refused) as refused:
        side.recount(from_ms, to_ms)
    assert refused.value.field == field


def test_a_range_of_hits_that_are_kept_is_counted_whatever_was_trimmed_before() -> None:
    stage = Stage()
    side = stage.side()
    stage.clock.set(NOON_MS - 2 * DAY_MS)
    stage.send("1")
    stage.clock.set(NOON_MS)
    stage.send("1")
    side.count()
    stage.stream.trim(0, through=1)
    assert side.recount(NOON_MS, NOON_MS + 1).changed == 0


def test_a_recount_that_fails_leaves_everything_as_it_was() -> None:
    stage = Stage()
    eventful(stage)
    before = stage.everything()
    side = stage.side(table := Breaking(stage.table))
    table.breaks_at = table.writes + 5
    with pytest.raises(ConnectionError):
        side.recount(NOON_MS, NOON_MS + HOUR_MS)
    table.breaks_at = None
    stage.send("9", at_ms=NOON_MS)
    side.count()
    after = stage.everything()
    assert after[window_of(NOON_MS, Grain.MINUTE, "UTC")][key_of("9")] == 1
    assert {window: counts for window, counts in after.items() if key_of("9") not in counts} == {
        window: counts for window, counts in before.items() if key_of("9") not in after[window]
    }


class Breaking(TroubledTable):
    """A table that fails once, in the middle of something."""

    writes = 0
    breaks_at: int | None = None

    def after_write(self) -> None:
        self.writes += 1
        if self.writes == self.breaks_at:
            raise ConnectionError


def test_today_may_be_asked_for_whole_and_is_counted_as_far_as_it_has_come() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1", "2")
    side.count()
    today = day_of(stage, NOON_MS)
    done = side.recount(today.from_ms, today.to_ms)
    assert (done.hits, done.changed) == (2, 0)
    assert (done.from_ms, done.to_ms) == (today.from_ms, NOON_MS + HOUR_MS)  # What was covered is said.


@pytest.mark.parametrize(("from_ms", "to_ms", "field"), [(-HOUR_MS, 2 * DAY_MS, "to"), (HOUR_MS, 2 * HOUR_MS, "from")])
def test_what_has_not_come_is_refused(from_ms: int, to_ms: int, field: str) -> None:
    side = Stage().side()
    with pytest.raises(Refused, match="lies in the future") as refused:
        side.recount(NOON_MS + from_ms, NOON_MS + to_ms)
    assert refused.value.field == field
