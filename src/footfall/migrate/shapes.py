"""What carrying and verifying want to know of a shape beside the items that an entity becomes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from footfall.migrate.moved import Items, Shape
from footfall.ports.table import Action, Key, Table


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


class Target(Shape, Protocol):
    """A shape in its table."""

    def places(self, keys: Iterable[Key]) -> Places:
        """Return the partitions that hold an entity of such items, and those in which it could have left some."""
        ...

    def announced(self, table: Table, changes: Sequence[Change]) -> Sequence[Action]:
        """Return what tells others of changes, on conditions of its own, to be written with them."""
        ...
