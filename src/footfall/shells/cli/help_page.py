"""`footfall help`: the help of a command, as `footfall COMMAND --help` prints it."""

import argparse

from footfall.shells.cli.command import Argument, Command, Exit, Surroundings, WrongUsage


class NoSuchCommand(WrongUsage):
    """There is no command of that name."""


def show_help(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Print the help of one command, or the list of all."""
    # The list of commands holds this one, so it can be looked at only when both are there.
    from footfall.shells.cli.main import COMMANDS, parser, parser_of

    if arguments.topic is None:
        around.say(parser().format_help().rstrip())
        return Exit.OK
    command = COMMANDS.get(arguments.topic)
    if command is None:
        raise NoSuchCommand(f"{arguments.topic!r} is not a command; footfall help lists them.")
    around.say(parser_of(command).format_help().rstrip())
    return Exit.OK


COMMAND = Command(
    name="help",
    says="Print the help of a command, or of all.",
    example="footfall help serve",
    run=show_help,
    arguments=(Argument("topic", "The command.", shows="COMMAND", may_be_absent=True),),
)
