"""What a worker has in hand is what the store has, and no more of it than there is room for."""

import pytest

from footfall.flow.count.held import STANDSTILL_MS, Held, Part, Throughs
from footfall.flow.store import keys
from footfall.flow.store.columns import EMPTY, CountKey, columns_from_counts
from footfall.flow.store.merging import Limits
from footfall.flow.store.summaries import Summary
from footfall.ports.errors import Changed
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, window_of
from tests.flow.count.stage import NOON_MS, Stage, key_of
from tests.flow.store.counts import counts_of

HOUR = window_of(NOON_MS, Grain.HOUR, "UTC")
MAIN, LATE = keys.shard_name(0), keys.late_part(0)


def held_on(stage: Stage, *, rows_max: int = 1_000) -> Held:
    return Held(
        stage.summaries, 0, expires_at_ms=lambda window: window.to_ms + DAY_MS, clock=stage.clock, rows_max=rows_max
    )


def add(held: Held, asset: str, *, through: int, name: str = MAIN, window: Window = HOUR) -> None:
    held.add("abc", window, name, {key_of(asset): 1}, limits=Limits(), through=through)


def merged(stage: Stage, *, through: int) -> None:
    summary = Summary(HOUR, keys.ALL, through, {MAIN: through}, columns_from_counts({}), final=True, rules=1)
    stage.summaries.save("abc", summary, replaces=None, expires_at_ms=None)


def test_a_part_that_is_not_stored_is_empty() -> None:
    held = held_on(Stage())
    assert held.part("abc", HOUR, MAIN) == Part(None, EMPTY)
    assert held.throughs("abc", HOUR) == Throughs()
    assert not held.throughs("abc", HOUR).is_stored


def test_what_is_added_is_stored_and_in_hand() -> None:
    stage = Stage()
    held = held_on(stage)
    add(held, "1", through=3)
    add(held, "1", through=4)
    for reader in (held, held_on(stage)):
        part = reader.part("abc", HOUR, MAIN)
        assert (part.through, counts_of(part.columns)) == (4, {key_of("1"): 2})
        assert reader.throughs("abc", HOUR) == Throughs(main=4)


def test_another_writer_is_found_out() -> None:
    stage = Stage()
    one, two = held_on(stage), held_on(stage)
    add(one, "1", through=3)
    assert two.part("abc", HOUR, MAIN).through == 3
    add(one, "1", through=4)
    with pytest.raises(Changed):
        add(two, "1", through=5)
    two.clear()
    add(two, "1", through=5)
    assert counts_of(held_on(stage).part("abc", HOUR, MAIN).columns) == {key_of("1"): 3}


def test_a_window_that_somebody_else_wrote_is_read_again_once_forgotten() -> None:
    stage = Stage()
    one, two = held_on(stage), held_on(stage)
    add(one, "1", through=3)
    add(one, "9", through=3, window=window_of(NOON_MS, Grain.DAY, "UTC"))
    two.part("abc", HOUR, MAIN)
    add(two, "2", through=4)
    assert one.part("abc", HOUR, MAIN).through == 3
    one.forget("abc", HOUR)
    assert one.part("abc", HOUR, MAIN).through == 4


def test_late_hits_that_their_window_holds_count_as_none() -> None:
    stage = Stage()
    held = held_on(stage)
    add(held, "1", through=3)
    add(held, "2", through=4, name=LATE)
    held.save("abc", HOUR, MAIN, columns_from_counts({key_of("1"): 1, key_of("2"): 1}), through=4)  # A fold, cut short.
    again = held_on(stage)
    assert again.part("abc", HOUR, LATE) == Part(4, EMPTY)
    add(again, "3", through=5, name=LATE)
    assert counts_of(held_on(stage).part("abc", HOUR, LATE).columns) == {key_of("3"): 1}
    assert stage.counts(NOON_MS, Grain.HOUR) == {key_of("1"): 1, key_of("2"): 1, key_of("3"): 1}


def test_parts_that_were_merged_count_as_none() -> None:
    stage = Stage()
    add(held_on(stage), "1", through=3)
    merged(stage, through=3)
    held = held_on(stage)
    assert held.part("abc", HOUR, MAIN) == Part(3, EMPTY)
    assert held.throughs("abc", HOUR) == Throughs(main=3, merged=3)
    assert held.throughs("abc", HOUR).counted == 3


def test_a_window_merged_without_this_shard_is_stored_but_holds_nothing_of_it() -> None:
    stage = Stage()
    summary = Summary(HOUR, keys.ALL, 9, {"s01": 9}, columns_from_counts({}), final=True, rules=1)
    stage.summaries.save("abc", summary, replaces=None, expires_at_ms=None)
    throughs = held_on(stage).throughs("abc", HOUR)
    assert (throughs.is_stored, throughs.counted) == (True, 0)


def test_a_part_that_was_removed_is_gone_and_can_be_made_anew() -> None:
    stage = Stage()
    held = held_on(stage)
    add(held, "1", through=3, name=LATE)
    held.remove("abc", HOUR, LATE)
    held.remove("abc", HOUR, LATE)
    assert stage.parts(NOON_MS, Grain.HOUR) == {}
    add(held, "2", through=4, name=LATE)
    assert stage.parts(NOON_MS, Grain.HOUR)[LATE].through == 4


def test_unfinished_parts_outlive_a_standstill() -> None:
    stage = Stage()
    held = held_on(stage)
    add(held, "1", through=3)
    stage.clock.set(HOUR.to_ms + DAY_MS + STANDSTILL_MS - 1)
    assert MAIN in stage.parts(NOON_MS, Grain.HOUR)
    stage.clock.advance(1)
    assert stage.parts(NOON_MS, Grain.HOUR) == {}
    add(held, "2", through=4)  # It has expired in hand as well, so that writing it anew is no surprise.
    assert counts_of(held_on(stage).part("abc", HOUR, MAIN).columns) == {key_of("2"): 1}


def test_rows_in_hand_are_bounded() -> None:
    stage = Stage()
    held = held_on(stage, rows_max=20)
    for number in range(40):
        window = window_of(NOON_MS + number * HOUR_MS, Grain.HOUR, "UTC")
        held.add("abc", window, MAIN, {key_of(str(at)): 1 for at in range(6)}, limits=Limits(), through=number + 1)
        assert held.rows <= 20
    large: dict[CountKey, int] = {key_of(str(at)): 1 for at in range(50)}
    held.add("abc", HOUR, MAIN, large, limits=Limits(), through=99)
    assert held.rows == 51  # One window at least is in hand, however large it is.
    held.forget("abc", HOUR)
    assert held.rows == 0
    assert len(held.part("abc", HOUR, MAIN).columns.ident) == 50
    held.clear()
    assert held.rows == 0
