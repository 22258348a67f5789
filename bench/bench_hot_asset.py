"""Hot asset: how many hits a second of one asset one shard carries on AWS, which is where one asset can be too much.

Sketch. All hits of an asset go to one shard of ours and so to one of Kinesis', which takes 1,000,000 bytes and 1,000
records a second. A hit with all its fields packs into some 20 bytes, one with an id into 37, so bytes end at 27,000 to
49,000 hits a second; hits that come one to a request are a record each and end at 1,000. Counting has 0.58 of a core
(Lambda's share for 1,024 MB): a hit costs 1 us to tally, its share of unpacking and archiving about as much, ids a
little more. So Kinesis should run out first. What the function does beside it (S3 and DynamoDB) is waiting, some calls
for each flush, and not measured here.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from bench.instance import BRAND
from bench.plan import Plan
from bench.results import Row, row
from bench.traffic import BATCH, REFERRERS
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.aws.kinesis_fed import FedStream
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.adapters.aws.kinesis_records import PRODUCER_BYTES, data_from_entries
from footfall.adapters.aws.kinesis_shards import partition_key_of
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.stream.archive import Archive
from footfall.values.clock import SetClock
from footfall.values.window import MINUTE_MS

NOW_MS = 1_794_700_000_000
HITS = 600_000
EVENT_BYTES = 4_000_000  # Of an event's 6 MB, a quarter is base64's.
KINESIS_BYTES_PER_S = 1_000_000
KINESIS_RECORDS_PER_S = 1_000
FUNCTION_CORES = 1_024 / 1_769  # Lambda gives a core for 1,769 MB, and the template's CountMemory is 1,024.
CARRIED = 10_000  # What one asset may reach at least, by the design.


def run(plan: Plan) -> list[Row]:
    """Measure bytes and processor time a hit, with ids and without."""
    hits = plan.scaled(HITS)
    rows: list[Row] = []
    limits: list[float] = []
    for with_ids in (False, True):
        says = "with an id each" if with_ids else "without ids"
        records = _records(plan.directory / f"collect-{with_ids}", hits, with_ids=with_ids)
        byte_count = sum(len(one.data) + len(one.partition_key) for one in records) / hits
        by_kinesis = min(KINESIS_BYTES_PER_S / byte_count, KINESIS_RECORDS_PER_S * BATCH)
        counted = hits / _counting_s(plan.directory / f"count-{with_ids}", records, hits) * FUNCTION_CORES
        limits.append(min(by_kinesis, counted))
        rows += [
            row(f"batches of {BATCH}, {says}: bytes of Kinesis", byte_count, "bytes/hit"),
            row(f"batches of {BATCH}, {says}: a shard of Kinesis takes", by_kinesis, "hits/s"),
            row(f"batches of {BATCH}, {says}: the count function counts", counted, "hits/s"),
        ]
    return [
        *rows,
        row("one asset on one shard, the lowest of these", min(limits), "hits/s", at_least=CARRIED),
        row("the alarm, at 70 % of it", 0.7 * min(limits), "hits/s"),
        row("one hit to a request, each a record of its own", KINESIS_RECORDS_PER_S, "hits/s"),
    ]


def _records(directory: Path, hits: int, *, with_ids: bool) -> list[RawRecord]:
    """Return the hits of one asset as Kinesis would hand them over: a record for each batch of a sender."""
    directory.mkdir()
    clock = SetClock(NOW_MS)
    salts = Salts(SecretTable(directory / "salts.db", clock=clock), random_bytes=lambda size: bytes(size))
    acceptance = Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=1)
    chance = Random(11)
    producer = chance.randbytes(PRODUCER_BYTES)
    raws: list[RawRecord] = []
    for number in range(1, hits // BATCH + 1):
        arrived_at_ms = NOW_MS + number * 2
        body = b"[" + b",".join(_hit(chance, arrived_at_ms, with_ids=with_ids) for _ in range(BATCH)) + b"]"
        address = f"192.0.2.{chance.randrange(256)}"
        request = Request(arrived_at_ms, Sender(address, "bench", wants_privacy=False), is_batch=True)
        entries = acceptance.entries(parse_hits(body, lines=False, hits_max=BATCH), request)
        data = data_from_entries(entries, shards=1, producer=producer, number=number)
        raws.append(RawRecord("shardId-000000000000", number, partition_key_of(0), data, arrived_at_ms))
    return raws


def _hit(chance: Random, arrived_at_ms: int, *, with_ids: bool) -> bytes:
    own = f',"id":"{chance.randbytes(12).hex()}"' if with_ids else ""
    at_ms = arrived_at_ms - chance.randrange(2_000)
    return (
        f'{{"brand":"{BRAND}","assetId":132141398,"sectionId":500,"resourceType":"article","paidType":"free",'
        f'"url":"https://news.example/story/132141398","referrer":"{chance.choice(REFERRERS)}","at":{at_ms},'
        f'"visitor":"{chance.randbytes(8).hex()}"{own}}}'
    ).encode()


def _counting_s(directory: Path, records: Sequence[RawRecord], hits: int) -> float:
    """Return the processor time in which the count function's own parts count the records, a flush for each event."""
    clock = SetClock(NOW_MS + MINUTE_MS)
    stream = FedStream(shards=1)
    table = SqliteTable(":memory:", clock=clock)
    keeping = Keeping(0, stream, table, Archive(FileBlobs(directory)), clock=clock)
    worker = Worker(0, stream, table, clock=clock, how=CountRules(), zone_of=lambda _brand: "UTC", keeping=keeping)
    began_s = time.process_time()
    for event in _events(records):
        stream.feed(event)
        worker.drain()
    took_s = time.process_time() - began_s
    assert worker.checkpoint.lines[BRAND].counted == hits, "every hit is counted once"
    return took_s


def _events(records: Sequence[RawRecord]) -> list[list[RawRecord]]:
    events: list[list[RawRecord]] = [[]]
    size = 0
    for one in records:
        if size + len(one.data) > EVENT_BYTES:
            events.append([])
            size = 0
        events[-1].append(one)
        size += len(one.data)
    return events
