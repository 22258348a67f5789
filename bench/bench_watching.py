"""Watching: what a player's ping costs beside a hit, and whether an asset that everybody watches costs more.

Sketch. A ping has three times the fields of a hit (here it has all of them: series, member, device, rate and interval
as well), and its session has to be looked up, changed and written: some microseconds more than the 1 to 2 that a hit
takes to be parsed, packed and tallied. Collecting and counting are two processes, so the slower of the two is the rate
of ingest. Sessions choose the shard, so a hot asset is spread like any other; what differs is only how many rows a
window has. Everything is processor time of one process, in turns, and what one turn left is cleared before the next.
"""

import gc
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import process_time

import msgspec

from bench.instance import BRAND
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import Traffic
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.ping_entries import PingAcceptance
from footfall.flow.collect.pings import parse_pings
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.count.worker import CountRules, Worker
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock

NOW_MS = 1_794_700_000_000
BATCH = 500
PINGS = 120_000
SESSIONS = 5_000
ASSETS = 300
HOT = 0.8
SHARDS = 4
ROUNDS = 5

Entries = list[list[Entry]]


def run(plan: Plan) -> list[Row]:
    """Measure collecting and counting of pings and of hits, uniform and hot."""
    count = plan.scaled(PINGS)
    lean = [b"[" + b",".join(some) + b"]" for some in _in_batches(Traffic(seed=1).lean(count))]
    hits, uniform, hot = _hits(count), _pings(count, hot=0), _pings(count, hot=HOT)
    plan.directory.mkdir(parents=True, exist_ok=True)
    collected: dict[str, list[float]] = {"lean": [], "hits": [], "pings": []}
    counted: dict[str, list[float]] = {"lean": [], "hits": [], "pings": [], "hot": []}
    slowest: dict[str, list[float]] = {name: [] for name in counted}  # by the shard that takes longest
    for turn in range(ROUNDS):
        acceptance = _acceptance(plan.directory / f"{turn}")
        made: dict[str, Entries] = {}
        for name, bodies in (("lean", lean), ("hits", hits), ("pings", uniform), ("hot", hot)):
            way = _hit_entries if name in ("lean", "hits") else _ping_entries
            gc.collect()
            started = process_time()
            made[name] = [way(acceptance, body, _request(n, body)) for n, body in enumerate(bodies)]
            if name in collected:
                collected[name].append(count / (process_time() - started))
        # Every other time from behind, so that none is always the one that comes last.
        for name in list(made)[:: -1 if turn % 2 else 1]:
            taken = _counting_s(made[name])
            counted[name].append(count / sum(taken))
            slowest[name].append(count / max(taken))
    return [*_rate_rows(collected, counted), *_hot_rows(slowest)]


def _rate_rows(collected: dict[str, list[float]], counted: dict[str, list[float]]) -> list[Row]:
    took, told = ({name: median(rates) for name, rates in some.items()} for some in (collected, counted))
    pings, hits, lean = (min(took[name], told[name]) for name in ("pings", "hits", "lean"))
    return [
        row("hits with time, visitor and section collected", took["hits"], "per CPU second"),
        row("pings with all fields collected", took["pings"], "per CPU second"),
        row("hits with time, visitor and section counted", told["hits"], "per CPU second"),
        row("pings with all fields credited", told["pings"], "per CPU second"),
        row("pings collected, against hits", took["pings"] / took["hits"], "ratio"),
        row("pings credited, against hits counted", told["pings"] / told["hits"], "ratio"),
        row("ingest of pings, against hits with time, visitor and section", pings / hits, "ratio", at_least=0.5),
        row("ingest of pings, against hits of a key alone", pings / lean, "ratio"),
    ]


def _hot_rows(slowest: dict[str, list[float]]) -> list[Row]:
    """Return what a hot asset loses: each round's own ratio, because a machine is faster in one round than another."""
    ratios = [hot / even for hot, even in zip(slowest["hot"], slowest["pings"], strict=True)]
    label = f"one asset with {HOT:.0%} of pings on {SHARDS} shards, against uniform"
    return [
        row(f"{label}: median of {ROUNDS}", median(ratios), "ratio", at_least=0.9),
        row(f"{label}: lowest", min(ratios), "ratio"),
        row(f"{label}: highest", max(ratios), "ratio"),
    ]


def _hit_entries(acceptance: Acceptance, body: bytes, how: Request) -> list[Entry]:
    return acceptance.entries(parse_hits(body, lines=False, hits_max=BATCH), how)


def _ping_entries(acceptance: Acceptance, body: bytes, how: Request) -> list[Entry]:
    return PingAcceptance(acceptance).entries(parse_pings(body, lines=False, pings_max=BATCH), how)


def _request(n: int, body: bytes) -> Request:
    return Request(NOW_MS + n, Sender("192.0.2.1", "bench", wants_privacy=False), is_batch=True, body=body)


def _acceptance(directory: Path) -> Acceptance:
    directory.mkdir(parents=True)
    salts = Salts(SecretTable(directory / "salts.db", clock=SetClock(NOW_MS)), random_bytes=bytes)
    return Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=SHARDS)


def _counting_s(made: Sequence[Sequence[Entry]]) -> list[float]:
    """Return the processor time of each shard's worker."""
    gc.collect()
    clock = SetClock(NOW_MS)
    stream = SqliteStream(":memory:", clock=clock, shards=SHARDS)
    for entries in made:
        stream.append(entries)
    table = SqliteTable(":memory:", clock=clock)
    clock.advance(60_000)
    taken: list[float] = []
    for shard in range(SHARDS):
        worker = Worker(shard, stream, table, clock=clock, how=CountRules(), zone_of=lambda _: "UTC")
        started = process_time()
        worker.drain()
        taken.append(process_time() - started)
    return taken


def _in_batches(ones: Sequence[bytes]) -> list[Sequence[bytes]]:
    return [ones[at : at + BATCH] for at in range(0, len(ones), BATCH)]


def _hits(count: int) -> list[bytes]:
    chance = Random(3)
    ones = [
        {
            "brand": BRAND,
            "assetId": f"a{chance.randrange(ASSETS)}",
            "sectionId": "drama",
            "at": NOW_MS - 600_000 + 10_000 * (n // SESSIONS),
            "visitor": f"v{n % SESSIONS}",
        }
        for n in range(count)
    ]
    return [msgspec.json.encode(ones[at : at + BATCH]) for at in range(0, count, BATCH)]


def _pings(count: int, *, hot: float) -> list[bytes]:
    """Return bodies of pings with all fields that there are: every session sends its next beat in turn."""
    chance = Random(3)
    assets = ["a0" if chance.random() < hot else f"a{chance.randrange(ASSETS)}" for _ in range(SESSIONS)]
    ones = [
        {
            "brand": BRAND,
            "session": f"playback-{n % SESSIONS}",
            "sequence": n // SESSIONS,
            "assetId": assets[n % SESSIONS],
            "playhead": 10.0 * (n // SESSIONS),
            "state": "playing",
            "at": NOW_MS - 600_000 + 10_000 * (n // SESSIONS),
            "duration": 2_500,
            "rate": 1,
            "interval": 10,
            "series": f"series of {assets[n % SESSIONS]}",
            "member": f"member-{n % SESSIONS}",
            "device": "Living room",
            "sectionId": "drama",
        }
        for n in range(count)
    ]
    return [msgspec.json.encode(ones[at : at + BATCH]) for at in range(0, count, BATCH)]
