"""DuckDB in the collecting process: raw hits appended in commits of a group, lists by GROUP BY over what was counted.

A commit checkpoints its write-ahead log to disk (fsync) before it returns. Rows come as Arrow tables, which is its
fastest way in from Python. Counting by windows is one statement over what was not counted yet, as a job would do it.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.compare.protocol import Question, rows_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS raw (
  brand VARCHAR, asset BIGINT, section INTEGER, kind VARCHAR, pays VARCHAR, window_ms BIGINT);
CREATE TABLE IF NOT EXISTS counted (
  brand VARCHAR, asset BIGINT, section INTEGER, kind VARCHAR, pays VARCHAR, window_ms BIGINT, hits BIGINT);
"""
COLUMNS = ("brand", "asset", "section", "kind", "pays", "window_ms")
COUNT = """
INSERT INTO counted SELECT brand, asset, section, kind, pays, window_ms, count(*)
FROM raw WHERE rowid >= ? GROUP BY ALL
"""


class DuckDb:
    """One database file."""

    group_bodies = 1_000

    def __init__(self) -> None:
        self._duckdb: Any = import_module("duckdb")
        self._arrow: Any = import_module("pyarrow")
        self._base: Any = None

    def start(self, folder: Path) -> None:
        """Open the file, which replays its log."""
        self._base = self._duckdb.connect(str(folder / "hits.duckdb"))
        self._base.execute(SCHEMA)

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Append a group of rows in one transaction."""
        columns = list(zip(*rows_of(bodies, now_ms=now_ms), strict=True))
        group = self._arrow.table([self._arrow.array(one) for one in columns], names=COLUMNS)
        self._base.register("grouped", group)
        self._base.execute("INSERT INTO raw SELECT * FROM grouped")
        self._base.unregister("grouped")

    def settle(self) -> None:
        """Count what was appended since the last time."""
        self._base.execute("BEGIN")
        counted = self.total()
        self._base.execute(COUNT, [counted])
        self._base.execute("COMMIT")

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Add windows up."""
        where, values = "brand = ?", [question.brand]
        if question.section is not None:
            where, values = f"{where} AND section = ?", [*values, question.section]
        if question.from_ms is not None:
            where, values = f"{where} AND window_ms >= ? AND window_ms < ?", [*values, question.from_ms, question.to_ms]
        found = self._base.execute(
            f"SELECT asset, sum(hits)::BIGINT AS n FROM counted WHERE {where} GROUP BY asset ORDER BY n DESC LIMIT ?",
            [*values, question.limit],
        )
        return found.fetchall()

    def count_again(self) -> None:
        """Count all raw hits into a table that takes the old one's place."""
        self._base.execute("BEGIN")
        self._base.execute("DELETE FROM counted")
        self._base.execute(COUNT, [0])
        self._base.execute("COMMIT")

    def total(self) -> int:
        """Return how many hits are counted."""
        return int(self._base.execute("SELECT coalesce(sum(hits), 0)::BIGINT FROM counted").fetchone()[0])

    def stop(self) -> None:
        """Close the file."""
        self._base.close()
