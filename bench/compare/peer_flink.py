"""Apache Flink SQL (PyFlink): the query of the page-hit-counter thesis' figure 6.2, in today's dialect.

The collecting process writes what comes into files, one hit a line, and syncs them. The job counts the folder in
windows of five minutes, bounded, which is the kindest way: no watermark has to wait and no checkpoint is written. Flink
serves no lists, so this process reads the job's rows, as the thesis' consumer does, and answers from memory.
"""

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from heapq import nlargest
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any

from bench.compare.processes import SCRATCH
from bench.compare.protocol import Question, lines_of

FILE_BYTES_MAX = 1 << 26
JVM = "-Xmx3g -XX:+UseParallelGC -Djava.io.tmpdir={scratch}"
SOURCE = """
CREATE TABLE PAGEHITS_SOURCE (
  `brand` STRING, `assetId` BIGINT, `sectionId` INT, `resourceType` STRING, `paidType` STRING, `at` BIGINT,
  `rowtime` AS TO_TIMESTAMP_LTZ(`at`, 3),
  WATERMARK FOR `rowtime` AS `rowtime` - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'json')
"""
SINK = """
CREATE TABLE FIVE_MIN_DESTINATION (
  `brand` STRING, `period` STRING, `assetId` BIGINT, `sectionId` INT, `paidType` STRING, `resourceType` STRING,
  `hitCount` BIGINT, `timestamp` BIGINT
) WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
# Figure 6.2: STEP(ROWTIME BY INTERVAL '5' MINUTE) is today's TUMBLE.
COUNT = """
INSERT INTO FIVE_MIN_DESTINATION
SELECT `brand`, 'F', `assetId`, `sectionId`, `paidType`, `resourceType`, COUNT(*),
  1000 * UNIX_TIMESTAMP(CAST(window_start AS STRING))
FROM TABLE(TUMBLE(TABLE PAGEHITS_SOURCE, DESCRIPTOR(`rowtime`), INTERVAL '5' MINUTE))
WHERE `resourceType` IS NOT NULL
GROUP BY `brand`, `assetId`, `sectionId`, `paidType`, `resourceType`, window_start, window_end
"""


class Flink:
    """One folder of hits, one job."""

    group_bodies = 100

    def __init__(self) -> None:
        self._hits, self._rows = Path(), Path()
        self._file: Any = None
        self._environment: Any = None
        self._counts: Counter[tuple[str, int, int, int]] = Counter()  # by brand, section, asset and window

    def start(self, folder: Path) -> None:
        """Open the folder and start Flink's own small cluster."""
        self._hits, self._rows = folder / "hits", folder / "rows"
        self._hits.mkdir(exist_ok=True)
        for cut in self._hits.iterdir():
            _cut_to_whole_lines(cut)
        scratch = folder / SCRATCH  # The planner unpacks itself, 46 MB a start, and a kill leaves it there.
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        os.environ["JVM_ARGS"] = os.environ["_JAVA_OPTIONS"] = JVM.format(scratch=scratch)
        table: Any = import_module("pyflink.table")
        self._environment = table.TableEnvironment.create(table.EnvironmentSettings.in_batch_mode())
        settings = self._environment.get_config()
        settings.set("parallelism.default", str(os.cpu_count() or 1))
        settings.set("table.local-time-zone", "UTC")

    def load(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Append a group to a file and sync it."""
        file = self._file
        if file is None or file.tell() > FILE_BYTES_MAX:
            file = self._begun_file()
        file.write(lines_of(bodies, at_ms=now_ms))
        os.fdatasync(file.fileno())

    def settle(self) -> None:
        """Run the job over all that was collected, and read its rows."""
        shutil.rmtree(self._rows, ignore_errors=True)
        for name, text in (("PAGEHITS_SOURCE", SOURCE), ("FIVE_MIN_DESTINATION", SINK)):
            self._environment.execute_sql(f"DROP TABLE IF EXISTS {name}")
            path = self._hits if text is SOURCE else self._rows
            self._environment.execute_sql(text.format(path=path))
        self._environment.execute_sql(COUNT).wait()
        self._counts = Counter()
        for path in self._rows.rglob("part-*"):
            for line in path.read_text(encoding="utf-8").splitlines():
                brand, _, asset, section, _, _, hits, window = line.split(",")
                self._counts[brand, int(section), int(asset), int(window)] += int(hits)

    def listed(self, question: Question) -> list[tuple[int, int]]:
        """Look at every row."""
        totals: Counter[int] = Counter()
        for (brand, section, asset, window), hits in self._counts.items():
            if question.from_ms is not None and not question.from_ms <= window < (question.to_ms or 0):
                continue
            if brand == question.brand and question.section in (None, section):
                totals[asset] += hits
        return nlargest(question.limit, totals.items(), key=itemgetter(1))

    def count_again(self) -> None:
        """Run the job again."""
        self.settle()

    def total(self) -> int:
        """Add all rows up."""
        return self._counts.total()

    def stop(self) -> None:
        """Close the file; the cluster ends with this process."""
        if self._file is not None:
            self._file.close()

    def _begun_file(self) -> Any:
        if self._file is not None:
            self._file.close()
        number = len(list(self._hits.iterdir()))
        self._file = (self._hits / f"{number:06}.json").open("ab", buffering=0)
        return self._file


def _cut_to_whole_lines(path: Path) -> None:
    """Drop a line that a kill cut off: it was not acknowledged."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
