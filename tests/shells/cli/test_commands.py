"""Every command is found by its name, and reading one does not read what the others need."""

import subprocess
import sys
from pathlib import Path

import pytest

from footfall.shells import cli
from footfall.shells.cli.commands import COMMANDS, MODULES

FOLDER = Path(cli.__file__).parent
READ = "import sys; from footfall.shells.cli.main import COMMANDS; COMMANDS[sys.argv[1]]; print(*sys.modules)"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_found_by_its_own_name(name: str) -> None:
    assert COMMANDS[name].name == name


def test_every_module_with_a_command_is_found() -> None:
    with_command = {path.stem for path in FOLDER.glob("*.py") if "\nCOMMAND = " in path.read_text(encoding="utf-8")}
    assert with_command == set(MODULES.values())


def test_no_command_has_an_unknown_name() -> None:
    assert "dance" not in COMMANDS
    assert COMMANDS.get("dance") is None


@pytest.mark.parametrize("name", ["serve", "send", "keys"])
def test_a_command_does_not_wait_for_what_others_need(name: str) -> None:
    read = subprocess.run([sys.executable, "-c", READ, name], capture_output=True, text=True, check=True).stdout.split()
    assert f"footfall.shells.cli.{name}" in read
    assert not {"footfall.shells.cli.export", "footfall.shells.cli.deploy", "rich.markdown", "numpy"} & set(read)
