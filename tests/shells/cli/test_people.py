"""`footfall people` on a directory that no instance runs on."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def data(tmp_path: Path, shell: Any) -> str:
    folder = str(tmp_path / "data")
    assert shell.run("brands", "add", "abc", "--data", folder) == 0
    shell.printed()
    return folder


def told(shell: Any, *words: str) -> dict[str, Any]:
    shell.printed()
    assert shell.run("people", *words, "--json") == 0
    return json.loads(shell.printed().splitlines()[-1])


def test_people_are_added_listed_and_removed(data: str, shell: Any) -> None:
    named = ("--data", data)
    assert shell.run("people", "list", *named) == 0
    assert "Nobody has an account" in shell.printed()
    made = told(shell, "add", "Ann@Example.com", *named, "--name", "Ann", "--brand", "abc", "--role", "editor")
    assert (made["email"], made["roles"], made["isOwner"]) == ("ann@example.com", {"abc": "editor"}, False)
    assert "/reset#p_" in made["link"]
    assert shell.run("people", "add", "ann@example.com", *named) == 4
    assert "has an account already" in shell.complained()
    assert shell.run("people", "list", *named) == 0
    assert "ann@example.com" in shell.printed()
    assert shell.run("people", "remove", "ann@example.com", *named) == 0
    assert told(shell, "list", *named) == {"people": []}
    acts = [one["act"] for one in told(shell, "history", *named)["items"]]
    assert acts == ["person-removed", "reset-asked", "person-added"]
    assert shell.run("people", "history", *named) == 0
    assert "person-removed" in shell.printed()


def test_the_code_of_the_set_up_is_shown_until_there_is_an_owner(data: str, shell: Any) -> None:
    code = told(shell, "setup-code", "--data", data)["code"]
    assert told(shell, "setup-code", "--data", data)["code"] == code
    assert shell.run("people", "add", "ann@example.com", "--owner", "--data", data) == 0
    assert shell.run("people", "setup-code", "--data", data) == 4
    assert "has an owner" in shell.complained()


def test_the_last_owner_is_removed_only_when_that_is_said(data: str, shell: Any) -> None:
    named = ("--data", data)
    for name in ("ann", "bea"):
        assert shell.run("people", "add", f"{name}@example.com", "--owner", *named) == 0
    assert shell.run("people", "remove", "ann@example.com", *named) == 0
    assert shell.run("people", "remove", "bea@example.com", *named) == 4
    assert "is the last owner's" in shell.complained()
    assert [one["email"] for one in told(shell, "list", *named)["people"]] == ["bea@example.com"]
    assert shell.run("people", "remove", "bea@example.com", "--last-owner", *named) == 0
    assert "Nobody owns the instance now" in shell.complained()
    assert told(shell, "setup-code", *named)["code"]


def test_links_begin_with_where_people_open_the_pages(data: str, shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "footfall.toml"
    file.write_text('people_url = "https://footfall.example.com"\n', encoding="utf-8")
    named = ("--data", data, "--config", str(file))
    invited = told(shell, "invite", "vera@example.com", *named, "--brand", "abc", "--role", "viewer")
    assert invited["link"].startswith("https://footfall.example.com/invitation#abc~")
    assert invited["email"] == "vera@example.com"
    assert shell.run("people", "invite", *named, "--brand", "nobrand", "--role", "viewer") == 4
    assert shell.run("people", "reset", "nobody@example.com", *named) == 4


@pytest.mark.parametrize(
    "words",
    [
        ("add",),
        ("reset",),
        ("list", "ann@example.com"),
        ("invite", "--brand", "abc"),
        ("remove", "ann@example.com", "--owner"),
        ("reset", "ann@example.com", "--last-owner"),
    ],
)
def test_words_that_make_no_sense_together_are_wrong_usage(words: tuple[str, ...], data: str, shell: Any) -> None:
    assert shell.run("people", *words, "--data", data) == 2
