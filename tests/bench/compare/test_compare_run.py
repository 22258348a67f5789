"""A tiny comparison, whole: the dictionary and footfall, in their own processes; no figure of time decides anything."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bench.compare import measuring
from bench.compare.budget import POINT_S_MAX, Budget
from bench.compare.goals import goal_rows
from bench.compare.measuring import load
from bench.compare.peers import DICTIONARY, FOOTFALL, FOOTFALL_KEYED, OURS, PEERS
from bench.compare.planned import DAY, KILL, LOAD, SECOND, Plan
from bench.compare.points import Points, Size, code_hash
from bench.compare.processes import SCRATCH, disk_bytes
from bench.compare.report import Result, read_result, save_result
from bench.compare.running import Run, command_of, parser
from bench.compare.sides import HOUSE, CollectorSide, PeerFailed
from bench.compare.table import growth_lines, kill_lines, main_lines
from bench.compare.traffic import Shape, made
from footfall.native import IS_BUILT

HITS, ASSETS = 20_000, 1_000


def new_run(folder: Path, *, seconds: float = 3_600) -> Run:
    return Run(Points(folder / "points"), Budget(time.monotonic, time.monotonic(), whole_s_max=seconds), folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compare")


@pytest.mark.parametrize("peer", [DICTIONARY, FOOTFALL])
def test_every_list_of_a_load_is_right(folder: Path, peer: str) -> None:
    point = new_run(folder).point(peer, Size(LOAD, HITS, ASSETS))
    assert (point.failed, point.stopped, point.wrong) == ("", "", "")
    assert (point.hits, point.is_right) == (HITS, True)
    assert point.exactness == {"10%": 1.0, "3%": 1.0, "1%": 1.0}
    assert point.plain is not None
    assert point.filtered is not None
    assert point.to_list_ms is not None
    assert point.plain.asked >= 100
    assert (point.lists_asked, point.lists_all) == (255, 255)
    assert point.is_native is (IS_BUILT if peer == FOOTFALL else None)
    assert point.memory_bytes > 0
    assert point.behind == ""
    assert ("judging" in point.cpu_s) == (peer == FOOTFALL)
    assert point.again is not None
    assert bool(point.again.refused) == (peer == DICTIONARY)
    assert (point.again.cpu_s > 0.5) == (peer == FOOTFALL)  # Five commands have to start.


@pytest.mark.parametrize("peer", [DICTIONARY, FOOTFALL])
def test_the_lists_of_a_day_are_right_for_its_last_hour_and_all_of_it(folder: Path, peer: str) -> None:
    point = new_run(folder).point(peer, Size(DAY, HITS, ASSETS))
    assert (point.failed, point.stopped, point.wrong, point.hits) == ("", "", "", HITS)


@pytest.mark.soak  # Four starts; tests/scenarios/test_kill_loop.py kills it at every commit.
@pytest.mark.parametrize("peer", OURS)
def test_footfall_loses_nothing_when_it_is_killed_and_doubles_nothing_that_bears_a_key(folder: Path, peer: str) -> None:
    point = new_run(folder).point(peer, Size(KILL, 1_000_000, ASSETS))  # so many that each kill meets some
    assert point.failed == ""
    assert point.killed is not None
    assert (point.killed.kills, point.killed.lost, point.killed.under_load) == (3, 0, 3)
    assert point.killed.lists == 255
    if peer == FOOTFALL_KEYED:
        assert (point.killed.doubled, point.killed.wrong_lists) == (0, 0)


@pytest.mark.soak  # What a load caused is waited for.
def test_a_load_and_a_day_whose_bodies_bear_keys_are_right(folder: Path) -> None:
    for kind in (LOAD, DAY):
        point = new_run(folder).point(FOOTFALL_KEYED, Size(kind, HITS, ASSETS))
        assert (point.failed, point.stopped, point.wrong, point.hits) == ("", "", "", HITS)
        assert (point.behind, point.is_right, point.is_native) == ("", True, IS_BUILT)


def test_a_load_that_is_measured_again_is_judged_and_neither_timed_nor_counted_again(folder: Path) -> None:
    point = new_run(folder).point(DICTIONARY, Size(SECOND, HITS, ASSETS))
    assert (point.failed, point.stopped, point.wrong, point.hits) == ("", "", "", HITS)
    assert (point.is_right, point.lists_asked) == (True, 255)
    assert (point.plain, point.again, point.to_list_ms) == (None, None, None)
    assert point.cpu_total_s > 0


def test_a_dictionary_that_is_killed_has_lost_what_it_acknowledged(folder: Path) -> None:
    point = new_run(folder).point(DICTIONARY, Size(KILL, 60_000, ASSETS))
    assert point.killed is not None
    assert point.killed.lost > 0
    assert point.killed.wrong_lists > 0
    assert not point.is_right


def test_a_stored_point_is_not_measured_again(folder: Path) -> None:
    size = Size(LOAD, HITS, ASSETS)
    first = new_run(folder).point(DICTIONARY, size)
    assert new_run(folder, seconds=0).point(DICTIONARY, size) == first


def test_a_point_is_not_begun_when_the_time_is_over_and_is_not_stored(tmp_path: Path) -> None:
    size = Size(LOAD, HITS, ASSETS)
    point = new_run(tmp_path, seconds=0).point(DICTIONARY, size)
    assert "time of the run was over" in point.stopped
    assert Points(tmp_path / "points").find(DICTIONARY, size, code_hash(DICTIONARY), POINT_S_MAX) is None


def test_a_peer_that_fails_is_told_with_the_reason_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = replace(PEERS[DICTIONARY], environment="not-installed")
    monkeypatch.setitem(PEERS, DICTIONARY, nowhere)
    point = new_run(tmp_path).point(DICTIONARY, Size(LOAD, HITS, ASSETS))
    assert "not-installed" in point.failed
    assert main_lines([point])[1][0][-1].startswith("failed: ")
    assert {path.name for path in tmp_path.iterdir()} == {"points", "traffic"}
    assert list((tmp_path / "points").iterdir()) == []  # The next run tries again.


def test_a_load_that_runs_out_of_time_is_told_with_how_far_it_came(tmp_path: Path) -> None:
    traffic = made(Shape(HITS, ASSETS), tmp_path / "traffic")
    side = CollectorSide(DICTIONARY, tmp_path / "data")
    side.start()
    try:
        found = load(side, traffic, tmp_path, hits=10**10, seconds=0.5)  # more than any machine does
    finally:
        side.stop()
    assert "of 10,000,000,000 hits" in found["stopped"]
    assert 0 < found["hits"] < 10**10
    assert found["is_right"], found["wrong"]


def test_traffic_is_drawn_once_for_all_who_get_it(tmp_path: Path) -> None:
    run, sizes = new_run(tmp_path), [Size(LOAD, HITS, ASSETS), Size(KILL, 60_000, ASSETS)]
    first = [run._traffic(size) for size in sizes]
    assert all(run._traffic(size) is traffic for size, traffic in zip(sizes, first, strict=True))
    assert first[0].shape != first[1].shape


def test_what_a_runtime_unpacks_goes_with_the_folder_and_is_nobodys_disk(tmp_path: Path) -> None:
    for name in ("rows", SCRATCH):
        (tmp_path / "data" / name).mkdir(parents=True)
    (tmp_path / "data" / "rows" / "part").write_bytes(b"1" * 10_000)
    before = disk_bytes(tmp_path)
    (tmp_path / "data" / SCRATCH / "planner.jar").write_bytes(b"1" * 1_000_000)
    assert before >= 10_000
    assert disk_bytes(tmp_path) == before


def test_a_peer_that_hangs_is_told_with_the_hits_that_it_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "GRACE_S", 0.5)
    traffic = made(Shape(HITS, ASSETS), tmp_path / "traffic")
    side = CollectorSide(DICTIONARY, tmp_path / "data")
    side.start()
    os.kill(side.pid, signal.SIGSTOP)
    try:
        with pytest.raises(PeerFailed, match="it hung: 0 hits were acknowledged"):
            measuring.feed(side, traffic.bodies, count=HITS // 100, seconds=0.5)
    finally:
        side.kill()


def test_a_collector_that_dies_says_its_last_words(tmp_path: Path) -> None:
    side = CollectorSide(DICTIONARY, tmp_path / "data")
    side.start()
    try:
        with pytest.raises(Exception, match="nobody knows how to dance"):
            side._do({"do": "dance"})
    finally:
        side.kill()


def test_the_tables_and_goals_are_made_of_points_and_kept(folder: Path, tmp_path: Path) -> None:
    run = new_run(folder)
    points = [run.point(peer, Size(LOAD, HITS, ASSETS)) for peer in (DICTIONARY, FOOTFALL)]
    points.append(run.point(DICTIONARY, Size(KILL, 60_000, ASSETS)))
    result = Result("make compare", 1.0, HITS, ASSETS, points)
    save_result(result, tmp_path)
    assert read_result(tmp_path) == result
    assert {cells[0] for cells in main_lines(points)[1]} == {"Python dictionary", "footfall"}
    assert (len(kill_lines(points)[1]), len(growth_lines(points)[1])) == (1, 2)
    goals = {row.what for row in goal_rows(points)}
    assert "hits per CPU second beside the dictionary in memory, without keys" in goals


def test_ctrl_c_ends_what_was_started_and_the_folder_goes(tmp_path: Path) -> None:
    text = (
        # Whoever runs this in the background has it ignore Ctrl+C.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sys, time; from pathlib import Path; from bench.compare.running import Run\n"
        "from bench.compare.budget import Budget; from bench.compare.points import Points, Size\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "run = Run(Points(folder / 'points'), Budget(time.monotonic, time.monotonic()), folder)\n"
        "run.point('footfall', Size('load', 200_000, 1_000))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", text], cwd=HOUSE, stderr=subprocess.PIPE, text=True)
    give_up_at = time.monotonic() + 60
    while not _data_folders(tmp_path) and time.monotonic() < give_up_at:
        time.sleep(0.05)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert "KeyboardInterrupt" in said
    assert _data_folders(tmp_path) == []


def _data_folders(folder: Path) -> list[Path]:
    return list(folder.glob("footfall-*"))


def test_a_plan_without_the_whole_is_the_main_load() -> None:
    steps = list(Plan(HITS, ASSETS, is_whole=False).steps([DICTIONARY, FOOTFALL]))
    assert steps == [(DICTIONARY, Size(LOAD, HITS, ASSETS)), (FOOTFALL, Size(LOAD, HITS, ASSETS))]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "make compare"),
        (["--results", "somewhere", "--remark", "a busy machine"], "make compare"),
        (["--hits", "1000", "--load-only"], 'make compare COMPARE="--hits 1000 --load-only"'),
        (["--only", "redis", "--only", "flink"], 'make compare COMPARE="--only redis --only flink"'),
        (
            ["--assets", "500", "--point-seconds", "60", "--seconds", "90.5"],
            'make compare COMPARE="--assets 500 --point-seconds 60 --seconds 90.5"',
        ),
    ],
)
def test_the_command_tells_all_that_differs_from_the_defaults(words: list[str], told: str) -> None:
    assert command_of(parser().parse_args(words)) == told
