"""A final window is one part, cut for the reader, and holds what its shards' parts held."""

from collections import Counter

import pytest

from footfall.flow.count.aside import aside, record_at, replay_of
from footfall.flow.store import keys
from footfall.flow.store.columns import is_same, total_hits
from footfall.flow.store.cutting import cut
from footfall.ports.errors import Throttled
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.stage import NOON_MS, Side, Stage, go_on_until, key_of
from tests.simulation.grounds import Killed, KilledTable, TroubledTable

DUE_MS = NOON_MS + 25 * HOUR_MS + MINUTE_MS  # The hour of noon is final then.
ASSETS = ["1", "1", "1", "2", "2", "3", "x", "y", "z"]


def built(stage: Stage) -> Side:
    """Return the side of a stage whose windows of noon are built and about to be final."""
    side = stage.side()
    stage.send(*ASSETS)
    side.count()
    stage.clock.set(NOON_MS + 13 * HOUR_MS)
    side.build()
    stage.send("2", "x", at_ms=NOON_MS + 1)
    side.count()
    stage.clock.set(DUE_MS)
    side.build()
    return side


def replay_all(stage: Stage) -> None:
    now_ms = stage.clock.now_ms()
    places = list(aside(stage.table, "abc", "late"))
    stage.stream.append(
        [replay_of(record_at(stage.raw, "abc", place), place, "late", now_ms=now_ms) for place in places]
    )


@pytest.mark.parametrize("keep_rows", [0, 1, 3])
def test_a_final_window_is_the_cut_of_all_its_shards_parts(keep_rows: int) -> None:
    stage = Stage(shards=3, keep_rows=keep_rows)
    side = built(stage)
    whole = {grain: stage.columns(NOON_MS, grain) for grain in (Grain.MINUTE, Grain.HOUR)}
    assert len(stage.parts(NOON_MS, Grain.HOUR)) > 1
    assert side.finish() == 1
    for grain, columns in whole.items():
        (head,) = stage.parts(NOON_MS, grain).values()
        assert (head.part, head.final) == (keys.ALL, True)
        assert is_same(stage.columns(NOON_MS, grain), cut(columns, keep_rows))
    assert total_hits(stage.columns(NOON_MS, Grain.DAY)) == len(ASSETS) + 2  # Days are final a day after their end.


def test_nothing_is_finished_a_moment_too_early() -> None:
    stage = Stage()
    side = stage.side()
    stage.send("1")
    side.count()
    stage.clock.set(NOON_MS + 25 * HOUR_MS + 29_999)
    side.build()
    assert side.finish() == 0
    stage.clock.advance(MINUTE_MS)
    side.build()
    assert side.finish() == 1


def test_parts_hold_how_much_of_each_shard_they_have() -> None:
    stage = Stage(shards=2)
    built(stage).finish()
    (head,) = stage.parts(NOON_MS, Grain.HOUR).values()
    assert head.throughs == {keys.shard_name(shard): stage.checkpoints()[shard].through for shard in (0, 1)}


def test_a_replay_into_a_final_window_is_counted_and_finished_again() -> None:
    stage = Stage(shards=2)
    side = built(stage)
    side.finish()
    stage.send("1", "new", "x", at_ms=NOON_MS + 2)  # Too late by an hour.
    side.count()
    assert stage.lines().late == 3
    replay_all(stage)
    side.count()
    expected = Counter({key_of(asset): ASSETS.count(asset) for asset in ASSETS})
    expected.update([key_of("2"), key_of("x"), key_of("1"), key_of("new"), key_of("x")])
    for grain in (Grain.MINUTE, Grain.HOUR, Grain.DAY):
        assert stage.counts(NOON_MS, grain) == expected
    go_on_until(stage, side, DUE_MS + 23 * HOUR_MS)
    assert keys.ALL in stage.parts(NOON_MS, Grain.HOUR)
    assert len(stage.parts(NOON_MS, Grain.HOUR)) > 1  # More may follow, so it is not cut again at once.
    go_on_until(stage, side, DUE_MS + 2 * DAY_MS)
    for grain in (Grain.HOUR, Grain.DAY):
        assert set(stage.parts(NOON_MS, grain)) == {keys.ALL}
        assert stage.counts(NOON_MS, grain) == expected


def test_finishing_that_was_cut_short_anywhere_is_done_again() -> None:
    reference = Stage(shards=2, keep_rows=1)
    built(reference).finish()
    for writes in range(1_000):
        stage = Stage(shards=2, keep_rows=1)
        built(stage)
        try:
            stage.side(KilledTable(stage.table, writes=writes, is_ordered=True)).finish()
        except Killed:
            assert stage.everything()[stage.windows()[0]]
            stage.side().finish()
            assert stage.checksums() == reference.checksums()
            assert set(stage.parts(NOON_MS, Grain.HOUR)) == {keys.ALL}
        else:
            assert writes > 5
            return


def test_hits_added_to_a_window_whose_finishing_was_cut_short_are_not_doubled() -> None:
    stage = Stage()
    side = built(stage)
    hits = total_hits(stage.columns(NOON_MS, Grain.MINUTE))
    stage.send("1", at_ms=NOON_MS + 2)
    side.count()
    with pytest.raises(Killed):  # The minute is merged, and its part is still there.
        stage.side(KilledTable(stage.table, writes=1, is_ordered=True)).finish()
    assert set(stage.parts(NOON_MS, Grain.MINUTE)) == {keys.ALL, keys.shard_name(0)}
    replay_all(stage)
    stage.side().count()
    assert total_hits(stage.columns(NOON_MS, Grain.MINUTE)) == hits + 1


class Busy(TroubledTable):
    """A table that is throttled while it is told to be."""

    is_busy = False

    def before(self) -> None:
        if self.is_busy:
            raise Throttled("later")


def test_finishing_that_failed_is_tried_again() -> None:
    stage = Stage()
    built(stage)
    table = Busy(stage.table)
    side = stage.side(table)
    table.is_busy = True
    with pytest.raises(Throttled):
        side.finish()
    table.is_busy = False
    assert side.finish() == 1
    stage.send("1")
    side.count()
    assert stage.lines().counted == len(ASSETS) + 3


def test_parts_of_minutes_expire_with_what_was_merged() -> None:
    stage = Stage()
    built(stage).finish()
    stage.clock.set(NOON_MS + 2 * DAY_MS + 12 * MINUTE_MS)
    assert stage.parts(NOON_MS, Grain.MINUTE) == {}
    assert keys.ALL in stage.parts(NOON_MS, Grain.HOUR)
