"""Makes sound what a verification found to differ: entities are carried over once more, and what is nobody's goes."""

from contextlib import suppress
from dataclasses import dataclass, replace

from footfall.migrate import keys
from footfall.migrate.carrying import Carried, Outcome
from footfall.migrate.copying import CHUNK_ENTITIES, Ground, carry_now, settle
from footfall.migrate.verifying import Verified
from footfall.ports.errors import Changed
from footfall.ports.table import Delete, Key, Put


@dataclass(frozen=True, slots=True)
class Repaired:
    """How many entities were written again, how many items went, and which entities the table answers for itself."""

    carried: int
    removed: int
    not_ours: tuple[str, ...]


def repair(ground: Ground, verified: Verified) -> Repaired:
    """Repair the differences that a verification names; there may be more of them, so verify again after it."""
    entity = ground.moving.outline.entity
    named = sorted({one.key for one in verified.differences if one.key})
    told: list[Carried] = []
    # First what should not be there, so that nothing that is written now is taken for it.
    extra = [one for one in verified.differences if one.expected is None and not one.attribute]
    moves = {keys.moved(entity, key) for key in named}
    places = sorted({Key(one.partition, one.sort) for one in extra} - moves)
    for place in places:
        ground.table.delete(Delete(place))
    again = replace(ground, is_repairing=True)
    for start in range(0, len(named), CHUNK_ENTITIES):
        told += carry_now(again, named[start : start + CHUNK_ENTITIES])
    _recount(ground)
    settle(ground, [one for one in told if one.outcome in (Outcome.CARRIED, Outcome.REFUSED)])
    not_ours = tuple(one.key for one in told if one.outcome is Outcome.STALE)
    return Repaired(len(told) - len(not_ours), len(places), not_ours)


def _recount(ground: Ground) -> None:
    """Have the table tell as many entities as it has by now."""
    for one in ground.moving.target.totals(ground.table):
        if one.told != one.lines:
            with suppress(Changed):  # Who changed it counts on; the verification that follows tells.
                if isinstance(one.mending, Put):
                    ground.table.put(one.mending)
                else:
                    ground.table.update(one.mending)
