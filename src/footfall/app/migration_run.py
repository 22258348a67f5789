"""A mover as `footfall migrate run` starts it: machines copy, while what changes is followed and written back.

It may be killed at any time: executions go on where they were, everything else is conditional and done again.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from footfall.adapters.embedded.sqlite_workflow import SqliteWorkflow
from footfall.app.migrating import Migrator
from footfall.app.migration_machines import BATCHES, Grounds, Tasks, machines
from footfall.app.moving import opened
from footfall.app.settings import Settings
from footfall.app.workflow_control import WORKFLOWS_FILE
from footfall.migrate.copying import Ground
from footfall.migrate.mapping import Moving
from footfall.migrate.pacing import Bounds, Pacer, quiet_pace
from footfall.migrate.reporting import Progress, keep_progress, kept_progress, progress_now
from footfall.ports.errors import Changed, Throttled, Unavailable
from footfall.ports.workflow import Workflow
from footfall.states.execution import Status
from footfall.values.clock import Clock
from footfall.values.errors import Refused

THREADS = 1  # that copies: on a small machine the source and its application need the other cores
IDLE_S = 0.02  # between two rounds that found nothing to do
LOOK_EVERY_MS = 200  # how often the source's latency is asked for
TELL_EVERY_MS = 1_000
COMPACT_EVERY_MS = 60_000
START_EVERY_MS = 10_000  # while others move the rest, or have left it


@dataclass(frozen=True, slots=True)
class Plan:
    """What is moved, from where, and to where."""

    moving: Moving
    source: str
    settings: Settings
    file: Path | None = None  # a table of its own instead of the instance's

    @property
    def target(self) -> Path | Settings:
        """Return where to."""
        return self.file or self.settings

    @contextmanager
    def ground(self, clock: Clock) -> Generator[Ground]:
        """Open both sides for one thread."""
        with opened(self.source, self.target, clock) as (old, new):
            yield Ground(old, new, self.moving)


@dataclass(slots=True)
class Mover:
    """One mover. `tell` is given how far it is about once a second, and says whether to go on.

    `is_stopped` is asked in every round, also while nobody answers; `complain` is told once of what stands in the way.
    """

    plan: Plan
    clock: Clock
    pause: Callable[[float], None]
    chance: Random
    tell: Callable[[Progress], bool]
    bounds: Bounds = field(default_factory=Bounds)
    is_stopped: Callable[[], bool] = lambda: False
    complain: Callable[[str], None] = lambda _text: None
    _trouble: str = ""
    _next_look_ms: int = 0
    _next_tell_ms: int = 0
    _next_compact_ms: int = 0
    _next_start_ms: int = 0
    _started: int = 0

    def run(self) -> None:
        """Move until it is told to stop."""
        grounds = Grounds(lambda: self.plan.ground(self.clock))
        try:
            self._run(grounds)
        finally:
            grounds.close()

    def _run(self, grounds: Grounds) -> None:
        ground = grounds.own()
        require_prepared(ground)
        pacer = Pacer(quiet_pace(ground.relational.latency_ms, bounds=self.bounds), self.clock, self.pause, self.bounds)
        workflows: list[Workflow] = []
        tasks = Tasks(grounds, self.clock, pacer, lambda: workflows[0])
        folder = Path(self.plan.settings.data_dir)
        folder.mkdir(parents=True, exist_ok=True)  # Where the table is on AWS, nobody has made it yet.
        workflow = SqliteWorkflow(
            folder / WORKFLOWS_FILE, machines=machines(), tasks=tasks.by_name(),
            clock=self.clock, chance=self.chance, threads=THREADS,
        )  # fmt: skip
        workflows.append(workflow)
        try:
            while not self.is_stopped() and self._go_round(ground, workflow, pacer):
                pass
        finally:
            workflow.close()

    def _go_round(self, ground: Ground, workflow: Workflow, pacer: Pacer) -> bool:
        now_ms, migrator = self.clock.now_ms(), Migrator(ground, self.clock, self.pause)
        try:
            busy = migrator.follow() + migrator.write_back()
            if now_ms >= self._next_look_ms:
                self._next_look_ms = now_ms + LOOK_EVERY_MS
                pacer.look(ground.relational.latency_ms())
            if now_ms >= self._next_compact_ms:
                self._next_compact_ms = now_ms + COMPACT_EVERY_MS
                ground.relational.compact(ground.moving.outline)
            if now_ms >= self._next_tell_ms:
                self._next_tell_ms = now_ms + TELL_EVERY_MS
                return self._told(ground, workflow)
            self._trouble = ""
        except (Throttled, Changed, Unavailable) as error:  # Whatever it was, the next round does it again.
            if isinstance(error, Throttled):
                pacer.throttled()
            if str(error) != self._trouble and not isinstance(error, Changed):
                self._trouble = str(error)
                self.complain(f"{self._trouble}; it goes on as soon as that is over")
            busy = 0
        if not busy:
            self.pause(IDLE_S)
        return True

    def _told(self, ground: Ground, workflow: Workflow) -> bool:
        progress = tell_progress(ground, now_ms=self.clock.now_ms())
        running = workflow.executions(BATCHES, status=Status.RUNNING, limit=1).items
        # What another mover has taken and left is taken again when its time is over.
        is_time = progress.left or (progress.moving and self.clock.now_ms() >= self._next_start_ms)
        if is_time and not running:
            self._next_start_ms = self.clock.now_ms() + START_EVERY_MS
            entity = self.plan.moving.outline.entity
            workflow.start(BATCHES, name=f"{entity}-{self.clock.now_ms()}-{self._started}", input={"entity": entity})
            self._started += 1
        return self.tell(progress)


def require_prepared(ground: Ground) -> None:
    """Raise Refused unless changes of the source are being noted."""
    if not ground.relational.is_prepared(ground.moving.outline):
        raise Refused("from", "changes are not noted there yet: `footfall migrate prepare` installs the triggers")


def tell_progress(ground: Ground, *, now_ms: int) -> Progress:
    """Return how far the migration is, having written it down for whoever looks."""
    before = kept_progress(ground.table, ground.moving.outline.entity)
    progress = progress_now(ground, now_ms=now_ms, before=before)
    keep_progress(ground.table, progress)
    return progress
