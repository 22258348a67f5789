"""What the answering process sees of the store at a moment, and what it begins to read of the past with that."""

from footfall.app import wiring
from footfall.app.brand_facts import BrandFacts
from footfall.app.past_reading import SeriesKey, SpanKey
from footfall.app.settings import HOUR_MS, Settings
from footfall.app.visitor_reading import VisitorKey, VisitorPast
from footfall.flow.serve.board import BoardRules
from footfall.flow.serve.loaded import limits_within
from footfall.flow.serve.past import Moments, PastList
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.series import SeriesReading
from footfall.flow.serve.series_spans import series_span
from footfall.flow.serve.spans import size_between, span_between
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoints, unbuilt_of
from footfall.flow.store.retention import load_retention
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.period import GRAIN_MS

PastKey = SpanKey | SeriesKey | VisitorKey
Past = PastList | SeriesReading | VisitorPast


def board_rules(settings: Settings) -> BoardRules:
    """Return what the counting process promises."""
    return BoardRules(
        shards=frozenset(keys.shard_name(shard) for shard in range(settings.stream_shards)),
        lateness_ms=settings.count_lateness_hours * HOUR_MS,
        ahead_ms=settings.count_future_ms,
        kept_ms=wiring.kept_ms(settings),
        limits=limits_within(settings.serve_rows_max),
    )


class Sights:
    """Looks at the store whenever something is begun."""

    def __init__(self, table: Table, brands: BrandFacts, rules: BoardRules, *, shards: int, clock: Clock) -> None:
        self._table = table
        self._brands = brands
        self._rules = rules
        self._shards = range(shards)
        self._clock = clock

    def checkpoints(self) -> dict[int, Checkpoint]:
        """Return how far every shard has come."""
        found = load_checkpoints(self._table)
        return {shard: found.get(shard) or Checkpoint() for shard in self._shards}

    def sight(self, brand: str) -> tuple[Ground, Moments]:
        """Return what decides which windows of the brand there are, and until when they are closed."""
        now_ms = self._clock.now_ms()
        rules = self._rules
        checkpoints = self.checkpoints()
        ground = Ground(
            self._brands.zone_of(brand),
            rules.shards,
            rules.kept_ms,
            now_ms=now_ms,
            seen_until_ms=now_ms + rules.ahead_ms,
            kept_before=load_retention(self._table),
            unbuilt=unbuilt_of(checkpoints),
        )
        return ground, Moments(min(one.passed_ms for one in checkpoints.values()), rules.lateness_ms)

    def new_past(self, key: PastKey) -> Past:
        """Begin to read what a key names."""
        if isinstance(key, VisitorKey):
            return key.make()
        ground, moments = self.sight(key.brand)
        if isinstance(key, SeriesKey):
            span = series_span(key.query, zone=ground.zone, now_ms=ground.now_ms)
            return SeriesReading(key.query, span, ground, moments)
        return PastList(span_between(key.from_ms, key.to_ms, zone=ground.zone), ground, moments)

    def size_of_past(self, key: PastKey) -> int:
        """Return how many windows are read for a span, and for those that it is compared with, about."""
        if isinstance(key, VisitorKey):
            return key.size
        if isinstance(key, SeriesKey):
            query = key.query
            return ((query.to_ms or 0) - (query.from_ms or 0)) // GRAIN_MS[query.grain] * (1 + len(query.compare))
        return 2 * size_between(key.from_ms, key.to_ms, zone=self._brands.zone_of(key.brand))
