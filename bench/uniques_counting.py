"""What counting visitors costs beside counting hits: one worker on disk counts the same hits with them and without.

Sketch. Reading, decoding, tallying and writing a hit takes 0.9 us, half of it to find its row. A visitor adds eight
bytes to decode and join (60 ns), a hash (25 ns), five sorts of whole numbers (10 ns each), a number for each asset of a
flush (0.5 us, one in eight hits) and three bytes that are packed and written (0.2 us). So it is the processor again,
and the share should be about two thirds.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, Traffic
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.store import keys
from footfall.flow.store.visitors import load_pieces
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.ports.table import everything
from footfall.sketches.grouped_bytes import bytes_from_grouped
from footfall.values.clock import SetClock
from footfall.values.window import MINUTE_MS, Grain, Window

NOW_MS = 1_794_700_020_000
VISITORS = 1_000_000
SECTIONS = 40
STEPS = 9
STEP_RECORDS = 1_000
STEP_MS = 200  # 500,000 hits a second, about what the main path takes, and every third step is due to be flushed
HITS = STEPS * STEP_RECORDS * BATCH
ROUNDS = 5
BRAND = "bench"


@dataclass(frozen=True, slots=True)
class Way:
    """One way of counting the same hits."""

    what: str
    has_visitors: bool
    uniques: bool


PLAIN = Way("hits without visitors", has_visitors=False, uniques=True)
OFF = Way("hits with visitors, uniques off", has_visitors=True, uniques=False)
ON = Way("hits with visitors, uniques on", has_visitors=True, uniques=True)


def counting_rows(plan: Plan) -> list[Row]:
    """Measure the three ways in turns."""
    records = {has: _records(has_visitors=has) for has in (False, True)}
    taken: dict[Way, list[float]] = {way: [] for way in (PLAIN, OFF, ON)}
    sizes = (0, 0)
    for number in range(plan.scaled(ROUNDS)):
        for way in taken:
            directory = plan.directory / f"{number}-{way.what.replace(' ', '-')}"
            directory.mkdir()
            seconds, found = _counted(directory, records[way.has_visitors], way)
            taken[way].append(HITS / seconds)
            sizes = found if way is ON else sizes
    shares = {base: median(on / of for on, of in zip(taken[ON], taken[base], strict=True)) for base in (PLAIN, OFF)}
    return [
        *(row(f"counting {way.what}", median(rates), "hits per CPU second") for way, rates in taken.items()),
        row("counting with uniques on, share of without", shares[OFF], "ratio", at_least=0.6),
        row("counting with uniques on, share of hits without visitors", shares[PLAIN], "ratio", at_least=0.6),
        row("a minute of those hits, its counts", sizes[0], "bytes"),
        row("a minute of those hits, its visitors", sizes[1], "bytes"),
        row("its visitors, of each hit", sizes[1] / (HITS), "bytes"),
    ]


def _records(*, has_visitors: bool) -> list[Entry]:
    chance, traffic = Random(4), Traffic(seed=4)
    entries: list[Entry] = []
    for _ in range(STEPS * STEP_RECORDS):
        hits = [_key(asset) for asset in traffic.drawn(BATCH).tolist()]
        who = [chance.randrange(VISITORS).to_bytes(8, "little") for _ in range(BATCH)]
        pack = Pack(VERSION, RULES, NOW_MS, hits, visitors=who if has_visitors else None)
        entries.append(Entry(0, BRAND, BATCH, record_from_pack(pack), NOW_MS))
    return entries


def _key(asset: int) -> HitKey:
    return str(1_000_000 + asset), str(asset % SECTIONS), "article", "free"


def _counted(directory: Path, entries: Sequence[Entry], way: Way) -> tuple[float, tuple[int, int]]:
    """Return how long the processor took, and the bytes of the minute's counts and of its visitors."""
    clock = SetClock(NOW_MS)
    stream = SqliteStream(directory / "stream.db", clock=clock, shards=1)
    table = SqliteTable(directory / "store.db", clock=clock)
    how = CountRules(uniques=way.uniques)
    worker = Worker(0, stream, table, clock=clock, how=how, zone_of=lambda _: "UTC")
    seconds = 0.0
    for step in range(STEPS):
        stream.append(entries[step * STEP_RECORDS : (step + 1) * STEP_RECORDS])
        clock.advance(STEP_MS)
        started = time.process_time()
        worker.step()
        seconds += time.process_time() - started
    started = time.process_time()
    worker.drain()
    seconds += time.process_time() - started
    assert worker.checkpoint.through == len(entries)
    window = Window(Grain.MINUTE, NOW_MS // MINUTE_MS * MINUTE_MS, (NOW_MS // MINUTE_MS + 1) * MINUTE_MS)
    items = everything(table, keys.partition(BRAND, window))
    visitors = sum(len(bytes_from_grouped(piece.sketches)) for piece in load_pieces(table, BRAND, window))
    counts = sum(_bytes(one.item) for one in items if not one.key.sort.startswith(keys.VISITORS_FROM))
    stream.close()
    table.close()
    return seconds, (counts, visitors)


def _bytes(item: object) -> int:
    assert isinstance(item, dict)
    return len(item.get("bytes", b""))
