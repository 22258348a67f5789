"""A shard's checkpoint and ledger come back as they were written, and only one of two writers wins."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import (
    LINES,
    Checkpoint,
    Lines,
    checkpoint_from_item,
    lines_item,
    load_checkpoint,
    save_checkpoint,
)
from footfall.ports.errors import Changed, Corrupt
from footfall.ports.table import Put
from footfall.values.clock import SetClock

numbers = st.integers(0, 2**62)
lines = st.builds(
    Lines,
    **dict.fromkeys((*LINES, "last_hit_ms"), numbers),
    screened=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(1, 99)).map(Counter),
)
checkpoints = st.builds(
    Checkpoint,
    **dict.fromkeys(("number", "through", "passed_ms", "arrived_at_ms", "flushed_at_ms", "flush_ms"), numbers),
    lines=st.dictionaries(st.text("abc", min_size=1, max_size=3), lines, max_size=3),
)


def table() -> SqliteTable:
    return SqliteTable(":memory:", clock=SetClock(0))


@given(checkpoints)
def test_a_checkpoint_comes_back_as_it_was_written(checkpoint: Checkpoint) -> None:
    store = table()
    save_checkpoint(store, 3, checkpoint, replaces=None)
    assert load_checkpoint(store, 3) == checkpoint
    assert load_checkpoint(store, 0) is None


def test_of_two_writers_that_read_the_same_one_wins() -> None:
    store = table()
    save_checkpoint(store, 0, Checkpoint(number=1), replaces=None)
    with pytest.raises(Changed):
        save_checkpoint(store, 0, Checkpoint(number=1, through=9), replaces=None)
    save_checkpoint(store, 0, Checkpoint(number=2, through=5), replaces=1)
    with pytest.raises(Changed):
        save_checkpoint(store, 0, Checkpoint(number=2, through=9), replaces=1)
    assert load_checkpoint(store, 0) == Checkpoint(number=2, through=5)


@given(lines, lines)
def test_lines_add_up_line_by_line(one: Lines, two: Lines) -> None:
    both = Lines()
    both.add(one)
    both.add(two)
    for line in LINES:
        assert getattr(both, line) == getattr(one, line) + getattr(two, line)
    assert both.screened == one.screened + two.screened
    assert both.last_hit_ms == max(one.last_hit_ms, two.last_hit_ms)


def test_hits_move_between_lines_and_reasons() -> None:
    lines = Lines(late=5)
    lines.move("late", -2)
    lines.move("counted", 2)
    lines.move("bot", 3)
    assert lines_item(lines) == {"counted": 2, "late": 3, "screened": {"bot": 3}}


def test_lines_without_hits_take_no_room() -> None:
    assert lines_item(Lines(last_hit_ms=7)) == {}


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"brands": {}, "seen": 1},
        {"brands": {"abc": 1}, "seen": {}},
        {"brands": {"abc": {"counted": "many"}}, "seen": {}},
        {"brands": {}, "seen": {}, "through": "far"},
    ],
)
def test_a_checkpoint_that_makes_no_sense_is_said_to_be_corrupt(item: dict[str, object]) -> None:
    store = table()
    store.put(Put(keys.checkpoint(0), item))  # pyright: ignore[reportArgumentType]
    with pytest.raises(Corrupt):
        load_checkpoint(store, 0)
    with pytest.raises(Corrupt):
        checkpoint_from_item(item)  # pyright: ignore[reportArgumentType]
