"""The parameters of an address: taken apart, looked at one by one, and put together again in one way only.

The canonical text of a question is its cache key, here and in every cache outside: however it was spelled,
the same question has the same text.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, quote

from footfall.flow.serve.several import text_from_value, values_from_text
from footfall.values.errors import Refused
from footfall.values.window import instant_text, moment_from_text

BRAND_BYTES_MAX = 64
JSON, CSV, NDJSON = FORMATS = ("json", "csv", "ndjson")
KINDS: Mapping[str, str] = {CSV: "text/csv; charset=utf-8; header=present", NDJSON: "application/x-ndjson"}

Given = Mapping[str, list[str]]

_ESCAPES = frozenset("%+")


class Several(NamedTuple):
    """How often a parameter may be there, and the most bytes of one value: a longer one could match nothing."""

    count_max: int
    bytes_max: int


def given_from(raw_query: str, *, single: Collection[str], several: Mapping[str, Several], of: str) -> Given:
    """Return the values of each parameter, or refuse one that is none of those that there are."""
    count_max = len(single)
    if raw_query.count("&") >= count_max:
        count_max += sum(one.count_max for one in several.values())
    given: dict[str, list[str]] = {}
    for name, value in _pairs(raw_query, count_max):
        given.setdefault(name, []).append(value)
    for name in given:
        if name not in single and name not in several:
            known = ", ".join((*single, *several))
            raise Refused(name[:64] or "query", f"is not a parameter of {of}; the parameters are {known}")
    return given


def brand_from(given: Given) -> str:
    """Return whose list is asked for."""
    value = single_of(given, "brand")
    if not value:
        raise Refused("brand", "is missing; say whose list is asked for, as in brand=abc")
    return require_short("brand", value, bytes_max=BRAND_BYTES_MAX)


def single_of(given: Given, name: str) -> str | None:
    """Return the value of a parameter that may be there once."""
    values = given.get(name)
    if not values:
        return None
    if len(values) > 1:
        raise Refused(name, "is given twice; give it once")
    return values[0]


def values_of(given: Given, name: str, limits: Several) -> tuple[str, ...]:
    """Return the values of a parameter that may be repeated, in order, each once."""
    if name not in given:
        return ()  # as nearly all are not
    # Commas are looked for after unescaping, because browsers escape the comma of a list, too.
    values = [value for text in given[name] for value in values_from_text(text)]
    if len(values) > limits.count_max:
        raise Refused(name, f"has {len(values)} values, over {limits.count_max}")
    if "" in values:
        raise Refused(name, r"has an empty value; leave the parameter out, or write a comma of a value as \,")
    return tuple(sorted({require_short(name, value, bytes_max=limits.bytes_max) for value in values}))


def require_short(name: str, value: str, *, bytes_max: int) -> str:
    """Return the value, or refuse one that is longer than anything it could match."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise Refused(name, "holds half of a surrogate pair, which is no text") from error
    if size > bytes_max:
        raise Refused(name, f"has a value of {size} bytes; at most {bytes_max} are possible")
    return value


def moment_of(given: Given, name: str) -> int | None:
    """Return the moment that a parameter names."""
    value = single_of(given, name)
    if value is None:
        return None
    # A plus sign in an address means a space, and who writes a zone's offset by hand forgets it.
    return moment_from_text(value[:-6] + value[-6:].replace(" ", "+"), field=name)


def whole_of(given: Given, name: str, *, highest: int, default: int) -> int:
    """Return the whole number from 1 on that a parameter has."""
    value = single_of(given, name)
    if value is None:
        return default
    # isdecimal alone would let digits of other scripts through.
    if not (value.isascii() and value.isdecimal() and len(value) <= 9 and 1 <= int(value) <= highest):
        raise Refused(name, f"{value[:64]!r} is not a whole number from 1 to {highest}")
    return int(value)


def truth_of(given: Given, name: str, *, default: bool = False) -> bool:
    """Return whether a parameter is true; one that is not there is what it is by default."""
    value = single_of(given, name)
    if value is None:
        return default
    if value not in ("true", "false"):
        raise Refused(name, f"{value[:64]!r} is neither true nor false")
    return value == "true"


def choice_of(given: Given, name: str, *, among: Collection[str], default: str) -> str:
    """Return the word that a parameter has, one of those that it may have."""
    value = single_of(given, name)
    if value is None:
        return default
    if value not in among:
        raise Refused(name, f"{value[:64]!r} is not one of {', '.join(among)}")
    return value


def format_of(given: Given) -> str:
    """Return the format that is asked for."""
    return choice_of(given, "format", among=FORMATS, default=FORMATS[0])


def escaped(value: str) -> str:
    """Return a value as it stands in an address."""
    return value if value.isascii() and value.isalnum() else quote(value, safe="")


def joined(values: Iterable[str]) -> str:
    """Return several values as they stand in an address, in order, each once."""
    return ",".join(escaped(text_from_value(value)) for value in sorted(set(values)))


def moment_text(moment_ms: int) -> str:
    """Return a moment as it stands in an address."""
    return escaped(instant_text(moment_ms))


def text_of(parts: Mapping[str, str]) -> str:
    """Return the one text of parameters whose values are escaped, in the order of their names."""
    return "&".join(f"{name}={parts[name]}" for name in sorted(parts))


def _pairs(raw_query: str, count_max: int) -> list[tuple[str, str]]:
    if raw_query.isascii() and not _ESCAPES.intersection(raw_query) and raw_query.count("&") < count_max:
        # As nearly all are; the library takes several times as long for the same.
        parts = [part.partition("=") for part in raw_query.split("&") if part]
        return [(name, value) for name, _, value in parts]
    try:
        return parse_qsl(raw_query, keep_blank_values=True, errors="strict", max_num_fields=count_max)
    except UnicodeDecodeError as error:
        raise Refused("query", "a percent-escape in it is not UTF-8") from error
    except ValueError as error:
        raise Refused("query", f"has more than {count_max} parameters") from error
