"""`footfall rules` and `footfall lists` on a directory that no instance runs on."""

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


def test_rules_are_added_taken_out_and_switched(data: str, shell: Any) -> None:
    named = ("--data", data, "--brand", "abc")
    assert shell.run("rules", "show", *named) == 0
    assert "it blocks nobody." in shell.printed()
    assert shell.run("rules", "add", *named, "--path", "/preview/*", "--agent", "ExampleReader") == 0
    assert shell.run("rules", "remove", *named, "--agent", "ExampleReader") == 0
    assert shell.run("rules", "remove", *named, "--agent", "ExampleReader") == 4
    assert "is not among them" in shell.complained()
    assert shell.run("rules", "off", *named) == 0
    assert "Off: neither these nor the door's own rules" in shell.printed()
    assert shell.run("rules", "on", *named, "--json") == 0
    told = json.loads(shell.printed().splitlines()[-1])
    assert (told["version"], told["isOn"], told["paths"], told["agents"]) == (4, True, ["/preview/*"], [])


def test_rules_are_set_from_a_file(data: str, shell: Any, tmp_path: Path) -> None:
    named = ("--data", data, "--brand", "abc")
    file = tmp_path / "rules.json"
    file.write_text('{"addresses": ["203.0.113.0/24"]}', encoding="utf-8")
    assert shell.run("rules", "set", str(file), *named) == 0
    assert "address: 203.0.113.0/24" in shell.printed()
    file.write_text('["203.0.113.0/24"]', encoding="utf-8")
    assert shell.run("rules", "set", str(file), *named) == 4
    file.write_text('{"addresses": ["203.0.113.1/24"]}', encoding="utf-8")
    assert shell.run("rules", "set", str(file), *named) == 4
    assert "has host bits set" in shell.complained()


@pytest.mark.parametrize(
    "words", [("rules", "set"), ("rules", "add"), ("rules", "show", "--path", "/x"), ("rules", "show", "a-file")]
)
def test_words_that_make_no_sense_together_are_wrong_usage(words: tuple[str, ...], data: str, shell: Any) -> None:
    assert shell.run(*words, "--data", data, "--brand", "abc") == 2


@pytest.mark.parametrize("words", [("lists", "update"), ("lists", "show", "a-file")])
def test_a_list_needs_a_file_to_be_updated_and_none_to_be_shown(words: tuple[str, ...], data: str, shell: Any) -> None:
    assert shell.run(*words, "--data", data) == 2


def test_a_list_is_brought_once_more_and_its_history_is_told(data: str, shell: Any, tmp_path: Path) -> None:
    assert shell.run("lists", "show", "--data", data) == 0
    assert "There are none" in shell.printed()
    file = tmp_path / "spam.txt"
    for domains in ("a.example\n", "\ufeffa.example\nb.example\n"):
        file.write_text(domains, encoding="utf-8")
        assert shell.run("lists", "update", str(file), "--data", data) == 0
    assert "referrer-spam has 2 entries now (version 2)" in shell.printed()
    assert shell.run("lists", "history", "--data", data, "--json") == 0
    items = json.loads(shell.printed().splitlines()[-1])["items"]
    assert [one["details"]["version"] for one in items] in ([2, 1], [1, 2])
    assert shell.run("lists", "update", str(file), "--kind", "data-centres", "--data", data) == 4
    file.write_bytes(b"\xff\xfe")
    assert shell.run("lists", "update", str(file), "--data", data) == 1


@pytest.mark.parametrize(
    ("kind", "line"),
    [("referrer-spam", "a.example"), ("data-centres", "203.0.113.0/24"), ("countries", "203.0.113.0/24,FI")],
)
def test_a_list_is_taken_away(kind: str, line: str, data: str, shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text(f"{line}\n", encoding="utf-8")
    assert shell.run("lists", "update", str(file), "--data", data) == 0
    assert shell.run("lists", "remove", "--kind", kind, "--data", data) == 0
    assert f"{kind} is empty now (version 2)" in shell.printed()
    assert shell.run("lists", "show", "--data", data, "--json") == 0
    assert [one["entries"] for one in json.loads(shell.printed().splitlines()[-1])["lists"]] == [0]
    assert shell.run("lists", "remove", "--kind", kind, "--data", data) == 4
    assert shell.run("lists", "remove", "--data", data) == 2
    assert shell.run("rules", "add", "--country", "FI", "--data", data, "--brand", "abc") == 4
