"""An instance's counting and answering sides on a clock that is set, over one stream and one store."""

from dataclasses import dataclass, field

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.answering import Answering
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.catalog.catalogue import Catalogue
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
STEPS_MAX = 2_000


@dataclass
class Instance:
    """All of one instance but its processes."""

    settings: Settings = field(default_factory=lambda: Settings(brands={"abc": Brand("abc")}, dev=True))
    clock: SetClock = field(default_factory=lambda: SetClock(NOON_MS))

    def __post_init__(self) -> None:
        self.stream = SqliteStream(":memory:", clock=self.clock, shards=self.settings.stream_shards)
        self.table = SqliteTable(":memory:", clock=self.clock)
        self.counting = Counting(self.settings, self.stream, self.table, clock=self.clock)
        self.catalogue = Catalogue(SqliteTable(":memory:", clock=self.clock), self.clock)
        self.answering = Answering(self.settings, self.table, clock=self.clock, catalogue=lambda: self.catalogue)

    def send(self, *assets: str, brand: str = "abc", at_ms: int | None = None) -> None:
        """Append a record of hits to the first shard."""
        now_ms = self.clock.now_ms()
        times = None if at_ms is None else [at_ms] * len(assets)
        pack = Pack(VERSION, RULES, now_ms, [(asset, "news", "article", "free") for asset in assets], at_ms=times)
        self.stream.append([Entry(0, brand, len(assets), record_from_pack(pack), now_ms)])

    def count(self) -> None:
        """Let counting do all that is due."""
        self.clock.advance(2_000)  # Chores are due.
        self.counting.drain()
        for _ in range(STEPS_MAX):
            if not self.counting.step():
                return
        raise AssertionError(f"still busy after {STEPS_MAX} steps")
