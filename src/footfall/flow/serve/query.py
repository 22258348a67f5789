"""What a reader may ask for, taken from the address: one brand's list of a period or of a span, and its filters.

The same words ask for the most popular assets, for those that rise, and for sections and types; not every list knows
all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

from footfall.catalog.asset import NAME_BYTES_MAX
from footfall.flow.serve.parameters import (
    FORMATS,
    Given,
    Several,
    brand_from,
    choice_of,
    escaped,
    format_of,
    given_from,
    joined,
    moment_of,
    moment_text,
    single_of,
    text_of,
    truth_of,
    values_of,
    whole_of,
)
from footfall.flow.serve.shown import INCLUDE, SCREENED, include_of, include_text, labels_shown_for
from footfall.values.errors import Refused
from footfall.values.groups import shows_name, watch_name
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX
from footfall.values.period import Period

PERIOD_DEFAULT = "justnow"
LIMIT_MAX = 100  # What the longest list on a site shows; a longer one would only cost bytes.
LIMIT_DEFAULT = LIMIT_MAX
VALUES_MAX = 100  # Per label, so that the longest address stays under what servers and caches take.
BRANDS_MAX = 20  # in one roll-up: each has a board of its own.
NAMES_MAX = 20  # Authors or tags: each is looked up in the catalogue.

# Where other lists than the most popular are asked for.
RISING, SECTIONS, TYPES, BRANDS = "/v1/trending", "/v1/top/sections", "/v1/top/types", "/v1/top/brands"
SCREENING = "/v1/screening"

HITS, UNIQUES = MEASURES = ("hits", "uniques")  # what lists are sorted by, and what a series is of
NO_SUCH_VISITORS = "has no visitors of its own: they are counted for assets, for sections and for the whole brand"

MINUTES = "minutes"
BY = (HITS, MINUTES)  # what is counted: hits, or minutes that were watched
ASSETS, SERIES_OF_ASSETS = OF = ("assets", "series")  # what minutes are counted of

SINGLE = ("brand", "period", "from", "to", "limit", "closed", "publishedAfter", "sort", "edited", "format", "by", "of")
LABELS: Mapping[str, Several] = {
    "section": Several(VALUES_MAX, LABEL_BYTES_MAX),
    "resourceType": Several(VALUES_MAX, LABEL_BYTES_MAX),
    "paidType": Several(VALUES_MAX, LABEL_BYTES_MAX),
}
SEVERAL: Mapping[str, Several] = {
    **LABELS,
    "author": Several(NAMES_MAX, NAME_BYTES_MAX),
    "tag": Several(NAMES_MAX, NAME_BYTES_MAX),
    "exclude": Several(VALUES_MAX, ASSET_BYTES_MAX),
}
SEVERAL_OF_ASSETS: Mapping[str, Several] = {**SEVERAL, **SCREENED}
SEVERAL_OF_LABELS: Mapping[str, Several] = {**LABELS, **SCREENED}
TIMELESS = ("brand", "limit", "publishedAfter", "edited", "format")  # of a list that has one span only
TYPE_SINGLE = ("brand", "period", "from", "to", "limit", "closed", "format")  # of a list of labels, not of assets
LABEL_SINGLE = (*TYPE_SINGLE, "sort")  # of labels whose visitors are known


@dataclass(frozen=True, slots=True)
class PopularQuery:
    """A question for a list; an empty tuple of labels, authors or tags asks for any."""

    brand: str
    period: str = PERIOD_DEFAULT  # empty when a span is asked for, or the list has one of its own
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
    format: str = FORMATS[0]
    sort: str = HITS
    include: tuple[str, ...] = ()  # labels that are shown beside persons
    shows_suspected: bool = True  # as the brand's mode of screening has it
    edited: bool = True  # as editors have it; else as it was counted
    by: str = HITS
    of: str = ASSETS

    @property
    def counted_as(self) -> str:
        """Return the name of the windows that hold what is asked for."""
        return counted_name(self.brand, by=self.by, of=self.of)

    @property
    def labels(self) -> frozenset[str]:
        """Return the labels of screening whose hits are shown."""
        return labels_shown_for(self.include, shows_suspected=self.shows_suspected)

    @property
    def asks_slices(self) -> bool:
        """Tell whether only hits under some labels of their assets are asked for."""
        return bool(self.sections or self.resource_types or self.paid_types)

    @property
    def asks_catalogue(self) -> bool:
        """Tell whether only assets are asked for of which the catalogue knows something."""
        return bool(self.authors or self.tags) or self.published_after_ms is not None


def popular_query(raw_query: str, *, periods: Mapping[str, Period]) -> PopularQuery:
    """Return the question that the query part of an address asks, or refuse what cannot be asked."""
    return query_from(parameters(raw_query), periods=periods)


def parameters(raw_query: str) -> Given:
    """Return the values of each parameter, or refuse a parameter that no list of the most popular has."""
    return given_from(raw_query, single=SINGLE, several=SEVERAL_OF_ASSETS, of="this list")


def rising_parameters(raw_query: str) -> Given:
    """Return the same of a list of what rises, whose time is always now."""
    return given_from(raw_query, single=TIMELESS, several=SEVERAL_OF_ASSETS, of="what rises")


def label_parameters(raw_query: str) -> Given:
    """Return the same of a list of brands, of which no catalogue knows anything."""
    return given_from(raw_query, single=LABEL_SINGLE, several=SEVERAL_OF_LABELS, of="this list")


def section_parameters(raw_query: str) -> Given:
    """Return the same of a list of sections, of which minutes are counted as well."""
    return given_from(raw_query, single=(*LABEL_SINGLE, "by"), several=SEVERAL_OF_LABELS, of="this list")


def type_parameters(raw_query: str) -> Given:
    """Return the same of a list of resource types, whose visitors nobody counts."""
    return given_from(raw_query, single=TYPE_SINGLE, several=SEVERAL_OF_LABELS, of="this list")


def screening_parameters(raw_query: str) -> Given:
    """Return the same of what screening found, which is told of all labels."""
    return given_from(raw_query, single=TYPE_SINGLE, several={}, of="what screening found")


def query_from(given: Given, *, periods: Mapping[str, Period], shows_suspected: bool = True) -> PopularQuery:
    """Return the question that the parameters ask of a brand with these periods; without any, it is not of a period."""
    from_ms, to_ms = moment_of(given, "from"), moment_of(given, "to")
    by, of = by_from(given), choice_of(given, "of", among=OF, default=ASSETS)
    if of != ASSETS and by != MINUTES:
        raise Refused("of", f"is {of!r}, of which only minutes are counted; add by={MINUTES}")
    is_span = from_ms is not None or to_ms is not None
    if is_span:
        _require_whole_span(given)
    return PopularQuery(
        brand=brand_from(given),
        period="" if is_span or not periods else _period(single_of(given, "period"), periods),
        sections=values_of(given, "section", SEVERAL["section"]),
        resource_types=values_of(given, "resourceType", SEVERAL["resourceType"]),
        paid_types=values_of(given, "paidType", SEVERAL["paidType"]),
        limit=whole_of(given, "limit", highest=LIMIT_MAX, default=LIMIT_DEFAULT),
        closed=truth_of(given, "closed"),
        from_ms=from_ms,
        to_ms=to_ms,
        authors=values_of(given, "author", SEVERAL["author"]),
        tags=values_of(given, "tag", SEVERAL["tag"]),
        published_after_ms=moment_of(given, "publishedAfter"),
        exclude=values_of(given, "exclude", SEVERAL["exclude"]),
        format=format_of(given),
        sort=choice_of(given, "sort", among=MEASURES, default=HITS),
        include=include_of(given),
        shows_suspected=shows_suspected,
        edited=truth_of(given, "edited", default=True),
        by=by,
        of=of,
    )


def counted_name(brand: str, *, by: str, of: str = ASSETS) -> str:
    """Return the name of a brand's windows: its own of hits, and those beside it of minutes."""
    if by != MINUTES:
        return brand
    return shows_name(brand) if of == SERIES_OF_ASSETS else watch_name(brand)


def counted_in(canonical: str) -> str:
    """Return the name of the windows that a question in its one text is about."""
    given = parse_qs(canonical.rpartition("?")[2])
    brand, by, of = (given.get(word, [""])[0] for word in ("brand", "by", "of"))
    return counted_name(brand, by=by, of=of)


def by_from(given: Given) -> str:
    """Return what is to be counted."""
    return choice_of(given, "by", among=BY, default=HITS)


def require_known_visitors(query: PopularQuery) -> None:
    """Refuse to sort sections or brands by visitors under labels that nobody counts visitors of."""
    for name, values in (("resourceType", query.resource_types), ("paidType", query.paid_types)):
        if values and query.sort == UNIQUES:
            raise Refused(name, f"{NO_SUCH_VISITORS}; leave it out, or ask for sort=hits")


def canonical(query: PopularQuery) -> str:
    """Return the one text of a question: parameters and values in order, without what is the default anyway."""
    parts = {"brand": escaped(query.brand)}
    for name, value, default in (
        ("period", escaped(query.period), ""),
        ("closed", "true" if query.closed else "", ""),
        ("edited", "" if query.edited else "false", ""),
        ("limit", str(query.limit), str(LIMIT_DEFAULT)),
        ("format", query.format, FORMATS[0]),
        ("sort", query.sort, HITS),
        ("by", query.by, HITS),
        ("of", query.of, ASSETS),
    ):
        if value != default:
            parts[name] = value
    for name, moment_ms in (
        ("from", query.from_ms),
        ("to", query.to_ms),
        ("publishedAfter", query.published_after_ms),
    ):
        if moment_ms is not None:
            parts[name] = moment_text(moment_ms)
    for name, values in zip(
        SEVERAL,
        (query.sections, query.resource_types, query.paid_types, query.authors, query.tags, query.exclude),
        strict=True,
    ):
        if values:
            parts[name] = joined(values)
    if query.include:
        parts[INCLUDE] = include_text(query.include)
    return text_of(parts)


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
