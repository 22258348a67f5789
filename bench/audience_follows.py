"""What follows cost beside the raw writes that they need, and what reads take."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TypeVar

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience.following import followers, state_of
from footfall.audience.follows import Edge, Follows, edge_of
from footfall.audience.heads import NO_HEAD
from footfall.audience.keys import AUDIENCE_INDEXES, FOLLOWS_TOLD
from footfall.audience.publishing import Publication, feed, publish
from footfall.audience.things import Thing
from footfall.ports.table import Action, Put, Table
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import running, table_of

BRAND, PLAIN = "bench", "uncounted"
ROUNDS = 5  # of ours and of raw writes in turn, so that whatever else the machine does is in both
FOLLOWS_A_ROUND = {"SQLite": 2_000, "DynamoDB Local": 60}
CELEBRITY_FOLLOWERS = 20_000
FOLLOWED, PUBLISHERS, PUBLICATIONS = 500, 5_000, 10_000
READS = 3_000
_T = TypeVar("_T")


def follow_rows(plan: Plan) -> list[Row]:
    """Return what was measured of follows."""
    clock = SystemClock()
    rows: list[Row] = []
    path = plan.directory / "audience.db"
    with closing(SqliteTable(path, clock=clock, indexes=AUDIENCE_INDEXES, told=FOLLOWS_TOLD)) as table:
        rows += _ratio_rows("SQLite", table, plan)
    with closing(
        SqliteTable(plan.directory / "reads.db", clock=clock, indexes=AUDIENCE_INDEXES, durable=False)
    ) as table:
        rows += _celebrity_rows(table, plan)
        rows += _read_rows(table, plan)
    with running(_folder(plan, "dynamodb")) as engine:
        client = engine.shared()
        names = engine.names(client, indexes=AUDIENCE_INDEXES)
        rows += _ratio_rows("DynamoDB Local", table_of(client, names, clock=clock, indexes=AUDIENCE_INDEXES), plan)
    return rows


def _ratio_rows(ground: str, table: Table, plan: Plan) -> list[Row]:
    follows = Follows(table, clock=SystemClock(), uncounted=[PLAIN])
    a_round = plan.scaled(FOLLOWS_A_ROUND[ground])
    rows: list[Row] = []
    for brand, says in ((BRAND, "with counts"), (PLAIN, "without counts")):
        ours: list[float] = []
        raw: list[float] = []
        for number in range(ROUNDS):
            edges = [edge_of(brand, *pair) for pair in _pairs(f"o{number}", a_round)]
            ours.append(_rate(lambda edge: follows.follow(edge.brand, edge.follower, edge.target), edges))
            pairs = _pairs(f"r{number}", a_round)
            ready = [
                follows.additions(one, NO_HEAD, one.at_us(1_800_000_000_000))
                for one in (edge_of(brand, *p) for p in pairs)
            ]
            raw.append(_rate(lambda actions: _written(table, actions), ready))
        ratio = median(one / other for one, other in zip(ours, raw, strict=True))
        rows += [
            row(f"{ground}, follows {says} a second", median(ours), "follows/s"),
            row(f"{ground}, the raw writes that they need {says}", median(raw), "times/s"),
            row(f"{ground}, follows {says} beside these", ratio, "of them", at_least=0.6),
        ]
    return rows


def _written(table: Table, actions: Sequence[Action]) -> None:
    match actions:
        case [Put() as put]:
            table.put(put)
        case _:
            table.transact(actions)


def _celebrity_rows(table: SqliteTable, plan: Plan) -> list[Row]:
    """Measure a follow of a thing that many follow beside one of a thing that few do."""
    follows, star = Follows(table, clock=SystemClock()), Thing("actor", "star")
    follows.spread(BRAND, star, followers=1_000_001)
    count = plan.scaled(CELEBRITY_FOLLOWERS)
    for number in range(count):
        follows.follow(BRAND, Thing("member", f"fan{number}"), star)
    ratios: list[float] = []
    for turn in range(ROUNDS):
        few = [edge_of(BRAND, *pair) for pair in _pairs(f"few{turn}", 500)]
        many = [edge_of(BRAND, Thing("member", f"more{turn}.{number}"), star) for number in range(500)]
        ratios.append(_spent(follows, many) / _spent(follows, few))
    _, page = _times(lambda: followers(follows, BRAND, star, limit=20), 200)
    return [
        row(f"a follow of a thing with {count:,} followers beside any other", median(ratios), "times", at_most=1.5),
        row("20 of its followers, newest first, of 64 shards, on a processor", page * 1e3, "ms"),
    ]


def _spent(follows: Follows, edges: Sequence[Edge]) -> float:
    """Return what follows take of a processor: the disk is not asked, and others are not counted."""
    began = time.process_time()
    for edge in edges:
        follows.follow(edge.brand, edge.follower, edge.target)
    return time.process_time() - began


def _read_rows(table: SqliteTable, plan: Plan) -> list[Row]:
    clock = SystemClock()
    follows, me = Follows(table, clock=clock), Thing("member", "me")
    for number in range(FOLLOWED):
        follows.follow(BRAND, me, Thing("series", str(number * PUBLISHERS // FOLLOWED)))
    now_ms = clock.now_ms()
    for number in range(PUBLICATIONS):
        made = Publication(Thing("series", str(number * 7 % PUBLISHERS)), str(number), now_ms - number * 60_000)
        publish(table, BRAND, made, now_ms=now_ms)
    reads = plan.scaled(READS)
    asked, _ = _times(lambda: state_of(follows, BRAND, me, Thing("series", "10")), reads)
    fed, spent = _times(lambda: feed(follows, BRAND, me, limit=20), max(20, reads // 20))
    return [
        row("does it follow this? on SQLite, half of the answers within", asked * 1e6, "us", at_most=50),
        row(f"a feed of 20 over {FOLLOWED} followed on SQLite, half within", fed * 1e3, "ms"),
        row("of that on a processor, which is all that it needs", spent * 1e3, "ms", at_most=5),
    ]


def _pairs(mark: str, count: int) -> Iterator[tuple[Thing, Thing]]:
    for number in range(count):
        yield Thing("member", f"{mark}.{number}"), Thing("series", str(number % 97))


def _rate(do: Callable[[_T], object], items: Sequence[_T]) -> float:
    started = time.perf_counter()
    for one in items:
        do(one)
    return len(items) / (time.perf_counter() - started)


def _times(do: Callable[[], object], count: int) -> tuple[float, float]:
    """Return how long half of the calls took at most, by the clock and on a processor."""
    taken: list[tuple[float, float]] = []
    for _ in range(count):
        started, spent = time.perf_counter(), time.process_time()
        do()
        taken.append((time.perf_counter() - started, time.process_time() - spent))
    return median(one for one, _ in taken), median(one for _, one in taken)


def _folder(plan: Plan, name: str) -> Path:
    folder = plan.directory / name
    folder.mkdir()
    return folder
