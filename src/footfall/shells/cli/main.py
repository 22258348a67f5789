"""The `footfall` command: finds the command that was named, and turns what went wrong into a sentence and a code."""

import io
import os
import sys
import time
import uuid
from argparse import RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from footfall import __version__
from footfall.app.settings import SettingsRefused, environment
from footfall.shells.cli import dead_letters, demo, ledger, popular, recount, send, serve, version
from footfall.shells.cli.calls import NotAnAddress, RefusedByServer, Unreachable
from footfall.shells.cli.command import Command, Exit, Parser, Surroundings, WrongUsage, add_argument
from footfall.values.clock import SystemClock
from footfall.values.errors import FootfallError, Refused

COMMANDS: Final[Mapping[str, Command]] = MappingProxyType(
    {
        module.COMMAND.name: module.COMMAND
        for module in (serve, demo, send, popular, ledger, recount, dead_letters, version)
    }
)

# Whatever else has a name of ours ends with FAILED.
EXITS: Final[Mapping[type[FootfallError], Exit]] = MappingProxyType(
    {
        SettingsRefused: Exit.USAGE,
        NotAnAddress: Exit.USAGE,
        WrongUsage: Exit.USAGE,
        Unreachable: Exit.UNREACHABLE,
        RefusedByServer: Exit.REFUSED,
        Refused: Exit.REFUSED,
    }
)
INTERRUPTED = 130  # What shells expect of a program that was stopped with Ctrl-C.


def main(argv: Sequence[str] | None = None, around: Surroundings | None = None) -> int:
    """Run the command that the arguments name and return its exit code."""
    if around is None:
        around = _real_surroundings()
    try:
        arguments = parser().parse_args(argv)
        return int(COMMANDS[arguments.command].run(arguments, around))
    except SystemExit as leaving:  # The parser has said what was wrong, or printed its help.
        return leaving.code if isinstance(leaving.code, int) else Exit.OK
    except FootfallError as error:
        around.complain(f"footfall: {error}")
        return next((code for kind, code in EXITS.items() if isinstance(error, kind)), Exit.FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has left, which is its right; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return Exit.OK


def parser() -> Parser:
    """Return the parser of all commands."""
    root = Parser(
        prog="footfall",
        description="What an audience reads and watches, as it happens.",
        epilog="example:\n  footfall serve --dev --demo\n\nfootfall COMMAND --help tells more of each.",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"footfall {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for command in COMMANDS.values():
        one = commands.add_parser(
            command.name,
            help=command.says,
            description=command.says,
            epilog=f"example:\n  {command.example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        for argument in command.arguments:
            add_argument(one, argument)
    return root


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
