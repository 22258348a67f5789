"""Rows that entities share, as the other side last had them from here or gave them back.

The other side has a copy for each entity. What it writes back is compared with this, so that an entity gives back what
was changed of it and not what others have changed since.
"""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import xxhash

from footfall.adapters.relational.dialects import SHARED, Dialect
from footfall.adapters.relational.sessions import Session
from footfall.adapters.relational.shapes import Shape, Table
from footfall.adapters.relational.watching import is_own
from footfall.ports.relational import Cell, Document, Part

Cells = Mapping[str, Cell]  # of the columns of one table alone
Digests = Mapping[str, str]  # of rows, by those of what tells them apart


def identity_of(part: Part) -> tuple[str, ...]:
    """Return the columns that tell the rows of a part's table apart."""
    return tuple(dict.fromkeys((part.of, *part.key)))


def values_of(row: Cells, names: Sequence[str]) -> tuple[Cell, ...]:
    """Return some cells of a row."""
    return tuple(row[name] for name in names)


def own_cells(table: Table, row: Cells) -> Cells:
    """Return a row without what was looked up."""
    return {name: row[name] for name in table.columns}


def digests(part: Part, rows: Sequence[Cells]) -> Digests:
    """Return the digests of rows."""
    identity = identity_of(part)
    return {digest(values_of(row, identity)): digest(tuple(sorted(row.items()))) for row in rows}


def digest(cells: tuple[object, ...]) -> str:
    """Return a digest of cells."""
    return xxhash.xxh3_128_hexdigest(repr(cells).encode())


def remember_rows(session: Session, dialect: Dialect, shape: Shape, documents: Mapping[str, Document | None]) -> None:
    """Remember which shared rows entities have with which they are left."""
    told = {key: _digests_of(shape, document) for key, document in documents.items()}
    remember(session, dialect, shape.outline.entity, told)


def remember(session: Session, dialect: Dialect, entity: str, told: Mapping[str, Mapping[str, Digests]]) -> None:
    """Remember shared rows of entities, by the names of parts, instead of what was remembered before."""
    if not told:
        return
    gone = ", ".join(["%s"] * len(told))
    session.run(f"DELETE FROM {SHARED} WHERE entity = %s AND entity_key IN ({gone})", (entity, *told))  # noqa: S608 - ours
    values = [cell for key, found in told.items() for cell in (entity, key, json.dumps(found))]
    session.run(dialect.inserting(dialect.table(SHARED), ("entity", "entity_key", "digests"), rows=len(told)), values)


def remembered(session: Session, entity: str, key: str) -> Mapping[str, Digests]:
    """Return the shared rows that an entity had, by the names of parts."""
    sql = f"SELECT digests FROM {SHARED} WHERE entity = %s AND entity_key = %s"  # noqa: S608 - names of ours
    found = session.rows(sql, (entity, key))
    return cast("Mapping[str, Digests]", json.loads(str(found[0][0]))) if found else {}


def _digests_of(shape: Shape, document: Document | None) -> Mapping[str, Digests]:
    if document is None:
        return {}
    return {
        name: digests(part, [own_cells(table, row) for row in document.parts[name]])
        for name, (part, table) in shape.parts.items()
        if not is_own(shape.outline, part)
    }
