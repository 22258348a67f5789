"""Where an instance's settings come from: its file, its environment and its flags, read and found to go together.

A setting is taken from its default, then the TOML file, then the environment, then the flags; the last one wins.
Brands and periods are added up by name instead, so that a flag adds a brand and loses none of the file's.
"""

import difflib
import ipaddress
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from footfall.app.archive_capturing import require_archive
from footfall.app.audience_settings import require_audience
from footfall.app.setting_values import (
    ENVIRONMENT_PREFIX,
    READERS,
    Given,
    ImpossibleSetting,
    Setting,
    SettingsUnreadable,
    UnknownSetting,
)
from footfall.app.settings import AWS_RESOURCES, NAMES, Settings
from footfall.app.settings_of_people import require_people

FILE_NAME = "footfall.toml"
FILE_BYTES_MAX = 1_048_576  # Some ten thousand brands; anything larger is not a settings file.
PROXY_SECRET_MIN = 16  # Characters; 32 random ones are what a deployment on AWS gets.
EMBEDDED_SHARDS_MAX = 16  # Each has a worker in one process.


def environment() -> dict[str, str]:
    """Return the environment variables that are meant for footfall."""
    return {name: value for name, value in os.environ.items() if name.startswith(ENVIRONMENT_PREFIX)}


def child_environment() -> dict[str, str]:
    """Return the environment of a process that works on large arrays, so that it gives their memory back.

    The C library keeps freed blocks, and raises the size above which it returns them with each large one; numpy asks
    for huge pages, which make memory resident that is only reserved. A merge of one large day would cost its room for
    ever after.
    """
    given_back = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_TRIM_THRESHOLD_": "262144"}
    return {**os.environ, **given_back, "NUMPY_MADVISE_HUGEPAGE": "0"}


def read_settings(
    flags: Sequence[Given] = (), *, config: Path | None = None, variables: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings that defaults, file, environment and flags make together, or raise SettingsRefused."""
    from_environment = list(_given_by_environment(variables or {}))
    directory = str(Settings().data_dir)
    for given in (*from_environment, *flags):
        if given.name == "data_dir":
            directory = str(given.value)
    path = config if config is not None else Path(directory) / FILE_NAME
    from_file = _given_by_file(path, directory=None if config is not None else directory)
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    for given in (*from_file, *from_environment, *flags):
        setting = _setting_named(given)
        value = READERS[setting.kind](setting, given)
        if setting.kind in ("brands", "periods"):
            value = {**values.get(given.name, cast("Mapping[str, object]", setting.default)), **value}
        values[given.name] = value
        places[given.name] = given.where
    settings = Settings(**values)
    _require_agreement(settings, places)
    return settings


def _given_by_environment(variables: Mapping[str, str]) -> Iterable[Given]:
    for variable, value in sorted(variables.items()):
        if variable.startswith(ENVIRONMENT_PREFIX):
            name = variable.removeprefix(ENVIRONMENT_PREFIX)
            # Only upper case is ours, as the shell's habit is; anything else is reported as unknown.
            yield Given(name.lower() if name == name.upper() else variable, value, f"the environment ({variable})")


def _given_by_file(path: Path, *, directory: str | None) -> list[Given]:
    try:
        if directory is not None and not path.exists():
            return []
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise SettingsUnreadable(f"{path} is larger than {FILE_BYTES_MAX:,} bytes, so it is no settings file.")
        table = tomllib.loads(content.decode())
    except OSError as error:
        raise SettingsUnreadable(f"{path} cannot be read: {error.strerror}; check --config.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsUnreadable(f"{path} is not TOML: {error}.") from error
    if directory is not None and table.get("data_dir", directory) != directory:
        raise ImpossibleSetting(
            f"data_dir in {path} is {table['data_dir']!r}: a file in the data directory cannot name another one; "
            "move the file and name it with --config."
        )
    return [Given(name, value, str(path)) for name, value in table.items()]


def _setting_named(given: Given) -> Setting:
    setting = NAMES.get(given.name)
    if setting is not None:
        return setting
    near = difflib.get_close_matches(
        given.name.lower().removeprefix(ENVIRONMENT_PREFIX.lower()), NAMES, n=1, cutoff=0.5
    )
    advice = f"did you mean {near[0]}?" if near else "docs/reference/settings.md lists them all."
    raise UnknownSetting(f"{given.name} in {given.where} is not a setting; {advice}")


def _require_agreement(settings: Settings, places: Mapping[str, str]) -> None:
    def place(name: str) -> str:
        return places.get(name, "the defaults")

    if settings.dev and not _is_loopback(settings.http_host):
        raise ImpossibleSetting(
            f"dev in {place('dev')} is on while http_host in {place('http_host')} is {settings.http_host!r}: "
            "it must be off, or http_host must be a loopback address such as 127.0.0.1."
        )
    if 0 < len(settings.http_proxy_secret) < PROXY_SECRET_MIN:
        raise ImpossibleSetting(
            f"http_proxy_secret in {place('http_proxy_secret')} has {len(settings.http_proxy_secret)} characters and "
            f"can be guessed: it must have at least {PROXY_SECRET_MIN}, or be empty."
        )
    _require_ground(settings, place)
    require_people(settings, place)
    require_archive(settings, place)
    require_audience(settings, place)
    for name in ("http_inflated_bytes_max", "http_pending_bytes_max"):
        if getattr(settings, name) < settings.http_body_bytes_max:
            raise ImpossibleSetting(
                f"{name} in {place(name)} is {getattr(settings, name):,}: it must be at least "
                f"http_body_bytes_max ({settings.http_body_bytes_max:,} in {place('http_body_bytes_max')})."
            )


def _require_ground(settings: Settings, place: Callable[[str], str]) -> None:
    """Raise unless the settings are all of one ground."""
    if settings.ground == "embedded":
        if settings.stream_shards > EMBEDDED_SHARDS_MAX:
            raise ImpossibleSetting(
                f"stream_shards in {place('stream_shards')} is {settings.stream_shards}: on one machine it must be a "
                f"whole number from 1 to {EMBEDDED_SHARDS_MAX}."
            )
        for name in AWS_RESOURCES:
            if getattr(settings, name):
                raise ImpossibleSetting(
                    f"{name} in {place(name)} is {getattr(settings, name)!r} while ground in {place('ground')} is "
                    "'embedded': set ground to aws, or take it out."
                )
        return
    for name in ("dev", "catalog_fetch_titles"):
        if getattr(settings, name):
            raise ImpossibleSetting(
                f"{name} in {place(name)} is on while ground in {place('ground')} is 'aws': it must be off there."
            )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
