"""Any other tables become items by templates: where each row lies, and which columns are which attributes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum

from footfall.migrate.cells import day_from, minute_text, moment_ms_from, number_from, text_from, truth_from, whole_from
from footfall.migrate.moved import Items
from footfall.migrate.shapes import Change, Places, Total
from footfall.ports.errors import TooLarge
from footfall.ports.items import Item, Unfit, Value
from footfall.ports.relational import Cell, Document, Row
from footfall.ports.table import Action, Key, Table, require_fits
from footfall.values.errors import Refused

_PLACE = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")
_ROOT = "root."  # In a part's template these columns are the root's.


class As(StrEnum):
    """How a cell becomes a value."""

    CELL = "cell"  # as the database gives it; what is neither text nor number there is text
    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    MOMENT = "moment"  # milliseconds since 1970
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Attribute:
    """Where an attribute's value comes from: a column, a constant, or all values of a part's column as a set."""

    column: str = ""
    part: str = ""
    constant: Value = None
    kind: As = As.CELL


@dataclass(frozen=True, slots=True)
class RowItem:
    """Which item a row becomes."""

    partition: str  # templates: text, {column}, {column:8} for digits, {column:minute} or {column:day}
    sort: str
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True, slots=True)
class RowsShape:
    """One item for the root, where it has one, and one for each row of the parts that have."""

    root: RowItem | None
    parts: Mapping[str, RowItem] = field(default_factory=dict[str, RowItem])
    is_alone: bool = False  # Nothing but one entity lies in a partition.
    zone: tzinfo = UTC

    def items(self, key: str, document: Document) -> Items:
        """Return the items of an entity, or raise Refused with the column that cannot be moved."""
        items: dict[Key, Item] = {}
        for name, made in self.parts.items():
            for row in document.parts.get(name, ()):
                self._add(items, made, document, row)
        if self.root is not None:
            self._add(items, self.root, document, document.root)
        return items

    def places(self, keys: Iterable[Key]) -> Places:
        """Return the partitions of an entity's items."""
        partitions = tuple(sorted({key.partition for key in keys}))
        return Places(partitions, ()) if self.is_alone else Places((), partitions)

    def announced(self, table: Table, changes: Sequence[Change]) -> Sequence[Action]:
        """Return nothing: nobody keeps these rows in memory."""
        return ()

    def totals(self, table: Table) -> Sequence[Total]:
        """Return nothing: nobody counts these rows."""
        return ()

    def _add(self, items: dict[Key, Item], made: RowItem, document: Document, row: Row) -> None:
        place = Key(self._filled(made.partition, document, row), self._filled(made.sort, document, row))
        if place in items:
            raise Refused("sort", f"two rows of one entity would lie at {place.partition} {place.sort}")
        item: dict[str, Value] = {}
        for name, attribute in made.attributes.items():
            value = self._value(name, attribute, document, row)
            if value is not None:  # What is null is not there.
                item[name] = value
        try:
            require_fits(place, item)
        except (TooLarge, Unfit) as error:
            raise Refused("item", str(error)) from None
        items[place] = item

    def _filled(self, template: str, document: Document, row: Row) -> str:
        def fill(found: re.Match[str]) -> str:
            column, form = found[1], found[2] or ""
            return self._formed(_cell(column, document, row), column, form)

        return _PLACE.sub(fill, template)

    def _formed(self, cell: Cell, column: str, form: str) -> str:
        if cell is None:
            raise Refused(column, "is null, and is part of a key")
        if form == "minute":
            return minute_text(cell, field=column, zone=self.zone)
        if form == "day":
            return str(day_from(cell, field=column))
        if not form:
            return text_from(cell, field=column)
        number = whole_from(cell, field=column)
        if number < 0 or len(str(number)) > int(form):
            raise Refused(column, f"{number} has no place in {form} digits of a key, and would lie in another order")
        return f"{number:0{int(form)}d}"

    def _value(self, name: str, attribute: Attribute, document: Document, row: Row) -> Value:
        if attribute.part:
            rows = document.parts.get(attribute.part, ())
            members = {text_from(_cell(attribute.column, document, one), field=name) for one in rows}
            return frozenset(members) if members else None
        if attribute.column:
            return self._as(_cell(attribute.column, document, row), attribute.kind, name)
        return attribute.constant

    def _as(self, cell: Cell, kind: As, name: str) -> Value:
        if cell is None or kind is As.CELL:
            return cell
        if kind is As.MOMENT:
            return moment_ms_from(cell, field=name, zone=self.zone)
        return _READ[kind](cell, field=name)


_READ: Mapping[As, Callable[..., Value]] = {
    As.TEXT: text_from, As.NUMBER: number_from, As.TRUTH: truth_from, As.DAY: day_from,
}  # fmt: skip


def columns_in(template: str) -> list[tuple[str, str]]:
    """Return the columns that a template names, with the form of each."""
    return [(found[1], found[2] or "") for found in _PLACE.finditer(template)]


def _cell(column: str, document: Document, row: Row) -> Cell:
    cells, name = (document.root, column[len(_ROOT) :]) if column.startswith(_ROOT) else (row, column)
    if name not in cells:
        raise Refused(column, f"there is no such column among {', '.join(sorted(cells))}: look at the mapping")
    return cells[name]
