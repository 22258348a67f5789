"""The front's side of a log import: a talk over the control socket, which gives way to whoever sends hits meanwhile.

The stream has one writer, and one order in which it is counted. So an import has one stretch at the writer and one
behind it, waits for its turn while others have much to write, and waits as well when too much of it is stored and not
yet counted: otherwise the hits of this moment would stand in line behind those of years.
"""

import asyncio
import contextlib
import struct
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from footfall.accounts.brands import Brand, UnknownBrand
from footfall.app import wiring
from footfall.app.import_stretches import Closed, Stretches, Told, import_rules, mark_name, told_of
from footfall.app.link import Message, framed
from footfall.flow.collect.import_salts import ImportSalts, run_of_days
from footfall.flow.collect.imported import ImportedHits
from footfall.flow.store.checkpoints import Checkpoint, load_checkpoint
from footfall.ports.errors import PortError
from footfall.ports.stream import Appended
from footfall.shells.http.state import FrontState
from footfall.values.errors import FootfallError

MESSAGE_BYTES_MAX = 8_000_000  # 500 hits of the largest kind have less than three.
UNCOUNTED_HITS_MAX = 100_000  # Counting takes them in within a second.
OTHERS_BYTES_MAX = 262_144  # With more than this before it an import waits for its turn,
STORING_MAX = 2  # stretches: one that is being written, one that the writer finds when it comes back
TURN_S_MAX = 0.5  # but no longer than this: it gives way and does not stand still.
LOOK_S = 0.02
STOPPING = "the server is stopping; when it runs again, the same import goes on where it was"

_LENGTH = struct.Struct("<I")
_hits_decoder = msgspec.msgpack.Decoder(ImportedHits)
_T = TypeVar("_T")


class ImportEnded(FootfallError):
    """An import cannot go on."""


class Imports:
    """All imports that go on at this moment."""

    def __init__(self, state: FrontState) -> None:
        self._state = state
        self._salts = SaltThread(lambda: wiring.open_salt_table(state.settings, state.clock))
        self._going_on: list[_Talk] = []

    async def talk(self, brand: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk to one import until it is gone; raise Refused when there is no such brand."""
        one = _Talk(self._state, self._salts, brand, writer)
        self._going_on.append(one)
        try:
            await one.go_on(reader, self._finish)
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # It is gone; what it was told is on disk, and the next one goes on from there.
        except (FootfallError, msgspec.MsgspecError) as error:
            writer.write(framed(["error", str(error)]))
        finally:
            self._going_on.remove(one)

    def close(self) -> None:
        """Let go of the salts."""
        self._salts.close()

    async def _finish(self, finished: "_Talk") -> None:
        """Destroy the brand's salts, but for those that another of its imports has asked for and may ask for again."""
        finished.days.clear()
        brand = finished.brand
        needed = {day for one in self._going_on if one.brand == brand for day in one.days}
        await self._salts.ask(lambda salts: salts.forget(brand, but=needed))


class SaltThread:
    """The salts of imports, in a thread of their own: each change waits for the disk, and nobody else has to."""

    def __init__(self, opened: Callable[[], wiring.OpenTable]) -> None:
        self._open = opened
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="import-salts")
        self._table: wiring.OpenTable | None = None
        self._is_closed = False

    async def ask(self, do: Callable[[ImportSalts], _T]) -> _T:
        """Return what comes of it, once it is its turn."""
        if self._is_closed:
            raise ImportEnded(STOPPING)
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._done, do)

    def close(self) -> None:
        """Let go of the file when what was asked is done."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._close)
            self._thread.shutdown(wait=False)

    def _done(self, do: Callable[[ImportSalts], _T]) -> _T:
        if self._table is None:
            self._table = self._open()
        return do(wiring.import_salts(self._table))

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()


class _Talk:
    """One import."""

    def __init__(self, state: FrontState, salts: SaltThread, brand: str, writer: asyncio.StreamWriter) -> None:
        self.brand = state.brands.brand(brand).name
        self.days: set[int] = set()  # whose salts it may have
        self._state = state
        self._salts = salts
        self._writer = writer
        rules = import_rules(state.settings, shards=state.stream.shards)
        labelled = state.catalogue.labels.labelled
        self._stretches = Stretches(brand, rules, brand=self._brand_now, labelled=labelled)
        self._uncounted = Uncounted(state)
        self._storing: deque[asyncio.Task[None]] = deque()

    async def go_on(self, reader: asyncio.StreamReader, finish: "Callable[[_Talk], Awaitable[None]]") -> None:
        """Answer message after message."""
        self._writer.write(b'{"done": {}}\n')
        try:
            while True:
                message = await _message(reader)
                await self._answer(message)
                if message[0] == "finish":
                    await self._uncounted.wait_for_all()
                    await finish(self)
                    self._say(["finished", True])
        finally:
            for one in self._storing:
                with contextlib.suppress(FootfallError):
                    await one

    async def _answer(self, message: Message) -> None:
        now_ms = self._state.clock.now_ms()
        match message:
            case ["hits", bytes(data)]:
                self._stretches.add(_hits_decoder.decode(data), now_ms=now_ms)
                await asyncio.sleep(0)
            case ["stretch", bytes(file), int(begins), int(ends)]:
                await self._store(self._stretches.close(file, begins=begins, ends=ends, now_ms=now_ms))
            case ["position", bytes(file)]:
                await self._stored()
                self._say(["position", self._state.stream.mark(mark_name(self.brand, file))])
            case ["salts", int(day_start_ms)]:
                found = await self._salts_from(day_start_ms, now_ms=now_ms)
                self._say(["salts", [list(found), list(found.values())]])
            case ["finish"]:
                await self._stored()
            case _:
                raise ImportEnded(f"{message[0]!r} is not something that an import says; are both of one release?")

    async def _salts_from(self, day_start_ms: int, *, now_ms: int) -> dict[int, bytes]:
        days = run_of_days(day_start_ms, zone=self._brand_now().zone, now_ms=now_ms)
        self.days.update(days)  # Before they are made: an import that ends meanwhile leaves them alone.
        return await self._salts.ask(lambda salts: salts.of_days(self.brand, days, now_ms=now_ms))

    def _brand_now(self) -> Brand:
        found = self._state.brands.named(self.brand)
        if found is None:
            raise UnknownBrand("brand", f"{self.brand!r} was removed while this import went on; what it stored stays")
        return found

    async def _store(self, closed: Closed) -> None:
        """Give a stretch to the writer when those before it are on disk and its turn has come."""
        await self._stored(but=STORING_MAX - 1)
        if self._state.lane.is_draining:
            raise ImportEnded(STOPPING)
        await self._uncounted.wait(hits_max=UNCOUNTED_HITS_MAX)
        give_up_at = asyncio.get_running_loop().time() + TURN_S_MAX
        while self._state.committer.pending_bytes > OTHERS_BYTES_MAX:
            if asyncio.get_running_loop().time() >= give_up_at:
                break
            await asyncio.sleep(LOOK_S)
        done: asyncio.Future[Sequence[Appended] | PortError] = asyncio.get_running_loop().create_future()
        self._state.committer.submit(closed.entries, done.set_result)
        self._storing.append(asyncio.get_running_loop().create_task(self._tell(closed, done)))

    async def _stored(self, *, but: int = 0) -> None:
        """Wait until all stretches but the last few are on disk, and raise what kept one from it."""
        while len(self._storing) > but:
            await self._storing.popleft()

    async def _tell(self, closed: Closed, done: "asyncio.Future[Sequence[Appended] | PortError]") -> None:
        outcome = await done
        try:
            if isinstance(outcome, PortError):
                raise outcome
            told: Told = told_of(closed, outcome)
        except FootfallError as error:
            self._say(["error", str(error)])  # At once: the other side may be waiting for this and say nothing more.
            raise
        if told.stored:
            sequences = {entry.shard: one.sequence for entry, one in zip(closed.entries, outcome, strict=True)}
            self._uncounted.add(sequences, told.stored)
        self._say(["told", told])

    def _say(self, message: Message) -> None:
        self._writer.write(framed(message))


class Uncounted:
    """What an import has stored and counting has not come to yet."""

    def __init__(self, state: FrontState) -> None:
        self._state = state
        self._waiting: deque[tuple[dict[int, int], int]] = deque()  # last record by shard, and hits
        self._hits = 0

    def add(self, sequences: dict[int, int], hits: int) -> None:
        """Remember what was stored."""
        self._waiting.append((sequences, hits))
        self._hits += hits

    async def wait(self, *, hits_max: int) -> None:
        """Wait until no more than so many hits are left to be counted."""
        while self._hits > hits_max:
            self._look()
            if self._hits > hits_max:
                await asyncio.sleep(LOOK_S)

    async def wait_for_all(self) -> None:
        """Wait until all that the stream holds now is counted, also what an import stored that was broken off."""
        stream = self._state.stream
        self.add({shard: stream.tip(shard) for shard in range(stream.shards)}, 1)
        await self.wait(hits_max=0)

    def _look(self) -> None:
        found = {shard: load_checkpoint(self._state.store, shard) for shard in range(self._state.stream.shards)}
        throughs = {shard: (one or Checkpoint()).through for shard, one in found.items()}
        while self._waiting and all(throughs[shard] >= last for shard, last in self._waiting[0][0].items()):
            self._hits -= self._waiting.popleft()[1]


async def _message(reader: asyncio.StreamReader) -> Message:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if length > MESSAGE_BYTES_MAX:
        raise ImportEnded(f"a message has at most {MESSAGE_BYTES_MAX:,} bytes, this one {length:,}")
    return msgspec.msgpack.decode(await reader.readexactly(length), type=Message)
