"""ClickHouse in the collecting process (chdb): sums of a group as an Arrow table, or JSON that it reads itself.

`Summing` keeps sums alone (SummingMergeTree by brand, window, section and asset) and is given those of each group,
which was cheaper than JSON. `Raw` keeps a row a hit, which it reads from JSON (no other way in was tried), and groups
when it is asked. A part and its folder are synced before an insert returns.
"""

import json
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.compare.arrow_bodies import SUMMED, ArrowBodies
from bench.compare.protocol import CannotCountAgain, Question, lines_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS compare.hits (
  brand LowCardinality(String), assetId UInt64, sectionId UInt32,
  resourceType LowCardinality(String), paidType LowCardinality(String),
  at Int64 EPHEMERAL {now_ms},
  window_ms Int64 DEFAULT intDiv(at, 300000) * 300000{hits}
) ENGINE = {engine} ORDER BY (brand, window_ms, sectionId, assetId, resourceType, paidType)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
"""
COLUMNS = "brand, assetId, sectionId, resourceType, paidType, at"


class ClickHouse:
    """One table in a folder."""

    group_bodies = 1_000
    engine, hits, counted = "", "", ""

    def __init__(self) -> None:
        self._session: Any = None

    def start(self, folder: Path) -> None:
        """Open the folder."""
        self._session = import_module("chdb.session").Session(str(folder))
        self._session.query("CREATE DATABASE IF NOT EXISTS compare ENGINE = Atomic")
        self._session.query(SCHEMA.format(engine=self.engine, hits=self.hits, now_ms=int(time.time() * 1_000)))

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Insert a group as it came, one hit a line."""
        assert now_ms > 0, "the table has the moment of its making"
        self._session.query(f"INSERT INTO compare.hits ({COLUMNS}) FORMAT JSONEachRow {lines_of(bodies).decode()}")

    def settle(self) -> None:
        """Do nothing: sums that are not merged yet are added when a list is asked for."""

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Group what the filter leaves."""
        where = f"brand = '{question.brand}'"
        if question.section is not None:
            where += f" AND sectionId = {question.section}"
        if question.from_ms is not None:
            where += f" AND window_ms >= {question.from_ms} AND window_ms < {question.to_ms}"
        rows = self._rows(
            f"SELECT assetId, {self.counted} AS n FROM compare.hits WHERE {where} "
            f"GROUP BY assetId ORDER BY n DESC LIMIT {question.limit}"
        )
        return [(int(asset), int(hits)) for asset, hits in rows]

    def count_again(self) -> None:
        """Refuse."""
        raise CannotCountAgain("hits are not kept")

    def total(self) -> int:
        """Add everything up."""
        return int(self._rows(f"SELECT {self.counted} FROM compare.hits")[0][0])

    def stop(self) -> None:
        """Close the folder."""
        if self._session is not None:
            self._session.close()

    def _rows(self, query: str) -> list[Any]:
        return json.loads(self._session.query(query, "JSONCompact").bytes())["data"]


class Summing(ClickHouse):
    """Sums alone."""

    engine, hits, counted = "SummingMergeTree(hits)", ", hits UInt64", "sum(hits)"

    def __init__(self) -> None:
        super().__init__()
        self._arrow = ArrowBodies()

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Insert a group's sums; ClickHouse finds the table by the name that it has here."""
        grouped = self._arrow.sums(bodies, now_ms=now_ms)
        names = ", ".join(SUMMED)
        self._session.query(f"INSERT INTO compare.hits ({names}) SELECT {names} FROM Python(grouped)")
        del grouped


class Raw(ClickHouse):
    """A row a hit."""

    engine, counted = "MergeTree", "count()"

    def count_again(self) -> None:
        """Group all rows, as every list does with its own."""
        self._rows(
            "SELECT count() FROM (SELECT brand, window_ms, sectionId, assetId, resourceType, paidType, count() "
            "FROM compare.hits GROUP BY ALL)"
        )
