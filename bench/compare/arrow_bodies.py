"""Bodies as Arrow tables, for those that take columns: a row a hit, or equal hits of a group added up.

A row a hit took Arrow's own reader two thirds of the time of Python. To add hits up without ever making rows of them
took Python less than half of the time of Arrow, but where they bear times, a third more.
"""

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from operator import attrgetter
from typing import Any

from bench.compare.protocol import WINDOW_MS, by_window, is_timed, lines_of

TEXTS, NUMBERS = ("brand", "resourceType", "paidType"), ("assetId", "sectionId", "at")
SUMMED_BY = ("brand", "assetId", "sectionId", "resourceType", "paidType", "window_ms")
SUMMED = (*SUMMED_BY, "hits")
BLOCK_BYTES = 1 << 26  # A group is one block, so that no row is cut.


class ArrowBodies:
    """What reads bodies; the library is that of the peers' environment."""

    def __init__(self) -> None:
        self._reader: Any = import_module("pyarrow.json")
        self._compute: Any = import_module("pyarrow.compute")
        self._arrow: Any = import_module("pyarrow")
        texts, numbers = self._arrow.string(), self._arrow.int64()
        self._schema = self._arrow.schema([*((one, texts) for one in TEXTS), *((one, numbers) for one in NUMBERS)])

    def rows(self, bodies: Sequence[bytes]) -> Any:
        """Return a row for each hit; `at` is null where hits bear no time."""
        reading = self._reader.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
        parsing = self._reader.ParseOptions(explicit_schema=self._schema)
        return self._reader.read_json(BytesIO(lines_of(bodies)), read_options=reading, parse_options=parsing)

    def sums(self, bodies: Sequence[bytes], *, now_ms: int) -> Any:
        """Return a row for equal hits of a window, with how many they are: the columns of SUMMED."""
        return self._sums_of_timed(bodies, now_ms=now_ms) if is_timed(bodies[0]) else self._sums(bodies, now_ms=now_ms)

    def _sums(self, bodies: Sequence[bytes], *, now_ms: int) -> Any:
        columns: dict[str, list[Any]] = {name: [] for name in SUMMED}
        for window_ms, counts in by_window(bodies, now_ms=now_ms).items():
            for name in SUMMED_BY[:-1]:
                columns[name] += map(attrgetter(name), counts)
            columns["window_ms"] += [window_ms] * len(counts)
            columns["hits"] += counts.values()
        return self._arrow.table(columns)

    def _sums_of_timed(self, bodies: Sequence[bytes], *, now_ms: int) -> Any:
        rows, compute = self.rows(bodies), self._compute
        at_ms = compute.fill_null(rows["at"], now_ms)
        window_ms = compute.multiply(compute.divide(at_ms, WINDOW_MS), WINDOW_MS)
        hits = rows.append_column("window_ms", window_ms)
        summed = hits.group_by(list(SUMMED_BY), use_threads=False).aggregate([([], "count_all")])
        return summed.select([*SUMMED_BY, "count_all"]).rename_columns(list(SUMMED))
