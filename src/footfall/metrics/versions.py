"""A metric at one time: its definition with a number, and who made it so, when and why."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, structs

from footfall.metrics.definition import Definition
from footfall.ports.items import Item, Value
from footfall.values.window import instant_text

REASON_BYTES_MAX = 1_000
_SETS = ("consumedMetrics", "relatedDimensions")


class Deprecation(Struct, frozen=True):
    """Who said that a metric should not be used any more, when, why, and what to use instead."""

    at_ms: int
    by: str
    reason: str
    replacement: str = ""


class Version(Struct, frozen=True, kw_only=True):
    """One version of a metric; it is never changed."""

    definition: Definition
    number: int
    updated_at_ms: int
    updated_by: str
    created_at_ms: int  # of the first version, and by whom
    created_by: str
    reason: str = ""
    deprecation: Deprecation | None = None

    @property
    def name(self) -> str:
        """Return the metric's name."""
        return self.definition.name


def item_of(version: Version, *, latest: int | None = None) -> Item:
    """Return a version as the table holds it; the newest says its number as well, being kept under zero."""
    plain: dict[str, Any] = msgspec.to_builtins(version.definition)
    consumed, dimensions = version.definition.consumed_metrics, version.definition.related_dimensions
    item: dict[str, Value] = {
        **plain,
        "version": version.number,
        "hash": version.definition.hash,
        "updatedAt": version.updated_at_ms,
        "updatedBy": version.updated_by,
        "createdAt": version.created_at_ms,
        "createdBy": version.created_by,
    }
    for name, members in zip(_SETS, (consumed, dimensions), strict=True):
        item.pop(name, None)
        if members:  # A set without members is none.
            item[name] = frozenset(members)
    if version.reason:
        item["reason"] = version.reason
    if (gone := version.deprecation) is not None:
        item |= {"deprecatedAt": gone.at_ms, "deprecatedBy": gone.by, "deprecatedReason": gone.reason}
        if gone.replacement:
            item["replacement"] = gone.replacement
    if latest is not None:
        item["latestVersion"] = latest
    return item


def version_from(item: Item) -> Version:
    """Return the version that an item of the table holds."""
    taken: dict[str, Any] = dict(item)
    told = {name: taken.pop(name, None) for name in _BESIDE}
    taken["relatedDimensions"] = sorted(taken.get("relatedDimensions", ()))
    deprecation = None
    if told["deprecatedAt"] is not None:
        deprecation = Deprecation(
            told["deprecatedAt"], told["deprecatedBy"], told["deprecatedReason"], told["replacement"] or ""
        )
    return Version(
        definition=msgspec.convert(taken, type=Definition),
        number=told["version"],
        updated_at_ms=told["updatedAt"],
        updated_by=told["updatedBy"],
        created_at_ms=told["createdAt"],
        created_by=told["createdBy"],
        reason=told["reason"] or "",
        deprecation=deprecation,
    )


_BESIDE = (
    "version", "hash", "updatedAt", "updatedBy", "createdAt", "createdBy", "reason", "consumedMetrics", "latestVersion",
    "deprecatedAt", "deprecatedBy", "deprecatedReason", "replacement",
)  # fmt: skip


def document_of(version: Version) -> dict[str, object]:
    """Return a version as people read it."""
    plain: dict[str, object] = msgspec.to_builtins(version.definition)
    told: dict[str, object] = {
        **plain,
        "consumedMetrics": list(version.definition.consumed_metrics),
        "relatedDimensions": list(version.definition.related_dimensions),
        "version": version.number,
        "hash": version.definition.hash,
        "createdAt": instant_text(version.created_at_ms),
        "createdBy": version.created_by,
        "updatedAt": instant_text(version.updated_at_ms),
        "updatedBy": version.updated_by,
    }
    if version.reason:
        told["reason"] = version.reason
    if (gone := version.deprecation) is not None:
        told["deprecatedAt"] = instant_text(gone.at_ms)
        told["deprecatedBy"], told["deprecatedReason"] = gone.by, gone.reason
        if gone.replacement:
            told["replacement"] = gone.replacement
    return told


def differences(before: Version, after: Version) -> list[dict[str, object]]:
    """Return what differs between two versions, field by field; when and by whom is not a difference."""
    one, other = _meant(before), _meant(after)
    return [
        {"field": name, "before": one.get(name), "after": other.get(name)}
        for name in sorted({*one, *other})
        if one.get(name) != other.get(name)
    ]


def _meant(version: Version) -> Mapping[str, object]:
    told = document_of(structs.replace(version, reason=""))
    return {name: value for name, value in told.items() if name not in _WHEN}


_WHEN = frozenset(
    {"version", "hash", "createdAt", "createdBy", "updatedAt", "updatedBy", "deprecatedAt", "deprecatedBy"}
)
