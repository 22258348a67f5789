"""Fresh: seconds from a hit's 2xx until it stands in the justnow list, while the server takes all it can.

Sketch. A hit waits for the counting process to read it (some tens of milliseconds behind at full load), for the flush
(at most 0.5 s), for the answering process to look (0.2 s) and for its list to be made anew: a second at most, if
counting keeps up. The counting process' share of two cores runs out first, and then the wait grows with the backlog.
"""

import time
from statistics import quantiles

from bench.bench_ingest import BODIES, CONNECTIONS, WARM_S
from bench.client import Client, post_request
from bench.instance import BRAND, Instance
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Traffic, batches, marked
from bench.wrk import played

EVERY_S = 0.5
POLL_S = 0.02
LOST_S = 30.0  # A mark that takes longer counts as this long.
FIRST_SECTION = 900_000
MARKS_PER_SECTION = 50  # Half of what a list shows, so that every mark of a section is in its list.


class Marks:
    """Hits that are sent one after another, and when each was first seen in a list."""

    def __init__(self, port: int) -> None:
        self._sender, self._reader = Client(port), Client(port)
        self._waiting: dict[str, float] = {}
        self._sent = 0
        self.seconds: list[float] = []

    def send(self) -> None:
        """Send the next mark and note when it was acknowledged."""
        asset = f"mark-{self._sent:06}"
        answer = self._sender.post(marked(asset, self._section(self._sent)))
        assert answer.status == 202, f"a mark got {answer.status}"
        self._waiting[asset] = time.perf_counter()
        self._sent += 1

    def look(self) -> None:
        """Look for the marks that were not seen yet."""
        for section in {self._section(int(asset[5:])) for asset in self._waiting}:
            answer = self._reader.get(f"/v1/popular?brand={BRAND}&period=justnow&section={section}")
            now = time.perf_counter()
            for item in answer.json()["items"] if answer.status == 200 else ():
                sent_at = self._waiting.pop(item["assetId"], None)
                if sent_at is not None:
                    self.seconds.append(now - sent_at)
        for asset, sent_at in list(self._waiting.items()):
            if time.perf_counter() - sent_at > LOST_S:
                del self._waiting[asset]
                self.seconds.append(LOST_S)

    @property
    def is_waiting(self) -> bool:
        """Tell whether a mark has not been seen yet."""
        return bool(self._waiting)

    @staticmethod
    def _section(number: int) -> int:
        return FIRST_SECTION + number // MARKS_PER_SECTION


def run(plan: Plan) -> list[Row]:
    """Measure under full load."""
    requests = [post_request(body) for body in batches(Traffic(seed=4).lean(BODIES * BATCH))]
    script = played(plan.directory, "load", requests)
    with Instance(plan.directory / "data") as instance:
        load = script.start(instance.port, connections=CONNECTIONS)
        time.sleep(WARM_S)
        marks = Marks(instance.port)
        ends = time.perf_counter() + 2 * plan.seconds
        due = time.perf_counter()
        while time.perf_counter() < ends or marks.is_waiting:
            if due <= time.perf_counter() < ends:
                marks.send()
                due = max(due + EVERY_S, time.perf_counter())
            marks.look()
            time.sleep(POLL_S)
        shot = load.stop()
    steps = quantiles(marks.seconds, n=100)
    return [
        row("from 2xx to the list, p50", steps[49], "s"),
        row("from 2xx to the list, p99", min(steps[98], max(marks.seconds)), "s", at_most=2),
        row("from 2xx to the list, longest", max(marks.seconds), "s", at_most=2),
        row("hits arriving meanwhile", shot.rate * BATCH, "hits/s"),
        row("marks sent", len(marks.seconds), "hits"),
    ]
