"""Playbacks on a table that can be made to refuse, or to let everybody wait."""

import threading
from pathlib import Path
from random import Random

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.audience_playing import Attempt, Playing
from footfall.audience.playbacks import Why
from footfall.audience.playbacks_ended import ended_of
from footfall.audience.playbacks_kept import held
from footfall.values.clock import SetClock
from tests.audience.history_stage import INDEXES, NOON_MS
from tests.simulation.grounds import TroubledTable


class Faulty(TroubledTable):
    """A real table behind something that refuses, or lets everybody wait until it is let go."""

    def __init__(self, inner: SqliteTable) -> None:
        super().__init__(inner)
        self.fault: Exception | None = None
        self.faults_max: int | None = None  # how often it may still be raised; None: always
        self.may_answer = threading.Event()
        self.may_answer.set()

    def before(self) -> None:
        assert self.may_answer.wait(60)
        if self.fault is not None and self.faults_max != 0:
            self.faults_max = None if self.faults_max is None else self.faults_max - 1
            raise self.fault

    def close(self) -> None:
        self._inner.close()


class Ground:
    """A table that can be made to fail, what plays on it, and the clock."""

    def __init__(self, folder: Path) -> None:
        self.clock = SetClock(NOON_MS)
        self.path = folder / "audience.db"
        self.table = Faulty(SqliteTable(self.path, clock=self.clock, indexes=INDEXES, durable=False))
        # Only the test catches up, so that nothing happens by itself; and no call is slow enough to be late by chance.
        self.playing = Playing(lambda: self.table, clock=self.clock, chance=Random(1), within_ms=30_000)
        self.playing._catching_up = threading.Thread()  # pyright: ignore[reportPrivateUsage]
        self.playing._catching_up.start()  # pyright: ignore[reportPrivateUsage]

    def impatient(self) -> None:
        """Let nobody wait for longer than a moment."""
        self.playing._within_ms = 20  # pyright: ignore[reportPrivateUsage]

    def back(self) -> None:
        """Let the table answer again, and some moments pass until somebody asks it."""
        self.table.fault = None
        self.clock.advance(1_000)

    def finished(self, attempt: Attempt) -> None:
        """Wait until a call that nobody waited for is over, and known to be."""
        assert attempt.future is not None
        attempt.future.result(timeout=60)
        (lane,) = self.playing._lanes  # pyright: ignore[reportPrivateUsage]
        lane.thread.submit(int).result(timeout=60)  # Whoever is told of a call's end is told before the next begins.

    def leases(self, member: str = "ann") -> list[str]:
        """Return who holds a place, by the table itself."""
        with_own = SqliteTable(self.path, clock=self.clock, indexes=INDEXES, durable=False)
        try:
            return [lease.session for lease in held(with_own, "blog", member).leases]
        finally:
            with_own.close()

    def endings(self) -> dict[str, Why]:
        """Return what became of those that are over."""
        with_own = SqliteTable(self.path, clock=self.clock, indexes=INDEXES, durable=False)
        try:
            found = ended_of(with_own, "blog", "ann", limit=100).endings
            return {ending.lease.session: ending.why for _, ending in found}
        finally:
            with_own.close()
