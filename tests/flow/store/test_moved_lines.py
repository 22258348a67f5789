"""What verdicts have moved between lines of the ledger: swapped once, to nothing lost and nothing made."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.store import moved_lines
from footfall.flow.store.checkpoints import LINES, Checkpoint, Lines
from footfall.flow.store.moved_lines import Move, door_totals_of, moved_in, remember_moves, swap_moves
from footfall.ports.errors import Corrupt
from footfall.values.window import HOUR_MS

hours = st.integers(0, 4).map(lambda hour: hour * HOUR_MS)
pairs = st.sampled_from([("counted", "verdict"), ("counted", "verdict-confirmed"), ("reload", "verdict-confirmed")])
moves = st.dictionaries(
    st.tuples(st.sampled_from(["abc", "xyz"]), hours, pairs).map(lambda one: (one[0], one[1], *one[2])),
    st.integers(1, 50),
    max_size=8,
).map(Counter[Move])


def total(lines: Lines) -> int:
    return sum(getattr(lines, line) for line in LINES) + lines.screened.total()


def counted(moved: Counter[Move]) -> Checkpoint:
    """Return a checkpoint after hits were counted, of which verdicts moved some."""
    checkpoint = Checkpoint()
    for brand in ("abc", "xyz"):
        lines = checkpoint.lines[brand] = Lines(counted=500)
        lines.move("reload", 500)
        for (whose, _, door, line), hits in moved.items():
            if whose == brand:
                lines.move(door, -hits)
                lines.move(line, hits)
    remember_moves(checkpoint, moved)
    return checkpoint


@given(moves, moves, st.frozensets(hours))
def test_a_swap_leaves_what_counting_so_from_the_beginning_gives(
    before: Counter[Move], anew: Counter[Move], swapped: frozenset[int]
) -> None:
    checkpoint = counted(before)
    swap_moves(checkpoint, "abc", swapped, anew)
    stays = {move: hits for move, hits in before.items() if move[0] != "abc" or move[1] not in swapped}
    comes = {move: hits for move, hits in anew.items() if move[0] == "abc" and move[1] in swapped}
    whole = counted(Counter(stays | comes))
    assert (checkpoint.lines, checkpoint.moved) == (whole.lines, whole.moved)
    assert total(checkpoint.lines["abc"]) == 1_000
    assert not swap_moves(checkpoint, "abc", swapped, anew)  # Who does it once more moves nothing.
    assert door_totals_of([checkpoint], "abc") == {"reload": 500}


def test_of_too_much_the_oldest_hours_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved_lines, "ENTRIES_MAX", 2)
    checkpoint = counted(Counter({("abc", hour * HOUR_MS, "counted", "verdict"): 10 for hour in range(4)}))
    assert moved_in(checkpoint).since_ms == 2 * HOUR_MS
    assert swap_moves(checkpoint, "abc", frozenset(range(0, 4 * HOUR_MS, HOUR_MS)), Counter())
    assert dict(checkpoint.lines["abc"].screened) == {"reload": 500, "verdict": 20}
    assert not moved_in(checkpoint).hits


def test_the_checkpoint_before_keeps_its_lines() -> None:
    before = counted(Counter({("abc", 0, "counted", "verdict"): 10}))
    after = Checkpoint(lines=dict(before.lines), moved=before.moved)
    swap_moves(after, "abc", frozenset([0]), Counter())
    assert (before.lines["abc"].counted, after.lines["abc"].counted) == (490, 500)


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(Corrupt, match="restore"):
        moved_in(Checkpoint(moved=b"?"))
