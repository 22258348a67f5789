"""Hits of a log that is imported: their times are trusted however old they are; the rest is judged as at the door."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct

from footfall.accounts.brands import Brand
from footfall.flow.collect.accept import FUTURE, FUTURE_MS, UNLABELLED
from footfall.flow.stream.records import RULES_OF_LOGS, VERSION, AgentCode, HitKey, Pack, record_from_pack
from footfall.flow.stream.shards import places_by_shard
from footfall.ports.stream import Entry
from footfall.values.errors import FootfallError, Refused
from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX, AT_MS_MAX, LABEL_BYTES_MAX, require_text
from footfall.values.window import DAY_MS

BARE_HITS_PER_RECORD_MAX = 1_000  # of at most 480 bytes each: an id, three labels, a time and a visitor
FULL_HITS_PER_RECORD_MAX = 200  # of at most 4,700 bytes each: url and referrer as well
TOO_OLD, NO_SUCH_TIME, UNFIT_TEXT = "tooOld", "noSuchTime", "unfitText"
_SHORT = 16  # characters: at most 64 bytes, whatever they are

Labelled = Callable[[list[HitKey]], list[HitKey]]
_T = TypeVar("_T")


class UnevenHits(FootfallError):
    """The columns of imported hits do not speak of the same hits."""


class ImportedHits(Struct, array_like=True, frozen=True, gc=False):
    """Hits of a stretch of a log, as columns of equal length; None: no hit has one."""

    keys: list[HitKey]
    at_ms: list[int]
    visitors: list[bytes] | None = None  # 8 bytes each; empty: none
    urls: list[str] | None = None
    referrers: list[str] | None = None
    screened: dict[int, str] | None = None  # place -> reason
    agents: list[AgentCode] | None = None  # 0: not known


@dataclass(frozen=True, slots=True)
class ImportRules:
    """What is taken of a log."""

    shards: int = 1
    days_kept_ms: int = 762 * DAY_MS  # An older hit would be counted in windows that nobody keeps.
    future_ms: int = FUTURE_MS


@dataclass(slots=True)
class Imported:
    """What became of imported hits: entries to append, and how many were set aside in them or left out, by reason."""

    entries: list[Entry] = field(default_factory=list[Entry])
    hits: int = 0
    set_aside: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])


def imported(
    brand: Brand, hits: ImportedHits, *, rules: ImportRules, arrived_at_ms: int, labelled: Labelled = list
) -> Imported:
    """Return entries with the hits that can be counted or set aside, and what is to be said of the others."""
    _require_even(hits)
    done = Imported()
    keys = labelled(hits.keys)
    oldest_ms = arrived_at_ms - rules.days_kept_ms
    fit: list[int] = []
    for place, (key, at_ms) in enumerate(zip(keys, hits.at_ms, strict=True)):
        if not oldest_ms <= at_ms <= AT_MS_MAX:
            done.refused[TOO_OLD if at_ms < oldest_ms else NO_SUCH_TIME] += 1
        elif not _is_fit(key):
            done.refused[UNFIT_TEXT] += 1
        else:
            fit.append(place)
    done.hits = len(fit)
    hits_max = FULL_HITS_PER_RECORD_MAX if hits.urls or hits.referrers else BARE_HITS_PER_RECORD_MAX
    for shard, places in _by_shard(brand.name, keys, fit, rules.shards).items():
        for start in range(0, len(places), hits_max):
            pack = _pack(brand, keys, hits, places[start : start + hits_max], rules, arrived_at_ms)
            done.set_aside.update(one for one in (pack.screened or {}).values() if one in (FUTURE, UNLABELLED))
            data = record_from_pack(pack)
            done.entries.append(Entry(shard, brand.name, len(pack.keys), data, arrived_at_ms))
    return done


def _pack(
    brand: Brand, keys: list[HitKey], hits: ImportedHits, places: Sequence[int], rules: ImportRules, arrived_at_ms: int
) -> Pack:
    picked = [keys[place] for place in places]
    at_ms = [hits.at_ms[place] for place in places]
    return Pack(
        version=VERSION,
        rules=RULES_OF_LOGS,
        arrived_at_ms=arrived_at_ms,
        keys=picked,
        at_ms=at_ms,
        screened=_with_reasons(
            _verdicts(brand, picked, at_ms, newest_ms=arrived_at_ms + rules.future_ms), hits, places
        ),
        trusted=True,
        visitors=_column(hits.visitors, places),
        urls=_addresses(hits.urls, places),
        referrers=_addresses(hits.referrers, places),
        agents=_column(hits.agents, places),
    )


def _verdicts(brand: Brand, keys: Sequence[HitKey], at_ms: Sequence[int], *, newest_ms: int) -> dict[int, str] | None:
    """Return the hits that are set aside: a time that has not come is no more to be trusted in a log than elsewhere."""
    verdicts = {place: FUTURE for place, one in enumerate(at_ms) if one > newest_ms} if max(at_ms) > newest_ms else {}
    if brand.unlabelled == "hold":
        verdicts |= {place: UNLABELLED for place, key in enumerate(keys) if not key[2]}
    return verdicts or None


def _with_reasons(verdicts: dict[int, str] | None, hits: ImportedHits, places: Sequence[int]) -> dict[int, str] | None:
    """Return the verdicts with the reasons of programs among them; a time that has not come is set aside before all."""
    if not hits.screened:
        return verdicts
    reasons = {at: hits.screened[place] for at, place in enumerate(places) if place in hits.screened}
    ahead = {at: verdict for at, verdict in (verdicts or {}).items() if verdict == FUTURE}
    return {**(verdicts or {}), **reasons, **ahead} or None


def _by_shard(brand: str, keys: list[HitKey], fit: list[int], shards: int) -> dict[int, list[int]]:
    if shards == 1:
        return {0: fit}
    if len(fit) == len(keys):
        return places_by_shard(brand, keys, shards=shards)
    found = places_by_shard(brand, [keys[place] for place in fit], shards=shards)
    return {shard: [fit[at] for at in ats] for shard, ats in found.items()}


def _is_fit(key: HitKey) -> bool:
    asset, *labels = key
    if 0 < len(asset) <= _SHORT * 4 and asset.isprintable() and max(map(len, labels)) <= _SHORT:
        return all(map(str.isprintable, labels)) or _is_fit_slowly(asset, labels)
    return _is_fit_slowly(asset, labels)


def _is_fit_slowly(asset: str, labels: Sequence[str]) -> bool:
    try:
        require_text("asset", asset, bytes_max=ASSET_BYTES_MAX)
        for label in labels:
            require_text("label", label, bytes_max=LABEL_BYTES_MAX)
    except Refused:
        return False
    return asset != ""


def _column(column: list[_T] | None, places: Sequence[int]) -> list[_T] | None:
    picked = [column[place] for place in places] if column is not None else []
    return picked if any(picked) else None


def _addresses(column: list[str] | None, places: Sequence[int]) -> list[str] | None:
    """Return addresses, those that are longer than any hit's may be left out."""
    texts = _column(column, places)
    if texts is None or max(map(len, texts)) * 4 <= ADDRESS_BYTES_MAX:
        return texts
    return [text if len(text.encode()) <= ADDRESS_BYTES_MAX else "" for text in texts]


def _require_even(hits: ImportedHits) -> None:
    for column in (hits.at_ms, hits.visitors, hits.urls, hits.referrers, hits.agents):
        if column is not None and len(column) != len(hits.keys):
            raise UnevenHits(
                f"{len(hits.keys)} hits have a column of {len(column)}; each column is to have one of each"
            )
