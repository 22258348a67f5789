"""What came from the other side, made of the rows that are here: inserted, changed and removed as they differ."""

from collections.abc import Mapping, Sequence

from footfall.adapters.relational.dialects import STATES, Dialect
from footfall.adapters.relational.reading import SqlSnapshot
from footfall.adapters.relational.routing import locked_route, put
from footfall.adapters.relational.sessions import Session
from footfall.adapters.relational.shapes import Shape, Table
from footfall.adapters.relational.sharing import (
    Cells,
    Digests,
    digest,
    digests,
    identity_of,
    own_cells,
    remember,
    remembered,
    values_of,
)
from footfall.adapters.relational.watching import is_own, shared_parts
from footfall.ports.errors import Changed
from footfall.ports.relational import Cell, Document, LookUp, Part, Route, Row, State
from footfall.values.errors import Refused


class WritingBack:
    """One entity's rows within one transaction."""

    def __init__(self, session: Session, dialect: Dialect, shape: Shape) -> None:
        self._session, self._dialect, self._shape = session, dialect, shape

    def write(self, key: str, document: Document | None, *, epoch: int, fence: int) -> bool:
        """Make the rows those of the document unless that, or newer, was done already."""
        entity = self._shape.outline.entity
        route = locked_route(self._session, self._dialect, entity, key)
        if route.epoch != epoch:
            raise Changed(f"{entity} {key} is of epoch {route.epoch} here and not {epoch}; nothing was written")
        if route.written_back >= fence:
            return False
        (seen,) = SqlSnapshot(self._session, self._dialect, self._shape).see([key])
        if document is None:
            self._remove(seen.document)
            self._remember(key, {})
        else:
            self._make(seen.document, document)
            self._make_shared(key, document)
            columns = ("entity", "entity_key", "state", "until_ms", "reason")
            state = (entity, key, State.MIGRATED.value, 0, "")
            self._session.run(self._dialect.inserting(self._dialect.table(STATES), columns, rows=1), state)
        put(self._session, entity, key, Route(route.side, route.epoch, route.clock, fence))
        return True

    def _remove(self, there: Document | None) -> None:
        if there is None:
            return
        for part, table in self._shape.parts.values():
            # What others may share stays.
            for row in there.parts[part.name] if is_own(self._shape.outline, part) else ():
                self._delete(table, row, identity_of(part))
        self._delete(self._shape.root, there.root, (self._shape.outline.key,))

    def _make(self, there: Document | None, wanted: Document) -> None:
        outline, root = self._shape.outline, self._shape.root
        cells = self._resolved(root, wanted.root, outline.look_ups, outline.table)
        if there is None:
            self._insert(root, cells)
            value = cells[outline.key]
            if isinstance(value, int):
                self._dialect.advance(self._session, outline.table, outline.key, value)
        else:
            self._update(root, own_cells(root, there.root), cells, (outline.key,))
        for part, table in self._shape.parts.values():
            if is_own(outline, part):
                rows = self._resolved_rows(part, table, wanted)
                self._make_part(part, table, () if there is None else there.parts[part.name], rows)

    def _make_shared(self, key: str, wanted: Document) -> None:
        """Make of rows that entities share what was changed of this one since it was left, or last written back.

        What others made, changed or removed of them meanwhile stays as it is, for the document may not have it yet.
        """
        if not shared_parts(self._shape.outline):
            return
        (seen,) = SqlSnapshot(self._session, self._dialect, self._shape).see([key])  # by what the root says now
        assert seen.document is not None
        told = remembered(self._session, self._shape.outline.entity, key)
        given: dict[str, Digests] = {}
        for part in shared_parts(self._shape.outline):
            _, table = self._shape.parts[part.name]
            rows = self._resolved_rows(part, table, wanted)
            given[part.name], last = digests(part, rows), told.get(part.name, {})
            at = identity_of(part)
            there = [
                row
                for row in seen.document.parts[part.name]
                if last.get(name := digest(values_of(row, at))) != given[part.name].get(name)
            ]
            self._make_part(part, table, there, [row for row in rows if _is_changed(part, row, last)])
        self._remember(key, given)

    def _remember(self, key: str, given: Mapping[str, Digests]) -> None:
        if shared_parts(self._shape.outline):
            remember(self._session, self._dialect, self._shape.outline.entity, {key: given})

    def _resolved_rows(self, part: Part, table: Table, wanted: Document) -> list[Cells]:
        return [self._resolved(table, row, part.look_ups, part.name) for row in wanted.parts.get(part.name, ())]

    def _make_part(self, part: Part, table: Table, there: Sequence[Row], wanted: Sequence[Cells]) -> None:
        identity = identity_of(part)
        before = {values_of(row, identity): own_cells(table, row) for row in there}
        after = {values_of(row, identity): row for row in wanted}
        for key, row in before.items():
            if key not in after:
                self._delete(table, row, identity)
        for key, row in after.items():
            if key in before:
                self._update(table, before[key], row, identity)
            else:
                self._insert(table, row)

    def _resolved(self, table: Table, row: Row, look_ups: Mapping[str, LookUp], where: str) -> Cells:
        cells = {name: cell for name, cell in row.items() if name in table.columns}
        for column, one in look_ups.items():
            value = row.get(f"{column}.{one.column}")
            if cells.get(column) is None and value is not None:
                cells[column] = self._looked_up(one, value, f"{where}.{column}")
        return cells

    def _looked_up(self, look_up: LookUp, value: Cell, field: str) -> Cell:
        name, table = self._dialect.name, self._dialect.table(look_up.table)
        sql = f"SELECT {name(look_up.key)} FROM {table} WHERE {name(look_up.column)} = %s LIMIT 1"  # noqa: S608 - quoted
        found = self._session.rows(sql, (value,))
        if not found:
            raise Refused(field, f"no row of {look_up.table} has {value!r} as {look_up.column}; add it there first")
        return found[0][0]

    def _insert(self, table: Table, cells: Cells) -> None:
        columns = ", ".join(self._dialect.name(name) for name in cells)
        placed = ", ".join(["%s"] * len(cells))
        sql = f"INSERT INTO {self._dialect.table(table.name)} ({columns}) VALUES ({placed})"  # noqa: S608 - quoted
        self._session.run(sql, self._stored(table, cells, tuple(cells)))

    def _update(self, table: Table, before: Cells, after: Cells, identity: Sequence[str]) -> None:
        changed = [name for name, cell in after.items() if name not in identity and before.get(name) != cell]
        if changed:
            setting = ", ".join(f"{self._dialect.name(name)} = %s" for name in changed)
            where = self._where(identity)
            values = [*self._stored(table, after, changed), *self._stored(table, before, identity)]
            self._session.run(f"UPDATE {self._dialect.table(table.name)} SET {setting} WHERE {where}", values)  # noqa: S608 - quoted

    def _delete(self, table: Table, cells: Cells, identity: Sequence[str]) -> None:
        sql = f"DELETE FROM {self._dialect.table(table.name)} WHERE {self._where(identity)}"  # noqa: S608 - quoted
        self._session.run(sql, self._stored(table, cells, identity))

    def _where(self, identity: Sequence[str]) -> str:
        return " AND ".join(f"{self._dialect.name(name)} = %s" for name in identity)

    def _stored(self, table: Table, cells: Cells, names: Sequence[str]) -> list[Cell]:
        return [self._dialect.stored(cells[name], table.columns[name]) for name in names]


def _is_changed(part: Part, row: Cells, last: Digests) -> bool:
    ((name, now),) = digests(part, [row]).items()
    return last.get(name) != now
