"""The page and its picture say what the points say: who is wrong, who stopped where, and where we are not first."""

import msgspec
import pytest

from bench.compare.causes import cause_lines
from bench.compare.drawing import STOPPED, drawing
from bench.compare.goals import goal_rows
from bench.compare.peers import FOOTFALL_KEYED, PEERS, is_ours
from bench.compare.planned import DAY, GROWTH, KILL, LOAD
from bench.compare.points import Killed, Point, Size, Times
from bench.compare.report import Result
from bench.compare.table import main_lines
from scripts.compare_page import (
    BEGIN,
    DECISION,
    END,
    FULL_CPU_S,
    PAGE,
    PLAIN_CPU_S,
    SMALL_SHARE,
    NoPlace,
    page,
    readme_with,
    short,
)
from tests.bench.compare.made_points import POINTS, RESULT, SPOILT, day, killed, point

AHEAD = "Who is ahead of us in what"


def test_the_page_says_who_is_wrong_who_failed_and_who_stopped() -> None:
    text = page(RESULT)
    assert "**wrong**: 1 of 255 lists: abc 99 rows, not 100" in text
    assert "failed: PeerFailed: no Java" in text
    assert "stopped after 240 s at 1,000,000 of 10,000,000 hits" in text
    assert "| Redis, synced | 1,000,000 | 2 of 3 | 0 | 10,000 | 4 of 255 | 0.5 |" in text


def test_the_page_says_what_we_are_not_first_in() -> None:
    told = page(RESULT).partition(AHEAD)[2]
    assert "CPU of a million hits: 2 s; Python dictionary: 1; DuckDB: 1.6." in told
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


def test_a_footfall_that_is_sent_keys_is_not_among_those_who_are_ahead_of_us() -> None:
    keyed = msgspec.structs.replace(POINTS[0], peer=FOOTFALL_KEYED, cpu_s={"front": 1.5}, to_list_ms=0.1)
    result = msgspec.structs.replace(RESULT, points=[*POINTS, keyed, *map(day, (keyed, POINTS[0], POINTS[3]))])
    assert "a key in every body" not in page(result).partition(AHEAD)[2]
    assert "(PostgreSQL, summed first: 40,000)" in short(result)


def test_the_page_has_the_versions_and_says_nothing_where_nobody_told() -> None:
    told = msgspec.structs.replace(POINTS[1], version="Python's msgspec 1.2.3")
    lines = page(msgspec.structs.replace(RESULT, points=[POINTS[0], told])).splitlines()
    who = {line.split(" | ")[0]: line.split(" | ")[1] for line in lines if "(`" in line and line.startswith("| ")}
    assert who["| Python dictionary (`dictionary`)"] == "Python's msgspec 1.2.3"
    assert who["| footfall (`footfall`)"] == ""


def test_the_page_says_what_is_installed_and_from_when_points_may_be() -> None:
    head = page(RESULT).partition("## The work")[0]
    for one in ("postgresql", "redis-server", "default-jre-headless", "npm", "build/compare/venv-flink"):
        assert f"`{one}`" in head
    assert "within 12 hours" in head
    assert "rm -r build/compare" in head


def test_the_page_says_where_the_processor_time_goes() -> None:
    server = msgspec.structs.replace(POINTS[3], cpu_s={"collecting": 12.9, "postgres": 12.5})
    ours = msgspec.structs.replace(POINTS[0], cpu_s={"front": 1.5, "judging": 0.5})
    told = page(msgspec.structs.replace(RESULT, points=[ours, POINTS[1], server]))
    assert "| PostgreSQL, summed first | 12.9 | postgres 12.5 | 25.4 |" in told
    assert "| Python dictionary | 1 | within it | 1 |" in told
    assert "| footfall | not charged | front 1.5, judging 0.5 | 2 |" in told


def test_the_page_says_what_a_hit_costs_beside_fewer_assets() -> None:
    points = [*POINTS, *(grown(100_000, cpu_s=used, assets=count) for count, used in ((10**4, 0.1), (10**5, 0.15)))]
    told = page(Result("make compare", 60.0, 1_000_000, 100_000, [*points, grown(10_000_000, cpu_s=40.0)]))
    assert "Fewer and more assets than 100,000 are seen at 100,000 hits alone." in " ".join(told.split())
    assert "| peer | 10,000 assets | 100,000 assets |" in told
    assert "A load of more than 10,000,000 hits is the same bodies again" in " ".join(told.split())
    assert "| footfall | 1 | 1.5 (1.5 times) |" in told
    assert "assets |\n| --- | --- |" not in page(Result("make compare", 60.0, 10, 10, [*POINTS, points[-1]]))


def test_figures_that_no_run_measures_stand_in_the_decision_that_is_pointed_to() -> None:
    decision = (PAGE.parent / DECISION).read_text(encoding="utf-8")
    assert f"| {PLAIN_CPU_S}; {FULL_CPU_S} |" in decision
    assert f"not first beside sums in DuckDB ({SMALL_SHARE} of it)" in decision
    told = short(RESULT)
    assert f"took {FULL_CPU_S} processor seconds where plain ones took {PLAIN_CPU_S} (2026-11-18, an earlier" in told
    assert f"(docs/{DECISION})" in told
    assert f"it did {SMALL_SHARE} of what DuckDB does with sums" in told
    assert f"it did {SMALL_SHARE} of what DuckDB does with sums" in page(RESULT)
    assert FULL_CPU_S not in page(RESULT)


def test_everybody_says_how_lists_are_asked_for_and_servers_are_not_asked_within_a_process() -> None:
    asked = {peer: about.asked for peer, about in PEERS.items()}
    within = {peer for peer, told in asked.items() if told == "within its process"}
    assert within == {"dictionary", "duckdb", "duckdb-summed", "clickhouse-summing", "clickhouse-raw", "flink"}
    assert {told for peer, told in asked.items() if is_ours(peer)} == {"over loopback HTTP"}


KEYED = [msgspec.structs.replace(POINTS[0], peer=FOOTFALL_KEYED), *POINTS[1:]]


def test_a_fast_wrong_answer_is_out_of_the_race() -> None:
    goals = {row.what: row for row in goal_rows(KEYED)}
    best = next(what for what in goals if "the best that is durable and exact" in what)
    assert "PostgreSQL" in best
    assert goals[best].met
    assert [row.value for what, row in goals.items() if "beside the dictionary in memory" in what] == [0.5]
    assert all("DuckDB" not in what for what in goals)


@pytest.mark.parametrize("spoilt", SPOILT)
def test_who_lost_or_doubled_hits_by_a_kill_is_not_among_the_durable_and_exact(spoilt: Point) -> None:
    slower = point("redis", cpu_s=50.0)
    kept, goals = [*POINTS[:5], slower, killed("postgres"), killed("redis")], list[str]()
    for points in (kept, [*kept[:6], spoilt, killed("redis")]):
        goals += [row.what for row in goal_rows(points) if "the best that is durable and exact" in row.what]
    assert ["PostgreSQL" in goals[0], "Redis, synced" in goals[1]] == [True, True]


@pytest.mark.parametrize("what", ["lost", "doubled", "wrong_lists"])
def test_a_footfall_that_a_kill_spoilt_is_out_of_the_race_by_the_same_rule(what: str) -> None:
    kills = killed(FOOTFALL_KEYED, **{what: 1})
    rows = [row for row in goal_rows([*KEYED, kills]) if "CPU second" in row.what]
    assert [(row.value, row.met) for row in rows] == [(0.0, False)] * len(rows)
    assert rows


def test_what_hits_without_keys_cost_is_told_with_what_kills_did_and_is_no_goal() -> None:
    for doubled, told in ((0, ""), (100, " (100 doubled after kill -9)")):
        points = [*POINTS, killed("footfall", doubled=doubled)]
        rows = [row for row in goal_rows(points) if "CPU second" in row.what]
        assert rows
        assert all(row.value and row.goal is None for row in rows)
        assert all("CPU second" not in line for line in cause_lines(points))
        page_of = page(Result("make compare", 60.0, 10, 10, points))
        assert f"without keys{told} | 12.5 times |  |  |" in page_of


def test_a_hit_without_a_key_that_a_kill_has_lost_misses_a_goal() -> None:
    for lost, met in ((0, True), (1, False)):
        rows = [row for row in goal_rows([*POINTS, killed("footfall", lost=lost)]) if "hits lost" in row.what]
        assert [row.met for row in rows] == [met]


def test_the_page_and_the_picture_say_whose_kills_were_not_run_through() -> None:
    points = [*POINTS[:4], killed("footfall"), killed("dictionary", lost=800), killed("duckdb", wrong_lists=2)]
    rows = {cells[0]: cells[-2] for cells in main_lines(points)[1]}
    assert "| all there, once | right |" in page(Result("make compare", 60.0, 10, 10, points))
    assert rows["footfall"] == "all there, once"
    assert rows["Python dictionary"] == "800 lost"
    assert rows["DuckDB"] == "2 lists wrong"
    assert rows["PostgreSQL, summed first"] == "not run through"
    assert f"PostgreSQL, summed first<tspan> * {STOPPED}</tspan>" in drawing(points)
    assert f"PostgreSQL, summed first<tspan> {STOPPED}</tspan>" in drawing([*points, killed("postgres")])
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
    ours, theirs = point(FOOTFALL_KEYED, cpu_s=1.0), point("duckdb", cpu_s=2.0)
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
    for found, met in ((Killed(3, 300_000, 0, 0, 1.0, 3, 255, 0), 5), (Killed(3, 300_000, 0, 0, 1.0, 2, 255, 1), 3)):
        kills = [Point(peer, size, "", "", killed=found) for peer in ("footfall", FOOTFALL_KEYED)]
        rows = [row for row in goal_rows([*POINTS, *kills]) if "kills -9" in row.what]
        assert (len(rows), sum(bool(row.met) for row in rows)) == (5, met)


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
    told = page(Result("make compare", 60.0, 10, 10, [slow, *POINTS[1:]])).partition(AHEAD)[2]
    assert "- filtered list, p99: 90 ms; " in told


def test_a_days_rhythm_has_its_goals_its_part_of_the_page_and_its_line_of_the_readme() -> None:
    slower = msgspec.structs.replace(KEYED[0], cpu_s={"counting": 40.0})
    points = [*POINTS, day(slower), day(POINTS[0]), day(POINTS[3]), day(POINTS[1])]
    goals = {row.what: row for row in goal_rows(points) if row.what.startswith("a day's rhythm: ")}
    assert len(goals) == 8
    rate = next(row for what, row in goals.items() if what.endswith("a key in every body"))
    assert (rate.value, rate.met) == (0.625, False)
    result = Result("make compare", 60.0, 10, 10, points)
    assert "- a day's rhythm, CPU of a million hits: 40 s; Python dictionary: 1; " in page(result)
    assert "The same assets and 1,000,000 hits that say when they were" in page(result)
    assert "Over a day's rhythm of 1,000,000 hits it does, a key in every body, 25,000 hits per CPU second" in short(
        result
    )


def test_the_readme_has_the_columns_in_which_others_are_ahead() -> None:
    for column in ("hits/s", "hit to list, ms", "filtered, first time (asks)", "re-count, s"):
        assert f"| {column} |" in short(RESULT)
    assert "asked for again are ready bytes" in short(RESULT)
    assert "asked while no hit comes" in short(RESULT)
    assert "asked when the load is over, while no hit comes" in " ".join(page(RESULT).split())


@pytest.mark.parametrize("kind", [LOAD, DAY, KILL, GROWTH])
def test_a_point_of_ours_that_was_not_begun_misses_its_goals(kind: str) -> None:
    ours = ("footfall", FOOTFALL_KEYED) if kind == KILL else ("footfall",)
    size, why = Size(kind, 10_000_000, 100_000), "not begun: the time was over"
    absent = [Point(peer, size, "", "", stopped=why) for peer in ours]
    others = [one for one in [*POINTS, day(POINTS[3])] if one.peer != "footfall" or kind != LOAD]
    rows = [row for row in goal_rows([*others, *absent]) if why in row.what]
    assert rows
    assert not any(row.met for row in rows)


def test_a_point_of_ours_that_was_cut_misses_its_goals_however_good_its_figures() -> None:
    cut = msgspec.structs.replace(grown(10_000_000, cpu_s=1.0), stopped="stopped after 240 s")
    rows = {row.what: row.met for row in goal_rows([*POINTS, cut])}
    assert rows["loads of every size that came to their end with right lists, without keys"] is False
    assert [met for what, met in rows.items() if what.startswith("CPU of a million")] == [False]


def test_who_could_not_be_measured_is_named_where_we_are_held_against_the_best() -> None:
    best = next(row.what for row in goal_rows(POINTS) if "the best that is durable and exact" in row.what)
    assert "not measured: Apache Flink SQL" in best


def test_every_missed_goal_has_its_cause_and_the_floor_says_what_can_be_reached() -> None:
    ours = msgspec.structs.replace(POINTS[0], floor=Times(0.05, 0.1, 1_000), cpu_s={"front": 40.0, "judging": 10.0})
    points = [ours, msgspec.structs.replace(ours, peer=FOOTFALL_KEYED), *POINTS[1:]]
    told = page(Result("make compare", 60.0, 10, 10, points)).partition("## Where we are not first, and why")[2]
    for row in goal_rows(points):
        assert (f"*{row.what}*" in told) is (row.met is False)
    assert "front 40, judging 10" in told
    quick = "\n".join(cause_lines([ours, point("redis", cpu_s=9.0, list_ms=0.2)]))
    assert "takes 0.2 ms (Redis, synced, asked over loopback TCP, by redis-py): 4 times is all that a server" in quick
    sums = next(line for line in told.splitlines() if "*durable hits per CPU second beside PostgreSQL, summed" in line)
    assert "It is sent sums" in sums


def test_who_was_spoilt_by_a_kill_is_not_the_best_of_a_day_in_the_readme() -> None:
    slower = point("redis", cpu_s=50.0)
    points = [*POINTS[:5], *(day(one) for one in (POINTS[0], POINTS[3], slower))]
    for kills, best in (([], "(PostgreSQL, summed first: 40,000)"), ([SPOILT[0]], "(Redis, synced: 20,000)")):
        assert best in short(Result("make compare", 60.0, 10, 10, [*points, *kills]))


def test_the_page_says_if_what_is_behind_had_not_caught_up() -> None:
    late = msgspec.structs.replace(POINTS[0], behind="judging had not caught up in its time")
    assert "| right; judging had not caught up in its time |" in page(Result("make compare", 60.0, 10, 10, [late]))
