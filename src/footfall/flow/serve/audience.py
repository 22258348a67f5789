"""What players' beats say of an audience: who watches now, how far an asset is watched, and the rows of the watch log.

Viewers are sessions whose last beat said that they play, no longer ago than two of their intervals. Sessions are
divided over shards, so the sum over shards is exact. Of what few watch a shard tells how many there are at most.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from footfall.flow.serve.days import day_named
from footfall.flow.serve.parameters import (
    Given,
    brand_from,
    given_from,
    require_short,
    single_of,
    whole_of,
)
from footfall.flow.serve.popular import section_shown
from footfall.flow.serve.watched import minutes_of
from footfall.flow.store.completions import load_completion
from footfall.flow.store.watch_log import WatchRow, load_viewers, page_of_day
from footfall.flow.store.watched_by import Erased, without_erased
from footfall.ports.table import Table
from footfall.values.errors import Refused
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX
from footfall.values.window import Grain, Window, instant_text, walk, window_of

VIEWERS, COMPLETION, WATCHED = "/v1/audience/viewers", "/v1/audience/completion", "/v1/audience/watched"
DAYS_MAX = 31  # of a completion curve: each is read, a query for each shard
PAGE_MAX, PAGE_DEFAULT = 1_000, 100
VIEWED_MAX, VIEWED_DEFAULT = 100, 20

_AFTER_BYTES_MAX = 200


def viewers_parameters(raw_query: str) -> Given:
    """Return the parameters of a question for viewers."""
    return given_from(raw_query, single=("brand", "key", "asset", "section", "limit"), several={}, of="viewers")


def completion_parameters(raw_query: str) -> Given:
    """Return the parameters of a question for a completion curve."""
    return given_from(raw_query, single=("brand", "key", "asset", "from", "to"), several={}, of="a completion curve")


def watched_parameters(raw_query: str) -> Given:
    """Return the parameters of a question for rows of the watch log."""
    single = ("brand", "key", "day", "asset", "limit", "after")
    return given_from(raw_query, single=single, several={}, of="the watch log")


def viewers_document(table: Table, given: Given, *, now_ms: int) -> dict[str, Any]:
    """Return how many watch now: all, or those of an asset or a section; and what most of them watch."""
    brand, limit = brand_from(given), whole_of(given, "limit", highest=VIEWED_MAX, default=VIEWED_DEFAULT)
    asset, section = _text(given, "asset", ASSET_BYTES_MAX), _text(given, "section", LABEL_BYTES_MAX)
    if asset and section:
        raise Refused("section", "does not go with asset; leave one of them out")
    shards = load_viewers(table, brand, now_ms=now_ms)
    assets, sections = Counter[str](), Counter[str]()
    for one in shards:
        assets.update(dict(one.assets))
        sections.update(dict(one.sections))
    document: dict[str, Any] = {
        "brand": brand,
        "at": instant_text(min((one.at_ms for one in shards), default=now_ms)),
        "viewers": sum(one.total for one in shards),
    }
    if asset:
        cut = sum(one.assets_cut for one in shards if asset not in dict(one.assets))
        return {**document, "assetId": asset, **_some(assets[asset], cut)}
    if section:
        cut = sum(one.sections_cut for one in shards if section not in dict(one.sections))
        return {**document, "sectionId": section_shown(section), **_some(sections[section], cut)}
    return {
        **document,
        "sections": [{"sectionId": section_shown(name), "viewers": n} for name, n in _most(sections, limit)],
        "assets": [{"assetId": name, "viewers": n} for name, n in _most(assets, limit)],
    }


def completion_document(table: Table, given: Given, *, zone: str, shards: int, now_ms: int) -> dict[str, Any]:
    """Return how many of those who watched an asset saw each hundredth of it, from what is over."""
    brand, asset = brand_from(given), _text(given, "asset", ASSET_BYTES_MAX)
    if not asset:
        raise Refused("asset", "is missing; say of which asset")
    days = _days(given, zone=zone, now_ms=now_ms)
    found = load_completion(table, brand, asset, from_ms=days[0].from_ms, to_ms=days[-1].to_ms, shards=shards)
    return {
        "brand": brand,
        "assetId": asset,
        "from": instant_text(days[0].from_ms),
        "to": instant_text(days[-1].to_ms),
        "minutes": minutes_of(found.ms),
        "milliseconds": found.ms,
        "playbacks": found.playbacks,
        "seen": found.seen,
        "finished": found.seen[-1],
    }


def watched_document(
    table: Table, given: Given, *, zone: str, shards: int, now_ms: int, erased: Erased
) -> dict[str, Any]:
    """Return a page of the watch log of a brand's day, where members who were erased are not named."""
    brand, asset = brand_from(given), _text(given, "asset", ASSET_BYTES_MAX)
    day = _day(given, "day", zone=zone, default_ms=now_ms)
    limit = whole_of(given, "limit", highest=PAGE_MAX, default=PAGE_DEFAULT)
    after = _after(_text(given, "after", _AFTER_BYTES_MAX), shards=shards)
    rows, last = page_of_day(table, brand, day.from_ms, shards=shards, asset=asset, limit=limit, after=after)
    document: dict[str, Any] = {
        "brand": brand,
        "from": instant_text(day.from_ms),
        "to": instant_text(day.to_ms),
        "items": [row_shown(without_erased(row, erased)) for row in rows],
    }
    return document if last is None else {**document, "after": f"{last[0]}:{last[1]}"}


def row_shown(row: WatchRow) -> dict[str, Any]:
    """Return a row of the watch log as it is shown; what was not sent is left out."""
    bits = int.from_bytes(row.seen, "little")
    texts: Mapping[str, str] = {
        "member": row.member, "device": row.device, "series": row.series,
        "resourceType": row.resource_type, "paidType": row.paid_type,
    }  # fmt: skip
    return {
        "session": row.session,
        "assetId": row.asset,
        "sectionId": section_shown(row.section),
        **{name: value for name, value in texts.items() if value},
        "from": instant_text(row.from_ms),
        "to": instant_text(row.to_ms),
        "milliseconds": row.ms,
        "beats": row.beats,
        **({"duration": row.duration_ms / 1_000} if row.duration_ms else {}),
        "seen": bits.bit_count(),
    }


def _some(viewers: int, cut: int) -> dict[str, int]:
    """Return how many watch something, and how many there may be besides by those who did not list it."""
    return {"viewers": viewers, **({"viewersAtMost": viewers + cut} if cut else {})}


def _most(counts: Counter[str], limit: int) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit]


def _text(given: Given, name: str, bytes_max: int) -> str:
    return require_short(name, single_of(given, name) or "", bytes_max=bytes_max)


def _days(given: Given, *, zone: str, now_ms: int) -> list[Window]:
    last = _day(given, "to", zone=zone, default_ms=now_ms)
    first = _day(given, "from", zone=zone, default_ms=last.from_ms)
    if first.from_ms > last.from_ms:
        raise Refused("to", "is a day before from")
    if (last.from_ms - first.from_ms) // 86_400_000 >= DAYS_MAX:
        raise Refused("from", f"is more than {DAYS_MAX} days before to; ask for fewer at once")
    return list(walk(Grain.DAY, from_ms=first.from_ms, to_ms=last.to_ms, zone=zone))


def _day(given: Given, name: str, *, zone: str, default_ms: int) -> Window:
    """Return the brand's local day that a parameter names by its date."""
    text = single_of(given, name)
    return window_of(default_ms, Grain.DAY, zone) if text is None else day_named(text, field=name, zone=zone)


def _after(text: str, *, shards: int) -> tuple[int, str] | None:
    if not text:
        return None
    shard, _, sort = text.partition(":")
    if not (shard.isascii() and shard.isdecimal() and len(shard) <= 3 and int(shard) < shards and sort):
        raise Refused("after", f"{text[:40]!r} is not where a page ended; take it from the answer before")
    return int(shard), sort
