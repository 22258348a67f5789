"""Hot paths: what each step of the path costs, as a ratio to something else in the same run, with a floor of its own.

Sketch. Reading a plain body in native code 0.1 us a hit, half of what decoding it into structs takes; any field 1.5 us,
with care 10 us; packing and appending 0.05 each, and 0.03 more where each body has a key; the whole way from a socket
to the answer, with some 20 us of HTTP a body, 0.4; joining blocks 0.1; counting 0.04, with visitors 0.25, with times
0.05; gathering what is judged 1 us, scoring a point 35 us; referrers 0.6 us, where none are told 0.04, and
0.4 a distinct key of an hour; making counts columns 0.3 us a distinct row; merging 0.1 us a row; a list of a fresh
filter 0.05 ms on a small board; a ready list 4 us; a ping 2 us.
All of it is the processor's, but for the append to disk, which waits for its sync. What comes from the interpreter is
held against a plain loop of it, what is mostly native against decoding the same hits.
"""

import time
from collections.abc import Callable
from pathlib import Path

from bench.hot_inputs import NOW_MS, HotPath, Step, entries_of, plain_bodies, plain_steps
from bench.hot_paths import HOT_PATHS, read_with_care
from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.values.clock import SetClock

SIZE = 40
ROUNDS = 9  # of which the fastest counts: whatever else the machine does only makes one slower


def run(plan: Plan) -> list[Row]:
    """Measure every hot path, and beside them what has no floor."""
    rows = [row("reference: one step of a plain loop", _best_ns(plain_steps(SIZE))[0], "ns")]
    for path in HOT_PATHS:
        rows += _rows(path)
    rows.append(row("read a body with care", _best_ns(read_with_care(SIZE))[0], "ns/hit"))
    return [*rows, _append_row(plan.directory)]


def _rows(path: HotPath) -> list[Row]:
    taken, reference = _best_ns(path.ready(SIZE), path.reference(SIZE))
    unit = f"ns/{path.unit}"
    label = f"{path.what}, against {path.reference.__name__.replace('_', ' ')}"
    return [row(path.what, taken, unit), row(label, taken / reference, "ratio", at_most=path.at_most)]


def _append_row(directory: Path) -> Row:
    """Return what the durable append costs, which is the disk's matter as much as ours."""
    entries = entries_of(plain_bodies(SIZE))
    stream = SqliteStream(directory / "stream.db", clock=SetClock(NOW_MS))
    taken = _best_ns(Step(lambda: stream.append(entries), sum(entry.weight for entry in entries)))[0]
    stream.close()
    return row(f"append to disk, {SIZE} batches at once", taken, "ns/hit")


def _best_ns(*steps: Step) -> list[float]:
    """Return what one of the things costs that each step is done to; steps take turns, so that all are as lucky."""
    best = [float("inf")] * len(steps)
    for step in steps:
        step.do()
    for _ in range(ROUNDS):
        for number, step in enumerate(steps):
            best[number] = min(best[number], _taken_ns(step.do) / step.count)
    return best


def _taken_ns(do: Callable[[], object]) -> int:
    started = time.perf_counter_ns()
    do()
    return time.perf_counter_ns() - started
