"""A day of traffic through the workers as they run on AWS, on a clock that is set, over a table that counts units."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import xxhash

from bench.day import BRANDS, HOUR_S, STARTS_AT_MS, Day
from bench.unit_table import VISITORS, UnitTable
from footfall.adapters.aws.kinesis_places import Place, Producers, bytes_from_place
from footfall.adapters.aws.kinesis_records import PRODUCER_BYTES, Header
from footfall.flow.count.finishing import Finisher
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.thrift import thrifty
from footfall.flow.count.worker import CountRules, Worker
from footfall.flow.store.summaries import Summaries
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.flow.stream.shards import shard_of
from footfall.ports.stream import READ_RECORDS_MAX, Claim, Record
from footfall.values.clock import Clock, SetClock
from footfall.values.period import DEFAULT_PERIODS
from footfall.values.window import DAY_MS, MINUTE_MS

KEEP_ROWS = 500
PRODUCERS = 4  # functions that collect at the same time
BUILT = ("hours", "days")
INVOCATION_MS = 1_000  # A batch is gathered for as long as counts may be old, then it is counted; so flushes drift.
READS_AT_MS = 500  # within a second: the hits of a second have come before somebody looks


OnSecond = Callable[[int], None]


class Marks(StrEnum):
    """How senders make sure that what they send twice counts once."""

    NONE = "none"
    IDS = "an id for every hit"
    KEYS = "an Idempotency-Key for every request"


class PutsOnly:
    """Blobs that count what is put and keep nothing."""

    def __init__(self) -> None:
        self.puts = 0
        self.put_bytes = 0

    def put(self, name: str, data: bytes) -> None:
        """Count the object."""
        assert name, "objects have names"
        self.puts += 1
        self.put_bytes += len(data)


class HandedStream:
    """A stream in memory that forgets what was read; nothing fails here, so nothing is read twice."""

    sees_tip = True

    def __init__(self, shards: int, marks: Marks, *, visitors: int = 0) -> None:
        self.shards = shards
        self._marks = marks
        self._visitors = visitors
        self._chance = np.random.default_rng(7)
        self._given = 0
        self._heard = Producers()
        self._records: list[list[Record]] = [[] for _ in range(shards)]
        self._last = [0] * shards

    def hand(self, shard: int, brand: str, keys: list[HitKey], *, at_ms: int) -> None:
        """Append one record of hits that arrived at a moment."""
        self._last[shard] += 1
        data = record_from_pack(Pack(VERSION, RULES, at_ms, keys, visitors=self._drawn_visitors(len(keys))))
        ids = tuple((place, self._new_id()) for place in range(len(keys))) if self._marks is Marks.IDS else ()
        claim = Claim(self._new_id(), self._new_id()) if self._marks is Marks.KEYS else None
        record = Record(self._last[shard], brand, len(keys), data, at_ms, ids=ids, claim=claim)
        self._records[shard].append(record)
        producer = (self._last[shard] % PRODUCERS).to_bytes(PRODUCER_BYTES, "big")
        header = Header(self.shards, shard, producer, self._last[shard], 1, at_ms, {brand: len(keys)})
        self._heard.is_new(header, at_ms=at_ms)

    def _drawn_visitors(self, count: int) -> list[bytes] | None:
        if not self._visitors:
            return None
        return [xxhash.xxh3_64_digest(one.tobytes()) for one in self._chance.integers(0, self._visitors, count)]

    def place(self, shard: int, *, through: int) -> bytes:
        """Return a place as the reader on Kinesis has it."""
        assert shard < self.shards, "nobody asks for another"
        return bytes_from_place(Place(through, "shardId-000000000001", 10**55 + through, 1, self._heard.packed()))

    def resume(self, shard: int, place: bytes) -> None:
        """Begin: no worker here goes on from where another stood."""
        assert not place, f"shard {shard} goes on from {place!r}"

    def _new_id(self) -> bytes:
        self._given += 1
        return xxhash.xxh3_128_digest(self._given.to_bytes(8, "big"))

    def read(self, shard: int, *, after: int, limit: int = READ_RECORDS_MAX) -> list[Record]:
        """Return the records that follow a sequence number."""
        self._records[shard] = [record for record in self._records[shard] if record.sequence > after]
        return self._records[shard][:limit]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a day came to: units by kind of item, of which minute, and how many hits each minute had."""

    written: dict[str, int]
    by_minute: dict[int, int]  # of the day, with the first hour after it
    hits_by_minute: dict[int, int]
    puts: int  # of objects to the archive
    put_bytes: int

    @property
    def total(self) -> int:
        """All write units but those of ids and visitors."""
        return sum(self.written.values()) - self.ids - self.visitors

    @property
    def ids(self) -> int:
        """The write units of ids."""
        return self.written.get("ids", 0)

    @property
    def visitors(self) -> int:
        """The write units of visitors; those of a final day are among its finishing."""
        return self.written.get(VISITORS, 0)


class CountedDay:
    """The counting side over one day."""

    def __init__(
        self,
        day: Day,
        *,
        shards: int = 1,
        freshness_s: int = 60,
        marks: Marks = Marks.NONE,
        visitors: int = 0,
        new_table: Callable[[Clock], UnitTable] = UnitTable,
    ) -> None:
        self.day = day
        self.clock = SetClock(STARTS_AT_MS)
        self.table = new_table(self.clock)
        self.hits_by_minute: dict[int, int] = {}
        self.blobs = PutsOnly()
        self._stream = HandedStream(shards, marks, visitors=visitors)
        self._keys = day.keys()
        self._shard_of = [shard_of(day.brand_of(asset), key[0], shards=shards) for asset, key in enumerate(self._keys)]
        rules = CountRules(periods=tuple(DEFAULT_PERIODS.values()))
        how = thrifty(rules, freshness_ms=freshness_s * 1_000 + INVOCATION_MS)
        self.workers = [
            Worker(
                shard,
                self._stream,  # pyright: ignore[reportArgumentType] - workers only read
                self.table,
                clock=self.clock,
                how=how,
                zone_of=_utc,
                keeping=self._keeping(shard),
            )
            for shard in range(shards)
        ]
        self._finisher = Finisher(
            self.workers,
            self.table,
            Summaries(self.table, self.clock),
            keep_rows=KEEP_ROWS,
            lateness_ms=how.rules.lateness_ms,
            zone_of=_utc,
        )

    def run(self, on_second: OnSecond = lambda _second: None, *, after: OnSecond = lambda _second: None) -> Cost:
        """Count the day, the builds of the hour after it and the finishing of a day later; return what it cost."""
        for second in self._seconds(range(self.day.hours)):
            on_second(second)
        written, writes = self.table.units.written.copy(), self.table.units.writes.copy()
        puts = self.blobs.puts, self.blobs.put_bytes
        for second in self._seconds([self.day.hours]):
            after(second - self.day.hours * HOUR_S)
        # Of the hour after it, only what was built there is the day's, with a checkpoint and a journal's entry each.
        builds = sum(self.table.units.writes[kind] - writes[kind] for kind in BUILT)
        written |= {kind: self.table.units.written[kind] for kind in (*BUILT, VISITORS)}
        written["checkpoints"] += builds
        written["journal"] += builds
        by_minute = {minute - STARTS_AT_MS // MINUTE_MS: units for minute, units in self.table.units.by_minute.items()}
        written["finishing"] = self._finish()
        return Cost(dict(written), by_minute, self.hits_by_minute, *puts)

    def _keeping(self, shard: int) -> Keeping:
        archive = Archive(self.blobs)  # pyright: ignore[reportArgumentType] - it only puts
        return Keeping(shard, self._stream, self.table, archive, clock=self.clock)  # pyright: ignore[reportArgumentType]

    def _finish(self) -> int:
        """Finish what is final a day later; return its units."""
        self.clock.set(self.day.ends_at_ms + 2 * DAY_MS)
        for worker in self.workers:
            worker.flush(is_at_tip=True)
        flushed = sum(self.table.units.written.values())
        while self._finisher.step():
            pass
        return sum(self.table.units.written.values()) - flushed

    def _seconds(self, hours: Sequence[int] | range) -> Iterator[int]:
        for hour in hours:
            hits = self.day.hour(hour)
            bounds = np.searchsorted(hits.second, np.arange(hour * HOUR_S, (hour + 1) * HOUR_S + 1)).tolist()
            assets = hits.asset.tolist()
            for n in range(HOUR_S):
                second = hour * HOUR_S + n
                self._hand(second, assets[bounds[n] : bounds[n + 1]])
                self.clock.set(STARTS_AT_MS + second * 1_000 + READS_AT_MS)
                for worker in self.workers:
                    worker.step()
                yield second
            self.table.expire()

    def _hand(self, second: int, assets: Sequence[int]) -> None:
        packs: dict[tuple[int, int], list[HitKey]] = {}
        for asset in assets:
            packs.setdefault((self._shard_of[asset], asset // self.day.assets_per_brand), []).append(self._keys[asset])
        for (shard, brand), keys in packs.items():
            self._stream.hand(shard, BRANDS[brand], keys, at_ms=STARTS_AT_MS + second * 1_000)
        minute = second // 60
        self.hits_by_minute[minute] = self.hits_by_minute.get(minute, 0) + len(assets)


def _utc(_brand: str) -> str:
    return "UTC"


def peak_to_mean(by_minute: dict[int, int], hits_by_minute: dict[int, int], *, minutes: int) -> float:
    """Return how much the dearest few minutes of an hour cost a hit, by what the hour does; of the worst hour."""
    worst = 0.0
    last = max(hits_by_minute) + 1
    for start in range(0, last - last % 60, 60):
        hour = range(start, start + 60)
        hits = sum(hits_by_minute.get(minute, 0) for minute in hour)
        units = sum(by_minute.get(minute, 0) for minute in hour)
        if not hits or not units:
            continue
        for first in range(start, start + 60, minutes):
            few = range(first, first + minutes)
            few_hits = sum(hits_by_minute.get(minute, 0) for minute in few)
            few_units = sum(by_minute.get(minute, 0) for minute in few)
            if few_hits:
                worst = max(worst, (few_units / few_hits) / (units / hits))
    return worst
