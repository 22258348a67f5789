"""Caching: which part of 100,000 requests in the thesis' mix nginx answers without footfall, while counts move.

Sketch. Each of 1,000 different questions is fetched once per cache time (30, 120 or 300 s, a third of them each), so
footfall is asked at most 333/30 + 333/120 + 333/300 = 15 times a second, however many people ask nginx. Of 100,000
requests in 40 s that leaves 99.4 %; the first fill costs 1,000 fetches once. Lists of a day and a week do not expire in
so short a time, which flatters the measurement by a fifth of its misses; the model has them expire, and says what other
rates give. A cache that keeps to its times is only as good as the number of requests per question and cache time.
"""

import threading
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bench.client import Client, post_request
from bench.instance import Instance
from bench.nginx import Nginx, share_of_cache
from bench.plan import Plan
from bench.queries import PERIODS, Questions
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches
from bench.wrk import played
from footfall.values.period import DEFAULT_PERIODS

DISTINCT = 1_000
REQUESTS = 100_000
MEASURED_S = 40.0
SENDERS = 8
ON_ONE_CONNECTION = 500  # nginx ends a connection after a thousand requests.
STEADY_CONNECTIONS, STEADY_DELAY_MS = 20, 195  # about 10,000 hits a second meanwhile
MODELLED = (10, 100, 1_000, 2_500, 10_000)  # requests a second


class Refused(Exception):
    """nginx or footfall did not answer as it should."""


def run(plan: Plan) -> list[Row]:
    """Fill the cache, then measure it in use; then model other rates."""
    requests = plan.scaled(REQUESTS)
    seconds = MEASURED_S * requests / REQUESTS
    targets, order = Questions(seed=3).mix(DISTINCT, length=2 * requests)
    hits = [post_request(body) for body in batches(Traffic(seed=2).lean(200 * BATCH))]
    steady = played(plan.directory, "steady", hits, delay_ms=STEADY_DELAY_MS)
    with Instance(plan.directory / "data") as instance:
        load = steady.start(instance.port, connections=STEADY_CONNECTIONS)
        try:
            with Nginx(plan.directory / "nginx", origin_port=instance.port) as nginx:
                empty, _ = _asked(nginx, targets, order[:requests], seconds=seconds)
                in_use, took_s = _asked(nginx, targets, order[requests:], seconds=seconds)
                oldest_s = nginx.oldest_s()
        finally:
            shot = load.stop()
    if oldest_s is None:
        raise Refused("no line of nginx's log tells how old a list was")
    fetched = in_use.total() - round(in_use.total() * share_of_cache(in_use))
    rows = [
        row("answered by the cache in use, of 100,000 requests", 100 * share_of_cache(in_use), "%", at_least=99),
        row("answered by the cache, of the first 100,000 requests to an empty one", 100 * share_of_cache(empty), "%"),
        row("the oldest list, over its cache time, in whole seconds as nginx and Date count", oldest_s, "s", at_most=1),
        row("requests", in_use.total() / took_s, "requests/s"),
        row("different questions", len(targets), "questions"),
        row("questions that reached footfall", fetched / took_s, "requests/s"),
        row("hits arriving meanwhile", shot.rate * BATCH, "hits/s"),
    ]
    for rate in MODELLED:
        share = modelled_share(targets, order, rate=rate)
        rows.append(row(f"model: answered by the cache at {rate:,} requests/s", 100 * share, "%"))
    return rows


def modelled_share(targets: Sequence[str], order: Sequence[int], *, rate: float) -> float:
    """Return the share of a cache that has been in use for long, when requests come at random at this rate.

    A question that is asked l times a second and kept for T seconds is fetched once in T + 1/l seconds, in which it is
    asked 1 + l T times.
    """
    shares = np.bincount(order, minlength=len(targets)) / len(order)
    asked_while_kept = rate * shares * np.array([_cache_s(target) for target in targets])
    return float(np.sum(shares * asked_while_kept / (1 + asked_while_kept)))


def _cache_s(target: str) -> int:
    period = next(name for name in PERIODS if f"period={name}&" in target)
    return DEFAULT_PERIODS[period].cache_s


def _asked(
    nginx: Nginx, targets: Sequence[str], order: Sequence[int], *, seconds: float
) -> tuple["Counter[str]", float]:
    """Ask in order, spread over the time; return what the cache said by its own log, and how long it took."""
    before = nginx.statuses().total()
    failures: list[str] = []
    started = time.perf_counter()

    def send(own: Sequence[tuple[float, int]]) -> None:
        for begin in range(0, len(own), ON_ONE_CONNECTION):
            client = Client(nginx.port)
            for due_s, place in own[begin : begin + ON_ONE_CONNECTION]:
                time.sleep(max(0.0, started + due_s - time.perf_counter()))
                answer = client.get(targets[place])
                if answer.status != 200:
                    failures.append(f"{targets[place]}: {answer.status}")
            client.close()

    due = [(seconds * number / len(order), place) for number, place in enumerate(order)]
    threads = [threading.Thread(target=send, args=(due[first::SENDERS],)) for first in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took_s = time.perf_counter() - started
    statuses = nginx.statuses(after=before)
    if failures or statuses.total() != len(order):
        raise Refused(
            f"{len(failures)} requests failed, {statuses.total()} of {len(order)} are in the log: {failures[:3]}"
        )
    return statuses, took_s
