"""The settings that a directory's instance runs with, kept in the directory itself."""

from dataclasses import replace
from pathlib import Path

import msgspec

from footfall.app.settings import Settings, SettingsUnreadable, json_from_settings, settings_from_json

KEPT_FILE = "settings.json"


def keep_settings(settings: Settings) -> None:
    """Write down the settings that an instance runs with, for commands that work on its directory while it is stopped.

    Zones, lateness and shards decide where hits go; a command that guessed them would write other windows. What proves
    a proxy and what opens the mail server decide nothing there, and are not written down a second time.
    """
    path = Path(settings.data_dir) / KEPT_FILE
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json_from_settings(replace(settings, http_proxy_secret="", smtp_password="")))
    unfinished.replace(path)


def kept_settings(directory: str) -> Settings | None:
    """Return the settings that the directory's last instance ran with; None when none has."""
    path = Path(directory) / KEPT_FILE
    if not path.exists():
        return None
    try:
        return replace(settings_from_json(path.read_text()), data_dir=directory)
    except (OSError, msgspec.MsgspecError) as error:
        raise SettingsUnreadable(f"{path} cannot be read: {error}; start the server once to write it anew.") from error
