"""What counting referrers costs beside everything else: a million hits as the stream has them, and one question.

Sketch. A record's keys, addresses and referrers are decoded once more, 0.6 us a hit; a host is looked up in what was
met lately, 0.2 us, or told from a new address, 3 us; adding a pair up takes 0.3 us, and each pair that is new since
the last write some 2 us more. So a hit costs 1 us where readers come from few pages and 3 us where each comes from
another one, at the lowest priority; an hour's object is written every ten seconds, some 50 ms each when it is full.
"""

import random
import tempfile
from pathlib import Path
from time import process_time

from bench.plan import Plan
from bench.results import Row, row
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.referring import Referring, ReferringGround
from footfall.flow.count.referred import ReferredRules
from footfall.flow.count.timing import Rules
from footfall.flow.serve.referrers import ReferrersQuery, referrers_document
from footfall.flow.store.checkpoints import Checkpoint, save_checkpoint
from footfall.flow.store.referrers import ASSET, EVERYBODY, PAIRS_MAX, Hour, bytes_from_hour, name_of
from footfall.flow.stream.minutes import ALL
from footfall.flow.stream.raw import StreamRaw
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, HOUR_MS, Grain, walk

MILLION, HITS, RECORD_HITS, COMMIT_RECORDS = 1_000_000, 400_000, 100, 10
ASSETS, HOSTS = 5_000, 300
LOOKS = 720  # in two hours, ten seconds apart: after each, hours are written
SECONDS_MAX = {
    "from few pages": 6.0,
    "each from another page": 12.0,
    "as they come in two hours": 15.0,
}
QUESTION_MS_MAX = 1_000.0
START_MS = 1_794_744_000_000  # 2026-11-15T12:00Z


def run(plan: Plan) -> list[Row]:
    """Count hits in three ways, and ask for a day."""
    seconds = {
        "from few pages": _counted(plan, "few", is_distinct=False, looks=1),
        "each from another page": _counted(plan, "other", is_distinct=True, looks=1),
        "as they come in two hours": _counted(
            plan, "slow", is_distinct=False, looks=plan.scaled(HITS * LOOKS // MILLION)
        ),
    }
    return [
        *(
            row(f"processor time of a million hits, {way}", used, "s", at_most=SECONDS_MAX[way])
            for way, used in seconds.items()
        ),
        *_asked(),
    ]


def _counted(plan: Plan, name: str, *, is_distinct: bool, looks: int) -> float:
    """Return the processor time of a million hits, which are looked at so often as they come."""
    count = plan.scaled(HITS // RECORD_HITS)
    folder = plan.directory / name
    folder.mkdir(parents=True)
    clock = SetClock(START_MS)
    stream = SqliteStream(folder / "stream.db", clock=clock, shards=1)
    table = SqliteTable(folder / "store.db", clock=clock)
    _send(stream, count, is_distinct=is_distinct)
    ground = ReferringGround(FileBlobs(folder / "blobs"), StreamRaw(stream), table, readers=lambda: (ALL,), shards=1)
    rules = ReferredRules(Rules(), keep_ms=60 * DAY_MS, zone_of=lambda _: "UTC", sites_of=lambda _: ())
    referring = Referring(ground, rules, clock=clock)
    used = 0.0
    for look in range(1, looks + 1):
        clock.set(START_MS + 2 * HOUR_MS * look // looks)
        checkpoint = Checkpoint(number=look, through=count * look // looks, passed_ms=clock.now_ms())
        save_checkpoint(table, 0, checkpoint, replaces=look - 1 or None)
        began = process_time()
        while referring.step():
            pass
        used += process_time() - began
    began = process_time()
    referring.flush()
    return (used + process_time() - began) * MILLION / (count * RECORD_HITS)


def _send(stream: SqliteStream, count: int, *, is_distinct: bool) -> None:
    """Append records, ten at a time as a commit has them."""
    chance = random.Random(11)
    for first in range(0, count, COMMIT_RECORDS):
        numbers = range(first, min(count, first + COMMIT_RECORDS))
        records = [_record(chance, START_MS + 2 * HOUR_MS * one // count, is_distinct=is_distinct) for one in numbers]
        stream.append([Entry(0, "abc", RECORD_HITS, data, at_ms) for data, at_ms in records])


def _record(chance: random.Random, at_ms: int, *, is_distinct: bool) -> tuple[bytes, int]:
    assets = [f"story-{min(ASSETS, int(chance.paretovariate(0.7)))}" for _ in range(RECORD_HITS)]
    hosts = [f"site-{min(HOSTS, int(chance.paretovariate(0.8)))}.example" for _ in assets]
    paths = [f"{chance.getrandbits(40):x}" if is_distinct else "" for _ in assets]
    pack = Pack(
        *(VERSION, RULES, at_ms, [(asset, asset[-2:], "article", "free") for asset in assets]),
        visitors=[chance.randbytes(8) for _ in assets],
        urls=[f"https://news.example/{asset}" for asset in assets],
        referrers=[
            f"https://www.{host}/{path}" if chance.random() < 0.7 else ""
            for host, path in zip(hosts, paths, strict=True)
        ],
        agents=[1] * len(assets),
    )
    return record_from_pack(pack), at_ms


def _asked() -> list[Row]:
    """Return what one asset's day costs where every hour is full, and what such an hour takes."""
    chance, hour = random.Random(12), Hour()
    while hour.pairs < PAIRS_MAX:
        asset, host = chance.randrange(ASSETS), chance.randrange(HOSTS)
        hour.add(f"story-{asset}", str(asset % 50), f"site-{host}.example", 1)
    began = process_time()
    data = bytes_from_hour(hour)
    written = process_time() - began
    with tempfile.TemporaryDirectory() as place:
        blobs = FileBlobs(Path(place))
        hours = tuple(walk(Grain.HOUR, from_ms=START_MS, to_ms=START_MS + 25 * HOUR_MS, zone="UTC"))
        for one in hours:
            blobs.put(name_of("abc", one.from_ms), data)
        query = ReferrersQuery("abc", "story-7", None, None, hours, 20)
        assert query.group == f"{ASSET}story-7"
        began = process_time()
        told = referrers_document(blobs, query, reader=EVERYBODY)
        asked = process_time() - began
    assert told["hits"] > 0
    return [
        row("the object of a full hour", len(data), "bytes"),
        row("processor time of making it", written * 1e3, "ms"),
        row("one asset's day of full hours", asked * 1e3, "ms", at_most=QUESTION_MS_MAX),
    ]
