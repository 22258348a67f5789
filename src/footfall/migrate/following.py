"""Follows the source: what its triggers have noted is carried over, and then said to be done.

A notice says which entity changed, not how. So those of one entity are one, whoever reads the entity after them reads
at least what they tell, and doing it again changes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footfall.migrate.carrying import Carried, Outcome
from footfall.migrate.copying import CHUNK_ENTITIES, Ground, carry_now, settle
from footfall.migrate.looking_up import look_up_again
from footfall.ports.relational import NOTICES_MAX, Notice


@dataclass(frozen=True, slots=True)
class Followed:
    """How many notices were done, and how many entities they were about."""

    notices: int
    entities: int
    refused: int = 0
    early: tuple[str, ...] = ()  # Their handover has to be finished first; what they are about waits.


def follow_some(
    ground: Ground, *, limit: int = NOTICES_MAX, before_each: Callable[[int], None] | None = None
) -> Followed:
    """Carry over what waits, oldest first, and say that it is done; `before_each` may wait before a chunk is read."""
    outline = ground.moving.outline
    notices = ground.relational.waiting(outline, limit=limit)
    if not notices:
        return Followed(0, 0)
    keys = concerned(ground, notices)
    refused, early = 0, list[str]()
    for start in range(0, len(keys), CHUNK_ENTITIES):
        chunk = keys[start : start + CHUNK_ENTITIES]
        if before_each is not None:
            before_each(len(chunk))
        told = carry_now(ground, chunk)
        settle(ground, [one for one in told if _is_news(one)])
        refused += sum(one.outcome is Outcome.REFUSED for one in told)
        early += [one.key for one in told if one.outcome is Outcome.EARLY]
        early += look_up_again(ground, [one.key for one in told if one.outcome is Outcome.STALE])
    done = [one.id for one in notices if not early or (one.table is None and one.key not in early)]
    ground.relational.done(outline, done)
    return Followed(len(done), len(keys) - len(early), refused, tuple(early))


def concerned(ground: Ground, notices: Sequence[Notice]) -> list[str]:
    """Return the entities that notices are about, each once, in the order in which they were first noted."""
    shared = [one for one in notices if one.table is not None]
    if not shared:
        return list(dict.fromkeys(one.key for one in notices))
    with ground.relational.snapshot(ground.moving.outline) as snapshot:
        touched = {one.id: snapshot.touched_by(one) for one in shared}
    return list(dict.fromkeys(key for one in notices for key in touched.get(one.id, (one.key,))))


def _is_news(told: Carried) -> bool:
    """Tell whether the source does not know yet how far an entity has come."""
    return told.is_first or told.outcome in (Outcome.REFUSED, Outcome.UNCHANGED)
