"""What a reader may ask of the past: the hits of a brand, of some labels or of one asset, window by window.

Without ends a series is one of the last windows, the open one among them, and goes on with the clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote

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
    require_short,
    text_of,
    values_of,
    whole_of,
)
from footfall.flow.serve.query import HITS, LABELS, MEASURES, NO_SUCH_VISITORS, UNIQUES, by_from, counted_name
from footfall.flow.serve.shown import INCLUDE, SCREENED, include_of, include_text, labels_shown_for
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX
from footfall.values.period import GRAIN_MS
from footfall.values.window import DAY_MS, HOUR_MS, Grain, instant_text, window_of

POINTS_MAX = 1_500  # A day of minutes, two months of hours, four years of days; each is read, and so are those before.
GRAINS: Final[Mapping[str, Grain]] = MappingProxyType({"minute": Grain.MINUTE, "hour": Grain.HOUR, "day": Grain.DAY})
LAST: Final[Mapping[Grain, int]] = MappingProxyType({Grain.MINUTE: 60, Grain.HOUR: 24, Grain.DAY: 30})
COMPARES = ("lastWeek", "previous")
PROFILES = ("none", "weekday")
SERIES = "/v1/series"
FROM_MS_MIN = 10 * 365 * DAY_MS  # There were no pages to hit, and the spans before need their room.

_ASSETS, _SERIES_OF_ASSET = "/v1/assets/", "/series"
_SINGLE = ("brand", "grain", "from", "to", "last", "profile", "measure", "by", "format")
_COMPARE = Several(len(COMPARES), 16)
_GRAIN_NAMES = {grain: name for name, grain in GRAINS.items()}


@dataclass(frozen=True, slots=True)
class SeriesQuery:
    """A question for a series; an empty tuple of labels asks for any, no asset for all of them."""

    brand: str
    asset: str = ""
    grain: Grain = Grain.HOUR
    from_ms: int | None = None
    to_ms: int | None = None
    last: int = LAST[Grain.HOUR]  # so many windows up to the open one, unless there are ends
    sections: tuple[str, ...] = ()
    resource_types: tuple[str, ...] = ()
    paid_types: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    profile: str = PROFILES[0]
    measure: str = HITS
    format: str = FORMATS[0]
    include: tuple[str, ...] = ()  # labels of screening that are shown beside persons
    shows_suspected: bool = True  # as the brand's mode of screening has it
    by: str = HITS

    @property
    def counted_as(self) -> str:
        """Return the name of the windows that hold what is asked for."""
        return counted_name(self.brand, by=self.by)

    @property
    def labels(self) -> frozenset[str]:
        """Return the labels of screening whose hits are shown."""
        return labels_shown_for(self.include, shows_suspected=self.shows_suspected)

    @property
    def grain_name(self) -> str:
        """Return what the grain is called outside."""
        return _GRAIN_NAMES[self.grain]


def asset_in(path: str) -> str | None:
    """Return the asset whose series lies at a path that is still escaped; None when it is no such path.

    An id that ends in `/series` has its slashes escaped, and is then no such path by its own end.
    """
    if not path.startswith(_ASSETS) or not path.endswith(_SERIES_OF_ASSET):
        return None
    raw = path[len(_ASSETS) : -len(_SERIES_OF_ASSET)]
    if not raw:
        return None
    try:
        return unquote(raw, errors="strict")
    except UnicodeDecodeError as error:
        raise Refused("assetId", "a percent-escape in it is not UTF-8") from error


def series_parameters(raw_query: str, *, of_asset: bool) -> Given:
    """Return the values of each parameter, or refuse a parameter that no series has."""
    several = {"compare": _COMPARE} if of_asset else {"compare": _COMPARE, **LABELS}
    return given_from(raw_query, single=_SINGLE, several={**several, **SCREENED}, of="a series")


def series_query_from(given: Given, *, asset: str = "") -> SeriesQuery:
    """Return the question that the parameters ask, of one asset or of all."""
    grain = GRAINS[choice_of(given, "grain", among=GRAINS, default="hour")]
    from_ms, to_ms = moment_of(given, "from"), moment_of(given, "to")
    if (from_ms is None) != (to_ms is None):
        raise Refused("from" if from_ms is None else "to", "is missing; a span has both, from and to")
    if from_ms is not None and "last" in given:
        raise Refused("last", "does not go with from and to; leave it out")
    compare = values_of(given, "compare", _COMPARE)
    for one in compare:
        if one not in COMPARES:
            raise Refused("compare", f"{one!r} is not one of {', '.join(COMPARES)}")
    profile = choice_of(given, "profile", among=PROFILES, default=PROFILES[0])
    if profile != PROFILES[0] and grain is Grain.MINUTE:
        raise Refused("profile", "needs whole days, which are not made of minutes here; use grain=hour or grain=day")
    measure = choice_of(given, "measure", among=MEASURES, default=HITS)
    if measure == UNIQUES:
        _require_known_visitors(given, grain=grain, profile=profile)
    return SeriesQuery(
        brand=brand_from(given),
        asset=require_short("assetId", asset, bytes_max=ASSET_BYTES_MAX),
        grain=grain,
        from_ms=from_ms,
        to_ms=to_ms,
        last=whole_of(given, "last", highest=POINTS_MAX, default=LAST[grain]),
        sections=values_of(given, "section", LABELS["section"]),
        resource_types=values_of(given, "resourceType", LABELS["resourceType"]),
        paid_types=values_of(given, "paidType", LABELS["paidType"]),
        compare=compare,
        profile=profile,
        measure=measure,
        format=format_of(given),
        include=include_of(given),
        by=by_from(given),
    )


def series_canonical(query: SeriesQuery) -> str:
    """Return the one address of a question: path, and parameters in order, without what is the default anyway."""
    path = f"{_ASSETS}{escaped(query.asset)}{_SERIES_OF_ASSET}" if query.asset else SERIES
    parts = {"brand": escaped(query.brand), "grain": query.grain_name}
    if query.from_ms is not None and query.to_ms is not None:
        parts |= {"from": moment_text(query.from_ms), "to": moment_text(query.to_ms)}
    elif query.last != LAST[query.grain]:
        parts["last"] = str(query.last)
    for name, values in zip(
        (*LABELS, "compare"), (query.sections, query.resource_types, query.paid_types, query.compare), strict=True
    ):
        if values:
            parts[name] = joined(values)
    for name, value, default in (
        (INCLUDE, include_text(query.include), ""),
        ("profile", query.profile, PROFILES[0]),
        ("measure", query.measure, HITS),
        ("by", query.by, HITS),
        ("format", query.format, FORMATS[0]),
    ):
        if value != default:
            parts[name] = value
    return f"{path}?{text_of(parts)}"


def series_query_from_canonical(text: str) -> SeriesQuery:
    """Return the question whose one address this is."""
    path, _, raw_query = text.partition("?")
    asset = asset_in(path) or ""
    return series_query_from(series_parameters(raw_query, of_asset=bool(asset)), asset=asset)


def require_series(query: SeriesQuery, *, zone: str, now_ms: int) -> None:
    """Refuse ends that are no boundaries of windows, or too far apart; only the ends are looked at."""
    from_ms, to_ms = query.from_ms, query.to_ms
    if from_ms is None or to_ms is None:
        return
    if to_ms <= from_ms:
        raise Refused("to", f"{instant_text(to_ms)} is not after from, {instant_text(from_ms)}")
    if from_ms < FROM_MS_MIN:
        raise Refused("from", f"{instant_text(from_ms)} is too long ago; begin after {instant_text(FROM_MS_MIN)}")
    if to_ms - from_ms > POINTS_MAX * GRAIN_MS[query.grain] + HOUR_MS:  # An hour more, for clocks that are set back.
        raise Refused(
            "to", f"is more than {POINTS_MAX:,} {query.grain_name}s after from; ask for less or a coarser grain"
        )
    today = window_of(now_ms, Grain.DAY, zone)
    if to_ms > today.to_ms:
        raise Refused("to", f"{instant_text(to_ms)} is after the end of today, {instant_text(today.to_ms)}")
    for field, moment_ms in (("from", from_ms), ("to", to_ms)):
        window = window_of(moment_ms, query.grain, zone)
        if window.from_ms != moment_ms:
            ends = f"{instant_text(window.from_ms)} or {instant_text(window.to_ms)}"
            name = f"{query.grain_name} of {zone}"
            raise Refused(field, f"{instant_text(moment_ms)} lies inside a {name}; use the boundary {ends}")


def _require_known_visitors(given: Given, *, grain: Grain, profile: str) -> None:
    """Refuse what nobody counts visitors of."""
    for name in ("resourceType", "paidType"):
        if name in given:
            raise Refused(name, f"{NO_SUCH_VISITORS}; leave it out, or ask for measure=hits")
    if profile != PROFILES[0] and grain is not Grain.DAY:
        raise Refused("profile", "needs the visitors of whole days; use grain=day")


def read_for(query: SeriesQuery) -> SeriesQuery:
    """Return the question without what only says how its answer is shown: equal ones read the same."""
    return replace(query, format=FORMATS[0], profile=PROFILES[0], last=LAST[Grain.HOUR])
