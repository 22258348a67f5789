"""The metric catalogue's writer and its reader: threads of their own, so that nobody waits while many are written."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.shells.http.cataloguing import READING_MAX, READING_SHARE, WRITING_MAX, WRITING_SHARE, Waiting
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Formulas bring a parser along, which is read when somebody first asks for a metric.
    from footfall.app.metric_acts import Metrics
    from footfall.metrics.catalogue import MetricCatalogue

_T = TypeVar("_T")


class MetricDesk:
    """Reads and writes metrics on behalf of the event loop: one write after another, and so the reads."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metrics")
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metrics-reader")
        self._table: wiring.OpenTable | None = None  # the writing thread's
        self._asked_table: wiring.OpenTable | None = None  # the reading thread's
        self._metrics: Metrics | None = None
        self._writing = Waiting(total_max=WRITING_MAX, share=WRITING_SHARE, what="the metrics")
        self._reading = Waiting(total_max=READING_MAX, share=READING_SHARE, what="the metrics")

    async def asked(self, brand: str, question: "Callable[[Metrics], _T]") -> _T:
        """Return what the metrics answer to a brand's question, once it is its turn; no write is waited for."""
        with self._reading.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._reader, self._ask, question)

    async def change(self, brand: str, change: "Callable[[MetricCatalogue], _T]") -> _T:
        """Change a brand's metrics, once it is its turn, and return what came of it."""
        with self._writing.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._writer, self._change, change)

    async def stop(self) -> None:
        """Finish what waits and close the file."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._reader, self._close_asked)
        await loop.run_in_executor(self._writer, self._close)
        self._reader.shutdown(wait=True)
        self._writer.shutdown(wait=True)

    def _ask(self, question: "Callable[[Metrics], _T]") -> _T:
        from footfall.app.metric_acts import metrics_in

        if self._metrics is None:
            if not wiring.has_table(self._settings, wiring.METRICS_FILE):
                self._writer.submit(self._opened).result()  # Nobody has changed anything yet.
            self._asked_table = wiring.open_metrics_table(self._settings, self._clock, read_only=True)
            self._metrics = metrics_in(self._asked_table, clock=self._clock)
        return question(self._metrics)

    def _change(self, change: "Callable[[MetricCatalogue], _T]") -> _T:
        from footfall.metrics.catalogue import MetricCatalogue

        return change(MetricCatalogue(self._opened(), clock=self._clock))

    def _opened(self) -> wiring.OpenTable:
        if self._table is None:
            self._table = wiring.open_metrics_table(self._settings, self._clock)
        return self._table

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None

    def _close_asked(self) -> None:
        if self._asked_table is not None:
            self._asked_table.close()
            self._asked_table = None
            self._metrics = None
