"""`footfall verdicts` on a directory that no instance runs on."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.values.clock import SystemClock
from tests.shells.lambdas.proved import VERDICT


@pytest.fixture
def data(tmp_path: Path, shell: Any) -> str:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    with closing(wiring.open_accounts(Settings(data_dir=folder), SystemClock())) as accounts:
        accounts.register.verdicts.find("abc", [VERDICT], since={})
    shell.printed()
    return folder


def test_a_verdict_is_listed_explained_and_decided_on(data: str, shell: Any) -> None:
    named = ("--data", data, "--brand", "abc")
    assert shell.run("verdicts", "show", *named, "--json") == 0
    told = json.loads(shell.printed().splitlines()[-1])
    assert [(one["id"], one["state"], one["words"]) for one in told["items"]] == [
        (VERDICT.id, "held", "few kinds of agent")
    ]
    assert shell.run("verdicts", "show", VERDICT.id, *named) == 0
    explained = shell.printed()
    for said in ("kinds of agent, against what is usual", "low", "0.90", "100%", "suspected"):
        assert said in explained
    assert shell.run("verdicts", "confirm", VERDICT.id, *named) == 0
    assert "asset 1 is confirmed; its hits are: blocked." in shell.printed()
    assert "is counted again now, by itself." in shell.complained()
    assert shell.run("verdicts", "confirm", VERDICT.id, *named) == 0
    assert "Nothing that was counted changes." in shell.complained()
    assert shell.run("verdicts", "show", *named) == 0
    assert "There are none." in shell.printed()


def test_what_is_not_there_and_what_makes_no_sense_is_said_so(data: str, shell: Any) -> None:
    named = ("--data", data, "--brand", "abc")
    assert shell.run("verdicts", "release", *named) == 2
    assert shell.run("verdicts", "release", "1", *named) == 1
    assert "is no verdict of 'abc'" in shell.complained()
    assert shell.run("verdicts", "show", "--data", data, "--brand", "other") == 4
