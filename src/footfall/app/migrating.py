"""What a mover does: copies, follows, writes back, and hands over what an operator wants.

Any number of movers may run at once and be killed at any time: every act is conditional, and whoever is next goes on.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from footfall.migrate.copying import Ground, carry_now, copy_some
from footfall.migrate.following import follow_some
from footfall.migrate.handing_over import HandedOver, Handovers
from footfall.migrate.new_side import NewSide
from footfall.migrate.reporting import Blocked
from footfall.migrate.writing_back import BackWriter
from footfall.ports.errors import Throttled
from footfall.ports.relational import EVERYTHING, Side
from footfall.values.clock import Clock
from footfall.values.errors import Refused

PAGE = 200  # entities that are handed over between two rounds of following
SMALL_ROUNDS_MAX = 10  # of a page or less, one after the other: somebody writes all the time
TRIES_MAX = 1_000  # for one batch that others write all the time; each waits a little
PAUSE_S = 0.005
UNKNOWN_TOLD = 20  # keys that there are not; more are counted

Act = Callable[[Sequence[str]], HandedOver]


@dataclass(frozen=True, slots=True)
class Left:
    """What a handover of all entities could not hand over, and why."""

    refused: dict[str, str]


@dataclass(slots=True)
class Migrator:
    """One mover. One thread uses one."""

    ground: Ground
    clock: Clock
    pause: Callable[[float], None]
    refused: dict[str, str] = field(default_factory=dict[str, str])
    blocked: Blocked = field(default_factory=Blocked)

    @property
    def handovers(self) -> Handovers:
        """Return who hands over."""
        return Handovers(
            self.ground.relational, self._new, self.pause, lambda: time.perf_counter() * 1_000, self._was_blocked
        )

    def _was_blocked(self, blocked_ms: float) -> None:
        self.blocked = self.blocked.with_one(blocked_ms)

    @property
    def _new(self) -> NewSide:
        return NewSide(self.ground.table, self.ground.moving.outline, self.ground.moving.target)

    def go_round(self) -> int:
        """Copy, follow and write back some; return how many entities anything was done of."""
        copied = copy_some(self.ground, now_ms=self.clock.now_ms()).taken
        followed = self.follow()
        return copied + followed + self.write_back()

    def catch_up(self) -> None:
        """Go round until nothing is left to do, or time and again no more than people write meanwhile."""
        small_rounds = 0
        while (done := self.go_round()) and small_rounds < SMALL_ROUNDS_MAX:
            small_rounds = small_rounds + 1 if done <= PAGE else 0

    def write_back(self) -> int:
        """Write back some of what waits; return how many entities that were."""
        return BackWriter(self.ground.relational, self._new).write_back_round().written

    def hand_over_all(self) -> Left:
        """Hand everything over to the new side: first what is not there yet, then all that is."""
        self.catch_up()
        refused = dict(self._until_done([EVERYTHING], self.handovers.hand_over).refused)
        return Left(self._with_all(refused, Side.NEW, self._hand_over_page))

    def hand_back_all(self) -> Left:
        """Hand everything back to the old side: first what is not there yet, then all that is."""
        refused = dict(self._until_done([EVERYTHING], self.handovers.hand_back).refused)
        return Left(self._with_all(refused, Side.OLD, self.handovers.hand_back))

    def hand_over_some(self, keys: Sequence[str]) -> Left:
        """Hand entities over to the new side, or raise Refused, with nothing done, where there is no such entity."""
        self._require_known(keys)
        return Left(dict(self._until_done(keys, self._hand_over_page).refused))

    def hand_back_some(self, keys: Sequence[str]) -> Left:
        """Hand entities back to the old side, or raise Refused, with nothing done, where there is no such entity."""
        self._require_known(keys)
        return Left(dict(self._until_done(keys, self.handovers.hand_back).refused))

    def _require_known(self, keys: Sequence[str]) -> None:
        outline, new = self.ground.moving.outline, self._new
        untold = [key for key in keys if key != EVERYTHING and new.held(key) is None]
        with self.ground.relational.snapshot(outline) as snapshot:
            unknown = [seen.key for seen in snapshot.see(untold) if seen.document is None]
        if unknown:
            more = f" and {len(unknown) - UNKNOWN_TOLD} more" if len(unknown) > UNKNOWN_TOLD else ""
            told = ", ".join(unknown[:UNKNOWN_TOLD]) + more
            raise Refused("key", f"there is no {outline.entity} {told}; nothing was handed over, so look up the keys")

    def _with_all(self, refused: dict[str, str], to: Side, act: Act) -> dict[str, str]:
        """Do something with all that are there, then with those that are gone and still on another side."""
        for page in self._pages():
            self._with_page(page, act, refused)
        for side in Side:
            for page in self._routed(side) if side is not to else ():
                self._with_page([key for key in page if key not in refused], act, refused)
        return refused

    def _with_page(self, page: Sequence[str], act: Act, refused: dict[str, str]) -> None:
        told = self._until_done(page, act)
        for key in told.done:
            refused.pop(key, None)  # What stood in its way before is over.
        refused |= told.refused

    def _hand_over_page(self, keys: Sequence[str]) -> HandedOver:
        told = self.handovers.hand_over(keys)
        if told.behind:
            carry_now(self.ground, [key for key in told.behind if key != EVERYTHING])
        return told

    def follow(self) -> int:
        """Follow some, and finish handovers that stand in the way of it; return of how many entities."""
        told = follow_some(self.ground)
        for key in told.early:
            self.handovers.settle(key)
        return told.entities + len(told.early)

    def _until_done(self, keys: Sequence[str], act: Act) -> HandedOver:
        """Do something with entities until it is done with each, or refused."""
        done: list[str] = []
        refused: dict[str, str] = {}
        left = list(keys)
        for _ in range(TRIES_MAX):
            told = act(left)
            done += told.done
            refused |= told.refused
            left = [*told.behind, *told.busy]
            if not left:
                return HandedOver(tuple(done), refused=refused)
            self.follow()  # Others are not to wait for those that are busy.
            self.pause(PAUSE_S)
        raise Throttled(f"{len(left)} entities are written all the time, such as {left[0]!r}; try again")

    def _pages(self) -> Iterator[Sequence[str]]:
        after: str | None = None
        while True:
            with self.ground.relational.snapshot(self.ground.moving.outline) as snapshot:
                page = snapshot.keys(after=after, limit=PAGE)
            if not page:
                return
            yield page
            after = page[-1]

    def _routed(self, side: Side) -> Iterator[Sequence[str]]:
        after: str | None = None
        while page := self.ground.relational.routed(self.ground.moving.outline, side, after=after, limit=PAGE):
            yield page
            after = page[-1]
