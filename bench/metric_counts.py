"""The catalogue's own example: hits per visitor by section over thirty days of footfall's own counts, cold and warm.

Sketch. A day of a paper with 2,000 assets and 20,000 visitors has 100 KB of hits and 300 KB of visitors. Thirty of them
are read and decoded by whoever asks first, some 10 ms each. After that a question costs the journal, and the numbers.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.results import Row, row
from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.metric_counts import StoredCounts
from footfall.app.settings import Settings
from footfall.app.sights import Sights, board_rules
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from footfall.flow.store.columns import CountKey, columns_from_counts
from footfall.flow.store.journal import Touched, write_journal
from footfall.flow.store.summaries import Summaries, Summary
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, save_visitors
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.data import DataQuery, MetricData, query_from
from footfall.metrics.definition import definition_from
from footfall.metrics.points import Points
from footfall.metrics.writing import Saved
from footfall.sketches.coupons import coupons_of_numbers
from footfall.sketches.grouped import grouped_from
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, Grain, Window, window_of

BRAND = "bench"
NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
DAYS, SECTIONS, ASSETS, VISITORS, HITS = 30, 12, 2_000, 20_000, 60_000
ASKED = 20
FIRST, TO = "2026-10-16", "2026-11-15"


def counts_rows(directory: Path) -> list[Row]:
    """Store thirty days, and ask for hits per visitor by section: first, after a checkpoint, and again."""
    clock = SetClock(NOON_MS)
    settings = Settings(brands={BRAND: Brand(BRAND, zone="UTC")}, dev=True, stream_shards=1)
    store = SqliteTable(directory / "store.db", clock=clock, durable=False)
    _store_days(store, clock)
    metrics = SqliteTable(directory / "counted.db", clock=clock, durable=False)
    catalogue = MetricCatalogue(metrics, clock=clock)
    catalogue.save_all(BRAND, [Saved(definition_from(one)) for one in _documents()], by="bench")
    brands = wiring.brand_lookup(settings, clock)

    def opened() -> MetricData:
        sights = Sights(store, brands, board_rules(settings), shards=1, clock=clock)
        counts = StoredCounts(store, sights, brands, clock=clock)
        return MetricData(catalogue, Points(metrics, clock=clock), counts=counts, zone_of=brands.zone_of, clock=clock)

    rows: list[Row] = []
    for name, what in (("each", "hits per visitor"), ("paid", "the same of paid articles")):
        query = query_from(name, first=FIRST, to=TO, by=["section"])
        rows += _rows(what, opened, query, lambda number: _flushed(store, clock, number))
    store.close()
    metrics.close()
    return rows


def _rows(what: str, opened: Callable[[], MetricData], query: DataQuery, flush: Callable[[int], None]) -> list[Row]:
    data = opened()
    _, first_s = _spent(lambda: data.ask(BRAND, query))
    after: list[float] = []
    for _ in range(ASKED):
        flush(1)
        after.append(_spent(lambda: data.ask(BRAND, query))[1])
    _, warm_s = _spent(lambda: [data.ask(BRAND, query) for _ in range(1_000)])
    said = f"{what} by section, {DAYS} days of own counts"
    return [
        row(f"{said}, never read: of a processor", first_s * 1e3, "ms"),
        row(f"{said}, after each checkpoint, the slowest of {ASKED}: of a processor", max(after) * 1e3, "ms",
            at_most=50),
        row(f"{said}, warm", 1_000 / warm_s, "1/s of a processor", at_least=2_000),
    ]  # fmt: skip


def _documents() -> list[dict[str, object]]:
    paid = {"paidType": ["paid"]}
    counted = [
        ("hits", {"counts": "hits"}), ("visitors", {"counts": "visitors"}),
        ("paid hits", {"counts": "hits", "where": paid}), ("payers", {"counts": "visitors", "where": paid}),
    ]  # fmt: skip
    return [
        *(
            {"name": name, "valueType": "SCALAR", "source": source, "relatedDimensions": ["section"]}
            for name, source in counted
        ),
        {"name": "each", "valueType": "HYBRID", "hybridFormula": "hits / visitors"},
        {"name": "paid", "valueType": "HYBRID", "hybridFormula": '"paid hits" / payers'},
    ]


def _store_days(store: SqliteTable, clock: SetClock) -> None:
    """Write days as the counting step leaves them, and the checkpoint that says that they are built."""
    chance = np.random.default_rng(8)
    summaries = Summaries(store, clock)
    today = window_of(clock.now_ms(), Grain.DAY, "UTC")
    for day in range(1, DAYS + 1):
        _store_day(store, summaries, window_of(today.from_ms - day * DAY_MS, Grain.DAY, "UTC"), chance)
    unbuilt = {Grain.HOUR: today.from_ms, Grain.DAY: today.from_ms}
    save_checkpoint(store, 0, Checkpoint(number=1, passed_ms=clock.now_ms(), unbuilt=unbuilt), replaces=None)


def _store_day(store: SqliteTable, summaries: Summaries, window: Window, chance: np.random.Generator) -> None:
    assets = np.minimum(chance.zipf(1.3, HITS), ASSETS) - 1
    people = chance.integers(0, VISITORS, HITS)
    counts: dict[CountKey, int] = {}
    for asset, hits in zip(*np.unique(assets, return_counts=True), strict=True):
        counts[(f"article-{asset}", f"section {asset % SECTIONS}", "article", "paid" if asset % 3 else "free")] = int(
            hits
        )
    part, expires_at_ms = keys.shard_name(0), NOON_MS + 90 * DAY_MS
    summary = Summary(window, part, 1, {}, columns_from_counts(counts), final=True, rules=1)
    summaries.save(BRAND, summary, replaces=None, expires_at_ms=expires_at_ms)
    of_asset = np.array([group_of_asset(f"article-{one}") for one in range(ASSETS)])
    of_section = np.array([group_of_section(f"section {one}") for one in range(SECTIONS)])
    groups = np.concatenate([of_asset[assets], of_section[assets % SECTIONS], np.full(HITS, BRAND_GROUP)])
    coupons = coupons_of_numbers(people.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    sketches = grouped_from(groups, np.tile(coupons, 3))
    save_visitors(store, BRAND, window, sketches, part=part, through=1, expires_at_ms=expires_at_ms)


def _flushed(store: SqliteTable, clock: SetClock, count: int) -> None:
    """Have the counting step write some minute of today."""
    before = load_checkpoint(store, 0)
    assert before is not None
    for number in range(before.number + 1, before.number + 1 + count):
        minute = window_of(clock.now_ms(), Grain.MINUTE, "UTC")
        write_journal(store, 0, number, [Touched(BRAND, minute)], now_ms=clock.now_ms())
        after = Checkpoint(number=number, passed_ms=clock.now_ms(), unbuilt=before.unbuilt)
        save_checkpoint(store, 0, after, replaces=number - 1)


def _spent(work: Callable[[], object]) -> tuple[object, float]:
    started = time.process_time()
    made = work()
    return made, time.process_time() - started
