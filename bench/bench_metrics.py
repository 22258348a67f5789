"""Metrics: how long a large catalogue takes to load, what a definition costs to read, and a number to be told.

Sketch. A definition is some five rows, each checked against DynamoDB's limits: 0.3 ms, so 20,000 of them are 6 s of one
core. A hybrid over 30 days by two dimensions with 50 groups is 3,000 rows of two metrics in 60 items. Reading these
takes a third of what 3,000 rows of SQLite take, and becoming 1,500 numbers with names the rest. Told again it costs
three gets: the catalogue's revision and how often each operand's points were changed.
"""

import gc
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random

import apsw
import msgspec

from bench.metric_counts import counts_rows
from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics import keys
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.data import DataQuery, MetricData, query_from
from footfall.metrics.definition import definition_from
from footfall.metrics.points import Points
from footfall.metrics.writing import Saved
from footfall.values.clock import SystemClock

METRICS = 20_000
HYBRID_SHARE = 5  # One metric in so many is computed.
LEVELS = 6
READS = 20_000
DAYS, SECTIONS, COUNTRIES = 30, 10, 5
FIRST = date(2026, 1, 1)
ASKED = 5_000
COLD = 300
BRAND = "bench"
UNITS = ("hits", "visitors", "minutes", "EUR", "ratio")


def run(plan: Plan) -> list[Row]:
    """Load a catalogue, read from it, and ask for numbers warm and cold."""
    clock = SystemClock()
    table = SqliteTable(plan.directory / "metrics.db", clock=clock, durable=False)
    catalogue = MetricCatalogue(table, clock=clock)
    metrics = plan.scaled(METRICS)
    saved = [Saved(definition_from(one)) for one in _documents(metrics)]
    started, spent = time.perf_counter(), time.process_time()
    saved = [Saved(definition_from(msgspec.to_builtins(one.definition))) for one in saved]
    catalogue.save_all(BRAND, saved, by="bench")
    took_s, spent_s = time.perf_counter() - started, time.process_time() - spent
    share = METRICS / metrics
    rows = [
        row(f"{metrics:,} metrics read, validated and stored", took_s * share, "s for 20,000", at_most=20),
        row("of that on a processor", spent_s * share, "s for 20,000"),
    ]
    rows += _definition_rows(table, catalogue, metrics)
    data = MetricData(catalogue, Points(table, clock=clock), counts=None, zone_of=lambda _: "Europe/Helsinki",
                      clock=clock)  # fmt: skip
    rows += _data_rows(plan, catalogue, data)
    table.close()
    del saved, catalogue, data  # Or Python looks through all of them in the middle of a later question.
    gc.collect()
    return rows + counts_rows(plan.directory)


def _documents(count: int) -> list[dict[str, object]]:
    """Return a realistic mix: every fifth is a formula over some of its own level or below, six levels deep."""
    chance = Random(8)
    documents: list[dict[str, object]] = []
    levels: list[list[str]] = [[] for _ in range(LEVELS + 1)]
    for number in range(count):
        name = f"team{number % 97}.metric_{number}"
        if number % HYBRID_SHARE or not levels[0]:
            levels[0].append(name)
            documents.append({
                "name": name, "valueType": "SCALAR", "unit": UNITS[number % len(UNITS)], "title": f"Metric {number}",
                "relatedDimensions": ["country", "section"], "description": "What it counts, in a sentence or two.",
            })  # fmt: skip
            continue
        level = 1 + number // HYBRID_SHARE % LEVELS
        below = chance.choice([one for one in levels[:level] if one][-2:])
        one, other = chance.choice(below), chance.choice(below)
        formula = f"coalesce({one}, 0) / max({other})" if number % 2 else f"ratio({one}, {other})"
        levels[level].append(name)
        documents.append({"name": name, "valueType": "HYBRID", "hybridFormula": formula})
    return documents


def _definition_rows(table: SqliteTable, catalogue: MetricCatalogue, metrics: int) -> list[Row]:
    chance = Random(9)
    names = [f"team{n % 97}.metric_{n}" for n in (chance.randrange(metrics) for _ in range(READS))]
    raw_s = _best(lambda: [table.get(keys.version(BRAND, name, keys.NEWEST)) for name in names])
    read_s = _best(lambda: [catalogue.newest(BRAND, name) for name in names])
    return [
        row("definitions read", READS / read_s, "1/s"),
        row("definition read, to the raw table get", raw_s / read_s, "ratio", at_least=0.5),
    ]


def _data_rows(plan: Plan, catalogue: MetricCatalogue, data: MetricData) -> list[Row]:
    dimensions = ["country", "section"]
    documents: Sequence[dict[str, object]] = (
        {"name": "reads", "valueType": "SCALAR", "unit": "reads", "relatedDimensions": dimensions},
        {"name": "readers", "valueType": "SCALAR", "unit": "users", "relatedDimensions": dimensions},
        {"name": "reads per reader", "valueType": "HYBRID", "hybridFormula": "ratio(reads, readers)"},
    )
    catalogue.save_all(BRAND, [Saved(definition_from(one)) for one in documents], by="bench")
    points = _points()
    for name in ("reads", "readers"):
        started = time.perf_counter()
        data.push(BRAND, name, msgspec.json.encode(points), "json")
        pushed_s = time.perf_counter() - started
    query = query_from("reads per reader", first=str(FIRST), to=str(FIRST + timedelta(DAYS)), by=dimensions)
    body = data.ask(BRAND, query).body
    warm_s = _best(lambda: [data.ask(BRAND, query) for _ in range(plan.scaled(ASKED))])
    ours, plain = _cold(plan, data, query)
    return [
        row("points pushed", len(points) / pushed_s, "points/s"),
        row("a hybrid over 30 days by 2 dimensions, warm", plan.scaled(ASKED) / warm_s, "1/s", at_least=2_000),
        row(f"the same cold, p50 of {len(ours)}, {len(body) // 1_000} KB", _at(ours, 0.5) * 1e3, "ms"),
        row("the same cold, p99", _at(ours, 0.99) * 1e3, "ms"),
        row("the same rows from plain SQLite, p99", _at(plain, 0.99) * 1e3, "ms"),
        row("cold, p99 to plain SQLite's", _at(ours, 0.99) / _at(plain, 0.99), "ratio", at_most=5),
        row("cold, p50 to plain SQLite's", _at(ours, 0.5) / _at(plain, 0.5), "ratio"),
    ]


def _points() -> list[dict[str, object]]:
    chance = Random(10)
    return [
        {
            "at": str(FIRST + timedelta(day)),
            "dimensions": {"section": f"section {section}", "country": f"country {country}"},
            "value": chance.randrange(1, 1_000_000),
        }
        for day in range(DAYS)
        for section in range(SECTIONS)
        for country in range(COUNTRIES)
    ]


def _cold(plan: Plan, data: MetricData, query: DataQuery) -> tuple[list[float], list[float]]:
    """Return how long each of many cold answers took, and each of as many plain reads between them."""
    connection = apsw.Connection(str(plan.directory / "plain.db"))
    columns = "metric, day, section, country"
    connection.execute(f"CREATE TABLE points ({columns}, value, PRIMARY KEY ({columns})) WITHOUT ROWID")
    rows = [
        (name, one["at"], *one["dimensions"].values(), one["value"])  # pyright: ignore[reportAttributeAccessIssue]
        for name in ("reads", "readers")
        for one in _points()
    ]
    with connection:
        connection.executemany("INSERT INTO points VALUES (?, ?, ?, ?, ?)", rows)
    sql = "SELECT metric, day, section, country, value FROM points WHERE metric = ? AND day >= ? AND day < ?"
    ours: list[float] = []
    plain: list[float] = []
    for _ in range(plan.scaled(COLD)):
        data.forget_answers()
        started = time.perf_counter()
        data.ask(BRAND, query)
        between = time.perf_counter()
        for name in ("reads", "readers"):
            list(connection.execute(sql, (name, str(FIRST), str(FIRST + timedelta(DAYS)))))
        ended = time.perf_counter()
        ours.append(between - started)
        plain.append(ended - between)
    connection.close()
    return sorted(ours), sorted(plain)


def _best(work: Callable[[], object]) -> float:
    """Return how long something takes when nobody is in the way."""
    took: list[float] = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return min(took)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
