"""The Python client: what a call of hit() costs the program, and how many hits a second one client delivers.

Sketch. A call reads the clock, makes a tuple, appends it to a deque and looks at two lengths: about a microsecond, as
long as the thread that sends does not hold the interpreter. That thread needs some 4 microseconds a hit for JSON and
gzip, so one client delivers at most 200,000 hits a second, and half of it while the program hands them over.
"""

import time
from statistics import median

from bench.instance import BRAND, Instance
from bench.plan import Plan
from bench.results import Row, row
from footfall.client import Footfall, Options

CALLS = 2_000  # of one sample, few enough to fit into the queue
SAMPLES = 50
HITS = 200_000


class Lost(Exception):
    """Hits were dropped or refused that should have been sent."""


def run(plan: Plan) -> list[Row]:
    """Measure calls one by one, then a long run."""
    with Instance(plan.directory / "data") as instance:
        url = f"http://127.0.0.1:{instance.port}"
        return [
            row("a call of hit(), nothing else going on", _call_us(url, busy=False), "µs", at_most=5),
            row("a call of hit(), while batches are sent", _call_us(url, busy=True), "µs"),
            row("hits of one client, until all are taken", _delivered(url, plan.scaled(HITS)), "hits/s"),
        ]


def _call_us(url: str, *, busy: bool) -> float:
    """Return the time of one call, the median of samples."""
    options = Options(
        queue_hits_max=2 * CALLS * SAMPLES, batch_hits_max=500 if busy else CALLS * SAMPLES, linger_ms=600
    )
    times: list[float] = []
    with Footfall(url, brand=BRAND, options=options) as client:
        for _ in range(SAMPLES):
            started = time.perf_counter()
            for number in range(CALLS):
                client.hit(number, section=7, type="article", paid="free")
            times.append(time.perf_counter() - started)
            if not busy:
                client.flush(30)
        _require_all_sent(client, 30)
    return 1e6 * median(times) / CALLS


def _delivered(url: str, count: int) -> float:
    with Footfall(url, brand=BRAND, options=Options(queue_hits_max=count)) as client:
        started = time.perf_counter()
        for number in range(count):
            client.hit(number % 50_000, section=7, type="article", paid="free")
        _require_all_sent(client, 120)
        return count / (time.perf_counter() - started)


def _require_all_sent(client: Footfall, timeout_s: float) -> None:
    if not client.flush(timeout_s) or client.counts().sent != client.counts().handed:
        raise Lost(f"after {timeout_s} s: {client.counts()}")
