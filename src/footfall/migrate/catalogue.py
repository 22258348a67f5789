"""The old metric catalogue becomes footfall's own: the same items that the catalogue would have written itself.

What the old schema says of a metric as a whole and not of each version (its dimensions, perhaps its deprecation) is
told in docs/formats/migration.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any

from footfall.metrics import keys
from footfall.metrics.catalogue import METRICS_MAX
from footfall.metrics.checking import Units
from footfall.metrics.definition import Definition, ValueType, definition_from
from footfall.metrics.names import in_one_form
from footfall.metrics.versions import REASON_BYTES_MAX, Deprecation, Version, item_of
from footfall.metrics.writing import row_of
from footfall.migrate.cells import day_from, moment_ms_from, number_from, text_from, whole_from
from footfall.migrate.moved import Items
from footfall.migrate.shapes import Change, Places, Total
from footfall.ports.items import Item
from footfall.ports.relational import Cell, Document, Row
from footfall.ports.table import Absent, Action, Equals, Key, Put, Table, Update, everything
from footfall.values.errors import Refused

VERSION_MAX = 10**10 - 1  # ten digits in a key
COUNTS_MAX = 3  # of a list that changes while it is counted
UNIT = "ratio"  # of metrics whose unit no column tells; whatever is computed from them is one, too

# What a mapping may name a column for: of the metric, and of each version.
FIELDS = (
    "name", "valueType", "aggregationStyle", "aggregationParam", "unit", "hybridFormula", "chainedMetric",
    "chainCutoffDate", "title", "description", "owner", "createdAt", "createdBy", "updatedAt", "updatedBy", "reason",
    "deprecatedAt", "deprecatedBy", "deprecatedReason", "replacement",
)  # fmt: skip
_TEXTS = ("title", "description", "owner")
_KINDS = ("valueType", "aggregationStyle")


@dataclass(frozen=True, slots=True)
class Listed:
    """A column of a part, each row of which names one of something."""

    part: str
    column: str


@dataclass(frozen=True, slots=True)
class CatalogueShape:
    """Which columns say what of a metric; those of a version go before those of the metric."""

    brand: str
    fields: Mapping[str, str]  # columns of the root, by field
    versions: str = ""  # the part; empty: there is one version, and the root says it
    number: str = "version"  # the column of a version's number
    version_fields: Mapping[str, str] = field(default_factory=dict[str, str])
    dimensions: Listed | None = None
    consumed: Listed | None = None
    zone: tzinfo = UTC  # of moments that tell none

    def items(self, key: str, document: Document) -> Items:
        """Return all that the catalogue holds of a metric, or raise Refused with the field that it would refuse."""
        versions = self._versions(document)
        newest = versions[-1]
        self._require_consumed(document, newest.definition)
        name, brand = newest.name, self.brand
        # What readers look at first is written last, where one transaction does not hold all of it.
        items: dict[Key, Item] = {keys.version(brand, name, one.number): item_of(one) for one in versions}
        items |= {keys.by_hash(brand, name, one.definition.hash): {"version": one.number} for one in versions}
        items |= {keys.user(brand, one, name): {} for one in newest.definition.needed_metrics}
        items[keys.row(brand, name)] = row_of(newest)
        copy = items[keys.version(brand, name, newest.number)]
        items[keys.version(brand, name, keys.NEWEST)] = {**copy, "latestVersion": newest.number}
        return items

    def places(self, keys: Iterable[Key]) -> Places:
        """Return the partition of a metric's versions, and the lists that it stands in."""
        return _places(self.brand, keys)

    def announced(self, table: Table, changes: Sequence[Change]) -> Sequence[Action]:
        """Return the head of the catalogue with one more revision, and the change, as every other change has them."""
        listed = keys.rows(self.brand)
        before = {key.sort for one in changes for key in one.before if key.partition == listed}
        after = {key.sort for one in changes for key in one.after if key.partition == listed}
        if not before | after:
            return ()
        head: Item = table.get(keys.head(self.brand)) or {}
        revision, count = head.get("revision", 0), head.get("metrics", 0)
        assert isinstance(revision, int)
        assert isinstance(count, int)
        metrics = count + len(after) - len(before)
        if metrics > METRICS_MAX:
            raise Refused("name", f"a brand has at most {METRICS_MAX:,} metrics")
        is_same = Equals("revision", revision) if revision else Absent()
        return (
            Put(keys.head(self.brand), {"revision": revision + 1, "metrics": metrics}, expects=(is_same,)),
            Put(keys.change(self.brand, revision + 1), {"names": frozenset(before | after)}),
        )

    def totals(self, table: Table) -> Sequence[Total]:
        """Return how many metrics the head of the catalogue tells of, and how many lines its list has."""
        at, listed = keys.head(self.brand), keys.rows(self.brand)
        for _ in range(COUNTS_MAX):
            head = table.get(at)
            lines = sum(1 for _ in everything(table, listed))
            if table.get(at) == head:  # Head and lines are written together, so that all of it is of one moment.
                told = None if head is None else head.get("metrics")
                return (Total(at, "metrics", told, listed, lines, self._recounted(table, head, lines)),)
        return ()

    def _recounted(self, table: Table, head: Item | None, lines: int) -> Put | Update:
        at = keys.head(self.brand)
        if head is not None:
            return Update(at, set={"metrics": lines}, expects=(Equals("revision", head.get("revision")),))
        # Readers have seen as many revisions as there are changes.
        last = table.query(keys.changes(self.brand), backwards=True, limit=1).items
        revision = int(last[0].key.sort) + 1 if last else 1
        return Put(at, {"revision": revision, "metrics": lines}, expects=(Absent(),))

    def _versions(self, document: Document) -> list[Version]:
        """Return all versions of a metric, the newest last."""
        rows = document.parts.get(self.versions, ()) if self.versions else ()
        if not rows:
            return [self._version(_Told(self, document.root, {}), document, number=1, is_newest=True)]
        numbered = sorted(((whole_from(row.get(self.number), field=self.number), row) for row in rows), key=_number)
        last = numbered[-1][0]
        for number, _ in numbered:
            if not 1 <= number <= VERSION_MAX:
                raise Refused(self.number, f"versions are counted from 1, and one is {number}")
        if len({number for number, _ in numbered}) < len(numbered):
            raise Refused(self.number, "two versions have one number")
        return [
            self._version(_Told(self, document.root, row), document, number=number, is_newest=number == last)
            for number, row in numbered
        ]

    def _version(self, told: "_Told", document: Document, *, number: int, is_newest: bool) -> Version:
        reason = told.text("reason")
        if len(reason.encode("utf-8", "replace")) > REASON_BYTES_MAX:
            raise Refused("reason", f"of version {number} is longer than {REASON_BYTES_MAX:,} bytes")
        created_at_ms, updated_at_ms = told.moment_ms("createdAt"), told.moment_ms("updatedAt")
        if created_at_ms is None and updated_at_ms is None:
            raise Refused("createdAt", f"is not told, nor is updatedAt of version {number}")
        created_at_ms = updated_at_ms if created_at_ms is None else created_at_ms
        updated_at_ms = created_at_ms if updated_at_ms is None else updated_at_ms
        assert created_at_ms is not None
        assert updated_at_ms is not None
        return Version(
            definition=self._definition(told, document, number), number=number,
            updated_at_ms=updated_at_ms, updated_by=told.text("updatedBy") or told.text("createdBy"),
            created_at_ms=created_at_ms, created_by=told.text("createdBy"), reason=reason,
            deprecation=_deprecation(told, is_newest=is_newest),
        )  # fmt: skip

    def _definition(self, told: "_Told", document: Document, number: int) -> Definition:
        plain: dict[str, Any] = {"name": told.text("name"), "unit": told.text("unit") or UNIT}
        plain |= {name: kind for name in _KINDS if (kind := told.text(name).strip().upper().replace(" ", "_"))}
        plain |= {name: text for name in _TEXTS if (text := told.text(name))}
        if (param := number_from(told.cell("aggregationParam"), field="aggregationParam")) is not None:
            plain["aggregationParam"] = param
        if formula := told.text("hybridFormula"):
            plain["hybridFormula"] = formula
        if chained := told.text("chainedMetric"):
            plain["chainedMetric"] = chained
        if (cutoff := day_from(told.cell("chainCutoffDate"), field="chainCutoffDate")) is not None:
            plain["chainCutoffDate"] = cutoff
        if self.dimensions is not None and plain.get("valueType") != ValueType.HYBRID:
            plain["relatedDimensions"] = sorted(_listed(self.dimensions, document, "relatedDimensions"))
        try:
            definition = definition_from(plain)
        except Refused as error:
            raise Refused(error.field, f"{error.reason} (version {number})") from None
        if definition.hybrid_formula is not None and "[" in definition.hybrid_formula:
            self._require_unit(definition)
        return definition

    def _require_unit(self, definition: Definition) -> None:
        """Raise where a formula that says units itself could not be one of metrics without units."""
        if "unit" not in self.fields and "unit" not in self.version_fields:
            plain = Definition(name="any", value_type=ValueType.SCALAR, unit=UNIT)
            found = Units(lambda _: plain).of_formula(definition.formula)
            if str(found) != definition.unit:
                raise Refused("unit", f"the formula gives {found}: name a column of units in the mapping")

    def _require_consumed(self, document: Document, newest: Definition) -> None:
        if self.consumed is None:
            return
        told = {in_one_form(one) for one in _listed(self.consumed, document, "consumedMetrics")}
        named = set(newest.consumed_metrics)
        if told == named:
            return
        more, fewer = sorted(told - named), sorted(named - told)
        parts = [f"{self.consumed.part} has {', '.join(more)}, which it does not name"] if more else []
        parts += [f"{self.consumed.part} lacks {', '.join(fewer)}, which it names"] if fewer else []
        raise Refused("consumedMetrics", f"are told by the newest formula: {'; '.join(parts)}")


@dataclass(frozen=True, slots=True)
class _Told:
    """The columns of a version, and those of its metric for what the version has no column of."""

    shape: CatalogueShape
    root: Row
    version: Row

    def cell(self, name: str) -> Cell:
        if self.version and (column := self.shape.version_fields.get(name)) is not None:
            return _cell(self.version, column, name)
        column = self.shape.fields.get(name)
        return None if column is None else _cell(self.root, column, name)

    def text(self, name: str) -> str:
        return text_from(self.cell(name), field=name)

    def moment_ms(self, name: str) -> int | None:
        return moment_ms_from(self.cell(name), field=name, zone=self.shape.zone)

    def is_of_version(self, name: str) -> bool:
        return bool(self.version) and name in self.shape.version_fields


def _deprecation(told: _Told, *, is_newest: bool) -> Deprecation | None:
    """Return a version's deprecation; what is told of the metric as a whole is the newest version's."""
    if not is_newest and not told.is_of_version("deprecatedAt"):
        return None
    at_ms = told.moment_ms("deprecatedAt")
    if at_ms is None:
        return None
    return Deprecation(at_ms, told.text("deprecatedBy"), told.text("deprecatedReason"), told.text("replacement"))


def _listed(listed: Listed, document: Document, name: str) -> set[str]:
    return {text_from(_cell(row, listed.column, name), field=name) for row in document.parts.get(listed.part, ())}


def _cell(row: Row, column: str, name: str) -> Cell:
    if column not in row:
        raise Refused(name, f"there is no column {column!r} among {', '.join(sorted(row))}: look at the mapping")
    return row[column]


def _number(numbered: tuple[int, Row]) -> int:
    return numbered[0]


def _places(brand: str, found: Iterable[Key]) -> Places:
    listed = keys.rows(brand)
    names = {key.sort for key in found if key.partition == listed}
    own = tuple(keys.versions(brand, name) for name in sorted(names))
    return Places(own, (listed, *(keys.users(brand, name) for name in sorted(names))))
