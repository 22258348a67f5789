"""The client library of a move: an application reads and writes entities on whichever side answers for them.

Each side says for itself whether it does, in the same breath in which it answers: nothing that is remembered here can
make a read stale. What is remembered only tells whom to ask first.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from footfall.migrate.counted import Counted
from footfall.migrate.ending import ended_on
from footfall.migrate.handing_over import Handovers, StillInDoubt
from footfall.migrate.moved import Moved, clock_of
from footfall.migrate.new_side import Held, NewSide
from footfall.ports.errors import Changed, PortError
from footfall.ports.relational import EVERYTHING, Document, Relational, Route, Side
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

MOVED = "footfall: moved"  # how the gate of the old side begins what it says, whatever the driver makes of it
TURNS_MAX = 200  # from side to side; each is a handover that came between
PATIENCE_MS = 5  # for which a handover is left to whoever began it
PAUSE_S = 0.001
LIKELY_MAX = 100_000  # keys that are known to have been on the new side

T = TypeVar("T")
Change = Callable[[Document | None], tuple[Document | None, T]]


class Mode(StrEnum):
    """Whether entities of the old side are compared with what the new one has of them."""

    OLD = "old"
    SHADOW = "shadow"


@dataclass(slots=True)
class BothSides:
    """An entity's two sides as one. One thread uses one; all may share what they count.

    `old` callables do the application's own work in a transaction of their own, which they begin when they are called
    and roll back when it fails. They never answer from a cache. A write may be tried on both sides, and is done once.
    """

    source: Relational
    new: NewSide
    clock: Clock
    pause: Callable[[float], None]
    mode: Mode = Mode.OLD
    counted: Counted = field(default_factory=Counted)
    _likely_new: set[str] = field(default_factory=set[str])

    def read(self, key: str, *, old: Callable[[], T], new: Callable[[Document | None], T]) -> T:
        """Return what `old` reads, or what `new` makes of the rows that the table holds, whichever side answers."""
        is_new_first = key in self._likely_new
        for _ in range(TURNS_MAX):
            answer = self._read_new(key) if is_new_first else self._read_routed(key)
            if isinstance(answer, Held):
                self._remember(key, Side.NEW)
                self.counted.count("reads.new")
                return new(answer.moved.document)
            if answer is Side.OLD:
                self._remember(key, Side.OLD)
                self.counted.count("reads.old")
                return self._old(key, old, new)
            is_new_first = answer is Side.NEW
        raise StillInDoubt(f"{key!r} went from side to side {TURNS_MAX} times while it was read; try again")

    def _read_routed(self, key: str) -> Held | Side:
        """Ask the source who answers; OLD: it does, NEW: ask the table."""
        route = self._route(key)
        if route.side is Side.OLD:
            return Side.OLD
        held = self.new.held(key)
        if held is None:  # It is not there, and what is not there yet is made on the new side.
            return _NOTHING if route.side is Side.NEW else Side.NEW
        if route.side is Side.DOUBT and held.side is Side.DOUBT and held.epoch == route.epoch - 1:
            return Side.OLD  # The source had it, and nobody has been told that it was left.
        is_left = route.side is Side.DOUBT and held.side is Side.OLD and held.epoch == route.epoch - 1
        is_taken_back = route.side is Side.NEW and held.side is Side.DOUBT and held.epoch == route.epoch - 1
        return held if held.side is Side.NEW or is_left or is_taken_back else Side.NEW

    def _read_new(self, key: str) -> Held | Side:
        """Ask the table who answers; OLD: the source does, DOUBT: ask the source."""
        try:
            held = self.new.held(key)
        except PortError:
            if self._route(key).side is Side.OLD:
                return Side.OLD
            raise
        if held is None or held.side is Side.OLD:
            return Side.DOUBT
        if held.side is Side.NEW:
            return held
        # It is being handed back: nobody writes here, and the source says whether anybody may have written there.
        route = self._route(key)
        if route.side is Side.OLD:
            return Side.OLD
        return held if route.epoch == held.epoch - 1 else Side.DOUBT

    def write(self, key: str, *, old: Callable[[], T], change: Change[T]) -> T:
        """Do `old`, or on the new side what `change` makes of the rows there, whichever side takes writes.

        `change` is pure: it is given the document (None: there is none), and returns what becomes of it and the answer.
        """
        is_new_first = key in self._likely_new
        for _ in range(TURNS_MAX):
            if not is_new_first:
                done, answer = self._write_old(key, old)
                if done:
                    self._remember(key, Side.OLD)
                    return answer[0]
            done, answer = self._write_new(key, change)
            if done:
                self._remember(key, Side.NEW)
                return answer[0]
            is_new_first = self._side_after_doubt(key) is Side.NEW
        raise StillInDoubt(f"{key!r} went from side to side {TURNS_MAX} times while it was written; try again")

    def create(self, *, old: Callable[[], T], make: Callable[[str], tuple[Document, T]]) -> T:
        """Do `old`, which makes an entity, or make one on the new side under the key that `make` is given."""
        is_new_first = EVERYTHING in self._likely_new
        for _ in range(TURNS_MAX):
            if not is_new_first:
                done, answer = self._write_old(EVERYTHING, old)
                if done:
                    self._remember(EVERYTHING, Side.OLD)
                    return answer[0]
            made: list[T] = []

            def document(key: str, made: list[T] = made) -> Document:
                found, told = make(key)
                made[:] = [told]
                return found

            try:
                self.new.create(document)
            except Changed:
                is_new_first = self._side_after_doubt(EVERYTHING) is Side.NEW
                continue
            self._remember(EVERYTHING, Side.NEW)
            self.counted.count("writes.new")
            return made[0]
        raise StillInDoubt(f"new entities went from side to side {TURNS_MAX} times; try again")

    def _write_old(self, key: str, old: Callable[[], T]) -> tuple[bool, list[T]]:
        # The gate stops a write, and nothing stops what is read on the way to one that is never done: `no such metric`.
        if self._route(key).side is not Side.OLD:
            return False, []
        try:
            answer = old()
        except Exception as error:
            if MOVED not in _said(error):
                raise
            self.counted.count("gate.turned")
            return False, []
        self.counted.count("writes.old")
        return True, [answer]

    def _write_new(self, key: str, change: Change[T]) -> tuple[bool, list[T]]:
        for _ in range(TURNS_MAX):
            held = self.new.held(key)
            if held is None:
                return self._write_first(key, change)
            if held.side is not Side.NEW:
                return False, []
            document, answer = change(held.moved.document)
            try:
                self.new.write(key, held, document)
            except Changed:
                continue
            self.counted.count("writes.new")
            return True, [answer]
        return False, []

    def _write_first(self, key: str, change: Change[T]) -> tuple[bool, list[T]]:
        """Write an entity of which the table was never told, where it may."""
        if self._route(key).side is not Side.NEW:
            return False, []
        document, answer = change(None)
        if document is not None:
            try:
                self.new.create(lambda _key: document, key=key)
            except Changed:
                return False, []
        self.counted.count("writes.new")
        return True, [answer]

    def _side_after_doubt(self, key: str) -> Side:
        """Wait a moment for a handover that somebody began, then finish it; count how long that took."""
        began_ms = self.clock.now_ms()
        while True:
            held, route = self.new.held(key), self._route(key)
            if held is None or (held.side is route.side and route.side is not Side.DOUBT):
                side = route.side
                break
            if self.clock.now_ms() - began_ms >= PATIENCE_MS:
                side = self._settled(key)
                break
            self.pause(PAUSE_S)
        self.counted.was_blocked(self.clock.now_ms() - began_ms)
        return side

    def _settled(self, key: str) -> Side:
        self.counted.count("doubts.finished")
        try:
            return Handovers(self.source, self.new, self.pause).settle(key)
        except FootfallError:
            if self.new.held(key) is None:
                raise
            return self._route(key).side

    def _old(self, key: str, old: Callable[[], T], new: Callable[[Document | None], T]) -> T:
        answer = old()
        if self.mode is Mode.SHADOW:
            try:
                self._compare(key, answer, old, new)
            except FootfallError:  # Nobody is to suffer from a side that does not answer for anything yet.
                self.counted.count("shadow.failed")
        return answer

    def _compare(self, key: str, answer: T, old: Callable[[], T], new: Callable[[Document | None], T]) -> None:
        """Ask the new side, too; it differs only if it does a second time, with nothing written in between."""
        for is_last in (False, True):
            held = self.new.held(key)
            found = new(None if held is None else held.moved.document)
            if found == answer:
                self.counted.count("shadow.same")
                return
            before = self._clock(key)
            answer = old()
            is_same_moment = before == self._clock(key)
            if held is None or not is_same_moment or clock_of(held.moved.fence) != before:
                self.counted.count("shadow.behind")
                return
            if is_last and found != answer:
                self.counted.differed(key, f"old {answer!r:.500}, new {found!r:.500}")

    def _clock(self, key: str) -> int:
        with self.source.snapshot(self.new.outline) as snapshot:
            return snapshot.clocks([key])[key]

    def _route(self, key: str) -> Route:
        try:
            return self.source.routes(self.new.outline, [key])[key]
        except (PortError, Refused):
            # The old side knows nothing any more of a migration that has ended, or is there no more.
            side = ended_on(self.new.table, self.new.outline.entity)
            if side is None:
                raise
            return Route(side, 0)

    def _remember(self, key: str, side: Side) -> None:
        if side is Side.OLD:
            self._likely_new.discard(key)
        elif key not in self._likely_new:
            if len(self._likely_new) >= LIKELY_MAX:
                self._likely_new.clear()
            self._likely_new.add(key)


def _said(error: BaseException | None) -> str:
    """Return all that an error and those that it came from say: drivers wrap what a database told them."""
    told: list[str] = []
    while error is not None and len(told) < 10:
        told.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(told)


_NOTHING = Held(Moved(0, Side.NEW, 0, None), ())
