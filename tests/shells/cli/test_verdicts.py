"""`footfall verdicts` on a directory that no instance runs on."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.screening.findings import Cause
from footfall.screening.verdicts import State
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


def test_many_are_decided_on_at_once_by_ids_or_by_what_they_are(data: str, shell: Any) -> None:
    named = ("--data", data, "--brand", "abc")
    others = [msgspec.structs.replace(VERDICT, subject=str(number)) for number in range(2, 6)]
    told = msgspec.structs.replace(VERDICT, subject="9", cause=Cause.UNUSUAL_ASSET, state=State.FOUND)
    clockwork = msgspec.structs.replace(VERDICT, subject="10", cause=Cause.CLOCKWORK)
    with closing(wiring.open_accounts(Settings(data_dir=data), SystemClock())) as accounts:
        accounts.register.verdicts.find("abc", [*others, told, clockwork], since={})
    assert shell.run("verdicts", "release", others[0].id, others[1].id, *named) == 0
    assert shell.printed().splitlines()[-2:] == [f"asset {n} is released; its hits are: person." for n in (2, 3)]
    assert shell.run("verdicts", "confirm", others[2].id, "1", *named) == 1  # The one that there is is decided on.
    assert "asset 4 is confirmed" in shell.printed()
    assert shell.run("verdicts", "confirm", "--all", "--cause", "few-agents", *named) == 0
    assert "2 confirmed." in shell.complained()
    assert shell.run("verdicts", "show", *named, "--json") == 0
    assert [one["subject"] for one in json.loads(shell.printed().splitlines()[-1])["items"]] == ["10"]
    assert shell.run("verdicts", "show", "--state", "found", *named, "--json") == 0
    assert [one["subject"] for one in json.loads(shell.printed().splitlines()[-1])["items"]] == ["9"]
    assert shell.run("verdicts", "show", "--kind", "visitor", *named) == 0
    assert "There are none." in shell.printed()
    for wrong in (["release"], ["release", "--all", "1"], ["release", "1", "--kind", "asset"], ["show", "1", "2"]):
        assert shell.run("verdicts", *wrong, *named) == 2


def test_who_decided_is_told_by_the_name_of_the_user(data: str, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    named = ("--data", data, "--brand", "abc")
    monkeypatch.setenv("LOGNAME", "ann")
    assert shell.run("verdicts", "confirm", VERDICT.id, *named) == 0
    assert shell.run("audit", *named, "--json") == 0
    newest = json.loads(shell.printed().splitlines()[-1])["items"][0]
    assert (newest["act"], newest["by"]) == ("verdict-confirmed", "command line, user ann")
