"""Opens both sides of a move for an application, which then needs three lines (docs/how-to/move-a-database.md)."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.adapters.relational.opening import open_relational
from footfall.app.settings import Settings
from footfall.app.wiring import METRICS_FILE, OpenTable, open_metrics_table
from footfall.migrate.counted import Counted
from footfall.migrate.mapping import Moving, moving_from
from footfall.migrate.new_side import NewSide
from footfall.migrate.routing import BothSides, Mode
from footfall.ports.relational import Relational
from footfall.ports.table import Table
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import Refused


@contextmanager
def both_sides(
    mapping: Path | Moving,
    *,
    source: str,
    table: Path | Settings,
    mode: Mode = Mode.OLD,
    counted: Counted | None = None,
) -> Generator[BothSides]:
    """Open what an application reads and writes through; each of its threads opens one.

    `source` is the old database's address. `table` is footfall's data directory, a file of its own, or settings that
    name a table of DynamoDB.
    """
    moving = mapping_from(mapping) if isinstance(mapping, Path) else mapping
    clock = SystemClock()
    with opened(source, table, clock) as (old, new):
        side = NewSide(new, moving.outline, moving.target)
        yield BothSides(old, side, clock, time.sleep, mode, counted or Counted())


@contextmanager
def opened(source: str, table: Path | Settings, clock: Clock) -> Generator[tuple[Relational, Table]]:
    """Open a database that is moved, and the table that it is moved to."""
    new = open_target(table, clock)
    try:
        old = open_relational(source, pause=time.sleep)
        try:
            yield old, new
        finally:
            old.close()
    finally:
        new.close()


def open_target(table: Path | Settings, clock: Clock) -> OpenTable:
    """Open the table that a database is moved to."""
    if isinstance(table, Settings):
        return open_metrics_table(table, clock)
    return SqliteTable(table / METRICS_FILE if table.is_dir() else table, clock=clock)


def mapping_from(path: Path) -> Moving:
    """Return what a mapping file says, or raise Refused with the place in it that does not fit."""
    try:
        document = msgspec.yaml.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise Refused("mapping", f"{path} cannot be read: {error}") from None
    return moving_from(document)
