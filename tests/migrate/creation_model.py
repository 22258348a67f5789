"""Making new entities while EVERYTHING goes over and back, as a model of single atomic steps.

What nobody may ever see: an entity that was acknowledged and is not found, one number that was given twice, one wish
that made two entities, one that either side refuses, two sides that both make some.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tests.migrate.handover_model import DOUBT, NEW, OLD
from tests.migrate.interleavings import Broken

Made = frozenset[tuple[int, str]]  # number and token


class Turn(NamedTuple):
    """Who makes new entities, as one of the sides says it, and since which handover."""

    side: str = OLD
    epoch: int = 0


class Own(NamedTuple):
    """An entity's own route at the source, or what the table says of it."""

    number: int
    side: str
    epoch: int


class World(NamedTuple):
    """Both databases."""

    route: Turn = Turn()  # of EVERYTHING, at the source ...
    item: Turn = Turn()  # ... and at the target
    gate: int = 0  # transactions that hold the route's shared lock
    auto: int = 1  # the number that the source gives next
    following: int = 0  # and the target; 0: it has none yet
    rows: Made = frozenset()
    routes: frozenset[Own] = frozenset()
    notices: frozenset[int] = frozenset()  # of what was made at the source and not carried over
    held: frozenset[Own] = frozenset()
    documents: Made = frozenset()
    marks: frozenset[int] = frozenset()
    truth: Made = frozenset()  # nobody has it: what was committed, whichever side took it
    ever: frozenset[int] = frozenset()  # the numbers of all that was, also of what is gone


class Mind(NamedTuple):
    """What a process remembers between two steps."""

    token: str = ""
    jobs: tuple[str, ...] = ()
    number: int = 0
    route: Turn = Turn()
    item: Turn = Turn()
    left: tuple[int, ...] = ()
    is_brief: bool = False


Step = Callable[[World, Mind], "Outcomes"]
Outcomes = Iterable[tuple[World, Step | None, Mind]]


def committed(world: World, number: int, token: str) -> World:
    """Return a world that has one entity more."""
    if number in world.ever:
        raise Broken(f"{number} was given to {token}, though it was another's: {world}")
    if token in {made for _, made in world.truth}:
        raise Broken(f"{token} was made twice: {world}")
    return world._replace(truth=world.truth | {(number, token)}, ever=world.ever | {number})


def own(owns: frozenset[Own], number: int) -> Own | None:
    return next((one for one in owns if one.number == number), None)


class Creation:
    """The protocol. Mutants of it are classes that get one step wrong."""

    def require_sound(self, world: World, *, is_over: bool) -> None:
        """Only one side makes entities, and in the end each is where its route says."""
        if world.route.side == OLD and world.item.side == NEW:
            raise Broken(f"both sides make entities: {world}")
        for number, token in world.truth if is_over else ():
            told = own(world.routes, number) or world.route
            if (number, token) not in (world.rows if told.side == OLD else world.documents):
                raise Broken(f"{token} was made and is not there: {world}")
        for number in world.marks if is_over else ():
            if not self.written_back(world, number)[1]:
                raise Broken(f"{number} was made and can never be written back: {world}")

    def freed(self, world: World, step: str) -> World:
        """A transaction whose client is gone is rolled back, and its locks with it."""
        return world._replace(gate=world.gate - 1) if step == "commit_old" else world

    def nothing(self) -> Mind:
        return Mind()

    # --- whoever makes an entity ---------------------------------------------------------------------

    def create(self, world: World, mind: Mind) -> Outcomes:
        """Ask either side first: a hint may be as old as it likes."""
        return [(world, self.create_old, mind), (world, self.create_new, mind)]

    def brief(self, world: World, mind: Mind) -> Outcomes:
        """Make an entity, and remove it again where that was at the source."""
        return self.create(world, mind._replace(is_brief=True))

    def create_old(self, world: World, mind: Mind) -> Outcomes:
        return [(world, self.insert_old if world.route.side == OLD else self.create_new, mind)]

    def insert_old(self, world: World, mind: Mind) -> Outcomes:
        """The source gives a number first, and does not take it back when the gate refuses."""
        number, after = world.auto, world._replace(auto=world.auto + 1)
        if world.route.side != OLD:
            return [(after, self.create_new, mind)]
        if number in {taken for taken, _ in world.rows}:
            raise Broken(f"{mind.token} was refused: the source has a {number} already: {world}")
        return [(after._replace(gate=world.gate + 1), self.commit_old, mind._replace(number=number))]

    def commit_old(self, world: World, mind: Mind) -> Outcomes:
        number = mind.number
        routes = world.routes | {Own(number, OLD, world.route.epoch)}
        rows, notices = world.rows | {(number, mind.token)}, world.notices | {number}
        after = committed(world, number, mind.token)
        after = after._replace(rows=rows, routes=routes, notices=notices, gate=world.gate - 1)
        return [(after, self.remove_old, mind) if mind.is_brief else (after, None, Mind())]

    def remove_old(self, world: World, mind: Mind) -> Outcomes:
        gone = {(mind.number, mind.token)}
        notices = world.notices | {mind.number}
        return [(world._replace(rows=world.rows - gone, truth=world.truth - gone, notices=notices), None, Mind())]

    def create_new(self, world: World, mind: Mind) -> Outcomes:
        after = self.number_new if world.item.side == NEW else self.settle
        return [(world, after, mind._replace(item=world.item))]

    def number_new(self, world: World, mind: Mind) -> Outcomes:
        if not world.following:
            raise Broken(f"{mind.token} was refused: the target has no numbers: {world}")
        return [(world, self.commit_new, mind._replace(number=world.following))]

    def commit_new(self, world: World, mind: Mind) -> Outcomes:
        """One transaction: the gate and the number are as they were, and nothing is known of that number."""
        if own(world.held, mind.number) is not None:
            return [(world._replace(following=max(world.following, mind.number + 1)), self.create_new, mind)]
        if not self.is_open_as_seen(world, mind) or world.following != mind.number:
            return [(world, self.create_new, mind)]
        after = committed(world, mind.number, mind.token)
        held = world.held | {Own(mind.number, NEW, mind.item.epoch)}
        documents, marks = world.documents | {(mind.number, mind.token)}, world.marks | {mind.number}
        after = after._replace(held=held, documents=documents, marks=marks, following=mind.number + 1)
        return [(after, None, Mind())]

    def is_open_as_seen(self, world: World, mind: Mind) -> bool:
        return world.item == mind.item

    # --- whoever moves, and whoever meets its doubt --------------------------------------------------

    def move(self, world: World, mind: Mind) -> Outcomes:
        if not mind.jobs:
            return [(world, None, Mind())]
        done = mind._replace(jobs=mind.jobs[1:], item=world.item)
        if mind.jobs[0] == NEW:
            return [(world, self.count_ever if world.item.side == OLD else self.settle, done)]
        return [(world, self.back_early if world.item.side == NEW else self.settle, done)]

    def count_ever(self, world: World, mind: Mind) -> Outcomes:
        """Look at all that ever was while anybody may still make more."""
        number = max((number for number, *_ in (*world.rows, *world.routes)), default=0)
        return [(world, self.count_on, mind._replace(number=number))]

    def count_on(self, world: World, mind: Mind) -> Outcomes:
        return [(world._replace(following=max(world.following, mind.number + 1)), self.leave, mind)]

    def leave(self, world: World, mind: Mind) -> Outcomes:
        """Step 1: where nobody makes one at this moment."""
        if not self.is_nobody_at_it(world) or world.route != mind.item:
            return [(world, self.settle, mind)]
        route = Turn(DOUBT, world.route.epoch + 1)
        return [(world._replace(route=route), self.count_recent, mind._replace(route=route))]

    def is_nobody_at_it(self, world: World) -> bool:
        return world.gate == 0

    def count_recent(self, world: World, mind: Mind) -> Outcomes:
        """What was made since all was looked at is there, was carried over, or waits."""
        number = max((number for number in (*(one for one, _ in world.rows), *world.notices)), default=0)
        return [(world, self.count_more, mind._replace(number=number))]

    def count_more(self, world: World, mind: Mind) -> Outcomes:
        return [(world._replace(following=max(world.following, mind.number + 1)), self.tell_new, mind)]

    def tell_new(self, world: World, mind: Mind) -> Outcomes:
        """Step 2."""
        if world.item == mind.item:
            world = world._replace(item=Turn(NEW, mind.route.epoch))
        return [(world, self.settle, mind)]

    def back_early(self, world: World, mind: Mind) -> Outcomes:
        """Write back what was made while more is made, so that the doubt is short."""
        return [(world, self.back_all, mind._replace(left=tuple(sorted(world.marks)), route=Turn(NEW, -1)))]

    def back_doubt(self, world: World, mind: Mind) -> Outcomes:
        """Step 1: none is made at the target from here on."""
        if world.item == mind.item:
            world = world._replace(item=Turn(DOUBT, world.item.epoch + 1))
        return [(world, self.settle, mind)]

    def settle(self, world: World, mind: Mind) -> Outcomes:
        """Look at the target first, then at the source, and do the one step that comes next."""
        return [(world, self.settle_route, mind._replace(item=world.item))]

    def settle_route(self, world: World, mind: Mind) -> Outcomes:
        route, item, known = world.route, mind.item, mind._replace(route=world.route)
        ahead = item.epoch - route.epoch
        if route.side == item.side != DOUBT:
            return [(world, self.settled, known)]
        match route.side, item.side, ahead:
            case "doubt", "old", -1:
                return [(world, self.count_recent, known)]
            case "doubt", _, _ if ahead >= 0:
                return [(world, self.told_route, known)]
            case "new", "doubt", 1:
                return [(world, self.back_look, known), (world, self.take_back, known)]
            case "new", "doubt", -1:
                return [(world, self.take_item, known)]
            case (("old" | "doubt"), "doubt", (0 | -1)):
                return [(world, self.tell_old, known)]
            case _:
                return [(world, self.settle, known)]  # The two were read at two moments.

    def settled(self, world: World, mind: Mind) -> Outcomes:
        after = self.move if not mind.token else self.create_old if mind.route.side == OLD else self.create_new
        return [(world, after, Mind(token=mind.token, jobs=mind.jobs, is_brief=mind.is_brief))]

    def told_route(self, world: World, mind: Mind) -> Outcomes:
        """Step 3 of old to new."""
        return [(self.entered(world, mind, Turn(NEW, mind.route.epoch)), self.settle, mind)]

    def back_look(self, world: World, mind: Mind) -> Outcomes:
        """Nobody makes any more, so that these are all."""
        return [(world, self.back_all, mind._replace(left=tuple(sorted(world.marks))))]

    def back_all(self, world: World, mind: Mind) -> Outcomes:
        """Write back one of those that are left."""
        if not mind.left:
            return [(world, self.back_doubt if mind.route.epoch < 0 else self.enter_old, mind)]
        number = mind.left[0]
        after, is_there = self.written_back(world, number)
        if not is_there:  # What the source refuses is rolled back, and EVERYTHING stays.
            return [(world, self.settle if mind.route.epoch < 0 else self.take_back, mind._replace(left=()))]
        return [(after, self.back_unmark, mind)]

    def back_unmark(self, world: World, mind: Mind) -> Outcomes:
        marks = world.marks - {mind.left[0]}
        return [(world._replace(marks=marks), self.back_all, mind._replace(left=mind.left[1:]))]

    def enter_old(self, world: World, mind: Mind) -> Outcomes:
        """Step 2 of new to old."""
        return [(self.entered(world, mind, Turn(OLD, mind.item.epoch)), self.settle, mind)]

    def tell_old(self, world: World, mind: Mind) -> Outcomes:
        """Step 3 of new to old."""
        if world.item == mind.item:
            world = world._replace(item=Turn(OLD, mind.item.epoch))
        return [(world, self.settle, mind)]

    def take_back(self, world: World, mind: Mind) -> Outcomes:
        return [(self.entered(world, mind, Turn(NEW, mind.route.epoch + 2)), self.settle, mind)]

    def take_item(self, world: World, mind: Mind) -> Outcomes:
        if world.item == mind.item:
            world = world._replace(item=Turn(NEW, mind.route.epoch))
        return [(world, self.settle, mind)]

    def entered(self, world: World, mind: Mind, route: Turn) -> World:
        return world._replace(route=route) if world.route == mind.route else world

    # --- back replication and following --------------------------------------------------------------

    def written_back(self, world: World, number: int) -> tuple[World, bool]:
        """Give the source one entity, and a route of the epoch that it was made in, while EVERYTHING is there."""
        made = own(world.held, number)
        assert made is not None
        route = own(world.routes, number)
        if route is None:
            route = self.given_route(world, made)
            world = world._replace(routes=world.routes | {route})
        if route.epoch != made.epoch:
            return world, False
        rows = world.rows | {one for one in world.documents if one[0] == number}
        return world._replace(rows=rows, auto=self.advanced(world, number)), True

    def given_route(self, world: World, made: Own) -> Own:
        if world.route.side == NEW:
            return Own(made.number, NEW, made.epoch)
        return Own(made.number, *world.route)

    def advanced(self, world: World, number: int) -> int:
        return max(world.auto, number + 1)

    def replicate(self, world: World, mind: Mind) -> Outcomes:
        if not world.marks:
            return [(world, None, Mind())]
        return [(world, self.replicate_one, mind._replace(number=number)) for number in world.marks]

    def replicate_one(self, world: World, mind: Mind) -> Outcomes:
        after, is_there = self.written_back(world, mind.number)
        return [(after, self.unmark, mind) if is_there else (world, None, Mind())]

    def unmark(self, world: World, mind: Mind) -> Outcomes:
        return [(world._replace(marks=world.marks - {mind.number}), None, Mind())]

    def carry(self, world: World, mind: Mind) -> Outcomes:
        """Tell the target of what was made at the source; then nobody is told of it again."""
        if not world.notices:
            return [(world, None, Mind())]
        return [(world, self.carry_put, mind._replace(number=number)) for number in world.notices]

    def carry_put(self, world: World, mind: Mind) -> Outcomes:
        if own(world.held, mind.number) is None:
            world = world._replace(held=world.held | {Own(mind.number, OLD, 0)})
        return [(world, self.carry_done, mind)]

    def carry_done(self, world: World, mind: Mind) -> Outcomes:
        return [(world._replace(notices=world.notices - {mind.number}), None, Mind())]

    # --- whoever looks for what was made -------------------------------------------------------------

    def find(self, world: World, mind: Mind) -> Outcomes:
        """Look for anything that was acknowledged before."""
        found = [(world, None, Mind())] if not world.truth else []
        for number, token in world.truth:
            asked = mind._replace(number=number, token=token)
            found += [(world, self.find_route, asked), (world, self.find_item, asked)]
        return found

    def find_route(self, world: World, mind: Mind) -> Outcomes:
        told = own(world.routes, mind.number) or world.route
        known = mind._replace(route=Turn(told.side, told.epoch))
        return [(world, self.find_rows if told.side == OLD else self.find_told, known)]

    def find_rows(self, world: World, mind: Mind) -> Outcomes:
        return self._found(world, mind, world.rows)

    def find_told(self, world: World, mind: Mind) -> Outcomes:
        held = own(world.held, mind.number)
        if held is not None and held.side == NEW:
            return self._found(world, mind, world.documents)
        if held is None and mind.route.side == NEW:
            return self._found(world, mind, frozenset())
        return [(world, self.find_item, mind)]

    def find_item(self, world: World, mind: Mind) -> Outcomes:
        held = own(world.held, mind.number)
        if held is not None and held.side == NEW:
            return self._found(world, mind, world.documents)
        return [(world, self.find_route, mind)]

    def _found(self, world: World, mind: Mind, there: Made) -> Outcomes:
        one = (mind.number, mind.token)
        if one in world.truth and one not in there:
            raise Broken(f"{mind.token} was made and not found: {world}")
        return [(world, None, Mind())]
