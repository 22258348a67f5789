"""What MariaDB and PostgreSQL say in different words."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from footfall.adapters.relational.sessions import Session
from footfall.adapters.relational.watching import Watch
from footfall.ports.relational import Cell, Outline

OUTBOX, ROUTES, STATES = "footfall_outbox", "footfall_routes", "footfall_states"
DROPPED, SHARED, OUTLINES = "footfall_dropped", "footfall_shared", "footfall_outlines"
OUR_TABLES = (OUTBOX, DROPPED, SHARED, ROUTES, STATES, OUTLINES)
MOVED = "footfall: moved: "  # with it begins what a writer is told who is refused
KEY_LENGTH_MAX = 255  # characters of an entity's key, and of a value that points at a shared row


class Kind(StrEnum):
    """What matters of a column's type."""

    WHOLE = "whole"
    TEXT = "text"
    MOMENT = "moment"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can be read and written."""

    name: str
    kind: Kind
    length: int | None = None  # of text, in characters, where it has a limit


def columns_from(found: Iterable[Sequence[Cell]], kind: Callable[[str], Kind]) -> list[Column]:
    """Return columns from their names, types and lengths."""
    return [
        Column(str(name), kind(str(of_type)), length if isinstance(length, int) else None)
        for name, of_type, length in found
    ]


def keys_from(found: Iterable[Sequence[Cell]]) -> list[frozenset[str]]:
    """Return the columns of keys from their names, each beside that of its key."""
    keys: dict[Cell, set[str]] = {}
    for key, column in found:
        keys.setdefault(key, set()).add(str(column))
    return [frozenset(columns) for columns in keys.values()]


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger on a table: statements that make it and that remove it, each of which may be run again."""

    name: str
    table: str
    making: tuple[str, ...]
    removing: tuple[str, ...]


class Dialect(Protocol):
    """One kind of database."""

    @property
    def reading(self) -> str:
        """Return what begins a transaction that sees one moment."""
        ...

    @property
    def writing(self) -> str:
        """Return what begins a transaction that sees what is committed, statement by statement."""
        ...

    @property
    def by_key(self) -> str:
        """Return what makes a locking read go by the primary key, so that it locks nothing else."""
        ...

    @property
    def making(self) -> Sequence[str]:
        """Return what makes our tables; that of outlines is last, so that with it all are there."""
        ...

    @property
    def removing(self) -> Sequence[str]:
        """Return what removes all of it that is no table."""
        ...

    def opened(self, *, is_reader: bool) -> Session:
        """Return a new connection."""
        ...

    def name(self, identifier: str) -> str:
        """Return a quoted name of a column."""
        ...

    def table(self, identifier: str) -> str:
        """Return a quoted name of a table, as it is found whatever a session's settings are."""
        ...

    def columns(self, session: Session, table: str) -> list[Column]:
        """Return a table's columns in their order, without those that the database computes; none: no such table."""
        ...

    def unique_keys(self, session: Session, table: str) -> list[frozenset[str]]:
        """Return the columns of the primary key and of every other unique key."""
        ...

    def unwatched(self, session: Session, table: str) -> list[str]:
        """Return why changes of a table could not be seen by triggers, each as a sentence."""
        ...

    def older(self, session: Session) -> set[str]:
        """Return transactions that are open, and could not read tables that are made while they are."""
        ...

    def inserting(self, table: str, columns: Sequence[str], *, rows: int) -> str:
        """Return an INSERT of several rows that leaves those alone whose key is there."""
        ...

    def settling(self, *, rows: int) -> str:
        """Return an INSERT of states that replaces those that are there: entity, key, state, reason."""
        ...

    def triggers(self, outline: Outline, watch: Watch) -> list[Trigger]:
        """Return the triggers of one table."""
        ...

    def triggers_there(self, session: Session) -> set[str]:
        """Return the names of our triggers."""
        ...

    def altering(self, session: Session, table: str, statements: Sequence[str]) -> None:
        """Change what belongs to a table if nobody uses it at this moment, else raise Busy without waiting."""
        ...

    def folded(self, columns: Sequence[str]) -> str:
        """Return an INSERT of one notice that is done, with an id of its own."""
        ...

    @property
    def reminding(self) -> str:
        """Return an INSERT of a notice that counts nothing, for an entity and its key."""
        ...

    def stored(self, cell: Cell, column: Column) -> Cell:
        """Return a cell as the database takes it."""
        ...

    def applying(self, session: Session, *, is_on: bool) -> None:
        """Tell triggers that the session writes back what came from the other side, or that it does not any more."""
        ...

    def advance(self, session: Session, table: str, column: str, value: int) -> None:
        """Make sure that a number that was given is not handed out again."""
        ...
