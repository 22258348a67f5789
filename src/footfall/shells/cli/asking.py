"""Questions to the instance that owns a data directory: to its server when one runs, else by being it for a moment."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from footfall.app.settings import Given, Settings, read_settings
from footfall.shells.cli.command import Surroundings
from footfall.values.errors import FootfallError


class NoData(FootfallError):
    """The directory holds nothing of footfall's."""


def settings_of(arguments: argparse.Namespace, around: Surroundings, *, may_be_new: bool = False) -> Settings:
    """Return the settings of the instance that --data and --config name; its directory may have to be made yet."""
    flags = [Given("data_dir", arguments.data, "the flag --data")] if arguments.data is not None else []
    config = Path(arguments.config) if arguments.config else None
    settings = read_settings(flags, config=config, variables=around.variables)
    if not may_be_new and not Path(settings.data_dir).is_dir():
        raise NoData(f"{settings.data_dir} is not a directory with footfall's data; name it with --data.")
    return settings


def ask(settings: Settings, request: Mapping[str, Any], *, on_progress: Callable[[float], None]) -> Mapping[str, Any]:
    """Return what the instance answers, or raise its error."""
    from footfall.app import control

    try:
        return control.ask(Path(settings.data_dir), dict(request), on_progress)
    except (FileNotFoundError, ConnectionRefusedError):
        # No server listens on the directory, so nothing else holds its lock and the work can be done here.
        return control.run_offline(settings, dict(request), on_progress)
