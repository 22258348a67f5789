"""The page and its picture say what the points say: who is wrong, who stopped where, and where we are not first."""

from xml.etree import ElementTree

import pytest

from bench.compare.drawing import drawing
from bench.compare.goals import goal_rows, last_beside_first
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


POINTS = [
    point("footfall", cpu_s=2.0, list_ms=0.1),
    point("dictionary", cpu_s=1.0, list_ms=20.0),
    point("duckdb", cpu_s=1.6, list_ms=0.05, wrong="1 of 255 lists: abc 99 rows, not 100"),
    point("postgres", cpu_s=25.0, stopped="stopped after 240 s at 1,000,000 of 10,000,000 hits"),
    Point("flink", SIZE, "2026-11-18", "a machine, 2 cores", failed="PeerFailed: no Java"),
    Point("redis", Size(KILL, 1_000_000, 100_000), "2026-11-18", "", killed=Killed(3, 1_000_000, 0, 10_000, 0.5)),
]
RESULT = Result("make compare", 60.0, 1_000_000, 100_000, POINTS)


def test_the_page_says_who_is_wrong_who_failed_and_who_stopped() -> None:
    text = page(RESULT)
    assert "**wrong**: 1 of 255 lists: abc 99 rows, not 100" in text
    assert "failed: PeerFailed: no Java" in text
    assert "stopped after 240 s at 1,000,000 of 10,000,000 hits" in text
    assert "| Redis, synced | 1,000,000 | 0 | 10,000 | 0.5 |" in text


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


def test_a_load_whose_hits_grow_dearer_is_seen() -> None:
    even = [(n * 100, n * 0.1, n * 0.2) for n in range(1, 101)]
    dearer = [(n * 100, n * 0.1, n * n * 0.002) for n in range(1, 101)]
    size = Size(GROWTH, 10_000, 100)
    assert last_beside_first(Point("footfall", size, "", "", curve=even)) == pytest.approx(1.0)
    assert (last_beside_first(Point("footfall", size, "", "", curve=dearer)) or 0) > 5
    assert last_beside_first(Point("footfall", size, "", "", curve=even[:5])) is None
