"""The command line as a whole: help, usage, exit codes, one sentence for each error."""

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from footfall import __version__
from footfall.shells.cli.command import EXIT_MEANINGS, INTERRUPTED, Exit
from footfall.shells.cli.main import COMMANDS, main, parsed


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_an_example_that_parses(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    printed = capsys.readouterr().out
    assert "EXAMPLES" in printed
    assert all(f"  {example}\n" in printed for example in COMMANDS[name].examples)


@pytest.mark.parametrize(("name", "example"), [(one.name, text) for one in COMMANDS.values() for text in one.examples])
def test_every_example_names_its_command_and_parses(name: str, example: str) -> None:
    _, found, rest = example.partition(f"footfall {name}")
    assert found, example
    typed = re.split(r"[|>)]", rest)[0]  # What follows is the shell's.
    assert parsed([name, *shlex.split(typed)]).command == name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_its_exit_codes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    ending = capsys.readouterr().out.partition("EXIT CODES\n")[2].splitlines()
    usual = {"serve": "0 1 2 130", "help": "0 2 130", "version": "0 2 130", "completion": "0 2 130"}
    usual |= dict.fromkeys(("doctor", "backup", "restore", "deploy", "plan", "workflows", "autoscale"), "0 1 2 130")
    usual |= dict.fromkeys(
        (
            "brands",
            "keys",
            "people",
            "alerts",
            "audit",
            "archive",
            "audience",
            "earnings",
            "migrate",
            "rules",
            "lists",
            "metrics",
            "verdicts",
            "recount",
            "dead-letters",
            "import",
            "load",
            "export",
            "screen",
        ),
        "0 1 2 4 130",
    )
    assert [line.split()[0] for line in ending] == usual.get(name, "0 1 2 3 4 130").split()


def test_no_command_at_all_prints_the_help_and_is_code_2(shell: Any) -> None:
    assert shell.run() == 2
    assert shell.printed() == ""
    assert all(f"\n    {name}" in shell.complained() for name in COMMANDS)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("popular", "[default: http://127.0.0.1:8080]"),
        ("popular", "[default: 20]"),
        ("demo", "[default: 40]"),
        ("keys", "[default: 24]"),
        ("serve", "./data unless it is set"),
    ],
)
def test_the_help_says_what_holds_when_a_flag_is_absent(name: str, says: str, shell: Any) -> None:
    assert shell.run("help", name) == 0
    assert says in re.sub(r"\s+", " ", shell.printed())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_and_its_flag_print_the_same(name: str, shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert shell.run("help", name) == 0
    assert shell.printed() == capsys.readouterr().out


def test_flags_stand_anywhere_between_places() -> None:
    for argv in ("show 0:7 --brand abc", "show --brand abc 0:7", "--brand abc show 0:7"):
        arguments = parsed(["dead-letters", *argv.split()])
        assert (arguments.action, arguments.position, arguments.brand) == ("show", "0:7", "abc")


def test_help_of_nothing_lists_every_command(shell: Any) -> None:
    assert shell.run("help") == 0
    assert all(f"\n    {name}" in shell.printed() for name in COMMANDS)


def test_help_of_a_command_that_is_not_there_is_code_2(shell: Any) -> None:
    assert shell.run("help", "dance") == 2
    assert "'dance' is not a command" in shell.complained()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_of_every_command_is_described(name: str) -> None:
    for argument in COMMANDS[name].arguments:
        assert argument.says.endswith("."), argument.name


def test_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in COMMANDS)
    assert "EXAMPLES" in printed


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["dance"], "invalid choice: 'dance'"),
        (["keys", "list"], "--brand"),
        (["popular", "--brand", "A b"], "'A b' is not a brand name"),
        (["popular", "--brand", "abc", "--limit", "0"], "'0' must be a whole number from 1 to 100"),
        (["popular", "--brand", "abc", "--limit", "nan"], "'nan' is not a number"),
        (["popular", "--bra", "abc"], "--bra"),
        (["demo", "--rate", "-1"], "'-1' must be above 0"),
        (["demo", "--backfill-hours", "1.5"], "'1.5' must be a whole number"),
        (
            ["recount", "--brand", "abc", "--from", "yesterday", "--to", "2026-11-15T14:30Z"],
            "'yesterday' is not a moment",
        ),
        (["send", "--brand", "abc", "--asset", "1", "--at", "12"], "'12' is not a moment"),
        (["dead-letters", "burn", "--brand", "abc"], "invalid choice: 'burn'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(argv: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.err.count("\n") == 1
    assert "--help" in printed.err
    assert printed.out == ""


def test_a_bad_setting_is_one_sentence_and_code_2(shell: Any, tmp_path: Path) -> None:
    shell.variables = {"FOOTFALL_HTTP_PRT": "1"}
    assert shell.run("serve", "--data", str(tmp_path)) == 2
    assert "did you mean http_port?" in shell.complained()
    assert shell.complained().count("\n") == 1


def test_a_server_that_is_not_there_is_code_3(shell: Any) -> None:
    assert shell.run("popular", "--url", "http://127.0.0.1:9", "--brand", "abc") == 3
    assert "Cannot reach http://127.0.0.1:9: nothing listens there" in shell.complained()
    assert shell.complained().count("\n") == 1


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8080", "ftp://example.com", "http://", "http://127.0.0.1:port", "http://[::"]
)
def test_an_address_that_is_none_is_code_2(shell: Any, url: str) -> None:
    assert shell.run("ledger", "--url", url, "--brand", "abc") == 2
    assert "is not an address such as http://127.0.0.1:8080" in shell.complained()


def test_a_refusal_of_the_server_is_code_4_with_its_reason(shell: Any, server: Any) -> None:
    problem = {"title": "Refused", "status": 404, "detail": "'abc' is not a brand here", "field": "brand"}
    server.answer(problem, status=404)
    assert shell.run("popular", "--url", server.url, "--brand", "abc") == 4
    assert (
        shell.complained()
        == "footfall: The server refused (404): brand: 'abc' is not a brand here; add it with footfall brands add.\n"
    )


@pytest.mark.parametrize(
    ("status", "field", "detail", "says"),
    [
        (401, "key", "key: is not one that works here; send it in Authorization: Bearer", "--secret-file"),
        (403, "key", "key: may not do this, which needs the scope read; it has hits", "it has hits; name a file"),
        (403, "brand", "brand: is not the key's, which speaks for 'def' alone; leave it out", "leave --brand out"),
        (404, "assetId", "assetId: 'a;b' is not in the catalogue; put it there with PUT /v1/assets", "assets load"),
    ],
)
def test_refusals_speak_of_flags_and_commands(
    shell: Any, server: Any, status: int, field: str, detail: str, says: str
) -> None:
    server.answer({"status": status, "field": field, "detail": detail}, status=status)
    assert shell.run("ledger", "--url", server.url, "--brand", "abc") == 4
    assert detail.rpartition(";")[0] in shell.complained()
    assert says in shell.complained()
    assert not re.search("Bearer|PUT", shell.complained())


@pytest.mark.parametrize("command", ["popular", "ledger"])
def test_a_key_says_whose_numbers_are_asked_for(shell: Any, server: Any, tmp_path: Path, command: str) -> None:
    server.answer({"accepted": 0, "items": []})
    (tmp_path / "key").write_text("ffsec_x_y\n")
    assert shell.run(command, "--url", server.url) == 2
    assert shell.run(command, "--url", server.url, "--secret-file", f"{tmp_path}/key") == 0
    assert "brand=" not in server.asked[0].path
    assert server.asked[0].headers["authorization"] == "Bearer ffsec_x_y"


def test_a_refusal_without_a_problem_document_still_has_a_sentence(shell: Any, server: Any) -> None:
    server.answer(b"<html>no</html>", status=502)
    assert shell.run("ledger", "--url", server.url, "--brand", "abc") == 4
    assert shell.complained() == "footfall: The server refused (502): Bad Gateway.\n"


@pytest.mark.parametrize("command", ["popular", "ledger"])
@pytest.mark.parametrize("body", [b"hello", b"[]", b"{}", b"\xff"])
def test_an_answer_of_something_else_is_code_3(shell: Any, server: Any, command: str, body: bytes) -> None:
    server.answer(body)
    assert shell.run(command, "--url", server.url, "--brand", "abc") == 3
    assert "--url" in shell.complained()


def test_a_command_that_is_stopped_is_code_130(shell: Any) -> None:
    class Stopped(io.StringIO):
        def write(self, _text: str, /) -> int:
            raise KeyboardInterrupt

    shell.out = Stopped()
    assert shell.run("version") == 130


def test_every_exit_code_has_a_meaning() -> None:
    assert set(EXIT_MEANINGS) == {*Exit, INTERRUPTED}
    for command in COMMANDS.values():
        assert set(command.exits) <= set(EXIT_MEANINGS), command.name


@pytest.mark.parametrize("asked", ["version", "--version"])
def test_version_prints_the_version(shell: Any, asked: str) -> None:
    assert shell.run(asked) == 0
    assert shell.printed() == f"footfall {__version__}\n"


@pytest.mark.parametrize(
    ("module", "is_without"),
    [
        ("cli.main", {"rich", "http.client", "numpy", "starlette"}),
        ("cli.screening", {"rich.markdown", "numpy", "starlette"}),
        ("cli.migrate", {"lark", "numpy", "starlette"}),
        ("cli.export", {"numpy", "starlette"}),
        ("http.front", {"footfall.shells.http.openapi", "numpy", "rich"}),
    ],
)
def test_a_start_reads_nothing_that_it_does_not_need(module: str, is_without: set[str]) -> None:
    code = f"import sys, footfall.shells.{module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert is_without & set(loaded) == set()


def test_a_reader_that_leaves_a_pipe_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-m", "footfall.shells.cli.main", "version"],
        env={"PYTHONPATH": ":".join(sys.path)},
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_the_program_runs_as_a_module_with_ascii_output() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "footfall.shells.cli.main", "version"],
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"footfall {__version__}\n", "")
