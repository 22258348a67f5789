"""The gauges: what Prometheus reads of a front is true, bounded and written down."""

import os
import re
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from footfall import __version__
from footfall.accounts.brands import Brand
from footfall.app.audience_opening import open_audience_table
from footfall.app.judging_report import GRACE_MS, Report
from footfall.flow.store.checkpoints import Lines
from footfall.flow.stream.beats import NO_ROOM
from footfall.shells.http.gauges import BRANDS_MAX
from footfall.values.groups import pings_group
from tests.shells.http.stage import NOW_MS, Stage, staged
from tests.tidy.sources import HOUSE

GAUGES_PAGE = HOUSE / "docs" / "reference" / "gauges.md"


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with staged(tmp_path) as opened:
        yield opened


def gauges(stage: Stage) -> dict[str, dict[tuple[str, ...], float]]:
    """Return every value, by name and then by the values of its labels."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(stage.ask("/metrics").text):
        for sample in family.samples:
            values = found.setdefault(sample.name, {})
            labels = tuple(sample.labels.values())
            assert labels not in values, "one series is told once"
            values[labels] = sample.value
    return found


def test_the_gauges_are_prometheus_text(stage: Stage) -> None:
    reply = stage.ask("/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert gauges(stage)["footfall_build_info"] == {(__version__,): 1}


def test_every_gauge_is_in_the_reference_with_its_sentence(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    stage.state.judged.report.judged_ms = NOW_MS
    page = GAUGES_PAGE.read_text(encoding="utf-8")
    told: dict[str, str] = {}
    for line in stage.ask("/metrics").text.splitlines():
        if line.startswith("# HELP "):
            name, _, says = line.removeprefix("# HELP ").partition(" ")
            told[name] = says
    rows = dict(re.findall(r"^\| `(footfall_\w+)` \| (.+) \|$", page, re.MULTILINE))
    # Those of tables are not the server's; test_table_gauges.py compares them.
    assert sorted(name for name in rows if not name.startswith("footfall_table_")) == sorted(told)
    for name, says in told.items():
        assert rows[name].startswith(says)


def test_what_the_front_counted_is_told(stage: Stage) -> None:
    state = stage.state
    state.totals.hits_accepted = 11
    state.lane.requests = 5
    state.lane.buffered_bytes = 300
    state.committer.pending_bytes = 77
    state.committer.commits = 3
    state.answering.restarts = 2
    found = gauges(stage)
    assert found["footfall_hits_accepted_total"] == {(): 11}
    assert found["footfall_requests_total"] == {(): 5}
    assert found["footfall_connections"] == {(): 0}
    assert found["footfall_buffered_bytes"] == {(): 300}
    assert found["footfall_pending_bytes"] == {(): 77}
    assert found["footfall_commits_total"] == {(): 3}
    assert found["footfall_child_restarts_total"] == {("counting",): 0, ("answering",): 2, ("judging",): 0}
    assert found["footfall_start_time_seconds"] == {(): NOW_MS / 1_000}


def test_judging_is_told_as_it_reports_itself(stage: Stage) -> None:
    assert "footfall_judging_behind_seconds" not in gauges(stage)
    report = Report(NOW_MS - 90_000, hits=100, sampled_out=25.0, left_out=7, skipped_ms=120_000, verdicts=3, brands=2)
    report.ready_assets = 1
    stage.state.judged.on_message(["judged", msgspec.to_builtins(report)])
    found = gauges(stage)
    assert found["footfall_judging_behind_seconds"] == {(): 30 - GRACE_MS / 1_000}
    assert found["footfall_judging_hits_total"] == {("judged",): 75, ("sampled",): 25, ("left_out",): 7}
    assert found["footfall_judging_skipped_seconds_total"] == {(): 120}
    assert found["footfall_judging_verdicts_total"] == {(): 3}
    assert found["footfall_judging_brands"] == {(): 2}
    assert found["footfall_judging_ready_brands"] == {("visitor",): 0, ("asset",): 1}


def test_what_plays_and_is_still_to_be_written_is_told(tmp_path: Path) -> None:
    with staged(tmp_path, audience_answer_ms=50) as stage:
        assert gauges(stage)["footfall_playbacks_unrecorded"] == {(): 0}
        stage.runner.run(stage.state.desk.change("tv", lambda one: one.add(Brand("tv"), zone_in_use=None)))
        key = stage.runner.run(stage.state.desk.change("tv", lambda one: one.add_secret_key("tv", ("audience",))))
        stage.ask("/v1/audience/counts?of=member:1", headers={"authorization": f"Bearer {key.text}"})
        with closing(open_audience_table(stage.state.settings, stage.clock)) as busy, busy.together():
            begun = b'{"member": "ann", "session": "s", "asset": "film"}'
            headers = {"authorization": f"Bearer {key.text}", "content-type": "application/json"}
            reply = stage.ask("/v1/audience/playbacks", method="POST", headers=headers, body=begun)
            assert reply.json()["recorded"] is False
            found = gauges(stage)
        assert found["footfall_playbacks_unrecorded"] == {(): 1}
        assert found["footfall_playbacks_forgotten_total"] == {(): 0}


def test_ready_answers_are_told(stage: Stage) -> None:
    stage.state.answers.on_message(["answers", [["brand=abc&period=day", 1, "", '"e"', 30, b"x" * 100]]])
    found = gauges(stage)
    assert found["footfall_answers_ready"] == {(): 1}
    assert found["footfall_answers_bytes"] == {(): stage.state.answers.size_bytes}


def test_readiness_is_a_gauge(stage: Stage) -> None:
    assert gauges(stage)["footfall_ready"] == {(): 0}
    stage.make_ready()
    assert gauges(stage)["footfall_ready"] == {(): 1}


def test_the_lag_is_that_of_the_oldest_uncounted_record(tmp_path: Path) -> None:
    with staged(tmp_path, stream_shards=2) as stage:
        stage.append("abc")
        stage.count()
        stage.clock.advance(60_000)  # A quiet minute is no lag.
        assert gauges(stage)["footfall_lag_seconds"] == {("0",): 0, ("1",): 0}
        stage.append("abc", shard=1)
        stage.clock.advance(3_000)
        stage.append("abc", shard=1)
        found = gauges(stage)
        assert found["footfall_lag_records"] == {("0",): 0, ("1",): 2}
        assert found["footfall_lag_seconds"] == {("0",): 0, ("1",): 3}


def test_the_age_of_the_last_flush_is_told_once_there_was_one(stage: Stage) -> None:
    before = gauges(stage)
    assert "footfall_flush_seconds" not in before
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    stage.clock.advance(4_000)
    found = gauges(stage)
    assert found["footfall_flush_age_seconds"] == {("0",): 4}
    assert found["footfall_flush_seconds"][("0",)] >= 0


def test_the_lines_of_a_brand_and_what_is_in_flight_make_what_was_accepted(stage: Stage) -> None:
    stage.send(
        {"brand": "abc", "assetId": 1, "id": "once"},
        {"brand": "abc", "assetId": 1, "id": "once"},
        {"brand": "abc", "assetId": 2, "at": NOW_MS - 2 * 86_400_000},
    )
    stage.count()
    stage.append("abc", weight=5)
    found = gauges(stage)
    lines = found["footfall_brand_line_hits"]
    assert lines[("abc", "counted")] == 1
    assert lines[("abc", "duplicate")] == 1
    assert lines[("abc", "late")] == 1
    assert found["footfall_brand_in_flight"] == {("abc",): 5}
    assert sum(lines.values()) + 5 == found["footfall_brand_accepted_total"][("abc",)]


def test_screened_hits_are_told_by_reason(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    for worker in stage.counting.workers:
        worker.checkpoint.lines["abc"].move("known-bot", 3)
    stage.append("abc", weight=4)
    stage.count()
    assert gauges(stage)["footfall_brand_line_hits"][("abc", "screened:known-bot")] == 3


def test_beats_without_room_are_told_of_their_shard(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    assert set(gauges(stage)["footfall_crowded_beats"].values()) == {0}
    stage.counting.workers[0].checkpoint.lines[pings_group("abc")] = Lines(screened=Counter({NO_ROOM: 7}))
    stage.append("abc", weight=4)
    stage.count()
    assert gauges(stage)["footfall_crowded_beats"][("0",)] == 7


def test_seconds_since_the_last_hit_are_told_of_brands_that_were_heard(tmp_path: Path) -> None:
    with staged(tmp_path, brands={name: Brand(name) for name in ("abc", "silent")}) as stage:
        stage.send({"brand": "abc", "assetId": 1})
        stage.count()
        stage.clock.advance(9_000)
        assert gauges(stage)["footfall_brand_seconds_since_last_hit"] == {("abc",): 9}


def test_brands_beyond_the_limit_are_left_out_the_last_heard_stay(tmp_path: Path) -> None:
    brands = {f"b{place:03}": Brand(f"b{place:03}") for place in range(BRANDS_MAX + 7)}
    with staged(tmp_path, brands=brands) as stage:
        stage.send(*({"brand": name, "assetId": 1} for name in brands if name != "b000"))
        stage.count()
        stage.clock.advance(1_000)
        stage.send({"brand": "b001", "assetId": 1})
        stage.count()
        stage.append("b000")  # accepted and not counted yet: the latest of all
        found = gauges(stage)
        told = {labels[0] for labels in found["footfall_brand_in_flight"]}
        assert len(told) == BRANDS_MAX
        assert {"b000", "b001"} <= told
        assert found["footfall_brands_left_out"] == {(): 7}


@pytest.mark.parametrize("name", ['with "quotes"', "back\\slash", "new\nline", "<b>"])
def test_a_brand_of_any_spelling_is_told_as_it_is(stage: Stage, name: str) -> None:
    stage.append(name)
    assert gauges(stage)["footfall_brand_in_flight"] == {(name,): 1, ("abc",): 0}


def test_the_disk_is_told(stage: Stage, tmp_path: Path) -> None:
    found = gauges(stage)
    assert found["footfall_disk_bytes"][("stream.db",)] == os.path.getsize(tmp_path / "stream.db")
    assert {"store.db", "stream.db"} <= {labels[0] for labels in found["footfall_disk_bytes"]}
    assert found["footfall_disk_free_bytes"][()] > 0


def test_the_moment_since_which_raw_hits_are_kept_is_told(stage: Stage) -> None:
    stage.send({"brand": "abc", "assetId": 1})
    stage.count()
    assert gauges(stage)["footfall_raw_since_seconds"] == {(): 0}
    stage.stream.trim(0, through=1)
    assert gauges(stage)["footfall_raw_since_seconds"] == {(): (NOW_MS + 1) / 1_000}


def test_how_full_it_is_stands_beside_what_it_may_hold(stage: Stage) -> None:
    stage.state.answers.on_message(["rows", 1_234])
    told = gauges(stage)
    assert told["footfall_rows"] == {(): 1_234}
    assert told["footfall_limit"]["rows",] == stage.state.settings.serve_rows_max
    assert set(told["footfall_memory_bytes"]) == {("front",)}  # The others do not run on a stage.
    assert 0 < told["footfall_memory_bytes"]["front",] < told["footfall_memory_limit_bytes"][()]
    assert told["footfall_disk_size_bytes"][()] >= told["footfall_disk_free_bytes"][()] > 0
