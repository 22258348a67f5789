"""What a setting may be, and how each kind of value is read from a file, the environment or a flag."""

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from footfall.accounts.brands import Brand, Screening, Unlabelled
from footfall.values.errors import FootfallError, Refused
from footfall.values.period import Period, period_from_setting

ENVIRONMENT_PREFIX = "FOOTFALL_"
_OF_BRAND = ("zone", "unlabelled", "screening")  # what the settings say of a brand

Kind = Literal["whole", "text", "choice", "switch", "networks", "brands", "periods"]


class SettingsRefused(FootfallError):
    """The settings as given cannot be used, so nothing was started."""


class UnknownSetting(SettingsRefused):
    """A file, the environment or a flag names a setting that does not exist."""


class ImpossibleSetting(SettingsRefused):
    """A setting has a value that it may not have."""


class SettingsUnreadable(SettingsRefused):
    """The settings file cannot be read as TOML."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of one setting: what it may be, and what it is for."""

    name: str
    kind: Kind
    default: object
    says: str
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """Return the name of its environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper()


@dataclass(frozen=True, slots=True)
class Given:
    """A value for a setting, and the place that it came from, for the sentence when it is wrong."""

    name: str
    value: object
    where: str


def _refusal(given: Given, may_be: str) -> ImpossibleSetting:
    return ImpossibleSetting(f"{given.name} in {given.where} is {_spelled(given.value)}: it must be {may_be}.")


def _spelled(value: object) -> str:
    """Return a value as its file spells it, not as Python does."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return "{" + ", ".join(f"{name} = {_spelled(one)}" for name, one in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_spelled(one) for one in cast("list[object]", value)) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _read_whole(setting: Setting, given: Given) -> int:
    value = given.value
    if isinstance(value, str) and re.fullmatch(r"-?[0-9][0-9_]{0,30}", value.strip()) and "__" not in value:
        value = int(value.strip().rstrip("_"))
    if isinstance(value, bool) or not isinstance(value, int) or not setting.lowest <= value <= setting.highest:
        raise _refusal(given, f"a whole number from {setting.lowest:,} to {setting.highest:,}")
    return value


def _read_text(setting: Setting, given: Given) -> str:
    if given.value == "" == setting.default:
        return ""  # As a template writes it that leaves something out.
    if not isinstance(given.value, str) or not given.value.strip() or not given.value.isprintable():
        raise _refusal(given, "a text that is not empty")
    return given.value


def _read_choice(setting: Setting, given: Given) -> str:
    if given.value not in setting.choices:
        raise _refusal(given, "one of " + ", ".join(setting.choices))
    return str(given.value)


def _read_switch(_setting: Setting, given: Given) -> bool:
    # The environment and --set have only text; everywhere else a switch is a boolean.
    words = {"true": True, "false": False, "1": True, "0": False}
    value = words.get(given.value.lower()) if isinstance(given.value, str) else given.value
    if not isinstance(value, bool):
        raise _refusal(given, "true or false")
    return value


def _read_networks(_setting: Setting, given: Given) -> tuple[str, ...]:
    may_be = "a list of networks such as 10.0.0.0/8 or ::1/128"
    parts: object = [part.strip() for part in given.value.split(",")] if isinstance(given.value, str) else given.value
    if not isinstance(parts, list):
        raise _refusal(given, may_be)
    listed = [part for part in cast("list[object]", parts) if part != ""]
    try:
        return tuple(str(ipaddress.ip_network(cast("str", _only_text(part)))) for part in listed)
    except ValueError as error:
        raise _refusal(given, f"{may_be} ({error})") from error


def _only_text(part: object) -> object:
    # The library would take the number 1 for the address 0.0.0.1.
    if not isinstance(part, str):
        raise ValueError(f"{part!r} is not a text")  # noqa: TRY004
    return part


def _read_brands(_setting: Setting, given: Given) -> dict[str, Brand]:
    if isinstance(given.value, str):
        listed = [part.strip() for part in given.value.split(",") if part.strip()]
        tables: Iterable[tuple[str, dict[str, object]]] = [_brand_from_text(part) for part in listed]
    else:
        form = f"[brands.NAME] with {', '.join(_OF_BRAND)}"
        tables = _tables(given, keys=_OF_BRAND, form=form)
    brands: dict[str, Brand] = {}
    for name, table in tables:
        zone, unlabelled = table.get("zone", "UTC"), cast("Unlabelled", table.get("unlabelled", "count"))
        screening = cast("Screening", table.get("screening", "observe"))
        try:
            brands[name] = Brand(name, zone=str(zone), unlabelled=unlabelled, screening=screening)
        except Refused as refused:
            raise ImpossibleSetting(f"brands in {given.where}: {name[:80]!r}: {refused.reason}.") from refused
    return brands


def _brand_from_text(text: str) -> tuple[str, dict[str, object]]:
    name, *rest = text.split(":", len(_OF_BRAND))
    return name, dict(zip(_OF_BRAND, rest, strict=False))


def _read_periods(_setting: Setting, given: Given) -> dict[str, Period]:
    form = "[periods.NAME] with span, grain and cache, or NAME=SPAN/GRAIN/CACHE such as twodays=48h/1h/120s"
    if isinstance(given.value, str):
        pairs = [part.strip().partition("=") for part in given.value.split(",") if part.strip()]
        tables: Iterable[tuple[str, dict[str, object]]] = [
            (name, dict(zip(("span", "grain", "cache"), rest.split("/"), strict=False))) for name, _, rest in pairs
        ]
    else:
        tables = _tables(given, keys=("span", "grain", "cache"), form=form)
    periods: dict[str, Period] = {}
    for name, table in tables:
        if set(table) != {"span", "grain", "cache"} or not all(isinstance(text, str) for text in table.values()):
            raise _refusal(Given(f"periods.{name}", table, given.where), form)
        texts = cast("dict[str, str]", table)
        try:
            periods[name] = period_from_setting(name, span=texts["span"], grain=texts["grain"], cache=texts["cache"])
        except FootfallError as refused:
            raise ImpossibleSetting(f"periods in {given.where}: {refused}.") from refused
    return periods


def _tables(given: Given, *, keys: tuple[str, ...], form: str) -> Iterable[tuple[str, dict[str, object]]]:
    if not isinstance(given.value, dict):
        raise _refusal(given, form)
    for name, table in cast("dict[str, object]", given.value).items():
        if not isinstance(table, dict):
            raise _refusal(given, form)
        row = cast("dict[str, object]", table)
        for key in row:
            if key not in keys:
                raise UnknownSetting(
                    f"{given.name}.{name}.{key} in {given.where} is not a setting; it may be {' or '.join(keys)}."
                )
        yield name, row


READERS: Mapping[Kind, Callable[[Setting, Given], Any]] = {
    "whole": _read_whole,
    "text": _read_text,
    "choice": _read_choice,
    "switch": _read_switch,
    "networks": _read_networks,
    "brands": _read_brands,
    "periods": _read_periods,
}
