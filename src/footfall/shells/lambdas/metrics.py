"""The metric catalogue in a function: read and changed at once, each change on the condition that nobody was faster."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from footfall.ports.table import Table
from footfall.values.clock import Clock

if TYPE_CHECKING:  # Whoever only takes hits starts without a parser of formulas.
    from footfall.app.metric_acts import Metrics
    from footfall.metrics.catalogue import MetricCatalogue

_T = TypeVar("_T")


class FunctionMetrics:
    """Reads and changes metrics; what was listed stays in the function's memory."""

    def __init__(self, open_table: Callable[[], Table], *, clock: Clock) -> None:
        self._open_table = open_table
        self._clock = clock
        self._metrics: Metrics | None = None

    async def asked(self, brand: str, question: "Callable[[Metrics], _T]") -> _T:
        """Return what the metrics answer to a brand's question."""
        del brand
        return question(self._opened())

    async def change(self, brand: str, change: "Callable[[MetricCatalogue], _T]") -> _T:
        """Change a brand's metrics and return what came of it."""
        del brand
        return change(self._opened().catalogue)

    def _opened(self) -> "Metrics":
        from footfall.app.metric_acts import metrics_in

        if self._metrics is None:
            self._metrics = metrics_in(self._open_table(), clock=self._clock)
        return self._metrics
