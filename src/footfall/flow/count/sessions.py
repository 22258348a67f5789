"""The open sessions of one shard: what beats come to as they are read, and how it is written.

What beats are credited follows from the sessions as they are stored and from the records after them alone: time passes
for a session when a record arrives, never by a clock. So whoever reads the same records again credits the same. Rows of
the watch log come after the windows, then the sessions that changed, then the head that names them, then the
checkpoint; a record that the head holds is not credited again, because all windows have it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import chain

import msgspec

from footfall.flow.count.going_on import beats_left
from footfall.flow.count.placing import Place, Placing
from footfall.flow.count.viewers import viewers_by_brand
from footfall.flow.count.watch_values import Credited, CreditTo, Session, Told, Viewed
from footfall.flow.count.watching import HALF, Watching, has_come_to_nothing, is_over, resumed
from footfall.flow.store.completions import CompletionKey, Seen, add_to_completions
from footfall.flow.store.sessions import (
    SessionsHead,
    crowded_from,
    crowded_pack,
    forget_keys,
    forget_pieces,
    load_sessions,
    packed,
    save_head,
    save_sessions,
)
from footfall.flow.store.watch_log import (
    SEEN_BYTES,
    SessionEnd,
    WatchRow,
    end_before,
    save_ends,
    save_rows,
    save_viewers,
)
from footfall.flow.stream.beats import SILENT_MS, Beats, PlayState
from footfall.ports.stream import Record
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.groups import brand_of_group, completions_name, plays_name, shows_name, watch_name
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, window_of

SESSIONS_MAX = 200_000  # of one shard; some 500 bytes each
CLEARED_SHARE = 10  # When there are so many, a tenth may go at once: those that have come to nothing.
CLEAR_EVERY_MS = 5_000  # Looking for those takes a tenth of a second, in the time of the records.
SWEEP_MS = 10_000  # Between two looks through all sessions, in the time of the records.
VIEWERS_EVERY_MS = 5_000
END_KEPT_MS = 25 * HOUR_MS  # An hour longer than a beat may be late.
DAYS_AT_HAND_MAX = 10_000
_QUARTER_MS = 900_000  # Days begin on quarters of hours, wherever they do.
_ENDED = int(PlayState.ENDED)
_NAMES: Mapping[CreditTo, Callable[[str], str]] = {
    CreditTo.WATCH: watch_name,
    CreditTo.SHOWS: shows_name,
    CreditTo.PLAYS: plays_name,
    CreditTo.COMPLETIONS: completions_name,
}

_Stored = tuple[list[Session], list[tuple[str, str]]]
_decoder = msgspec.msgpack.Decoder(_Stored)


@dataclass(slots=True)
class Taken:
    """What a record's beats come to: credits by name and place of windows, and how many beats found no room."""

    credits: Mapping[tuple[str, Place], Credited]
    crowded: int = 0


@dataclass(slots=True)
class _Unwritten:
    """What has come about since the last flush."""

    changed: dict[str, dict[str, Session]] = field(default_factory=dict[str, dict[str, Session]])  # by brand, by name
    ends: dict[tuple[str, str], SessionEnd] = field(default_factory=dict[tuple[str, str], SessionEnd])
    # Ends that are stored, of sessions that went on: who reads these records again has to find them.
    before: dict[tuple[str, str], SessionEnd] = field(default_factory=dict[tuple[str, str], SessionEnd])
    rows: list[WatchRow] = field(default_factory=list[WatchRow])
    seen: dict[CompletionKey, list[Seen]] = field(default_factory=dict[CompletionKey, list[Seen]])
    crowded: dict[int, int] = field(default_factory=dict[int, int])  # record -> beats

    @property
    def size(self) -> int:
        return sum(map(len, self.changed.values())) + len(self.ends) + len(self.rows)


class Sessions:
    """Reads and writes the sessions of one shard."""

    def __init__(  # noqa: PLR0913 - where sessions are kept, how they are placed, and for how long
        self,
        table: Table,
        shard: int,
        placing: Placing,
        clock: Clock,
        expires_at_ms: Callable[[Window], int],
        *,
        fresh_ms: int,
        sessions_max: int = SESSIONS_MAX,
    ) -> None:
        self._table = table
        self._shard = shard
        self._placing = placing
        self._clock = clock
        self._expires_at_ms = expires_at_ms
        self._fresh_ms = fresh_ms  # how long may lie between two flushes
        self._sessions_max = sessions_max
        self._days: dict[tuple[str, int], tuple[int, int]] = {}
        self._watching = Watching(self._day_of)
        self.clear()

    def clear(self) -> None:
        """Let go of everything, for what was in hand may not be what is stored."""
        self._is_loaded = False
        self._stored: SessionsHead | None = None
        self._head = SessionsHead()
        self._open: dict[str, dict[str, Session]] = {}  # by brand, by name
        self._crowded: Mapping[int, int] = {}  # of records that the head holds: how many beats found no room
        self._new = _Unwritten()
        self._watched: set[str] = set()  # brands that were told to have viewers
        self._viewers_at_ms = 0
        self._watching.take_away()
        self._watching.over.clear()

    @property
    def rows(self) -> int:
        """Return how much is in hand to be written, in rows of hits."""
        return self._new.size

    def taken(self, record: Record, beats: Beats) -> Taken:
        """Take a record's beats in and return what they come to."""
        if not self._is_loaded:
            self._load()
        if record.sequence <= self._head.through:
            return Taken({}, self._crowded.get(record.sequence, 0))  # The windows have all of it.
        self._head.through = record.sequence
        now_ms = record.arrived_at_ms
        if not 0 <= now_ms - self._head.swept_at_ms < SWEEP_MS:
            self._head.swept_at_ms = now_ms
            self._sweep(now_ms, record.sequence)
        crowded = self._take_all(brand_of_group(record.group), beats, record)
        if crowded:
            self._new.crowded[record.sequence] = crowded
        credits = self._placed(now_ms)
        for told in self._watching.over:
            self._tell(told, by=record.sequence)
        self._watching.over.clear()
        return Taken(credits, crowded)

    def write(self) -> None:
        """Write what beats have come to since the last flush: rows first, the head last."""
        if not self._is_loaded or self._head.through <= (self._stored.through if self._stored else 0):
            return
        table, shard, before, new = self._table, self._shard, self._stored, self._new
        save_rows(table, [(row, self._day_expires_at_ms(row.day_ms)) for row in new.rows])
        through = self._head.through
        add_to_completions(table, shard, new.seen, through=through, expires_at_ms=self._day_expires_at_ms)
        save_ends(table, new.ends.values(), expires_at_ms=self._clock.now_ms() + END_KEPT_MS)
        self._write_viewers()
        head = replace(self._head, crowded=crowded_pack(new.crowded))
        if before is None or before.wants_snapshot:
            after = save_sessions(table, shard, head, packed(list(self._each()), []), whole=True)
        else:
            changed = [session for some in new.changed.values() for session in some.values()]
            gone = [key for key in new.ends if key[1] not in self._open.get(key[0], ())]
            after = save_sessions(table, shard, head, packed(changed, gone), whole=False)
        save_head(table, shard, after, replaces=None if before is None else before.through)
        if before is not None and before.wants_snapshot:
            forget_pieces(table, shard, before)
        self._stored, self._head, self._crowded, self._new = after, replace(after), new.crowded, _Unwritten()

    def _load(self) -> None:
        stored = load_sessions(self._table, self._shard)
        self._stored = stored.head
        self._head = SessionsHead() if stored.head is None else replace(stored.head)
        self._crowded = crowded_from(self._head.crowded)
        for pack in stored.packs:
            sessions, gone = _decoder.decode(pack)
            for session in sessions:
                self._open.setdefault(session.brand, {})[session.name] = session
            for brand, name in gone:
                self._open.get(brand, {}).pop(name, None)
        self._head.open = sum(map(len, self._open.values()))
        forget_keys(self._table, stored.orphans)
        self._is_loaded = True

    def _each(self) -> Iterator[Session]:
        return chain.from_iterable(some.values() for some in self._open.values())

    def _take_all(self, brand: str, beats: Beats, record: Record) -> int:
        """Take in the beats of a record; return how many found no room."""
        opened, changed = self._open.setdefault(brand, {}), self._new.changed.setdefault(brand, {})
        take, settle, crowded = self._watching.take, self._watching.settle, 0
        left = beats_left(
            brand, beats, record.arrived_at_ms, opened=opened, changed=changed, watched=self._watching.watched
        )
        for name, beat in left:
            session = opened.get(name) or self._opened(brand, name, record)
            if session is None:
                crowded += 1
                continue
            changed[name] = session
            base = session.base
            if base is not None and beat.number == base.number + 1 and not session.ahead:
                settle(session, beat)
            else:
                take(session, beat)
            if beat.state == _ENDED and is_over(session):
                self._end(session, record.sequence)
        return crowded

    def _opened(self, brand: str, name: str, record: Record) -> Session | None:
        """Return a session that is new, or goes on after its end; None when there is no room."""
        if self._head.open >= self._sessions_max and not self._makes_room(record):
            return None
        key = (brand, name)
        end = self._new.ends.get(key)
        if end is None:
            end = end_before(self._table, brand, name, record=record.sequence)
            if end is not None:
                self._new.before[key] = replace(end, before=None)
        if end is None:
            session = Session(brand, name, ahead={})
        else:
            viewed = [Viewed(*one) for one in end.viewed]
            session = resumed(brand, name, number=end.number, high_ms=end.high_ms, viewed=viewed, begun=end.begun)
        self._open[brand][name] = session
        self._head.open += 1
        return session

    def _makes_room(self, record: Record) -> bool:
        """End sessions that have come to nothing, longest silent first; return whether there is room now.

        Whoever has the key that stands in pages can invent sessions. They shall not keep out those that are watched.
        """
        now_ms = record.arrived_at_ms
        if 0 <= now_ms - self._head.cleared_at_ms < CLEAR_EVERY_MS:
            return False
        self._head.cleared_at_ms = now_ms
        slight = ((one.last_heard_ms, one.brand, one.name) for one in self._each() if has_come_to_nothing(one))
        for _, brand, name in nsmallest(max(1, self._sessions_max // CLEARED_SHARE), slight):
            self._end(self._open[brand][name], record.sequence)
        return self._head.open < self._sessions_max

    def _sweep(self, now_ms: int, sequence: int) -> None:
        """Settle what has waited for too long, and close days and sessions that are over."""
        silent_since_ms, watching = now_ms - SILENT_MS, self._watching
        for session in list(self._each()):
            if session.last_heard_ms <= silent_since_ms:
                self._end(session, sequence)
                continue
            has_waited = bool(session.ahead) and watching.pass_time(session, now_ms)
            if watching.pass_day(session) or has_waited:
                self._new.changed.setdefault(session.brand, {})[session.name] = session
            if has_waited and is_over(session):
                self._end(session, sequence)

    def _end(self, session: Session, sequence: int) -> None:
        self._watching.end(session)
        brand, name = session.brand, session.name
        del self._open[brand][name]
        self._head.open -= 1
        self._new.changed.get(brand, {}).pop(name, None)
        assert session.base is not None  # It was heard of, and nothing of it waits.
        viewed = [(one.asset, one.day_ms, one.seen_low, one.seen_high) for one in session.viewed]
        self._new.ends[brand, name] = SessionEnd(
            *(brand, name, session.base.number, sequence, session.highest_ms, viewed),
            before=self._new.before.get((brand, name)),
            begun=session.begun,
        )

    def _placed(self, arrived_at_ms: int) -> Mapping[tuple[str, Place], Credited]:
        """Return credits by the minutes that they lie in."""
        found: dict[tuple[str, Place], Credited] = {}
        for (brand, start_ms, to), one in self._watching.take_away().items():
            name = _NAMES[to](brand)
            place = name, self._placing.place(name, start_ms, arrived_at_ms=arrived_at_ms)
            if place in found:
                found[place].take(one)
            else:
                found[place] = one
        return found

    def _tell(self, told: Told, *, by: int) -> None:
        """Take note of a stretch that is over: a row of the log, and what its viewing has seen."""
        row = _row_of(told, self._shard)
        self._new.rows.append(row)
        seen = self._new.seen
        seen.setdefault((row.brand, row.asset, row.day_ms), []).append(Seen(by, row.ms))
        bits = told.new_low | told.new_high << HALF
        if bits:
            part = Seen(by, 0, int(told.is_first), bits)
            seen.setdefault((row.brand, row.asset, told.began_ms), []).append(part)

    def _day_expires_at_ms(self, day_ms: int) -> int:
        return self._expires_at_ms(Window(Grain.DAY, day_ms, day_ms + DAY_MS))

    def _day_of(self, brand: str, at_ms: int) -> tuple[int, int]:
        key = (brand, at_ms // _QUARTER_MS)
        found = self._days.get(key)
        if found is None:
            if len(self._days) >= DAYS_AT_HAND_MAX:
                self._days.clear()
            day = window_of(at_ms, Grain.DAY, self._placing.zone_of(brand))
            found = self._days[key] = (day.from_ms, day.to_ms)
        return found

    def _write_viewers(self) -> None:
        """Write how many sessions play, now and then."""
        now_ms = self._clock.now_ms()
        if 0 <= now_ms - self._viewers_at_ms < VIEWERS_EVERY_MS:
            return
        self._viewers_at_ms = now_ms
        found = viewers_by_brand(self._each(), self._watched, now_ms=now_ms, fresh_ms=self._fresh_ms)
        for brand, viewers in found.items():
            save_viewers(self._table, brand, self._shard, viewers)
        self._watched = {brand for brand, viewers in found.items() if viewers.total}


def _row_of(told: Told, shard: int) -> WatchRow:
    """Return the row of the log that a stretch has come to."""
    stretch, session = told.stretch, told.session
    asset, section, resource_type, paid_type = stretch.key
    bits = stretch.seen_low | stretch.seen_high << HALF
    return WatchRow(
        brand=session.brand, day_ms=stretch.day_ms, shard=shard, session=session.name, number=stretch.number,
        asset=asset, section=section, resource_type=resource_type, paid_type=paid_type,
        series=stretch.show[0], member=stretch.member, device=stretch.device,
        from_ms=stretch.from_ms, to_ms=stretch.to_ms, ms=stretch.ms, duration_ms=stretch.duration_ms,
        beats=stretch.beats, seen=bits.to_bytes(SEEN_BYTES, "little") if bits else b"",
    )  # fmt: skip
