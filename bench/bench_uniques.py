"""Uniques: what a sketch costs and how near it comes, beside DataSketches, the HyperLogLog article's library and Redis.

Sketch. A call for each value costs 60 ns in DataSketches' own module, 2 us in the article's pure Python and, with its
share of a pipelined request, 150 ns in Redis. Done for a batch at once, hashing a 64-bit number takes 25 ns and a text
of 30 bytes 120 ns, half of that for fetching it from where the interpreter has it; raising a register takes 5 ns.
So the processor runs out first, and for texts its cache. Everything is processor time of the process that does the
work, measured in turns: of Redis the server alone, without its client, but for one row that has both.
"""

from collections import deque
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

import datasketches as untyped
import numpy as np
from hyperloglog import HyperLogLog  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from bench.plan import Plan
from bench.redis_server import Redis, request
from bench.results import Row, row
from bench.uniques_counting import counting_rows
from bench.uniques_error import error_rows
from footfall.sketches.coupons import coupons_of_numbers, coupons_of_texts
from footfall.sketches.datasketches_hll import datasketches_from_uniques
from footfall.sketches.gathering import Gathering
from footfall.sketches.uniques import GROUP_LG_K, NAMED_LG_K, Uniques, added, estimate, merged, no_uniques
from footfall.sketches.uniques_bytes import bytes_from_uniques

BATCH = 10_000  # as many records as the article gathers before it writes
BATCHES = 40
SLOW_BATCHES = 4  # of what takes microseconds for each
ROUNDS = 5
REPEATS = 5  # of what Redis is sent in a round: the kernel tells its time in hundredths of a second
PIPED = 1_000  # values in one request to Redis
MERGED = 1_000
ASSETS = 50_000

_THEIRS: Any = untyped  # It has no types.
Numbers = NDArray[np.uint64]


def run(plan: Plan) -> list[Row]:
    """Measure adding, merging, bytes and error."""
    chance = np.random.default_rng(5)
    numbers = chance.integers(0, 2**64, BATCHES * BATCH, dtype=np.uint64)
    texts = [f"https://some.url/data/{number % 10**9}" for number in numbers.tolist()]
    with Redis(plan.directory) as redis:
        rows = [*_text_rows(texts, redis), *_number_rows(numbers, redis), *_merge_rows(numbers, redis)]
    return [*rows, *_group_rows(chance), *_byte_rows(), *counting_rows(plan), *error_rows(plan)]


def _text_rows(texts: Sequence[str], redis: Redis) -> list[Row]:
    batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    some = batches[:SLOW_BATCHES]
    requests = REPEATS * _requests(b"texts", [text.encode() for text in texts])
    ours, theirs, loop, bulk, server = _rates(
        (lambda: _sketch_of_texts(batches), len(texts)),
        (lambda: _updated(_THEIRS.hll_sketch(NAMED_LG_K, _THEIRS.HLL_8), batches), len(texts)),
        (lambda: _article_loop(some), SLOW_BATCHES * BATCH),
        (lambda: _article_bulk(some), SLOW_BATCHES * BATCH),
        (lambda: redis.ask(requests), REPEATS * len(texts)),
        redis=redis,
    )
    return [
        row("texts added by footfall", ours, "per CPU second"),
        row("texts added by DataSketches' update", theirs, "per CPU second"),
        row("texts added by the article's library, as the article does", loop, "per CPU second"),
        row("texts added by the article's library, in bulk", bulk, "per CPU second"),
        row("texts added by Redis, server alone", server, "per CPU second"),
        row("texts added by Redis, server and a thin client", _with_client(texts, redis), "per CPU second"),
        row("texts, against DataSketches", ours / theirs, "ratio", at_least=1),
        row("texts, against the article's library as it uses it", ours / loop, "ratio", at_least=10),
        row("texts, against the article's library in bulk", ours / bulk, "ratio", at_least=10),
        row("texts, against Redis", ours / server, "ratio", at_least=5),
    ]


def _number_rows(numbers: Numbers, redis: Redis) -> list[Row]:
    batches = [numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH)]
    requests = REPEATS * _requests(b"visitors", [number.tobytes() for number in numbers])
    lists = [batch.view(np.int64).tolist() for batch in batches]
    ours, theirs, server = _rates(
        (lambda: _sketch_of_numbers(batches), len(numbers)),
        (lambda: _updated(_THEIRS.hll_sketch(NAMED_LG_K, _THEIRS.HLL_8), lists), len(numbers)),
        (lambda: redis.ask(requests), REPEATS * len(numbers)),
        redis=redis,
    )
    return [
        row("visitors' hashes added by footfall", ours, "per CPU second"),
        row("visitors' hashes added by DataSketches' update", theirs, "per CPU second"),
        row("visitors' hashes added by Redis, server alone", server, "per CPU second"),
        row("visitors' hashes, against DataSketches", ours / theirs, "ratio", at_least=1),
        row("visitors' hashes, against Redis", ours / server, "ratio", at_least=5),
    ]


def _rates(*ways: tuple[Callable[[], object], int], redis: Redis) -> list[float]:
    """Return how many each way does per CPU second, the last being Redis'; medians of rounds, in turns."""
    rounds: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS):
        for taken, (act, count) in zip(rounds, ways, strict=True):
            clock = redis.cpu_s if act is ways[-1][0] else process_time
            started = clock()
            act()
            taken.append(count / max(clock() - started, 1e-9))
    return [median(taken) for taken in rounds]


def _with_client(texts: Sequence[str], redis: Redis) -> float:
    """Return how many texts Redis takes per CPU second when making and sending the requests is counted as well."""
    mine, its = process_time(), redis.cpu_s()
    redis.ask(_requests(b"texts", [text.encode() for text in texts]))
    return len(texts) / (process_time() - mine + redis.cpu_s() - its)


def _sketch_of_texts(batches: Sequence[Sequence[str]]) -> Uniques:
    sketch = no_uniques()
    for batch in batches:
        sketch = added(sketch, coupons_of_texts(batch))
    return sketch


def _sketch_of_numbers(batches: Sequence[Numbers]) -> Uniques:
    sketch = no_uniques()
    for batch in batches:
        sketch = added(sketch, coupons_of_numbers(batch))
    return sketch


def _updated(sketch: Any, batches: Sequence[Sequence[str] | Sequence[int]]) -> None:
    """Update value by value, which is all the package offers, in a loop that no interpreter step slows down."""
    for batch in batches:
        deque(map(sketch.update, batch), 0)


def _article_loop(batches: Sequence[Sequence[str]]) -> None:
    sketch: Any = HyperLogLog(0.01)
    for batch in batches:
        for value in batch:
            sketch.add(value)


def _article_bulk(batches: Sequence[Sequence[str]]) -> None:
    sketch: Any = HyperLogLog(0.01)
    for batch in batches:
        sketch.add_bulk(batch)


def _requests(key: bytes, values: Sequence[bytes]) -> list[bytes]:
    return [request(b"PFADD", key, *values[at : at + PIPED]) for at in range(0, len(values), PIPED)]


def _merge_rows(numbers: Numbers, redis: Redis) -> list[Row]:
    rows: list[Row] = []
    for lg_k in (GROUP_LG_K, NAMED_LG_K):
        overlapping = [numbers[at * 350 : at * 350 + 5_000] for at in range(MERGED)]
        sketches = [added(no_uniques(lg_k), coupons_of_numbers(part)) for part in overlapping]
        theirs = [_THEIRS.hll_sketch.deserialize(datasketches_from_uniques(one)) for one in sketches]
        ours_ms, theirs_ms = _merge_ms(sketches, theirs, lg_k)
        rows += [
            row(f"merging {MERGED:,} sketches of lgK {lg_k}", ours_ms, "ms"),
            row(f"merging {MERGED:,} sketches of lgK {lg_k}, against DataSketches", theirs_ms / ours_ms, "ratio"),
        ]
        if lg_k == NAMED_LG_K:
            server_ms, told = _redis_merge(overlapping, redis)
            rows.append(row(f"PFCOUNT of {MERGED:,} keys, server alone", server_ms, "ms"))
            rows.append(row("the same union told by Redis and footfall", told / _count(sketches, lg_k), "ratio"))
    return rows


def _merge_ms(sketches: Sequence[Uniques], theirs: Sequence[Any], lg_k: int) -> tuple[float, float]:
    ours: list[float] = []
    others: list[float] = []
    for _ in range(ROUNDS):
        started = process_time()
        merged(sketches, lg_k=lg_k)
        halfway = process_time()
        union = _THEIRS.hll_union(lg_k)
        for one in theirs:
            union.update(one)
        union.get_result(_THEIRS.HLL_8)
        others.append(1_000 * (process_time() - halfway))
        ours.append(1_000 * (halfway - started))
    return median(ours), median(others)


def _redis_merge(parts: Sequence[Numbers], redis: Redis) -> tuple[float, int]:
    keys = [b"part%d" % at for at in range(len(parts))]
    for key, part in zip(keys, parts, strict=True):
        redis.ask(_requests(key, [number.tobytes() for number in part]))
    started = redis.cpu_s()
    told = redis.ask([request(b"PFCOUNT", *keys)] * ROUNDS)
    return 1_000 * (redis.cpu_s() - started) / ROUNDS, told[0]


def _count(sketches: Sequence[Uniques], lg_k: int) -> float:
    return estimate(merged(sketches, lg_k=lg_k)).count


def _group_rows(chance: np.random.Generator) -> list[Row]:
    """Count visitors per asset, as the counting process does in an open window."""
    hits = BATCHES * BATCH * 4
    assets = (chance.zipf(1.2, hits) % ASSETS).astype(np.int64)
    visitors = chance.integers(0, 500_000, hits).astype(np.uint64)
    ours, theirs = _rates_of_groups(assets, visitors)
    return [
        row(f"hits with uniques per asset, {ASSETS:,} assets", ours, "per CPU second"),
        row("the same by a DataSketches sketch for each asset", theirs, "per CPU second"),
        row("uniques per asset, against a DataSketches sketch for each", ours / theirs, "ratio"),
    ]


def _rates_of_groups(assets: NDArray[np.int64], visitors: Numbers) -> tuple[float, float]:
    ours: list[float] = []
    for _ in range(ROUNDS):
        started = process_time()
        gathering = Gathering()
        for at in range(0, len(assets), BATCH):
            gathering.add_many(assets[at : at + BATCH], visitors[at : at + BATCH])
        gathering.gathered()
        ours.append(len(assets) / (process_time() - started))
    pairs = list(zip(assets.tolist(), visitors.tolist(), strict=True))
    started = process_time()
    sketches: dict[int, Any] = {}
    for asset, visitor in pairs:
        sketch = sketches.get(asset)
        if sketch is None:
            sketch = sketches[asset] = _THEIRS.hll_sketch(GROUP_LG_K, _THEIRS.HLL_8)
        sketch.update(visitor)
    return median(ours), len(pairs) / (process_time() - started)


def _byte_rows() -> list[Row]:
    rows: list[Row] = []
    for lg_k in (NAMED_LG_K, GROUP_LG_K):
        for distinct in (10, 1_000, 1_000_000):
            sketch = added(no_uniques(lg_k), coupons_of_numbers(np.arange(distinct)))
            rows.append(row(f"a sketch of {distinct:,} distinct, lgK {lg_k}", len(bytes_from_uniques(sketch)), "bytes"))
    return rows
