"""Restart: seconds from a kill under load until the server takes hits and serves lists again.

Sketch. Three interpreters start one after another, half a second each. SQLite recovers a write-ahead log of a few
megabytes in milliseconds, whatever the size of the file; the counting process goes on from its checkpoint and the
answering process reads the windows it is asked for. Imports run out first: they are most of the time.
"""

import time
from http import HTTPStatus
from statistics import median

from bench.client import Client, post_request
from bench.instance import BRAND, Instance
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches, marked
from bench.wrk import Script, played

CONNECTIONS = 64
STREAM_BYTES = 300_000_000
FILL_S_MAX = 180.0
ROUNDS = 3
LOADED_S = 2.0
URL_BYTES = 800  # Long urls fill the stream in half a minute.


def run(plan: Plan) -> list[Row]:
    """Fill a stream, then kill and start it a few times."""
    hits = Traffic(seed=5).bulky(200 * BATCH, url_bytes=URL_BYTES)
    script = played(plan.directory, "load", [post_request(body) for body in batches(hits)])
    instance = Instance(plan.directory / "data")
    instance.start()
    try:
        _fill(instance, script, plan.scaled(STREAM_BYTES))
        size = instance.stored_bytes()
        seconds: list[float] = []
        for _ in range(ROUNDS):
            _kill_under_load(instance, script)
            seconds.append(_until_it_works(instance))
        drain_s = instance.drain()
    finally:
        instance.stop()
    return [
        row(
            "start after kill -9 under load until hits are taken and lists served, longest",
            max(seconds),
            "s",
            at_most=5,
        ),
        row("start after kill -9 under load until hits are taken and lists served, median", median(seconds), "s"),
        row("stream at the kill", size / 1e6, "MB"),
        row("time to count the rest after the last start", drain_s, "s"),
    ]


def _fill(instance: Instance, script: Script, size: int) -> None:
    """Send until the stream has its size."""
    load = script.start(instance.port, connections=CONNECTIONS)
    gives_up_at = time.monotonic() + FILL_S_MAX
    while instance.stored_bytes() < size and time.monotonic() < gives_up_at:
        time.sleep(0.2)
    load.stop()


def _kill_under_load(instance: Instance, script: Script) -> None:
    load = script.start(instance.port, connections=CONNECTIONS)
    time.sleep(LOADED_S)
    instance.kill()
    load.stop()


def _until_it_works(instance: Instance) -> float:
    """Start the instance and return the seconds until a hit was taken and a list with entries was served."""
    started = time.perf_counter()
    instance.start()
    client = Client(instance.port)
    while client.post(marked("restarted", 1)).status != HTTPStatus.ACCEPTED:
        time.sleep(0.01)
    while True:
        answer = client.get(f"/v1/popular?brand={BRAND}&period=day")
        if answer.status == HTTPStatus.OK and answer.json()["items"]:
            break
        time.sleep(0.01)
    client.close()
    return time.perf_counter() - started
