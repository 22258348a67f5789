"""A small old catalogue on a real server that is being moved into a table, for tests of moving it."""

import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.adapters.relational.opening import open_relational
from footfall.app.migrating import Migrator
from footfall.app.moving import mapping_from
from footfall.migrate.copying import Ground
from footfall.migrate.handing_over import Handovers
from footfall.migrate.new_side import NewSide
from footfall.migrate.routing import BothSides, Mode
from footfall.migrate.writing_back import BackWriter
from footfall.ports.relational import Document, Relational
from footfall.values.clock import SystemClock
from tests.engines.mariadb import MariaDbEngine
from tests.engines.postgres import PostgresEngine
from tests.tidy.sources import HOUSE

EXAMPLE = HOUSE / "examples" / "old_catalogue"
Engine = MariaDbEngine | PostgresEngine


def old_database(engine: Engine, *, metrics: int = 0, versions: int = 1) -> str:
    """Make a database of the old schema with some metrics; return its address."""
    source = engine.new_database((EXAMPLE / f"schema.{engine.name}.sql").read_text())
    with closing(engine.connected(source.rsplit("/", 1)[1])) as connection, connection.cursor() as cursor:
        rows = [(f"metric {number}", "2020-01-02 03:04:05", "before") for number in range(1, metrics + 1)]
        if rows:
            cursor.executemany("INSERT INTO metrics (name, created_at, created_by) VALUES (%s, %s, %s)", rows)
        numbers = {number: "before" if number == 1 else f"before {number}" for number in range(1, versions + 1)}
        told = [(key, number, by) for key in range(1, metrics + 1) for number, by in numbers.items()]
        if told:
            cursor.executemany(
                "INSERT INTO metric_version (metric_id, version, updated_by, value_type, aggregation_style, updated_at)"
                " VALUES (%s, %s, %s, 'SCALAR', 'SUM', '2020-01-02 03:04:05')",
                told,
            )
        connection.commit()
    return source


@dataclass(frozen=True, slots=True)
class Stage:
    """Both sides, a mover, and an application's own connection."""

    ground: Ground
    connection: Any
    source: str

    @property
    def new(self) -> NewSide:
        return NewSide(self.ground.table, self.ground.moving.outline, self.ground.moving.target)

    @property
    def handovers(self) -> Handovers:
        return Handovers(self.ground.relational, self.new, time.sleep)

    @property
    def back(self) -> BackWriter:
        return BackWriter(self.ground.relational, self.new)

    @property
    def migrator(self) -> Migrator:
        return Migrator(self.ground, SystemClock(), time.sleep)

    def both(self, mode: Mode = Mode.OLD, relational: Relational | None = None) -> BothSides:
        return BothSides(relational or self.ground.relational, self.new, SystemClock(), time.sleep, mode)

    def rows(self, key: str) -> list[str]:
        """Return who wrote each version, as the old side has them."""
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT updated_by FROM metric_version WHERE metric_id = %s ORDER BY version", (key,))
            found = [str(by) for (by,) in cursor.fetchall()]
        self.connection.commit()
        return found

    def add_version(self, key: str, by: str) -> int:
        """Write as the application does, in its own SQL."""
        try:
            with self.connection.cursor() as cursor:
                cursor.execute("SELECT MAX(version) FROM metric_version WHERE metric_id = %s", (key,))
                number = (cursor.fetchone()[0] or 0) + 1
                cursor.execute(
                    "INSERT INTO metric_version (metric_id, version, updated_by, value_type, aggregation_style,"
                    " updated_at) VALUES (%s, %s, %s, 'SCALAR', 'SUM', '2021-01-02 03:04:05')",
                    (key, number, by),
                )
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise
        return number

    def write(self, both: BothSides, key: str, by: str) -> int:
        """Write through the library."""
        return both.write(key, old=lambda: self.add_version(key, by), change=lambda found: with_version(found, by))

    def read(self, both: BothSides, key: str) -> list[str]:
        """Read through the library."""
        return both.read(key, old=lambda: self.rows(key), new=writers_of)


def with_version(document: Document | None, by: str) -> tuple[Document, int]:
    """Return a metric with one version more, and its number."""
    assert document is not None
    versions = document.parts["versions"]
    number = cast("int", versions[-1]["version"]) + 1
    row = {**versions[-1], "version": number, "updated_by": by}
    return replace(document, parts={**document.parts, "versions": [*versions, row]}), number


def new_metric(key: str, name: str) -> tuple[Document, str]:
    """Return a metric as the new side makes it."""
    none = dict.fromkeys(("metric_group_id", "deprecated_at", "deprecated_by", "deprecated_reason"))
    root = {"id": int(key), "name": name, "created_at": "2026-01-02T03:04:05.000000Z", "created_by": "new", **none}
    empty = dict.fromkeys(
        ("aggregation_param", "chained_metric", "chained_metric.name", "chain_cutoff_date", "hybrid_formula")
    )
    kind = {"value_type": "SCALAR", "aggregation_style": "SUM"}
    told = {"metric_id": int(key), "version": 1, "updated_at": "2026-01-02T03:04:05.000000Z", "updated_by": "new"}
    parts = {"versions": [{**told, **kind, **empty}], "relationships": [], "dimensions": []}
    return Document(root, parts), key


def writers_of(document: Document | None) -> list[str]:
    """Return who wrote each version of a metric."""
    return [] if document is None else [str(row["updated_by"]) for row in document.parts["versions"]]


@contextmanager
def staged(engine: Engine, *, metrics: int = 3, versions: int = 1) -> Generator[Stage]:
    """Set up a database whose metrics are copied and followed."""
    source = old_database(engine, metrics=metrics, versions=versions)
    with (
        closing(open_relational(source, pause=time.sleep)) as relational,
        closing(SqliteTable(":memory:", clock=SystemClock())) as table,
        closing(engine.connected(source.rsplit("/", 1)[1])) as connection,
    ):
        ground = Ground(relational, table, mapping_from(EXAMPLE / "mapping.yaml"))
        relational.prepare(ground.moving.outline)
        stage = Stage(ground, connection, source)
        settle(stage)
        yield stage


def settle(stage: Stage) -> None:
    """Carry over, and back, whatever waits."""
    while stage.migrator.go_round():
        pass


def sides(stage: Stage, keys: Sequence[str]) -> list[tuple[str, str]]:
    """Return what both sides say of entities."""
    routes = stage.ground.relational.routes(stage.ground.moving.outline, keys)
    held = [stage.new.held(key) for key in keys]
    return [(str(routes[key].side), str(one.side) if one else "-") for key, one in zip(keys, held, strict=True)]
