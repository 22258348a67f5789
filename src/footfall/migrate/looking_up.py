"""Looks up again, for entities that the table answers for, what the source has now, such as a metric's name for its id.

Only looked-up values are taken from the source. The rows are the table's, and the write is as any other of the new
side: it holds where nothing was written meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from footfall.migrate.copying import Ground
from footfall.migrate.new_side import Held, NewSide
from footfall.ports.errors import Changed
from footfall.ports.relational import Cell, Document, LookUp, Outline, Row, Side
from footfall.values.errors import Refused

TRIES_MAX = 20  # Each failure is somebody who wrote the entity.

Found = Mapping[tuple[LookUp, Cell], Cell]


def look_up_again(ground: Ground, keys: Sequence[str]) -> list[str]:
    """Look up again what entities on the new side have; return those that have to wait."""
    outline = ground.moving.outline
    if not keys or not any((outline.look_ups, *(part.look_ups for part in outline.parts))):
        return []
    new = NewSide(ground.table, outline, ground.moving.target)
    with ground.relational.snapshot(outline) as snapshot:
        seen, routes = snapshot.see(keys), snapshot.routes(keys)
    early: list[str] = []
    for one in seen:
        side = routes[one.key].side
        # One that is back is noted by its return.
        if side is Side.DOUBT or (side is Side.NEW and not _looked_up_again(new, one.key, one.document)):
            early.append(one.key)
    return early


def _looked_up_again(new: NewSide, key: str, there: Document | None) -> bool:
    """Write what the source looks up into the table's document; tell whether that is done with."""
    if there is None:
        return True
    found = _found(new.outline, there)
    for _ in range(TRIES_MAX):
        held = new.held(key)
        if held is None or held.side is not Side.NEW:
            return True  # It is on its way back, where its return is noted.
        try:
            _write(new, key, held, found)
        except Changed:
            continue
        except Refused:
            return True  # It stays as it was, until somebody writes it or it is back.
        return True
    return False


def _write(new: NewSide, key: str, held: Held, found: Found) -> None:
    before = held.moved.document
    if before is None:
        return
    outline = new.outline
    after = Document(
        _with(before.root, outline.look_ups, found),
        {
            **before.parts,
            **{
                part.name: [_with(row, part.look_ups, found) for row in before.parts.get(part.name, ())]
                for part in outline.parts
                if part.name in before.parts
            },
        },
    )
    if after != replace(before, parts={name: list(rows) for name, rows in before.parts.items()}):
        new.write(key, held, after)


def _with(row: Row, look_ups: Mapping[str, LookUp], found: Found) -> Row:
    told = {f"{column}.{one.column}": found.get((one, row.get(column))) for column, one in look_ups.items()}
    return {**row, **{name: cell for name, cell in told.items() if cell is not None}}


def _found(outline: Outline, there: Document) -> Found:
    """Return what the source's rows of an entity look up, by the look-up and the value that stands for it."""
    rows = [(there.root, outline.look_ups)]
    rows += [(row, part.look_ups) for part in outline.parts for row in there.parts[part.name]]
    return {
        (one, row[column]): row[f"{column}.{one.column}"]
        for row, look_ups in rows
        for column, one in look_ups.items()
        if row[column] is not None
    }
