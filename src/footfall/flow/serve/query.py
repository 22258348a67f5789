"""What a reader may ask for, taken from the address: one brand's list of a period or of a span, and its filters.

The canonical text of a question is its cache key, here and in every cache outside: however it was spelled,
the same question has the same text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

from footfall.catalog.asset import NAME_BYTES_MAX
from footfall.flow.serve.several import text_from_value, values_from_text
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX
from footfall.values.period import Period
from footfall.values.window import instant_text, moment_from_text

PERIOD_DEFAULT = "justnow"
LIMIT_MAX = 100  # What the longest list on a site shows; a longer one would only cost bytes.
LIMIT_DEFAULT = LIMIT_MAX
VALUES_MAX = 100  # Per label, so that the longest address stays under what servers and caches take.
NAMES_MAX = 20  # Authors or tags: each is looked up in the catalogue.
BRAND_BYTES_MAX = 64

_SINGLE = ("brand", "period", "from", "to", "limit", "closed", "publishedAfter")
# Of parameters that may be repeated: how many values, and the most bytes of one. What is stored is never longer, so a
# longer value can match nothing.
_SEVERAL = {
    "section": (VALUES_MAX, LABEL_BYTES_MAX),
    "resourceType": (VALUES_MAX, LABEL_BYTES_MAX),
    "paidType": (VALUES_MAX, LABEL_BYTES_MAX),
    "author": (NAMES_MAX, NAME_BYTES_MAX),
    "tag": (NAMES_MAX, NAME_BYTES_MAX),
    "exclude": (VALUES_MAX, ASSET_BYTES_MAX),
}
PARAMETERS_MAX = len(_SINGLE) + sum(count for count, _ in _SEVERAL.values())

Given = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class PopularQuery:
    """A question for the most popular assets; an empty tuple of labels, authors or tags asks for any."""

    brand: str
    period: str = PERIOD_DEFAULT  # empty when a span is asked for
    sections: tuple[str, ...] = ()
    resource_types: tuple[str, ...] = ()
    paid_types: tuple[str, ...] = ()
    limit: int = LIMIT_DEFAULT
    closed: bool = False
    from_ms: int | None = None
    to_ms: int | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    published_after_ms: int | None = None
    exclude: tuple[str, ...] = ()

    @property
    def asks_catalogue(self) -> bool:
        """Tell whether only assets are asked for of which the catalogue knows something."""
        return bool(self.authors or self.tags) or self.published_after_ms is not None


def popular_query(raw_query: str, *, periods: Mapping[str, Period]) -> PopularQuery:
    """Return the question that the query part of an address asks, or refuse what cannot be asked."""
    return query_from(parameters(raw_query), periods=periods)


def parameters(raw_query: str) -> Given:
    """Return the values of each parameter, or refuse a parameter that no list has."""
    given: dict[str, list[str]] = {}
    for name, value in _pairs(raw_query):
        given.setdefault(name, []).append(value)
    for name in given:
        if name not in _SINGLE and name not in _SEVERAL:
            known = ", ".join((*_SINGLE, *_SEVERAL))
            raise Refused(name[:64] or "query", f"is not a parameter of this list; the parameters are {known}")
    return given


def brand_from(given: Given) -> str:
    """Return whose list is asked for."""
    value = _single(given, "brand")
    if not value:
        raise Refused("brand", "is missing; say whose list is asked for, as in brand=abc")
    return _require_short("brand", value, bytes_max=BRAND_BYTES_MAX)


def query_from(given: Given, *, periods: Mapping[str, Period]) -> PopularQuery:
    """Return the question that the parameters ask of a brand with these periods."""
    from_ms, to_ms = _moment(given, "from"), _moment(given, "to")
    is_span = from_ms is not None or to_ms is not None
    if is_span:
        _require_whole_span(given)
    return PopularQuery(
        brand=brand_from(given),
        period="" if is_span else _period(_single(given, "period"), periods),
        sections=_values(given, "section"),
        resource_types=_values(given, "resourceType"),
        paid_types=_values(given, "paidType"),
        limit=_limit(_single(given, "limit")),
        closed=_closed(_single(given, "closed")),
        from_ms=from_ms,
        to_ms=to_ms,
        authors=_values(given, "author"),
        tags=_values(given, "tag"),
        published_after_ms=_moment(given, "publishedAfter"),
        exclude=_values(given, "exclude"),
    )


def canonical(query: PopularQuery) -> str:
    """Return the one text of a question: parameters and values in order, without what is the default anyway."""
    parts = {"brand": _escaped(query.brand)}
    if query.period:
        parts["period"] = _escaped(query.period)
    if query.closed:
        parts["closed"] = "true"
    if query.limit != LIMIT_DEFAULT:
        parts["limit"] = str(query.limit)
    for name, moment_ms in (
        ("from", query.from_ms),
        ("to", query.to_ms),
        ("publishedAfter", query.published_after_ms),
    ):
        if moment_ms is not None:
            parts[name] = _escaped(instant_text(moment_ms))
    for name, values in zip(
        _SEVERAL,
        (query.sections, query.resource_types, query.paid_types, query.authors, query.tags, query.exclude),
        strict=True,
    ):
        if values:
            parts[name] = ",".join(_escaped(text_from_value(value)) for value in sorted(set(values)))
    return "&".join(f"{name}={parts[name]}" for name in sorted(parts))


def _escaped(value: str) -> str:
    return quote(value, safe="")


def _pairs(raw_query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(raw_query, keep_blank_values=True, errors="strict", max_num_fields=PARAMETERS_MAX)
    except UnicodeDecodeError as error:
        raise Refused("query", "a percent-escape in it is not UTF-8") from error
    except ValueError as error:
        raise Refused("query", f"has more than {PARAMETERS_MAX} parameters") from error


def _single(given: Given, name: str) -> str | None:
    values = given.get(name, [])
    if len(values) > 1:
        raise Refused(name, "is given twice; give it once")
    return values[0] if values else None


def _values(given: Given, name: str) -> tuple[str, ...]:
    count_max, bytes_max = _SEVERAL[name]
    # Commas are looked for after unescaping, because browsers escape the comma of a list, too.
    values = [value for text in given.get(name, []) for value in values_from_text(text)]
    if len(values) > count_max:
        raise Refused(name, f"has {len(values)} values, over {count_max}")
    if "" in values:
        raise Refused(name, r"has an empty value; leave the parameter out, or write a comma of a value as \,")
    return tuple(sorted({_require_short(name, value, bytes_max=bytes_max) for value in values}))


def _require_short(name: str, value: str, *, bytes_max: int) -> str:
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise Refused(name, "holds half of a surrogate pair, which is no text") from error
    if size > bytes_max:
        raise Refused(name, f"has a value of {size} bytes; at most {bytes_max} are possible")
    return value


def _moment(given: Given, name: str) -> int | None:
    value = _single(given, name)
    if value is None:
        return None
    # A plus sign in an address means a space, and who writes a zone's offset by hand forgets it.
    return moment_from_text(value[:-6] + value[-6:].replace(" ", "+"), field=name)


def _require_whole_span(given: Given) -> None:
    for name in ("from", "to"):
        if name not in given:
            raise Refused(name, "is missing; a span has both, from and to")
    for name in ("period", "closed"):
        if name in given:
            raise Refused(name, "does not go with from and to; leave it out")


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
