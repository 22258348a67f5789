"""A whole move under traffic: the sample application, clients, a mover, and somebody who kills them."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from footfall.adapters.embedded.database import open_database, transaction
from footfall.adapters.relational.opening import open_relational
from footfall.app.moving import mapping_from, opened
from footfall.migrate.copying import Ground
from footfall.migrate.mapping import Moving
from footfall.migrate.new_side import NewSide
from footfall.ports.errors import Throttled
from footfall.ports.relational import EVERYTHING, Side, State
from footfall.values.clock import SystemClock
from tests.engines.seaweedfs import free_ports
from tests.migrate.checker import History
from tests.migrate.clients import Client, Crowd
from tests.migrate.moving_stage import EXAMPLE, Engine, old_database
from tests.tidy.sources import HOUSE

MAPPING = EXAMPLE / "mapping.yaml"
WAIT_S_MAX = 3_000  # A machine that others use hands 20,000 over in ten minutes.
APPLICATION = (str(EXAMPLE / "application.py"),)  # what Python is told to run, and ...
OPERATOR = ("-m", "footfall.shells.cli.main")  # ... what an operator runs


@cache
def moving() -> Moving:
    """Return what the mapping says; whoever waits looks through it several times a second."""
    return mapping_from(MAPPING)


@dataclass(slots=True)
class Process:
    """A process that is killed with kill -9 and started again."""

    command: list[str]
    log: Path
    kills: int = 0
    _running: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            path = {**os.environ, "PYTHONPATH": str(HOUSE)}
            self._running = subprocess.Popen(self.command, stdout=log, stderr=log, env=path)

    @property
    def has_ended(self) -> bool:
        assert self._running is not None
        return self._running.poll() is not None

    def kill(self) -> None:
        assert self._running is not None
        assert not self.has_ended, self.log.read_text()[-3_000:]
        self._running.kill()
        self._running.wait()
        self.kills += 1
        self.start()

    def end(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()


@dataclass(slots=True)
class Campaign:
    """What runs, and what was seen of it."""

    source: str
    folder: Path
    crowd: Crowd
    application: Process
    mover: Process
    chance: Random = field(default_factory=lambda: Random(50))
    operator: Sequence[str] = OPERATOR
    blocked_ms: Counter[int] = field(default_factory=Counter[int])
    counted: Counter[str] = field(default_factory=Counter[str])  # where the application read and wrote
    switches_killed: int = 0
    handed_over: list[float] = field(default_factory=list[float])  # seconds that each took, for all entities

    @property
    def table(self) -> Path:
        return self.folder / "metrics.db"

    @contextmanager
    def ground(self) -> Generator[Ground]:
        with opened(self.source, self.table, SystemClock()) as (relational, table):
            yield Ground(relational, table, moving())

    def hand_over(self, side: Side, *, mover_kills: int, application_kills: int) -> None:
        """Have all entities go to a side, and wait until they have, killing whoever works on it."""
        began = time.monotonic()
        action = "switch" if side is Side.NEW else "back"
        words = command(action, self.source, self.folder, "--all", program=self.operator)
        switching = Process(words, self.folder / "switching.log")
        switching.start()
        left = ["mover"] * mover_kills + ["application"] * application_kills
        self.chance.shuffle(left)
        try:
            while left:
                time.sleep(self.chance.uniform(0.5, 1.5))
                self.kill(left.pop())
                if not switching.has_ended and self.chance.random() < 0.5:
                    switching.kill()
            self.wait_until(lambda: self._is_switched(side, switching))
        finally:
            switching.end()
        self.switches_killed += switching.kills
        self.handed_over.append(time.monotonic() - began)

    def _is_switched(self, side: Side, switching: Process) -> bool:
        if self.is_all(side):
            return True
        if switching.has_ended:  # It was killed, or came upon a storm: an operator would type it again.
            switching.start()
        return False

    def kill(self, who: str) -> None:
        if who == "mover":
            self.mover.kill()
        else:
            self.note_counts()
            self.application.kill()

    def storm(self, seconds: float) -> None:
        """Keep everybody from writing to the table for a while, as a table that throttles does."""
        with closing(open_database(self.table, durable=False)) as connection, transaction(connection):
            time.sleep(seconds)

    def is_all(self, side: Side) -> bool:
        with self.ground() as ground:
            outline = ground.moving.outline
            with ground.relational.snapshot(outline) as snapshot:
                routes = snapshot.routes([EVERYTHING, *snapshot.keys(after=None, limit=1_000_000)])
        return {one.side for one in routes.values()} == {side}

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        ends_at = time.monotonic() + WAIT_S_MAX
        while True:
            # Whoever only looks may find no turn on a busy machine: then it is not so yet.
            with suppress(Throttled):
                if is_so():
                    return
            assert time.monotonic() < ends_at, self.mover.log.read_text()[-3_000:]
            time.sleep(0.2)

    def go_on(self, acts: int) -> None:
        """Wait until clients have done so many things more."""
        history = self.crowd.history.acts
        enough = len(history) + acts
        self.wait_until(lambda: len(history) >= enough)

    def is_copied(self) -> bool:
        """Tell whether the table has been given every metric."""
        with self.ground() as ground:
            states = ground.relational.states(ground.moving.outline)
        return states[State.MIGRATED] > 0 == states[State.NOT_MIGRATED] + states[State.IN_MIGRATION]

    def note_counts(self) -> None:
        """Add what the application has counted before it is killed, which forgets it."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.crowd.port, timeout=5)
            with closing(connection):
                connection.request("GET", "/counted")
                told = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException):
            return  # It has just been started.
        self.blocked_ms.update({int(bound): times for bound, times in told.pop("blockedMs").items()})
        self.counted.update({event: times for event, times in told.items() if event != "differing"})

    def is_quiet(self) -> bool:
        """Tell whether nothing waits to be carried over, or back."""
        with self.ground() as ground:
            lag = ground.relational.lag(ground.moving.outline, now_ms=0)[0]
            marks = NewSide(ground.table, ground.moving.outline, ground.moving.target).waiting_back()
            return lag == 0 and marks == 0

    def read_all(self) -> None:
        """Read every metric once more, so that the history tells how it ended."""
        client = Client(self.crowd, Random(0), is_writer=False)
        for key in sorted(set(self.crowd.keys)):
            client.read(key)
        client.close()


def command(action: str, source: str, folder: Path, *more: str, program: Sequence[str] = OPERATOR) -> list[str]:
    """Return what an operator types."""
    words = [sys.executable, *program, "migrate", action, *more]
    return [*words, "--from", source, "--mapping", str(MAPPING), "--data", str(folder)]


@contextmanager
def campaign(
    engine: Engine,
    folder: Path,
    *,
    metrics: int,
    versions: int,
    pause_s: float,
    program: Sequence[str] = APPLICATION,
    operator: Sequence[str] = OPERATOR,
) -> Generator[Campaign]:
    """Start the application, and a mover that copies and follows; the database is prepared while nobody looks."""
    source = old_database(engine, metrics=metrics, versions=versions)
    with closing(open_relational(source, pause=time.sleep)) as relational:
        relational.prepare(moving().outline)
    table, port = folder / "metrics.db", free_ports(1)[0]
    given = [f"--source={source}", f"--table={table}", f"--mapping={MAPPING}", f"--port={port}"]
    application = Process([sys.executable, *program, *given], folder / "application.log")
    mover = Process(command("run", source, folder), folder / "mover.log")
    crowd = Crowd(port, History(), [str(number) for number in range(1, metrics + 1)], pause_s)
    made = Campaign(source, folder, crowd, application, mover, operator=operator)
    try:
        application.start()
        mover.start()
        yield made
    finally:
        crowd.stopped.set()
        application.end()
        mover.end()
