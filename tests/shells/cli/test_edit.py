"""The edit command: what it sends for each action, what it says, and what it refuses before it asks anybody."""

from pathlib import Path
from typing import Any

import pytest

from footfall.shells.cli.command import Exit

MOMENT = "2026-11-15T18:00+02:00"


@pytest.fixture
def secret(tmp_path: Path) -> str:
    """Return a file with a key."""
    file = tmp_path / "editor.key"
    file.write_text("ffsec_x_y\n")
    return str(file)


@pytest.mark.parametrize(
    ("argv", "asked", "sent", "said"),
    [
        (
            ["pin", "a/é 1", "--place", "2", "--section", "7", "--period", "day", "--until", MOMENT],
            ("PUT", "/v1/edits/pins/a%2F%C3%A9%201"),
            {"place": 2, "sections": ["7"], "periods": ["day"], "until": "2026-11-15T16:00Z"},
            "a/é 1 is pinned to place 2 until 2026-11-15T16:00Z.\n",
        ),
        (["pin", "a", "--place", "1"], ("PUT", "/v1/edits/pins/a"), {"place": 1}, "a is pinned to place 1.\n"),
        (["unpin", "a"], ("DELETE", "/v1/edits/pins/a"), None, "a is not pinned any more.\n"),
        (["hide", "a", "--reason", "no"], ("PUT", "/v1/edits/hidden/a"), {"reason": "no"}, "a is hidden.\n"),
        (["hide", "a"], ("PUT", "/v1/edits/hidden/a"), {}, "a is hidden.\n"),
        (["show", "a"], ("DELETE", "/v1/edits/hidden/a"), None, "a is shown again.\n"),
    ],
)
def test_each_action_is_one_call(
    shell: Any, server: Any, secret: str, argv: list[str], asked: tuple[str, str], sent: Any, said: str
) -> None:
    server.answer({"brand": "abc"})
    assert shell.run("edit", *argv, "--url", server.url, "--secret-file", secret) == Exit.OK
    (one,) = server.asked
    assert (one.method, one.path, one.headers["authorization"]) == (*asked, "Bearer ffsec_x_y")
    assert (one.json() if one.body else None) == sent
    assert shell.printed() == said


def test_what_is_pinned_and_hidden_is_a_table_without_empty_columns(shell: Any, server: Any, secret: str) -> None:
    done = {"by": "k1", "at": "2026-11-15T14:30Z"}
    server.answer(
        {
            "brand": "abc",
            "pins": [{"assetId": "1", "place": 1, "sections": ["7", "8"], **done}],
            "hidden": [{"assetId": "2", "reason": "wrong", **done}],
        }
    )
    assert shell.run("edit", "list", "--url", server.url, "--secret-file", secret) == Exit.OK
    lines = [line.split() for line in shell.printed().splitlines()]
    assert lines == [
        ["act", "asset", "place", "sections", "reason", "by", "at"],
        ["pinned", "1", "1", "7,", "8", "k1", "2026-11-15T14:30Z"],
        ["hidden", "2", "wrong", "k1", "2026-11-15T14:30Z"],
    ]


def test_json_is_passed_on_as_it_came(shell: Any, server: Any, secret: str) -> None:
    server.answer(b'{"brand":"abc","pins":[],"hidden":[]}')
    assert shell.run("edit", "list", "--url", server.url, "--secret-file", secret, "--json") == Exit.OK
    assert shell.printed() == '{"brand":"abc","pins":[],"hidden":[]}\n'


@pytest.mark.parametrize(
    "argv",
    [
        ["pin", "--place", "1"],
        ["pin", "a"],
        ["pin", "a", "--place", "0"],
        ["pin", "a", "--place", "1", "--reason", "x"],
        ["hide", "a", "--place", "1"],
        ["show", "a", "--until", MOMENT],
        ["list", "a"],
        ["move", "a"],
    ],
)
def test_what_does_not_go_together_is_wrong_usage(shell: Any, server: Any, secret: str, argv: list[str]) -> None:
    assert shell.run("edit", *argv, "--url", server.url, "--secret-file", secret) == Exit.USAGE
    assert not server.asked


def test_a_refusal_is_told_and_has_its_code(shell: Any, server: Any, secret: str) -> None:
    server.answer({"detail": "assetId: 'a' is not pinned"}, status=404)
    assert shell.run("edit", "unpin", "a", "--url", server.url, "--secret-file", secret) == Exit.REFUSED
    assert "is not pinned" in shell.complained()
