"""Catalogue: how fast it is filled, what a filter's set costs, and what labels cost a hit at the door.

Sketch. An asset with five links is some seven rows, each checked against DynamoDB's limits and packed by the
interpreter: 100 to 150 us, so some 8,000 assets a second of one core, the disk far behind. A set of 100,000 links is
read in a third of a second, once; serving then follows the changes. A hit whose asset is at hand costs a look into a
dict and a new tuple, 0.1 us beside the 2 us that reading and packing it take.
"""

import resource
import time
from pathlib import Path

from bench.instance import BRAND
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender
from footfall.values.clock import SystemClock

ASSETS = 1_000_000
TAGGED = 10  # One asset in so many has the tag that is asked for.
PUT = 1_000
HITS = 20_000
ROUNDS = 5
NOW_MS = 1_794_700_000_000


def run(plan: Plan) -> list[Row]:
    """Fill a catalogue, ask it, and let hits through the door with and without it."""
    clock = SystemClock()
    assets = plan.scaled(ASSETS)
    table = SqliteTable(plan.directory / "catalog.db", clock=clock)
    catalogue = Catalogue(table, clock)
    before = _memory_bytes()
    started = time.perf_counter()
    for first in range(0, assets, PUT):
        catalogue.put(BRAND, [_asset(number) for number in range(first, min(first + PUT, assets))])
    took_s = time.perf_counter() - started
    rows = [
        row(f"assets put, {assets:,} of them with five links each", assets / took_s, "assets/s"),
        row("memory that putting them took", max(_memory_bytes() - before, 0) / 1e6, "MB", at_most=50),
    ]
    started = time.perf_counter()
    members = catalogue.members(BRAND, tag="asked")
    rows.append(row(f"a tag's {len(members):,} assets", (time.perf_counter() - started) * 1_000, "ms"))
    rows += _door_rows(plan.directory, table)
    table.close()
    return rows


def _door_rows(directory: Path, table: SqliteTable) -> list[Row]:
    hits = list(batches(Traffic(seed=8).lean(HITS)))
    clock = SystemClock()
    seconds: dict[str, float] = {}
    for name, labels in (("without", None), ("with", KnownLabels(table))):
        salts = Salts(SecretTable(directory / f"salts-{name}.db", clock=clock), random_bytes=bytes)
        acceptance = Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=1, labels=labels)
        seconds[name] = min(_through_the_door(acceptance, hits) for _ in range(ROUNDS))
    return [
        row("a batch of 100 read and packed, no catalogue", seconds["without"] / HITS * BATCH * 1e6, "us"),
        row("the same with every hit looked up", seconds["with"] / HITS * BATCH * 1e6, "us"),
        row(
            "reading and packing with a catalogue, to without",
            seconds["with"] / seconds["without"],
            "ratio",
            at_most=1.3,
        ),
    ]


def _through_the_door(acceptance: Acceptance, hits: list[bytes]) -> float:
    request = Request(NOW_MS, Sender("192.0.2.1", "bench", wants_privacy=False), is_batch=True)
    started = time.perf_counter()
    for body in hits:
        acceptance.entries(parse_hits(body, lines=False, hits_max=BATCH), request)
    return time.perf_counter() - started


def _asset(number: int) -> Asset:
    tags = (f"tag {number % 1_000}", f"topic {number % 37}", "asked" if number % TAGGED == 0 else "other")
    return Asset(
        str(number),
        title=f"A title of some length that people read, number {number}",
        address=f"https://www.example.com/news/{number}",
        section=str(number % 40),
        resource_type="article",
        paid_type="free",
        published_ms=NOW_MS - number * 1_000,
        authors=(f"author {number % 500}",),
        tags=tags,
    )


def _memory_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024
