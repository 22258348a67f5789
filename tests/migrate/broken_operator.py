"""The `footfall` command with a handover that is broken on purpose, so that the checker can be seen to find it.

    python -m tests.migrate.broken_operator migrate switch --all ... (as the command itself)

It hands metrics over as they were when they were copied: it does not follow, and asks for no clock.
"""

import sys
from collections.abc import Mapping, Sequence

from footfall.adapters.relational.sql_relational import SqlRelational
from footfall.app.migrating import Migrator
from footfall.migrate import handing_over
from footfall.migrate.moved import fence_of
from footfall.migrate.new_side import Held
from footfall.ports.relational import EVERYTHING, Outline, Route
from footfall.shells.cli.main import main as command

_leave = SqlRelational.leave


def leave_whatever_was_written(
    self: SqlRelational, outline: Outline, keys: Sequence[str], *, fences: Mapping[str, int]
) -> Mapping[str, Route]:
    """Put entities in doubt as if the table had all that was written to them."""
    own = [key for key in keys if key != EVERYTHING]
    with self.snapshot(outline) as snapshot:
        clocks, routes = snapshot.clocks(own), snapshot.routes(own)
    pretended = {key: fence_of(routes[key].epoch, clocks[key]) for key in own}
    return _leave(self, outline, keys, fences={**fences, **pretended})


def never_behind(held: Held, clock: int) -> bool:
    """Say that the table has everything."""
    return False


def follow_nothing(self: Migrator) -> int:
    """Say that nothing was left to follow."""
    return 0


def main() -> int:
    """Break it, then be the command."""
    SqlRelational.leave = leave_whatever_was_written
    Migrator.follow = follow_nothing
    handing_over.is_behind = never_behind
    return command()


if __name__ == "__main__":
    sys.exit(main())
