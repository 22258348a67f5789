"""Serve: lists a second from ready bytes, and the time a filter takes that nobody asked before.

Sketch. A ready answer is a dictionary look-up, one copy of some 5 KB and a write: what a static answer costs, plus the
kernel's copy of the longer body. A fresh filter adds up rows of one sheet: 50,000 rows by a boolean mask, twice (now
and one window earlier), and 100 items to write down: 1 to 2 ms, plus two hops between processes. A sheet is one sum
whatever the number of its windows, so six hours and three days cost the same. The front's interpreter runs out first.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from bench.client import get_request, post_request, send_all
from bench.instance import PERIOD_HOURS, Instance
from bench.plan import Plan
from bench.queries import PERIODS, Questions
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches
from bench.wrk import played
from footfall.values.clock import SystemClock
from footfall.values.window import HOUR_MS

CONNECTIONS = 32
ROUNDS = 3
DISTINCT = 1_000
ORDER = 50_000
UNHEARD = 2_000
FEW_HOURS, MANY_HOURS = 6, 72
HITS_AN_HOUR = 40_000
TINY, FILE, POPULAR = "tiny", "file", "popular"
FILE_PATH = "/static/page.css"
STEADY_CONNECTIONS, STEADY_DELAY_MS = 20, 95  # 20 senders, ten batches a second each: 20,000 hits/s or a little less.
SETTINGS = {"count_lateness_hours": 200, "periods": f"{PERIOD_HOURS}=168h/1h/120s"}


@dataclass(frozen=True, slots=True)
class Served:
    """What one instance with its history came to."""

    static: float  # of the lists' mean size
    tiny: float
    warm: float
    list_bytes: float
    steady: float
    p50_ms: float
    p99_ms: float

    @property
    def ratio(self) -> float:
        """Return what a list costs against static bytes of its size."""
        return self.warm / self.static


def run(plan: Plan) -> list[Row]:
    """Measure with few windows and with many."""
    few, many = (_served(plan, hours) for hours in (FEW_HOURS, MANY_HOURS))
    what = f"{MANY_HOURS} h of history against {FEW_HOURS} h"
    return [
        row("ready lists, share of static bytes of their size", many.ratio, "ratio", at_least=0.8),
        row("ready lists", many.warm, "lists/s"),
        row("static bytes of the same size", many.static, "answers/s"),
        row("a static answer of 15 bytes", many.tiny, "answers/s"),
        row("ready lists, share of a static answer of 15 bytes", many.warm / many.tiny, "ratio"),
        row("mean size of a list", many.list_bytes, "bytes"),
        row("hits arriving meanwhile", many.steady, "hits/s"),
        row("a filter never asked before, p50", many.p50_ms, "ms"),
        row("a filter never asked before, p99", many.p99_ms, "ms", at_most=5),
        row(f"a filter never asked before, p99, {what}", many.p99_ms / few.p99_ms, "ratio", at_most=1.3),
        row(f"a filter never asked before, p50, {what}", many.p50_ms / few.p50_ms, "ratio", at_most=1.3),
        row(f"ready lists, share of static bytes, {what}", many.ratio / few.ratio, "ratio", at_least=0.77),
    ]


def _served(plan: Plan, hours: int) -> Served:
    traffic = Traffic(seed=2)
    questions = Questions(seed=3, periods=(*PERIODS, PERIOD_HOURS))
    targets, order = questions.mix(DISTINCT, length=ORDER)
    place = plan.directory / f"hours-{hours}"
    place.mkdir()
    steady = played(
        place,
        "steady",
        [post_request(body) for body in batches(traffic.lean(500 * BATCH))],
        delay_ms=STEADY_DELAY_MS,
    )
    with Instance(place / "data", SETTINGS) as instance:
        _send_history(instance, traffic, hours=hours, hits_an_hour=plan.scaled(HITS_AN_HOUR))
        load = steady.start(instance.port, connections=STEADY_CONNECTIONS)
        try:
            _warm_up(instance, targets)
            rates = _rounds(instance, place, targets, order, seconds=max(1, plan.seconds // 4))
            sizes = _sizes(instance, targets, order)
            times = _times(instance, questions.unheard(max(200, plan.scaled(UNHEARD))))
        finally:
            shot = load.stop()
    steps = quantiles(times, n=100)
    return Served(
        static=_rate_at(sizes[POPULAR], rates, sizes),
        tiny=rates[TINY],
        warm=rates[POPULAR],
        list_bytes=sizes[POPULAR],
        steady=shot.rate * BATCH,
        p50_ms=1e3 * steps[49],
        p99_ms=1e3 * steps[98],
    )


def _send_history(instance: Instance, traffic: Traffic, *, hours: int, hits_an_hour: int) -> None:
    now_ms = SystemClock().now_ms()
    for hour in range(hours, 0, -1):
        start_ms = now_ms - hour * HOUR_MS
        places = traffic.drawn(hits_an_hour).tolist()
        send_all(instance.port, batches(traffic.timed(places, from_ms=start_ms, to_ms=start_ms + HOUR_MS), 1_000))
    # Every asset at least once, so that all of them are there to be listed.
    everything = traffic.timed(traffic.every_asset(), from_ms=now_ms - HOUR_MS // 2, to_ms=now_ms)
    send_all(instance.port, batches(everything, 1_000))
    instance.drain()
    instance.wait_until_built()


def _warm_up(instance: Instance, targets: list[str]) -> None:
    """Ask everything twice, because only what is asked again is kept for long."""
    client = instance.client()
    for target in (*targets, *targets):
        answer = client.get(target)
        assert answer.status == 200, f"{target}: {answer.status} {answer.body[:200]!r}"
    client.close()


def _rounds(instance: Instance, place: Path, targets: list[str], order: list[int], *, seconds: int) -> dict[str, float]:
    """Return the rates of both static answers and of ready lists, measured in turns."""
    scripts = {
        TINY: played(place, TINY, [get_request("/healthz")]),
        FILE: played(place, FILE, [get_request(FILE_PATH)]),
        POPULAR: played(place, POPULAR, [get_request(target) for target in targets], order=order),
    }
    rates: dict[str, list[float]] = {name: [] for name in scripts}
    for _ in range(ROUNDS):
        for name, script in scripts.items():
            rates[name].append(script.fire(instance.port, connections=CONNECTIONS, seconds=seconds).rate)
    return {name: median(found) for name, found in rates.items()}


def _sizes(instance: Instance, targets: list[str], order: list[int]) -> dict[str, float]:
    """Return the bytes of each kind of answer; of lists the mean, as often as each is asked for."""
    client = instance.client()
    lists = [len(client.get(target).body) for target in targets]
    sizes = {name: float(len(client.get(path).body)) for name, path in ((TINY, "/healthz"), (FILE, FILE_PATH))}
    client.close()
    return sizes | {POPULAR: sum(lists[place] for place in order) / len(order)}


def _rate_at(size: float, rates: dict[str, float], sizes: dict[str, float]) -> float:
    """Return the rate of static answers of a size: their time grows with their bytes from the tiny one to the file."""
    tiny_s, file_s = 1 / rates[TINY], 1 / rates[FILE]
    return 1 / (tiny_s + (file_s - tiny_s) * (size - sizes[TINY]) / (sizes[FILE] - sizes[TINY]))


def _times(instance: Instance, targets: list[str]) -> list[float]:
    client = instance.client()
    times: list[float] = []
    for target in targets:
        answer = client.get(target)
        assert answer.status == 200, f"{target}: {answer.status}"
        times.append(answer.seconds)
        time.sleep(0.002)  # A person's question comes from time to time; back to back they would be one long queue.
    client.close()
    return times
