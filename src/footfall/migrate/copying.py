"""Copies entities that wait to be moved: takes some, carries them over in chunks, and says how far each has come.

Every function may be called again after it was stopped anywhere: copies are fenced, and what was taken and not settled
is taken again when its time is over.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from footfall.migrate.carrying import Carried, Carrier, Outcome
from footfall.migrate.mapping import Moving
from footfall.ports.relational import TAKEN_MAX, Relational, State
from footfall.ports.table import Table

CHUNK_ENTITIES = 100  # read in one snapshot: some milliseconds of the source's time
TAKEN_FOR_MS = 60_000  # Whoever is not heard of for so long was stopped.


@dataclass(frozen=True, slots=True)
class Ground:
    """From where, to where, and what."""

    relational: Relational
    table: Table
    moving: Moving

    is_repairing: bool = False  # What is there already is written once more, over whatever lies in its place.

    @property
    def carrier(self) -> Carrier:
        """Return who carries entities over."""
        return Carrier(self.table, self.moving.outline, self.moving.target, is_repairing=self.is_repairing)


@dataclass(frozen=True, slots=True)
class Copied:
    """How many entities were taken, and what became of them."""

    taken: int
    outcomes: tuple[tuple[Outcome, int], ...] = ()

    def count(self, outcome: Outcome) -> int:
        """Return how many came to this."""
        return dict(self.outcomes).get(outcome, 0)


def copy_some(
    ground: Ground, *, now_ms: int, limit: int = TAKEN_MAX, before_each: Callable[[int], None] | None = None
) -> Copied:
    """Take entities that wait and copy them; `before_each` may wait before a chunk of so many is read."""
    keys = take(ground, now_ms=now_ms, limit=limit)
    outcomes = Counter[Outcome]()
    for start in range(0, len(keys), CHUNK_ENTITIES):
        chunk = keys[start : start + CHUNK_ENTITIES]
        if before_each is not None:
            before_each(len(chunk))
        outcomes.update(one.outcome for one in copy(ground, chunk))
    return Copied(len(keys), tuple(sorted(outcomes.items())))


def take(ground: Ground, *, now_ms: int, limit: int = TAKEN_MAX) -> Sequence[str]:
    """Take entities that wait, so that no other mover takes them for a while."""
    return ground.relational.take(ground.moving.outline, limit=limit, now_ms=now_ms, until_ms=now_ms + TAKEN_FOR_MS)


def copy(ground: Ground, keys: Sequence[str]) -> list[Carried]:
    """Copy entities as they are now, and say how far they have come."""
    told = carry_now(ground, keys)
    settle(ground, told)
    return told


def carry_now(ground: Ground, keys: Sequence[str]) -> list[Carried]:
    """Carry entities over as they are now."""
    with ground.relational.snapshot(ground.moving.outline) as snapshot:
        # Of one moment: rows of one epoch with the fence of another would pass for newer than they are.
        seen, routes = snapshot.see(keys), snapshot.routes(keys)
    return ground.carrier.carry(seen, routes)


def settle(ground: Ground, told: Iterable[Carried]) -> None:
    """Say at the source how far entities have come."""
    outline, by_reason = ground.moving.outline, dict[str, list[str]]()
    for one in told:
        by_reason.setdefault(one.reason, []).append(one.key)
    for reason, keys in by_reason.items():
        state = State.SET_ASIDE if reason else State.MIGRATED
        ground.relational.settle(outline, keys, state, reason=reason)


def give_back(ground: Ground, keys: Sequence[str]) -> None:
    """Let entities wait again that were taken and could not be copied now; nothing has to be cleaned up."""
    ground.relational.settle(ground.moving.outline, keys, State.NOT_MIGRATED)


def set_aside(ground: Ground, keys: Sequence[str], *, reason: str) -> None:
    """Give up entities that cannot be copied: nothing of them stays in the table but the reason."""
    with ground.relational.snapshot(ground.moving.outline) as snapshot:
        seen, routes = snapshot.see(keys), snapshot.routes(keys)
    settle(ground, ground.carrier.set_aside(seen, routes, reason=reason))
