"""Back replication: what was written on the new side comes to the old one, so that it can take over at any time."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from footfall.migrate import keys
from footfall.migrate.new_side import NewSide
from footfall.ports.errors import Changed, Throttled
from footfall.ports.relational import Relational, Side
from footfall.ports.table import everything
from footfall.values.errors import Refused

BUSY_MAX = 10  # entities of a round that others hold; where more are, a side is throttled
ROUND_MAX = 500  # entities of one round, so that whoever goes round does other things, too


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What came of a round."""

    written: int
    refused: dict[str, str]  # why the old side does not take an entity, by key


class NotWrittenBack(Refused):
    """The old side lacks entities that were made or changed here, so that it cannot answer for everything."""

    def __init__(self, entity: str, refused: dict[str, str]) -> None:
        key, why = next(iter(refused.items()))
        super().__init__("key", f"the old side lacks {len(refused):,} of {entity}, such as {key}: {why}")
        self.refused = refused


@dataclass(frozen=True, slots=True)
class BackWriter:
    """Writes entities back. Any number of them may, at once and again after any crash."""

    source: Relational
    new: NewSide

    def write_back_round(self, *, limit: int = ROUND_MAX) -> WrittenBack:
        """Write back what waits, some of every shard; what is refused stays marked and is told."""
        written, refused, busy = 0, dict[str, str](), 0
        for key in islice(self.waiting(), limit):
            try:
                written += self.write_back(key)
            except Refused as error:
                refused[key] = str(error)
            except Throttled:
                busy += 1  # Another is at it, perhaps asleep; the rest is not to wait for that.
                if busy > BUSY_MAX:
                    raise
        return WrittenBack(written, refused)

    def waiting(self) -> Iterator[str]:
        """Yield the entities that were changed on the new side and not written back."""
        for shard in range(keys.BACK_SHARDS):
            for found in everything(self.new.table, keys.back(self.new.outline.entity, shard)):
                yield found.key.sort

    def write_back(self, key: str) -> bool:
        """Write one entity back and tell whether it is all there now, or raise Refused with why it is not taken."""
        mark = self.new.mark(key)
        held = self.new.held(key)
        if mark is None or held is None:
            return mark is None
        if held.side is Side.OLD:
            # The old side has it, with all that was written here. What is here may be older than what is there by now.
            self.new.unmark(key, mark)
            return True
        outline, fence = self.new.outline, held.moved.fence
        epoch = held.epoch - 1 if held.side is Side.DOUBT else held.epoch
        try:
            self.source.write_back(outline, key, held.moved.document, epoch=epoch, fence=fence)
        except Changed:
            return False  # It was handed over meanwhile.
        self.new.unmark(key, mark)
        return True
