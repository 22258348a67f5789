"""Hands entities over, old to new and new to old, in the steps of docs/decisions/0050.

Each step is one conditional write, and what comes next is told by what both sides say: whoever meets a doubt, its mover
or another, looks at both and does the next step. So a mover may be killed between any two, and nobody waits for it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from footfall.migrate.moved import clock_of
from footfall.migrate.new_side import Held, NewSide, is_behind
from footfall.migrate.writing_back import BackWriter, NotWrittenBack
from footfall.ports.errors import Throttled
from footfall.ports.relational import EVERYTHING, Relational, Route, Side
from footfall.values.errors import FootfallError, Refused

BATCH_MAX = 8  # entities that are in doubt at a time: a few milliseconds for all of them
LOOKS_MAX = 100  # at a doubt; each is a step that somebody else was faster with
PAUSE_S = 0.001  # before another look where somebody stood in the way


class StillInDoubt(FootfallError):
    """A handover was neither finished nor taken back, however often it was looked at; try again."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What became of a batch."""

    done: tuple[str, ...]
    behind: tuple[str, ...] = ()  # They have to be carried over first.
    busy: tuple[str, ...] = ()  # Somebody writes them now; try again.
    refused: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Handovers:
    """Handovers of the entities of one outline. One thread uses one; any number may be at it."""

    source: Relational
    new: NewSide
    pause: Callable[[float], None]
    now_ms: Callable[[], float] = lambda: 0.0  # by which doubts are measured ...
    blocked: Callable[[float], None] = lambda _ms: None  # ... and who is told how long each was

    def hand_over(self, keys: Sequence[str]) -> HandedOver:
        """Hand entities over from old to new, those that nobody writes now and that the table has as they are."""
        told = [self.hand_over_batch(keys[at : at + BATCH_MAX]) for at in range(0, len(keys), BATCH_MAX)]
        return _joined(told)

    def hand_over_batch(self, keys: Sequence[str]) -> HandedOver:
        """Hand a few entities over at once: they are in doubt together, and as long as all of them take."""
        assert len(keys) <= BATCH_MAX
        held = {key: found for key in keys if (found := self.new.held(key)) is not None}
        routes = self.source.routes(self.new.outline, keys)
        done = [key for key, one in held.items() if one.side is routes[key].side is Side.NEW]
        # Somebody was killed between two steps: perhaps only the source has not been told.
        met = [key for key, one in held.items() if key not in done and (one.side, routes[key].side) != _BOTH_OLD]
        ready, behind = self._ready({key: one for key, one in held.items() if key not in {*done, *met}})
        refused = {key: held[key].moved.refused for key in ready if held[key].moved.refused}
        ready = [key for key in ready if key not in refused]
        fences = {key: held[key].moved.fence for key in ready}
        if EVERYTHING in ready:
            self._count_on(is_recent=False)  # All that ever was is looked at while anybody may still make more.
        began_ms = self.now_ms()
        left = self.source.leave(self.new.outline, ready, fences=fences) if ready else dict[str, Route]()
        self._tell_new(held, left)
        for _ in left:
            self.blocked(self.now_ms() - began_ms)
        for key, route in left.items():
            # Where another was faster, or stands in the way, the look at both sides that follows sees it.
            with suppress(Throttled):
                self.source.enter(self.new.outline, key, _after(route, Side.NEW, route.epoch), expects=route)
        for key in [*left, *met]:
            (done if self.settle(key) is Side.NEW else behind).append(key)
        missing = [key for key in keys if key not in held]
        busy = tuple(key for key in ready if key not in left)
        return HandedOver(tuple(done), (*behind, *missing), busy, refused)

    def _tell_new(self, held: Mapping[str, Held], left: Mapping[str, Route]) -> None:
        with self.new.table.together():  # One wait for the disk, on one machine.
            for key, route in left.items():
                self._told_new(key, held[key], route)

    def hand_back(self, keys: Sequence[str]) -> HandedOver:
        """Hand entities back from new to old, each with all that was written to it."""
        told = [self.hand_back_batch(keys[at : at + BATCH_MAX]) for at in range(0, len(keys), BATCH_MAX)]
        return _joined(told)

    def hand_back_batch(self, keys: Sequence[str]) -> HandedOver:
        """Hand a few entities back at once; those that this does not do for are handed back one by one."""
        assert len(keys) <= BATCH_MAX
        done: list[str] = []
        busy: list[str] = []
        refused: dict[str, str] = {}
        ready = self._ready_back(keys)
        began_ms = self.now_ms()
        doubted = self._doubt_together(ready)
        entered = self._tell_old(doubted)
        for _ in entered:
            self.blocked(self.now_ms() - began_ms)
        for key in keys:
            try:
                if key in doubted and key not in entered:
                    self.settle(key)
                    self.blocked(self.now_ms() - began_ms)
                is_done = key in entered or self._hand_back_one(key)
                (done if is_done else busy).append(key)
            except Throttled:
                busy.append(key)
            except NotWrittenBack as error:
                refused |= {key: str(error), **error.refused}
            except Refused as error:
                refused[key] = str(error)
        return HandedOver(tuple(done), busy=tuple(busy), refused=refused)

    def _ready_back(self, keys: Sequence[str]) -> Mapping[str, Held]:
        """Write entities back while writes are taken, so that the doubt is short; return those that are there now."""
        routes = self.source.routes(self.new.outline, keys)
        back, ready = BackWriter(self.source, self.new), dict[str, Held]()
        for key in keys:
            held = self.new.held(key) if key != EVERYTHING and routes[key].side is Side.NEW else None
            if held is not None and held.side is Side.NEW:
                with suppress(Refused, Throttled):  # Whoever hands it back alone tells.
                    if back.write_back(key):
                        ready[key] = held
        return ready

    def _doubt_together(self, ready: Mapping[str, Held]) -> list[str]:
        with self.new.table.together():
            return [
                key
                for key, held in ready.items()
                if self.new.turn(key, held, Side.DOUBT, epoch=held.epoch + 1, clock=0)
            ]

    def _tell_old(self, doubted: Sequence[str]) -> frozenset[str]:
        """Give the old side what is in doubt and lacks nothing there, then tell the new one; return those."""
        if not doubted:
            return frozenset()
        routes, entered = self.source.routes(self.new.outline, doubted), dict[str, Held]()
        for key in doubted:
            held, route = self.new.held(key), routes[key]
            if held is None or (route.side, held.side, held.epoch - route.epoch) != (Side.NEW, Side.DOUBT, 1):
                continue
            if self.new.mark(key) is None or route.written_back >= held.moved.fence:
                with suppress(Throttled):
                    after = _after(route, Side.OLD, held.epoch)
                    if self.source.enter(self.new.outline, key, after, expects=route):
                        entered[key] = held
        with self.new.table.together():
            return frozenset(
                key
                for key, held in entered.items()
                if self.new.turn(key, held, Side.OLD, epoch=held.epoch, clock=routes[key].clock)
            )

    def _hand_back_one(self, key: str) -> bool:
        back = BackWriter(self.source, self.new)
        if self.settle(key) is not Side.NEW:
            return True
        # While writes are taken, so that the doubt is short.
        if key == EVERYTHING:
            self._write_back_all(back)
        elif not back.write_back(key):
            return False
        held = self.new.held(key)
        if held is None or held.side is not Side.NEW:
            return held is None or self.settle(key) is Side.OLD
        began_ms = self.now_ms()
        if not self.new.turn(key, held, Side.DOUBT, epoch=held.epoch + 1, clock=0):
            return False
        side = self.settle(key)
        self.blocked(self.now_ms() - began_ms)
        return side is Side.OLD

    def settle(self, key: str) -> Side:
        """Finish whatever handover an entity is in, and return who answers for it now."""
        refused: Refused | None = None
        for _ in range(LOOKS_MAX):
            held = self.new.held(key)
            route = self.source.routes(self.new.outline, [key])[key]
            if held is None or (held.side is route.side and route.side is not Side.DOUBT):
                if refused is not None:
                    raise refused
                return route.side
            try:
                self._step(key, held, route, is_taken_back=refused is not None)
            except Refused as error:
                refused = error  # The old side does not take what is written here, so that here it stays.
            except Throttled:
                self.pause(PAUSE_S)
        raise StillInDoubt(f"{key!r} of {self.new.outline.entity}: others were faster {LOOKS_MAX} times; try again")

    def _step(self, key: str, held: Held, route: Route, *, is_taken_back: bool) -> None:
        """Do the one step that comes after what both sides say; nothing where one has changed meanwhile."""
        ahead = held.epoch - route.epoch
        match route.side, held.side:
            case Side.DOUBT, Side.OLD if ahead == -1 and clock_of(held.moved.fence) == route.clock:
                self._told_new(key, held, route)
            case Side.DOUBT, _ if ahead >= 0:
                self.source.enter(self.new.outline, key, _after(route, Side.NEW, route.epoch), expects=route)
            case Side.NEW, Side.DOUBT if ahead == 1 and is_taken_back:
                self.source.enter(self.new.outline, key, _after(route, Side.NEW, route.epoch + 2), expects=route)
            case Side.NEW, Side.DOUBT if ahead == 1:
                self._told_old(key, held, route)
            case Side.NEW, Side.DOUBT if ahead == -1:
                self.new.turn(key, held, Side.NEW, epoch=route.epoch, clock=clock_of(held.moved.fence))
            case ((Side.OLD | Side.DOUBT), Side.DOUBT) if ahead in (0, -1):
                # The source had it, and may have been left again since.
                self.new.turn(key, held, Side.OLD, epoch=held.epoch, clock=route.clock)
            case _:
                pass  # The two were read at two moments.

    def take_back(self, key: str) -> Side:
        """Let the new side keep what was to be handed back, where the old one does not have it yet."""
        held = self.new.held(key)
        route = self.source.routes(self.new.outline, [key])[key]
        if held is not None and held.side is Side.DOUBT and (route.side, held.epoch - route.epoch) == (Side.NEW, 1):
            self._step(key, held, route, is_taken_back=True)
        return self.settle(key)

    def _told_new(self, key: str, held: Held, route: Route) -> None:
        if key == EVERYTHING:
            self._count_on(is_recent=True)  # What was made since is there, was carried over, or waits.
        if held.epoch == route.epoch - 1:
            self.new.turn(key, held, Side.NEW, epoch=route.epoch, clock=route.clock)

    def _told_old(self, key: str, held: Held, route: Route) -> None:
        """Give the old side what it lacks, or, once it has that, the entity."""
        back = BackWriter(self.source, self.new)
        if key == EVERYTHING:
            self._write_back_all(back)
        elif self.new.mark(key) is not None and route.written_back < held.moved.fence:
            back.write_back(key)
            return
        self.source.enter(self.new.outline, key, _after(route, Side.OLD, held.epoch), expects=route)

    def _write_back_all(self, back: BackWriter) -> None:
        """Write back all that was made on the new side, so that the old one has a route of its own for each.

        Raises NotWrittenBack where it has not: nobody would look here any more for what it was never told of.
        """
        refused: dict[str, str] = {}
        for key in list(back.waiting()):
            try:
                # Where somebody hands it back at this moment, that is finished first.
                if not back.write_back(key) and self.settle(key) is Side.NEW and not back.write_back(key):
                    refused[key] = "others hand it over and back all the time; try again"
            except (Refused, StillInDoubt) as error:
                refused[key] = str(error)
        if refused:
            raise NotWrittenBack(self.new.outline.entity, refused)

    def _ready(self, held: Mapping[str, Held]) -> tuple[list[str], list[str]]:
        if not held:
            return [], []
        with self.source.snapshot(self.new.outline) as snapshot:
            clocks = snapshot.clocks([key for key in held if key != EVERYTHING])
        behind = [key for key, clock in clocks.items() if is_behind(held[key], clock)]
        return [key for key in held if key not in behind], behind

    def _count_on(self, *, is_recent: bool) -> None:
        """Let numbers of entities that the new side makes begin after the last one of the old side."""
        last = self.source.last_key(self.new.outline, is_recent=is_recent)
        if last is not None:
            self.new.count_from(last)


_BOTH_OLD = (Side.OLD, Side.OLD)


def _after(route: Route, side: Side, epoch: int) -> Route:
    return Route(side, epoch, route.clock, route.written_back)


def _joined(told: Sequence[HandedOver]) -> HandedOver:
    return HandedOver(
        tuple(key for one in told for key in one.done),
        tuple(key for one in told for key in one.behind),
        tuple(key for one in told for key in one.busy),
        {key: why for one in told for key, why in one.refused.items()},
    )
