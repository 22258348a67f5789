"""What triggers note of an outline's tables: whose change a row's change is, and which pointers it gives up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import xxhash

from footfall.ports.relational import LookUp, Outline, Part
from footfall.values.errors import Refused

_ENTITY = re.compile(r"[a-z][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Pointer:
    """A column whose value names a row, or rows, of a table that entities share."""

    column: str
    table: str


@dataclass(frozen=True, slots=True)
class Roots:
    """Where the entities are found that share a row: those whose column has its value."""

    table: str
    key: str
    column: str


@dataclass(frozen=True, slots=True)
class Note:
    """That a change of a row is noted under the value of one of its columns."""

    column: str
    shared_table: str | None = None  # None: it is the entity's own change, which is gated, too
    is_root: bool = False
    pointers: tuple[Pointer, ...] = ()  # remembered when they are given up, so that no clock goes back
    only: tuple[str, ...] = ()  # An update is noted if one of these changed; none: always.
    roots: Roots | None = None  # of a row that entities share: they are gated, too, each of them


@dataclass(frozen=True, slots=True)
class Watch:
    """A table with all that is noted of its rows."""

    table: str
    notes: tuple[Note, ...]


def require_entity(outline: Outline) -> None:
    """Raise Refused unless the entity's name may stand in a trigger."""
    if not _ENTITY.fullmatch(outline.entity):
        raise Refused("entity", f"{outline.entity!r} is not a name of small letters, digits, - and _, 64 at most")


def is_own(outline: Outline, part: Part) -> bool:
    """Tell whether a part's rows belong to one entity alone."""
    return part.root == outline.key


def shared_parts(outline: Outline) -> list[Part]:
    """Return the parts whose rows may belong to several entities."""
    return [part for part in outline.parts if not is_own(outline, part)]


def root_pointers(outline: Outline) -> tuple[Pointer, ...]:
    """Return what a root's row points at."""
    looked_up = [Pointer(column, look_up.table) for column, look_up in outline.look_ups.items()]
    return (*looked_up, *(Pointer(part.root, part.table) for part in shared_parts(outline)))


def part_pointers(part: Part) -> tuple[Pointer, ...]:
    """Return what a part's row points at."""
    return tuple(Pointer(column, look_up.table) for column, look_up in part.look_ups.items())


def look_ups_of(outline: Outline) -> list[LookUp]:
    """Return every look-up of an outline."""
    return [*outline.look_ups.values(), *(one for part in outline.parts for one in part.look_ups.values())]


def has_pointers(outline: Outline) -> bool:
    """Tell whether an entity's content depends on rows that it shares with others."""
    return bool(look_ups_of(outline) or shared_parts(outline))


def watches(outline: Outline) -> list[Watch]:
    """Return the tables that are watched for an outline, the root's first."""
    notes: dict[str, list[Note]] = {
        outline.table: [Note(outline.key, is_root=True, pointers=root_pointers(outline))],
    }
    for part in outline.parts:
        note = Note(part.of, pointers=part_pointers(part))
        if not is_own(outline, part):
            note = replace(note, shared_table=part.table, roots=Roots(outline.table, outline.key, part.root))
        notes.setdefault(part.table, []).append(note)
    for one in look_ups_of(outline):
        note = Note(one.key, one.table, only=(one.key, one.column))
        if note not in notes.setdefault(one.table, []):
            notes[one.table].append(note)
    return [Watch(table, tuple(found)) for table, found in notes.items()]


def trigger_name(outline: Outline, table: str, event: str) -> str:
    """Return the name of a trigger, which fits into any database's limit."""
    return f"footfall_{xxhash.xxh3_64_hexdigest(f'{outline.entity} {table}'.encode())}_{event[:3].lower()}"


def digest_of(outline: Outline) -> str:
    """Return a digest of what triggers are made from, so that a changed outline is noticed."""
    return xxhash.xxh3_128_hexdigest(repr((outline.entity, outline.table, watches(outline))).encode())


def changed_values(outline: Outline, table: str) -> Sequence[tuple[str, Part | None]]:
    """Return the columns that point at a table: the root's with None, and those of parts."""
    found: list[tuple[str, Part | None]] = []
    found += [(pointer.column, None) for pointer in root_pointers(outline) if pointer.table == table]
    for part in outline.parts:
        found += [(pointer.column, part) for pointer in part_pointers(part) if pointer.table == table]
    return found
