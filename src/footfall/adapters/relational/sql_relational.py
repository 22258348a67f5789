"""A relational database that is being moved, in SQL that both kinds understand; how they differ is their dialects'."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from footfall.adapters.relational import notices, preparing, routing, states
from footfall.adapters.relational.dialects import Dialect
from footfall.adapters.relational.reading import SqlSnapshot, routes_seen
from footfall.adapters.relational.sessions import Busy, Session, transaction
from footfall.adapters.relational.shapes import Shape, require_fits, shape_of
from footfall.adapters.relational.writing_back import WritingBack
from footfall.ports.relational import Document, Notice, Outline, Problem, Route, Side, State

TRIES_MAX = 20  # of a small transaction that others stand in the way of,
PAUSE_S = 0.002  # so far apart
SETTLED_AT_ONCE = 500

Found = TypeVar("Found")


class SqlRelational:
    """One connection that writes, in small transactions, and one for each snapshot that is open at a time."""

    def __init__(self, dialect: Dialect, *, pause: Callable[[float], None]) -> None:
        self._dialect, self._pause = dialect, pause
        self._writer: Session | None = None
        self._readers: list[Session] = []
        self._shapes: dict[int, Shape] = {}

    def require(self, outline: Outline) -> None:
        """Raise Refused unless the outline fits the database: tables, columns and keys are there."""
        require_fits(self._dialect, self._session(), outline)

    def prepare(self, outline: Outline) -> None:
        """Make our tables and triggers; again changes nothing."""
        self._shapes.clear()
        self.require(outline)
        preparing.prepare(self._session(), self._dialect, self._shape(outline), self._pause)

    def withdraw(self, outline: Outline) -> None:
        """Remove our triggers and tables; again changes nothing."""
        preparing.withdraw(self._session(), self._dialect, outline, self._pause)

    def is_prepared(self, outline: Outline) -> bool:
        """Tell whether changes are being noted."""
        return preparing.is_prepared(self._session(), self._dialect, outline)

    @contextmanager
    def snapshot(self, outline: Outline) -> Generator[SqlSnapshot]:
        """Read as of one moment, without a lock that anybody waits for."""
        shape = self._shape(outline)
        session = self._readers.pop() if self._readers else self._dialect.opened(is_reader=True)
        try:
            with transaction(session, self._dialect.reading):
                session.rows("SELECT 1")  # Some databases choose the moment with the first read.
                yield SqlSnapshot(session, self._dialect, shape)
        finally:
            if session.is_lost:
                session.close()
            else:
                self._readers.append(session)

    def take(self, outline: Outline, *, limit: int, now_ms: int, until_ms: int) -> Sequence[str]:
        """Make entities that wait, or whose mover was not heard of until now, IN_MIGRATION for a while; return them."""
        return self._written(
            lambda session: states.taken(session, outline.entity, limit=limit, now_ms=now_ms, until_ms=until_ms)
        )

    def settle(self, outline: Outline, keys: Sequence[str], state: State, *, reason: str = "") -> None:
        """Say how far entities have come."""
        for start in range(0, len(keys), SETTLED_AT_ONCE):
            chunk = keys[start : start + SETTLED_AT_ONCE]
            self._settle(outline.entity, chunk, state, reason)

    def states(self, outline: Outline) -> Mapping[State, int]:
        """Return how many entities are in which state."""
        return states.counts(self._session(), outline.entity)

    def problems(self, outline: Outline, *, limit: int) -> Sequence[Problem]:
        """Return entities that were set aside, with the reason."""
        return states.problems(self._session(), outline.entity, limit=limit)

    def waiting(self, outline: Outline, *, limit: int) -> Sequence[Notice]:
        """Return notices that nobody has said to be done, oldest first; late commits are among them when they come."""
        return notices.waiting(self._session(), outline.entity, limit=limit)

    def done(self, outline: Outline, ids: Sequence[int]) -> None:
        """Say that what notices tell has been carried over."""
        self._written(lambda session: notices.done(session, ids))

    def lag(self, outline: Outline, *, now_ms: int) -> tuple[int, int]:
        """Return how many notices wait, and for how many milliseconds the oldest has."""
        return notices.lag(self._session(), outline.entity, now_ms=now_ms)

    def compact(self, outline: Outline) -> int:
        """Fold notices that are done into one for each entity, clocks unchanged; return how many rows went."""
        gone, entity = 0, outline.entity
        while found := notices.foldable(self._session(), entity):
            folded = self._written(lambda session, found=found: notices.fold(session, self._dialect, entity, found))
            gone += folded
            if not folded:
                break  # Somebody else is at it.
        self._written(lambda session: notices.thin_dropped(session, entity))
        return gone

    def routes(self, outline: Outline, keys: Sequence[str]) -> Mapping[str, Route]:
        """Return who answers; an entity without a route of its own has that of EVERYTHING."""
        return routes_seen(self._session(), outline.entity, keys)

    def routed(self, outline: Outline, side: Side, *, after: str | None, limit: int) -> Sequence[str]:
        """Return entities whose own route says this side, those after one, whether they are there or gone."""
        return routing.routed(self._session(), outline.entity, side, after=after, limit=limit)

    def sides(self, outline: Outline) -> Mapping[Side, int]:
        """Return how many entities, there or gone, have a route of their own to which side; EVERYTHING is not one."""
        return routing.sides(self._session(), outline.entity)

    def last_key(self, outline: Outline, *, is_recent: bool = False) -> int | None:
        """Return the largest number that ever was an entity's key, 0: none was, None: keys are not numbers."""
        return routing.last_key(self._session(), self._dialect, self._shape(outline), is_recent=is_recent)

    def leave(self, outline: Outline, keys: Sequence[str], *, fences: Mapping[str, int]) -> Mapping[str, Route]:
        """Put entities in doubt whose fence is the one in `fences` and that nobody writes at this moment."""
        shape, given = self._shape(outline), dict[str, Route]()
        if not self._is_filled(outline.entity):
            return given
        with self.snapshot(outline) as snapshot:
            before = routing.standing(snapshot, keys)
        for start in range(0, len(keys), routing.LEFT_AT_ONCE):
            chunk = keys[start : start + routing.LEFT_AT_ONCE]
            given |= self._left(shape, before, {key: fences[key] for key in chunk})
        return given

    def enter(self, outline: Outline, key: str, route: Route, *, expects: Route) -> bool:
        """Set the route where it still is as expected, in a transaction of its own; tell whether it was."""
        return self._written(
            lambda session: routing.entered(session, self._dialect, outline.entity, key, to=(expects, route))
        )

    def write_back(self, outline: Outline, key: str, document: Document | None, *, epoch: int, fence: int) -> bool:
        """Make an entity's rows those of the document, unnoticed, once: tell whether the fence was newer."""
        shape, session = self._shape(outline), self._session()

        def write(session: Session) -> bool:
            routing.give_route(session, self._dialect, outline.entity, key, epoch=epoch)
            return WritingBack(session, self._dialect, shape).write(key, document, epoch=epoch, fence=fence)

        self._dialect.applying(session, is_on=True)
        try:
            return self._written(write)
        finally:
            if not session.is_lost:
                self._dialect.applying(session, is_on=False)

    def latency_ms(self) -> float:
        """Return how long a small read takes now."""
        session, began_s = self._session(), time.perf_counter()
        session.rows("SELECT 1")
        return (time.perf_counter() - began_s) * 1_000

    def close(self) -> None:
        """Let go of all connections."""
        for session in [*self._readers, *([self._writer] if self._writer else [])]:
            session.close()
        self._readers, self._writer = [], None

    def _session(self) -> Session:
        if self._writer is None or self._writer.is_lost:
            self._writer = self._dialect.opened(is_reader=False)
        return self._writer

    def _shape(self, outline: Outline) -> Shape:
        found = self._shapes.get(id(outline))
        if found is None or found.outline is not outline:
            found = self._shapes[id(outline)] = shape_of(self._dialect, self._session(), outline)
        return found

    def _written(self, act: Callable[[Session], Found]) -> Found:
        """Do something in one transaction, again when somebody stood in its way."""
        for _ in range(TRIES_MAX - 1):
            try:
                return self._once(act)
            except Busy:
                self._pause(PAUSE_S)
        return self._once(act)

    def _once(self, act: Callable[[Session], Found]) -> Found:
        with transaction(self._session(), self._dialect.writing) as session:
            return act(session)

    def _settle(self, entity: str, keys: Sequence[str], state: State, reason: str) -> None:
        self._written(lambda session: states.settle(session, self._dialect, entity, keys, state=state, reason=reason))

    def _left(self, shape: Shape, before: routing.Standing, fences: Mapping[str, int]) -> Mapping[str, Route]:
        return self._written(lambda session: routing.left(session, self._dialect, shape, before, fences))

    def _is_filled(self, entity: str) -> bool:
        if routing.is_filled(self._session(), entity):
            return True
        try:
            self._once(lambda session: routing.close_filling(session, entity))
        except Busy:
            return False
        return True
