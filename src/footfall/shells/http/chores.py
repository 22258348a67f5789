"""What the stream's writer does when it has nothing to write: forgetting in time, and keeping the disk bounded."""

from collections.abc import Callable

from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.app.settings import DAY_MS, Settings
from footfall.flow.store.checkpoints import load_checkpoint
from footfall.flow.stream.beats import SILENT_MS, tick_record
from footfall.ports.stream import Entry, Stream
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.groups import is_of_pings

JOIN_AFTER_MS = 60_000  # Younger blocks are still being read.
JOIN_ALL_AFTER_MS = 300_000  # Then they are joined even when they are few; until then more come beside them.
LOOK_EVERY_MS = 5_000  # So often is looked whether what was not full is full by now.
IDLE_JOINS, BUSY_JOINS = 20, 2  # A join takes some ten milliseconds.
TICK_EVERY_MS = 30_000
TICKS_FOR_MS = SILENT_MS + 2 * TICK_EVERY_MS  # Then the session of the last beat was silent for long enough.
TRIMS_PER_CHORE = 50  # Blocks forgotten at once when the bytes are too many.


class Ticks:
    """Lets time pass for players' sessions when no beat does: a session that fell silent is over some time later.

    Sessions know no clock but the arrival of records, so that counting them again gives the same. Where beats have
    come lately, a record without any is appended to each shard now and then, until the last of them must be over.
    """

    def __init__(self) -> None:
        self._ticked_at_ms = 0
        self._weights: dict[str, int] = {}
        self._heard_at_ms = 0

    def __call__(self, stream: Stream, now_ms: int) -> None:
        """Append ticks if they are due."""
        if 0 <= now_ms - self._ticked_at_ms < TICK_EVERY_MS:
            return
        self._ticked_at_ms = now_ms
        weights = {group: weight for group, weight in stream.appended().items() if is_of_pings(group)}
        if weights != self._weights:  # At a start as well: nobody knows what fell silent before.
            self._weights, self._heard_at_ms = weights, now_ms
        if weights and 0 <= now_ms - self._heard_at_ms <= TICKS_FOR_MS:
            group, data = min(weights), tick_record(now_ms)
            stream.append([Entry(shard, group, 0, data, now_ms) for shard in range(stream.shards)])


class StreamChores:
    """Keeps the stream within its time and its bytes, and never forgets what is not counted."""

    def __init__(self, settings: Settings, clock: Clock, open_store: Callable[[], Table | None]) -> None:
        self._settings = settings
        self._clock = clock
        self._open_store = open_store
        self._store: Table | None = None
        self._joined: dict[int, int] = {}
        self._looked_at_ms: dict[int, int] = {}
        self._ticks = Ticks()

    def __call__(self, stream: Stream, is_idle: bool) -> None:  # noqa: FBT001 - called by position
        """Do a little of everything, less of it while senders wait."""
        assert isinstance(stream, SqliteStream)
        if self._store is None:
            self._store = self._open_store()
            if self._store is None:
                return  # Counting has not made it yet, so nothing is counted and nothing may go.
        now_ms = self._clock.now_ms()
        for shard in range(stream.shards):
            checkpoint = load_checkpoint(self._store, shard)
            counted = checkpoint.through if checkpoint is not None else 0
            self._trim(stream, shard, counted, now_ms)
            self._join(stream, shard, counted, now_ms, joins_max=IDLE_JOINS if is_idle else BUSY_JOINS)
        self._ticks(stream, now_ms)
        stream.forget_ids()
        stream.give_back()

    def _trim(self, stream: SqliteStream, shard: int, counted: int, now_ms: int) -> None:
        old_ms = now_ms - self._settings.stream_keep_days * DAY_MS
        stream.trim(shard, through=min(counted, stream.sequence_at(shard, arrived_at_ms=old_ms)))
        for _ in range(TRIMS_PER_CHORE):
            oldest = stream.oldest_end(shard)
            if not 0 < oldest <= counted or stream.stored_bytes() <= self._settings.stream_bytes_max:
                return
            stream.trim(shard, through=oldest)

    def _join(self, stream: SqliteStream, shard: int, counted: int, now_ms: int, *, joins_max: int) -> None:
        if 0 <= now_ms - self._looked_at_ms.get(shard, 0) < LOOK_EVERY_MS:
            return
        quiet = min(counted, stream.sequence_at(shard, arrived_at_ms=now_ms - JOIN_AFTER_MS))
        leave_from_ms = now_ms - JOIN_ALL_AFTER_MS
        for _ in range(joins_max):
            after = self._joined.get(shard, 0)
            joined = stream.join_blocks(shard, after=after, through=quiet, leave_from_ms=leave_from_ms)
            if joined <= after:
                self._looked_at_ms[shard] = now_ms
                return
            self._joined[shard] = joined
