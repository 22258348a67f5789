"""The new side of a move: what the table says of an entity, whose turn it is, and writes that hold while it is its own.

Every act is one conditional write. Readers are answered with the document of the move item, which is written in one
transaction with the items that it became.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from footfall.migrate import keys
from footfall.migrate.carrying import ACTIONS_MAX, UNDERWAY
from footfall.migrate.moved import Items, Moved, clock_of, fence_of, item_of, moved_from
from footfall.migrate.shapes import Change, Target
from footfall.migrate.stepping import steps_of
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.relational import EVERYTHING, Document, Outline, Side
from footfall.ports.table import (
    Absent,
    Action,
    Below,
    Check,
    Condition,
    Delete,
    Equals,
    Key,
    Put,
    Table,
    Update,
    everything,
)
from footfall.values.errors import Refused

CREATE_TRIES_MAX = 50  # Each failure is somebody else who made an entity at the same time.


class PlaceTaken(Refused):
    """Where an entity would lie there is another, such as a metric of the same name."""


@dataclass(frozen=True, slots=True)
class Held:
    """What the table says of an entity, and what tells whether it still says so."""

    moved: Moved
    expects: tuple[Condition, ...]
    underway: int = -1

    @property
    def side(self) -> Side:
        """Return who answers, as the table has it."""
        return self.moved.side

    @property
    def epoch(self) -> int:
        """Return since which handover."""
        return self.moved.epoch


@dataclass(frozen=True, slots=True)
class NewSide:
    """Entities of one outline in a table. One thread uses one."""

    table: Table
    outline: Outline
    target: Target

    def held(self, key: str) -> Held | None:
        """Return what the table says of an entity; None where it has never been told of it."""
        item = self.table.get(keys.moved(self.outline.entity, key))
        if item is None:
            # Of what is not there yet the table knows before it is told: it is the old side's.
            return Held(Moved(0, Side.OLD, 0, None), (Absent(),)) if key == EVERYTHING else None
        underway = item.get(UNDERWAY)
        same = tuple(Equals(name, item.get(name)) for name in ("fence", "side", "epoch", UNDERWAY))
        return Held(moved_from(item), same, underway if isinstance(underway, int) else -1)

    def turn(self, key: str, held: Held, side: Side, *, epoch: int, clock: int) -> bool:
        """Say whose turn it is, where the table still says what it did; tell whether it was so."""
        fence = held.moved.fence if side is Side.DOUBT else fence_of(epoch, clock)
        moved = replace(held.moved, side=side, epoch=epoch, fence=fence)
        actions: list[Action] = [Put(keys.moved(self.outline.entity, key), item_of(moved), expects=held.expects)]
        if side is Side.OLD:  # Nothing of it waits any more: the old side was given it with all that was written here.
            actions.append(Delete(keys.back_of(self.outline.entity, key)))
        try:
            self.table.transact(actions)
        except Changed:
            return False
        return True

    def write(self, key: str, held: Held, document: Document | None) -> None:
        """Make an entity what the document says, or raise Changed where the table says something else by now."""
        assert held.side is Side.NEW
        fence = max(held.moved.fence, held.underway) + 1
        items = self._items(key, document)
        moved = Moved(fence, Side.NEW, held.epoch, document, tuple(items))
        self._put(key, held, moved, items)

    def create(self, made: Callable[[str], Document], *, key: str | None = None) -> str:
        """Make an entity under its key, or under the next one; raise Changed where the table may not."""
        for _ in range(CREATE_TRIES_MAX):
            gate = self.held(EVERYTHING)
            if gate is None or gate.side is not Side.NEW:
                raise Changed(f"a new {self.outline.entity} is not made on this side now")
            own, counted = (key, ()) if key is not None else self._next_key()
            document = made(own)
            items = self._items(own, document)
            moved = Moved(fence_of(gate.epoch, 1), Side.NEW, gate.epoch, document, tuple(items))
            is_open = Check(keys.moved(self.outline.entity, EVERYTHING), gate.expects)
            try:
                nothing = Held(Moved(0, Side.NEW, gate.epoch, None), (Absent(),))
                self._put(own, nothing, moved, items, also=(is_open, *counted))
            except Changed:
                if key is not None:
                    raise
                self._pass_by(own)
                continue
            return own
        raise Changed(f"others make {self.outline.entity} after {self.outline.entity}; try again")

    def count_from(self, number: int) -> None:
        """Say that the keys of entities that are made here begin above one that is taken."""
        place, bound = keys.next_key(self.outline.entity), number + 1
        try:
            self.table.update(Update(place, set={"next": bound}, expects=(Below("next", bound),)))
        except Changed:
            return  # They are above it already.

    def mark(self, key: str) -> int | None:
        """Return the fence of what waits to be written back; None: nothing does."""
        item = self.table.get(keys.back_of(self.outline.entity, key))
        return None if item is None else cast("int", item["fence"])

    def unmark(self, key: str, fence: int) -> None:
        """Say that what waited is written back, unless more has come."""
        try:
            self.table.delete(Delete(keys.back_of(self.outline.entity, key), expects=(Equals("fence", fence),)))
        except Changed:
            return

    def waiting_back(self) -> int:
        """Return how many entities wait to be written back."""
        shards = (keys.back(self.outline.entity, shard) for shard in range(keys.BACK_SHARDS))
        return sum(1 for shard in shards for _ in everything(self.table, shard))

    def _items(self, key: str, document: Document | None) -> Items:
        return {} if document is None else self.target.items(key, document)

    def _next_key(self) -> tuple[str, tuple[Action, ...]]:
        place = keys.next_key(self.outline.entity)
        number = (self.table.get(place) or {}).get("next")
        if not isinstance(number, int):
            raise Refused("key", f"{self.outline.entity} has no numbers for keys here: give the key of a new one")
        return str(number), (Put(place, {"next": number + 1}, expects=(Equals("next", number),)),)

    def _pass_by(self, key: str) -> None:
        """Let keys of new entities begin after those that the table knows from this one on; they are there, or were."""
        number = first = int(key)
        while self.table.get(keys.moved(self.outline.entity, str(number))) is not None:
            number += 1
        if number > first:
            self.count_from(number - 1)

    def _put(self, key: str, held: Held, moved: Moved, items: Items, *, also: Sequence[Action] = ()) -> None:
        entity = self.outline.entity
        known = frozenset(held.moved.keys)
        puts = [Put(at, item, expects=() if at in known else (Absent(),)) for at, item in items.items()]
        deletes: list[Delete] = [Delete(at) for at in sorted(known - items.keys())]
        if moved.document is None and known:
            puts.append(Put(keys.gone(entity, key), {"keys": [f"{at.partition}\n{at.sort}" for at in sorted(known)]}))
        last: list[Action] = [Put(keys.back_of(entity, key), {"fence": moved.fence}), *also]
        last += self.target.announced(self.table, [Change(known, items)])
        place = keys.moved(entity, key)
        try:
            if len(puts) + len(deletes) + len(last) < ACTIONS_MAX:
                self.table.transact([*puts, *deletes, *last, Put(place, item_of(moved), expects=held.expects)])
            else:
                self._put_in_steps(place, held, moved, (puts, deletes, last))
        except Changed:
            self._require_free(place, held, puts)
            raise

    def _put_in_steps(
        self, place: Key, held: Held, moved: Moved, actions: tuple[list[Put], list[Delete], list[Action]]
    ) -> None:
        """Write an entity that one transaction does not hold: what is underway first, the move item last."""
        puts, deletes, last = actions
        both = tuple({*held.moved.keys, *moved.keys})
        begun: Item = {**item_of(replace(held.moved, keys=both)), UNDERWAY: moved.fence}
        self.table.put(Put(place, begun, expects=held.expects))
        is_ours = Equals(UNDERWAY, moved.fence)
        steps = steps_of(puts, deletes)
        for step in steps.before(place, is_ours):
            self.table.transact(step)
        self.table.transact([*steps.last, *last, Put(place, item_of(moved), expects=(is_ours,))])

    def _require_free(self, place: Key, held: Held, puts: Sequence[Put]) -> None:
        """Raise PlaceTaken where a transaction did not hold because another entity lies in the way."""
        now = self.table.get(place)
        is_of_another = Absent() in held.expects and now is not None and UNDERWAY not in now
        if is_of_another or (now is not None and now.get("fence") != held.moved.fence):
            return
        for put in puts:
            if put.expects and self.table.get(put.key) is not None:
                raise PlaceTaken("key", f"{put.key.partition} {put.key.sort} is there already, and is of another")


def is_behind(held: Held, clock: int) -> bool:
    """Tell whether the source has gone on since what the table has."""
    return clock_of(held.moved.fence) != clock or held.underway >= 0
