"""The metric catalogue's writer and its readers: threads of their own, so that nobody waits while many are written.

An answer that is kept and still right is found on the event loop, with a few reads of single items. So it never waits
for one that has to be made, which is done in threads of their own: one at a time of each brand, so that no brand waits
for what another has asked.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.shells.http.brand_line import BrandLine
from footfall.shells.http.cataloguing import READING_MAX, READING_SHARE, Waiting
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Formulas bring a parser along, which is read when somebody first asks for a metric.
    from footfall.app.metric_acts import Metrics
    from footfall.app.metric_data import OpenedData
    from footfall.metrics.catalogue import MetricCatalogue
    from footfall.metrics.data import DataQuery, Form, Made, MetricData, Told

CHANGING_MAX, CHANGING_SHARE = 512, 128  # Definitions that wait to be written: some kilobytes each.
PUSHING_MAX, PUSHING_SHARE = 64, 24  # Pushes that wait, as they came: mostly kilobytes, some megabytes at most.
MAKING_MAX, MAKING_SHARE = 512, 256  # Questions that wait for their answers to be made; each is small.
MAKERS = 2  # threads that make answers, one of a brand at a time: a slow question leaves the others a thread
CACHE_BYTES_MAX = 32_000_000  # of answers that are found on the event loop
MAKER_CACHE_BYTES_MAX = 4_000_000  # of whoever makes them, for the few who ask for the same at one moment

_T = TypeVar("_T")


class MetricDesk:
    """Reads and writes metrics on behalf of the event loop: one write after another, and so the reads."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metrics")
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metrics-reader")
        self._makers = BrandLine(MAKERS, name="metric-data")
        self._table: wiring.OpenTable | None = None  # the writing thread's
        self._asked_table: wiring.OpenTable | None = None  # the reading thread's
        self._metrics: Metrics | None = None
        self._made: dict[int, OpenedData] = {}  # each making thread's
        self._ready: OpenedData | None = None  # the event loop's
        self._pushed: OpenedData | None = None  # the writing thread's, on its table
        self._making = Waiting(total_max=MAKING_MAX, share=MAKING_SHARE, what="data of metrics")
        self._changing = Waiting(total_max=CHANGING_MAX, share=CHANGING_SHARE, what="the metrics")
        self._pushing = Waiting(total_max=PUSHING_MAX, share=PUSHING_SHARE, what="points of metrics")
        self._reading = Waiting(total_max=READING_MAX, share=READING_SHARE, what="the metrics")

    async def asked(self, brand: str, question: "Callable[[Metrics], _T]") -> _T:
        """Return what the metrics answer to a brand's question, once it is its turn; no write is waited for."""
        with self._reading.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._reader, self._ask, question)

    async def change(self, brand: str, change: "Callable[[MetricCatalogue], _T]") -> _T:
        """Change a brand's metrics, once it is its turn, and return what came of it."""
        with self._changing.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._writer, self._change, change)

    @property
    def has_answers(self) -> bool:
        """Tell whether any answer was ever made."""
        return self._ready is not None

    def ready(self, brand: str, query: "DataQuery") -> "Told | None":
        """Return an answer that is kept and still right; on the event loop."""
        return None if self._ready is None else self._ready.data.ready(brand, query)

    async def data(self, brand: str, query: "DataQuery") -> "Told":
        """Return the answer to a question about a metric's data: at once when it is there, else once it is made."""
        told = self.ready(brand, query)
        if told is not None:
            return told
        with self._making.one_of(brand):
            made = await self._makers.run(brand, lambda maker: self._make(maker, brand, query))
        if self._ready is None:
            self._ready = self._opened_data()
        self._ready.data.take(made)
        return made.told

    async def table(self, brand: str, told: "Told") -> "Form":
        """Return an answer as a table: at once when it is there, else once it is made."""
        from footfall.app.metric_questions import CSV, tabled

        form = told.forms.get(CSV)
        if form is not None:
            return form
        with self._making.one_of(brand):
            return await self._makers.run(brand, lambda _: tabled(told))

    async def push(self, brand: str, push: "Callable[[MetricData], _T]") -> _T:
        """Take the points of a brand, once it is its turn, and return what came of it."""
        with self._pushing.one_of(brand):
            return await asyncio.get_running_loop().run_in_executor(self._writer, self._push, push)

    async def stop(self) -> None:
        """Finish what waits and close the file."""
        loop = asyncio.get_running_loop()
        await self._makers.stop(self._close_made)
        if self._ready is not None:
            self._ready.close()
            self._ready = None
        await loop.run_in_executor(self._reader, self._close_asked)
        await loop.run_in_executor(self._writer, self._close)
        self._reader.shutdown(wait=True)
        self._writer.shutdown(wait=True)

    def _ask(self, question: "Callable[[Metrics], _T]") -> _T:
        from footfall.app.metric_acts import metrics_in

        if self._metrics is None:
            self._require_file()
            self._asked_table = wiring.open_metrics_table(self._settings, self._clock, read_only=True)
            self._metrics = metrics_in(self._asked_table, clock=self._clock)
        return question(self._metrics)

    def _change(self, change: "Callable[[MetricCatalogue], _T]") -> _T:
        from footfall.app.metric_acts import known_kinds
        from footfall.metrics.catalogue import MetricCatalogue

        return change(MetricCatalogue(self._opened(), clock=self._clock, known=known_kinds(self._settings)))

    def _make(self, maker: int, brand: str, query: "DataQuery") -> "Made":
        if maker not in self._made:
            self._require_file()
            self._made[maker] = self._opened_data(cache_bytes_max=MAKER_CACHE_BYTES_MAX)
        return self._made[maker].data.make(brand, query)

    def _push(self, push: "Callable[[MetricData], _T]") -> _T:
        if self._pushed is None:
            self._pushed = self._opened_data(self._opened())
        return push(self._pushed.data)

    def _opened_data(
        self, table: wiring.OpenTable | None = None, *, cache_bytes_max: int = CACHE_BYTES_MAX
    ) -> "OpenedData":
        from footfall.app.metric_data import OpenedData

        return OpenedData(self._settings, self._clock, table=table, cache_bytes_max=cache_bytes_max)

    def _require_file(self) -> None:
        """Have the writing thread make the file, which nobody has written to yet."""
        if not wiring.has_table(self._settings, wiring.METRICS_FILE):
            self._writer.submit(self._opened).result()

    def _opened(self) -> wiring.OpenTable:
        if self._table is None:
            self._table = wiring.open_metrics_table(self._settings, self._clock)
        return self._table

    def _close_made(self, maker: int) -> None:
        if maker in self._made:
            self._made.pop(maker).close()

    def _close(self) -> None:
        if self._pushed is not None:
            self._pushed.close()
            self._pushed = None
        if self._table is not None:
            self._table.close()
            self._table = None

    def _close_asked(self) -> None:
        if self._asked_table is not None:
            self._asked_table.close()
            self._asked_table = None
            self._metrics = None
