"""The handover holds in every interleaving of a small scope, and every step of it is needed."""

from functools import cache

import pytest

from tests.migrate.handover_model import DOUBT, NEW, OLD, Handover, Item, Mind, Outcomes, Route, World
from tests.migrate.interleavings import Broken, Process, explore


def scope(protocol: Handover, text: str) -> list[Process]:
    """Return the processes that are named in a text, such as `write read move:new,old`."""
    found: list[Process] = []
    for number, word in enumerate(text.split(), start=1):
        kind, _, jobs = word.partition(":")
        token = str(number) if kind == "write" else ""
        wanted = tuple({"new": NEW, "old": OLD}[job] for job in jobs.split(",") if job)
        found.append((f"{kind} {number}", getattr(protocol, kind), Mind(token=token, jobs=wanted)))
    return found


@pytest.mark.parametrize(
    ("processes", "crashes"),
    [
        ("write write move:new,old", 2),
        ("write read move:new,old", 2),
        ("write write move:new,old,new replicate", 0),
        ("write carry move:new,old,new replicate", 1),
        ("write read move:new move:old,new", 0),
        ("read read move:new,old,new", 1),
    ],
)
def test_nothing_is_lost_stale_or_blocked_in_any_interleaving(processes: str, crashes: int) -> None:
    protocol = Handover()
    explored = explore(protocol, World(), scope(protocol, processes), crashes=crashes)
    assert explored.states > 1_000


@pytest.mark.soak
@pytest.mark.parametrize(
    ("processes", "crashes"),
    [
        ("write write move:new,old,new replicate", 1),
        ("write read read move:new,old", 1),
        ("write write read move:new,old", 1),
        ("write write carry move:new,old,new", 1),
        ("write read move:new,old move:new,old", 0),
        ("write write carry move:new,old,new replicate", 0),
    ],
)
def test_nothing_is_lost_stale_or_blocked_in_a_larger_scope(processes: str, crashes: int) -> None:
    protocol = Handover()
    assert explore(protocol, World(), scope(protocol, processes), crashes=crashes).states > 100_000


class SkipsTheDoubt(Handover):
    """Tells the target before the source is left."""

    def leave(self, world: World, mind: Mind) -> Outcomes:
        if world.route.side != OLD:
            return [(world, self.after, mind)]
        route = world.route._replace(epoch=world.route.epoch + 1)
        return [(world, self.finish_new, mind._replace(route=route))]

    def finish_route(self, world: World, mind: Mind) -> Outcomes:
        if world.route.epoch == mind.route.epoch - 1 and not world.gate:
            world = world._replace(route=mind.route._replace(side=NEW))
        return [(world, self.after, mind)]


class SkipsTheClock(Handover):
    """Leaves the source whatever the target has."""

    def is_left_as_seen(self, world: World, item: Item) -> bool:
        return world.route.epoch == item.epoch


class WaitsForNobody(Handover):
    """Leaves the source while somebody is writing there."""

    def leave(self, world: World, mind: Mind) -> Outcomes:
        return super().leave(world._replace(gate=0), mind) if world.gate else super().leave(world, mind)

    def commit_old(self, world: World, mind: Mind) -> Outcomes:
        return super().commit_old(world._replace(gate=1), mind)


class HasNoEpochInTheFence(Handover):
    """Orders what is written back by the clock alone."""

    def written_back(self, world: World, item: Item, *, epoch: int) -> World:
        if item.fence[1] <= world.route.written_back[1]:
            return world
        return super().written_back(world, item, epoch=epoch)


class WritesBackWhateverTheEpoch(Handover):
    """Writes back what comes late, though the source has taken writes since."""

    def written_back(self, world: World, item: Item, *, epoch: int) -> World:
        return world._replace(rows=item.value, route=world.route._replace(written_back=item.fence))


class TakesBackTheTargetFirst(Handover):
    """Does not fence whoever is about to give the source the entity."""

    def take_back(self, world: World, mind: Mind) -> Outcomes:
        assert mind.item is not None
        return [(world, self.take_item, mind)]


class BelievesAFlag(Handover):
    """Reads where it was told to once."""

    def read(self, world: World, mind: Mind) -> Outcomes:
        asked = mind._replace(since=len(world.truth))
        return [(world, self.read_rows, asked), (world, self.read_item, asked)]


class BelievesAnEpochTooMany(Handover):
    """Takes a source that is new for one that was not handed back, though it may have been, and forth again."""

    def is_not_handed_back(self, world: World, item: Item) -> bool:
        return world.route.side == NEW


class ForgetsWhatIsNotWrittenBack(Handover):
    """Gives the source the entity without looking for what it lacks."""

    def back_mark(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.back_enter, mind)]


class WaitsForItsMover(Handover):
    """Leaves a doubt to whoever made it."""

    def write_route(self, world: World, mind: Mind) -> Outcomes:
        after = {OLD: self.write_old, NEW: self.write_new}.get(world.route.side, self.write_route)
        return [(world, after, mind)]

    def back_look(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.write_new, Mind(token=mind.token))] if mind.token else super().back_look(world, mind)


class CarriesAnEpochThatIsTooNew(Handover):
    """Reads the rows first, and takes them for those of an epoch that came later; and a return forgets the clock."""

    def carry(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.carry_late, mind._replace(clock=world.clock, value=world.rows))]

    def carry_late(self, world: World, mind: Mind) -> Outcomes:
        is_old = world.item is not None and world.item.side == OLD
        return [(world, self.carry_put if is_old else None, mind._replace(item=world.item) if is_old else Mind())]

    def back_item(self, world: World, mind: Mind) -> Outcomes:
        return super().back_item(world, mind._replace(route=Route()))


BEGINNING = World()
AFTER_A_ROUND = World(Route(OLD, 2, 0, (1, 5)), item=Item(OLD, 2, (2, 0), ()))
RETURNING = World(Route(OLD, 2), clock=1, rows=("x",), item=Item(DOUBT, 2, (1, 0), ()), truth=("x",))
WRITTEN_ONCE = World(clock=1, rows=("x",), item=Item(OLD, 0, (0, 1), ("x",)), truth=("x",))


@cache
def explore_the_right_one(world: World, processes: str, crashes: int) -> None:
    """Raise what is broken in the scope of mutants; several have the same one."""
    protocol = Handover()
    explore(protocol, world, scope(protocol, processes), crashes=crashes)


@pytest.mark.parametrize(
    ("mutant", "world", "processes", "crashes"),
    [
        (SkipsTheDoubt, BEGINNING, "write write move:new", 0),
        (SkipsTheClock, BEGINNING, "write read move:new", 0),
        (WaitsForNobody, BEGINNING, "write write move:new", 0),
        (HasNoEpochInTheFence, AFTER_A_ROUND, "write read move:new,old", 0),
        (WritesBackWhateverTheEpoch, BEGINNING, "write write move:new,old replicate", 0),
        (TakesBackTheTargetFirst, BEGINNING, "write write move:new,old", 0),
        (BelievesAFlag, BEGINNING, "write read move:new", 0),
        (BelievesAnEpochTooMany, RETURNING, "read carry move:new,new", 0),
        (ForgetsWhatIsNotWrittenBack, BEGINNING, "write write move:new,old", 0),
        (WaitsForItsMover, BEGINNING, "write move:new", 1),
        (CarriesAnEpochThatIsTooNew, WRITTEN_ONCE, "write carry move:new,old,new", 0),
    ],
)
def test_every_step_is_needed(mutant: type[Handover], world: World, processes: str, crashes: int) -> None:
    explore_the_right_one(world, processes, crashes)
    wrong = mutant()
    with pytest.raises(Broken):
        explore(wrong, world, scope(wrong, processes), crashes=crashes)


class LeavesByTheClockAlone(Handover):
    """Leaves a source that has been left and come back since it was looked at."""

    def is_left_as_seen(self, world: World, item: Item) -> bool:
        return world.clock == item.fence[1]


def test_a_mover_that_slept_through_a_round_may_leave_by_the_clock_alone() -> None:
    # Both sides are in doubt then, until somebody tells the target first that it had been left.
    for processes in ("read move:new,old move:new", "write move:new,old move:new"):
        protocol = LeavesByTheClockAlone()
        explore(protocol, BEGINNING, scope(protocol, processes), crashes=1)
