"""Data of metrics put together: definitions and points of one table, and footfall's own counts of another."""

from collections.abc import Callable

from footfall.app import wiring
from footfall.app.brand_facts import BrandFacts
from footfall.app.metric_counts import StoredCounts
from footfall.app.settings import Settings
from footfall.app.sights import Sights, board_rules
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.counts import CountMark, CountQuestion, CountTold
from footfall.metrics.data import CACHE_BYTES_MAX, MetricData
from footfall.metrics.points import Points
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError


class NothingCounted(FootfallError):
    """A metric is made of footfall's own counts, and no instance has ever counted here."""


class LateCounts:
    """Footfall's own counts, whose store is opened when a metric is first made of them."""

    def __init__(
        self, settings: Settings, brands: BrandFacts, open_store: Callable[[], Table], *, clock: Clock
    ) -> None:
        self._settings = settings
        self._brands = brands
        self._open_store = open_store
        self._clock = clock
        self._counts: StoredCounts | None = None

    def mark(self, brand: str) -> CountMark:
        """Return what the counts of a brand are made of now."""
        return self._opened().mark(brand)

    def read(self, brand: str, question: CountQuestion) -> CountTold:
        """Return the counts that are asked for."""
        return self._opened().read(brand, question)

    def _opened(self) -> StoredCounts:
        if self._counts is None:
            table, settings, clock = self._open_store(), self._settings, self._clock
            shards, rules = settings.stream_shards, board_rules(settings)
            sights = Sights(table, self._brands, rules, shards=shards, clock=clock)
            self._counts = StoredCounts(table, sights, self._brands, clock=clock)
        return self._counts


def metric_data_in(
    settings: Settings,
    table: Table,
    *,
    brands: BrandFacts,
    open_store: Callable[[], Table],
    clock: Clock,
    cache_bytes_max: int = CACHE_BYTES_MAX,
) -> MetricData:
    """Return the data of the metrics that a table holds."""
    return MetricData(
        MetricCatalogue(table, clock=clock),
        Points(table, clock=clock),
        counts=LateCounts(settings, brands, open_store, clock=clock),
        zone_of=brands.zone_of,
        clock=clock,
        cache_bytes_max=cache_bytes_max,
    )


class OpenedData:
    """Data of metrics on tables of its own, until it is closed; each thread that asks has one."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        table: wiring.OpenTable | None = None,
        cache_bytes_max: int = CACHE_BYTES_MAX,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._own: list[wiring.OpenTable] = []
        if table is None:
            table = self._noted(wiring.open_metrics_table(settings, clock, read_only=True))
        brands = wiring.brand_lookup(settings, clock)
        self.data = metric_data_in(
            settings, table, brands=brands, open_store=self._store, clock=clock, cache_bytes_max=cache_bytes_max
        )

    def close(self) -> None:
        """Let go of the tables that were opened here."""
        while self._own:
            self._own.pop().close()

    def _store(self) -> Table:
        if not wiring.has_table(self._settings, wiring.STORE_FILE):
            where = self._settings.data_dir
            raise NothingCounted(f"no hits were ever counted in {where}: start footfall serve on it, then ask again.")
        return self._noted(wiring.open_store(self._settings, self._clock, read_only=True))

    def _noted(self, table: wiring.OpenTable) -> wiring.OpenTable:
        self._own.append(table)
        return table
