"""Memory: what the whole process tree takes with a million assets in a day, and with whatever an attacker sends.

Sketch. Three interpreters with their libraries are some 120 MB. A million assets of one day are a million rows on the
answering process' board at some 60 bytes with its sheets, and up to a million rows of 25 bytes in the counting process'
hands; ready answers take 64 MB at most. Texts add their bytes twice. The attacker's ids fill every limit there is, and
then count in `other`. The answering process runs out first.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.client import Client, send_all
from bench.instance import BRAND, Instance, memory_bytes
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Mix, Traffic, batches
from bench.wrk import Script
from footfall.values.clock import SystemClock
from footfall.values.window import DAY_MS

ASSETS = 1_000_000
ATTACK_S = 60
ATTACK_CONNECTIONS = 32
GOAL_MB = 400
SAMPLE_S = 0.2
ASKED = tuple(
    f"/v1/popular?brand={BRAND}&period={period}{label}"
    for period in ("justnow", "day", "week")
    for label in ("", "&section=510", "&resourceType=video", "&paidType=paid&resourceType=article")
)

# Ids of up to 200 characters, sections, types and paid types: all of them made up, none of them twice.
_ATTACK = """
local function text(size)
  local parts = {}
  for i = 1, math.ceil(size / 8) do parts[i] = string.format("%08x", math.random(0, 4294967295)) end
  return table.concat(parts)
end

function init(args) math.randomseed(7) end

function request()
  local hits = {}
  for i = 1, 100 do
    hits[i] = '{"brand":"bench","assetId":"' .. text(math.random(8, 200)) .. '","sectionId":"' .. text(16)
      .. '","resourceType":"' .. text(8) .. '","paidType":"' .. text(8) .. '"}'
  end
  return wrk.format("POST", "/v1/hits", nil, "[" .. table.concat(hits, ",") .. "]")
end
"""


@dataclass(slots=True)
class Watched:
    """The memory of an instance's processes over time."""

    samples: list[dict[str, int]] = field(default_factory=list[dict[str, int]])

    def rows(self, what: str) -> list[Row]:
        """Return the most that it was, with every process' share of that, and the last."""
        peak = max(self.samples, key=lambda sample: sum(sample.values()))
        return [
            row(f"{what}: peak", sum(peak.values()) / 1e6, "MB", at_most=GOAL_MB),
            *(row(f"{what}: peak, {process}", size / 1e6, "MB") for process, size in sorted(peak.items())),
            row(f"{what}: at the end", sum(self.samples[-1].values()) / 1e6, "MB"),
        ]


def run(plan: Plan) -> list[Row]:
    """Measure a large day with numbers, with texts, and an attack."""
    assets = plan.scaled(ASSETS)
    rows: list[Row] = []
    for kind, text_ids in (("numeric ids", False), ("ids of 24 characters", True)):
        watched = _large_day(plan.directory / f"day-{text_ids}", Mix(assets, text_ids=text_ids))
        rows += watched.rows(f"{assets:,} assets in a day, {kind}")
    return rows + _attack(plan)


def _large_day(place: Path, mix: Mix) -> Watched:
    """Send every asset once and as many hits again by popularity, in the order of the day."""
    traffic = Traffic(seed=6, mix=mix)
    now_ms = SystemClock().now_ms()
    places = traffic.every_asset() + traffic.drawn(mix.assets).tolist()
    hours = 23  # The first hour of the span would be late by the time that it arrives.
    with Instance(place) as instance, _watched(instance) as watched, _asked(instance):
        for hour in range(hours):
            start_ms = now_ms - hours * DAY_MS // 24 + hour * DAY_MS // 24
            hits = traffic.timed(places[hour::hours], from_ms=start_ms, to_ms=start_ms + DAY_MS // 24)
            send_all(instance.port, batches(hits, 1_000))
        instance.drain()
        instance.wait_until_built()
        time.sleep(2.0)
    return watched


def _attack(plan: Plan) -> list[Row]:
    script = Script(plan.directory / "attack.lua", _ATTACK)
    seconds = max(3, plan.scaled(ATTACK_S))
    with Instance(plan.directory / "attack") as instance, _watched(instance) as watched, _asked(instance):
        load = script.start(instance.port, connections=ATTACK_CONNECTIONS, seconds=seconds)
        shot = load.shot(may_fail=True)
        drain_s = instance.drain()
        ledger = instance.ledger()
        client = instance.client()
        exact = [client.get(target).json().get("exact") for target in ASKED if "day" in target]
        client.close()
    # wrk does not count the answers that were on their way when it stopped.
    acknowledged = BATCH * (shot.requests - shot.refused)
    missed = max(0, acknowledged - ledger["counted"], ledger["counted"] - acknowledged - BATCH * ATTACK_CONNECTIONS)
    return [
        *watched.rows(f"an attacker's ids and labels for {seconds} s"),
        row("the attacker's hits", acknowledged / shot.seconds, "hits/s"),
        row("the attacker's hits that the ledger misses", missed, "hits", at_most=0),
        row("lists that claim to be exact meanwhile", exact.count(True), "lists", at_most=0),
        row("time to count the rest after the attack", drain_s, "s"),
    ]


@contextmanager
def _watched(instance: Instance) -> Generator[Watched]:
    watched = Watched()
    with _repeated(lambda: watched.samples.append(memory_bytes(instance.pid)), every_s=SAMPLE_S):
        yield watched


@contextmanager
def _asked(instance: Instance) -> Generator[None]:
    """Ask for lists all the while."""
    client: Client = instance.client()
    turn = iter(range(1_000_000_000))
    with _repeated(lambda: client.get(ASKED[next(turn) % len(ASKED)]), every_s=0.1):
        yield
    client.close()


@contextmanager
def _repeated(do: Callable[[], object], *, every_s: float) -> Generator[None]:
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(every_s):
            do()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
