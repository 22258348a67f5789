"""A catalogue with data on ground in memory, for one brand."""

import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.data import MetricData, query_from
from footfall.metrics.definition import Definition, definition_from
from footfall.metrics.points import Points, Taken
from footfall.metrics.versions import Version
from footfall.metrics.writing import Saved
from footfall.ports.errors import Unavailable
from footfall.ports.table import Action, Table
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
BRAND = "abc"


def scalar(name: str, *dimensions: str, unit: str = "", **more: Any) -> dict[str, Any]:
    """Return a plain metric whose points are pushed."""
    return {"name": name, "valueType": "SCALAR", "unit": unit, "relatedDimensions": list(dimensions), **more}


def hybrid(name: str, formula: str, **more: Any) -> dict[str, Any]:
    """Return a metric that is computed."""
    return {"name": name, "valueType": "HYBRID", "hybridFormula": formula, **more}


class Stopping(SqliteTable):
    """A ground that has no transaction around transactions, and stops answering before one that is told."""

    left = 1_000_000

    @contextmanager
    def together(self) -> Generator[None]:
        yield

    def transact(self, actions: Sequence[Action]) -> None:
        if self.left <= 0:
            raise Unavailable("the table does not answer; try again")
        self.left -= 1
        with super().together():
            super().transact(actions)


@dataclass
class Stage:
    """One brand's metrics."""

    clock: SetClock = field(default_factory=lambda: SetClock(NOON_MS))
    zone: str = "Europe/Helsinki"
    table: Table = None  # pyright: ignore[reportAssignmentType] - made below

    def __post_init__(self) -> None:
        self.table = self.table or SqliteTable(":memory:", clock=self.clock)
        self.catalogue = MetricCatalogue(self.table, clock=self.clock)
        self.points = Points(self.table, clock=self.clock)
        self.data = MetricData(self.catalogue, self.points, counts=None, zone_of=lambda _: self.zone, clock=self.clock)

    def define(self, *documents: dict[str, Any] | Definition) -> list[Version]:
        """Save definitions."""
        found = [one if isinstance(one, Definition) else definition_from(one) for one in documents]
        return self.catalogue.save_all(BRAND, [Saved(one) for one in found], by="ann")

    def push(self, name: str, rows: Iterable[dict[str, Any]]) -> Taken:
        """Push points as JSON."""
        return self.data.push(BRAND, name, json.dumps(list(rows)).encode(), "json")

    def ask(self, name: str, **asked: Any) -> dict[str, Any]:
        """Return the answer to a question."""
        return json.loads(self.data.ask(BRAND, query_from(name, **asked)).body)

    def values(self, name: str, **asked: Any) -> list[float | None]:
        """Return the numbers of an answer, in their order."""
        return [one["value"] for one in self.ask(name, **asked)["items"]]
