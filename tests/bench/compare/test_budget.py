"""Time is kept by a clock that the test sets."""

from pathlib import Path

import pytest

from bench.compare.budget import LEAST_S, POINT_S_MAX, WHOLE_S_MAX, Budget, Turn
from bench.compare.peers import DUCKDB_SUMMED, FOOTFALL, FOOTFALL_KEYED, ONE_SIZE, PEERS
from bench.compare.planned import DAY, GROWTH, KILL, LOAD, SECOND, Plan, asking_s, large_s
from bench.compare.points import Point, Points, Size
from bench.compare.running import Run


class Hands:
    """A clock."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_point_has_five_minutes_while_the_hour_lasts() -> None:
    clock = Hands()
    budget = Budget(clock, clock())
    assert budget.turn() == Turn(300, 300)
    assert budget.turn(share=0.4) == Turn(120, 120)
    clock.now_s += WHOLE_S_MAX - 200
    assert budget.turn() == Turn(200, 300)
    assert budget.turn(waiting=4) == Turn(50, 300)
    assert budget.turn(share=0.4) == Turn(120, 120)


def test_a_point_that_would_say_nothing_is_not_begun() -> None:
    clock = Hands()
    budget = Budget(clock, clock())
    clock.now_s += WHOLE_S_MAX - 2 * LEAST_S
    assert (budget.turn(waiting=2).seconds, budget.turn(waiting=3).seconds) == (LEAST_S, 0)
    clock.now_s += LEAST_S + 1
    assert budget.turn().seconds == 0
    clock.now_s += 10_000
    assert (budget.turn().seconds, budget.left_s) == (0, 0)


def test_a_share_of_a_short_point_is_still_a_point() -> None:
    clock = Hands()
    assert Budget(clock, clock(), point_s_max=20).turn(share=0.4) == Turn(LEAST_S, LEAST_S)


def test_feeding_leaves_the_time_that_asking_is_known_to_take() -> None:
    assert Turn(300, 300).feeding_s == 240
    assert Turn(300, 300, asking_s=20).feeding_s == 280
    assert Turn(30, 300, asking_s=20).feeding_s == 15


def test_everybody_has_the_main_load_before_anybody_has_anything_else_and_our_large_one_is_next() -> None:
    steps = list(Plan(1_000_000, 100_000).steps([FOOTFALL_KEYED, "other"]))
    assert [(peer, size.kind) for peer, size in steps[:5]] == [
        (FOOTFALL_KEYED, LOAD),
        ("other", LOAD),
        (FOOTFALL_KEYED, GROWTH),
        (FOOTFALL_KEYED, KILL),
        ("other", KILL),
    ]
    assert [size.kind for _, size in steps[5:9]] == [DAY, DAY, GROWTH, GROWTH]
    plan = Plan(1_000_000, 100_000)
    assert {size for _, size in steps} == set(plan.sizes) - {plan.second}


def test_footfall_grows_large_with_keys_and_small_without() -> None:
    plan = Plan(1_000_000, 100_000)
    assert [size for _, size in plan.steps([FOOTFALL_KEYED])] == [plan.main, plan.large, plan.kill, plan.day]
    assert [size for _, size in plan.steps([FOOTFALL])] == [plan.main, plan.kill, plan.day, *plan.small]


def test_a_plan_grows_by_tens_of_hits_and_of_assets() -> None:
    plan = Plan()
    assert (plan.day.hits, plan.day.assets) == (plan.main.hits, plan.main.assets)
    sizes = {(size.hits, size.assets) for size in plan.sizes}
    assert {10**6, 10**7, 10**8} <= {hits for hits, assets in sizes if assets == 100_000}
    assert {10_000, 100_000, 1_000_000} <= {assets for hits, assets in sizes if hits == 10**6}


def test_a_large_load_takes_as_long_as_the_main_one_says() -> None:
    size = Size(LOAD, 1_000, 100)
    assert large_s(Point("one", size, "", "", hits=1_000, took_s=3.0), Plan(1_000, 100)) == 30.0
    assert large_s(Point("one", size, "", ""), Plan(1_000, 100)) == float("inf")


def test_asking_takes_what_the_main_point_took_beside_its_load() -> None:
    size = Size(LOAD, 1_000, 100)
    assert asking_s(Point("one", size, "", "", hits=1_000, took_s=3.0, whole_s=40.0)) == 37
    assert asking_s(Point("one", size, "", "", hits=1_000, took_s=3.0, whole_s=4.0)) == LEAST_S


# Seconds of a run on two cores: the main load, the main point, kills, a small load, a day, and the main load again,
# whose lists are asked for once. Ours wait for what is judged behind the counting.
MEASURED_S = {
    FOOTFALL: (9, 95, 17, 76, 129, 84),
    FOOTFALL_KEYED: (11, 98, 9, 0, 131, 86),
    "dictionary": (10, 29, 14, 15, 71, 13),
    "duckdb": (15, 23, 5, 8, 37, 18),
    DUCKDB_SUMMED: (13, 21, 5, 0, 36, 16),  # guessed from 2,000,000 hits beside duckdb's, not of that run
    "clickhouse-summing": (24, 37, 7, 14, 48, 25),
    "clickhouse-raw": (22, 36, 7, 13, 45, 28),
    "postgres": (26, 35, 8, 11, 72, 28),
    "postgres-row-a-hit": (161, 170, 31, 24, 300, 165),
    "redis": (43, 45, 9, 6, 63, 42),
    "redis-everysec": (45, 47, 10, 6, 63, 52),
    "dynamodb": (29, 52, 29, 12, 300, 57),
    "flink": (25, 50, 33, 22, 97, 41),
}
TWICE = {FOOTFALL_KEYED, "dictionary", "duckdb", DUCKDB_SUMMED}  # the others are far behind


class Rehearsal(Run):
    """A run whose points take as long as they once did, by a clock that goes on by that."""

    def __init__(self, folder: Path, *, slower: float = 1.0) -> None:
        self._hands, self._slower = Hands(), slower
        super().__init__(Points(folder), Budget(self._hands, self._hands()), folder)
        self.turns: list[tuple[str, Size, Turn]] = []

    @property
    def took_s(self) -> float:
        return self._hands() - Hands().now_s

    def point(self, peer: str, size: Size, turn: Turn | None = None) -> Point:
        assert turn is not None
        self.turns.append((peer, size, turn))
        load, whole, kill, small, day, again = (self._slower * seconds for seconds in MEASURED_S[peer])
        large = 10 * load + whole - load
        grown = large if size == Plan().large else small
        needs = {LOAD: whole, SECOND: again, KILL: kill, DAY: day, GROWTH: grown}[size.kind]
        self._hands.now_s += min(needs, turn.seconds)
        return Point(
            peer, size, "", "", hits=size.hits, took_s=load, whole_s=min(needs, turn.seconds), cpu_s={"all": load}
        )


def test_an_hour_has_a_turn_for_every_point_and_large_loads_of_others_get_what_is_left(tmp_path: Path) -> None:
    run, plan = Rehearsal(tmp_path), Plan()
    run.all_points(plan, list(PEERS))
    assert run.took_s <= WHOLE_S_MAX
    for size in (plan.main, plan.kill, plan.day):
        assert {peer for peer, one, _ in run.turns if one == size} == set(PEERS)
    for size, absent in (*((size, FOOTFALL_KEYED) for size in plan.small), (plan.large, FOOTFALL)):
        assert {peer for peer, one, _ in run.turns if one == size} == set(PEERS) - {absent, *ONE_SIZE}
    large = {peer: turn for peer, size, turn in run.turns if size == plan.large}
    assert large[FOOTFALL_KEYED].seconds == POINT_S_MAX
    assert large["dictionary"].seconds > 9 * MEASURED_S["dictionary"][0] + MEASURED_S["dictionary"][1]
    assert large["duckdb"].seconds > 0  # It may be cut: there is no more left for it.
    whole = [turn for _, size, turn in run.turns if size not in (plan.large, plan.second)]
    assert all(turn.seconds == turn.seconds_max for turn in whole)


def test_main_loads_of_rivals_are_measured_again_before_small_loads_and_the_large_ones_of_others(
    tmp_path: Path,
) -> None:
    run, plan = Rehearsal(tmp_path), Plan()
    points = run.all_points(plan, list(PEERS))
    order = [(peer, size) for peer, size, _ in run.turns]
    places = [place for place, (_, size) in enumerate(order) if size == plan.second]
    again = [order[place][0] for place in places]
    assert again == [FOOTFALL_KEYED, DUCKDB_SUMMED, "duckdb", "dictionary"]
    assert places == list(range(places[0], places[-1] + 1))
    assert {size for _, size in order[places[-1] + 1 :]} == {*plan.small, plan.large}
    mains = {point.peer: point for point in points if point.size.kind == LOAD}
    assert {peer for peer, point in mains.items() if point.other_rate} == set(again)
    assert not [point for point in points if point.size.kind == SECOND]
    assert mains[FOOTFALL_KEYED].whole_s == sum(MEASURED_S[FOOTFALL_KEYED][place] for place in (1, 5))


@pytest.mark.parametrize(("slower", "kinds"), [(1.05, {LOAD, KILL, DAY, GROWTH}), (1.6, {LOAD, KILL, DAY})])
def test_on_a_slower_machine_large_loads_of_others_and_then_growth_have_less_time(
    tmp_path: Path, slower: float, kinds: set[str]
) -> None:
    run, plan = Rehearsal(tmp_path, slower=slower), Plan()
    run.all_points(plan, list(PEERS))
    assert run.took_s <= WHOLE_S_MAX
    turns = [turn for _, size, turn in run.turns if size != plan.large and size.kind in kinds]
    assert all(turn.seconds == turn.seconds_max for turn in turns)


def test_no_second_load_is_begun_that_the_end_of_the_hour_would_cut(tmp_path: Path) -> None:
    run, plan = Rehearsal(tmp_path, slower=1.1), Plan()
    run.all_points(plan, list(PEERS))
    seconds = {peer: turn.seconds for peer, size, turn in run.turns if size == plan.second}
    assert 0 < len(seconds) <= len(TWICE)
    assert all(seconds[peer] > 1.1 * MEASURED_S[peer][5] for peer in seconds)
