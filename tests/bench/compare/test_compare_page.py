"""The page and its picture say what the points say: who is wrong, who stopped where, and where we are not first."""

from xml.etree import ElementTree

import msgspec
import pytest

from bench.compare.causes import cause_lines
from bench.compare.drawing import COLOURS, OURS, STOPPED, drawing
from bench.compare.goals import goal_rows
from bench.compare.planned import DAY, GROWTH, KEYED, KILL, LOAD
from bench.compare.points import Again, Killed, Point, Size, Times
from bench.compare.report import Result
from bench.compare.standing import Standing
from bench.compare.table import main_lines
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


def test_the_page_says_what_keys_cost_or_why_that_is_not_known() -> None:
    keyed = msgspec.structs.replace(POINTS[0], size=Size(KEYED, 1_000_000, 100_000), cpu_s={"front": 4.0})
    told = page(msgspec.structs.replace(RESULT, points=[*POINTS, keyed]))
    assert "with a key in every body comes to 250,000 hits per CPU second, 0.5 of those without." in told
    assert "what that costs was not measured in this run." in page(RESULT)
    late = msgspec.structs.replace(keyed, behind="judging had not caught up in its time")
    told = page(msgspec.structs.replace(RESULT, points=[*POINTS, late]))
    assert "did not come to a good end (judging had not caught up in its time)." in told


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


def killed(peer: str, *, lost: int = 0, doubled: int = 0, wrong_lists: int = 0) -> Point:
    found = Killed(3, 1_000_000, lost, doubled, 0.5, 3, 255, wrong_lists)
    return Point(peer, Size(KILL, 1_000_000, 100_000), "2026-11-18", "", killed=found)


SPOILT = [
    killed("postgres", lost=100),
    killed("postgres", doubled=100),
    killed("postgres", wrong_lists=1),
]


@pytest.mark.parametrize("spoilt", SPOILT)
def test_who_lost_or_doubled_hits_by_a_kill_is_not_among_the_durable_and_exact(spoilt: Point) -> None:
    slower = point("redis", cpu_s=50.0)
    kept, goals = [*POINTS[:5], slower, killed("postgres"), killed("redis")], list[str]()
    for points in (kept, [*kept[:6], spoilt, killed("redis")]):
        goals += [row.what for row in goal_rows(points) if "the best that is durable and exact" in row.what]
    assert ["PostgreSQL" in goals[0], "Redis, synced" in goals[1]] == [True, True]


def test_a_footfall_that_a_kill_spoilt_is_out_of_the_race_by_the_same_rule() -> None:
    rows = [row for row in goal_rows([*POINTS, killed("footfall", doubled=1)]) if "CPU second" in row.what]
    assert [row.value for row in rows] == [0.0] * len(rows)
    assert rows


def _fills(points: list[Point]) -> list[str | None]:
    rects = ElementTree.fromstring(drawing(points)).iter("{http://www.w3.org/2000/svg}rect")
    return [rect.get("fill") for rect in rects][1:-5]  # without the ground and the legend


@pytest.mark.parametrize("spoilt", SPOILT)
def test_the_picture_colours_who_was_spoilt_by_a_kill_as_that(spoilt: Point) -> None:
    exact, lost, volatile, wrong = COLOURS.values()
    kept = [*POINTS[:4], *(killed(peer) for peer in ("footfall", "dictionary", "duckdb"))]
    assert _fills([*kept, killed("postgres")]) == 2 * [volatile, wrong, OURS, exact]
    assert _fills([*kept, spoilt]) == 2 * [volatile, wrong, OURS, lost]
    assert _fills([*kept, killed("footfall", lost=1)])[2] == COLOURS[Standing.SPOILT]


def test_the_page_and_the_picture_say_whose_kills_were_not_run_through() -> None:
    points = [*POINTS[:4], killed("footfall"), killed("dictionary", lost=800), killed("duckdb", wrong_lists=2)]
    rows = {cells[0]: cells[-2] for cells in main_lines(points)[1]}
    assert "| all there, once | right |" in page(Result("make compare", 60.0, 10, 10, points))
    assert rows["footfall"] == "all there, once"
    assert rows["Python dictionary"] == "800 lost"
    assert rows["DuckDB"] == "2 lists wrong"
    assert rows["the thesis' old system (PostgreSQL)"] == "not run through"
    assert f"PostgreSQL)<tspan> * {STOPPED}</tspan>" in drawing(points)
    assert f"PostgreSQL)<tspan> {STOPPED}</tspan>" in drawing([*points, killed("postgres")])
    assert "2026-11-18; a machine, 2 cores" in drawing(points)
    assert "footfall<tspan>" not in drawing(points)
    assert "* kills were not run through" in drawing(points)
    assert "* kills were not run through" not in drawing([*points, killed("postgres")])


def test_a_footfall_whose_lists_are_wrong_misses_every_goal_of_rates_and_lists() -> None:
    lied = point("footfall", cpu_s=0.01, list_ms=0.001, wrong="1 of 255 lists: abc 99 rows, not 100")
    goals = [row for row in goal_rows([lied, *POINTS[1:]]) if "CPU second" in row.what or " list" in row.what]
    assert len(goals) == 10
    assert [row.what for row in goals if row.met] == []


def test_goals_about_costs_are_missed_where_not_all_was_charged_in_time() -> None:
    ours, theirs = point("footfall", cpu_s=1.0), point("duckdb", cpu_s=2.0)
    left = msgspec.structs.replace(ours, behind="it was not at rest in its time")
    (rate,) = [one for one in goal_rows([ours, theirs]) if "durable and exact" in one.what]
    (marked,) = [one for one in goal_rows([left, theirs]) if "durable and exact" in one.what]
    assert (rate.met, marked.met) == (True, False)
    assert (marked.value, marked.what) == (rate.value, f"{rate.what}: it was not at rest in its time")


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


def day(one: Point) -> Point:
    return msgspec.structs.replace(one, size=Size(DAY, 1_000_000, 100_000))


def test_a_days_rhythm_has_its_goals_its_part_of_the_page_and_its_line_of_the_readme() -> None:
    slower = msgspec.structs.replace(POINTS[0], cpu_s={"counting": 40.0})
    points = [*POINTS, day(slower), day(POINTS[3]), day(POINTS[1])]
    goals = {row.what: row for row in goal_rows(points) if row.what.startswith("a day's rhythm: ")}
    assert len(goals) == 7
    rate = next(row for what, row in goals.items() if "durable hits per CPU second" in what)
    assert (rate.value, rate.met) == (0.625, False)
    result = Result("make compare", 60.0, 10, 10, points)
    assert "- a day's rhythm, CPU of a million hits: 40 s; Python dictionary 1, " in page(result)
    assert "The same assets and 1,000,000 hits that say when they were" in page(result)
    assert "Over a day's rhythm of 1,000,000 hits it is 25,000 hits per CPU second" in short(result)


def test_the_readme_has_the_columns_in_which_others_are_ahead() -> None:
    for column in ("hits/s", "hit to list, ms", "filtered, first time (asks)", "re-count, s"):
        assert f"| {column} |" in short(RESULT)
    assert "asked for again are ready bytes" in short(RESULT)


@pytest.mark.parametrize("kind", [LOAD, DAY, KILL, GROWTH])
def test_a_point_of_ours_that_was_not_begun_misses_its_goals(kind: str) -> None:
    absent = Point("footfall", Size(kind, 10_000_000, 100_000), "", "", stopped="not begun: the time was over")
    others = [one for one in [*POINTS, day(POINTS[3])] if one.peer != "footfall" or kind != LOAD]
    rows = [row for row in goal_rows([*others, absent]) if "not begun: the time was over" in row.what]
    assert rows
    assert not any(row.met for row in rows)


def test_a_point_of_ours_that_was_cut_misses_its_goals_however_good_its_figures() -> None:
    cut = msgspec.structs.replace(grown(10_000_000, cpu_s=1.0), stopped="stopped after 240 s")
    rows = {row.what: row.met for row in goal_rows([*POINTS, cut])}
    assert rows["loads of every size that came to their end with right lists"] is False
    assert [met for what, met in rows.items() if what.startswith("CPU of a million")] == [False]


def test_who_could_not_be_measured_is_named_where_we_are_held_against_the_best() -> None:
    best = next(row.what for row in goal_rows(POINTS) if "the best that is durable and exact" in row.what)
    assert "not measured: Apache Flink SQL" in best


def test_every_missed_goal_has_its_cause_and_the_floor_says_what_can_be_reached() -> None:
    ours = msgspec.structs.replace(POINTS[0], floor=Times(0.05, 0.1, 1_000), cpu_s={"front": 40.0, "judging": 10.0})
    points = [ours, *POINTS[1:]]
    told = page(Result("make compare", 60.0, 10, 10, points)).partition("## Where we are not first, and why")[2]
    for row in goal_rows(points):
        assert (f"*{row.what}*" in told) is not row.met
    assert "front 40, judging 10" in told
    quick = [ours, point("redis", cpu_s=9.0, list_ms=0.2)]
    assert "4 times is all that a server could be faster here" in "\n".join(cause_lines(quick))


def test_the_page_says_if_what_is_behind_had_not_caught_up() -> None:
    late = msgspec.structs.replace(POINTS[0], behind="judging had not caught up in its time")
    assert "| right; judging had not caught up in its time |" in page(Result("make compare", 60.0, 10, 10, [late]))
