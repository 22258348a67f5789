"""What histories and beats cost beside the raw writes that they need, and their reads."""

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple, TypeVar

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.audience import history_keys, playbacks_keys
from footfall.audience.history import Watching, order_of, record
from footfall.audience.history_reading import recent
from footfall.audience.history_rule import Progress
from footfall.audience.keys import AUDIENCE_INDEXES
from footfall.audience.playbacks import Ask
from footfall.audience.playbacks_kept import Means, admit, beat
from footfall.ports.items import Item
from footfall.ports.table import Below, Equals, Table, Update
from footfall.values.clock import SystemClock
from tests.engines.dynamodb import running, table_of

BRAND = "bench"
NOW_MS, HOUR_MS = 1_800_000_000_000, 3_600_000
ROUNDS = 5  # of ours and of raw writes in turn, so that whatever else the machine does is in both
WRITES_A_ROUND = {"SQLite": 1_000, "DynamoDB Local": 60}
MEMBERS = 50
FEW, MANY = 50, 50_000
READS = 400
_T = TypeVar("_T")


class _Rate(NamedTuple):
    by_clock: float
    on_processor: float


def history_rows(plan: Plan) -> list[Row]:
    """Return what was measured of histories and leases."""
    clock = SystemClock()
    rows: list[Row] = []
    with closing(SqliteTable(plan.directory / "history.db", clock=clock, indexes=AUDIENCE_INDEXES)) as table:
        rows += _history_ratio_rows("SQLite", table, plan)
        rows += _beat_ratio_rows("SQLite", table, plan)
    with closing(
        SqliteTable(plan.directory / "long.db", clock=clock, indexes=AUDIENCE_INDEXES, durable=False)
    ) as table:
        rows += _recent_rows(table, plan)
    with running(_folder(plan, "dynamodb-history")) as engine:
        client = engine.shared()
        names = engine.names(client, indexes=AUDIENCE_INDEXES)
        on_aws = table_of(client, names, clock=clock, indexes=AUDIENCE_INDEXES)
        rows += _history_ratio_rows("DynamoDB Local", on_aws, plan)
        rows += _beat_ratio_rows("DynamoDB Local", on_aws, plan)
    return rows


def _history_ratio_rows(ground: str, table: Table, plan: Plan) -> list[Row]:
    a_round = plan.scaled(WRITES_A_ROUND[ground])
    ours: list[_Rate] = []
    raw: list[_Rate] = []
    for number in range(ROUNDS):
        events = [_told(f"o{number}-{n % MEMBERS}", n) for n in range(a_round)]
        ours.append(_rate(lambda told: record(table, BRAND, told, now_ms=NOW_MS), events))
        pairs = [_raw_history(_told(f"r{number}-{n % MEMBERS}", n)) for n in range(a_round)]
        raw.append(_rate(lambda updates: _both(table, updates), pairs))
    return _ratio(ground, "history writes", "the two updates that they need", ours, raw)


def _raw_history(told: Watching) -> tuple[Update, Update]:
    facts: Item = {
        "order": order_of(told.at_ms, told.sequence), "series": told.series, "asset": told.asset, "at_ms": told.at_ms,
        "position_ms": told.progress.position_ms, "duration_ms": told.progress.duration_ms, "ended": False,
        "device": told.device, "credits_ms": None,
    }  # fmt: skip
    expects = (Below("order", order_of(told.at_ms, told.sequence)),)
    later_ms = NOW_MS + 10**11
    episode = history_keys.episode(BRAND, told.member, series=told.series, asset=told.asset)
    place = {"viewer": history_keys.history(BRAND, told.member), "recent_ms": told.at_ms // 600_000 * 600_000}
    latest = history_keys.latest(BRAND, told.member, series=told.series)
    gone = frozenset({"gone"})
    return (
        Update(episode, set=facts, remove=gone | {"counted"}, expires_at_ms=later_ms, expects=expects),
        Update(latest, set={**facts, **place}, remove=gone, expires_at_ms=later_ms, expects=expects),
    )


def _both(table: Table, updates: tuple[Update, Update]) -> None:
    with table.together():
        for update in updates:
            table.update(update)


def _beat_ratio_rows(ground: str, table: Table, plan: Plan) -> list[Row]:
    a_round = plan.scaled(WRITES_A_ROUND[ground])
    for name in ("ours", "raw"):
        for number in range(MEMBERS):
            for session in ("s0", "s1"):
                admit(table, BRAND, f"{name}{number}", _ask(session), now_ms=NOW_MS, means=_means())
    ours: list[_Rate] = []
    raw: list[_Rate] = []
    for _ in range(ROUNDS):
        members = [f"ours{n % MEMBERS}" for n in range(a_round)]
        ours.append(_rate(lambda member: beat(table, BRAND, member, "s0", now_ms=NOW_MS + 1), members))
        updates = [
            Update(
                playbacks_keys.leases(BRAND, f"raw{n % MEMBERS}"), set={"b:s0": NOW_MS + 1}, add={"version": 1},
                expects=(Equals("on:s0", value=True),),
            )
            for n in range(a_round)
        ]  # fmt: skip
        raw.append(_rate(table.update, updates))
    return _ratio(ground, "beats", "the update that they need", ours, raw)


def _recent_rows(table: SqliteTable, plan: Plan) -> list[Row]:
    """Measure the most recent series of a member with few entries and of one with many."""
    many = plan.scaled(MANY)
    for member, count in (("few", FEW), ("many", many)):
        with table.together():
            for number in range(count):
                at_ms = NOW_MS - (count - number) * 1_800_000
                told = Watching(member, f"e{number}", f"s{number}", Progress(HOUR_MS // 2, HOUR_MS), at_ms, device="tv")
                record(table, BRAND, told, now_ms=NOW_MS)
    took: dict[str, list[float]] = {"few": [], "many": []}
    reads = plan.scaled(READS)
    for _ in range(ROUNDS):
        for member, found in took.items():
            found.append(1 / _rate(lambda who: recent(table, BRAND, who, limit=20), [member] * reads).on_processor)
    ratio = median(one / other for one, other in zip(took["many"], took["few"], strict=True))
    return [
        row(f"the 20 most recent series of {FEW} entries", median(took["few"]) * 1e6, "us"),
        row(f"the same of {many:,} entries", median(took["many"]) * 1e6, "us"),
        row("the second beside the first", ratio, "times", at_most=1.5),
    ]


def _ratio(ground: str, what: str, needs: str, ours: list[_Rate], raw: list[_Rate]) -> list[Row]:
    pairs = list(zip(ours, raw, strict=True))
    rows = [
        row(f"{ground}, {what} a second", median(one.by_clock for one in ours), "a second"),
        row(f"{ground}, {needs}", median(one.by_clock for one in raw), "a second"),
        row(
            f"{ground}, {what} beside these", median(one.by_clock / other.by_clock for one, other in pairs), "of them",
            at_least=0.6,
        ),
    ]  # fmt: skip
    if ground == "SQLite":  # Elsewhere the work is done by the server.
        on_processor = median(one.on_processor / other.on_processor for one, other in pairs)
        rows.append(row(f"{ground}, the same without the disk", on_processor, "of them", at_least=0.6))
    return rows


def _told(member: str, number: int) -> Watching:
    progress = Progress(600_000 + number, HOUR_MS)
    return Watching(
        member, f"asset-{number % 7}", f"series-{number % 3}", progress, NOW_MS - 10**8 + number, device="Living room"
    )


def _ask(session: str) -> Ask:
    return Ask(session, "Living room", f"device-{session}-0123456789", "asset-1", 3, interval_ms=HOUR_MS)


def _means() -> Means:
    return Means(Random(1), time.sleep)


def _rate(call: Callable[[_T], object], given: Iterable[_T]) -> _Rate:
    ready = list(given)
    started, spent = time.perf_counter(), time.process_time()
    for one in ready:
        call(one)
    return _Rate(len(ready) / (time.perf_counter() - started), len(ready) / (time.process_time() - spent))


def _folder(plan: Plan, name: str) -> Path:
    folder = plan.directory / name
    folder.mkdir()
    return folder
