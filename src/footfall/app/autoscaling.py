"""A provisioned table that is looked after: its last minutes are read, a capacity is proposed, and set if it may be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from footfall.adapters.aws.account_calls import CallRefused, NotThere
from footfall.adapters.aws.table_capacity import ACTIVE, DIRECTIONS, Change, Provisioned, TableCapacity
from footfall.planning.scaling import Bounds, Capacity, Decreases, Minute, Proposal, Rule, minutes_back, proposed
from footfall.ports.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Watched:
    """One capacity of a table, what is proposed for it, and why."""

    index: str  # empty for the table itself
    direction: str
    use: float
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a table found."""

    at_ms: int
    status: str
    watched: Sequence[Watched]
    is_on_demand: bool
    was_applied: bool

    @property
    def changes(self) -> Sequence[Watched]:
        """What should be changed."""
        return [one for one in self.watched if one.proposal.before != one.proposal.after]


def look(table: TableCapacity, bounds: Mapping[str, Bounds], rule: Rule, *, now_ms: int, may_change: bool) -> Look:
    """Look at a table and its indexes once; change them where that is allowed and they can be changed now."""
    found = table.provisioned()
    status = next((one.status for one in found if one.status != ACTIVE), ACTIVE)
    if found[0].is_on_demand:
        return Look(now_ms, status, [], is_on_demand=True, was_applied=False)
    watched = [one for part in found for one in _watched(table, part, bounds, rule, now_ms)]
    told = Look(now_ms, status, watched, is_on_demand=False, was_applied=False)
    # A call while another is under way is refused, and one that waited would be about minutes long gone.
    if not (may_change and told.changes and status == ACTIVE):
        return told
    table.change(_change(found, told.changes))
    return Look(now_ms, status, watched, is_on_demand=False, was_applied=True)


def keep_looking(
    look_once: Callable[[], Look],
    tell: Callable[[Look], None],
    complain: Callable[[str], None],
    pause: Callable[[], None],
) -> None:
    """Look again and again until somebody stops it; what may be over by the next look is told and ends nothing."""
    while True:
        try:
            tell(look_once())
        except NotThere:
            raise
        except (CallRefused, Unavailable) as error:
            complain(f"{error}; the next look may find it otherwise.")
        pause()


def _watched(
    table: TableCapacity, part: Provisioned, bounds: Mapping[str, Bounds], rule: Rule, now_ms: int
) -> Sequence[Watched]:
    from_ms, to_ms = minutes_back(now_ms)
    decreases = Decreases(part.decreases_today, part.last_decrease_ms)
    found: list[Watched] = []
    for direction in DIRECTIONS:
        if direction not in bounds:
            continue
        minutes = table.minutes(part.index, direction, from_ms=from_ms, to_ms=to_ms)
        known = [Minute(one.at_ms, one.units, one.refused, one.hot) for one in minutes]
        seen = Capacity(part.units[direction], known, part.last_increase_ms)
        proposal = proposed(seen, bounds[direction], rule, decreases, now_ms=now_ms)
        found.append(Watched(part.index, direction, seen.use, proposal))
    return found


def _change(found: Sequence[Provisioned], changes: Sequence[Watched]) -> Change:
    # A call sets both directions, so the one that stays goes along as it is.
    units = {
        part.index: {
            **part.units,
            **{one.direction: one.proposal.after for one in changes if one.index == part.index},
        }
        for part in found
        if any(one.index == part.index for one in changes)
    }
    return Change(units.pop("", {}), units)
