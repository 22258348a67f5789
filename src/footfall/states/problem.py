"""One thing that is wrong with a definition, the place where it stands, and the checks of single fields."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footfall.states.intrinsic_grammar import call_from_text
from footfall.states.intrinsics import is_known
from footfall.states.path_grammar import path_from_text, reference_from_text
from footfall.states.scanning import Unreadable
from footfall.states.templates import MARK
from footfall.states.values import Json

SECONDS_MAX = 99_999_999  # Step Functions: about three years.
_PLAIN = re.compile(r"[A-Za-z_][\w-]*")

Object = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Problem:
    """Where in the definition, as a path, and what is wrong there."""

    place: str
    says: str


def below(place: str, name: str) -> str:
    """Return the place of a member."""
    return f"{place}.{name}" if _PLAIN.fullmatch(name) else f"{place}[{name!r}]"


def path_problems(fields: Object, name: str, place: str, *, or_null: bool = False) -> Iterator[Problem]:
    """Yield what is wrong with a field that is a path."""
    if name in fields and not (or_null and fields[name] is None):
        yield from _unreadable(fields[name], below(place, name), reference=False)


def reference_problems(fields: Object, name: str, place: str, *, or_null: bool = False) -> Iterator[Problem]:
    """Yield what is wrong with a field that is a reference path."""
    if name in fields and not (or_null and fields[name] is None):
        yield from _unreadable(fields[name], below(place, name), reference=True)


def computed_problems(fields: Object, name: str, place: str) -> Iterator[Problem]:
    """Yield what is wrong with a field that is a path or an intrinsic function."""
    if name in fields:
        yield from _value_problems(fields[name], below(place, name))


def template_problems(value: Json, place: str) -> Iterator[Problem]:
    """Yield what is wrong in a payload template."""
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from template_problems(one, f"{place}[{number}]")
    if not isinstance(value, dict):
        return
    for name, one in value.items():
        where = below(place, name)
        if not name.endswith(MARK):
            yield from template_problems(one, where)
            continue
        if name.removesuffix(MARK) in value:
            yield Problem(where, f"{name.removesuffix(MARK)!r} is there twice, with and without {MARK!r}")
        yield from _value_problems(one, where)


def whole_problems(fields: Object, name: str, place: str, *, least: int, most: int = SECONDS_MAX) -> Iterator[Problem]:
    """Yield what is wrong with a field that is a whole number between two bounds."""
    if name not in fields:
        return
    value = fields[name]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        yield Problem(below(place, name), f"has to be a whole number from {least} to {most}, not {value!r}")


def text_problems(fields: Object, name: str, place: str) -> Iterator[Problem]:
    """Yield what is wrong with a field that is text."""
    if name in fields and not isinstance(fields[name], str):
        yield Problem(below(place, name), f"has to be text, not {fields[name]!r}")


def either_problems(fields: Object, names: tuple[str, ...], place: str, *, needed: bool) -> Iterator[Problem]:
    """Yield when there are two of some fields, or none although one is needed."""
    there = [name for name in names if name in fields]
    if len(there) > 1:
        yield Problem(place, f"has {' and '.join(there)}, of which only one may be there")
    if needed and not there:
        yield Problem(place, f"needs {' or '.join(names)}")


def _value_problems(value: Json, place: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield Problem(place, f"has to be a path or an intrinsic function, not {value!r}")
        return
    try:
        if value.startswith("$"):
            path_from_text(value)
        elif not is_known(call_from_text(value)):
            yield Problem(place, f"{value!r} calls a function that does not exist")
    except Unreadable as error:
        yield Problem(place, str(error))


def _unreadable(value: Json, place: str, *, reference: bool) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield Problem(place, f"has to be a path, not {value!r}")
        return
    try:
        if reference and not value.startswith("$$"):
            reference_from_text(value)
        else:
            path_from_text(value)
    except Unreadable as error:
        yield Problem(place, str(error))
