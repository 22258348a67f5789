"""The audience command works on the directory's table: what it does, prints, and refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from footfall.shells.cli.command import Exit


@pytest.fixture
def ask(shell: Any, tmp_path: Path) -> Any:
    (tmp_path / "footfall.toml").write_text('[brands.daily]\nzone = "UTC"\n')

    def run(*words: str, wanted: Exit = Exit.OK) -> str:
        before = len(shell.printed())
        assert shell.run("audience", *words, "--brand", "daily", "--data", str(tmp_path)) == wanted
        return str(shell.printed()[before:])

    return run


def test_follows_are_made_listed_and_erased(ask: Any) -> None:
    assert ask("follow", "member:1", "series:dark").startswith("member:1 follows series:dark since 20")
    assert ask("is-following", "member:2", "series:dark") == "member:2 does not follow series:dark.\n"
    assert ask("counts", "series:dark") == "series:dark follows 0, 1 follow it.\n"
    assert [line.split()[0] for line in ask("followers", "series:dark").splitlines()] == ["thing", "member:1"]
    assert ask("feed", "member:1") == "There is nothing.\n"
    assert ask("spread", "series:dark", "--expect", "2000000") == "The followers of series:dark lie in 64 shards.\n"
    assert json.loads(ask("following", "member:1", "--json"))["items"][0]["thing"] == "series:dark"
    assert json.loads(ask("export", "member:1"))["thing"] == "series:dark"
    assert ask("block", "series:dark", "member:1") == "series:dark blocks member:1.\n"
    assert ask("make-private", "member:1") == "member:1 is private.\n"
    ask("erase", "member:1", wanted=Exit.USAGE)
    assert ask("erase", "member:1", "--yes").endswith("items of member:1 are gone.\n")
    assert ask("followers", "series:dark") == "There is nothing.\n"
    assert ask("kinds").split() == ["member", "series", "asset", "author", "actor"]


def test_what_makes_no_sense_is_refused_with_a_sentence(ask: Any, shell: Any, tmp_path: Path) -> None:
    ask("follow", "member:1", wanted=Exit.USAGE)
    ask("follow", "member:1", "member:1", wanted=Exit.REFUSED)
    ask("follow", "wizard:1", "member:1", wanted=Exit.REFUSED)
    assert shell.run("audience", "kinds", "--brand", "unknown", "--data", str(tmp_path)) == Exit.REFUSED
