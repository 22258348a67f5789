"""What a reader may ask for, taken from the address: one brand's list of a period, filtered by labels.

The canonical text of a question is its cache key, here and in every cache outside: however it was spelled,
the same question has the same text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

from footfall.values.errors import Refused
from footfall.values.period import Period

PERIOD_DEFAULT = "justnow"
LIMIT_MAX = 100  # What the longest list on a site shows; a longer one would only cost bytes.
LIMIT_DEFAULT = LIMIT_MAX
VALUES_MAX = 100  # Per label, so that the longest address stays under what servers and caches take.
LABEL_BYTES_MAX = 64  # A stored label is never longer, so a longer one can match nothing.
BRAND_BYTES_MAX = 64
PARAMETERS_MAX = 3 * VALUES_MAX + 4

_PARAMETERS = ("brand", "period", "section", "resourceType", "paidType", "limit", "closed")


@dataclass(frozen=True, slots=True)
class PopularQuery:
    """A question for the most popular assets; an empty tuple of labels asks for any label."""

    brand: str
    period: str = PERIOD_DEFAULT
    sections: tuple[str, ...] = ()
    resource_types: tuple[str, ...] = ()
    paid_types: tuple[str, ...] = ()
    limit: int = LIMIT_DEFAULT
    closed: bool = False


def popular_query(raw_query: str, *, periods: Mapping[str, Period]) -> PopularQuery:
    """Return the question that the query part of an address asks, or refuse what cannot be asked."""
    given: dict[str, list[str]] = {}
    for name, value in _parameters(raw_query):
        given.setdefault(name, []).append(value)
    for name in given:
        if name not in _PARAMETERS:
            known = ", ".join(_PARAMETERS)
            raise Refused(name[:64] or "query", f"is not a parameter of this list; the parameters are {known}")
    return PopularQuery(
        brand=_brand(_single(given, "brand")),
        period=_period(_single(given, "period"), periods),
        sections=_labels(given, "section"),
        resource_types=_labels(given, "resourceType"),
        paid_types=_labels(given, "paidType"),
        limit=_limit(_single(given, "limit")),
        closed=_closed(_single(given, "closed")),
    )


def canonical(query: PopularQuery) -> str:
    """Return the one text of a question: parameters and values in order, without what is the default anyway."""
    parts = {"brand": _escaped(query.brand), "period": _escaped(query.period)}
    if query.closed:
        parts["closed"] = "true"
    if query.limit != LIMIT_DEFAULT:
        parts["limit"] = str(query.limit)
    for name, values in (
        ("section", query.sections),
        ("resourceType", query.resource_types),
        ("paidType", query.paid_types),
    ):
        if values:
            parts[name] = ",".join(_escaped(value) for value in sorted(set(values)))
    return "&".join(f"{name}={parts[name]}" for name in sorted(parts))


def _escaped(value: str) -> str:
    return quote(value, safe="")


def _parameters(raw_query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(raw_query, keep_blank_values=True, errors="strict", max_num_fields=PARAMETERS_MAX)
    except UnicodeDecodeError as error:
        raise Refused("query", "a percent-escape in it is not UTF-8") from error
    except ValueError as error:
        raise Refused("query", f"has more than {PARAMETERS_MAX} parameters") from error


def _single(given: Mapping[str, list[str]], name: str) -> str | None:
    values = given.get(name, [])
    if len(values) > 1:
        raise Refused(name, "is given twice; give it once")
    return values[0] if values else None


def _labels(given: Mapping[str, list[str]], name: str) -> tuple[str, ...]:
    # Commas are looked for after unescaping, because browsers escape the comma of a list, too.
    values = [value for text in given.get(name, []) for value in text.split(",")]
    if len(values) > VALUES_MAX:
        raise Refused(name, f"has {len(values)} values, over {VALUES_MAX}; leave it out to ask for any")
    return tuple(sorted({_require_label(name, value) for value in values}))


def _require_label(name: str, value: str) -> str:
    if not value:
        raise Refused(name, "has an empty value; leave the parameter out to ask for any")
    return _require_short(name, value, bytes_max=LABEL_BYTES_MAX)


def _require_short(name: str, value: str, *, bytes_max: int) -> str:
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise Refused(name, "holds half of a surrogate pair, which is no text") from error
    if size > bytes_max:
        raise Refused(name, f"has a value of {size} bytes; at most {bytes_max} are possible")
    return value


def _brand(value: str | None) -> str:
    if not value:
        raise Refused("brand", "is missing; say whose list is asked for, as in brand=abc")
    return _require_short("brand", value, bytes_max=BRAND_BYTES_MAX)


def _period(value: str | None, periods: Mapping[str, Period]) -> str:
    if value is None:
        value = PERIOD_DEFAULT
    if value not in periods:
        raise Refused("period", f"{value[:64]!r} is not a period; the periods are {', '.join(sorted(periods))}")
    return value


def _limit(value: str | None) -> int:
    if value is None:
        return LIMIT_DEFAULT
    # isdecimal alone would let digits of other scripts through.
    if not (value.isascii() and value.isdecimal() and len(value) <= 3 and 1 <= int(value) <= LIMIT_MAX):
        raise Refused("limit", f"{value[:64]!r} is not a whole number from 1 to {LIMIT_MAX}")
    return int(value)


def _closed(value: str | None) -> bool:
    if value is None or value == "false":
        return False
    if value != "true":
        raise Refused("closed", f"{value[:64]!r} is neither true nor false")
    return True
