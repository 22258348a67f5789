"""Steps: what each step of the path costs a hit, as a ratio to a fixed loop of the interpreter in the same run.

Sketch. Reading a lean body 0.9 us a hit, any field 2 us, with care 10 us; packing 0.2; appending with its fsync 0.3 in
groups of 64 batches; tallying 0.7; letting counts into a window 1 us a distinct row; merging 0.1 us a row; a list of a
fresh filter 1 ms. All of it is the interpreter's and numpy's time, so the processor runs out first everywhere but in
the append, where the disk's sync does. Ratios let one machine's run be compared with another's.
"""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.instance import BRAND
from bench.plan import Plan
from bench.queries import Questions
from bench.results import Row, row
from bench.traffic import ASSETS, BATCH, Traffic, batches
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.count.placing import Placing
from footfall.flow.count.tally import Rules, Tally
from footfall.flow.serve.board import Board
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import popular_query
from footfall.flow.store.columns import EMPTY, Columns, CountKey, columns_from_counts
from footfall.flow.store.merging import Limits, admit, merge
from footfall.flow.store.summaries import Summary
from footfall.ports.stream import Entry, Record
from footfall.values.clock import SetClock
from footfall.values.period import DEFAULT_PERIODS, RETENTION_MS
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, Window, window_of

NOW_MS = 1_794_700_000_000
ROUNDS = 5
REFERENCE_STEPS = 200_000
GROUP = 64
WINDOWS = 24
ROUND_HITS = GROUP * BATCH


def run(plan: Plan) -> list[Row]:
    """Measure every step on the same hits."""
    traffic = Traffic(seed=8)
    lean = traffic.lean(ROUND_HITS)
    full = traffic.full(ROUND_HITS, from_ms=NOW_MS - MINUTE_MS, to_ms=NOW_MS)
    escaped = [hit.replace(b"article", rb"\u0061rticle") for hit in lean]
    acceptance, stream = _collecting(plan.directory)
    entries = _entries(lean, acceptance)
    records = _records(entries)
    counts = [_counts(traffic) for _ in range(WINDOWS)]
    columns = [columns_from_counts(one) for one in counts]
    steps: list[tuple[str, Callable[[], object], int]] = [
        ("read a lean body", lambda: _parse(lean), ROUND_HITS),
        (
            "read a lean body of lines",
            lambda: parse_hits(b"\n".join(lean), lines=True, hits_max=ROUND_HITS),
            ROUND_HITS,
        ),
        ("read a body with every field", lambda: _parse(full), ROUND_HITS),
        ("read a body with care", lambda: _parse(escaped), ROUND_HITS),
        ("read and pack", lambda: _entries(lean, acceptance), ROUND_HITS),
        ("append to disk, 64 batches at once", lambda: stream.append(entries), ROUND_HITS),
        ("tally", lambda: _tallied(records), ROUND_HITS),
        ("let into an open minute", lambda: admit(columns[0], counts[1], Limits()), len(counts[1])),
        ("merge 24 windows", lambda: merge(columns), sum(len(one.ident) for one in columns)),
    ]
    reference = _nanoseconds(_reference, REFERENCE_STEPS)
    rows = [row("reference: one step of a plain loop", reference, "ns")]
    for what, step, hits in steps:
        taken = _nanoseconds(step, hits)
        unit = "row" if what.startswith(("let", "merge")) else "hit"
        rows += [row(what, taken, f"ns/{unit}"), row(f"{what}, in reference steps", taken / reference, "ratio")]
    stream.close()
    return rows + _list_rows(columns, reference)


def _reference() -> int:
    """Do what interpreters do: look up, add, store."""
    sums: dict[int, int] = {}
    for number in range(REFERENCE_STEPS):
        place = number & 1_023
        sums[place] = sums.get(place, 0) + number
    return len(sums)


def _nanoseconds(step: Callable[[], object], count: int) -> float:
    """Return what one of the things that a step handles costs, the median of some rounds."""
    step()
    rounds: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter_ns()
        step()
        rounds.append((time.perf_counter_ns() - started) / count)
    return median(rounds)


def _collecting(directory: Path) -> tuple[Acceptance, SqliteStream]:
    clock = SetClock(NOW_MS)
    salts = Salts(SecretTable(directory / "salts.db", clock=clock), random_bytes=lambda size: bytes(size))
    acceptance = Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=1)
    return acceptance, SqliteStream(directory / "stream.db", clock=clock)


def _parse(hits: list[bytes]) -> None:
    for body in batches(hits):
        parse_hits(body, lines=False, hits_max=BATCH)


def _entries(hits: list[bytes], acceptance: Acceptance) -> list[Entry]:
    request = Request(NOW_MS, Sender("192.0.2.1", "bench", wants_privacy=False), is_batch=True)
    return [
        entry
        for body in batches(hits)
        for entry in acceptance.entries(parse_hits(body, lines=False, hits_max=BATCH), request)
    ]


def _records(entries: list[Entry]) -> list[Record]:
    return [
        Record(sequence, entry.group, entry.weight, entry.data, entry.arrived_at_ms)
        for sequence, entry in enumerate(entries, start=1)
    ]


def _tallied(records: list[Record]) -> None:
    placing = Placing(kept_ms=RETENTION_MS, zone_of=lambda _brand: "UTC")
    tally = Tally(Rules(), placing=placing, through_of=lambda _place: 0)
    for record in records:
        tally.add(record)


def _counts(traffic: Traffic) -> Counter[CountKey]:
    parsed = parse_hits(b"[" + b",".join(traffic.lean(ASSETS)) + b"]", lines=False, hits_max=ASSETS)
    return Counter(key for draft in parsed.drafts for key in draft.keys)


def _list_rows(columns: list[Columns], reference: float) -> list[Row]:
    """Ask a board of a day for filters that it has not heard of."""
    board = Board(BRAND, zone="UTC", periods=DEFAULT_PERIODS)
    windows = [window_of(NOW_MS - hour * HOUR_MS, Grain.HOUR, "UTC") for hour in range(1, WINDOWS + 1)]
    parts = dict(zip(windows, columns, strict=True))

    def read(window: Window) -> list[Summary]:
        held = parts.get(window, EMPTY)
        return [Summary(window, "s00", 1, {}, held, final=False, rules=1)] if window in parts else []

    board.refresh(read, now_ms=NOW_MS, closed_until_ms=NOW_MS - MINUTE_MS, changed=())
    targets = Questions(seed=9, periods=("day",)).unheard(50)
    queries = [popular_query(target.partition("?")[2], periods=DEFAULT_PERIODS) for target in targets]

    def ask() -> None:
        for query in queries:
            popular(board, query)

    taken = _nanoseconds(ask, len(queries))
    return [
        row("a list of a fresh filter", taken / 1e6, "ms"),
        row("a list of a fresh filter, in reference steps", taken / reference, "ratio"),
    ]
