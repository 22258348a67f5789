"""Entities and their clocks as one moment has them, in few queries for many of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from footfall.adapters.relational.dialects import DROPPED, OUTBOX, ROUTES, Dialect
from footfall.adapters.relational.sessions import Record, Session, marks
from footfall.adapters.relational.shapes import Shape, Table, typed
from footfall.adapters.relational.watching import changed_values, has_pointers, is_own, shared_parts
from footfall.ports.relational import EVERYTHING, Cell, Document, Notice, Part, Route, Row, Seen, Side

AT_ONCE = 250  # entities of one query: more are no faster, and a statement's text has a limit

Pointed = set[tuple[str, str]]  # tables and values of shared rows
Grouped = Mapping[str, list[Record]]


class SqlSnapshot:
    """What one transaction sees."""

    def __init__(self, session: Session, dialect: Dialect, shape: Shape) -> None:
        self._session, self._dialect, self._shape = session, dialect, shape

    def keys(self, *, after: str | None, limit: int) -> Sequence[str]:
        """Return keys of entities in the order of the key column, those after one."""
        key, table = self._dialect.name(self._shape.outline.key), self._dialect.table(self._shape.outline.table)
        where = "" if after is None else f" WHERE {key} > %s"
        values: list[Cell] = [] if after is None else typed([after], self._shape.key)
        sql = f"SELECT {key} FROM {table}{where} ORDER BY {key} LIMIT %s"  # noqa: S608 - quoted
        return [str(found) for (found,) in self._session.rows(sql, [*values, limit])]

    def see(self, keys: Sequence[str]) -> Sequence[Seen]:
        """Return the entities as they were, with the clock that belongs to just that, in the order asked for."""
        return [seen for chunk in _chunks(keys) for seen in self._see(chunk)]

    def clocks(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return the clocks alone."""
        if has_pointers(self._shape.outline):
            return {seen.key: seen.clock for seen in self.see(keys)}
        return self.own_clocks(keys)

    def own_clocks(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return how far the entities' own changes alone have counted."""
        return {key: clock for chunk in _chunks(keys) for key, clock in self._clocks(chunk, {}).items()}

    def routes(self, keys: Sequence[str]) -> Mapping[str, Route]:
        """Return who answers; an entity without a route of its own has that of EVERYTHING."""
        return routes_seen(self._session, self._shape.outline.entity, keys)

    def touched_by(self, notice: Notice) -> Sequence[str]:
        """Return the entities that a change of a shared row may concern."""
        if notice.table is None:
            return [notice.key]
        found: set[Cell] = set()
        for column, part in changed_values(self._shape.outline, notice.table):
            found |= {key for (key,) in self._session.rows(self._pointing(column, part), (notice.key,))}
        return sorted({str(key) for key in found if key is not None})

    def _pointing(self, column: str, part: Part | None) -> str:
        name, table, outline = self._dialect.name, self._dialect.table, self._shape.outline
        if part is None:
            return f"SELECT {name(outline.key)} FROM {table(outline.table)} WHERE {name(column)} = %s"  # noqa: S608 - quoted
        if is_own(outline, part):
            return f"SELECT DISTINCT {name(part.of)} FROM {table(part.table)} WHERE {name(column)} = %s"  # noqa: S608 - quoted
        return (
            f"SELECT DISTINCT r.{name(outline.key)} FROM {table(outline.table)} r JOIN {table(part.table)} p"  # noqa: S608 - quoted
            f" ON p.{name(part.of)} = r.{name(part.root)} WHERE p.{name(column)} = %s"
        )

    def _see(self, keys: Sequence[str]) -> Iterator[Seen]:
        outline = self._shape.outline
        roots = self._read(self._shape.root, typed(keys, self._shape.key))
        parts = {name: self._part(part, table, keys, roots) for name, (part, table) in self._shape.parts.items()}
        points: Mapping[str, Pointed] = self._points(keys, roots, parts) if has_pointers(outline) else {}
        clocks = self._clocks(keys, points)
        for key in keys:
            root = roots.get(key)
            document = None
            if root:
                row = self._shape.root.row(root[0])
                document = Document(row, {name: self._rows(name, rows, key, row) for name, rows in parts.items()})
            yield Seen(key, clocks[key], document)

    def _rows(self, name: str, rows: Grouped, key: str, root: Row) -> Sequence[Row]:
        part, table = self._shape.parts[name]
        owner = key if is_own(self._shape.outline, part) else str(root[part.root])
        return [table.row(record) for record in table.ordered(rows.get(owner, []))]

    def _read(self, table: Table, values: Sequence[Cell]) -> Grouped:
        if not values:
            return {}
        grouped: dict[str, list[Record]] = defaultdict(list)
        for record in self._session.rows(f"{table.sql}({marks(values)})", values):
            grouped[table.owner(record)].append(record)
        return dict(grouped)

    def _part(self, part: Part, table: Table, keys: Sequence[str], roots: Grouped) -> Grouped:
        if is_own(self._shape.outline, part):
            return self._read(table, typed(keys, table.columns[part.of]))
        at = self._shape.root.names.index(part.root)
        values = {record[at] for records in roots.values() for record in records} - {None}
        return self._read(table, list(values))

    def _points(self, keys: Sequence[str], roots: Grouped, parts: Mapping[str, Grouped]) -> Mapping[str, Pointed]:
        """Return the shared rows that entities point at or ever did: what is forgotten could let a clock go back."""
        points: dict[str, Pointed] = {key: set() for key in keys}
        for key, records in roots.items():
            points[key].update(point for record in records for point in self._shape.root.pointers(record))
        for name, grouped in parts.items():
            part, table = self._shape.parts[name]
            if is_own(self._shape.outline, part) and table.pointers_at:
                for key, records in grouped.items():
                    points[key].update(point for record in records for point in table.pointers(record))
        for (_, key), given_up in self._given_up("", keys).items():
            points[key].update(given_up)
        for part in shared_parts(self._shape.outline):
            self._add_points_through(part, points, parts[part.name])
        return points

    def _add_points_through(self, part: Part, points: Mapping[str, Pointed], rows: Grouped) -> None:
        """Add what the rows of a shared part point at, for all who point at them or ever did."""
        _, table = self._shape.parts[part.name]
        if not table.pointers_at:
            return
        values = {value for pointed in points.values() for name, value in pointed if name == part.table}
        missing = sorted(value for value in values if value not in rows)
        grouped = {**rows, **self._read(table, typed(missing, table.columns[part.of]))}
        given_up = self._given_up(part.table, sorted(values))
        for pointed in points.values():
            for value in [value for name, value in pointed if name == part.table]:
                pointed.update(point for record in grouped.get(value, []) for point in table.pointers(record))
                pointed.update(given_up.get((part.table, value), ()))

    def _given_up(self, owner_table: str, owners: Sequence[str]) -> Mapping[tuple[str, str], Pointed]:
        found: dict[tuple[str, str], Pointed] = defaultdict(set)
        for chunk in _chunks(owners):
            sql = (
                f"SELECT owner_key, shared_table, shared_key FROM {DROPPED}"  # noqa: S608 - names of ours
                f" WHERE entity = %s AND owner_table = %s AND owner_key IN ({marks(chunk)})"
            )
            for owner, table, value in self._session.rows(sql, (self._shape.outline.entity, owner_table, *chunk)):
                found[owner_table, str(owner)].add((str(table), str(value)))
        return found

    def _clocks(self, keys: Sequence[str], points: Mapping[str, Pointed]) -> Mapping[str, int]:
        values = sorted({*keys, *(value for pointed in points.values() for _, value in pointed)})
        sums: dict[tuple[Cell, Cell], int] = {}
        for chunk in _chunks(values):
            sql = (
                f"SELECT shared_table, entity_key, SUM(weight) FROM {OUTBOX}"  # noqa: S608 - names of ours
                f" WHERE entity = %s AND entity_key IN ({marks(chunk)}) GROUP BY shared_table, entity_key"
            )
            for table, value, total in self._session.rows(sql, (self._shape.outline.entity, *chunk)):
                sums[table, value] = int(str(total))
        shared = {key: sum(sums.get(point, 0) for point in points.get(key, ())) for key in keys}
        return {key: sums.get((None, key), 0) + shared[key] for key in keys}


def routes_seen(session: Session, entity: str, keys: Sequence[str]) -> Mapping[str, Route]:
    """Return the routes of entities, that of EVERYTHING for those who have none."""
    found: dict[str, Route] = {}
    for chunk in _chunks([*dict.fromkeys([EVERYTHING, *keys])]):
        sql = (
            f"SELECT entity_key, side, epoch, clock, written_back FROM {ROUTES}"  # noqa: S608 - names of ours
            f" WHERE entity = %s AND entity_key IN ({marks(chunk)})"
        )
        found |= {str(record[0]): route_from(record[1:]) for record in session.rows(sql, (entity, *chunk))}
    everything = found.get(EVERYTHING, Route(Side.OLD, 0))
    return {key: found.get(key, everything) for key in keys}


def route_from(record: Record) -> Route:
    """Return a route from side, epoch, clock and what was written back."""
    side, epoch, clock, written_back = record
    return Route(Side(str(side)), int(str(epoch)), int(str(clock)), int(str(written_back)))


def _chunks(keys: Sequence[str]) -> Iterable[Sequence[str]]:
    return (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE))
