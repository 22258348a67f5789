"""The handover of docs/decisions/0050 as a model: one entity, processes of single atomic steps, every interleaving.

What each step asserts is what nobody may ever see: a write on top of anything but the last one, an answer that was out
of date when it was asked for, two sides that both take writes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tests.migrate.interleavings import Broken

OLD, DOUBT, NEW = "old", "doubt", "new"


class Route(NamedTuple):
    """What the source says."""

    side: str = OLD
    epoch: int = 0
    clock: int = 0
    written_back: tuple[int, int] = (0, 0)


class Item(NamedTuple):
    """What the target says; a fence is the epoch and the clock in it."""

    side: str
    epoch: int
    fence: tuple[int, int]
    value: tuple[str, ...]


class World(NamedTuple):
    """Both databases; the value of an entity is all that was ever written to it, in order."""

    route: Route = Route()
    clock: int = 0
    rows: tuple[str, ...] = ()
    gate: int = 0  # transactions that hold the route's shared lock
    item: Item | None = Item(OLD, 0, (0, 0), ())
    mark: tuple[int, int] | None = None
    truth: tuple[str, ...] = ()  # nobody has it: what was committed, whichever side took it


class Mind(NamedTuple):
    """What a process remembers between two steps."""

    token: str = ""
    jobs: tuple[str, ...] = ()
    since: int = 0
    route: Route = Route()
    item: Item | None = None
    mark: tuple[int, int] | None = None
    clock: int = 0
    value: tuple[str, ...] = ()


Step = Callable[[World, Mind], "Outcomes"]
Outcomes = Iterable[tuple[World, Step | None, Mind]]


def committed(world: World, base: Sequence[str], token: str) -> tuple[str, ...]:
    """Return the value after a write, which must have been made on top of the last one."""
    if tuple(base) != world.truth:
        raise Broken(f"{token} was written on top of {base}, though the last was {world.truth}")
    return (*world.truth, token)


def answered(world: World, mind: Mind, value: tuple[str, ...]) -> Outcomes:
    """End a read, whose answer must be at least as new as the moment it was asked for."""
    if value != world.truth[: len(value)]:
        raise Broken(f"{value} was read, which never was: {world.truth} is")
    if len(value) < mind.since:
        raise Broken(f"{value} was read, though {world.truth[: mind.since]} had been written before it was asked for")
    return [(world, None, Mind())]


class Handover:
    """The protocol. Mutants of it are classes that get one step wrong."""

    def require_sound(self, world: World, *, is_over: bool) -> None:
        """Only one side takes writes, and in the end it has all of them."""
        if world.route.side == OLD and world.item is not None and world.item.side == NEW:
            raise Broken(f"both sides take writes: {world}")
        if not is_over:
            return
        held = world.rows if world.route.side == OLD else world.item.value if world.item is not None else ()
        is_known = world.route.side != DOUBT or world.item is not None
        if not is_known or held != world.truth:
            raise Broken(f"{world.truth} was written and {held} is kept: {world}")

    def freed(self, world: World, step: str) -> World:
        """A transaction whose client is gone is rolled back, and its locks with it."""
        return world._replace(gate=world.gate - 1) if step == "commit_old" else world

    def nothing(self) -> Mind:
        return Mind()

    # --- whoever writes ------------------------------------------------------------------------------

    def write(self, world: World, mind: Mind) -> Outcomes:
        """Ask either side first: a hint may be as old as it likes."""
        return [(world, self.write_old, mind), (world, self.write_new, mind)]

    def write_old(self, world: World, mind: Mind) -> Outcomes:
        if world.route.side != OLD:
            return [(world, self.write_route, mind)]
        return [(world._replace(gate=world.gate + 1), self.commit_old, mind)]

    def commit_old(self, world: World, mind: Mind) -> Outcomes:
        value = committed(world, world.rows, mind.token)
        after = world._replace(rows=value, truth=value, clock=world.clock + 1, gate=world.gate - 1)
        return [(after, None, Mind())]

    def write_route(self, world: World, mind: Mind) -> Outcomes:
        after = {OLD: self.write_old, NEW: self.write_new, DOUBT: self.finish_look}[world.route.side]
        return [(world, after, mind._replace(route=world.route))]

    def write_new(self, world: World, mind: Mind) -> Outcomes:
        if world.item is None or world.item.side == OLD:
            return [(world, self.write_route, mind)]
        after = self.commit_new if world.item.side == NEW else self.back_look
        return [(world, after, mind._replace(item=world.item))]

    def commit_new(self, world: World, mind: Mind) -> Outcomes:
        assert mind.item is not None
        if world.item != mind.item:
            return [(world, self.write_new, mind)]
        epoch, clock = mind.item.fence
        value = committed(world, mind.item.value, mind.token)
        item = mind.item._replace(fence=(epoch, clock + 1), value=value)
        return [(world._replace(item=item, mark=item.fence, truth=value), None, Mind())]

    # --- old to new: whoever moves, and whoever meets its doubt ---------------------------------------

    def move(self, world: World, mind: Mind) -> Outcomes:
        if not mind.jobs:
            return [(world, None, Mind())]
        wanted, seen = mind.jobs[0], world.item
        done = mind._replace(jobs=mind.jobs[1:], item=None, route=Route())
        if seen is None or seen.side == wanted:
            return [(world, self.move, done)]
        if seen.side == DOUBT:
            return [(world, self.back_look, done._replace(item=seen))]
        return [(world, self.leave if wanted == NEW else self.back_doubt, done._replace(item=seen))]

    def leave(self, world: World, mind: Mind) -> Outcomes:
        """Step 1: where nobody writes, and clock and epoch are those that the target has."""
        assert mind.item is not None
        is_same = world.route.side == OLD and self.is_left_as_seen(world, mind.item)
        if world.gate or not is_same:
            return [(world, self.after, mind)]
        route = world.route._replace(side=DOUBT, epoch=world.route.epoch + 1, clock=world.clock)
        return [(world._replace(route=route), self.finish_new, mind._replace(route=route))]

    def is_left_as_seen(self, world: World, item: Item) -> bool:
        return (world.route.epoch, world.clock) == item.fence

    def finish_look(self, world: World, mind: Mind) -> Outcomes:
        item, route = world.item, mind.route
        assert item is not None
        if item.epoch >= route.epoch:
            return [(world, self.finish_route, mind)]
        if item.side == OLD and item.fence == (route.epoch - 1, route.clock):
            return [(world, self.finish_new, mind._replace(item=item))]
        if item.side == DOUBT and item.epoch == route.epoch - 1:
            return [(world, self.back_item, mind._replace(item=item))]
        return [(world, self.after, mind)]

    def finish_new(self, world: World, mind: Mind) -> Outcomes:
        """Step 2."""
        assert mind.item is not None
        if world.item != mind.item:
            return [(world, self.finish_look, mind)]
        epoch, clock = mind.route.epoch, mind.item.fence[1]
        item = mind.item._replace(side=NEW, epoch=epoch, fence=(epoch, clock))
        return [(world._replace(item=item), self.finish_route, mind)]

    def finish_route(self, world: World, mind: Mind) -> Outcomes:
        """Step 3."""
        if (world.route.side, world.route.epoch) == (DOUBT, mind.route.epoch):
            world = world._replace(route=world.route._replace(side=NEW))
        return [(world, self.after, mind)]

    # --- new to old ----------------------------------------------------------------------------------

    def back_doubt(self, world: World, mind: Mind) -> Outcomes:
        """Step 1: no write is taken from here on."""
        assert mind.item is not None
        if world.item != mind.item:
            return [(world, self.after, mind)]
        item = mind.item._replace(side=DOUBT, epoch=mind.item.epoch + 1)
        return [(world._replace(item=item), self.back_look, mind._replace(item=item))]

    def back_look(self, world: World, mind: Mind) -> Outcomes:
        assert mind.item is not None
        side, behind = world.route.side, mind.item.epoch - world.route.epoch
        known = mind._replace(route=world.route)
        if (side, behind) == (NEW, 1):
            return [(world, self.back_mark, known), (world, self.take_back, known)]
        told = {(OLD, 0): self.back_item, (NEW, -1): self.take_item, (DOUBT, 1): self.back_told}
        told[DOUBT, -1] = self.back_item  # The source had it, and has been left again since.
        return [(world, told.get((side, behind), self.after), known)]

    def back_told(self, world: World, mind: Mind) -> Outcomes:
        """Do step 3 of the handover before this one, which nobody has done yet."""
        if world.route == mind.route:
            world = world._replace(route=world.route._replace(side=NEW))
        return [(world, self.back_look, mind)]

    def back_mark(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.back_rows if world.mark is not None else self.back_enter, mind)]

    def back_rows(self, world: World, mind: Mind) -> Outcomes:
        assert mind.item is not None
        return [(self.written_back(world, mind.item, epoch=mind.item.epoch - 1), self.back_enter, mind)]

    def back_enter(self, world: World, mind: Mind) -> Outcomes:
        """Step 2."""
        assert mind.item is not None
        if (world.route.side, world.route.epoch) != (NEW, mind.item.epoch - 1):
            return [(world, self.after, mind)]
        route = world.route._replace(side=OLD, epoch=mind.item.epoch)
        return [(world._replace(route=route), self.back_item, mind._replace(route=route))]

    def back_item(self, world: World, mind: Mind) -> Outcomes:
        """Step 3."""
        if world.item == mind.item and mind.item is not None:
            epoch = mind.item.epoch
            item = mind.item._replace(side=OLD, fence=(epoch, mind.route.clock))
            world = world._replace(item=item, mark=None)
        return [(world, self.after, mind)]

    def take_back(self, world: World, mind: Mind) -> Outcomes:
        """Fence the source first: whoever was about to do step 2 finds another epoch."""
        assert mind.item is not None
        if (world.route.side, world.route.epoch) != (NEW, mind.item.epoch - 1):
            return [(world, self.after, mind)]
        route = world.route._replace(epoch=mind.item.epoch + 1)
        return [(world._replace(route=route), self.take_item, mind._replace(route=route))]

    def take_item(self, world: World, mind: Mind) -> Outcomes:
        if world.item == mind.item and mind.item is not None:
            epoch = mind.item.epoch + 1
            item = mind.item._replace(side=NEW, epoch=epoch, fence=(epoch, mind.item.fence[1]))
            world = world._replace(item=item)
        return [(world, self.after, mind)]

    def after(self, world: World, mind: Mind) -> Outcomes:
        """Go on with what was wanted before a doubt was met."""
        plain = Mind(token=mind.token, jobs=mind.jobs, since=mind.since)
        return [(world, self.write_route if mind.token else self.move, plain)]

    # --- back replication and following --------------------------------------------------------------

    def written_back(self, world: World, item: Item, *, epoch: int) -> World:
        if world.route.epoch != epoch or item.fence <= world.route.written_back:
            return world
        return world._replace(rows=item.value, route=world.route._replace(written_back=item.fence))

    def replicate(self, world: World, mind: Mind) -> Outcomes:
        if world.mark is None:
            return [(world, None, Mind())]
        return [(world, self.replicate_item, mind._replace(mark=world.mark))]

    def replicate_item(self, world: World, mind: Mind) -> Outcomes:
        is_ours = world.item is not None and world.item.side != OLD
        return [
            (world, self.replicate_rows if is_ours else None, mind._replace(item=world.item) if is_ours else Mind())
        ]

    def replicate_rows(self, world: World, mind: Mind) -> Outcomes:
        assert mind.item is not None
        epoch = mind.item.epoch - (mind.item.side == DOUBT)
        return [(self.written_back(world, mind.item, epoch=epoch), self.replicate_look, mind)]

    def replicate_look(self, world: World, mind: Mind) -> Outcomes:
        assert mind.item is not None
        is_there = world.route.written_back >= mind.item.fence
        return [(world, self.unmark if is_there else None, mind if is_there else Mind())]

    def unmark(self, world: World, mind: Mind) -> Outcomes:
        return [(world._replace(mark=None) if world.mark == mind.mark else world, None, Mind())]

    def carry(self, world: World, mind: Mind) -> Outcomes:
        """Look at the item first, so that the epoch is not newer than the rows."""
        if world.item is not None and world.item.side != OLD:
            return [(world, None, Mind())]
        return [(world, self.carry_rows, mind._replace(item=world.item))]

    def carry_rows(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.carry_put, mind._replace(clock=world.clock, value=world.rows))]

    def carry_put(self, world: World, mind: Mind) -> Outcomes:
        epoch = mind.item.epoch if mind.item is not None else 0
        fence = (epoch, mind.clock)
        if world.item is None or world.item.fence < fence:
            world = world._replace(item=Item(OLD, epoch, fence, mind.value))
        return [(world, None, Mind())]

    # --- whoever reads -------------------------------------------------------------------------------

    def read(self, world: World, mind: Mind) -> Outcomes:
        asked = mind._replace(since=len(world.truth))
        return [(world, self.read_route, asked), (world, self.read_item, asked)]

    def read_route(self, world: World, mind: Mind) -> Outcomes:
        after = {OLD: self.read_rows, NEW: self.read_item, DOUBT: self.read_in_doubt}[world.route.side]
        return [(world, after, mind._replace(route=world.route))]

    def read_rows(self, world: World, mind: Mind) -> Outcomes:
        return answered(world, mind, world.rows)

    def read_item(self, world: World, mind: Mind) -> Outcomes:
        if world.item is None or world.item.side == OLD:
            return [(world, self.read_route, mind._replace(route=Route(), item=None))]
        is_taken_back = (mind.route.side, mind.route.epoch) == (NEW, world.item.epoch + 1)
        if world.item.side == NEW or is_taken_back:
            return answered(world, mind, world.item.value)
        return [(world, self.read_while_back, mind._replace(item=world.item, route=Route()))]

    def read_in_doubt(self, world: World, mind: Mind) -> Outcomes:
        """Nobody writes at the source, and the target says whether anybody has written there."""
        item = world.item
        if item is not None and (item.side == NEW or (item.side == OLD and item.epoch == mind.route.epoch - 1)):
            return answered(world, mind, item.value)
        if item is not None and item.side == DOUBT and item.epoch == mind.route.epoch - 1:
            return [(world, self.read_rows, mind)]  # The source had it, and nobody has been told that it was left.
        return [(world, self.read_item, mind._replace(route=Route()))]

    def read_while_back(self, world: World, mind: Mind) -> Outcomes:
        """Nobody writes at the target, and the source says whether anybody has written there."""
        assert mind.item is not None
        if world.route.side == OLD:
            return [(world, self.read_rows, mind._replace(item=None))]
        if self.is_not_handed_back(world, mind.item):
            return answered(world, mind, mind.item.value)
        return [(world, self.read_item, mind._replace(item=None, route=world.route))]

    def is_not_handed_back(self, world: World, item: Item) -> bool:
        return world.route.epoch == item.epoch - 1
