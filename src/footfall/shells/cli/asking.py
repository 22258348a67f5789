"""Questions to an instance: to its server when one runs on its directory, else by being it; on AWS, to its tables."""

import argparse
import getpass
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from footfall.app import control_socket
from footfall.app.settings import NAMES, Given, Settings
from footfall.app.settings_reading import read_settings
from footfall.shells.cli.command import URL, Command, Surroundings, WrongUsage
from footfall.values.errors import FootfallError


class NoData(FootfallError):
    """The directory holds nothing of footfall's."""


class OnlyInADirectory(FootfallError):
    """The command works on a data directory, and the settings say that everything is on AWS."""


def require_directory(settings: Settings, command: str) -> None:
    """Refuse settings of an instance on AWS, for a command that has no meaning there."""
    if settings.ground == "aws":
        raise OnlyInADirectory(
            f"footfall {command} works on a data directory, and ground is 'aws': {_INSTEAD[command]}."
        )


class NoAddress(WrongUsage):
    """The command asks a server, everything is on AWS, and nobody said at which address."""


def require_address(command: Command, arguments: argparse.Namespace, around: Surroundings) -> None:
    """Refuse a command that asks a server when the surroundings name an instance on AWS and no address of it."""
    is_on_aws = around.variables.get(NAMES["ground"].variable) == "aws"
    if is_on_aws and URL in command.arguments and arguments.url == URL.default:
        raise NoAddress(
            f"footfall {command.name} goes through the API, and {NAMES['ground'].variable} is 'aws': give --url with "
            "its address (`footfall deploy status` tells it)"
        )


_INSTEAD: Mapping[str, str] = {
    "serve": "there the functions serve, see footfall deploy",
    "backup": "its tables keep every moment of the last 35 days, see docs/deploying.md",
    "import": "put logs as objects into a bucket, see docs/how-to/feed-from-firehose.md",
    "doctor": "footfall deploy status tells how it is",
    "workflows": "Step Functions runs them there, and shows, stops and redrives them itself; a "
    "mover's lie in the directory that its --data names",
}


def settings_of(
    arguments: argparse.Namespace, around: Surroundings, *, may_be_new: bool = False, only_directory: str = ""
) -> Settings:
    """Return the settings of the instance that --data and --config name; its directory may have to be made yet.

    A command that only has a meaning in a directory gives its name.
    """
    flags = [Given("data_dir", arguments.data, "the flag --data")] if arguments.data is not None else []
    config = Path(arguments.config) if arguments.config else None
    settings = read_settings(flags, config=config, variables=around.variables)
    if only_directory:
        require_directory(settings, only_directory)
    if settings.ground == "aws":
        return settings
    if not may_be_new and not Path(settings.data_dir).is_dir():
        raise NoData(f"{settings.data_dir} is not a directory with footfall's data; name it with --data.")
    return settings


def user_name() -> str:
    """Return the operating system's name for whoever asks; nothing in a container that has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def ask(settings: Settings, request: Mapping[str, Any], *, on_progress: Callable[[float], None]) -> Mapping[str, Any]:
    """Return what the instance answers, or raise its error; the request says which user of the machine asks."""
    request = {**request, "user": user_name()}
    if settings.ground == "aws":
        from footfall.app.aws_control import run_on_aws

        return run_on_aws(settings, dict(request), on_progress)
    try:
        return control_socket.ask(Path(settings.data_dir), dict(request), on_progress)
    except (FileNotFoundError, ConnectionRefusedError):
        # No server listens on the directory, so nothing else holds its lock and the work can be done here.
        from footfall.app.control import run_offline  # It brings along all of an instance.

        return run_offline(settings, dict(request), on_progress)
