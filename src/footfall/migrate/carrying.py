"""Carries entities over: what was seen of them at one moment becomes their items, unless something newer is there.

An entity's items, its move item and what tells others of it are one transaction, on the condition that the move item is
as it was read and has a lower fence. So anybody may carry anything again, at any time and in any order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from footfall.migrate import keys
from footfall.migrate.moved import Items, Moved, fence_of, item_of
from footfall.migrate.shapes import Change, Target
from footfall.migrate.stepping import Steps, steps_of
from footfall.ports.errors import Changed, TooLarge
from footfall.ports.items import Item, Unfit
from footfall.ports.relational import Outline, Route, Seen, Side
from footfall.ports.table import Absent, Action, Condition, Delete, Equals, Key, Put, Table
from footfall.values.errors import Refused

TRIES_MAX = 20  # Each failure is another mover, or a change of the catalogue, that was faster.
ACTIONS_MAX = 98  # of one transaction of at most 100, with room for what tells others of it
CHUNK_ENTITIES = 40  # written together: some 40 ms on one machine, in which nobody else writes
UNDERWAY = "underway"  # in a move item: the fence of what is being written in several transactions
NOTHING_YET = -1  # the fence of an entity whose first transactions are being written


class Outcome(StrEnum):
    """What became of an entity that was to be carried over."""

    CARRIED = "carried"
    UNCHANGED = "unchanged"  # Just this is there already.
    STALE = "stale"  # Something newer is there, or the table answers for it now.
    EARLY = "early"  # The table has yet to be told that it was handed back: carry it again after that.
    REFUSED = "refused"  # It cannot be moved as it is; nothing of it but the reason is in the table.


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of one entity; the reason is why it is set aside, if it is."""

    key: str
    outcome: Outcome
    reason: str = ""
    is_first: bool = False  # Nothing of it was there before, or only why it was set aside.


@dataclass(frozen=True, slots=True)
class _Before:
    """What the table said of an entity when it was read; `item` is None where it said nothing."""

    item: Item | None
    keys: frozenset[Key] = frozenset()

    @property
    def fence(self) -> int:
        found = NOTHING_YET if self.item is None else self.item["fence"]
        assert isinstance(found, int)
        return found

    @property
    def refused(self) -> str:
        return str((self.item or {}).get("refused", ""))

    @property
    def underway(self) -> int:
        found = (self.item or {}).get(UNDERWAY, NOTHING_YET)
        assert isinstance(found, int)
        return found

    @property
    def expects(self) -> tuple[Condition, ...]:
        """Return the conditions that it is still so."""
        if self.item is None:
            return (Absent(),)
        return tuple(Equals(name, self.item.get(name)) for name in ("fence", "side", "epoch", UNDERWAY))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an entity is to become, which is the same whatever lies in the table."""

    seen: Seen
    epoch: int
    items: Items
    refused: str = ""

    @property
    def fence(self) -> int:
        return fence_of(self.epoch, self.seen.clock)

    def is_early(self, before: _Before) -> bool:
        """Tell whether the source has it back in an epoch that the table is still in doubt of, or has not heard of."""
        if before.item is None:
            return False
        epoch, side = before.item["epoch"], before.item["side"]
        assert isinstance(epoch, int)
        return epoch < self.epoch or (epoch == self.epoch and side == Side.DOUBT.value)

    def is_at_odds(self, before: _Before) -> bool:
        """Tell whether the table answers for it, or is of another epoch."""
        item = before.item
        return item is not None and (item["side"] != Side.OLD.value or item["epoch"] != self.epoch)


@dataclass(frozen=True, slots=True)
class _Plan:
    wanted: _Wanted
    before: _Before
    move: Put
    puts: tuple[Put, ...]
    deletes: tuple[Delete, ...]

    @property
    def actions(self) -> list[Action]:
        return [*self.puts, *self.deletes, self.move]

    @property
    def change(self) -> Change:
        return Change(self.before.keys, self.wanted.items)


@dataclass(frozen=True, slots=True)
class Carrier:
    """Carries entities of one outline into a table.

    Whoever repairs writes what is there already once more, over whatever lies in its place.
    """

    table: Table
    outline: Outline
    target: Target
    is_repairing: bool = False

    def carry(self, seen: Sequence[Seen], routes: Mapping[str, Route]) -> list[Carried]:
        """Carry entities over, as they were seen while the source had these routes; the answer is in their order."""
        done: dict[str, Carried] = {}
        for start in range(0, len(seen), CHUNK_ENTITIES):
            chunk = [self._wanted(one, routes[one.key]) for one in seen[start : start + CHUNK_ENTITIES]]
            self._carry_chunk(chunk, done)
        taken = [one for one in seen if done[one.key].reason.startswith(_TAKEN)]
        for one in taken:  # What it met may have gone away with one that came after it.
            done[one.key] = self._carry_alone(self._wanted(one, routes[one.key]))
        return [done[one.key] for one in seen]

    def set_aside(self, seen: Sequence[Seen], routes: Mapping[str, Route], *, reason: str) -> list[Carried]:
        """Leave nothing of entities in the table but the reason, and the fence that keeps late copies away."""
        again = replace(self, is_repairing=True)  # It may be there already.
        wanted = [_Wanted(one, routes[one.key].epoch, {}, reason) for one in seen if routes[one.key].side is Side.OLD]
        return [again._carry_alone(one) for one in wanted]

    def _wanted(self, seen: Seen, route: Route) -> _Wanted | Carried:
        if route.side is not Side.OLD:
            return Carried(seen.key, Outcome.STALE)
        if seen.document is None:
            return _Wanted(seen, route.epoch, {})
        try:
            return _Wanted(seen, route.epoch, self.target.items(seen.key, seen.document))
        except Refused as error:
            return _Wanted(seen, route.epoch, {}, str(error))

    def _carry_chunk(self, chunk: Sequence[_Wanted | Carried], done: dict[str, Carried]) -> None:
        plans: list[_Plan] = []
        for one in chunk:
            planned = one if isinstance(one, Carried) else self._plan(one)
            if isinstance(planned, Carried):
                done[planned.key] = planned
            else:
                plans.append(planned)
        failed: list[_Plan] = []
        with self.table.together():
            for group in _groups(plans):
                try:
                    told = self.target.announced(self.table, [one.change for one in group])
                    self.table.transact([*(action for one in group for action in one.actions), *told])
                except (Changed, TooLarge, Refused):
                    failed += group
                else:
                    done |= {one.wanted.seen.key: _carried(one) for one in group}
        for one in failed:
            done[one.wanted.seen.key] = self._carry_alone(one.wanted)

    def _carry_alone(self, wanted: _Wanted | Carried) -> Carried:
        """Carry one entity over, however large it is and whoever else is changing it."""
        if isinstance(wanted, Carried):
            return wanted
        for _ in range(TRIES_MAX):
            plan = self._plan(wanted)
            if isinstance(plan, Carried):
                return plan
            try:
                self._write_alone(plan)
            except Changed:
                if taken := self._taken(plan):
                    wanted = replace(wanted, items={}, refused=taken)
                continue
            except (Refused, TooLarge, Unfit) as error:
                # Even its rows may be too large for an item; the source has them.
                seen = replace(wanted.seen, document=None) if wanted.refused else wanted.seen
                wanted = replace(wanted, seen=seen, items={}, refused=wanted.refused or str(error))
                continue
            return _carried(plan)
        raise Changed(f"{wanted.seen.key!r} is changed by others all the time; carry it again")

    def _write_alone(self, plan: _Plan) -> None:
        if len(plan.actions) <= ACTIONS_MAX:
            try:
                self.table.transact([*plan.actions, *self.target.announced(self.table, [plan.change])])
            except TooLarge:
                pass
            else:
                return
        steps = steps_of(plan.puts, plan.deletes)
        self._write_steps(plan, steps)

    def _write_steps(self, plan: _Plan, steps: Steps) -> None:
        """Write an entity in several transactions: first that it is being written, last what readers look at first."""
        fence, key = plan.wanted.fence, plan.move.key
        begun: dict[str, object] = dict(plan.before.item or {**plan.move.item, "fence": NOTHING_YET})
        if plan.before.item is None:
            begun = dict(item_of(Moved(NOTHING_YET, Side.OLD, plan.wanted.epoch, None)))
        both = plan.before.keys | plan.wanted.items.keys()
        begun |= {UNDERWAY: fence, "keys": _texts(both)}
        self.table.put(Put(key, begun, expects=plan.before.expects))  # pyright: ignore[reportArgumentType] - an item and two attributes more
        is_ours = Equals(UNDERWAY, fence)
        for step in steps.before(key, is_ours):
            self.table.transact(step)
        last = Put(key, plan.move.item, expects=(is_ours,))
        self.table.transact([*steps.last, last, *self.target.announced(self.table, [plan.change])])

    def _plan(self, wanted: _Wanted) -> _Plan | Carried:
        """Return what would carry an entity over, or what became of it without."""
        key, fence = wanted.seen.key, wanted.fence
        place = keys.moved(self.outline.entity, key)
        before = _before_from(self.table.get(place))
        if wanted.is_early(before):
            return Carried(key, Outcome.EARLY)
        if wanted.is_at_odds(before) or max(before.fence, before.underway) > fence:
            return Carried(key, Outcome.STALE, before.refused)
        reason = before.refused
        is_there = before.fence == fence and before.underway == NOTHING_YET
        if is_there and not reason.startswith(_TAKEN) and not self.is_repairing:  # What took its place may have gone.
            return Carried(key, Outcome.REFUSED if reason else Outcome.UNCHANGED, reason)
        new = () if self.is_repairing else (Absent(),)
        puts = [Put(at, item, expects=() if at in before.keys else new) for at, item in wanted.items.items()]
        deletes = [Delete(at) for at in sorted(before.keys - wanted.items.keys())]
        gone = self._gone(wanted, before)
        moved = Moved(fence, Side.OLD, wanted.epoch, wanted.seen.document, tuple(wanted.items), refused=wanted.refused)
        return _Plan(wanted, before, Put(place, item_of(moved), expects=before.expects), (*gone, *puts), tuple(deletes))

    def _gone(self, wanted: _Wanted, before: _Before) -> list[Put]:
        """Return what lists an entity among those that are gone, so that its items are looked for later."""
        is_gone = wanted.seen.document is None and not wanted.refused
        if not is_gone or before.item is None or "document" not in before.item:
            return []
        return [Put(keys.gone(self.outline.entity, wanted.seen.key), {"keys": _texts(before.keys)})]

    def _taken(self, plan: _Plan) -> str:
        """Return in whose place an entity would lie, where that is why it could not be written."""
        now = _before_from(self.table.get(plan.move.key))
        if now.keys != plan.before.keys or now.fence != plan.before.fence:
            return ""
        for put in plan.puts:
            if put.expects and self.table.get(put.key) is not None:
                return f"{_TAKEN} {put.key.partition} {put.key.sort} is there already, and is not of this entity"
        return ""


_TAKEN = "taken:"


def _carried(plan: _Plan) -> Carried:
    wanted, before = plan.wanted, plan.before
    outcome = Outcome.REFUSED if wanted.refused else Outcome.CARRIED
    return Carried(wanted.seen.key, outcome, wanted.refused, is_first=before.item is None or bool(before.refused))


def _groups(plans: Sequence[_Plan]) -> Iterator[list[_Plan]]:
    """Yield entities that one transaction may hold; those that are too large for one are alone."""
    group: list[_Plan] = []
    places: set[Key] = set()
    for plan in plans:
        own = {action.key for action in plan.actions}
        if group and (len(places) + len(own) > ACTIONS_MAX or places & own):
            yield group
            group, places = [], set()
        group.append(plan)
        places |= own
    if group:
        yield group


def _before_from(item: Item | None) -> _Before:
    if item is None:
        return _Before(None)
    told = item["keys"]
    assert isinstance(told, list)
    return _Before(item, frozenset(Key(*str(one).split("\n", 1)) for one in told))


def _texts(found: frozenset[Key]) -> list[str]:
    return [f"{key.partition}\n{key.sort}" for key in sorted(found)]
