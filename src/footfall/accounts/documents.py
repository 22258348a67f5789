"""Brands and keys as people read and write them: JSON objects, the same over HTTP and on the command line."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from footfall.accounts.brands import Brand, BrandLimits, require_kept
from footfall.accounts.keys import KeyRecord
from footfall.accounts.limits import Limits
from footfall.values.errors import Refused
from footfall.values.period import GRAIN_MS, Period, period_from_setting
from footfall.values.window import Grain, instant_text

CHANGEABLE: Final = (
    "title",
    "origins",
    "isPublic",
    "unlabelled",
    "periods",
    "limits",
    "requireSignature",
    "requireToken",
    "screening",
    "isArchivePublic",
)
_LIMITS: Final = {
    "keyPerS": "key_per_s",
    "keyBurst": "key_burst",
    "addressPerS": "address_per_s",
    "addressBurst": "address_burst",
}
_UNITS: Final = (("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_GRAINS: Final = {Grain.MINUTE: "1m", Grain.FIVE: "5m", Grain.HOUR: "1h", Grain.DAY: "1d"}


def document_of_brand(brand: Brand) -> dict[str, Any]:
    """Return a brand as its owner reads it."""
    return {
        "brand": brand.name,
        "title": brand.title,
        "zone": brand.zone,
        "origins": list(brand.origins),
        "isPublic": brand.is_public,
        "unlabelled": brand.unlabelled,
        "periods": {name: _document_of_period(one) for name, one in sorted(brand.periods.items())},
        "limits": {word: getattr(brand.limits, name) for word, name in _LIMITS.items()},
        "requireSignature": brand.requires_signature,
        "requireToken": brand.requires_token,
        "screening": brand.screening,
        "isArchivePublic": brand.is_archive_public,
    }


def document_of_key(record: KeyRecord) -> dict[str, Any]:
    """Return what may be told of a key: never a secret."""
    return {
        "id": record.id,
        "key": record.text,
        "kind": record.kind,
        "scopes": list(record.scopes),
        "label": record.label,
        "created": instant_text(record.created_at_ms),
        "lastUsed": _moment(record.used_at_ms),
        "expires": _moment(record.expires_at_ms),
        "replacedBy": record.replaced_by or None,
        "alsoReads": list(record.also_reads),
    }


def changed_brand(brand: Brand, changes: Mapping[str, Any], *, retention_ms: Mapping[Grain, int]) -> Brand:
    """Return the brand with the changes that a document asks for, or raise Refused for what cannot be."""
    for name in changes:
        if name == "zone":
            raise Refused(
                "zone",
                f"is {brand.zone!r} for good: hours and days are kept as that zone cut them, and those of two zones "
                "cannot be added up; add another brand for another zone",
            )
        if name not in CHANGEABLE:
            raise Refused(name[:64] or "body", f"cannot be changed; what can is {', '.join(CHANGEABLE)}")
    periods = brand.periods
    if "periods" in changes:
        periods = _periods(changes["periods"])
        require_kept(periods.values(), retention_ms=retention_ms)
    return replace(
        brand,
        title=_text("title", changes.get("title", brand.title)),
        origins=_origins(changes["origins"]) if "origins" in changes else brand.origins,
        is_public=_truth("isPublic", changes.get("isPublic", brand.is_public)),
        unlabelled=cast("Any", _text("unlabelled", changes.get("unlabelled", brand.unlabelled))),
        periods=periods,
        limits=_limits(brand.limits, changes["limits"]) if "limits" in changes else brand.limits,
        requires_signature=_truth("requireSignature", changes.get("requireSignature", brand.requires_signature)),
        requires_token=_truth("requireToken", changes.get("requireToken", brand.requires_token)),
        screening=cast("Any", _text("screening", changes.get("screening", brand.screening))),
        is_archive_public=_truth("isArchivePublic", changes.get("isArchivePublic", brand.is_archive_public)),
    )


def require_not_lifted(before: Brand, after: Brand, *, limits: Limits) -> None:
    """Raise Refused when a brand would be let do more than before: that is for the operator to allow."""
    for word, then, now in (
        ("key", limits.of_key(before), limits.of_key(after)),
        ("address", limits.of_address(before), limits.of_address(after)),
    ):
        if not then.per_s:
            continue  # Nothing was limited, so nothing is lifted.
        if not now.per_s or now.per_s > then.per_s:
            raise _lifted(f"limits.{word}PerS", then.per_s)
        if max(1, now.burst) > max(1, then.burst):
            raise _lifted(f"limits.{word}Burst", then.burst)


def _lifted(name: str, held: int) -> Refused:
    return Refused(
        name, f"is {held:,} and can only be lowered here; the operator raises it with footfall brands change"
    )


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise Refused(name, "is not a text")
    return value


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise Refused(name, "is neither true nor false")
    return value


def _origins(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Refused("origins", "is not a list of texts; an empty list allows every page")
    return tuple(dict.fromkeys(_text("origins", one) for one in cast("list[object]", value)))


def _periods(value: object) -> dict[str, Period]:
    form = "is not an object of periods, each with the texts span, grain and cache, such as 48h, 1h and 120s"
    if not isinstance(value, dict):
        raise Refused("periods", form)
    periods: dict[str, Period] = {}
    for name, one in cast("dict[str, object]", value).items():
        if not isinstance(one, dict) or set(cast("dict[str, object]", one)) != {"span", "grain", "cache"}:
            raise Refused(f"periods.{name[:32]}", form)
        texts = {key: _text(f"periods.{name[:32]}.{key}", text) for key, text in cast("dict[str, object]", one).items()}
        periods[name] = period_from_setting(name, span=texts["span"], grain=texts["grain"], cache=texts["cache"])
    return periods


def _limits(before: BrandLimits, value: object) -> BrandLimits:
    if not isinstance(value, dict):
        raise Refused("limits", f"is not an object with {', '.join(_LIMITS)}")
    changes: dict[str, Any] = {}
    for word, number in cast("dict[str, object]", value).items():
        if word not in _LIMITS:
            raise Refused(f"limits.{word[:32]}", f"is not a limit; the limits are {', '.join(_LIMITS)}")
        changes[_LIMITS[word]] = number
    return replace(before, **changes)


def _document_of_period(period: Period) -> dict[str, str]:
    span_s = period.count * GRAIN_MS[period.grain] // 1_000
    return {"span": _length(span_s), "grain": _GRAINS[period.grain], "cache": _length(period.cache_s)}


def _length(seconds: int) -> str:
    unit, size = next((unit, size) for unit, size in _UNITS if seconds % size == 0)
    return f"{seconds // size}{unit}"


def _moment(at_ms: int | None) -> str | None:
    return None if at_ms is None else instant_text(at_ms)
