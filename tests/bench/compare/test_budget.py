"""Time is kept by a clock that the test sets."""

from bench.compare.budget import LEAST_S, Budget
from bench.compare.planned import KILL, LOAD, Plan, large_s
from bench.compare.points import Point, Size


class Hands:
    """A clock."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_point_has_five_minutes_while_the_hour_lasts() -> None:
    clock = Hands()
    budget = Budget(clock, clock())
    assert budget.point_s() == 300
    clock.now_s += 3_600 - 120
    assert budget.point_s() == 120


def test_a_point_that_would_say_nothing_is_not_begun() -> None:
    clock = Hands()
    budget = Budget(clock, clock())
    clock.now_s += 3_600 - LEAST_S + 1
    assert budget.point_s() == 0
    clock.now_s += 10_000
    assert (budget.point_s(), budget.left_s) == (0, 0)


def test_everybody_has_the_main_load_before_anybody_has_anything_else() -> None:
    steps = list(Plan(1_000_000, 100_000).steps(["one", "other"]))
    assert [(peer, size.kind) for peer, size in steps[:4]] == [
        ("one", LOAD),
        ("other", LOAD),
        ("one", KILL),
        ("other", KILL),
    ]


def test_a_plan_grows_by_tens_of_hits_and_of_assets() -> None:
    plan = Plan()
    sizes = {(size.hits, size.assets) for size in [*plan.first, plan.large]}
    assert {10**6, 10**7, 10**8} <= {hits for hits, assets in sizes if assets == 100_000}
    assert {10_000, 100_000, 1_000_000} <= {assets for hits, assets in sizes if hits == 10**6}


def test_a_large_load_takes_as_long_as_the_main_one_says() -> None:
    size = Size(LOAD, 1_000, 100)
    assert large_s(Point("one", size, "", "", hits=1_000, took_s=3.0), Plan(1_000, 100)) == 30.0
    assert large_s(Point("one", size, "", ""), Plan(1_000, 100)) == float("inf")
