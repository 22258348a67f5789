"""DuckDB in the collecting process: what Arrow read is appended in commits of a group, lists are a GROUP BY of windows.

A commit has its write-ahead log on disk (fsync) before it returns. `DuckDb` keeps a row a hit, and counting by windows
is one statement over what was not counted yet. `Summed` is given sums of each group and keeps no raw hits.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.compare.arrow_bodies import ArrowBodies
from bench.compare.protocol import CannotCountAgain, Question, window_of

KEY = "brand VARCHAR, asset BIGINT, section INTEGER, kind VARCHAR, pays VARCHAR, window_ms BIGINT"
COUNTED = f"CREATE TABLE IF NOT EXISTS counted ({KEY}, hits BIGINT)"
READ = 'brand, "assetId", "sectionId", "resourceType", "paidType", coalesce("at" // 300000 * 300000, ?)'
TAKE = f"INSERT INTO raw SELECT {READ} FROM grouped"
TAKE_SUMS = "INSERT INTO summed SELECT * FROM grouped"
COUNT = """
INSERT INTO counted SELECT brand, asset, section, kind, pays, window_ms, count(*)
FROM raw WHERE rowid >= ? GROUP BY ALL
"""
ADD_UP = """
INSERT INTO counted SELECT brand, asset, section, kind, pays, window_ms, sum(hits)::BIGINT FROM summed GROUP BY ALL
"""


class DuckDb:
    """One database file."""

    group_bodies = 1_000
    kept = f"CREATE TABLE IF NOT EXISTS raw ({KEY})"  # what a group is appended to

    def __init__(self) -> None:
        self._duckdb: Any = import_module("duckdb")
        self._arrow = ArrowBodies()
        self._base: Any = None

    def start(self, folder: Path) -> None:
        """Open the file, which replays its log."""
        self._base = self._duckdb.connect(str(folder / "hits.duckdb"))
        self._base.execute(COUNTED)
        self._base.execute(self.kept)

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Append a group in one transaction."""
        self._append(TAKE, self._arrow.rows(bodies), [window_of(now_ms)])

    def _append(self, statement: str, grouped: Any, values: Sequence[int] = ()) -> None:
        self._base.register("grouped", grouped)
        self._base.execute(statement, [*values])
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


class Summed(DuckDb):
    """Sums of groups, which settling adds up once more: lists read a row a key."""

    kept = f"CREATE TABLE IF NOT EXISTS summed ({KEY}, hits BIGINT)"

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Append the sums of a group in one transaction."""
        self._append(TAKE_SUMS, self._arrow.sums(bodies, now_ms=now_ms))

    def settle(self) -> None:
        """Add up what was appended and forget it, in one transaction: a sum is in one of the tables."""
        self._base.execute("BEGIN")
        self._base.execute(ADD_UP)
        self._base.execute("DROP TABLE summed")
        self._base.execute(self.kept)
        self._base.execute("COMMIT")

    def count_again(self) -> None:
        """Refuse."""
        raise CannotCountAgain("hits are not kept")
