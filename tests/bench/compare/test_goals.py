"""footfall stands in the comparison twice, with keys and without: each by its own load and its own kills."""

import msgspec
import pytest

from bench.compare.goals import goal_rows
from bench.compare.peers import DICTIONARY, FOOTFALL, FOOTFALL_KEYED
from bench.compare.planned import DAY, KILL, LOAD
from bench.compare.points import Killed, Point, Size, Times
from bench.compare.table import kill_lines
from bench.results import Row


def loaded(peer: str, *, cpu_s: float, list_ms: float = 1.0, kind: str = LOAD) -> Point:
    times = Times(list_ms, 2 * list_ms)
    lists = {"plain": times, "filtered": times, "repeated": times, "is_right": True}
    return Point(peer, Size(kind, 10**6, 100), "", "", hits=10**6, took_s=1.0, cpu_s={"all": cpu_s}, **lists)  # pyright: ignore[reportArgumentType]


def killed(peer: str, *, lost: int = 0, doubled: int = 0) -> Point:
    return Point(peer, Size(KILL, 10**6, 100), "", "", killed=Killed(3, 10**6, lost, doubled, 0.5, 3, 255, 0))


LOADS = [
    loaded(FOOTFALL, cpu_s=1.0, list_ms=0.1),
    loaded(FOOTFALL_KEYED, cpu_s=2.0, list_ms=0.01),
    loaded(DICTIONARY, cpu_s=1.0),
    loaded("duckdb", cpu_s=4.0),
    loaded("postgres", cpu_s=8.0),
]


def rates(points: list[Point]) -> list[Row]:
    return [row for row in goal_rows(points) if "CPU second" in row.what]


@pytest.mark.parametrize(("kind", "rows"), [(LOAD, 3), (DAY, 1)])
def test_what_we_cost_is_told_with_keys_and_without(kind: str, rows: int) -> None:
    found = rates([msgspec.structs.replace(one, size=Size(kind, 10**6, 100)) for one in LOADS])
    plain = [row for row in found if row.what.endswith(", without keys")]
    keyed = [row for row in found if row.what.endswith(", a key in every body")]
    assert (len(plain), len(keyed), len(found)) == (rows, rows, 2 * rows)
    assert [row.value for row in plain] == [2 * row.value for row in keyed]


def test_neither_of_ours_is_the_best_of_the_others() -> None:
    best = [row for row in rates(LOADS) if "the best that is durable and exact" in row.what]
    assert [row.value for row in best] == [4.0, 2.0]
    assert all("(DuckDB)" in row.what for row in best)
    absent = [*LOADS[:1], Point(FOOTFALL_KEYED, Size(LOAD, 10**6, 100), "", "", failed="gone"), *LOADS[2:]]
    assert "not measured" not in rates(absent)[0].what
    lists = [row for row in goal_rows(LOADS) if "faster than the quickest" in row.what]
    assert [row.value for row in lists] == [10.0] * 6


def test_each_stands_by_its_own_kills_and_who_does_not_is_told_why() -> None:
    kept = [*LOADS, killed(FOOTFALL, doubled=300), killed(FOOTFALL_KEYED), killed("duckdb")]
    plain = [row for row in rates(kept) if "without keys" in row.what]
    keyed = [row for row in rates(kept) if "a key in every body" in row.what]
    assert [(row.value, row.goal) for row in plain] == [(4.0, None), (8.0, None), (1.0, None)]
    assert all(row.what.endswith(", without keys (300 doubled after kill -9)") for row in plain)
    assert [(row.value, row.met) for row in keyed] == [(2.0, True), (4.0, False), (0.5, True)]
    spoilt = rates([*LOADS, killed(FOOTFALL, lost=1, doubled=1), killed(FOOTFALL_KEYED, doubled=1)])
    assert all(row.goal is None for row in spoilt if "without keys" in row.what)
    of_keyed = [row for row in spoilt if "a key in every body" in row.what]
    assert [(row.value, row.met) for row in of_keyed] == [(0.0, False)] * 3
    assert all(row.what.endswith(": not durable and exact (1 doubled after kill -9)") for row in of_keyed)


def test_a_load_of_ours_whose_lists_are_wrong_is_told_as_that() -> None:
    wrong = msgspec.structs.replace(LOADS[0], is_right=False, wrong="1 of 255 lists")
    plain = [row for row in rates([wrong, *LOADS[1:]]) if "without keys" in row.what]
    assert plain
    assert all(row.what.endswith(": not durable and exact (lists wrong)") and row.value == 0 for row in plain)


def test_kills_may_lose_nothing_and_with_keys_double_nothing() -> None:
    points = [*LOADS, killed(FOOTFALL, doubled=300), killed(FOOTFALL_KEYED)]
    rows = [row for row in goal_rows(points) if "kills -9" in row.what]
    assert [row.met for row in rows] == [True] * 5
    assert [cells[0] for cells in kill_lines(points)[1]] == ["footfall", "footfall, a key in every body"]
    spoilt = [row for row in goal_rows([*LOADS, killed(FOOTFALL_KEYED, doubled=1)]) if "kills -9" in row.what]
    assert [row.met for row in spoilt] == [True, False, True, True]
    (lost,) = [row for row in goal_rows([*LOADS, killed(FOOTFALL, lost=1)]) if "kills -9" in row.what]
    assert lost.met is False


def test_growth_is_told_of_both_each_by_its_own_loads() -> None:
    wrong = msgspec.structs.replace(LOADS[1], is_right=False)
    rows = {row.what: row.value for row in goal_rows([LOADS[0], wrong]) if "loads of every size" in row.what}
    assert [rows[what] for what in sorted(rows)] == [0.0, 1.0]  # a key in every body; without keys
    larger = msgspec.structs.replace(LOADS[1], size=Size("growth", 10**7, 100), hits=10**7, cpu_s={"all": 30.0})
    (grown,) = [row for row in goal_rows([*LOADS, larger]) if row.what.startswith("CPU of a million hits")]
    assert (grown.value, grown.met, grown.what.endswith("a key in every body")) == (1.5, False, True)
