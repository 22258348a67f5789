"""DuckDB in the collecting process: raw hits appended in commits of a group, lists by GROUP BY over what was counted.

A commit has its write-ahead log on disk (fsync) before it returns. Arrow's own reader makes tables of the bodies, which
took two thirds of the time of rows made in Python. Counting by windows is one statement over what was not counted yet.
"""

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from bench.compare.protocol import Question, lines_of, window_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS raw (
  brand VARCHAR, asset BIGINT, section INTEGER, kind VARCHAR, pays VARCHAR, window_ms BIGINT);
CREATE TABLE IF NOT EXISTS counted (
  brand VARCHAR, asset BIGINT, section INTEGER, kind VARCHAR, pays VARCHAR, window_ms BIGINT, hits BIGINT);
"""
TAKE = """
INSERT INTO raw SELECT brand, "assetId", "sectionId", "resourceType", "paidType", coalesce("at" // 300000 * 300000, ?)
FROM grouped
"""
BLOCK_BYTES = 1 << 26  # A group is one block, so that no row is cut.
COUNT = """
INSERT INTO counted SELECT brand, asset, section, kind, pays, window_ms, count(*)
FROM raw WHERE rowid >= ? GROUP BY ALL
"""


class DuckDb:
    """One database file."""

    group_bodies = 1_000

    def __init__(self) -> None:
        self._duckdb: Any = import_module("duckdb")
        self._reader: Any = import_module("pyarrow.json")
        arrow: Any = import_module("pyarrow")
        texts, numbers = ("brand", "resourceType", "paidType"), ("assetId", "sectionId", "at")
        self._schema = arrow.schema(
            [*((one, arrow.string()) for one in texts), *((one, arrow.int64()) for one in numbers)]
        )
        self._base: Any = None

    def start(self, folder: Path) -> None:
        """Open the file, which replays its log."""
        self._base = self._duckdb.connect(str(folder / "hits.duckdb"))
        self._base.execute(SCHEMA)

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Append a group of rows in one transaction."""
        self._base.register("grouped", self._table(lines_of(bodies)))
        self._base.execute(TAKE, [window_of(now_ms)])
        self._base.unregister("grouped")

    def _table(self, lines: bytes) -> Any:
        reading = self._reader.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
        parsing = self._reader.ParseOptions(explicit_schema=self._schema)
        return self._reader.read_json(BytesIO(lines), read_options=reading, parse_options=parsing)

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
