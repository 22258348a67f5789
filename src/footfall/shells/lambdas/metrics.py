"""The metric catalogue in a function: read and changed at once, each change on the condition that nobody was faster."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from footfall.app.brand_facts import BrandFacts
from footfall.app.settings import MIB, Settings
from footfall.ports.table import Table
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Whoever only takes hits starts without a parser of formulas.
    from footfall.app.metric_acts import Metrics
    from footfall.metrics.catalogue import MetricCatalogue
    from footfall.metrics.data import DataQuery, Form, MetricData, Told

CACHE_SHARE = 16  # Answers take that part of the memory at most.

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class DataGround:
    """What data of metrics stand on beside the table of metrics itself."""

    settings: Settings
    brands: BrandFacts
    open_store: Callable[[], Table]
    memory_mb: int


class FunctionMetrics:
    """Reads and changes metrics; what was listed, and the answers that were made, stay in the function's memory."""

    def __init__(self, open_table: Callable[[], Table], ground: DataGround, *, clock: Clock) -> None:
        self._open_table = open_table
        self._ground = ground
        self._clock = clock
        self._metrics: Metrics | None = None
        self._data: MetricData | None = None

    async def asked(self, brand: str, question: "Callable[[Metrics], _T]") -> _T:
        """Return what the metrics answer to a brand's question."""
        del brand
        return question(self._opened())

    async def change(self, brand: str, change: "Callable[[MetricCatalogue], _T]") -> _T:
        """Change a brand's metrics and return what came of it."""
        del brand
        return change(self._opened().catalogue)

    async def data(self, brand: str, query: "DataQuery") -> "Told":
        """Return the answer to a question about a metric's data."""
        return self._opened_data().ask(brand, query)

    async def table(self, brand: str, told: "Told") -> "Form":
        """Return an answer as a table, kept with it."""
        from footfall.app.metric_questions import tabled

        del brand
        return tabled(told)

    async def push(self, brand: str, push: "Callable[[MetricData], _T]") -> _T:
        """Take the points of a brand and return what came of it."""
        del brand
        return push(self._opened_data())

    def _opened_data(self) -> "MetricData":
        from footfall.app.metric_data import metric_data_in

        if self._data is None:
            ground = self._ground
            self._data = metric_data_in(
                ground.settings,
                self._open_table(),
                brands=ground.brands,
                open_store=ground.open_store,
                clock=self._clock,
                cache_bytes_max=ground.memory_mb * MIB // CACHE_SHARE,
            )
        return self._data

    def _opened(self) -> "Metrics":
        from footfall.app.metric_acts import known_kinds, metrics_in

        if self._metrics is None:
            self._metrics = metrics_in(self._open_table(), clock=self._clock, known=known_kinds(self._ground.settings))
        return self._metrics
