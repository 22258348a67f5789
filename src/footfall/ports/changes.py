"""Changes: what came to be in a table and what went, told to one reader in the order in which it happened.

A feed is written by the table itself, with the item or not at all, so that no writer can forget it and nobody's write
costs more code. It tells of an item that was not there and is, and of one that was there and is not; an item that is
put again in its place is neither. An item that expired is there until the ground has removed it.

A reader may be given a change again, after a crash or a failed round, but never finds one missing. One whose bytes
nobody can read is passed over, so that it holds up none, and counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from footfall.ports.table import Item, Key, Unfit

READ_CHANGES_MAX = 10_000  # The most that one read returns, as an event of DynamoDB's streams.
ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class Told:
    """Which items a feed tells of: those whose partition has this between its first two `#`."""

    part: str

    def __post_init__(self) -> None:
        if not (self.part.isascii() and self.part.isalpha()):
            raise Unfit(f"a feed tells of partitions by letters between two #, not by {self.part!r}")

    def has(self, partition: str) -> bool:
        """Tell whether items of a partition are told of."""
        return partition.partition("#")[2].startswith(f"{self.part}#")


@dataclass(frozen=True, slots=True)
class Change:
    """An item that came or went, and when, by the clock of the ground that keeps the table.

    Places only grow, also in a file that was brought back from a backup. The id is sixteen bytes that are the same
    whenever the same change is read, on every ground, and no other change's.
    """

    place: int
    id: bytes
    key: Key
    at_ms: int
    item: Item | None  # as it came; None when it went

    @property
    def is_gone(self) -> bool:
        """Tell whether the item went."""
        return self.item is None


class Changes(Protocol):
    """The promises that every feed keeps."""

    unreadable: int
    """Changes that this feed has passed over since it was opened, because nothing could be read in them."""

    def read(self, *, after: int, limit: int = READ_CHANGES_MAX) -> Sequence[Change]:
        """Return the changes that follow a place (0 for the first), in their order; none at the end."""
        ...

    def forget(self, *, through: int) -> None:
        """Let go of the changes up to a place; none that comes later has a place at or before it."""
        ...

    def close(self) -> None:
        """Let go of what the feed holds open."""
        ...
