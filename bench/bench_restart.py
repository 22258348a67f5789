"""Restart: seconds from a kill under load until the server takes hits and serves lists again.

Sketch. Three interpreters start one after another, half a second each. SQLite recovers a write-ahead log of a few
megabytes in milliseconds, whatever the size of the file; the counting process goes on from its checkpoint and the
answering process reads the windows it is asked for. Imports run out first: they are most of the time.
"""

import time
from statistics import median

from bench.client import Client, post_request
from bench.instance import BRAND, Instance
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches, marked
from bench.wrk import Script, played
from footfall.values.clock import SystemClock

CONNECTIONS = 64
STREAM_BYTES = 300_000_000
FILL_S_MAX = 180.0
ROUNDS = 3
LOADED_S = 2.0
AGE_MS = 60_000


def run(plan: Plan) -> list[Row]:
    """Fill a stream, then kill and start it a few times."""
    now_ms = SystemClock().now_ms()
    hits = Traffic(seed=5).full(1_000 * BATCH, from_ms=now_ms - AGE_MS, to_ms=now_ms)
    script = played(plan.directory, "load", [post_request(body) for body in batches(hits)])
    instance = Instance(plan.directory / "data")
    instance.start()
    try:
        acknowledged = _fill(instance, script, plan.scaled(STREAM_BYTES))
        size = instance.stored_bytes()
        seconds: list[float] = []
        for _ in range(ROUNDS):
            acknowledged += _killed_under_load(instance, script)
            seconds.append(_until_it_works(instance))
            acknowledged += 1
        drain_s = instance.drain()
        ledger = instance.ledger()
    finally:
        instance.stop()
    lost = max(0, acknowledged - ledger["counted"])
    return [
        row("from kill -9 under load to taking and serving, longest", max(seconds), "s", at_most=5),
        row("from kill -9 under load to taking and serving, median", median(seconds), "s"),
        row("stream at the kill", size / 1e6, "MB"),
        row("acknowledged hits that were not counted", lost, "hits", at_most=0),
        row("time to count the rest after the last start", drain_s, "s"),
    ]


def _fill(instance: Instance, script: Script, size: int) -> int:
    """Send until the stream has its size; return the hits that were acknowledged."""
    load = script.start(instance.port, connections=CONNECTIONS)
    gives_up_at = time.monotonic() + FILL_S_MAX
    while instance.stored_bytes() < size and time.monotonic() < gives_up_at:
        time.sleep(0.2)
    shot = load.stop()
    return BATCH * (shot.requests - shot.refused)


def _killed_under_load(instance: Instance, script: Script) -> int:
    load = script.start(instance.port, connections=CONNECTIONS)
    time.sleep(LOADED_S)
    instance.kill()
    shot = load.stop()
    return BATCH * (shot.requests - shot.refused)


def _until_it_works(instance: Instance) -> float:
    """Start the instance and return the seconds until a hit was taken and a list was served."""
    started = time.perf_counter()
    instance.start()
    client = Client(instance.port)
    while client.post(marked("restarted", 1)).status != 202:
        time.sleep(0.01)
    while client.get(f"/v1/popular?brand={BRAND}&period=day").status != 200:
        time.sleep(0.01)
    client.close()
    return time.perf_counter() - started
