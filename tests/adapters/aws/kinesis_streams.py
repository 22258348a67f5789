"""Kinesis streams for tests, with faults on their way and pauses that take no time."""

from collections.abc import Callable
from random import Random

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.kinesis_stream import KinesisStream
from footfall.ports.stream import Entry, Record
from footfall.values.clock import SystemClock
from tests.adapters.aws.kinesis_faults import Faults
from tests.engines.kinesis import KinesisEngine

SHARDS = 4
NOON_MS = 1_794_744_000_000


def no_faults(_call: str) -> str:
    return ""


class Waits:
    """A pause that takes no time and remembers how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def opened(
    engine: KinesisEngine, name: str, *, plan: Callable[[str], str] = no_faults, attempts_max: int = 8, seed: int = 1
) -> tuple[KinesisStream, Faults]:
    client = engine.client()
    faults = Faults(client, plan)
    stream = KinesisStream(
        client,
        name,
        shards=SHARDS,
        clock=SystemClock(),
        chance=Random(seed),
        pause=Waits(),
        backoff=Backoff(attempts_max=attempts_max),
        poll_ms=0,
    )
    return stream, faults


def plain(engine: KinesisEngine, name: str, *, seed: int = 1) -> KinesisStream:
    return opened(engine, name, seed=seed)[0]


def entry(data: bytes, *, shard: int = 0, group: str = "abc", weight: int = 1) -> Entry:
    return Entry(shard, group, weight, data, NOON_MS)


def everything(stream: KinesisStream, shard: int = 0, *, limit: int = 10_000) -> list[Record]:
    found: list[Record] = []
    while page := stream.read(shard, after=found[-1].sequence if found else 0, limit=limit):
        found.extend(page)
    return found


def data_of(stream: KinesisStream) -> list[list[bytes]]:
    return [[record.data for record in everything(stream, shard)] for shard in range(SHARDS)]
