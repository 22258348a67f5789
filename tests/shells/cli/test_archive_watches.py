"""`footfall archive watches` on a directory: what is kept by itself, listed, added and removed, and written down."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def named(tmp_path: Path, shell: Any) -> tuple[str, ...]:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    shell.printed()
    return ("--data", folder, "--brand", "abc")


def told(shell: Any, *words: str) -> list[dict[str, Any]]:
    shell.printed()
    assert shell.run("archive", "watches", *words, "--json") == 0
    return json.loads(shell.printed().splitlines()[-1])


def test_watches_are_added_listed_and_removed_and_the_audit_trail_says_so(shell: Any, named: tuple[str, ...]) -> None:
    (page,) = told(shell, "add", "news.example", "--every", "15", "--only-changed", *named)
    (top,) = told(shell, "add", "--top", "3", "--period", "day", "--section", "news", "--every", "60", *named)
    assert page["rule"] == {"kind": "page", "url": "news.example", "everyMinutes": 15, "onlyChanged": True}
    assert (top["rule"]["kind"], top["rule"]["top"], top["rule"]["section"]) == ("popular", 3, "news")
    assert {one["id"] for one in told(shell, "list", *named)} == {page["id"], top["id"]}
    assert shell.run("archive", "watches", "remove", page["id"], *named) == 0
    assert [one["id"] for one in told(shell, "list", *named)] == [top["id"]]
    shell.printed()
    assert shell.run("audit", *named) == 0
    acts = shell.printed()
    assert ("watch-added" in acts, "watch-removed" in acts) == (True, True)


def test_what_makes_no_sense_is_said(shell: Any, named: tuple[str, ...]) -> None:
    data = named[:2]
    for words, code in (
        (("watch",), 2),
        (("add", "news.example"), 2),
        (("add", "--every", "15"), 2),
        (("add", "news.example", "--top", "3", "--every", "15"), 2),
        (("remove",), 2),
        (("add", "http://10.0.0.1/", "--every", "15"), 4),
        (("add", "news.example", "--every", "15", "--alert", "al_none"), 4),
        (("remove", "wa_none"), 4),
    ):
        assert shell.run("archive", "watches", *words, *named) == code, words
    assert shell.run("archive", "watches", "add", "news.example", "--every", "15", *data, "--brand", "nope") == 4
