"""An outline with the columns that its tables have: the queries that read it, and rows made of what they find."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, cast

from footfall.adapters.relational.dialects import KEY_LENGTH_MAX, Column, Dialect, Kind
from footfall.adapters.relational.sessions import Record, Session
from footfall.adapters.relational.watching import Pointer, part_pointers, require_entity, root_pointers, watches
from footfall.ports.relational import Cell, LookUp, Outline, Part, Row
from footfall.values.errors import Refused


@dataclass(frozen=True, slots=True)
class Table:
    """How the rows of one table are read."""

    name: str
    columns: Mapping[str, Column]
    names: tuple[str, ...]  # of what is read: columns, then what was looked up
    sql: str  # up to the list of values
    owner_at: int  # where the value lies that the list is of
    order_at: tuple[int, ...]
    pointers_at: tuple[tuple[int, str], ...]  # where values lie that point at shared rows, and of which table

    def row(self, record: Record) -> Row:
        """Return a row as documents have it."""
        return dict(zip(self.names, record, strict=False))  # They are as many, and this is done for every row.

    def owner(self, record: Record) -> str:
        """Return the text of the value that the row was asked for by."""
        return str(record[self.owner_at])

    def pointers(self, record: Record) -> Iterable[tuple[str, str]]:
        """Return the shared rows that a row points at."""
        for place, table in self.pointers_at:
            if (value := record[place]) is not None:
                yield table, str(value)

    def ordered(self, records: list[Record]) -> list[Record]:
        """Return the rows of one entity in the order of their key, which is the same on every ground."""
        if len(records) > 1:
            try:
                records.sort(key=cast("Callable[[Record], Any]", itemgetter(*self.order_at)))
            except TypeError:  # None is less than nothing; a part of a key is hardly ever none.
                records.sort(key=lambda record: [(record[place] is not None, record[place]) for place in self.order_at])
        return records


@dataclass(frozen=True, slots=True)
class Shape:
    """An outline as it is read."""

    outline: Outline
    root: Table
    parts: Mapping[str, tuple[Part, Table]]

    @property
    def key(self) -> Column:
        """Return the column of the root's key."""
        return self.root.columns[self.outline.key]


def shape_of(dialect: Dialect, session: Session, outline: Outline) -> Shape:
    """Return how an outline is read, or raise Refused where it does not fit the database."""
    require_entity(outline)
    root = _table(
        dialect, session, outline.table, (outline.key, (outline.key,)), outline.look_ups, root_pointers(outline)
    )
    parts = {
        part.name: (
            part,
            _table(dialect, session, part.table, (part.of, (part.of, *part.key)), part.look_ups, part_pointers(part)),
        )
        for part in outline.parts
    }
    if len(parts) != len(outline.parts):
        raise Refused("parts", "two of them have one name")
    return Shape(outline, root, parts)


def require_fits(dialect: Dialect, session: Session, outline: Outline) -> None:
    """Raise Refused unless tables, columns and keys are there and triggers can see every change."""
    shape = shape_of(dialect, session, outline)
    _require_unique(dialect, session, outline.table, {outline.key})
    for part, table in shape.parts.values():
        if part.root not in shape.root.columns:
            raise Refused(f"parts.{part.name}.root", f"{outline.table} has no column {part.root}")
        _require_short(table.columns[part.of], part.table)
        _require_unique(dialect, session, part.table, {part.of, *part.key})
    for look_up in [*outline.look_ups.values(), *(one for part in outline.parts for one in part.look_ups.values())]:
        _require_unique(dialect, session, look_up.table, {look_up.key})
    _require_short(shape.key, outline.table)
    for watch in watches(outline):
        for reason in dialect.unwatched(session, watch.table):
            raise Refused("outline", reason)


def typed(keys: Sequence[str], column: Column) -> list[Cell]:
    """Return keys as the column has them; those that it cannot have are left out."""
    if column.kind is not Kind.WHOLE:
        return list(keys)
    return [int(key) for key in keys if key.removeprefix("-").isdecimal() and str(int(key)) == key]


def _require_short(column: Column, table: str) -> None:
    if column.kind not in (Kind.WHOLE, Kind.TEXT):
        raise Refused("key", f"{table}.{column.name} is neither a whole number nor text")
    if column.length is not None and column.length > KEY_LENGTH_MAX:
        raise Refused("key", f"{table}.{column.name} may have {column.length} characters; {KEY_LENGTH_MAX} at most")


def _require_unique(dialect: Dialect, session: Session, table: str, columns: set[str]) -> None:
    if not any(key <= columns for key in dialect.unique_keys(session, table)):
        raise Refused("key", f"{', '.join(sorted(columns))} of {table} is not unique there")


def _table(
    dialect: Dialect,
    session: Session,
    name: str,
    key: tuple[str, Sequence[str]],
    look_ups: Mapping[str, LookUp],
    pointers: Sequence[Pointer],
) -> Table:
    owner, order = key
    columns = {column.name: column for column in dialect.columns(session, name)}
    _require_columns(name, columns, [owner, *order, *(pointer.column for pointer in pointers)])
    places = {column: place for place, column in enumerate(columns)}
    read = [f"t.{dialect.name(column)}" for column in columns]
    names, joins = list(columns), ""
    for number, (column, one) in enumerate(look_ups.items()):
        other = {found.name: found for found in dialect.columns(session, one.table)}
        _require_columns(one.table, other, [one.key, one.column])
        names.append(f"{column}.{one.column}")
        read.append(f"l{number}.{dialect.name(one.column)}")
        joins += f" LEFT JOIN {dialect.table(one.table)} l{number} ON l{number}.{dialect.name(one.key)} = "
        joins += f"t.{dialect.name(column)}"
    sql = f"SELECT {', '.join(read)} FROM {dialect.table(name)} t{joins} WHERE t.{dialect.name(owner)} IN "  # noqa: S608 - quoted
    at = tuple((places[pointer.column], pointer.table) for pointer in pointers)
    return Table(name, columns, tuple(names), sql, places[owner], tuple(places[column] for column in order), at)


def _require_columns(table: str, columns: Mapping[str, Column], names: Sequence[str]) -> None:
    if not columns:
        raise Refused("table", f"there is no table {table} in this database")
    for name in names:
        if name not in columns:
            raise Refused("column", f"{table} has no column {name}; it has {', '.join(columns)}")
