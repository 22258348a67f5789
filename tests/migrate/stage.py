"""An old catalogue in a real database, and a table that it is moved to."""

from collections.abc import Sequence
from typing import Any

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics.catalogue import MetricCatalogue
from footfall.migrate.copying import Copied, Ground, copy_some
from footfall.migrate.following import Followed, follow_some
from footfall.migrate.mapping import Moving
from footfall.migrate.verifying import Verified, Verifier
from footfall.ports.relational import Relational
from footfall.ports.table import Table
from footfall.values.clock import SetClock
from tests.contract.old_schemas import Engine, Source
from tests.migrate.documents import old_catalogue

NOW_MS = 1_794_744_000_000


class Stage:
    """The old catalogue as its application writes it, and as it is moved."""

    def __init__(self, engine: Engine, table: Table | None = None, moving: Moving | None = None) -> None:
        self.source = Source(engine, "old_catalogue/schema")
        self.relational: Relational = self.source.opened()
        self.moving = moving or old_catalogue()
        self.clock = SetClock(NOW_MS)
        self.table = table or SqliteTable(":memory:", clock=self.clock)
        self.catalogue = MetricCatalogue(self.table, clock=self.clock)

    @property
    def ground(self) -> Ground:
        return Ground(self.relational, self.table, self.moving)

    def prepare(self) -> None:
        self.relational.prepare(self.moving.outline)

    def add(self, id: int, name: str = "", *, versions: int = 2, dimensions: Sequence[str] = ()) -> None:
        """Define a primitive metric with a group of its own."""
        run = self.source.run
        run("INSERT INTO metric_groups (id, name) VALUES (%s, %s)", id, name or f"metric_{id}")
        for one in dimensions:
            if not run("SELECT id FROM dimensions WHERE name = %s", one):
                run("INSERT INTO dimensions (name) VALUES (%s)", one)
            (number,) = run("SELECT id FROM dimensions WHERE name = %s", one)[0]
            run("INSERT INTO dimensions_metric_groups (dimension_id, metric_group_id) VALUES (%s, %s)", number, id)
        run(
            "INSERT INTO metrics (id, name, metric_group_id, created_at, created_by) VALUES (%s, %s, %s, %s, %s)",
            id, name or f"metric_{id}", id, "2018-02-15 18:23:45.123456", "ann",
        )  # fmt: skip
        for number in range(1, versions + 1):
            self.add_version(id, number)

    def add_hybrid(self, id: int, formulas: Sequence[str], of: Sequence[int], name: str = "") -> None:
        """Define a metric that is computed from others."""
        run = self.source.run
        run(
            "INSERT INTO metrics (id, name, created_at, created_by) VALUES (%s, %s, %s, %s)",
            id, name or f"metric_{id}", "2018-02-15 18:23:45.123456", "ann",
        )  # fmt: skip
        for one in of:
            run("INSERT INTO metric_relationships (consumer_metric, consumed_metric) VALUES (%s, %s)", id, one)
        for number, formula in enumerate(formulas, 1):
            self.add_version(id, number, value_type="HYBRID", hybrid_formula=formula)

    def add_version(self, id: int, number: int, **cells: Any) -> None:
        """Add a version of a metric."""
        styles = ("SUM", "LAST_DAY_OF_PERIOD")
        row: dict[str, Any] = {
            "metric_id": id, "version": number, "value_type": "SCALAR", "aggregation_style": styles[number % 2],
            "updated_at": f"2019-01-{number:02d} 12:00:00.5", "updated_by": f"editor {number}", **cells,
        }  # fmt: skip
        if row["value_type"] == "HYBRID":
            row["aggregation_style"] = "SUM"
        places = ", ".join(["%s"] * len(row))
        self.source.run(f"INSERT INTO metric_version ({', '.join(row)}) VALUES ({places})", *row.values())

    def remove(self, id: int) -> None:
        """Remove a primitive metric."""
        for table in ("metric_version", "metric_relationships"):
            column = "consumer_metric" if table == "metric_relationships" else "metric_id"
            self.source.run(f"DELETE FROM {table} WHERE {column} = %s", id)
        self.source.run("DELETE FROM metrics WHERE id = %s", id)

    def copy(self) -> Copied:
        return copy_some(self.ground, now_ms=self.clock.now_ms())

    def follow(self) -> Followed:
        return follow_some(self.ground)

    def verify(self, run: str = "run", table: Table | None = None) -> Verified:
        ground = Ground(self.relational, table or self.table, self.moving)
        return Verifier(ground, run).verify(now_ms=self.clock.now_ms())

    def close(self) -> None:
        self.source.close()


def filled(stage: Stage) -> Stage:
    """Put metrics of all kinds into the old catalogue, and have it watched."""
    stage.add(1, "reads", versions=3, dimensions=("section", "country"))
    stage.add(2, "users", versions=2, dimensions=("section",))
    stage.add(3, "Aufrufe früher", versions=1)
    stage.add_hybrid(4, ["reads/users", "reads / users * 2", "reads/users"], [1, 2], "rate")
    stage.add_hybrid(5, ["rate + reads/users"], [1, 2, 4], "twice")
    stage.add(6, "p95", versions=0)
    percentile = {"value_type": "PERCENTILE", "aggregation_style": "PERCENTILE"}
    stage.add_version(6, 1, aggregation_param="95.5", **percentile)
    stage.add_version(6, 2, aggregation_param="99", chained_metric=None, **percentile)
    stage.add(7, "chained", versions=1)
    stage.add_version(7, 2, chained_metric=2, chain_cutoff_date="2020-02-01")
    stage.source.run(
        "UPDATE metrics SET deprecated_at = %s, deprecated_by = %s, deprecated_reason = %s WHERE id = 3",
        "2022-05-17 09:35:15", "bob", "nobody asks for it",
    )  # fmt: skip
    stage.add(8, "gone", versions=2)
    stage.prepare()
    return stage
