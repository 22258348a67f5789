"""A mover as a process that tests kill: does what a file says is wished, until the file is gone."""

import sys
import time
from pathlib import Path

from footfall.app.migrating import Migrator, Wish
from footfall.app.moving import mapping_from, opened
from footfall.migrate.copying import Ground
from footfall.values.clock import SystemClock


def main(source: str, table: str, mapping: str, wishes: str) -> None:
    clock = SystemClock()
    with opened(source, Path(table), clock) as (relational, new):
        ground = Ground(relational, new, mapping_from(Path(mapping)))
        Migrator(ground, clock, time.sleep).run(lambda: wish_in(Path(wishes)))


def wish_in(path: Path) -> Wish | None:
    try:
        return Wish(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    main(*sys.argv[1:])
