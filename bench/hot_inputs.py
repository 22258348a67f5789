"""What hot paths are done to: the same hits at any size, as bodies, as entries of the stream and as its records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.ceiling import decode
from bench.instance import BRAND
from bench.traffic import BATCH, Mix, Traffic, batches
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance, Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.plain import JOINED_HITS_MAX, Taken
from footfall.flow.collect.plain import entries_of as joined_entries
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry, Record
from footfall.values.clock import SetClock
from footfall.values.window import MINUTE_MS

NOW_MS = 1_794_700_000_000
ASSETS = 2_000
SHARED = JOINED_HITS_MAX // BATCH  # So many bodies that are stored together share a record.
SENDER = Sender("192.0.2.1", "bench", wants_privacy=False)


@dataclass(frozen=True, slots=True)
class Step:
    """Something that can be done over and over, and of how many things it is done at once."""

    do: Callable[[], object]
    count: int


@dataclass(frozen=True, slots=True)
class HotPath:
    """A path, made ready at a size; the floor is in times of the reference at the same size."""

    what: str
    unit: str
    ready: Callable[[int], Step]
    reference: Callable[[int], Step]
    at_most: float


def plain_steps(size: int) -> Step:
    """Do what interpreters do: look up, add, store."""
    count = size * 1_000

    def loop() -> int:
        sums: dict[int, int] = {}
        for number in range(count):
            place = number & 1_023
            sums[place] = sums.get(place, 0) + number
        return len(sums)

    return Step(loop, count)


def decoded_bodies(size: int) -> Step:
    """Decode plain bodies into typed structs, as the ceiling of ingest does."""
    bodies = plain_bodies(size)
    return Step(lambda: [decode(body) for body in bodies], size * BATCH)


def new_traffic() -> Traffic:
    """Return the same hits every time."""
    return Traffic(seed=8, mix=Mix(assets=ASSETS))


def plain_bodies(size: int) -> list[bytes]:
    """Return bodies of the five counted fields."""
    return list(batches(new_traffic().lean(size * BATCH)))


def timed_bodies(size: int) -> list[bytes]:
    """Return bodies whose hits say when they were, all in the last minute."""
    traffic = new_traffic()
    places = traffic.drawn(size * BATCH).tolist()
    return list(batches(traffic.timed(places, from_ms=NOW_MS - MINUTE_MS, to_ms=NOW_MS)))


def new_acceptance() -> Acceptance:
    """Return what accepts hits of one brand."""
    salts = Salts(SqliteTable(":memory:", clock=SetClock(NOW_MS)), random_bytes=bytes)
    return Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=1)


def append_entries(size: int) -> list[Entry]:
    """Return plain batches as they go into the stream, `size` records of them."""
    return entries_of(plain_bodies(size * SHARED))


def entries_of(bodies: Sequence[bytes], *, keys: Sequence[str] = ()) -> list[Entry]:
    """Return bodies that are stored together as they go into the stream; each may have an Idempotency-Key."""
    acceptance = new_acceptance()
    taken: list[Taken] = []
    for body, key in zip(bodies, keys or [""] * len(bodies), strict=True):
        request = Request(NOW_MS, SENDER, is_batch=True, idempotency_key=key, body=body)
        taken += acceptance.taken(parse_hits(body, lines=False, hits_max=BATCH), request)
    return joined_entries(taken, keys_share=True)[0]


def records_of(entries: Sequence[Entry]) -> list[Record]:
    """Return entries as they come out of the stream."""
    return [
        Record(number, one.group, one.weight, one.data, one.arrived_at_ms)
        for number, one in enumerate(entries, start=1)
    ]


def records_of_readers(size: int, **columns: Any) -> list[Record]:
    """Return packs of hits with visitors, and with what else is given."""
    drafts = [parse_hits(body, lines=False, hits_max=BATCH).drafts[0] for body in plain_bodies(size)]
    packs = [
        Pack(VERSION, RULES, NOW_MS, list(draft.keys), visitors=_visitors(turn), **columns)
        for turn, draft in enumerate(drafts)
    ]
    return records_of([Entry(0, BRAND, BATCH, record_from_pack(pack), NOW_MS) for pack in packs])


def _visitors(turn: int) -> list[bytes]:
    numbers = range(turn * BATCH, turn * BATCH + BATCH)
    return [(number % 997 * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "little") for number in numbers]
