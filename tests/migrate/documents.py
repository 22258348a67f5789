"""Documents of the old schemas as a database gives them, for tests that need no database."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from footfall.migrate.mapping import Moving, moving_from
from footfall.ports.relational import Cell, Document, Row, Seen
from tests.tidy.sources import HOUSE

EXAMPLES = HOUSE / "examples"


def mapping_file(path: Path | str) -> Any:
    """Return a mapping file as a plain document."""
    return yaml.safe_load((EXAMPLES / path).read_text(encoding="utf-8"))


def old_catalogue() -> Moving:
    """Return how the old metric catalogue is moved."""
    return moving_from(mapping_file("old_catalogue/mapping.yaml"))


def metric(name: str = "reads", *, id: int = 1, **cells: Any) -> dict[str, Cell]:
    """Return a row of the old metrics table."""
    return {
        "id": id, "name": name, "created_at": "2018-02-15 18:23:45.123456", "created_by": "ann", "deprecated_at": None,
        "deprecated_by": None, "deprecated_reason": None, "metric_group_id": id + 1_000, **cells,
    }  # fmt: skip


def version(number: int, *, id: int = 1, **cells: Any) -> dict[str, Cell]:
    """Return a row of the old table of versions."""
    return {
        "metric_id": id, "version": number, "value_type": "SCALAR", "aggregation_style": "SUM",
        "aggregation_param": None, "hybrid_formula": None, "chained_metric": None, "chained_metric.name": None,
        "chain_cutoff_date": None, "updated_at": f"2019-01-{number:02d} 12:00:00", "updated_by": f"editor {number}",
        **cells,
    }  # fmt: skip


def document(
    root: Row, versions: Sequence[Row] = (), *, dimensions: Sequence[str] = (), consumed: Sequence[str] = ()
) -> Document:
    """Return a metric with all that belongs to it."""
    return Document(
        root,
        {
            "versions": tuple(versions),
            "dimensions": tuple(
                {"metric_group_id": root["metric_group_id"], "dimension_id": at, "dimension_id.name": one}
                for at, one in enumerate(dimensions)
            ),
            "relationships": tuple(
                {"consumer_metric": root["id"], "consumed_metric": at, "consumed_metric.name": one}
                for at, one in enumerate(consumed)
            ),
        },
    )


def single(name: str = "reads", *, id: int = 1, consumed: Sequence[str] = (), **cells: Any) -> Document:
    """Return a metric of one version with these cells."""
    return document(metric(name, id=id), [version(1, id=id, **cells)], consumed=consumed)


def primitive(id: int = 1, *, versions: int = 5, name: str = "", **cells: Any) -> Document:
    """Return a primitive metric of some versions."""
    styles = ("SUM", "LAST_DAY_OF_PERIOD")
    rows = [version(n, id=id, aggregation_style=styles[n % 2]) for n in range(1, versions + 1)]
    return document(metric(name or f"metric_{id}", id=id, **cells), rows, dimensions=("section", "country"))


def hybrid(id: int = 1, *, versions: int = 5, of: Sequence[str] = ("reads", "users"), name: str = "") -> Document:
    """Return a hybrid metric of some versions."""
    formulas = [f"{of[0]}/{of[1]}*{number}" for number in range(1, versions + 1)]
    rows = [version(n, id=id, value_type="HYBRID", hybrid_formula=one) for n, one in enumerate(formulas, 1)]
    return document(metric(name or f"metric_{id}", id=id), rows, consumed=sorted(of))


def seen(found: Document | None, *, clock: int = 1, key: str = "") -> Seen:
    """Return a document as it was at a clock."""
    assert found is not None or key
    return Seen(key or str(found.root["id"] if found else ""), clock, found)
