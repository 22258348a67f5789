"""The page and its picture say what the points say: who is wrong, who stopped where, and where we are not first."""

from xml.etree import ElementTree

import msgspec
import pytest

from bench.compare.drawing import drawing
from bench.compare.goals import goal_rows
from bench.compare.planned import GROWTH, KILL, LOAD
from bench.compare.points import Again, Killed, Point, Size, Times
from bench.compare.report import Result
from scripts.compare_page import BEGIN, END, NoPlace, page, readme_with, short

SIZE = Size(LOAD, 1_000_000, 100_000)


def point(peer: str, *, cpu_s: float, list_ms: float = 1.0, wrong: str = "", stopped: str = "") -> Point:
    times = Times(list_ms, 2 * list_ms)
    return Point(
        peer,
        SIZE,
        "2026-11-18",
        "a machine, 2 cores",
        hits=1_000_000,
        group_bodies=10,
        took_s=2.0,
        cpu_s={"collecting": cpu_s},
        disk_bytes=10**7,
        memory_bytes=10**8,
        to_list_ms=5.0,
        plain=times,
        filtered=times,
        repeated=times,
        exactness={"10%": 1.0, "3%": 1.0, "1%": 1.0},
        is_right=not wrong,
        wrong=wrong,
        again=Again(refused="hits are not kept"),
        stopped=stopped,
    )


REDIS_KILLED = Killed(3, 1_000_000, 0, 10_000, 0.5, 2, 255, 4)
POINTS = [
    point("footfall", cpu_s=2.0, list_ms=0.1),
    point("dictionary", cpu_s=1.0, list_ms=20.0),
    point("duckdb", cpu_s=1.6, list_ms=0.05, wrong="1 of 255 lists: abc 99 rows, not 100"),
    point("postgres", cpu_s=25.0, stopped="stopped after 240 s at 1,000,000 of 10,000,000 hits"),
    Point("flink", SIZE, "2026-11-18", "a machine, 2 cores", failed="PeerFailed: no Java"),
    Point("redis", Size(KILL, 1_000_000, 100_000), "2026-11-18", "", killed=REDIS_KILLED),
]
RESULT = Result("make compare", 60.0, 1_000_000, 100_000, POINTS)


def test_the_page_says_who_is_wrong_who_failed_and_who_stopped() -> None:
    text = page(RESULT)
    assert "**wrong**: 1 of 255 lists: abc 99 rows, not 100" in text
    assert "failed: PeerFailed: no Java" in text
    assert "stopped after 240 s at 1,000,000 of 10,000,000 hits" in text
    assert "| Redis, synced | 1,000,000 | 2 of 3 | 0 | 10,000 | 4 of 255 | 0.5 |" in text


def test_the_page_says_what_we_are_not_first_in() -> None:
    told = page(RESULT).partition("## What we are not first in")[2]
    assert "CPU of a million hits: 2 s; Python dictionary 1, DuckDB 1.6." in told
    assert "hit to list" not in told


def test_the_readme_has_the_date_the_machine_and_the_command() -> None:
    text = readme_with(f"before\n{BEGIN}\nwhat was there\n{END}\nafter\n", short(RESULT))
    assert "1,000,000 hits, 100,000 assets; 2026-11-18" in text
    assert "a machine, 2 cores" in text
    assert "`make compare`" in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "what was there" not in text
    with pytest.raises(NoPlace):
        readme_with("nothing", short(RESULT))


def test_the_picture_is_well_formed_and_has_everybody_who_came_to_something() -> None:
    root = ElementTree.fromstring(drawing(POINTS))
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"footfall", "Python dictionary", "DuckDB", "the thesis' old system (PostgreSQL)"} <= set(texts)
    assert "Apache Flink SQL" not in texts


def test_a_fast_wrong_answer_is_out_of_the_race() -> None:
    goals = {row.what: row for row in goal_rows(POINTS)}
    best = next(what for what in goals if "the best that is durable and exact" in what)
    assert "PostgreSQL" in best
    assert goals[best].met
    assert goals["hits per CPU second beside the dictionary in memory"].value == 0.5
    assert all("DuckDB" not in what for what in goals)


def test_a_footfall_whose_lists_are_wrong_misses_every_goal_of_rates_and_lists() -> None:
    lied = point("footfall", cpu_s=0.01, list_ms=0.001, wrong="1 of 255 lists: abc 99 rows, not 100")
    goals = [row for row in goal_rows([lied, *POINTS[1:]]) if "CPU second" in row.what or " list" in row.what]
    assert len(goals) == 10
    assert [row.what for row in goals if row.met] == []


def test_a_footfall_whose_lists_were_not_timed_misses_the_goals_of_lists() -> None:
    untimed = msgspec.structs.replace(POINTS[0], plain=None, filtered=None, repeated=None)
    goals = [row for row in goal_rows([untimed, *POINTS[1:]]) if "faster than the quickest" in row.what]
    assert len(goals) == 6
    assert not any(row.met for row in goals)


def test_lists_that_kills_made_wrong_and_kills_that_met_no_load_miss_their_goals() -> None:
    size = Size(KILL, 300_000, 100_000)
    for found, met in ((Killed(3, 300_000, 0, 0, 1.0, 3, 255, 0), 4), (Killed(3, 300_000, 0, 0, 1.0, 2, 255, 1), 2)):
        kills = Point("footfall", size, "", "", killed=found)
        rows = [row for row in goal_rows([*POINTS, kills]) if "kills -9" in row.what]
        assert (len(rows), sum(bool(row.met) for row in rows)) == (4, met)


def grown(hits: int, *, cpu_s: float, assets: int = 100_000) -> Point:
    size = Size(GROWTH, hits, assets)
    return msgspec.structs.replace(POINTS[0], size=size, hits=hits, cpu_s={"collecting": cpu_s})


def test_a_load_whose_hits_grow_dearer_is_seen_by_all_that_it_took() -> None:
    points = [*POINTS, grown(100_000, cpu_s=0.2), grown(10_000_000, cpu_s=40.0), grown(100_000, cpu_s=9, assets=10_000)]
    rows = [row for row in goal_rows(points) if row.what.startswith("CPU of a million hits")]
    assert [(row.value, row.met) for row in rows] == [(1.0, True), (2.0, False)]
    assert "| footfall | 10,000,000 | 100,000 | 4 | 2 |" in page(Result("make compare", 60.0, 10, 10, points))


def test_a_large_load_whose_lists_are_wrong_misses_a_goal() -> None:
    wrong = msgspec.structs.replace(grown(10_000_000, cpu_s=20.0), is_right=False)
    row = next(row for row in goal_rows([*POINTS, wrong]) if row.what.startswith("loads of every size"))
    assert (row.value, row.met) == (0.5, False)


def test_the_page_says_how_many_lists_were_asked_for_and_whether_native_code_was_built() -> None:
    few = msgspec.structs.replace(POINTS[1], lists_asked=20, lists_all=255, plain=Times(1.0, 2.0, 1_000))
    ours = msgspec.structs.replace(POINTS[0], is_native=False)
    text = page(Result("make compare", 600.0, 1_000_000, 100_000, [ours, few]))
    assert "right (20 of 255 asked)" in text
    assert "1 / 2 (1,000)" in text
    assert "a machine, 2 cores, footfall's native code not built: `make compare`, 10 minutes." in text


def test_the_page_knows_of_a_repeated_filtered_list_whose_slowest_is_quicker_elsewhere() -> None:
    slow = msgspec.structs.replace(POINTS[0], repeated=Times(0.1, 90.0))
    told = page(Result("make compare", 60.0, 10, 10, [slow, *POINTS[1:]])).partition("## What we are not first in")[2]
    assert "- filtered list, p99: 90 ms; " in told
