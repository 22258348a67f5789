"""`footfall doctor`: what is wrong with an instance, or soon will be, and what to do about it."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from footfall.app.settings import Given, Settings, SettingsRefused
from footfall.app.settings_reading import read_settings
from footfall.shells.cli.asking import require_directory
from footfall.shells.cli.command import CONFIG, DATA, JSON, Command, Exit, Surroundings, printable

if TYPE_CHECKING:
    from footfall.app.findings import Finding

MARKS = {"fine": ("ok", "green"), "note": ("note", "yellow"), "todo": ("TO DO", "bold red")}


def doctor(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Look at everything and say what was found."""
    # It looks at every part there is, and loading them takes a moment that the other commands should not wait for.
    from footfall.app.doctor import examine

    given = _given(arguments, around)
    if isinstance(given, Settings):
        require_directory(given, "doctor")
    directory = Path(arguments.data or (given.data_dir if isinstance(given, Settings) else Settings().data_dir))
    case, found = examine(directory, given, now_ms=around.clock.now_ms())
    to_do = sum(finding.level == "todo" for finding in found)
    if arguments.json:
        answer = {"directory": str(directory), "running": case.is_running, "toDo": to_do, "findings": found}
        around.say(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())
    else:
        _show(found, around)
        around.say(f"{to_do} to do." if to_do else "Nothing has to be done.")
    return Exit.FAILED if to_do else Exit.OK


def _given(arguments: argparse.Namespace, around: Surroundings) -> Settings | SettingsRefused:
    flags = [Given("data_dir", arguments.data, "the flag --data")] if arguments.data is not None else []
    config = Path(arguments.config) if arguments.config else None
    try:
        return read_settings(flags, config=config, variables=around.variables)
    except SettingsRefused as error:
        return error


def _show(found: "Sequence[Finding]", around: Surroundings) -> None:
    console = around.console()
    for finding in found:
        mark, style = MARKS[finding.level]
        console.print(Text.assemble((f"{mark:<6}", style), (f"{finding.check:<9} ", "bold"), printable(finding.says)))
        if finding.do:
            console.print(Text.assemble(" " * 16, "-> ", printable(finding.do)))


COMMAND = Command(
    name="doctor",
    says="Look for what is wrong with an instance, or soon will be, and say what to do.",
    example="footfall doctor --data /var/lib/footfall",
    run=doctor,
    arguments=(DATA, CONFIG, JSON),
    tells="It looks at settings, disk, files, limits, versions, clock, lag and the ledger, and changes nothing. The\n"
    "server may run or not. Lines marked `note` are worth knowing; those marked `TO DO` make the exit code 1.",
    more_examples=("footfall doctor --data /var/lib/footfall --json",),
    exits={Exit.OK: "nothing has to be done", Exit.FAILED: "something has to be done"},
)
