"""A main load that is measured twice is told by the cheaper one, and no fault of either is hidden."""

from typing import Any

import msgspec
import pytest

from bench.compare.planned import LOAD, SECOND
from bench.compare.points import Again, Point, Size, Times
from bench.compare.table import main_lines
from bench.compare.twice import TWICE_S_MAX, is_worth_twice, of_two

FIRST = Point(
    "duckdb",
    Size(LOAD, 1_000_000, 100),
    "2026-11-18",
    "a machine",
    hits=1_000_000,
    took_s=3.0,
    cpu_s={"collecting": 2.0},
    memory_bytes=200,
    disk_bytes=30,
    plain=Times(0.5, 1.5, 1_000),
    is_right=True,
    again=Again(8.7, 7.9),
    whole_s=20.0,
)
SECOND_ONE = Point(
    "duckdb",
    Size(SECOND, 1_000_000, 100),
    "2026-11-18",
    "a machine",
    hits=1_000_000,
    took_s=2.0,
    cpu_s={"collecting": 1.25},
    memory_bytes=100,
    disk_bytes=40,
    is_right=True,
    whole_s=15.0,
)


def changed(one: Point, **values: Any) -> Point:
    return msgspec.structs.replace(one, **values)


def test_the_figures_of_a_load_are_those_of_the_cheaper_one_and_the_others_rate_is_kept() -> None:
    found = of_two(FIRST, SECOND_ONE)
    assert (found.cpu_s, found.took_s) == (SECOND_ONE.cpu_s, SECOND_ONE.took_s)
    assert (found.memory_bytes, found.disk_bytes) == (100, 40)
    assert (found.other_rate, found.whole_s, found.is_right) == (500_000, 35.0, True)
    assert (found.size, found.plain, found.again) == (FIRST.size, FIRST.plain, FIRST.again)


def test_a_first_load_that_was_cheaper_stands() -> None:
    found = of_two(FIRST, changed(SECOND_ONE, cpu_s={"collecting": 4.0}))
    assert found == changed(FIRST, other_rate=250_000, whole_s=35.0)


@pytest.mark.parametrize(
    "fault",
    [
        {"is_right": False, "wrong": "1 of 255 lists: abc 99 rows, not 100"},
        {"hits": 0, "cpu_s": {}, "failed": "PeerFailed: it hung"},
        {"hits": 500_000, "stopped": "stopped after 240 s at 500,000 of 1,000,000 hits"},
    ],
    ids=["wrong", "failed", "stopped"],
)
def test_a_second_load_that_is_wrong_or_failed_makes_the_point_wrong(fault: dict[str, Any]) -> None:
    found = of_two(FIRST, changed(SECOND_ONE, **fault))
    assert not found.is_right
    assert next(told for told in fault.values() if isinstance(told, str)) in main_lines([found])[1][0][-1]
    assert bool(found.other_rate) is ("wrong" in fault)


def test_a_first_load_that_is_wrong_is_wrong_however_right_the_second_is() -> None:
    found = of_two(changed(FIRST, is_right=False, wrong="1 of 255 lists"), SECOND_ONE)
    assert (found.is_right, found.wrong) == (False, "1 of 255 lists")


def test_who_is_wrong_both_times_is_told_so_once_and_by_its_cheaper_load() -> None:
    fault = {"is_right": False, "wrong": "250 of 255 lists: abc section 500 77 rows, not 100"}
    found = of_two(changed(FIRST, **fault), changed(SECOND_ONE, **fault))
    assert (found.is_right, found.wrong) == (False, fault["wrong"])
    assert (found.cpu_s, found.other_rate) == (SECOND_ONE.cpu_s, 500_000)


@pytest.mark.parametrize("late", [0, 1])
def test_what_was_not_charged_in_time_of_either_is_told(late: int) -> None:
    pair = [FIRST, SECOND_ONE]
    pair[late] = changed(pair[late], behind="it was not at rest in its time")
    assert of_two(*pair).behind == "it was not at rest in its time"


@pytest.mark.parametrize(
    ("values", "seconds", "is_so"),
    [
        ({}, 300.0, True),
        ({}, 29.0, False),
        ({"whole_s": TWICE_S_MAX}, 300.0, False),
        ({"stopped": "stopped after 240 s"}, 300.0, False),
        ({"hits": 0, "failed": "no Java"}, 300.0, False),
    ],
    ids=["quick", "no room", "slow", "cut", "failed"],
)
def test_a_load_is_measured_again_if_it_was_whole_and_quick_and_there_is_room(
    values: dict[str, Any], seconds: float, is_so: bool
) -> None:
    assert is_worth_twice(changed(FIRST, **values), seconds=seconds) is is_so


def test_the_table_has_both_rates_and_what_counting_again_took_of_the_processor() -> None:
    (cells,) = main_lines([of_two(FIRST, SECOND_ONE)])[1]
    assert "800,000 (500,000)" in cells
    assert "8.7 (CPU 7.9)" in cells
    assert "500,000" in main_lines([FIRST])[1][0]
