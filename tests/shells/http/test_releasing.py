"""The thread that releases held hits: it finds them by itself, and goes on when the disk would not take them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.catalog.asset import Asset
from footfall.flow.store.checkpoints import Lines, load_checkpoint
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.errors import NoSpace
from footfall.ports.stream import Appended, Entry
from footfall.shells.http.commits import Committer
from footfall.shells.http.releasing import Releasing
from footfall.values.clock import SetClock

NOW_MS = 1_794_744_000_000


class FullAtFirst(SqliteStream):
    """A stream whose disk is full for the first appends."""

    fails = 0

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        if self.fails > 0:
            self.fails -= 1
            raise NoSpace("the disk is full; make room")
        return super().append(entries)


@dataclass
class Newsroom:
    """An instance's files, and whoever writes them."""

    settings: Settings
    clock: SetClock
    stream: FullAtFirst
    counting: Counting

    def hold(self, *assets: str) -> None:
        keys = [(asset, "", "", "") for asset in assets]
        pack = Pack(VERSION, RULES, NOW_MS, keys, screened=dict.fromkeys(range(len(keys)), "unlabelled"))
        self.stream.append([Entry(0, "abc", len(keys), record_from_pack(pack), NOW_MS)])
        self.counting.drain()

    def put(self, *assets: str) -> None:
        catalogue = wiring.open_catalogue(self.settings, self.clock)
        catalogue.put("abc", [Asset(asset, resource_type="article") for asset in assets])

    def lines(self) -> Lines:
        self.counting.drain()
        store = wiring.open_store(self.settings, self.clock, read_only=True)
        checkpoint = load_checkpoint(store, 0)
        store.close()
        return Lines() if checkpoint is None else checkpoint.lines["abc"]


@pytest.fixture
def room(tmp_path: Path) -> Newsroom:
    settings, clock = Settings(data_dir=str(tmp_path)), SetClock(NOW_MS)
    wiring.open_catalog_table(settings, clock).close()
    stream = FullAtFirst(tmp_path / wiring.STREAM_FILE, clock=clock, shards=1)
    return Newsroom(
        settings, clock, stream, Counting(settings, stream, wiring.open_store(settings, clock), clock=clock)
    )


def released(room: Newsroom, act: Callable[[Releasing], Awaitable[None]]) -> Lines:
    """Let the thread run until all that was held is counted or nothing more is to come."""

    async def run() -> Lines:
        reading = SqliteStream(Path(room.settings.data_dir) / wiring.STREAM_FILE, clock=room.clock, read_only=True)
        committer = Committer(lambda: room.stream, chores=lambda *_: None)
        await committer.start()
        releasing = Releasing(room.settings, committer, clock=room.clock, brand_names=lambda: ["abc"], look_s=0.02)
        releasing.start()
        await act(releasing)
        async with asyncio.timeout(10):
            while reading.tip(0) < 2:
                await asyncio.sleep(0.01)
        await releasing.stop()
        reading.close()
        lines = room.lines()
        await committer.stop()
        return lines

    return asyncio.run(run())


def test_what_was_put_before_the_start_is_released_at_the_start(room: Newsroom) -> None:
    room.hold("1", "2")
    room.put("1")

    async def act(_releasing: Releasing) -> None:
        await asyncio.sleep(0)

    lines = released(room, act)
    assert (lines.counted, lines.unlabelled) == (1, 1)


def test_what_is_put_while_it_runs_is_released(room: Newsroom) -> None:
    room.hold("1", "2")

    async def act(releasing: Releasing) -> None:
        await asyncio.sleep(0.1)
        await asyncio.to_thread(room.put, "2", "1")
        releasing.wake()

    lines = released(room, act)
    assert (lines.counted, lines.unlabelled) == (2, 0)


def test_a_full_disk_keeps_held_hits_waiting_and_loses_none(room: Newsroom) -> None:
    room.hold("1", "2")
    room.put("1", "2")
    room.stream.fails = 3

    async def act(_releasing: Releasing) -> None:
        await asyncio.sleep(0)

    lines = released(room, act)
    assert room.stream.fails == 0
    assert (lines.counted, lines.unlabelled) == (2, 0)
