"""Shells complete what the commands declare; bash is asked itself."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from footfall.shells.cli.main import COMMANDS

ASK = """
set -u
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_footfall
printf '%s\\n' "${COMPREPLY[@]-}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.shells.cli.conftest import Shell

    shell = Shell()
    assert shell.run("completion", "bash") == 0
    path = tmp_path_factory.mktemp("completion") / "footfall.bash"
    path.write_text(shell.printed())
    return path


def completed(script: Path, *words: str, folder: Path | None = None) -> list[str]:
    """Return what bash offers for the last word."""
    command = ["bash", "--norc", "-c", ASK, "ask", str(script), "footfall", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, cwd=folder)
    assert ran.stderr == ""
    return ran.stdout.split()


def test_bash_completes_commands(script: Path) -> None:
    assert completed(script, "rec") == ["recount"]
    assert set(completed(script, "")) == {*COMMANDS, "--help", "--version"}


def test_bash_completes_the_flags_of_a_command(script: Path) -> None:
    assert completed(script, "popular", "--cl") == ["--closed"]
    for name in ("serve", "backup"):
        flags = {argument.name for argument in COMMANDS[name].arguments if argument.is_flag}
        assert set(completed(script, name, "--")) == {*flags, "--help"}


def test_bash_completes_what_a_flag_or_a_place_may_be(script: Path) -> None:
    assert completed(script, "dead-letters", "list", "--kind", "l") == ["late"]
    assert completed(script, "dead-letters", "re") == ["replay"]
    assert completed(script, "completion", "z") == ["zsh"]
    assert completed(script, "help", "led") == ["ledger"]


def test_bash_completes_files_and_folders(script: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data.tar.zst").write_bytes(b"")
    assert completed(script, "serve", "--data", "da", folder=tmp_path) == ["data"]
    assert set(completed(script, "restore", "da", folder=tmp_path)) == {"data", "data.tar.zst"}
    assert completed(script, "popular", "da", folder=tmp_path) == []


def test_bash_offers_nothing_where_only_the_person_knows(script: Path) -> None:
    assert completed(script, "popular", "--brand", "") == []


def test_bash_takes_the_script_as_a_completion(script: Path) -> None:
    ran = subprocess.run(
        ["bash", "--norc", "-c", 'source "$1"; complete -p footfall', "x", str(script)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "complete -o filenames -F _footfall footfall\n"


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_other_shells_are_told_of_every_command_and_flag(shell: Any, name: str) -> None:
    assert shell.run("completion", name) == 0
    printed = shell.printed()
    for command in COMMANDS.values():
        assert command.name in printed
        for argument in command.arguments:
            if argument.is_flag:
                spelled = f"{argument.name}[" if name == "zsh" else f"-l {argument.name.lstrip('-')} "
                assert spelled in printed, argument.name


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_shell_can_read_its_script(shell: Any, name: str, tmp_path: Path) -> None:
    assert shell.run("completion", name) == 0
    (tmp_path / "script").write_text(shell.printed())
    read = subprocess.run([name, "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False)
    assert (read.returncode, read.stdout + read.stderr) == (0, "")


def test_fish_completes_with_its_own(shell: Any, tmp_path: Path) -> None:
    assert shell.run("completion", "fish") == 0
    (tmp_path / "script").write_text(shell.printed())
    lines = ["footfall rec", "footfall dead-letters --ki", "footfall dead-letters list --kind la"]
    asks = "; ".join(f'complete -C "{line}"' for line in lines)
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    command = ["fish", "--no-config", "-c", f"source {tmp_path}/script; {asks}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    assert [line.split("\t")[0] for line in ran.stdout.splitlines()] == ["recount", "--kind", "late"]
