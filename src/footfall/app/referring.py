"""Counts where readers came from: raw hits are read once more, behind the counting, and added up by hour and source.

Hours are written before the note of how far they go, and each says which records it has. So an end at any moment loses
nothing, and what is read again because of it is not added again.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from footfall.flow.count.referred import HourKey, ReferredRules, ReferredTally
from footfall.flow.count.replayed import replayed_from_item
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoints
from footfall.flow.store.referrers import (
    EVERYBODY,
    PAIRS_MAX,
    Hour,
    Progress,
    brands_with_hours,
    bytes_from_hour,
    forget_hours,
    hour_from_bytes,
    keep_progress,
    load_progress,
    name_of,
    through_from_bytes,
)
from footfall.flow.stream.raw import RawHits
from footfall.ports.blobs import Blobs
from footfall.ports.errors import Corrupt
from footfall.ports.stream import Record
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, instant_text, window_of

BEGIN_MS = 9 * DAY_MS  # What came since then is counted when it first begins: a week, and the day around each end.
FLUSH_MS, FLUSH_FULL_MS = 10_000, MINUTE_MS  # between two writes of an hour that has new hits; the second: a full one
TELL_MS = MINUTE_MS  # between two notes of how far it has come, where nobody comes
LOOK_MS = 1_000  # between two looks at how far the counting has come
OVER_MS = 10 * MINUTE_MS  # after an hour's end: most hits that come a little late are in it, and it is cut
READ_RECORDS = 50  # at once: some 1 MB of usual batches
TALLY_PAIRS_MAX = 20_000  # that are added up before they are added to their hours
THROUGHS_MAX = 10_000  # hours of which it is known which records they have
HELD_PAIRS_MAX = 100_000  # of hours that are kept at hand: some 50 MB if each is of another asset

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReferringGround:
    """What it stands on."""

    blobs: Blobs
    raw: RawHits
    store: Table  # how far the counting has come, and what was counted of hits that came again
    readers: Callable[[], Iterable[str]]  # whose raw hits are read: brands, or all that lie together under one name
    shards: int


class Referring:
    """Counts what the counting has passed, a little at a time."""

    def __init__(self, ground: ReferringGround, rules: ReferredRules, *, clock: Clock) -> None:
        self._ground = ground
        self._rules = rules
        self._clock = clock
        self._hours = _Hours(ground.blobs, rules.zone_of)
        self._readings: dict[str, _Reading] = {}
        self._checkpoints: dict[int, Checkpoint] = {}
        self._looked_at_ms: int | None = None
        self._forgot_at_ms: int | None = None
        self._forgetting: Iterator[None] | None = None

    def step(self) -> bool:
        """Read some of what was counted, or write what is due; return whether there is more to do at once."""
        try:
            return self._step()
        except BaseException:
            self._begin_anew()  # What was half taken in is read again, from where it was written.
            raise

    def refresh(self) -> None:
        """Forget what is in memory if somebody else has counted since; for whoever may not be the only one."""
        if not all(one.is_noted() for one in self._readings.values()):
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._readings.clear()
        self._hours = _Hours(self._ground.blobs, self._rules.zone_of)
        self._looked_at_ms = None

    def _step(self) -> bool:
        now_ms = self._clock.now_ms()
        if self._looked_at_ms is None or not 0 <= now_ms - self._looked_at_ms < LOOK_MS:
            self._checkpoints = load_checkpoints(self._ground.store)
            self._looked_at_ms = now_ms
        is_more = False
        for name in self._ground.readers():
            reading = self._readings.get(name)
            if reading is None:
                reading = self._readings[name] = _Reading(self._ground, self._rules, self._hours, name, now_ms=now_ms)
            is_more = reading.read(self._checkpoints, now_ms) or is_more
            if reading.is_due(now_ms):
                reading.write(now_ms)
        return self._has_forgotten(now_ms) or is_more

    def flush(self) -> None:
        """Write all that is counted: the process may end."""
        try:
            for reading in self._readings.values():
                reading.write(self._clock.now_ms())
        except BaseException:
            self._begin_anew()
            raise

    def _has_forgotten(self, now_ms: int) -> bool:
        """Delete some hours whose time is over, once an hour; tell whether there may be more."""
        if self._forgetting is None:
            if self._forgot_at_ms is not None and 0 <= now_ms - self._forgot_at_ms < HOUR_MS:
                return False
            self._forgot_at_ms = now_ms
            self._forgetting = self._forget(before_ms=now_ms - self._rules.keep_ms)
        try:
            next(self._forgetting)
        except StopIteration:
            self._forgetting = None
        except BaseException:
            self._forgetting = None
            raise
        return self._forgetting is not None

    def _forget(self, *, before_ms: int) -> Iterator[None]:
        for brand in brands_with_hours(self._ground.blobs):
            yield from forget_hours(self._ground.blobs, brand, before_ms=before_ms)
            yield


class _Hours:
    """The hours that are at hand, of all brands."""

    def __init__(self, blobs: Blobs, zone_of: Callable[[str], str]) -> None:
        self._blobs = blobs
        self._zone_of = zone_of
        self._held: OrderedDict[HourKey, Hour] = OrderedDict()
        self._throughs: dict[HourKey, dict[int, int]] = {}  # of hours that are not at hand
        self.dirty: set[HourKey] = set()  # those that have hits which are not written

    def of(self, key: HourKey) -> Hour:
        """Return an hour as it stands."""
        hour = self._held.get(key)
        if hour is None:
            hour = self._held[key] = self._loaded(key)
        return hour

    def through(self, key: HourKey, shard: int) -> int:
        """Return the last record of a shard that an hour has as it is written."""
        known = self._held[key].through if key in self._held else self._throughs.get(key)
        if known is None:
            if len(self._throughs) >= THROUGHS_MAX:
                self._throughs.clear()
            data = self._blobs.get(name_of(*key))
            known = self._throughs[key] = {} if data is None else _through(data)
        return known.get(shard, 0)

    def pairs(self) -> int:
        """Return how much is at hand."""
        return sum(one.pairs for one in self._held.values())

    def dirty_pairs(self) -> int:
        """Return how much of it is to be written."""
        return sum(self._held[key].pairs for key in self.dirty)

    def write(self, key: HourKey, *, through: dict[int, int], now_ms: int) -> None:
        """Write an hour that has all records up to these in it."""
        hour = self.of(key)
        for shard, sequence in through.items():
            hour.through[shard] = max(sequence, hour.through.get(shard, 0))
        if window_of(key[1], Grain.HOUR, self._zone_of(key[0])).to_ms + OVER_MS <= now_ms:
            hour.cut()
        self._blobs.put(name_of(*key), bytes_from_hour(hour))
        self.dirty.discard(key)
        self._held.move_to_end(key)

    def let_go(self) -> None:
        """Let hours go that are written, those longest ago first, until there is room."""
        for key in [key for key in self._held if key not in self.dirty]:
            if self.pairs() <= HELD_PAIRS_MAX // 2:
                return
            self._throughs[key] = self._held.pop(key).through

    def _loaded(self, key: HourKey) -> Hour:
        data = self._blobs.get(name_of(*key))
        if data is None:
            return Hour()
        try:
            return hour_from_bytes(data)
        except Corrupt as error:
            _log.error("the referrers of %s at %s begin anew: %s", key[0], instant_text(key[1]), error)
            return Hour()


def _through(data: bytes) -> dict[int, int]:
    try:
        return through_from_bytes(data)
    except Corrupt:
        return {}  # It begins anew when it is next counted in.


class _Reading:
    """One run of raw hits, of a brand or of all that lie together."""

    def __init__(self, ground: ReferringGround, rules: ReferredRules, hours: _Hours, name: str, *, now_ms: int) -> None:
        """Go on where the last process has written, or begin some days ago."""
        self._ground = ground
        self._hours = hours
        self._name = name
        self._reader = name or EVERYBODY
        self._tally = ReferredTally(rules)
        self._dirty: set[HourKey] = set()
        self._written_at_ms = 0  # What the last process had not written is due.
        self._is_moved = False
        self._lines: dict[int, Lines | None] = {}  # of the brand, when all that was counted had been read
        kept_ms = ground.raw.kept_since_ms(name)
        self._noted = load_progress(ground.blobs, self._reader)
        progress = self._noted or Progress(max(now_ms - BEGIN_MS, kept_ms))
        if progress.until_ms and min(progress.until_ms.values()) < kept_ms:
            _log.warning("raw hits went before their referrers were counted, until %s", instant_text(kept_ms))
            progress = Progress(kept_ms, progress.through, progress.until_ms)
        self._since_ms = progress.since_ms
        self._until_ms = dict(progress.until_ms)
        self._through = dict(progress.through)
        for shard in range(ground.shards):
            from_ms = self._until_ms.get(shard, self._since_ms)
            # The archive is read from the hour that is asked for here.
            before = ground.raw.first(name, shard, arrived_at_ms=max(0, from_ms - HOUR_MS))
            self._through.setdefault(shard, before)

    def read(self, checkpoints: dict[int, Checkpoint], now_ms: int) -> bool:
        """Take in some records of each shard that were counted; tell whether there are more."""
        is_more = False
        for shard in range(self._ground.shards):
            checkpoint = checkpoints.get(shard)
            if checkpoint is not None and not self._is_at(shard, checkpoint):
                is_more = self._read_shard(shard, checkpoint) or is_more
        if self._tally.pairs >= TALLY_PAIRS_MAX:
            self._pour(now_ms)
        return is_more

    def is_noted(self) -> bool:
        """Tell whether what was written last, by anybody, is what this one has written or begun with."""
        return load_progress(self._ground.blobs, self._reader) == self._noted

    def is_due(self, now_ms: int) -> bool:
        """Tell whether something should be written."""
        since_ms = now_ms - self._written_at_ms
        if self._hours.pairs() > HELD_PAIRS_MAX:
            return True
        if not (self._dirty or self._tally.pairs):
            return not 0 <= since_ms < TELL_MS
        # The more there is to write, the less often, so that it takes the same small part of the time.
        return not 0 <= since_ms < max(FLUSH_MS, FLUSH_FULL_MS * self._hours.dirty_pairs() // PAIRS_MAX)

    def write(self, now_ms: int) -> None:
        """Write the hours that have new hits, then how far they go."""
        self._pour(now_ms)
        self._written_at_ms = now_ms
        if not self._is_moved:
            return
        for key in sorted(self._dirty):
            self._hours.write(key, through=self._through, now_ms=now_ms)
        self._noted = Progress(self._since_ms, dict(self._through), dict(self._until_ms))
        keep_progress(self._ground.blobs, self._reader, self._noted)
        self._dirty.clear()
        self._is_moved = False
        self._hours.let_go()

    def _is_at(self, shard: int, checkpoint: Checkpoint) -> bool:
        """Tell whether nothing was counted since the last look."""
        return checkpoint.through <= self._through[shard] and checkpoint.passed_ms <= self._until_ms.get(shard, 0)

    def _read_shard(self, shard: int, checkpoint: Checkpoint) -> bool:
        """Take in some records of a shard; tell whether there may be more that were counted."""
        self._is_moved = True
        records = self._new_records(shard, checkpoint)
        counted = [one for one in records if one.sequence <= checkpoint.through]
        for record in counted:
            if record.arrived_at_ms >= self._since_ms:
                self._take(shard, record)
        if counted and len(counted) == len(records):
            self._through[shard] = counted[-1].sequence
            self._until_ms[shard] = max(self._until_ms.get(shard, 0), counted[-1].arrived_at_ms)
            return True
        self._through[shard] = max(self._through[shard], checkpoint.through)
        self._until_ms[shard] = max(self._until_ms.get(shard, 0), checkpoint.passed_ms)
        self._lines[shard] = checkpoint.lines.get(self._name)
        return False

    def _new_records(self, shard: int, checkpoint: Checkpoint) -> list[Record]:
        """Return some records that follow; none only when there is none that was counted."""
        after = self._through[shard]
        if checkpoint.through <= after:
            return []
        if self._name and shard in self._lines and self._lines[shard] == checkpoint.lines.get(self._name):
            return []  # The ledger of the brand's hits is as it was: all that was counted is of others.
        raw = self._ground.raw
        # A list of objects may be older than the checkpoint the first time, when another shard had it made.
        return raw.read(self._name, shard, after=after, limit=READ_RECORDS) or raw.read(
            self._name, shard, after=after, limit=READ_RECORDS
        )

    def _take(self, shard: int, record: Record) -> None:
        def has(key: HourKey, sequence: int) -> bool:
            return sequence <= self._hours.through(key, shard)

        def counted_again(record: Record, replays: tuple[int, str]) -> Collection[int] | None:
            sequence, line = replays
            item = self._ground.store.get(keys.replayed(record.group, line, shard=shard, sequence=sequence))
            replayed = replayed_from_item(item)
            if replayed.whole_by == record.sequence:
                return None
            return replayed.parts.get(record.sequence, ())

        self._tally.add(record, has=has, counted_again=counted_again)

    def _pour(self, now_ms: int) -> None:
        """Add what was read to its hours; where there is no room for all of them, they are written one by one."""
        for key in self._tally.poured(self._hours.of):
            self._dirty.add(key)
            self._hours.dirty.add(key)
            if self._hours.pairs() > HELD_PAIRS_MAX:
                self._hours.write(key, through=self._through, now_ms=now_ms)
                self._dirty.discard(key)
                self._hours.let_go()
