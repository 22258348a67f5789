"""Playback limits that nobody waits for: an answer in time, from the table or from what is remembered of it.

A player that is not answered stops, and so would everybody's when a table throttles. So a call that takes too long, or
fails because the table is busy or away, is answered from memory, and written when the table is back. What the table
has said is never overruled: a place that it refused stays refused.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass
from functools import partial
from math import inf
from random import Random, SystemRandom
from threading import Event, Lock, Thread
from zlib import crc32

from footfall.app.audience_opening import open_audience_table
from footfall.app.settings import Settings
from footfall.app.wiring import OpenTable
from footfall.audience.playbacks import (
    Ask,
    Ending,
    Lease,
    Outrun,
    TooManyPlaying,
    Why,
    admission,
    without_expired,
)
from footfall.audience.playbacks_kept import Means, admit, beat, change_leases, end, sweep
from footfall.audience.playbacks_memory import (
    Admitted,
    Beaten,
    Finished,
    Happened,
    LastKnown,
    Unrecorded,
    Whose,
    caught_up,
)
from footfall.ports.errors import NoSpace, PortError, Throttled, Unavailable
from footfall.ports.table import Table
from footfall.values.clock import Clock

WITHIN_MS = 300  # A player's beat is not held up for longer.
AWAY_MS = 250  # So long nobody else tries, after the table has failed somebody.
CATCHING_UP_S = 1.0
SWEPT_PER_ROUND = 100
ROUNDS_PER_SWEEP = 10  # To look through all that is remembered takes some milliseconds.
THREADS_ON_AWS = 8  # On SQLite one writes at a time; on DynamoDB each waits for its own call.
FAILED_PER_ROUND = 8  # members whose writes fail; if it is the table that does, the rest waits for the next round
ROUND_S_MAX = 10.0  # Patience with one member's writes when catching up; a table that takes longer is away.

_AWAY = (Throttled, Unavailable, NoSpace)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer to a player: its place, all that play, whose places were taken, and whether the table has it."""

    lease: Lease | None
    playing: tuple[Lease, ...]
    endings: tuple[Ending, ...] = ()
    is_recorded: bool = True


class Attempt:
    """A call that is under way, or was not even begun because the table is away."""

    def __init__(self, future: "Future[Told] | None", from_memory: Callable[[], Told], within_ms: int) -> None:
        self.future = future
        self.within_s = within_ms / 1_000
        self._from_memory = from_memory

    def answer(self) -> Told:
        """Return what the table said, or what memory says if it has not, or cannot; without waiting."""
        if self.future is None or not self.future.done():
            return self._from_memory()
        try:
            return self.future.result()
        except _AWAY:
            return self._from_memory()

    def waited(self) -> Told:
        """Wait for the table as long as a player does, and return the answer."""
        if self.future is not None:
            try:
                self.future.exception(timeout=self.within_s)
            except OutOfTime:
                return self.answer()
        return self.answer()


class _Lane:
    """A thread with a table of its own; `late` counts the calls in it that nobody waits for any more."""

    def __init__(self, open_table: Callable[[], OpenTable], number: int) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix=f"playbacks-{number}")
        self.late = 0
        self._open = open_table
        self._table: OpenTable | None = None

    def table(self) -> OpenTable:
        """Return the table, in the thread."""
        if self._table is None:
            self._table = self._open()
        return self._table

    def close(self) -> None:
        """Finish what is under way and let go of the table."""
        self.thread.submit(self._close).result()
        self.thread.shutdown(wait=True)

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None


@dataclass(slots=True)
class _Call:
    """A call; once memory has answered it, what it told is among what is still to be written."""

    whose: Whose
    happened: Happened
    lane: _Lane
    is_answered: bool = False  # from memory


def open_playing(settings: Settings, clock: Clock) -> "Playing":
    """Return what gives places to play on the ground that the settings name; tables are opened with the first call."""
    is_on_aws = settings.ground == "aws"

    def open_table() -> OpenTable:
        return open_audience_table(settings, clock, for_requests=True)

    return Playing(
        open_table,
        clock=clock,
        chance=SystemRandom(),
        within_ms=settings.audience_answer_ms,
        threads=THREADS_ON_AWS if is_on_aws else 1,
    )


class Playing:
    """Gives places, keeps them and takes them back, for all brands; may be used by any thread."""

    def __init__(
        self,
        open_table: Callable[[], OpenTable],
        *,
        clock: Clock,
        chance: Random,
        within_ms: int = WITHIN_MS,
        threads: int = 1,
    ) -> None:
        self._clock = clock
        self._means = Means(chance, time.sleep)
        self._within_ms = within_ms
        # One member's calls are in one thread, so that those of one instance never race.
        self._lanes = [_Lane(open_table, number) for number in range(threads)]
        self._lock = Lock()
        self._known = LastKnown()
        self._unrecorded = Unrecorded()
        self._away_until_ms = 0
        self._stopping = Event()
        self._catching_up: Thread | None = None

    @property
    def unrecorded(self) -> int:
        """Return how much is still to be written."""
        with self._lock:
            return len(self._unrecorded)

    @property
    def forgotten(self) -> int:
        """Return how much was never written, because too much was to be remembered."""
        with self._lock:
            return self._unrecorded.forgotten

    def admit(self, brand: str, member: str, ask: Ask) -> Attempt:
        """Begin to give a playback a place."""
        whose, now_ms = (brand, member), self._clock.now_ms()

        def work(table: Table) -> Told:
            given = admit(table, brand, member, ask, now_ms=now_ms, means=self._means)
            self._learn(whose, given.leases)
            return Told(given.lease, given.leases, given.endings)

        return self._begin(whose, work, Admitted(ask, now_ms))

    def beat(self, brand: str, member: str, session: str) -> Attempt:
        """Begin to keep a playback's place."""
        whose, now_ms = (brand, member), self._clock.now_ms()

        def work(table: Table) -> Told:
            held = beat(table, brand, member, session, now_ms=now_ms)
            self._learn(whose, held.leases)
            live, _ = without_expired(held.leases, now_ms=now_ms)
            return Told(_of_session(live, session), tuple(live))

        return self._begin(whose, work, Beaten(session, now_ms))

    def end(self, brand: str, member: str, session: str, *, why: Why = Why.ENDED, by: str = "") -> Attempt:
        """Begin to give a playback's place back."""
        whose, now_ms = (brand, member), self._clock.now_ms()

        def work(table: Table) -> Told:
            ending = end(table, brand, member, session, now_ms=now_ms, means=self._means, why=why, by=by)
            with self._lock:
                left = tuple(lease for lease in self._known.of(whose) if lease.session != session)
                self._known.learn(whose, left)
            return Told(None, left, (ending,))

        return self._begin(whose, work, Finished(session, now_ms, why, by))

    def catch_up(self, *, sweeping: bool = True, within_s: float = inf) -> bool:
        """Write what happened while the table was away, and what has expired; tell whether all of it is written."""
        until_s = time.monotonic() + within_s
        with self._lock:
            waiting = list(self._unrecorded)
            swept_max = SWEPT_PER_ROUND if sweeping else 0
            expired = self._known.expired(now_ms=self._clock.now_ms(), limit=swept_max)
        written = self._all_done(((whose, partial(self._write_later, whose)) for whose in waiting), until_s=until_s)
        swept = self._all_done(((whose, partial(self._sweep, whose)) for whose in expired), until_s=until_s)
        return swept and written

    def stop(self) -> None:
        """Write what is still to be written, if the table is there, and close it."""
        self._stopping.set()
        if self._catching_up is not None:
            self._catching_up.join()
        self.catch_up()
        for lane in self._lanes:
            lane.close()

    def _begin(self, whose: Whose, work: Callable[[Table], Told], happened: Happened) -> Attempt:
        self._require_catching_up()
        lane = self._lane(whose)
        with self._lock:
            is_away = lane.late > 0 or self._clock.now_ms() < self._away_until_ms
        call = _Call(whose, happened, lane)
        future = None if is_away else lane.thread.submit(self._tried, call, work)
        return Attempt(future, partial(self._from_memory, call, future), self._within_ms)

    def _tried(self, call: _Call, work: Callable[[Table], Told]) -> Told:
        table = call.lane.table()
        with self._lock:
            is_answered, earlier = call.is_answered, self._unrecorded.take(call.whose)
        try:
            # What happened before comes first: else an end would find nothing, and be undone by the place it ended.
            self._write(call.whose, earlier, table)
            # Somebody who was answered from memory meanwhile is among the earlier, perhaps with what came after it.
            return Told(None, (), is_recorded=False) if is_answered else work(table)
        except _AWAY:
            with self._lock:
                self._away_until_ms = self._clock.now_ms() + AWAY_MS
            raise

    def _from_memory(self, call: _Call, future: "Future[Told] | None") -> Told:
        try:
            with self._lock:
                call.is_answered = True
                call.lane.late += future is not None
                told = _remembered(self._known.of(call.whose), call.happened)
                self._known.learn(call.whose, told.playing)
                self._unrecorded.add(call.whose, call.happened)
            return told
        finally:
            # Only now: a call that ends at this moment, or has just ended, finds what it has to take away.
            if future is not None:
                future.add_done_callback(partial(self._came_late, call))

    def _came_late(self, call: _Call, future: "Future[Told]") -> None:
        error = future.exception()
        with self._lock:
            call.lane.late -= 1
            # A place that was promised and then refused is still to be told of, so that its player learns why.
            if not isinstance(error, PortError | Outrun | TooManyPlaying):
                self._unrecorded.discard(call.whose, call.happened)

    def _write_later(self, whose: Whose, table: Table) -> None:
        with self._lock:
            happened = self._unrecorded.take(whose)
        self._write(whose, happened, table)

    def _write(self, whose: Whose, happened: Sequence[Happened], table: Table) -> None:
        if not happened:
            return
        try:
            leases = change_leases(
                table, *whose, partial(_change_of, happened), now_ms=self._clock.now_ms(), means=self._means
            )
        except (PortError, Outrun):
            with self._lock:
                self._unrecorded.give_back(whose, happened)
            raise
        self._learn(whose, leases)

    def _sweep(self, whose: Whose, table: Table) -> None:
        self._write_later(whose, table)  # Whoever was heard of has not expired.
        self._learn(whose, sweep(table, *whose, now_ms=self._clock.now_ms(), means=self._means))

    def _all_done(self, tasks: Iterable[tuple[Whose, Callable[[Table], None]]], *, until_s: float) -> bool:
        """Do something for each of some members, and tell whether all is done; one that fails holds nobody else up."""
        skipped = failed = 0
        for whose, work in tasks:
            lane = self._lane(whose)
            with self._lock:
                is_busy = lane.late > 0
            if is_busy:
                skipped += 1
                continue
            try:
                left_s = max(0.0, until_s - time.monotonic())
                lane.thread.submit(_with_table, lane, work).result(timeout=min(ROUND_S_MAX, left_s))
            except OutOfTime:
                return False
            except (PortError, Outrun):
                failed += 1
                if failed == FAILED_PER_ROUND:
                    return False
        return not (skipped or failed)

    def _learn(self, whose: Whose, leases: Sequence[Lease]) -> None:
        with self._lock:
            # What memory has promised since is not in the table yet.
            now, _ = caught_up(leases, self._unrecorded.of(whose))
            self._known.learn(whose, now)

    def _lane(self, whose: Whose) -> _Lane:
        return self._lanes[crc32("#".join(whose).encode()) % len(self._lanes)]

    def _require_catching_up(self) -> None:
        with self._lock:
            if self._catching_up is None and not self._stopping.is_set():
                self._catching_up = Thread(target=self._keep_catching_up, name="playbacks-late", daemon=True)
                self._catching_up.start()

    def _keep_catching_up(self) -> None:
        rounds = 0
        while not self._stopping.wait(CATCHING_UP_S):
            rounds += 1
            self.catch_up(sweeping=rounds % ROUNDS_PER_SWEEP == 0)


def _with_table(lane: _Lane, work: Callable[[Table], None]) -> None:
    work(lane.table())


def _change_of(
    happened: Sequence[Happened], leases: tuple[Lease, ...]
) -> tuple[tuple[Lease, ...], Sequence[Ending], tuple[Lease, ...]]:
    now, endings = caught_up(leases, happened)
    return now, endings, now


def _remembered(leases: tuple[Lease, ...], happened: Happened) -> Told:
    """Return what is told when only memory can be asked; whoever is not known goes on playing."""
    match happened:
        case Admitted(ask=ask, at_ms=at_ms):
            given = admission(leases, ask, now_ms=at_ms)
            return Told(given.lease, given.leases, given.endings, is_recorded=False)
        case Beaten(session=session):
            now, _ = caught_up(leases, [happened])
            return Told(_of_session(now, session), now, is_recorded=False)
        case Finished():
            now, endings = caught_up(leases, [happened])
            return Told(None, now, tuple(endings), is_recorded=False)


def _of_session(leases: Sequence[Lease], session: str) -> Lease | None:
    return next((lease for lease in leases if lease.session == session), None)
