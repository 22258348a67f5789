"""The mapping file: which rows are one entity, and which items they become.

A shell reads the YAML; here it is a plain document. Whatever does not fit is refused with the place where it stands,
such as `parts.versions.key`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Struct

from footfall.metrics.misfits import misfit
from footfall.migrate.catalogue import FIELDS, CatalogueShape, Listed
from footfall.migrate.rows import As, Attribute, RowItem, RowsShape, columns_in
from footfall.migrate.shapes import Target
from footfall.ports.items import Unfit, Value, map_bytes
from footfall.ports.relational import LookUp, Outline, Part
from footfall.values.errors import Refused

PARTS_MAX = 20
DIGITS_MAX = 38  # of a number in a key

_Kind = TypeVar("_Kind")


class _LookUp(Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    key: str
    column: str


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    of: str
    key: tuple[str, ...]
    root: str = ""
    look_ups: Mapping[str, Any] = {}


class _Mapping(Struct, frozen=True, forbid_unknown_fields=True):
    entity: str
    table: str
    key: str
    look_ups: Mapping[str, Any] = {}
    parts: Mapping[str, Any] = {}
    zone: str = "UTC"
    catalogue: Mapping[str, Any] | None = None
    rows: Mapping[str, Any] | None = None


class _Versions(Struct, frozen=True, forbid_unknown_fields=True):
    part: str
    number: str
    fields: Mapping[str, str] = {}


class _Catalogue(Struct, frozen=True, forbid_unknown_fields=True):
    brand: str
    fields: Mapping[str, str]
    versions: Mapping[str, Any] | None = None
    dimensions: Mapping[str, Any] | None = None
    consumed: Mapping[str, Any] | None = None


class _Rows(Struct, frozen=True, forbid_unknown_fields=True):
    root: Mapping[str, Any] | None = None
    parts: Mapping[str, Any] = {}
    alone: bool = False


class _RowItem(Struct, frozen=True, forbid_unknown_fields=True):
    partition: str
    sort: str
    attributes: Mapping[str, Any] = {}


class _Attribute(Struct, frozen=True, forbid_unknown_fields=True, rename={"kind": "as"}):
    column: str = ""
    part: str = ""
    constant: Any = None
    kind: As = As.CELL


@dataclass(frozen=True, slots=True)
class Moving:
    """What is moved, and into what."""

    outline: Outline
    target: Target

    @property
    def brand(self) -> str:
        """Return whose catalogue takes it; empty where rows become items that are no brand's."""
        return self.target.brand if isinstance(self.target, CatalogueShape) else ""


def moving_from(document: object) -> Moving:
    """Return what a mapping file says, or raise Refused with the place where it does not fit."""
    said = _read(document, _Mapping, at="")
    if not said.entity.isidentifier():
        raise Refused("entity", f"{said.entity!r} is part of keys: letters, digits and _, such as metric")
    if len(said.parts) > PARTS_MAX:
        raise Refused("parts", f"are {len(said.parts)}, at most {PARTS_MAX} are taken")
    parts = [_part(said, name, one) for name, one in said.parts.items()]
    outline = Outline(said.entity, said.table, said.key, _look_ups(said.look_ups, at="look_ups"), parts)
    if (said.catalogue is None) == (said.rows is None):
        raise Refused("catalogue", "a mapping has either catalogue or rows: what the entity becomes")
    zone = _zone(said.zone)
    if said.catalogue is not None:
        return Moving(outline, _catalogue(said.catalogue, outline, zone))
    return Moving(outline, _rows(cast("Mapping[str, Any]", said.rows), outline, zone))


def _part(said: _Mapping, name: str, document: object) -> Part:
    at = f"parts.{name}"
    one = _read(document, _Part, at=at)
    if not one.key:
        raise Refused(f"{at}.key", "names the columns that tell the rows of one entity apart")
    look_ups = _look_ups(one.look_ups, at=f"{at}.look_ups")
    return Part(name=name, table=one.table, of=one.of, root=one.root or said.key, key=one.key, look_ups=look_ups)


def _look_ups(document: Mapping[str, Any], *, at: str) -> dict[str, LookUp]:
    read = {column: _read(one, _LookUp, at=f"{at}.{column}") for column, one in document.items()}
    return {column: LookUp(one.table, one.key, one.column) for column, one in read.items()}


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise Refused("zone", f"{name!r} is no time zone such as Europe/Helsinki") from None


def _catalogue(document: Mapping[str, Any], outline: Outline, zone: tzinfo) -> CatalogueShape:
    said = _read(document, _Catalogue, at="catalogue")
    if not said.brand:
        raise Refused("catalogue.brand", "is the brand whose catalogue takes the metrics")
    _require_fields(said.fields, at="catalogue.fields")
    versions = None
    if said.versions is not None:
        versions = _read(said.versions, _Versions, at="catalogue.versions")
        _require_part(versions.part, outline, at="catalogue.versions.part")
        _require_fields(versions.fields, at="catalogue.versions.fields")
    told = {*said.fields, *(versions.fields if versions else ())}
    for name in ("name", "valueType"):
        if name not in told:
            raise Refused(f"catalogue.fields.{name}", "is missing: every metric has one")
    return CatalogueShape(
        brand=said.brand, fields=said.fields, zone=zone,
        versions=versions.part if versions else "",
        number=versions.number if versions else "version",
        version_fields=versions.fields if versions else {},
        dimensions=_listed(said.dimensions, outline, at="catalogue.dimensions"),
        consumed=_listed(said.consumed, outline, at="catalogue.consumed"),
    )  # fmt: skip


def _require_fields(fields: Iterable[str], *, at: str) -> None:
    for name in fields:
        if name not in FIELDS:
            raise Refused(f"{at}.{name}", f"is no field of a metric; there are {', '.join(FIELDS)}")


def _listed(document: Mapping[str, Any] | None, outline: Outline, *, at: str) -> Listed | None:
    if document is None:
        return None
    said = _read(document, Listed, at=at)
    _require_part(said.part, outline, at=f"{at}.part")
    return said


def _require_part(name: str, outline: Outline, *, at: str) -> None:
    known = [part.name for part in outline.parts]
    if name not in known:
        raise Refused(at, f"there is no part {name!r}; there are {', '.join(known) or 'none'}")


def _rows(document: Mapping[str, Any], outline: Outline, zone: tzinfo) -> RowsShape:
    said = _read(document, _Rows, at="rows")
    if said.root is None and not said.parts:
        raise Refused("rows.root", "is missing: an entity becomes one item at least")
    for name in said.parts:
        _require_part(name, outline, at=f"rows.parts.{name}")
    root = None if said.root is None else _row_item(said.root, outline, at="rows.root")
    parts = {name: _row_item(one, outline, at=f"rows.parts.{name}") for name, one in said.parts.items()}
    return RowsShape(root=root, parts=parts, is_alone=said.alone, zone=zone)


def _row_item(document: object, outline: Outline, *, at: str) -> RowItem:
    said = _read(document, _RowItem, at=at)
    for name, template in (("partition", said.partition), ("sort", said.sort)):
        for column, form in _places_in(template, at=f"{at}.{name}"):
            if form not in ("", "minute", "day") and not (form.isdigit() and 1 <= int(form) <= DIGITS_MAX):
                raise Refused(f"{at}.{name}", f"{{{column}:{form}}} is no form: digits such as 8, minute or day")
    attributes = {name: _attribute(one, outline, at=f"{at}.attributes.{name}") for name, one in said.attributes.items()}
    return RowItem(said.partition, said.sort, attributes)


def _places_in(template: str, *, at: str) -> Sequence[tuple[str, str]]:
    found = columns_in(template)
    if not template or template.count("{") != len(found) or template.count("}") != len(found):
        raise Refused(at, f"{template!r} is no template: text with columns in braces, such as abc#{{id}}")
    return found


def _attribute(document: object, outline: Outline, *, at: str) -> Attribute:
    if isinstance(document, str):
        return Attribute(column=document)
    said = _read(document, _Attribute, at=at)
    if (said.constant is None) == (not said.column):
        raise Refused(at, "has either a column or a constant")
    if said.part:
        _require_part(said.part, outline, at=f"{at}.part")
    if said.constant is not None:
        try:
            map_bytes({"constant": said.constant})
        except Unfit as error:
            raise Refused(f"{at}.constant", str(error)) from None
    return Attribute(said.column, said.part, cast("Value", said.constant), said.kind)


def _read(document: object, kind: type[_Kind], *, at: str) -> _Kind:
    try:
        return msgspec.convert(document, type=kind)
    except msgspec.ValidationError as error:
        refused = misfit(str(error), whole="")
        place = ".".join(part for part in (at, refused.field) if part)
        raise Refused(place or "mapping", refused.reason + "".join(_known(kind, refused))) from None


def _known(kind: type, refused: Refused) -> Iterator[str]:
    if "not a field" in refused.reason and issubclass(kind, Struct):
        yield f"; there are {', '.join(one.encode_name for one in msgspec.structs.fields(kind))}"
