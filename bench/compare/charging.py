"""What a load is charged with: a side is watched from the first body on, until all that the load caused is done."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.compare.processes import cpu_seconds, memory_bytes
from bench.compare.sides import Side

SAMPLE_S = 0.5
REST_S_MAX, REST_LOOK_S = 60.0, 4.0
REST_RATE_MAX = 0.06  # processor seconds a second: an instance that has nothing to do uses 0.025

Rates = Mapping[str, float]  # processor seconds that each process uses in a second


@dataclass(frozen=True, slots=True)
class Reading:
    """What a watch says at a moment: seconds since it began, and the processor seconds of each process since then."""

    at_s: float
    cpu_s: Mapping[str, float]


class Watch:
    """Looks at a side from now on; at its memory while it is entered."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._started = time.monotonic()
        self._cpu_before = cpu_seconds(side.pid)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._memory = 0

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def reading(self) -> Reading:
        """Return what it says now."""
        now = cpu_seconds(self._side.pid)
        cpu_s = {name: round(used - self._cpu_before.get(name, 0.0), 2) for name, used in now.items()}
        return Reading(time.monotonic() - self._started, cpu_s)

    @property
    def memory(self) -> int:
        """Return the most memory that was seen, now included."""
        self._memory = max(self._memory, memory_bytes(self._side.pid))
        return self._memory

    def _sample(self) -> None:
        while not self._is_over.wait(SAMPLE_S):
            self._memory = max(self._memory, memory_bytes(self._side.pid))


def caught_up(side: Side, watch: Watch, settled: Reading, *, fresh: Rates) -> tuple[dict[str, float], str]:
    """Wait for what the load has still to cost; return what each process is charged with, and what was not done.

    It idles as much as the fresh instance did or as it does now, whichever is less: what trails behind is no idling.
    """
    asked = watch.reading()
    behind = side.catch_up()
    rates, is_quiet = upkeep_of(side)
    upkeep = {name: min(rate, fresh.get(name, 0.0)) for name, rate in rates.items()}
    cpu_s = charged([settled, asked, watch.reading()], unlisted=side.behind, upkeep=upkeep)
    return cpu_s, behind or ("" if is_quiet else "it was not at rest in its time")


def charged(readings: Sequence[Reading], *, unlisted: Sequence[str], upkeep: Rates) -> dict[str, float]:
    """Return what each process is charged with, of readings when lists were right, had been asked for, and at the end.

    While lists are asked for, who answers them works for whoever asks; who answers none goes on with the load. From
    then on all is charged but for upkeep, which an instance has without any load.
    """
    settled, asked, done = readings
    found: dict[str, float] = {}
    for name in {**settled.cpu_s, **done.cpu_s}:
        since = settled if name in unlisted else asked
        later = (
            done.cpu_s.get(name, 0.0) - since.cpu_s.get(name, 0.0) - upkeep.get(name, 0.0) * (done.at_s - since.at_s)
        )
        found[name] = round(settled.cpu_s.get(name, 0.0) + max(0.0, later), 2)
    return found


def idling(side: Side) -> dict[str, float]:
    """Look for a few seconds; return what each process uses in one."""
    before = cpu_seconds(side.pid)
    time.sleep(REST_LOOK_S)
    return {name: (now - before.get(name, now)) / REST_LOOK_S for name, now in cpu_seconds(side.pid).items()}


def upkeep_of(side: Side) -> tuple[dict[str, float], bool]:
    """Wait until it is at rest; return the processor seconds that each process then uses in a second, and if it is."""
    give_up_at_s = min(time.monotonic() + REST_S_MAX, side.ends_at_s)
    while True:
        rates = idling(side)
        if sum(rates.values()) < REST_RATE_MAX:
            return rates, True
        if time.monotonic() > give_up_at_s:
            return {}, False  # All that it used is charged.
