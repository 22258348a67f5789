"""The `footfall` command: finds the command that was named, and turns what went wrong into a sentence and a code."""

import io
import os
import sys
import time
import uuid
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from footfall import __version__
from footfall.app.control_errors import ControlRefused
from footfall.app.settings import SettingsRefused
from footfall.app.settings_reading import environment
from footfall.metrics.errors import ChangedMeanwhile
from footfall.shells.cli.asking import require_address
from footfall.shells.cli.call_errors import NotAnAddress, RefusedByServer, Unreachable
from footfall.shells.cli.command import (
    EXIT_MEANINGS,
    INTERRUPTED,
    Command,
    Exit,
    Parser,
    Surroundings,
    WrongUsage,
    add_argument,
)
from footfall.shells.cli.commands import COMMANDS
from footfall.values.clock import SystemClock
from footfall.values.errors import FootfallError, Refused

# Whatever else has a name of ours ends with FAILED.
EXITS: Final[Mapping[type[FootfallError], Exit]] = MappingProxyType(
    {
        SettingsRefused: Exit.USAGE,
        NotAnAddress: Exit.USAGE,
        WrongUsage: Exit.USAGE,
        Unreachable: Exit.UNREACHABLE,
        RefusedByServer: Exit.REFUSED,
        Refused: Exit.REFUSED,
        ControlRefused: Exit.REFUSED,
        ChangedMeanwhile: Exit.REFUSED,
    }
)


def main(argv: Sequence[str] | None = None, around: Surroundings | None = None) -> int:
    """Run the command that the arguments name and return its exit code."""
    if around is None:
        around = _real_surroundings()
    try:
        argv = sys.argv[1:] if argv is None else argv
        if not argv:
            # Nothing was asked for, which is wrong usage to a script and the most common question of a person.
            around.complain(parser().format_help().rstrip())
            return Exit.USAGE
        arguments = parsed(argv)
        command = COMMANDS[arguments.command]
        require_address(command, arguments, around)
        return int(command.run(arguments, around))
    except SystemExit as leaving:  # The parser has said what was wrong, or printed its help.
        return leaving.code if isinstance(leaving.code, int) else Exit.OK
    except FootfallError as error:
        around.complain(f"footfall: {str(error).rstrip('.')}.")
        return next((code for kind, code in EXITS.items() if isinstance(error, kind)), Exit.FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has left, which is its right; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return Exit.OK


def parsed(argv: Sequence[str]) -> Namespace:
    """Return what the arguments say; flags may stand before, between and behind what is given by its place."""
    # The version is known without reading every command.
    command = COMMANDS.get("version" if argv[0] == "--version" else argv[0]) if argv else None
    if command is None:
        return parser().parse_args(argv)  # Which says what is wrong, or prints the help.
    arguments = parser_of(command).parse_intermixed_args(_with_negatives(argv[1:], command))
    arguments.command = command.name
    return arguments


def _with_negatives(argv: Sequence[str], command: Command) -> list[str]:
    """Return arguments with -8% or -5M tied to the flag before it: the parser takes them for flags themselves."""
    flags = {one.name for one in command.arguments if one.is_flag and not one.is_switch}
    found: list[str] = []
    for text in argv:
        if found and found[-1] in flags and text[:1] == "-" and text[1:2].isdigit():
            found[-1] += f"={text}"
        else:
            found.append(text)
    return found


def parser() -> Parser:
    """Return the parser of all commands."""
    root = Parser(
        prog="footfall",
        description="What an audience reads and watches, as it happens.",
        epilog=help_text(["footfall serve --dev --demo", "footfall help serve"], EXIT_MEANINGS),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"footfall {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for command in COMMANDS.values():
        _teach(commands.add_parser(command.name, help=command.says, allow_abbrev=False), command)
    return root


def parser_of(command: Command) -> Parser:
    """Return the parser of one command, as if it were a program of its own."""
    one = Parser(prog=f"footfall {command.name}", allow_abbrev=False)
    _teach(one, command)
    return one


def _teach(one: Parser, command: Command) -> None:
    one.formatter_class = RawDescriptionHelpFormatter
    one.description = f"{command.says}\n\n{command.tells}" if command.tells else command.says
    one.epilog = help_text(command.examples, command.exit_meanings)
    for argument in command.arguments:
        add_argument(one, argument)


def help_text(examples: Sequence[str], exits: Mapping[int, str]) -> str:
    """Return the parts that every help ends with: what to copy, and what the exit codes mean."""
    copied = "\n".join(f"  {example}" for example in examples)
    codes = "\n".join(f"  {int(code):<4} {meaning}" for code, meaning in exits.items())
    return f"EXAMPLES\n{copied}\n\nEXIT CODES\n{codes}"


def _real_surroundings() -> Surroundings:
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another century must not turn an arrow into a crash.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    return Surroundings(
        out=sys.stdout,
        err=sys.stderr,
        stdin=sys.stdin.buffer,
        variables=environment(),
        clock=SystemClock(),
        pause=time.sleep,
        new_key=lambda: uuid.uuid4().hex,
    )


if __name__ == "__main__":
    sys.exit(main())
