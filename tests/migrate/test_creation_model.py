"""New entities are neither lost nor made twice in any interleaving of a small scope, and every step is needed."""

import pytest

from tests.migrate.creation_model import Creation, Mind, Outcomes, Own, Turn, World
from tests.migrate.handover_model import NEW, OLD
from tests.migrate.interleavings import Broken, Process, explore


def scope(protocol: Creation, text: str) -> list[Process]:
    """Return the processes that are named in a text, such as `create find move:new,old`."""
    found: list[Process] = []
    for number, word in enumerate(text.split(), start=1):
        kind, _, jobs = word.partition(":")
        token = f"made {number}" if kind in ("create", "brief") else ""
        wanted = tuple({"new": NEW, "old": OLD}[job] for job in jobs.split(",") if job)
        found.append((f"{kind} {number}", getattr(protocol, kind), Mind(token=token, jobs=wanted)))
    return found


@pytest.mark.parametrize(
    ("processes", "crashes"),
    [
        ("create create move:new", 1),
        ("create find move:new,old,new", 1),
        ("create brief move:new", 1),
        ("create brief carry move:new", 0),
        ("create replicate move:new,old,new", 1),
    ],
)
def test_no_entity_is_lost_doubled_or_refused_in_any_interleaving(processes: str, crashes: int) -> None:
    protocol = Creation()
    explored = explore(protocol, World(), scope(protocol, processes), crashes=crashes)
    assert explored.states > 1_000


@pytest.mark.soak
@pytest.mark.parametrize(
    ("processes", "crashes"),
    [
        ("create create move:new,old", 1),
        ("create create find move:new,old", 0),
        ("create move:new,old move:new", 1),
    ],
)
def test_no_entity_is_lost_doubled_or_refused_in_a_larger_scope(processes: str, crashes: int) -> None:
    protocol = Creation()
    assert explore(protocol, World(), scope(protocol, processes), crashes=crashes).states > 10_000


class CountsWhatIsThere(Creation):
    """Gives the number of what is gone again."""

    def count_ever(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.count_on, mind._replace(number=max((number for number, _ in world.rows), default=0)))]


class CountsOnce(Creation):
    """Does not look again at what was made between looking and leaving."""

    def count_recent(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.tell_new, mind)]


class ForgetsWhatWaits(Creation):
    """Looks again only at what is there: an entity that came and went meanwhile is forgotten."""

    def count_recent(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.count_more, mind._replace(number=max((number for number, _ in world.rows), default=0)))]


class LeavesWhileOneIsMade(Creation):
    """Leaves the source while somebody makes an entity there."""

    def is_nobody_at_it(self, world: World) -> bool:
        return True


class MakesWithoutTheGate(Creation):
    """Looks at the gate, and does not ask in the transaction whether it still is so."""

    def is_open_as_seen(self, world: World, mind: Mind) -> bool:
        return True


class GoesBackWithWhatItHasWrittenBack(Creation):
    """Does not look in doubt for what was made since it was last looked for."""

    def back_look(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.enter_old, mind)]


class GivesARouteOfToday(Creation):
    """Gives an entity the epoch that EVERYTHING has by now."""

    def given_route(self, world: World, made: Own) -> Own:
        return Own(made.number, *world.route)


class LetsTheSourceCountOn(Creation):
    """Does not tell the source that the number of what comes back is taken."""

    def advanced(self, world: World, number: int) -> int:
        return world.auto


class TakesBackTheTargetFirst(Creation):
    """Does not fence whoever is about to let the source make entities."""

    def take_back(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.take_item, mind._replace(route=Turn(NEW, mind.item.epoch + 1)))]


class BelievesAHint(Creation):
    """Makes an entity where it was last made, without asking the gate's side again."""

    def insert_old(self, world: World, mind: Mind) -> Outcomes:
        after = world._replace(auto=world.auto + 1, gate=world.gate + 1)
        return [(after, self.commit_old, mind._replace(number=world.auto))]


BEGINNING = World()
ONE_IS_GONE = World(auto=2, routes=frozenset({Own(1, OLD, 0)}), ever=frozenset({1}))
ONE_IS_NEW = World(
    Turn(NEW, 1), Turn(NEW, 1), following=2, held=frozenset({Own(1, NEW, 1)}), documents=frozenset({(1, "x")}),
    marks=frozenset({1}), truth=frozenset({(1, "x")}), ever=frozenset({1}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("mutant", "world", "processes", "crashes"),
    [
        (CountsWhatIsThere, ONE_IS_GONE, "create move:new", 0),
        (CountsOnce, BEGINNING, "create create move:new", 0),
        (ForgetsWhatWaits, BEGINNING, "create brief move:new", 0),
        (LeavesWhileOneIsMade, BEGINNING, "create create move:new", 0),
        (MakesWithoutTheGate, BEGINNING, "create find move:new,old", 0),
        (GoesBackWithWhatItHasWrittenBack, BEGINNING, "create find move:new,old", 0),
        (GivesARouteOfToday, BEGINNING, "create move:new,old", 0),
        (LetsTheSourceCountOn, ONE_IS_NEW, "create move:old", 0),
        (TakesBackTheTargetFirst, BEGINNING, "create move:new,old", 0),
        (BelievesAHint, BEGINNING, "create create move:new", 0),
    ],
)
def test_every_step_of_making_is_needed(mutant: type[Creation], world: World, processes: str, crashes: int) -> None:
    protocol = Creation()
    explore(protocol, world, scope(protocol, processes), crashes=crashes)
    wrong = mutant()
    with pytest.raises(Broken):
        explore(wrong, world, scope(wrong, processes), crashes=crashes)
