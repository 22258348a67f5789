"""The pace rises slowly, falls fast, and never leaves its bounds."""

from hypothesis import given
from hypothesis import strategies as st

from footfall.migrate.pacing import Bounds, Pace, Pacer, faster, is_slow, quiet_pace, slowed
from footfall.values.clock import SetClock

BOUNDS = Bounds(lowest=10, highest=1_000, first=100, step=20)


class Waiting:
    """A pause that moves a clock."""

    def __init__(self) -> None:
        self.clock = SetClock(0)
        self.waited = 0.0

    def __call__(self, seconds: float) -> None:
        assert seconds >= 0
        self.waited += seconds
        self.clock.advance(round(seconds * 1_000))


def pacer(waiting: Waiting, *, per_second: float = 100.0) -> Pacer:
    return Pacer(Pace(per_second, quiet_ms=2.0), waiting.clock, waiting, BOUNDS)


signs = st.lists(st.one_of(st.floats(0, 100), st.none()), max_size=200)  # None: the target asks to wait


@given(signs)
def test_whatever_it_is_told_the_pace_stays_within_its_bounds(told: list[float | None]) -> None:
    made = pacer(Waiting())
    for latency_ms in told:
        before = made.pace.per_second
        if latency_ms is None:
            made.throttled()
            assert made.pace.per_second == max(BOUNDS.lowest, before / 2)
        else:
            made.look(latency_ms)
            assert made.pace.per_second <= before + BOUNDS.step
        assert BOUNDS.lowest <= made.pace.per_second <= BOUNDS.highest


@given(st.lists(st.tuples(st.integers(1, 500), signs), min_size=1, max_size=30))
def test_no_more_is_moved_than_the_highest_pace_allows(rounds: list[tuple[int, list[float | None]]]) -> None:
    waiting = Waiting()
    made, moved = pacer(waiting), 0
    for entities, told in rounds:
        made.wait_for(entities)
        # What came before this chunk had its time; a millisecond may be lost in each to rounding.
        assert moved <= BOUNDS.highest * (waiting.clock.now_ms() + len(rounds)) / 1_000
        moved += entities
        for latency_ms in told:
            made.throttled() if latency_ms is None else made.look(latency_ms)


def test_a_source_that_answers_as_ever_is_asked_more_and_one_that_is_slow_less() -> None:
    made = pacer(Waiting())
    for _ in range(10):
        made.look(2.1)
    assert made.pace.per_second == 300
    for _ in range(3):
        made.look(50)
    assert made.pace.per_second < 300
    assert made.pace.cuts > 0


def test_one_slow_answer_is_chance() -> None:
    made = pacer(Waiting())
    for latency_ms in (2, 2, 90, 2, 2, 2):
        made.look(latency_ms)
    assert made.pace.cuts == 0


def test_a_pace_that_was_cut_recovers() -> None:
    made = pacer(Waiting(), per_second=1_000)
    for _ in range(20):
        made.throttled()
    assert made.pace.per_second == BOUNDS.lowest
    for _ in range(60):
        made.look(1)
    assert made.pace.per_second == BOUNDS.highest


def test_waiting_spreads_chunks_evenly() -> None:
    waiting = Waiting()
    made = pacer(waiting, per_second=100)
    for _ in range(11):
        made.wait_for(50)
    assert 4.9 <= waiting.waited <= 5.1


def test_who_was_idle_has_saved_nothing_up() -> None:
    waiting = Waiting()
    made = pacer(waiting)
    waiting.clock.advance(1_000_000)
    made.wait_for(100)
    made.wait_for(100)
    assert waiting.waited == 1


def test_the_quiet_latency_is_the_middle_of_many() -> None:
    told = iter([1.0, 900.0, *([3.0] * 18)])
    pace = quiet_pace(lambda: next(told), bounds=BOUNDS)
    assert (pace.quiet_ms, pace.per_second) == (3.0, 100)
    assert is_slow(pace, 5, bounds=BOUNDS)
    assert not is_slow(pace, 4.5, bounds=BOUNDS)
    assert slowed(faster(pace, bounds=BOUNDS), bounds=BOUNDS).per_second == 60
