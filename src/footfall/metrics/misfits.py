"""Why a document does not fit, in the words of whoever wrote it rather than of the program that reads it."""

import re
from collections.abc import Mapping
from typing import Final

from footfall.values.errors import Refused

_FIELD = re.compile(r"field `([^`]*)`")
_EXPECTED = re.compile(r"Expected `(.*)`, got `(.*)`")
_WORDS: Final[Mapping[str, str]] = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "null",
}  # fmt: skip


def misfit(told: str, *, whole: str = "body") -> Refused:
    """Return the refusal of what msgspec says of a document; `whole` is the field when it is all of it."""
    reason, _, place = told.partition(" - at `$")
    path = _path(place)
    if named := _FIELD.search(reason):
        field = ".".join(one for one in (path, named[1]) if one)
        is_missing = "missing" in reason
        return Refused(field[:64], "is missing" if is_missing else "is not a field here")
    if found := _EXPECTED.fullmatch(reason):
        wanted = [_words(one) for one in found[1].split(" | ") if one != "null"]
        return Refused(path or whole, f"has to be {' or '.join(wanted)}, and is {_words(found[2])}")
    return Refused(path or whole, f"{reason[0].lower()}{reason[1:]}")


def _path(place: str) -> str:
    """Return a field as its writer names it: without the places in lists and the values of keys."""
    return re.sub(r"\[[^\]]*\]", "", place.replace("`", "")).strip(".")


def _words(kind: str) -> str:
    return _WORDS.get(kind, kind)
