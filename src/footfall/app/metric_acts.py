"""What can be done to a brand's metrics, whoever asks: how it is rehearsed, written down, and done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footfall.accounts.audit import Act, Detail, Note
from footfall.app.audience_settings import kinds_of
from footfall.app.settings import Settings
from footfall.metrics.applying import saved_from
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.checking import KnownKinds
from footfall.metrics.definition import KIND_DIMENSIONS, Definition
from footfall.metrics.listing import LINEAGE_MAX, Linked, Listing, Listings, Sought
from footfall.metrics.names import require_metric_name
from footfall.metrics.resolving import Asked, asked_version
from footfall.metrics.retiring import warnings_of
from footfall.metrics.versions import Version, differences, document_of
from footfall.metrics.writing import Row
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.errors import Refused

PAGE_MAX, PAGE_DEFAULT = 1_000, 100
VERSIONS_MAX = 1_000  # in one answer
DEPTH_DEFAULT, DEPTH_MAX = 20, 20
WORDS_BYTES_MAX = 400
# What an answer says of a metric and nobody may decide; whoever sends an answer back is not refused for it.
TOLD_ONLY = (
    "brand", "dimensions", "hash", "latestVersion", "createdAt", "createdBy", "updatedAt", "updatedBy", "deprecatedAt",
    "deprecatedBy", "deprecatedReason", "replacement", "warnings",
)  # fmt: skip

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Metrics:
    """The catalogue and what is kept of it in memory."""

    catalogue: MetricCatalogue
    listings: Listings
    table: Table  # that holds them, and what migrations into it say of themselves


def metrics_in(table: Table, *, clock: Clock, known: KnownKinds | None = None) -> Metrics:
    """Return the metrics that a table holds; where somebody changes them, with what their conditions may name."""
    catalogue = MetricCatalogue(table, clock=clock, known=known)
    return Metrics(catalogue, Listings(catalogue), table)


def known_kinds(settings: Settings) -> KnownKinds:
    """Return the kinds that a metric's condition on follows may name, by dimension."""
    return dict.fromkeys(KIND_DIMENSIONS, kinds_of(settings).names)


@dataclass(frozen=True, slots=True)
class MetricChange:
    """Something that is to be done to one metric."""

    brand: str
    name: str
    by: str
    act: Act
    do: Callable[[MetricCatalogue], Version | None]  # None: it is gone
    details: Mapping[str, Detail] = field(default_factory=dict[str, Detail])

    def done(self, catalogue: MetricCatalogue) -> Answer:
        """Do it, and return the metric as it is then, with what speaks against what it needs; if gone, its name."""
        version = self.do(catalogue)
        if version is None:
            return {"brand": self.brand, "name": self.name}
        told = shown(catalogue, self.brand, version)
        warnings = warnings_of(version.definition, lambda name: catalogue.known(self.brand, name))
        return {**told, "warnings": warnings} if warnings and version.deprecation is None else told

    def rehearsed(self, catalogue: MetricCatalogue) -> Note | None:
        """Return what is to be written down first; None when nothing would change; raise what doing it would raise."""
        before = catalogue.known(self.brand, self.name)
        after = self.do(catalogue.rehearsal())
        if before is not None and after is not None and before.number == after.number:
            return None
        more: dict[str, Detail] = {} if after is None else {"version": after.number, "hash": after.definition.hash}
        return Note(self.brand, self.by, self.act, self.name, {**self.details, **more})


def adding(brand: str, document: Mapping[str, Any], *, by: str) -> MetricChange:
    """Return the change that adds a metric."""
    fields, reason = _definition_fields(document)
    saved = saved_from(fields, based_on=0, reason=reason)
    name = saved.definition.name
    return MetricChange(brand, name, by, Act.METRIC_ADDED, lambda catalogue: catalogue.save(brand, saved, by=by))


def updating(
    brand: str, name: str, document: Mapping[str, Any], *, by: str, based_on: int | None = None
) -> MetricChange:
    """Return the change that gives a metric a new version, based on the one that the document or If-Match names."""
    fields, reason = _definition_fields(document)
    number = _based_on(fields.pop("version", None), based_on)
    name = require_metric_name(name)
    if fields.setdefault("name", name) != name:
        raise Refused("name", f"is not {name!r}; a metric keeps its name, and another is another metric")
    if number is None:
        raise Refused("version", "is missing: say which version the change is based on, or send If-Match")
    saved = saved_from(fields, based_on=number, reason=reason)
    details: dict[str, Detail] = {"reason": reason} if reason else {}
    do = _saving(brand, saved, by)
    return MetricChange(brand, name, by, Act.METRIC_CHANGED, do, details)


def _based_on(told: object, matched: int | None) -> int | None:
    """Return the version that a change is based on, as the document or If-Match says; None when neither does."""
    if told is None:
        return matched
    if type(told) is not int or told < 1:
        raise Refused("version", f"{told!r:.40} is not a whole number, the version that the change is based on")
    if matched is not None and matched != told:
        raise Refused("version", f"is {told}, and If-Match says {matched}; say it once")
    return told


def _saving(brand: str, saved: Any, by: str) -> Callable[[MetricCatalogue], Version]:
    return lambda catalogue: catalogue.save(brand, saved, by=by)


def deprecating(
    brand: str, name: str, document: Mapping[str, Any], *, by: str, based_on: int | None = None
) -> MetricChange:
    """Return the change that says that a metric should not be used any more."""
    _require_fields(document, ("reason", "replacement", "version"))
    number = _based_on(document.get("version"), based_on)
    reason, replacement = _text(document, "reason"), _text(document, "replacement")
    name = require_metric_name(name)
    if replacement:
        replacement = require_metric_name(replacement, field="replacement")
        if replacement == name:
            raise Refused("replacement", "is the metric itself")

    def do(catalogue: MetricCatalogue) -> Version:
        return catalogue.deprecate(brand, name, reason=reason, replacement=replacement, by=by, based_on=number)

    details: dict[str, Detail] = {"reason": reason, **({"replacement": replacement} if replacement else {})}
    return MetricChange(brand, name, by, Act.METRIC_DEPRECATED, do, details)


def restoring(
    brand: str, name: str, document: Mapping[str, Any], *, by: str, based_on: int | None = None
) -> MetricChange:
    """Return the change that takes a deprecation back."""
    _require_fields(document, ("reason", "version"))
    number = _based_on(document.get("version"), based_on)
    reason, name = _text(document, "reason"), require_metric_name(name)

    def do(catalogue: MetricCatalogue) -> Version:
        return catalogue.restore(brand, name, reason=reason, by=by, based_on=number)

    return MetricChange(brand, name, by, Act.METRIC_RESTORED, do, {"reason": reason} if reason else {})


def removing(brand: str, name: str, *, by: str) -> MetricChange:
    """Return the change that removes a metric with all its versions."""
    name = require_metric_name(name)
    return MetricChange(brand, name, by, Act.METRIC_REMOVED, lambda catalogue: catalogue.delete(brand, name))


def _definition_fields(document: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    kept = {name: value for name, value in document.items() if name not in (*TOLD_ONLY, "reason")}
    return kept, _text(document, "reason")


def _require_fields(document: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in document:
        if name not in names:
            raise Refused(name[:64], f"is not a field here; those are {', '.join(names)}")


def _text(document: Mapping[str, Any], name: str) -> str:
    value: object = document.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or any(not one.isprintable() and one != "\n" for one in value):
        raise Refused(name, f"{value!r:.60} is not a text")
    return value


# --- what is asked ------------------------------------------------------------------------------------


def listed(metrics: Metrics, brand: str, sought: Sought, *, limit: int, after: str = "") -> Answer:
    """Return a page of a brand's metrics, by name."""
    if len(sought.words.encode()) > WORDS_BYTES_MAX:
        raise Refused("q", f"is longer than {WORDS_BYTES_MAX} bytes")
    listing = metrics.listings.of(brand)
    items: list[Answer] = []
    for row in listing.found(sought, after=after):
        if len(items) == limit:
            return {"brand": brand, "items": items, "after": items[-1]["name"]}
        items.append({**_told(row), "dimensions": sorted(listing.dimensions(row.name))})
    return {"brand": brand, "items": items}


def shown(catalogue: MetricCatalogue, brand: str, version: Version) -> Answer:
    """Return one version of a metric as people read it, with what it can be grouped by as its operands are today."""
    return {"brand": brand, **document_of(version), "dimensions": _common(catalogue, brand, version.definition)}


def _common(catalogue: MetricCatalogue, brand: str, definition: Definition) -> list[str]:
    """Return the dimensions that all have in common which a metric is made of."""
    seen, waiting, common = {definition.name}, [definition], list[frozenset[str]]()
    while waiting:
        one = waiting.pop()
        if not one.is_hybrid:
            common.append(frozenset(one.related_dimensions))
        for name in one.needed_metrics:
            if name not in seen:
                seen.add(name)
                found = catalogue.known(brand, name)
                waiting += [] if found is None else [found.definition]
    return sorted(frozenset[str].intersection(*common)) if common else []


def versions(
    metrics: Metrics, brand: str, name: str, *, limit: int = PAGE_DEFAULT, before: int | None = None
) -> Answer:
    """Return the versions of a metric, the newest first, those before one."""
    newest = metrics.catalogue.newest(brand, require_metric_name(name))
    items: list[Answer] = []
    answer: Answer = {"brand": brand, "name": newest.name, "items": items}
    for one in metrics.catalogue.versions(brand, newest.name):
        if before is not None and one.number >= before:
            continue
        if len(items) == limit:
            return {**answer, "before": items[-1]["version"]}
        items.append(document_of(one))
    return answer


def compared(metrics: Metrics, brand: str, name: str, *, earlier: int | None, later: int | None) -> Answer:
    """Return in what two versions differ: the newest and the one before it unless they are named."""
    newest = metrics.catalogue.newest(brand, require_metric_name(name))
    to = newest.number if later is None else later
    start = max(to - 1, 1) if earlier is None else earlier
    one, other = (metrics.catalogue.version(brand, newest.name, number) for number in (start, to))
    same = one.definition.hash == other.definition.hash
    found = differences(one, other)
    told: Answer = {"brand": brand, "name": newest.name, "from": start, "to": to, "differences": found}
    return {**told, "sameNumbers": same}


def lineage(metrics: Metrics, brand: str, name: str, *, depth: int = DEPTH_DEFAULT) -> Answer:
    """Return what a metric is computed from and what is computed from it, with how far away each is."""
    listing, name = metrics.listings.of(brand), require_metric_name(name)
    needed, users = listing.needed(name, depth_max=depth), listing.users(name, depth_max=depth)
    answer: Answer = {"brand": brand, **_told(listing.row(name)), "dimensions": sorted(listing.dimensions(name))}
    parts = {"needs": _linked(listing, needed), "usedBy": _linked(listing, users)}
    return {**answer, **parts, "isCut": max(len(needed), len(users)) > LINEAGE_MAX}


def _linked(listing: Listing, found: list[Linked]) -> list[Answer]:
    del listing
    return [{**_told(one.row), "depth": one.depth, "consumes": sorted(one.row.needs)} for one in found[:LINEAGE_MAX]]


def _told(row: Row) -> Answer:
    return {
        "name": row.name,
        "title": row.title,
        "valueType": row.value_type,
        "unit": row.unit,
        "version": row.version,
        "hash": row.hash,
        "isDeprecated": row.is_deprecated,
        "owner": row.owner,
    }


def version_asked(metrics: Metrics, brand: str, name: str, asked: Mapping[str, Any]) -> Version:
    """Return the newest version of a metric, or the one that is named by its number, its hash or a moment."""
    which = Asked(require_metric_name(name), asked.get("version"), asked.get("hash"), asked.get("asOf"))
    return asked_version(metrics.catalogue, brand, which)
