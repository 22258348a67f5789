"""Where readers came from, as it is answered: hours of a span added up for a brand, a section or an asset."""

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from footfall.flow.serve.parameters import Given, given_from, moment_of, require_short, single_of, whole_of
from footfall.flow.store.referrers import (
    ASSET,
    BRAND,
    SECTION,
    Progress,
    Told,
    load_progress,
    name_of,
    told_from_bytes,
)
from footfall.ports.blobs import Blobs
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX
from footfall.values.period import Period, open_span
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, instant_text, walk, window_of

REFERRERS = "/v1/referrers"
PERIOD_DEFAULT = "day"
LIMIT_DEFAULT, LIMIT_MAX = 20, 100
SPAN_DAYS_MAX = 31  # Some 750 objects are read for one answer.
READ_TOGETHER, READ_AHEAD = 8, 24  # objects

_SINGLE = ("brand", "key", "asset", "section", "period", "from", "to", "limit")
_SHARE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class ReferrersQuery:
    """Whose readers are asked for, and of which hours."""

    brand: str
    asset: str | None
    section: str | None
    period: str | None
    hours: tuple[Window, ...]
    limit: int

    @property
    def group(self) -> str:
        """Return the name of the group of hits that is asked for."""
        if self.asset is not None:
            return ASSET + self.asset
        return BRAND if self.section is None else SECTION + self.section


@dataclass(slots=True)
class Sums:
    """What the hours of a span come to."""

    sources: Counter[str] = field(default_factory=Counter[str])
    other: int = 0
    unplaced: int = 0

    def add(self, told: Told) -> None:
        """Add what one hour tells."""
        self.sources.update(told.sources)
        self.other += told.other
        self.unplaced += told.unplaced


def referrers_query(
    raw_query: str, brand: str, *, zone: str, periods: Mapping[str, Period], now_ms: int
) -> ReferrersQuery:
    """Return what is asked for, or raise Refused."""
    given = given_from(raw_query, single=_SINGLE, several={}, of="referrers")
    asset, section = single_of(given, "asset"), single_of(given, "section")
    if asset is not None and section is not None:
        raise Refused("section", "goes without asset; ask for one of them")
    if asset is not None:
        require_short("asset", asset, bytes_max=ASSET_BYTES_MAX)
    if section is not None:
        require_short("section", section, bytes_max=LABEL_BYTES_MAX)
    if "" in (asset, section):
        raise Refused("asset" if asset == "" else "section", "is empty; leave it out to ask for the brand")
    limit = whole_of(given, "limit", highest=LIMIT_MAX, default=LIMIT_DEFAULT)
    period, from_ms, to_ms = _span(given, zone=zone, periods=periods, now_ms=now_ms)
    hours = tuple(walk(Grain.HOUR, from_ms=from_ms, to_ms=to_ms, zone=zone))
    return ReferrersQuery(brand, asset, section, period, hours, limit)


def read_referrers(blobs: Blobs, query: ReferrersQuery) -> Sums:
    """Return what the hours of a question come to."""
    sums = Sums()
    names = [name_of(query.brand, hour.from_ms) for hour in query.hours]
    # Where an object is far away, most of the time is waiting for it; no more of them are held than of a day.
    with ThreadPoolExecutor(max_workers=READ_TOGETHER) as several:
        for first in range(0, len(names), READ_AHEAD):
            for data in several.map(blobs.get, names[first : first + READ_AHEAD]):
                if data is not None:
                    sums.add(told_from_bytes(data, query.group))
    return sums


def referrers_document(blobs: Blobs, query: ReferrersQuery, *, reader: str) -> dict[str, Any]:
    """Return the answer; it goes as far as the reader of the brand's raw hits has noted."""
    # Noted before the hours are read: what is counted in between is more, never less, than is promised.
    progress = load_progress(blobs, reader)
    sums = read_referrers(blobs, query)
    hits = sums.sources.total() + sums.other
    rows = sorted(sums.sources.items(), key=lambda one: (-one[1], one[0]))
    listed = rows[: query.limit]
    from_ms, to_ms = query.hours[0].from_ms, query.hours[-1].to_ms
    return {
        "brand": query.brand,
        **dict(_asked(query)),
        "from": instant_text(from_ms),
        "to": instant_text(to_ms),
        "hits": hits,
        "sources": [
            {"source": source, "hits": count, "share": round(count / hits, _SHARE_DIGITS)} for source, count in listed
        ],
        "other": hits - sum(count for _, count in listed),
        **_progress_told(progress),
        "exact": _is_exact(query, sums, progress, from_ms=from_ms),
    }


def _asked(query: ReferrersQuery) -> Iterator[tuple[str, str]]:
    for name, value in (("asset", query.asset), ("section", query.section), ("period", query.period)):
        if value is not None:
            yield name, value


def _progress_told(progress: Progress | None) -> dict[str, str | None]:
    if progress is None or not progress.until_ms:
        return {"since": None, "until": None}
    return {"since": instant_text(progress.since_ms), "until": instant_text(min(progress.until_ms.values()))}


def _is_exact(query: ReferrersQuery, sums: Sums, progress: Progress | None, *, from_ms: int) -> bool:
    """Tell whether every printed count is all that was counted, and nothing of the span was before it was counted."""
    is_placed = sums.unplaced == 0 or query.group == BRAND
    return progress is not None and progress.since_ms <= from_ms and sums.other == 0 and is_placed


def _span(given: Given, *, zone: str, periods: Mapping[str, Period], now_ms: int) -> tuple[str | None, int, int]:
    """Return the name of the period, if it is one, and the ends of the span."""
    from_ms, to_ms = moment_of(given, "from"), moment_of(given, "to")
    name = single_of(given, "period")
    if from_ms is None and to_ms is None:
        name = name or PERIOD_DEFAULT
        if name not in periods:
            raise Refused("period", f"{name[:64]!r} is not a period; the periods are {', '.join(sorted(periods))}")
        span = open_span(periods[name], at_ms=now_ms, zone=zone)
        # Hours are the finest there are: those that the period touches.
        return name, *_whole_hours(span.from_ms, span.to_ms, zone=zone)
    if name is not None:
        raise Refused("period", "goes without from and to; give a period or a span")
    if from_ms is None:
        raise Refused("from", "is missing; a span has both ends")
    to_ms = window_of(now_ms, Grain.HOUR, zone).to_ms if to_ms is None else to_ms
    if to_ms <= from_ms:
        raise Refused("to", f"{instant_text(to_ms)} is not after from, {instant_text(from_ms)}")
    return None, *_whole_hours(from_ms, to_ms, zone=zone)


def _whole_hours(from_ms: int, to_ms: int, *, zone: str) -> tuple[int, int]:
    """Return the ends of the hours that a span touches, or refuse one that is too long."""
    if to_ms - from_ms > SPAN_DAYS_MAX * DAY_MS + HOUR_MS:  # An hour more, for clocks that are set back.
        raise Refused("to", f"is more than {SPAN_DAYS_MAX} days after from; ask for less at a time")
    return window_of(from_ms, Grain.HOUR, zone).from_ms, window_of(to_ms - 1, Grain.HOUR, zone).to_ms
