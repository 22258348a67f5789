"""What an operator asks of a migration besides moving: to look, prepare, verify, switch, go back and end."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from footfall.app.migrating import Migrator
from footfall.app.migration_run import require_prepared, tell_progress
from footfall.migrate.copying import Ground
from footfall.migrate.ending import begin_again, ended_on, forget_all, say_ended
from footfall.migrate.repairing import Repaired, repair
from footfall.migrate.reporting import Progress, keep_progress, progress_now, report_of
from footfall.migrate.verifying import Verified, Verifier
from footfall.ports.relational import EVERYTHING, Problem, Side, Snapshot
from footfall.values.clock import Clock
from footfall.values.errors import Refused

KEYS_READ = 5_000  # of the source at a time
PROBLEMS_SHOWN = 50
SECOND_LOOK_S = 0.5  # after which a difference that live traffic made is gone


@dataclass(frozen=True, slots=True)
class Switched:
    """What became of a switch: how many answer on the side that was wished, and why others do not."""

    side: Side
    done: int
    refused: dict[str, str]


@dataclass(frozen=True, slots=True)
class Acts:
    """Acts on one migration, by one thread."""

    ground: Ground
    clock: Clock
    pause: Callable[[float], None]

    def check(self) -> int:
        """Return how many entities would be moved, having looked whether the mapping fits; nothing is changed."""
        self.ground.relational.require(self.ground.moving.outline)
        with self.ground.relational.snapshot(self.ground.moving.outline) as snapshot:
            return sum(len(page) for page in _pages(snapshot))

    def prepare(self) -> int:
        """Install the triggers and return how many entities there are."""
        entity = self.ground.moving.outline.entity
        if ended_on(self.ground.table, entity) is Side.NEW:
            raise Refused(
                "prepare", f"the migration of every {entity} has ended on the new side: nothing is to be moved"
            )
        self.ground.relational.require(self.ground.moving.outline)
        self.ground.relational.prepare(self.ground.moving.outline)
        begin_again(self.ground.table, entity)
        return tell_progress(self.ground, now_ms=self.clock.now_ms()).all

    def status(self) -> Progress:
        """Return how far it is."""
        require_prepared(self.ground)
        return tell_progress(self.ground, now_ms=self.clock.now_ms())

    def problems(self) -> Sequence[Problem]:
        """Return what was set aside, and why."""
        return self.ground.relational.problems(self.ground.moving.outline, limit=PROBLEMS_SHOWN)

    def sides(self) -> dict[str, int]:
        """Return how many entities answer on which side, by what the source says."""
        counts = self.ground.relational.sides(self.ground.moving.outline)
        return {side.value: counts.get(side, 0) for side in Side}

    def verify(self, *, run: str) -> Verified:
        """Compare both sides; a run of the same name goes on where it was stopped."""
        require_prepared(self.ground)
        verifier = Verifier(self.ground, run, pause=lambda: self.pause(SECOND_LOOK_S))
        verified = verifier.verify(now_ms=self.clock.now_ms())
        now_ms = self.clock.now_ms()
        before = tell_progress(self.ground, now_ms=now_ms)
        keep_progress(self.ground.table, progress_now(self.ground, now_ms=now_ms, before=before, verified=verified))
        return verified

    def switch(self, keys: Sequence[str], *, to: Side) -> Switched:
        """Let one side answer for entities, or for all of them where none is named."""
        require_prepared(self.ground)
        migrator = Migrator(self.ground, self.clock, self.pause)
        if not keys:
            left = migrator.hand_over_all() if to is Side.NEW else migrator.hand_back_all()
            done = self.sides()[to.value]
        else:
            left = migrator.hand_over_some(keys) if to is Side.NEW else migrator.hand_back_some(keys)
            done = len(keys) - len(left.refused)
        progress = tell_progress(self.ground, now_ms=self.clock.now_ms())
        keep_progress(self.ground.table, replace(progress, blocked=progress.blocked.plus(migrator.blocked)))
        return Switched(to, done, dict(left.refused))

    def report(self, verified: Verified | None) -> str:
        """Return a report that a manager can read."""
        return report_of(self.status(), verified, self.problems())

    def repair(self, *, run: str) -> tuple[Repaired, Verified]:
        """Carry over once more what differs, and compare again."""
        repaired = repair(self.ground, self.verify(run=run))
        return repaired, self.verify(run=f"{run} again")

    def end(self) -> Side:
        """End it on the side that answers for everything: on the new one items stay, on the old one nothing does."""
        require_prepared(self.ground)
        side, outline, table = self._only_side(), self.ground.moving.outline, self.ground.table
        Migrator(self.ground, self.clock, self.pause).catch_up()
        progress = tell_progress(self.ground, now_ms=self.clock.now_ms())
        # Applications are told before the old side forgets: from then on it is the table that they believe.
        say_ended(table, outline.entity, side)
        if side is Side.OLD:
            forget_all(self.ground)
        self.ground.relational.withdraw(outline)
        keep_progress(table, replace(progress, ended_at_ms=self.clock.now_ms()))
        return side

    def _only_side(self) -> Side:
        outline = self.ground.moving.outline
        counts, last = self.sides(), self.ground.relational.routes(outline, [EVERYTHING])[EVERYTHING].side
        sides = {side for side in Side if counts[side.value]} | {last}
        if len(sides) > 1 or last is Side.DOUBT:
            told = ", ".join(f"{count:,} {side}" for side, count in counts.items() if count)
            raise Refused(
                "end",
                f"not everything is on one side yet: {told}, new ones {last}; `footfall migrate switch --all` or "
                "`back --all` first",
            )
        return last


def _pages(snapshot: Snapshot) -> Iterator[Sequence[str]]:
    after: str | None = None
    while page := snapshot.keys(after=after, limit=KEYS_READ):
        yield page
        after = page[-1]
