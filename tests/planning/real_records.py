"""Hits as browsers and servers send them, through the real door, to what Kinesis and the archive hold of them."""

from collections.abc import Iterator
from random import Random

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.aws.kinesis_places import RawRecord
from footfall.adapters.aws.kinesis_records import PRODUCER_BYTES, data_from_entries, header_from_data, records_from_data
from footfall.adapters.aws.kinesis_shards import partition_key_of
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.stream.archive import Archive
from footfall.ports.stream import Record
from footfall.values.clock import SetClock

NOW_MS = 1_794_700_000_000
BRAND = "abc"
REFERRERS = ("https://www.search.example/", "https://social.example/feed", "https://news.example/", "")
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"


class PutsOnly:
    """Blobs that count bytes."""

    def __init__(self) -> None:
        self.put_bytes = self.puts = 0

    def put(self, name: str, data: bytes) -> None:
        assert name
        self.puts += 1
        self.put_bytes += len(data)


def raw_records(hits: int, *, batch: int, ids: bool, per_s: float, shards: int = 1) -> Iterator[RawRecord]:
    """Yield Kinesis records of requests with so many hits each, with address, referrer, time and visitor."""
    clock = SetClock(NOW_MS)
    salts = Salts(SqliteTable(":memory:", clock=clock), random_bytes=lambda size: bytes(size))
    acceptance = Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=shards)
    chance = Random(11)
    producer = chance.randbytes(PRODUCER_BYTES)
    for number in range(1, hits // batch + 1):
        at_ms = NOW_MS + int(number * batch / per_s * 1_000)
        body = b"[" + b",".join(_hit(chance, at_ms, ids=ids) for _ in range(batch)) + b"]"
        sender = Sender(f"192.0.2.{chance.randrange(256)}", AGENT, wants_privacy=False)
        entries = acceptance.entries(parse_hits(body, lines=False, hits_max=batch), Request(at_ms, sender, True))
        for shard in sorted({entry.shard for entry in entries}):
            of_shard = [entry for entry in entries if entry.shard == shard]
            data = data_from_entries(of_shard, shards=shards, producer=producer, number=number)
            yield RawRecord("shardId-000000000000", number, partition_key_of(shard), data, at_ms)


def archived_bytes(raws: list[RawRecord]) -> int:
    """Return what the archive holds of records that are flushed together."""
    blobs, records, sequence = PutsOnly(), list[Record](), 0
    for raw in raws:
        found = records_from_data(header_from_data(raw.data), raw.data, after=sequence, arrived_at_ms=raw.arrived_at_ms)
        sequence += len(found)
        records += found
    Archive(blobs).keep(0, records)  # pyright: ignore[reportArgumentType] - it only puts
    return blobs.put_bytes


def _hit(chance: Random, at_ms: int, *, ids: bool) -> bytes:
    asset = 132_000_000 + int(10_000 ** chance.random())
    own = f',"id":"{chance.randbytes(12).hex()}"' if ids else ""
    return (
        f'{{"brand":"{BRAND}","assetId":{asset},"sectionId":{500 + asset % 50},"resourceType":"article",'
        f'"paidType":"free","url":"https://news.example/story/{asset}","referrer":"{chance.choice(REFERRERS)}",'
        f'"at":{at_ms - chance.randrange(2_000)},"visitor":"{chance.randbytes(8).hex()}"{own}}}'
    ).encode()
