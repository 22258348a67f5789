"""Recount and dead-letters: what they ask of the instance that owns the data, and what they show."""

import getpass
import json
import socket
import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from footfall.app.control import ASIDE_OF
from footfall.shells.cli.dead_letters import OF

RANGE = ("--from", "2026-11-15T14:00Z", "--to", "2026-11-15T16:00Z")


@dataclass(slots=True)
class Instance:
    """The control socket of a running server, which answers every request with recorded lines."""

    data: Path
    lines: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    users: list[str] = field(default_factory=list)


@pytest.fixture
def instance(tmp_path: Path) -> Generator[Instance]:
    found = Instance(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "control.sock"))
        listening.listen()
        thread = threading.Thread(target=answer_one, args=(listening, found), daemon=True)
        thread.start()
        yield found


def answer_one(listening: socket.socket, instance: Instance) -> None:
    connection, _ = listening.accept()
    with connection, connection.makefile("rwb") as file:
        asked = json.loads(file.readline())
        instance.users.append(asked.pop("user"))
        instance.asked.append(asked)
        for line in instance.lines:
            file.write(json.dumps(line).encode() + b"\n")
        file.flush()


def test_a_recount_asks_for_its_range_and_shows_progress_and_figures(shell: Any, instance: Instance) -> None:
    instance.lines = [{"progress": 0.02}, {"progress": 0.5}, {"progress": 1.0}, {"done": {"windows": 1_200}}]
    assert shell.run("recount", "--data", str(instance.data), "--brand", "abc", *RANGE) == 0
    assert instance.users == [getpass.getuser()]
    assert instance.asked == [
        {"do": "recount", "brand": "abc", "from_ms": 1_794_751_200_000, "to_ms": 1_794_758_400_000}
    ]
    assert shell.complained() == "recounting: 50%\nrecounting: 100%\n"
    assert shell.printed() == "Recounted abc from 2026-11-15T14:00Z to 2026-11-15T16:00Z: windows 1,200.\n"


def test_a_recount_on_a_terminal_draws_a_bar(terminal: Any, instance: Instance) -> None:
    instance.lines = [{"progress": 0.5}, {"done": {"windows": 2}}]
    assert terminal.run("recount", "--data", str(instance.data), "--brand", "abc", *RANGE) == 0
    assert "recounting" in terminal.complained()
    assert "windows 2" in terminal.printed()


def test_a_recount_that_the_server_cannot_do_is_a_sentence(shell: Any, instance: Instance) -> None:
    instance.lines = [{"error": "Raw hits are kept since 2026-11-15T15:00Z; start there."}]
    assert shell.run("recount", "--data", str(instance.data), "--brand", "abc", *RANGE) in (1, 4)
    assert "Raw hits are kept since 2026-11-15T15:00Z" in shell.complained()


def test_a_range_that_ends_before_it_starts_is_code_2(shell: Any, tmp_path: Path) -> None:
    backwards = ("--from", "2026-11-15T16:00Z", "--to", "2026-11-15T16:00Z")
    assert shell.run("recount", "--data", str(tmp_path), "--brand", "abc", *backwards) == 2
    assert "is not before --to 2026-11-15T16:00Z" in shell.complained()


@pytest.mark.parametrize("command", [("recount", *RANGE), ("dead-letters", "list")])
def test_a_directory_that_is_not_there_is_a_sentence(shell: Any, tmp_path: Path, command: tuple[str, ...]) -> None:
    assert shell.run(*command, "--data", str(tmp_path / "gone"), "--brand", "abc") == 1
    assert "gone is not a directory with footfall's data" in shell.complained()


def test_dead_letters_are_listed_as_a_table(shell: Any, instance: Instance) -> None:
    items = [
        {"position": "12.0", "reason": "not readable", "hit": {"assetId": "1"}},
        {"position": "13.4", "reason": "\x1b[2J", "hit": None},
    ]
    instance.lines = [{"done": {"items": items, "more": True}}]
    assert shell.run("dead-letters", "list", "--data", str(instance.data), "--brand", "abc", "--limit", "2") == 0
    assert instance.asked == [{"do": "side-list", "brand": "abc", "kind": "dead", "limit": 2, "after": None}]
    lines = shell.printed().splitlines()
    assert lines[0].split() == ["position", "reason", "hit"]
    assert lines[1].split() == ["12.0", "not", "readable", '{"assetId":"1"}']
    assert "\x1b" not in shell.printed()
    assert lines[-1] == "There are more: --after 13.4"


def test_no_dead_letters_are_said_to_be_none(shell: Any, instance: Instance) -> None:
    instance.lines = [{"done": {"items": []}}]
    assert shell.run("dead-letters", "list", "--data", str(instance.data), "--brand", "abc", "--kind", "late") == 0
    assert shell.printed() == "No late hits of abc.\n"


def test_one_dead_letter_is_shown_whole(shell: Any, instance: Instance) -> None:
    instance.lines = [{"done": {"position": "12.0", "reason": "torn"}}]
    assert shell.run("dead-letters", "show", "12.0", "--data", str(instance.data), "--brand", "abc") == 0
    assert instance.asked == [{"do": "side-show", "brand": "abc", "kind": "dead", "position": "12.0"}]
    assert json.loads(shell.printed()) == {"position": "12.0", "reason": "torn"}


@pytest.mark.parametrize(("which", "asks"), [("12.0", {"position": "12.0"}), ("--all", {"all": True})])
def test_dead_letters_are_replayed_one_or_all(shell: Any, instance: Instance, which: str, asks: dict[str, Any]) -> None:
    instance.lines = [{"progress": 1.0}, {"done": {"replayed": 1_234}}]
    argv = ("dead-letters", "replay", which, "--data", str(instance.data), "--brand", "abc", "--kind", "future")
    assert shell.run(*argv) == 0
    assert instance.asked == [{"do": "side-replay", "brand": "abc", "kind": "future", **asks}]
    assert shell.printed() == "1,234 records of future hits of abc sent into the stream again.\n"


def test_a_replay_says_why_something_stays_where_it_is(shell: Any, instance: Instance) -> None:
    instance.lines = [{"done": {"replayed": 0, "left": 1, "reason": "0:7 has hits whose time has not come yet"}}]
    argv = ("dead-letters", "replay", "--all", "--data", str(instance.data), "--brand", "abc", "--kind", "future")
    assert shell.run(*argv) == 0
    assert shell.printed().splitlines() == [
        "0 records of future hits of abc sent into the stream again.",
        "1 record of future hits stays where it is: 0:7 has hits whose time has not come yet.",
    ]


def test_a_replay_of_nothing_says_that_nothing_is_set_aside(shell: Any, instance: Instance) -> None:
    instance.lines = [{"done": {"replayed": 0}}]
    argv = ("dead-letters", "replay", "--all", "--data", str(instance.data), "--brand", "abc", "--kind", "late")
    assert shell.run(*argv) == 0
    assert shell.printed().endswith("No late hits of abc are set aside.\n")


def test_follows_that_were_set_aside_are_asked_for_and_named(shell: Any, instance: Instance) -> None:
    instance.lines = [{"done": {"replayed": 1, "left": 2, "reason": "0:7 still cannot be read"}}]
    argv = ("dead-letters", "replay", "--all", "--data", str(instance.data), "--brand", "abc", "--of", "unfollows")
    assert shell.run(*argv) == 0
    assert instance.asked == [{"do": "side-replay", "brand": "abc", "kind": "dead", "of": "unfollows", "all": True}]
    assert shell.printed().splitlines() == [
        "1 record of dead unfollows of abc sent into the stream again.",
        "2 records of dead unfollows stay where they are: 0:7 still cannot be read.",
    ]


def test_all_that_an_instance_can_be_asked_about_can_be_named() -> None:
    assert tuple(ASIDE_OF) == OF


def test_a_recount_says_the_range_that_it_covered(shell: Any, instance: Instance) -> None:
    covered = {"from_ms": 1_794_747_600_000, "to_ms": 1_794_754_800_000}
    instance.lines = [{"done": {"windows": 2, "changed": 0, "hits": 5, **covered}}]
    argv = ("recount", "--data", str(instance.data), "--brand", "abc", "--from", "2026-11-15T14:10Z")
    assert shell.run(*argv, "--to", "2026-11-15T14:20Z") == 0
    assert shell.printed() == (
        "Recounted abc from 2026-11-15T13:00Z to 2026-11-15T15:00Z (whole windows; 2026-11-15T14:10Z to "
        "2026-11-15T14:20Z was asked for): windows 2, changed 0, hits 5.\n"
    )


@pytest.mark.parametrize(
    "flags",
    [("list", "12.0"), ("list", "--all"), ("show",), ("show", "1", "--all"), ("replay",), ("replay", "1", "--all")],
)
def test_dead_letters_that_are_not_named_clearly_are_code_2(shell: Any, tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert shell.run("dead-letters", *flags, "--data", str(tmp_path), "--brand", "abc") == 2
    assert shell.complained().count("\n") == 1
