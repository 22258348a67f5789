"""The three old schemas as outlines, and an application of the old catalogue that tests drive."""

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from footfall.adapters.relational.opening import open_relational
from footfall.ports.relational import LookUp, Outline, Part, Relational

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
METRIC = LookUp("metrics", "id", "name")
DIMENSION = LookUp("dimensions", "id", "name")
VERSIONS = Part(
    "versions", "metric_version", of="metric_id", root="id", key=("version",), look_ups={"chained_metric": METRIC}
)
CONSUMED = Part(
    "consumed", "metric_relationships", of="consumer_metric", root="id", key=("consumed_metric",),
    look_ups={"consumed_metric": METRIC},
)  # fmt: skip
GROUPED = Part(
    "dimensions", "dimensions_metric_groups", of="metric_group_id", root="metric_group_id", key=("dimension_id",),
    look_ups={"dimension_id": DIMENSION},
)  # fmt: skip
RELATED = Part(
    "dimensions", "related_dimensions", of="metric_id", root="id", key=("dimension_id",),
    look_ups={"dimension_id": DIMENSION},
)  # fmt: skip
OLD = Outline("metric", "metrics", "id", parts=(VERSIONS, CONSUMED, GROUPED))  # figure 5.1
REDESIGNED = Outline("metric", "metrics", "id", parts=(VERSIONS, CONSUMED, RELATED))  # figure 5.2
HITS = Outline("hits-day", "page_hit_day", "id")  # figure 4.4


class Engine(Protocol):
    """A server of tests."""

    name: str

    def connected(self, database: str | None = None, **more: Any) -> Any: ...

    def new_database(self, schema: str = "") -> str: ...

    def drop(self, name: str) -> None: ...


class Source:
    """One database with an old schema: as the migration opens it, and as its application does."""

    def __init__(self, engine: Engine, schema: str) -> None:
        self.engine = engine
        self.url = engine.new_database((EXAMPLES / f"{schema}.{engine.name}.sql").read_text())
        self._database = self.url.rpartition("/")[2]
        self._connection = self.connected(autocommit=True)
        self._opened: list[Relational] = []

    def opened(self) -> Relational:
        """Open it as one thread of the migration has it."""
        self._opened.append(open_relational(self.url, pause=time.sleep))
        return self._opened[-1]

    def connected(self, **more: Any) -> Any:
        """Connect as the application does."""
        return self.engine.connected(self._database, **more)

    def run(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one statement as the application, committed at once."""
        return run(self._connection, sql, *values)

    def add_metric(self, number: int, *, versions: int = 1, group: int | None = None, by: Any = None) -> str:
        """Make a metric with its versions, as the application does; return its key."""
        connection = by or self._connection
        columns, values = ("metric_group_id, ", (group,)) if group is not None else ("", ())
        run(
            connection,
            f"INSERT INTO metrics (id, name, {columns}created_at, created_by)"
            f" VALUES (%s, %s, {'%s, ' * len(values)}%s, %s)",
            number, f"metric-{number}", *values, "2024-01-02 03:04:05.678901", "ann",
        )  # fmt: skip
        for version in range(1, versions + 1):
            self.add_version(number, version, by=connection)
        return str(number)

    def add_version(self, number: int, version: int, *, chained: int | None = None, by: Any = None) -> None:
        """Make a version of a metric."""
        run(
            by or self._connection,
            "INSERT INTO metric_version (metric_id, version, value_type, aggregation_style, aggregation_param,"
            " chained_metric, chain_cutoff_date, updated_at, updated_by) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            number, version, "SCALAR", "SUM", "1.50", chained, "2024-03-01", "2024-01-02 03:04:05", "bob",
        )  # fmt: skip

    def close(self) -> None:
        for one in self._opened:
            one.close()
        self._connection.close()
        self.engine.drop(self._database)


def run(connection: Any, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Run one statement on a connection."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(sql, values or None)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []


def keys_of(source: Relational, outline: Outline) -> Sequence[str]:
    """Return the keys of all entities."""
    with source.snapshot(outline) as snapshot:
        return snapshot.keys(after=None, limit=10_000)
