"""Ingest: hits a second that are on disk before their answer, and counted.

Sketch. A lean hit is 100 bytes of JSON, 35 in its record and some 15 on disk after compression; a batch of 100 is one
record. Decoding costs 0.7 us a hit, packing and appending about 1 us more, counting 1 us in another process. On two
cores that carry the sender as well, 150,000 hits/s are some 10 MB/s from the network and 3 MB/s to the disk: neither
is near its limit, so the interpreter of the collecting process runs out first. A single hit a request costs a request,
some 15 us each, and waits for its commit: its rate is set by how many senders wait together.
"""

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from bench.client import post_request
from bench.instance import Instance, cpu_seconds
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches
from bench.wrk import Script, played
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.app.wiring import STREAM_FILE
from footfall.values.clock import SystemClock

CONNECTIONS = 64
BODIES = 1_000  # More than a joined block holds, so that no body is compressed against itself.
WARM_S = 1.5
ROUNDS = 3
SYNCS = 100
SYNCED_BYTES = 8_192  # Some pages, as a commit of single hits has them.
AGE_MS = 60_000  # Senders' clocks and queues make hits some seconds old.


@dataclass(frozen=True, slots=True)
class Sustained:
    """What a load came to, in hits a second between two readings of the ledger while it ran."""

    accepted: float
    counted: float
    drain_s: float
    cpu_us: float  # of all processes together, a hit
    p99_ms: float

    @property
    def rate(self) -> float:
        """Return what could go on for ever."""
        return min(self.accepted, self.counted)


def run(plan: Plan) -> list[Row]:
    """Measure batches against the ceiling, the other ways to send, single hits, and the disk."""
    traffic = Traffic(seed=1)
    hits = traffic.lean(BODIES * BATCH)
    script = played(plan.directory, "lean", [post_request(body) for body in batches(hits)])
    ceilings = [ceiling(script, plan)]
    with Instance(plan.directory / "lean-data") as instance:
        lean = sustained(instance, script, seconds=plan.seconds)
        rows = _disk_rows_while_running(instance)
    rows += _disk_rows_when_joined(instance)
    ceilings.append(ceiling(script, plan))
    rows += _other_ways(traffic, hits, plan)
    rows += _single_rows(hits, plan)
    ceilings.append(ceiling(script, plan))
    # What else the machine does can only lower a ceiling, so the highest of them is nearest to the truth.
    return [*_batch_rows(lean, max(ceilings)), row("ceiling, lowest round", min(ceilings), "hits/s"), *rows]


def ceiling(script: Script, plan: Plan) -> float:
    """Return the hits a second that a bare server decodes."""
    with _bare_server() as port:
        return BATCH * script.fire(port, connections=CONNECTIONS, seconds=max(2, plan.seconds // 2)).rate


def sustained(instance: Instance, script: Script, *, seconds: int) -> Sustained:
    """Load an instance and read its ledger twice on the way."""
    load = script.start(instance.port, connections=CONNECTIONS, seconds=seconds + 2)
    time.sleep(WARM_S)
    started, before, cpu_before = time.perf_counter(), instance.ledger(), cpu_seconds(instance.pid)
    time.sleep(seconds - 0.5)
    after, cpu_after, took = instance.ledger(), cpu_seconds(instance.pid), time.perf_counter() - started
    shot = load.shot()
    drain_s = instance.drain()
    accepted = after["accepted"] - before["accepted"]
    counted = after["counted"] - before["counted"]
    cpu_us = 1e6 * (cpu_after - cpu_before) / max(accepted, 1)
    return Sustained(accepted / took, counted / took, drain_s, cpu_us, shot.p99_ms)


@contextmanager
def _bare_server() -> Generator[int]:
    process = subprocess.Popen([sys.executable, "-m", "bench.ceiling"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


def _batch_rows(lean: Sustained, most: float) -> list[Row]:
    return [
        row("durable and counted, batches of 100", lean.rate, "hits/s", at_least=150_000),
        row("share of the ceiling", lean.rate / most, "ratio", at_least=0.15),
        row("ceiling: decode and validate only", most, "hits/s"),
        row("accepted while loaded", lean.accepted, "hits/s"),
        row("counted while loaded", lean.counted, "hits/s"),
        row("time to count the rest after the load", lean.drain_s, "s"),
        row("processor time, all processes", lean.cpu_us, "us/hit"),
        row(f"answer to a batch, {CONNECTIONS} senders, p99", lean.p99_ms, "ms"),
    ]


def _disk_rows_while_running(instance: Instance) -> list[Row]:
    hits = instance.ledger()["accepted"]
    return [row("stream on disk, as written", instance.stored_bytes() / hits, "bytes/hit", at_most=40)]


def _disk_rows_when_joined(instance: Instance) -> list[Row]:
    """Join the small blocks of a stopped instance, as it does itself when they are a minute old."""
    stream = SqliteStream(instance.directory / STREAM_FILE, clock=SystemClock())
    after, tip = 0, stream.tip(0)
    while joined := stream.join_blocks(0, after=after, through=tip):
        after = joined
    hits = sum(stream.appended().values())
    size = stream.stored_bytes()
    stream.close()
    return [row("stream on disk, blocks joined", size / hits, "bytes/hit", at_most=40)]


def _other_ways(traffic: Traffic, hits: list[bytes], plan: Plan) -> list[Row]:
    """Send the same as lines and compressed, and hits with every field."""
    lines = [b"\n".join(hits[start : start + BATCH]) for start in range(0, len(hits), BATCH)]
    now_ms = SystemClock().now_ms()
    full = traffic.full(BODIES * BATCH, from_ms=now_ms - AGE_MS, to_ms=now_ms)
    ways = {
        "one hit a line": [post_request(body, kind="application/x-ndjson") for body in lines],
        "gzip": [post_request(gzip.compress(body, 6), encoding="gzip") for body in batches(hits)],
        "with url, referrer and time": [post_request(body) for body in batches(full)],
    }
    rows: list[Row] = []
    for number, (name, requests) in enumerate(ways.items()):
        script = played(plan.directory, f"way-{number}", requests)
        with Instance(plan.directory / f"way-{number}-data") as instance:
            found = sustained(instance, script, seconds=max(2, plan.seconds // 2))
            rows.append(row(f"batches of 100, {name}", found.rate, "hits/s"))
    rows.append(row("stream on disk with url, referrer and time", _stored_a_hit(plan, len(ways) - 1), "bytes/hit"))
    return rows


def _stored_a_hit(plan: Plan, number: int) -> float:
    path = plan.directory / f"way-{number}-data" / STREAM_FILE
    stream = SqliteStream(path, clock=SystemClock(), read_only=True)
    try:
        return stream.stored_bytes() / sum(stream.appended().values())
    finally:
        stream.close()


def _single_rows(hits: list[bytes], plan: Plan) -> list[Row]:
    """Compare one hit a request with the same bytes sent to a route that only answers."""
    kept = played(plan.directory, "single", [post_request(hit) for hit in hits[:10_000]])
    bare = played(plan.directory, "bare", [post_request(hit, "/healthz") for hit in hits[:10_000]])
    seconds = max(1, plan.seconds // 3)
    rows: list[Row] = []
    with Instance(plan.directory / "single-data") as instance:
        for connections in (64, 256, 1_024):
            rates: dict[Script, list[float]] = {kept: [], bare: []}
            for _ in range(ROUNDS):
                for script in (bare, kept):
                    rates[script].append(script.fire(instance.port, connections=connections, seconds=seconds).rate)
            one, most = median(rates[kept]), median(rates[bare])
            rows.append(
                row(f"single hits, {connections} senders: share of bare POST", one / most, "ratio", at_least=0.5)
            )
            rows.append(row(f"single hits, {connections} senders", one, "hits/s"))
            # Their rate is at most the senders that wait together, once a sync.
            rows.append(row(f"the disk's own sync beside {connections} senders", _sync_ms(plan), "ms"))
    return rows


def _sync_ms(plan: Plan) -> float:
    """Return how long the disk takes at this moment until a few bytes are safe; the median."""
    times: list[float] = []
    with (plan.directory / "synced").open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            file.write(os.urandom(SYNCED_BYTES))
            started = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - started)
    return 1e3 * median(times)
