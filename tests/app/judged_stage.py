"""A stage for judging: a stream with half an hour of people, in whose second half a program loads one story."""

from pathlib import Path
from random import Random

from footfall.accounts.audit import Trail
from footfall.accounts.verdict_store import VerdictStore
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.judge_memory import Memories
from footfall.app.judging_steps import Finds, Ground, Judging, Pace
from footfall.flow.stream.minutes import ALL, Sources
from footfall.flow.stream.raw import StreamRaw
from footfall.flow.stream.records import RULES, VERSION, HitKey, Pack, record_from_pack
from footfall.ports.stream import Entry, Stream
from footfall.values.clock import SetClock

START_MS = 1_794_700_800_000
MINUTE_MS = 60_000
BRAND = "abc"
AGENTS = range(1, 41)


def key_of(asset: str) -> HitKey:
    return asset, "news", "article", "free"


def entry_of(pack: Pack, *, brand: str = BRAND, shard: int = 0) -> Entry:
    return Entry(shard, brand, len(pack.keys), record_from_pack(pack), pack.arrived_at_ms)


def appended(stream: Stream, pack: Pack, *, brand: str = BRAND) -> None:
    stream.append([entry_of(pack, brand=brand)])


def people_and_a_program(stream: Stream, *, start_ms: int, minutes: int = 30) -> int:
    """Append people's hits on thirty assets, from the middle on those of one agent on one story; return how many."""
    chance = Random(5)
    hits = 0
    for minute in range(minutes):
        entries: list[Entry] = []
        for second in range(0, 60, 2):
            assets = [f"asset {chance.randrange(30)}" for _ in range(8)]
            agents = [chance.choice(AGENTS) for _ in assets]
            if minute >= minutes // 2:
                assets, agents = [*assets, *["story"] * 4], [*agents, *[AGENTS[0]] * 4]
            at_ms = start_ms + minute * MINUTE_MS + second * 1_000 + chance.randrange(1_900)
            whose = [chance.randbytes(8) for _ in assets]
            keys = [key_of(asset) for asset in assets]
            pack = Pack(VERSION, RULES, at_ms, keys, visitors=whose, agents=agents)
            entries.append(entry_of(pack, shard=second // 2 % stream.shards))
            hits += len(keys)
        stream.append(entries)
    return hits


class Stage:
    """One judge after another on the same ground."""

    def __init__(self, folder: Path, *, shards: int = 1) -> None:
        self.clock = SetClock(START_MS)
        self.stream = SqliteStream(":memory:", clock=self.clock, shards=shards)
        table = SqliteTable(":memory:", clock=self.clock)
        self.store = VerdictStore(table, Trail(table, clock=self.clock), clock=self.clock)
        self.memories = Memories(FileBlobs(folder))
        self.filtering: set[str] = set()

    def judging(self, pace: Pace | None = None, *, find: Finds | None = None) -> Judging:
        raw = StreamRaw(self.stream)
        is_filtering = self.filtering.__contains__
        ground = Ground(self.memories, self.store, find or self.store.find, is_filtering=is_filtering)
        sources = Sources(raw, shards=self.stream.shards, brands=lambda: (ALL,))
        return Judging(sources, ground, clock=self.clock, pace=pace or Pace())

    def told(self, brand: str = BRAND) -> list[tuple[str, str, str, int]]:
        """Return each change of a verdict that was ever stored, in its order."""
        changes = self.store.changes(brand)
        return [(one.subject, one.cause, one.state, one.to_ms) for change in changes for one in change.verdicts]


def run(judging: Judging) -> None:
    """Let it do all that there is to do now."""
    while judging.step():
        pass
