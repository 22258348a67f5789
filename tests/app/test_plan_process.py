"""The plan of what was counted, as GET /v1/plan tells it."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from footfall.app.plan_process import plan_told
from footfall.app.settings import json_from_settings
from footfall.values.clock import SetClock
from tests.app.test_planning_actual import NOW_MS, counted


def test_what_was_counted_is_planned_and_put_beside_the_plan(tmp_path: Path) -> None:
    settings = replace(counted(tmp_path, hours=48), plan_hits_per_day=1_000_000)
    told = plan_told(settings, SetClock(NOW_MS))
    assert told["hours"] == 48
    # Of 48 hours, hour n has ten times n hits of each of three assets: 735 in the mean.
    assert told["actual"]["hitsPerDay"] == pytest.approx(735 * 24, rel=0.01)
    assert told["planned"]["hitsPerDay"] == pytest.approx(1e6, rel=0.01)
    assert float(told["actual"]["usd"]) < float(told["planned"]["usd"])
    assert any(sentence.startswith("Nothing to scale") for sentence in told["says"])
    assert not any("rented machine" in sentence for sentence in told["says"])  # It runs on one.


def test_without_a_plan_there_is_only_what_was_counted(tmp_path: Path) -> None:
    told = plan_told(counted(tmp_path, hours=30), SetClock(NOW_MS))
    assert told["planned"] is None
    assert told["says"]


def test_too_little_is_told_in_a_sentence(tmp_path: Path) -> None:
    told = plan_told(counted(tmp_path, hours=1), SetClock(NOW_MS))
    assert told["actual"] is None
    assert "ewer than 2 whole hours" in told["says"][0]


def test_the_process_answers_in_json(tmp_path: Path) -> None:
    settings = counted(tmp_path, hours=0)  # The process has a clock of its own: whatever it shows, there is nothing.
    command = [sys.executable, "-m", "footfall.app.plan_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ran:
        assert ran.stdin is not None
        assert ran.stdout is not None
        ran.stdin.write(json_from_settings(settings).encode() + b"\n")
        ran.stdin.flush()  # And left open, as whoever asks is still there.
        assert msgspec.json.decode(ran.stdout.read())["actual"] is None
