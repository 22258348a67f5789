"""A small world around the whole path: senders, a front, the counting side and readers, all moved by one seed.

The code of the path is the real one on real embedded ground. Around it, clocks are wrong, acknowledgements get lost,
processes die between any two calls, and the store is busy or full.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.answering import Answering
from footfall.app.control import Replay, answer_about_aside
from footfall.app.counting import BUSY_MS, Counting, count_rules
from footfall.app.import_stretches import FINGERPRINT_BYTES, Stretches, import_rules, told_of
from footfall.app.settings import Settings
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.imported import ImportedHits
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.senders import Salts, Sender, visitor_hash
from footfall.flow.count.worker import Worker
from footfall.flow.stream.raw import RawHits, StreamRaw
from footfall.flow.stream.records import pack_from_record, record_from_pack
from footfall.flow.stream.shards import shard_of
from footfall.ports.errors import PortError
from footfall.ports.stream import Entry, Stream
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS
from tests.simulation.grounds import Flaky, Killed
from tests.simulation.oracle import LABELS, Oracle, SentHit, Wrong

BEGINNINGS_MS = (
    1_794_744_000_000,
    1_774_741_000_000,
    1_775_305_000_000,
)  # plain; Helsinki's spring; Lord Howe's autumn
ZONES = ("UTC", "Europe/Helsinki", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham")
SENDER = Sender("192.0.2.1", "reader", wants_privacy=False)
SETTLING_STEPS_MAX = 20_000
MakeWorker = Callable[[int, Stream, Flaky, "World"], Worker]


@dataclass(frozen=True, slots=True)
class Batch:
    """What a sender sends, and sends again until it hears that it has arrived."""

    hits: tuple[SentHit, ...]
    body: bytes
    is_lines: bool
    key: str


@dataclass
class Log:
    """A log that is imported, stretch by stretch."""

    brand: str
    stretches: list[tuple[SentHit, ...]] = field(default_factory=list)
    stored: int = 0


@dataclass
class World:
    """Everything there is, from one seed."""

    seed: int
    make_worker: MakeWorker | None = None
    acknowledges_early: bool = False
    forgets_marks: bool = False
    unheard: list[Batch] = field(default_factory=list)  # Their senders were not told, and will send them again.
    ids: list[SentHit] = field(default_factory=list)
    logs: dict[bytes, "Log"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.clock = SetClock(self.chance.choice(BEGINNINGS_MS) + self.chance.randrange(DAY_MS))
        self.shards = self.chance.randint(1, 3)
        zones = self.chance.sample(ZONES, 2)
        self.brands = {
            "abc": Brand("abc", zone=zones[0]),
            "xyz": Brand("xyz", zone=zones[1], unlabelled="hold", screening="filter"),
        }
        self.settings = Settings(
            brands=self.brands,
            stream_shards=self.shards,
            store_keep_rows=self.chance.choice((0, 1, 2)),
            stream_keep_days=1_000,  # What was set aside is listed for as long, and none of it may expire here.
            count_flush_ms=self.chance.choice((100, 1_000)),
        )
        self.oracle = Oracle(self.brands, self.shards)
        self.stream = SqliteStream(":memory:", clock=self.clock, shards=self.shards)
        self.raw: RawHits = StreamRaw(self.stream)
        self.store = SqliteTable(":memory:", clock=self.clock)
        self.salts = Salts(SqliteTable(":memory:", clock=self.clock), random_bytes=self.chance.randbytes)
        self.acceptance = Acceptance(Brands(self.brands, any_brand=False), self.salts, shards=self.shards)
        rate = self.chance.choice((0.0, 0.0, 0.01, 0.05))
        self.table = Flaky(self.store, self.chance, rate=0.0, is_ordered=self.chance.random() < 0.5)
        self.trouble_rate = rate
        self.counting = self._counting()
        self.answering = Answering(self.settings, self.store, clock=self.clock)

    # --- senders and the front ---------------------------------------------------------------------

    def send_something(self) -> None:
        """Have a sender send a batch: a new one, or one that it has heard nothing of."""
        if self.unheard and self.chance.random() < 0.4:
            batch = self.unheard.pop(self.chance.randrange(len(self.unheard)))
        else:
            batch = self._new_batch()
        is_appended, is_heard = self._fate()
        if is_appended or (is_heard and not self.acknowledges_early):
            self._append(batch)
        if self.acknowledges_early and not is_appended and is_heard:
            self.oracle.accept(batch.hits, now_ms=self.clock.now_ms(), key=batch.key, places={})
        if not is_heard and (batch.key or not is_appended):
            self.unheard.append(batch)

    def import_something(self) -> None:
        """Have a stretch of an old log imported: the next one of some log, or one that was imported before."""
        if not self.logs or self.chance.random() < 0.3:
            brand = self.chance.choice(("abc", "xyz"))
            self.logs[self.chance.randbytes(FINGERPRINT_BYTES)] = Log(brand)
        file = self.chance.choice(list(self.logs))
        log = self.logs[file]
        if not log.stretches or self.chance.random() < 0.7:
            log.stretches.append(tuple(self._old_hits(log.brand)))
            self._take(file, log, len(log.stretches) - 1)
        if self.chance.random() < 0.4:  # The answer was lost, or somebody imports the log again.
            self._take(file, log, self.chance.randrange(len(log.stretches)))

    def _take(self, file: bytes, log: "Log", number: int) -> None:
        hits, now_ms = log.stretches[number], self.clock.now_ms()
        rules = import_rules(self.settings, shards=self.shards)
        brand = self.brands[log.brand]
        stretches = Stretches(brand.name, rules, brand=lambda: brand, labelled=lambda _, keys: keys)
        if hits:
            visitors = [self.hash_of(log.brand, hit.visitor) for hit in hits]
            reasons = {place: hit.verdict for place, hit in enumerate(hits) if hit.verdict}
            times = [hit.at_ms or 0 for hit in hits]
            columns = ImportedHits([hit.key for hit in hits], times, visitors, screened=reasons or None)
            stretches.add(columns, now_ms=now_ms)
        closed = stretches.close(file, begins=number, ends=number + 1, now_ms=now_ms)
        entries = (
            [msgspec.structs.replace(one, mark=None) for one in closed.entries]
            if self.forgets_marks
            else closed.entries
        )
        done = self.stream.append(entries)
        if not self.forgets_marks:
            told = told_of(closed, done)
            assert (told.stored, told.again) == ((len(hits), 0) if number == log.stored else (0, len(hits)))
        if number == log.stored:
            log.stored += 1
            places = {one.shard: f"{one.shard}:{at.sequence}" for one, at in zip(entries, done, strict=True)}
            self.oracle.bring_in(hits, places=places)

    def _old_hits(self, brand: str) -> list[SentHit]:
        now_ms, chance = self.clock.now_ms(), self.chance
        back_ms = chance.choice((2 * HOUR_MS, 3 * DAY_MS, 70 * DAY_MS, 700 * DAY_MS))
        from_ms = now_ms - back_ms - chance.randrange(DAY_MS)
        return [
            replace(self._new_hit(), brand=brand, id="", at_ms=from_ms + chance.randrange(back_ms))
            for _ in range(chance.choice((0, 1, 7, 30)))
        ]

    def hash_of(self, brand: str, visitor: str) -> bytes:
        """Return what stands for a visitor whom the brand knows by an id of its own."""
        return visitor_hash(self.salts.of_brand(brand, now_ms=self.clock.now_ms()), visitor) if visitor else b""

    def poison(self) -> None:
        """Put a record into the stream that nobody can read."""
        brand, weight = self.chance.choice(["abc", "xyz"]), self.chance.randint(1, 9)
        data = self.chance.choice([b"", b"\xc1", b"\x93\x01\x02\x03", b"\x94\x63\x01\x00\x90"])
        shard = self.chance.randrange(self.shards)
        self.stream.append([Entry(shard, brand, weight, data, self.clock.now_ms())])
        self.oracle.poison(brand, weight=weight)

    def _fate(self) -> tuple[bool, bool]:
        """Return whether the front lives long enough to append, and to say so."""
        chance = self.chance.random()
        if self.acknowledges_early:
            return chance > 0.1, True
        return chance > 0.1, chance > 0.25

    def _append(self, batch: Batch) -> None:
        now_ms = self.clock.now_ms()
        parsed = parse_hits(batch.body, lines=batch.is_lines, hits_max=1_000)
        assert parsed.refused == [], parsed.refused
        is_batch = len(batch.hits) > 1
        request = Request(now_ms, SENDER, is_batch=is_batch, idempotency_key=batch.key, body=batch.body)
        entries = screened_entries(self.acceptance.entries(parsed, request), batch.hits, shards=self.shards)
        done = self.stream.append(entries)
        assert not any(one.is_refused for one in done)
        places = {
            (entry.group, entry.shard): f"{entry.shard}:{one.sequence}"
            for entry, one in zip(entries, done, strict=True)
        }
        self.oracle.accept(batch.hits, now_ms=now_ms, key=batch.key, places=places)

    def _new_batch(self) -> Batch:
        hits = tuple(self._new_hit() for _ in range(self.chance.choice((1, 1, 2, 5, 12, 40))))
        if len(hits) == 1 and not hits[0].visitor:
            hits = (replace(hits[0], visitor="alone"),)  # Or the sender would be taken for the visitor.
        objects = [_object_of(hit, self.chance) for hit in hits]
        form = self.chance.choice(("array", "lines"))
        if len(objects) == 1 and self.chance.random() < 0.5:
            body = json.dumps(objects[0])
        else:
            body = json.dumps(objects) if form == "array" else "\n".join(json.dumps(one) for one in objects)
        key = self.chance.randbytes(4).hex() if self.chance.random() < 0.5 else ""
        return Batch(hits, body.encode(), form == "lines", key)

    def _new_hit(self) -> SentHit:
        chance = self.chance
        if self.ids and chance.random() < 0.15:
            return chance.choice(self.ids)
        number = min(int(chance.paretovariate(0.5)), 40)
        asset = str(number) if number % 3 else f"/story/{number}"
        # An asset mostly has its own labels, and now and then others.
        labels = chance if chance.random() < 0.1 else random.Random(number)
        section, resource_type = labels.choice(("12", "12", "563", "a,b", "")), labels.choice(("article", "video", ""))
        paid_type = labels.choice(("free", "free", "paid"))
        id_ = chance.randbytes(3).hex() if chance.random() < 0.3 else ""
        brand = chance.choice(("abc", "abc", "xyz"))
        visitor = "" if chance.random() < 0.2 else str(int(chance.paretovariate(0.3)) % 100_000)
        verdict = chance.choice(tuple(LABELS)) if chance.random() < 0.15 else ""
        hit = SentHit(brand, asset, section, resource_type, paid_type, self._event_time(), id_, visitor, verdict)
        if id_:
            self.ids.append(hit)
        return hit

    def _event_time(self) -> int | None:
        """Return a time that a sender's clock shows: none, about now, some hours ago, or wildly wrong."""
        now_ms, chance = self.clock.now_ms(), self.chance
        match chance.choice("nnnnaaahhddwe"):
            case "n":
                return None
            case "a":
                return now_ms + chance.randint(-10 * MINUTE_MS, 6 * MINUTE_MS)
            case "h":
                return now_ms - chance.randrange(3 * HOUR_MS)
            case "d":
                return now_ms - chance.randrange(26 * HOUR_MS)
            case "w":
                return now_ms + chance.randint(-400 * DAY_MS, 400 * DAY_MS)
            case _:  # Just inside a limit, or just outside.
                edge = chance.choice((now_ms - DAY_MS, now_ms + 5 * MINUTE_MS))
                return edge + chance.choice((-1, 0, 1))

    # --- the counting side -------------------------------------------------------------------------

    def count_a_little(self) -> None:
        """Let the counting side take some steps, in the middle of which it may be killed."""
        self.table.rate = self.trouble_rate
        if self.chance.random() < 0.5:
            self.table.calls_left = self.chance.randint(1, 150)
        try:
            for _ in range(self.chance.randint(1, 12)):
                self._step()
                self.clock.advance(self.chance.choice((0, 0, 20, 300)))
        except Killed:
            self.table.calls_left = None
            self.table.rate = 0.0
            self.counting = self._counting()
        self.table.calls_left = None
        self.table.rate = 0.0

    def settle(self) -> None:
        """Let the counting side come to rest without trouble, and readers hear of it."""
        self.clock.advance(2_000)
        self.counting.drain()
        self.clock.advance(BUSY_MS)  # Windows whose hits have just come are built when no more of them follow.
        for _ in range(SETTLING_STEPS_MAX):
            if not self._step():
                break
        else:
            raise AssertionError(f"still busy after {SETTLING_STEPS_MAX} steps")
        self.answering.refresh()

    def refresh(self) -> None:
        """Let readers look, or start anew."""
        if self.chance.random() < 0.2:
            self.answering = Answering(self.settings, self.store, clock=self.clock)
        self.answering.refresh()
        self.answering.answer(f"brand={self.chance.choice(('abc', 'xyz'))}")

    def replay(self) -> None:
        """Have set-aside hits counted after all, one record or all of them, perhaps twice."""
        brand, kind = self.chance.choice(("abc", "xyz")), self.chance.choice(("late", "future", "unlabelled"))
        now_ms = self.clock.now_ms()
        places = self.oracle.replayable(brand, kind, now_ms=now_ms)
        if not places:
            return
        request: dict[str, object] = {"do": "side-replay", "brand": brand, "kind": kind, "all": True}
        if self.chance.random() < 0.5:
            places = [self.chance.choice(places)]
            request |= {"all": False, "position": places[0]}
        try:
            answered = answer_about_aside(self.store, self.raw, request, clock=self.clock)
        except Refused as error:
            raise Wrong(f"{request} was refused: {error}") from error
        assert isinstance(answered, Replay)
        entries = answered.entries
        if len(entries) != len(places):
            raise Wrong(f"{len(entries)} records can be replayed, not {len(places)}")
        for _ in range(self.chance.choice((1, 1, 2))):
            self.stream.append(entries)
        for place in places:
            self.oracle.replay(brand, kind, place)

    def _step(self) -> bool:
        try:
            return self.counting.step()
        except PortError:
            return True  # The process says so in its log, and tries again.

    def _counting(self) -> Counting:
        counting = Counting(self.settings, self.stream, self.table, clock=self.clock)
        if self.make_worker is not None:
            counting.workers[:] = [
                self.make_worker(shard, self.stream, self.table, self) for shard in range(self.shards)
            ]
        return counting


def screened_entries(entries: Sequence[Entry], hits: Sequence[SentHit], *, shards: int) -> list[Entry]:
    """Return entries with the verdicts that a door would have frozen in them, but on what is late or of the future."""
    screened: list[Entry] = []
    for entry in entries:
        sent = [
            hit
            for hit in hits
            if (hit.brand, shard_of(hit.brand, hit.asset, shards=shards)) == (entry.group, entry.shard)
        ]
        pack = pack_from_record(entry.data)
        assert pack.keys == [hit.key for hit in sent]
        before = pack.screened or {}
        found = {place: hit.verdict for place, hit in enumerate(sent) if hit.verdict}
        verdicts = before | {place: one for place, one in found.items() if before.get(place) not in ("late", "future")}
        pack = msgspec.structs.replace(pack, screened=verdicts or None)
        screened.append(msgspec.structs.replace(entry, data=record_from_pack(pack)))
    return screened


def worker_of(kind: type[Worker]) -> MakeWorker:
    """Return a maker of workers of a kind."""

    def make(shard: int, stream: Stream, table: Flaky, world: World) -> Worker:
        how, zone_of = count_rules(world.settings), wiring.zone_of(world.settings)
        return kind(shard, stream, table, clock=world.clock, how=how, zone_of=zone_of)

    return make


def _object_of(hit: SentHit, chance: random.Random) -> dict[str, object]:
    """Return a hit as JSON has it; an empty label may be left out, and a number may be one."""
    sent: dict[str, object] = {"brand": hit.brand, "assetId": hit.asset}
    if hit.asset.isdigit() and chance.random() < 0.5:
        sent["assetId"] = int(hit.asset)
    labels: Sequence[tuple[str, str]] = (
        ("sectionId", hit.section),
        ("resourceType", hit.resource_type),
        ("paidType", hit.paid_type),
        ("id", hit.id),
        ("visitor", hit.visitor),
    )
    sent |= {name: text for name, text in labels if text or chance.random() < 0.2}
    if hit.at_ms is not None:
        sent["at"] = hit.at_ms
    return sent
