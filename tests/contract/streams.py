"""The streams that the contract is asked of; a further adapter is one more line in STREAMS.

Those on a ground with transactions are in TRANSACTIONAL too, and are asked for more.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.adapters.embedded.seen_ids import RECENT_MAX
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.ports.stream import READ_RECORDS_MAX, Claim, Entry, Record, Stream
from footfall.values.clock import SetClock
from tests.engines.kinesis import KinesisEngine

NOON_MS = 1_794_744_000_000
ID_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Made:
    """A new stream, its clock, and a way to open it once more for reading, as another process does."""

    stream: Stream
    clock: SetClock
    open_reader: Callable[[], AbstractContextManager[Stream]]


@contextmanager
def sqlite_on_file(
    _request: pytest.FixtureRequest, folder: Path, shards: int, *, recent_ids_max: int = RECENT_MAX
) -> Generator[Made]:
    path, clock = folder / f"{uuid4()}.db", SetClock(NOON_MS)
    with closing(SqliteStream(path, clock=clock, shards=shards, id_ms=ID_MS, recent_ids_max=recent_ids_max)) as stream:
        yield Made(stream, clock, lambda: closing(SqliteStream(path, clock=clock, read_only=True)))


@contextmanager
def kinesis_on_kinesis_local(request: pytest.FixtureRequest, _folder: Path, shards: int) -> Generator[Made]:
    engine: KinesisEngine = request.getfixturevalue("kinesis")
    name, clock = engine.new_stream(kinesis_shards=2), SetClock(NOON_MS)

    def opened(*, read_only: bool) -> KinesisStream:
        return KinesisStream(
            engine.shared(), name, shards=shards, clock=clock, chance=Random(), poll_ms=0, read_only=read_only
        )

    with closing(opened(read_only=False)) as stream:
        yield Made(stream, clock, lambda: closing(opened(read_only=True)))
    engine.shared().delete_stream(StreamName=name)


MakeStream = Callable[[pytest.FixtureRequest, Path, int], AbstractContextManager[Made]]

TRANSACTIONAL: dict[str, MakeStream] = {
    "sqlite on file": sqlite_on_file,
    "sqlite on file, few ids gathered": partial(sqlite_on_file, recent_ids_max=2),
}
STREAMS: dict[str, MakeStream] = {
    **TRANSACTIONAL,
    "kinesis on kinesis-local": kinesis_on_kinesis_local,
}


def entry(data: bytes = b"x", *, shard: int = 0, group: str = "abc", weight: int = 1, at_ms: int = NOON_MS) -> Entry:
    """Return a plain entry, one hit of one brand at noon unless told otherwise."""
    return Entry(shard, group, weight, data, at_ms)


def id_of(text: str) -> bytes:
    """Return an id or a key as the stream takes it."""
    return blake2b(text.encode(), digest_size=16).digest()


def claim(key: str, body: str, part: int = 0) -> Claim:
    """Return a claim from words."""
    return Claim(id_of(key), id_of(body), part)


def everything(stream: Stream, shard: int = 0, *, limit: int = READ_RECORDS_MAX) -> list[Record]:
    """Read a shard from its start to its tip."""
    found: list[Record] = []
    while page := stream.read(shard, after=found[-1].sequence if found else 0, limit=limit):
        found.extend(page)
    return found
