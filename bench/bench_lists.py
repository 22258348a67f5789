"""Lists that are not on a board: past spans read from the store, and filters that look into the catalogue.

Sketch. A day of 5,000 assets is some 15 KB in the store; reading, checking and entering it takes a millisecond or two,
of which finding 5,000 idents among all of the span's is most. So 30 days and the 30 before take a tenth of a second,
and the time grows with windows times rows. A filter by author or tag reads a link per asset that has it, once, in some
microseconds each; after that it is a mask over the board's assets. The answering process's interpreter runs out first.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import quantiles

import numpy as np

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.flow.serve.board import Board
from footfall.flow.serve.past import Moments, PastList
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import PopularQuery
from footfall.flow.serve.resolution import Ground
from footfall.flow.serve.spans import span_between
from footfall.flow.serve.words import Words
from footfall.flow.store import keys
from footfall.flow.store.columns import Columns, CountKey, columns_from_counts
from footfall.flow.store.summaries import Summaries, Summary
from footfall.values.clock import SetClock
from footfall.values.period import DEFAULT_PERIODS, RETENTION_MS
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, moment_from_text, window_of

BRAND = "bench"
NOW_MS = moment_from_text("2026-11-15T16:32:20Z")
DAYS, MONTH = 400, 30
ASSETS_A_DAY, ASSETS = 5_000, 20_000
CATALOGUED = 20_000
LABELS = [(str(section), kind, paid) for section in range(50) for kind in "abc" for paid in "xyz"]


def run(plan: Plan) -> list[Row]:
    """Measure spans, then filters."""
    return [*_span_rows(plan), *_filter_rows()]


def _key(asset: int) -> CountKey:
    return (str(10**8 + 7 * asset), *LABELS[asset % len(LABELS)])


def _seen(chance: np.random.Generator, count: int) -> Columns:
    columns = columns_from_counts({_key(one): 1 for one in chance.choice(ASSETS, count, replace=False).tolist()})
    return replace(columns, hits=chance.zipf(1.4, count).clip(max=10**6).astype(np.uint64))


def _span_rows(plan: Plan) -> list[Row]:
    clock = SetClock(NOW_MS)
    table = SqliteTable(plan.directory / "past.db", clock=clock, durable=False)
    summaries = Summaries(table, clock)
    chance = np.random.default_rng(3)
    some = [_seen(chance, ASSETS_A_DAY) for _ in range(8)]
    today = window_of(NOW_MS, Grain.DAY, "UTC")
    for back in range(1, 2 * DAYS + 1):
        day = window_of(today.from_ms - back * DAY_MS, Grain.DAY, "UTC")
        final = Summary(day, keys.ALL, 1, {"s00": 1}, some[back % len(some)], final=True, rules=1)
        summaries.save(BRAND, final, replaces=None, expires_at_ms=None)
    rows: list[Row] = []
    for days in (MONTH, DAYS):
        taken = _read(summaries, today.from_ms - days * DAY_MS, today.from_ms)
        what = f"a past span of {days} days with {ASSETS_A_DAY:,} assets each, never asked before"
        rows.append(row(what, sum(taken), "s"))
        rows.append(row(f"{what}: the longest that others wait for it", 1e3 * max(taken), "ms"))
    table.close()
    return rows


def _read(summaries: Summaries, from_ms: int, to_ms: int) -> list[float]:
    """Return the seconds that each step of a span takes."""
    ground = Ground("UTC", frozenset({"s00"}), RETENTION_MS, now_ms=NOW_MS, seen_until_ms=NOW_MS)
    past = PastList(span_between(from_ms, to_ms, zone="UTC"), ground, Moments(NOW_MS, DAY_MS))
    taken: list[float] = []
    while not past.is_read:
        taken.append(_seconds(lambda: past.step(lambda window: summaries.live(BRAND, window))))
    query = PopularQuery(BRAND, "", from_ms=from_ms, to_ms=to_ms)
    taken.append(_seconds(lambda: popular(past, query)))
    return taken


def _filter_rows() -> list[Row]:
    board = _board()
    clock = SetClock(NOW_MS)
    catalogue = Catalogue(SqliteTable(":memory:", clock=clock), clock)
    catalogue.put(BRAND, [_asset(number) for number in range(CATALOGUED)])
    words = Words(lambda: catalogue)
    kinds: dict[str, Iterator[PopularQuery]] = {
        "labels": (_query(number) for number in range(200)),
        "labels and five excluded assets": (
            replace(_query(number), exclude=tuple(_key(number + one)[0] for one in range(5))) for number in range(200)
        ),
        "an author of 100": (replace(_query(number), authors=(f"author {number}",)) for number in range(200)),
        "a tag of 1,000": (replace(_query(number), tags=(f"tag {number}",)) for number in range(20)),
        f"the time of publishing, of {CATALOGUED // 2:,}": (
            replace(_query(number), published_after_ms=NOW_MS - CATALOGUED // 2 * HOUR_MS + number)
            for number in range(100)
        ),
    }
    rows: list[Row] = []
    for kind, queries in kinds.items():
        steps = quantiles([_seconds(lambda query=query: popular(board, query, words)) for query in queries], n=100)
        rows.append(row(f"a filter never asked before, by {kind}, p50", 1e3 * steps[49], "ms"))
        rows.append(row(f"a filter never asked before, by {kind}, p99", 1e3 * steps[98], "ms"))
    return rows


def _query(number: int) -> PopularQuery:
    sections = tuple(sorted(str((number + one) % 50) for one in range(1 + number % 25)))
    return PopularQuery(BRAND, "day", sections=sections)


def _asset(number: int) -> Asset:
    return Asset(
        _key(number)[0],
        title=f"What was seen under the number {number}",
        address=f"https://www.example.com/{number}",
        published_ms=NOW_MS - number * HOUR_MS,
        authors=(f"author {number % 200}",),
        tags=(f"tag {number % 20}",),
    )


def _board() -> Board:
    columns = _seen(np.random.default_rng(5), ASSETS)
    hours = {window_of(NOW_MS - back * HOUR_MS, Grain.HOUR, "UTC") for back in range(1, 25)}

    def read(window: Window) -> list[Summary]:
        return [Summary(window, "s00", 1, {}, columns, final=False, rules=1)] if window in hours else []

    board = Board(BRAND, zone="UTC", periods=DEFAULT_PERIODS)
    board.refresh(read, now_ms=NOW_MS, closed_until_ms=NOW_MS, changed=())
    return board


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
