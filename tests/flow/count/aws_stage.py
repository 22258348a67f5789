"""The stage on the other ground: the stream is only transport, raw hits are archived, nothing is written at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from random import Random

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.flow.count.keeping import Keeping
from footfall.flow.count.worker import Worker
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.raw import ArchiveRaw
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Claim, Entry, Record
from footfall.ports.table import Table
from tests.flow.count.stage import Side, Stage, key_of
from tests.simulation.grounds import TroubledBlobs, TroubledTable, passing_folder
from tests.simulation.lines import Line, LineStream


@dataclass
class AwsStage(Stage):
    """A line of records in memory, an archive in a folder, and a table whose writes stand by themselves."""

    seed: int = 1  # of which records are put twice

    def __post_init__(self) -> None:
        super().__post_init__()
        self.line = Line(shards=self.shards, clock=self.clock, chance=Random(self.seed))
        self.stream = LineStream(self.line)  # pyright: ignore[reportAttributeAccessIssue]
        self.blobs = FileBlobs(passing_folder(self))
        self.archive = Archive(self.blobs)
        self.raw = ArchiveRaw(self.archive)

    def side(self, table: Table | None = None) -> Side:
        return super().side(table or TroubledTable(self.table, is_ordered=True))

    def worker(self, shard: int, table: Table) -> Worker:
        stream = LineStream(self.line)
        assert isinstance(table, TroubledTable)
        archive = Archive(TroubledBlobs(self.blobs, table))
        keeping = Keeping(shard, stream, table, archive, clock=self.clock)
        return Worker(
            shard, stream, table, clock=self.clock, how=self.how, zone_of=lambda _: self.zone, keeping=keeping
        )

    def archived(self, brand: str = "abc", shard: int = 0) -> list[Record]:
        """Return the raw hits that are kept of a shard."""
        return list(Archive(self.blobs).records(brand, shard, from_ms=0))


def entry_with(
    stage: Stage, assets: Sequence[str], *, ids: Sequence[str] = (), claim: Claim | None = None, shard: int = 0
) -> Entry:
    """Return an entry of hits, some of them with ids, as collecting makes it."""
    now_ms = stage.clock.now_ms()
    pack = Pack(VERSION, RULES, now_ms, [key_of(asset) for asset in assets])
    named = tuple((place, id_of(id_)) for place, id_ in enumerate(ids) if id_)
    return Entry(shard, "abc", len(assets), record_from_pack(pack), now_ms, ids=named, claim=claim)


def id_of(text: str) -> bytes:
    """Return an id or a key as collecting makes it of what was sent."""
    return blake2b(text.encode(), digest_size=16).digest()
