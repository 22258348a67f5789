"""`footfall alerts` on a directory that no instance runs on."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engines.webhook import webhook_receiver


@pytest.fixture
def data(tmp_path: Path, shell: Any) -> str:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    shell.printed()
    return folder


@pytest.fixture
def named(data: str, tmp_path: Path) -> tuple[str, ...]:
    file = tmp_path / "footfall.toml"
    file.write_text("alerts_private_places = true\n", encoding="utf-8")
    return ("--data", data, "--config", str(file), "--brand", "abc")


def told(shell: Any, *words: str, code: int = 0) -> dict[str, Any]:
    shell.printed()
    assert shell.run("alerts", *words, "--json") == code
    return json.loads(shell.printed().splitlines()[-1])


def test_alerts_are_added_listed_tested_and_removed(shell: Any, named: tuple[str, ...]) -> None:
    assert shell.run("alerts", "list", *named) == 0
    assert "has no alerts" in shell.printed()
    with webhook_receiver() as receiver:
        words = ("--kind", "asset-passes", "--name", "Up", "--hits", "5", "--webhook", receiver.url)
        made = told(shell, "add", *named, *words)
        assert made["secret"].startswith("ffhook_")
        assert made["window"] == "hour"
        assert shell.run("alerts", "list", *named) == 0
        assert "asset-passes: hits 5, window hour" in shell.printed()
        assert shell.run("alerts", "test", made["id"], *named) == 0
        assert "taken" in shell.printed()
        receiver.answers = [(404, {})]
        tested = told(shell, "test", made["id"], *named, code=4)
        assert tested["deliveries"][0]["said"] == "404 Not Found"
    assert shell.run("alerts", "history", *named) == 0
    assert told(shell, "history", *named)["items"] == []
    assert shell.run("alerts", "remove", made["id"], *named) == 0
    assert told(shell, "list", *named)["alerts"] == []


def test_what_makes_no_sense_is_said(shell: Any, named: tuple[str, ...]) -> None:
    assert shell.run("alerts", "remove", *named) == 2
    assert shell.run("alerts", "list", "al_x", *named) == 2
    assert shell.run("alerts", "list", "--hits", "3", *named) == 2
    assert shell.run("alerts", "add", "--name", "x", *named) == 2
    assert shell.run("alerts", "remove", "al_x", *named) == 4
    mail = ("--kind", "brand-silent", "--name", "x", "--minutes", "5", "--email", "a@b.de")
    assert shell.run("alerts", "add", *mail, *named) == 4
    assert "smtp_host" in shell.complained()
