"""`footfall metrics get-data` and `push` on a directory that no instance runs on."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.shells.cli.test_metrics import Metrics

SPAN = ("--from", "2026-10-01", "--to", "2026-10-03")
TABLE = "at,section,value\n2026-10-01,news,4\n2026-10-01,sport,2\n2026-10-02,news,5\n"


@pytest.fixture
def metrics(tmp_path: Path, shell: Any) -> Metrics:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    shell.printed()
    made = Metrics(shell, folder)
    made.add("reads", "", "--unit", "hits", "--dimension", "section")
    made.add("twice", "reads * 2")
    return made


def test_points_of_a_file_are_pushed_and_asked_for(metrics: Metrics, tmp_path: Path) -> None:
    file = tmp_path / "points.csv"
    file.write_text(TABLE)
    told = metrics.json("push", "reads", str(file))
    assert told == {"brand": "abc", "metric": "reads", "points": 3, "days": 2, "changedDays": 2, "revision": 1}
    assert "3 points of 2 days; 0 days are different now." in metrics.run("push", "reads", str(file))
    answer = metrics.json("get-data", "twice", *SPAN)
    assert [one["value"] for one in answer["items"]] == [12.0, 10.0]
    shown = metrics.run("get-data", "twice", *SPAN, "--by", "section", "--where", "section:news,nobody")
    lines = [line.split() for line in shown.splitlines()]
    assert lines[-3:] == [["period", "section", "value"], ["2026-10-01", "news", "8"], ["2026-10-02", "news", "10"]]
    assert "twice (version 1) in hits: 2 of 2 days have data." in metrics.shell.complained()
    table = metrics.run("get-data", "twice", *SPAN, "--by", "section", "--grain", "month", "--csv")
    rows = list(csv.DictReader(table.splitlines()[-3:]))
    assert rows == [
        {"period": "2026-10-01", "section": "news", "value": "18.0"},
        {"period": "2026-10-01", "section": "sport", "value": "4.0"},
    ]


def test_other_forms_are_told_by_the_files_name_or_by_how_they_begin(metrics: Metrics, tmp_path: Path) -> None:
    rows = [{"at": "2026-10-01", "value": value, "dimensions": {"section": "x"}} for value in (1, 2, 3, 4)]
    texts = {
        "a.json": json.dumps(rows[:1]), "b.jsonl": json.dumps(rows[1]),
        "c": json.dumps(rows[2:3]), "d": json.dumps(rows[3]),
    }  # fmt: skip
    for value, (name, text) in enumerate(texts.items(), 1):
        (tmp_path / name).write_text(text)
        metrics.run("push", "reads", str(tmp_path / name))
        assert metrics.json("get-data", "reads", *SPAN)["items"][0]["value"] == value, name


def test_what_is_refused_says_why_and_how_the_command_was_wrong(metrics: Metrics, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("at,value\n2026-10-01,many\n")
    metrics.run("push", "reads", str(bad), code=4)
    assert "row 1: 'many' is not a number" in metrics.shell.complained()
    metrics.run("push", "reads", code=2)
    metrics.run("push", "reads", str(tmp_path / "absent.csv"), code=2)
    metrics.run("get-data", "reads", code=2)
    assert "--from is missing" in metrics.shell.complained()
    metrics.run("get-data", "nothing", *SPAN, code=4)
    metrics.run("get-data", "reads", *SPAN, "--by", "planet", code=4)
    metrics.add("hits", "", "--unit", "hits")


def test_footfalls_own_counts_are_not_there_before_anything_was_counted(metrics: Metrics, tmp_path: Path) -> None:
    one = tmp_path / "one.yaml"
    one.write_text("name: hits\nvalueType: SCALAR\nsource: {counts: hits}\n")
    metrics.json("add", "--file", str(one))
    metrics.run("get-data", "hits", *SPAN, code=1)
    assert "start footfall serve on it" in metrics.shell.complained()
