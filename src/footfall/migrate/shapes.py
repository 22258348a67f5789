"""What carrying and verifying want to know of a shape beside the items that an entity becomes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from footfall.migrate.moved import Items, Shape
from footfall.ports.items import Value
from footfall.ports.table import Action, Key, Put, Table, Update


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of an entity's items: where they lay, and what they are from now on."""

    before: frozenset[Key]
    after: Items


@dataclass(frozen=True, slots=True)
class Places:
    """Where an entity lies: partitions of which it has every item, and those that it shares with others."""

    own: tuple[str, ...]
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Total:
    """A number that the table keeps of how many entities a list has, and how many lines there are."""

    at: Key
    attribute: str
    told: Value  # None: nothing is told
    partition: str  # of the list
    lines: int
    mending: Put | Update  # makes it the number of lines, where it still is as it was


class Target(Shape, Protocol):
    """A shape in its table."""

    def places(self, keys: Iterable[Key]) -> Places:
        """Return the partitions that hold an entity of such items, and those in which it could have left some."""
        ...

    def announced(self, table: Table, changes: Sequence[Change]) -> Sequence[Action]:
        """Return what tells others of changes, on conditions of its own, to be written with them."""
        ...

    def totals(self, table: Table) -> Sequence[Total]:
        """Return what is counted in the table beside entities; nothing while it changes too fast to be compared."""
        ...
