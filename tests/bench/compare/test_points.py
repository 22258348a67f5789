"""Points are stored one by one, found again while code and machine are the same, and forgotten when that is asked."""

import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.compare.peers import DICTIONARY, DUCKDB_SUMMED, FOOTFALL, PEERS, is_ours
from bench.compare.points import AGE_S_MAX, Again, Killed, Point, Points, Size, Times, code_hash, ground
from bench.compare.running import is_kept

SIZE = Size("load", 1_000, 100)


def point(peer: str = DICTIONARY) -> Point:
    times = Times(0.5, 1.5)
    return Point(
        peer,
        SIZE,
        "2026-11-18",
        ground(),
        "one 1.2",
        hits=900,
        took_s=1.5,
        cpu_s={"collecting": 0.5, "server": 0.25},
        plain=times,
        filtered=times,
        exactness={"10%": 1.0},
        again=Again(refused="hits are not kept"),
        killed=Killed(3, 900, 0, 1, 0.2),
        stopped="stopped after 2 s at 900 of 1,000 hits",
    )


def test_a_point_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    Points(tmp_path).store(point(), "code", 60)
    assert Points(tmp_path).find(DICTIONARY, SIZE, "code", 60) == point()
    assert point().cpu_total_s == 0.75


def test_a_point_of_other_code_or_another_size_is_not_found(tmp_path: Path) -> None:
    points = Points(tmp_path)
    points.store(point(), "code", 60)
    assert points.find(DICTIONARY, SIZE, "other code", 60) is None
    assert points.find(DICTIONARY, Size("load", 2_000, 100), "code", 60) is None
    assert points.find(FOOTFALL, SIZE, "code", 60) is None


def test_a_point_that_had_less_time_is_not_found(tmp_path: Path) -> None:
    points = Points(tmp_path)
    points.store(point(), "code", 60)
    assert points.find(DICTIONARY, SIZE, "code", 300) is None
    assert points.find(DICTIONARY, SIZE, "code", 60) == point()


def test_a_point_that_is_old_or_of_another_machine_is_not_found(tmp_path: Path) -> None:
    points, now_s = Points(tmp_path), time.time()
    points.store(point(), "code", 60)
    (path,) = tmp_path.iterdir()
    for age_s, taken in ((AGE_S_MAX - 60, 1), (AGE_S_MAX + 60, 1)):
        os.utime(path, (now_s, now_s - age_s))
        points.find(DICTIONARY, SIZE, "code", 60)
        assert points.taken == taken
    assert Points(tmp_path).find(DICTIONARY, SIZE, "code", 60) is None
    points.store(msgspec.structs.replace(point(), machine="another machine"), "code", 60)
    assert points.find(DICTIONARY, SIZE, "code", 60) is None
    assert points.taken == 1


def test_the_ground_has_the_file_system_that_the_folder_itself_lies_on() -> None:
    assert ground(Path("/proc/self")).endswith(" GB of memory, proc")
    assert not ground().endswith(", proc")


def test_a_point_of_an_older_run_can_be_read() -> None:
    old = b'{"peer":"redis","size":{"kind":"kill","hits":9,"assets":5},"date":"","machine":"","curve":[[1,0.1,0.2]],'
    old += b'"plain":{"p50_ms":1,"p99_ms":2},"killed":{"kills":3,"acknowledged":9,"lost":0,"doubled":0,"back_s":1}}'
    read = msgspec.json.decode(old, type=Point)
    assert read.killed == Killed(3, 9, 0, 0, 1.0)
    assert read.plain == Times(1.0, 2.0)
    assert read.version == ""


@pytest.mark.parametrize(
    ("seconds", "changed", "kept"),
    [
        (300, {}, True),
        (300, {"stopped": "stopped after 240 s"}, True),
        (300, {"failed": "no Java"}, False),
        (40, {}, True),
        (40, {"stopped": "stopped after 32 s"}, False),
        (40, {"whole_s": 40.5}, False),
    ],
    ids=["whole", "its own time over", "failed", "done in less", "the whole's time over", "cut while it was asked"],
)
def test_a_point_stands_unless_it_failed_or_the_end_of_the_whole_cut_it(
    seconds: float, changed: dict[str, Any], kept: bool
) -> None:
    one = msgspec.structs.replace(point(), **({"stopped": "", "whole_s": 20.0} | changed))
    assert is_kept(one, seconds, seconds_max=300) is kept


def test_only_the_points_of_the_peers_and_sizes_that_are_named_are_forgotten(tmp_path: Path) -> None:
    points, larger = Points(tmp_path), Size("load", 10_000, 100)
    for peer in (DICTIONARY, "redis", "redis-everysec"):
        points.store(point(peer), "code", 60)
    points.store(msgspec.structs.replace(point("redis"), size=larger), "code", 60)
    points.forget([("redis", SIZE)])
    assert points.find("redis", larger, "code", 60) is not None
    assert points.find("redis", SIZE, "code", 60) is None
    assert points.find("redis-everysec", SIZE, "code", 60) is not None
    assert points.find(DICTIONARY, SIZE, "code", 60) is not None


def test_a_change_of_a_peers_module_changes_its_code_and_nobody_elses(tmp_path: Path) -> None:
    for name in PEERS:
        module = tmp_path / Path(PEERS[name].made_by.partition(":")[0].replace(".", "/")).with_suffix(".py")
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text("before")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "product.py").write_text("before")
    before, ours = {name: code_hash(name, tmp_path) for name in PEERS}, {name for name in PEERS if is_ours(name)}
    duckdbs = {"duckdb", DUCKDB_SUMMED}  # of one module
    (tmp_path / "bench/compare/peer_duckdb.py").write_text("after")
    assert {name for name in PEERS if code_hash(name, tmp_path) != before[name]} == duckdbs
    (tmp_path / "src" / "product.py").write_text("after")
    assert {name for name in PEERS if code_hash(name, tmp_path) != before[name]} == {*duckdbs, *ours}
    (tmp_path / "bench/client.py").write_text("after")
    assert {name for name in PEERS if code_hash(name, tmp_path) != before[name]} == {*duckdbs, *ours}
    (tmp_path / "bench/compare/constraints-flink.txt").write_text("after")
    assert {name for name in PEERS if code_hash(name, tmp_path) != before[name]} == {*duckdbs, *ours, "flink"}
    for shared in ("running.py", "peers.py"):
        before = {name: code_hash(name, tmp_path) for name in PEERS}
        (tmp_path / "bench/compare" / shared).write_text("after")
        assert {name for name in PEERS if code_hash(name, tmp_path) != before[name]} == set(PEERS)
