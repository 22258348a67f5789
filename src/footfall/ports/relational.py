"""Relational: somebody else's database that is being moved: read as of one moment, watched, gated and written back.

What moves together is an *entity*: one row of a root table, with the rows of other tables that belong to it. It is
known by the text of its root's key. Whoever writes to the database goes on as before; triggers note in the same
transaction which entity changed. Everything of ours there has a name that begins with `footfall_` and goes with
`withdraw`. Rows that several entities have as a part are gated by each of them. Rows that are only looked up are noted
and not gated: they are no entity's.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

TAKEN_MAX = 500  # entities that are taken at a time, as the invoker of the metric-migration thesis does
NOTICES_MAX = 1_000  # that are read at a time
EVERYTHING = "*"  # the route of entities that are not there yet
EPOCH_STEP = 10**12  # A fence is the epoch in these, and the clock under them.

Cell = str | int | float | bool | bytes | None  # decimals and moments are text, so that no digit is lost
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class LookUp:
    """A column of another table that a number in a row stands for, such as a metric's name for its id."""

    table: str
    key: str
    column: str


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of another table that belong to an entity."""

    name: str
    table: str
    of: str  # the column that says to which entity a row belongs ...
    root: str  # ... and the root's column that it is equal to; the root's key makes the rows the entity's own
    key: Sequence[str]  # columns that tell the rows of one entity apart, and by which they are ordered
    look_ups: Mapping[str, LookUp] = field(default_factory=dict[str, LookUp])  # by column


@dataclass(frozen=True, slots=True)
class Outline:
    """Which rows are one entity."""

    entity: str
    table: str
    key: str
    look_ups: Mapping[str, LookUp] = field(default_factory=dict[str, LookUp])
    parts: Sequence[Part] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """An entity as its rows say it at one moment; looked-up values stand beside their column as `column.other`."""

    root: Row
    parts: Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class Seen:
    """An entity at one moment: its clock, which every change of it counts up, and its rows; None: there are none."""

    key: str
    clock: int
    document: Document | None


class State(StrEnum):
    """How far an entity has come, in the words of the metric-migration thesis."""

    NOT_MIGRATED = "NOT_MIGRATED"
    IN_MIGRATION = "IN_MIGRATION"
    MIGRATED = "MIGRATED"
    SET_ASIDE = "SET_ASIDE"  # It cannot be moved as it is; why is told beside it.


class Side(StrEnum):
    """Who answers for an entity."""

    OLD = "old"
    DOUBT = "doubt"  # It is being handed over: the other side says whether it has it already.
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Route:
    """Who answers for an entity as this database has it, since which handover, and with which clock it was left."""

    side: Side
    epoch: int
    clock: int = 0
    written_back: int = 0  # the newest fence of what came back from the other side


@dataclass(frozen=True, slots=True)
class Notice:
    """That an entity has changed; without a table it is the entity's own change, else one of a row that many share."""

    id: int
    key: str
    table: str | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an entity was set aside."""

    key: str
    reason: str


class Snapshot(Protocol):
    """The database as it was at one moment."""

    def keys(self, *, after: str | None, limit: int) -> Sequence[str]:
        """Return keys of entities in the order of the key column, those after one."""
        ...

    def see(self, keys: Sequence[str]) -> Sequence[Seen]:
        """Return the entities as they were, with the clock that belongs to just that, in the order asked for."""
        ...

    def clocks(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return the clocks alone."""
        ...

    def routes(self, keys: Sequence[str]) -> Mapping[str, Route]:
        """Return who answered at that moment; an entity without a route of its own has that of EVERYTHING."""
        ...

    def touched_by(self, notice: Notice) -> Sequence[str]:
        """Return the entities that a change of a shared row may concern."""
        ...


class Relational(Protocol):
    """The promises that every database keeps. One thread uses one; each has connections of its own.

    A clock never goes back, and counts up in the transaction that changes an entity: the same clock is the same rows.
    Nobody who writes waits for us longer than a handover's one short transaction takes.
    """

    def require(self, outline: Outline) -> None:
        """Raise Refused unless the outline fits the database: tables, columns and keys are there."""
        ...

    def prepare(self, outline: Outline) -> None:
        """Make our tables and triggers; again changes nothing."""
        ...

    def withdraw(self, outline: Outline) -> None:
        """Remove our triggers and tables; again changes nothing."""
        ...

    def is_prepared(self, outline: Outline) -> bool:
        """Tell whether changes are being noted."""
        ...

    def snapshot(self, outline: Outline) -> AbstractContextManager[Snapshot]:
        """Read as of one moment, without a lock that anybody waits for."""
        ...

    def take(self, outline: Outline, *, limit: int, now_ms: int, until_ms: int) -> Sequence[str]:
        """Make entities that wait, or whose mover was not heard of until now, IN_MIGRATION for a while; return them."""
        ...

    def settle(self, outline: Outline, keys: Sequence[str], state: State, *, reason: str = "") -> None:
        """Say how far entities have come."""
        ...

    def states(self, outline: Outline) -> Mapping[State, int]:
        """Return how many entities are in which state."""
        ...

    def problems(self, outline: Outline, *, limit: int) -> Sequence[Problem]:
        """Return entities that were set aside, with the reason."""
        ...

    def waiting(self, outline: Outline, *, limit: int) -> Sequence[Notice]:
        """Return notices that nobody has said to be done, oldest first; late commits are among them when they come."""
        ...

    def done(self, outline: Outline, ids: Sequence[int]) -> None:
        """Say that what notices tell has been carried over."""
        ...

    def lag(self, outline: Outline, *, now_ms: int) -> tuple[int, int]:
        """Return how many notices wait, and for how many milliseconds the oldest has."""
        ...

    def compact(self, outline: Outline) -> int:
        """Fold notices that are done into one for each entity, clocks unchanged; return how many rows went."""
        ...

    def routes(self, outline: Outline, keys: Sequence[str]) -> Mapping[str, Route]:
        """Return who answers; an entity without a route of its own has that of EVERYTHING."""
        ...

    def routed(self, outline: Outline, side: Side, *, after: str | None, limit: int) -> Sequence[str]:
        """Return entities whose own route says this side, those after one, whether they are there or gone.

        They are in an order of their own, and EVERYTHING is not among them.
        """
        ...

    def sides(self, outline: Outline) -> Mapping[Side, int]:
        """Return how many entities, there or gone, have a route of their own to which side; EVERYTHING is not one."""
        ...

    def last_key(self, outline: Outline, *, is_recent: bool = False) -> int | None:
        """Return the largest number that ever was an entity's key, 0: none was, None: keys are not numbers.

        `is_recent` looks only at entities that are there and at those of notices that wait, which takes no time.
        """
        ...

    def leave(self, outline: Outline, keys: Sequence[str], *, fences: Mapping[str, int]) -> Mapping[str, Route]:
        """Put entities in doubt whose epoch and clock are those of `fences` and that nobody writes at this moment.

        From its return on no write of them is taken here; those that could not be left at once are not in the answer.
        `EVERYTHING` may be among them, whose clock is 0. The routes have the epoch after the one before.
        """
        ...

    def enter(self, outline: Outline, key: str, route: Route, *, expects: Route) -> bool:
        """Set the route where it still is as expected, in a transaction of its own; tell whether it was.

        An entity that is `old` again is noted, without its clock: it may have been noted while nobody carried it.
        """
        ...

    def write_back(self, outline: Outline, key: str, document: Document | None, *, epoch: int, fence: int) -> bool:
        """Make an entity's rows those of the document, unnoticed by triggers, once: tell whether the fence was newer.

        Raises Changed unless the route has this epoch; an entity without a route of its own, which was made on the
        other side, is given one of this epoch while EVERYTHING is there, whatever epoch that one has by now.
        Rows are inserted, changed and removed as they differ; a look-up whose own column is None is resolved by its
        value. Of rows that others share those are made that the document has otherwise than when the entity was left
        or last written back; that is noted, for others have them, too.
        """
        ...

    def latency_ms(self) -> float:
        """Return how long a small read takes now."""
        ...

    def close(self) -> None:
        """Let go of all connections."""
        ...
