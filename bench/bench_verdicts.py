"""Verdicts: how long after an operator's decision lists are right, for a brand with ten million hits in a day.

Sketch. A decision is known to counting within a second. Then every hour that the verdict speaks of is counted again
from raw hits: two to four microseconds for a hit with its visitor, once, and some milliseconds for each minute that is
written. A verdict on a whole day of ten million hits therefore takes half a minute of one core, one on an hour a few
seconds. The counting process's interpreter runs out first.
"""

import http.client
import json
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus

import numpy as np

from bench.instance import BRAND, Instance, cpu_seconds
from bench.plan import Plan
from bench.results import Row, row
from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.flow.store import keys
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.ports.table import Put
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict, visitor_subject
from footfall.values.clock import SystemClock
from footfall.values.window import HOUR_MS

HITS = 10_000_000
HOURS = 23  # The list of a day covers all of them, whatever the minute.
ASSETS, SECTIONS, ZIPF = 20_000, 50, 1.1
VISITORS = 1_500_000
BATCH = 100
APPENDED_AT_ONCE = 500
GOAL_S, WAIT_S_MAX = 60.0, 600.0
RELEASED, ROBBED, BRIEF = 9, 40, 12  # places of assets: one is held, one was read by a held visitor, one for an hour
VISITOR = 0x0FF1CE0F0FF1CE0F
VISITED_EVERY = 20_000  # hits


class NotDecided(Exception):
    """The instance did not take a decision, or lists did not follow it."""


@dataclass(frozen=True, slots=True)
class Held:
    """A verdict that is held, and the asset whose hits it keeps out of the list."""

    what: str
    verdict: Verdict
    asset: str


def run(plan: Plan) -> list[Row]:
    """Fill an instance with a day, release what is held, and wait for the list."""
    directory = plan.directory / "data"
    directory.mkdir()
    clock, hits = SystemClock(), plan.scaled(HITS)
    settings = Settings(data_dir=str(directory), brands={BRAND: Brand(BRAND, screening="hold")})
    ends_ms = clock.now_ms()
    expected = _appended(settings, hits, ends_ms=ends_ms)
    held = _held(ends_ms)
    with closing(wiring.open_accounts(settings, clock)) as accounts:
        key = _brand_with_key(accounts.register)
        accounts.register.verdicts.find(BRAND, [one.verdict for one in held], since={})
    counted_s = _counted(settings)
    rows = [row(f"counting {hits:,} hits of a day with visitors, for comparison", counted_s, "s")]
    with Instance(directory) as instance:
        for one in held:
            used = cpu_seconds(instance.pid)
            seconds = _released(instance, one, key, hits=expected[one.asset])
            used = cpu_seconds(instance.pid) - used
            rows.append(row(f"until lists are right: {one.what}, {hits:,} hits", seconds, "s", at_most=GOAL_S))
            rows.append(row(f"of the goal: {one.what}", 100 * seconds / GOAL_S, "%", at_most=100))
            rows.append(row(f"processor time of all processes: {one.what}", used, "s"))
    return rows


def _keys() -> list[HitKey]:
    return [(str(132_000_000 + place), str(place % SECTIONS), "article", "free") for place in range(ASSETS)]


def _appended(settings: Settings, hits: int, *, ends_ms: int) -> dict[str, int]:
    """Store a day of hits; return how many each asset has."""
    chance, hit_keys = np.random.default_rng(6), _keys()
    shares = np.cumsum(1.0 / np.arange(1, ASSETS + 1) ** ZIPF)
    totals = np.zeros(ASSETS, np.int64)
    begins_ms = ends_ms - HOURS * HOUR_MS
    entries: list[Entry] = []
    with closing(wiring.open_stream(settings, SystemClock())) as stream:
        for start in range(0, hits, BATCH):
            drawn = np.searchsorted(shares, chance.random(BATCH) * shares[-1])
            visitors = chance.integers(1, VISITORS, BATCH).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            if start % VISITED_EVERY == 0:
                drawn[0], visitors[0] = ROBBED, VISITOR
            totals += np.bincount(drawn, minlength=ASSETS)
            data = visitors.astype(">u8").tobytes()
            at_ms = begins_ms + (ends_ms - begins_ms) * start // hits
            seen = [data[8 * place : 8 * place + 8] for place in range(BATCH)]
            pack = Pack(VERSION, RULES, at_ms, [hit_keys[place] for place in drawn.tolist()], visitors=seen)
            entries.append(Entry(0, BRAND, BATCH, record_from_pack(pack), at_ms))
            if len(entries) == APPENDED_AT_ONCE:
                stream.append(entries)
                entries = []
        stream.append(entries)
    return {hit_keys[place][0]: int(total) for place, total in enumerate(totals.tolist())}


def _held(ends_ms: int) -> list[Held]:
    names, begins_ms = [key[0] for key in _keys()], ends_ms - (HOURS + 1) * HOUR_MS
    hour_ms = ends_ms - 12 * HOUR_MS

    def verdict(kind: SubjectKind, subject: str, from_ms: int, to_ms: int) -> Verdict:
        return Verdict(kind, subject, from_ms, to_ms, Cause.FEW_VISITORS, State.HELD, ends_ms)

    asset, brief, robbed = names[RELEASED], names[BRIEF], names[ROBBED]
    return [
        Held("an asset held for an hour", verdict(SubjectKind.ASSET, brief, hour_ms, hour_ms + HOUR_MS), brief),
        Held("an asset held all day", verdict(SubjectKind.ASSET, asset, begins_ms, ends_ms), asset),
        Held(
            "a visitor held all day",
            verdict(SubjectKind.VISITOR, visitor_subject(VISITOR), begins_ms, ends_ms),
            robbed,
        ),
    ]


def _brand_with_key(register: Register) -> str:
    register.add(Brand(BRAND, screening="hold"), zone_in_use=None)
    return register.add_secret_key(BRAND, ["admin", "read"]).text


def _counted(settings: Settings) -> float:
    """Count all of it, and build what is to be built; return how long the counting took."""
    clock = SystemClock()
    with (
        closing(wiring.open_stream(settings, clock, read_only=True)) as stream,
        closing(wiring.open_store(settings, clock)) as table,
    ):
        counting = Counting(settings, stream, table, clock=clock)
        started = time.perf_counter()
        counting.drain()
        took = time.perf_counter() - started
        for worker in counting.workers:
            while worker.step():
                pass
        # All of it was counted by these verdicts, so that nothing is to be counted again for them.
        righted = {"version": 1, "at_ms": clock.now_ms(), "target": 0, "done_ms": 0}
        table.put(Put(keys.righted(BRAND), righted))
    return took


def _released(instance: Instance, held: Held, key: str, *, hits: int) -> float:
    """Release a verdict; return after how many seconds the list shows all hits of its asset."""
    _until(instance, held.asset, lambda shown: 0 <= shown < hits)
    started = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=30)
    with closing(connection):
        body, headers = json.dumps({"decision": "release"}), {"Authorization": f"Bearer {key}"}
        connection.request("POST", f"/v1/screening/verdicts/{held.verdict.id}", body, headers)
        answer = connection.getresponse()
        if answer.status != HTTPStatus.OK:
            raise NotDecided(f"{held.what}: {answer.read()!r}")
    _until(instance, held.asset, lambda shown: shown == hits)
    return time.perf_counter() - started


def _until(instance: Instance, asset: str, is_right: Callable[[int], bool]) -> None:
    """Wait until the list of the day shows so many hits of an asset; -1 while there is no list."""
    client, started, shown = instance.client(), time.perf_counter(), -1
    with closing(client):
        while not is_right(shown):
            if time.perf_counter() - started > WAIT_S_MAX:
                raise NotDecided(f"{asset} still has {shown:,} hits after {WAIT_S_MAX} s")
            time.sleep(0.1)
            answer = client.get(f"/v1/popular?brand={BRAND}&period=day&limit=100")
            if answer.status == HTTPStatus.OK:
                shown = {one["assetId"]: one["hits"] for one in answer.json()["items"]}.get(asset, 0)
