"""`footfall version`: which release this is."""

import argparse

from footfall import __version__
from footfall.shells.cli.command import Command, Exit, Surroundings


def version(_arguments: argparse.Namespace, around: Surroundings) -> int:
    """Print the release's number."""
    around.say(f"footfall {__version__}")
    return Exit.OK


COMMAND = Command(name="version", says="Print the version.", example="footfall version", run=version)
