"""The open sessions of one shard: what beats come to as they are read, and how it is written.

What beats are credited follows from the sessions as they are stored and from the records after them alone: time passes
for a session when a record arrives, never by a clock. So whoever reads the same records again credits the same. Rows of
the watch log come after the windows, then the sessions that changed, then the head that names them, then the
checkpoint; a record that the head holds is not credited again, because all windows have it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import repeat

import msgspec

from footfall.flow.count.placing import Place, Placing
from footfall.flow.count.watching import Beat, Credited, Session, Stretch, Watching, is_over, resumed
from footfall.flow.store.sessions import (
    SessionsHead,
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
    Viewers,
    WatchRow,
    save_ends,
    save_rows,
    save_viewers,
    told_up_to,
)
from footfall.flow.stream.beats import INTERVAL_MS, RATE_ONE, SILENT_MS, Beats, PlayState
from footfall.ports.stream import Record
from footfall.ports.table import Table
from footfall.values.clock import Clock
from footfall.values.groups import brand_of_group, shows_name, watch_name
from footfall.values.window import HOUR_MS, Grain, Window, window_of

SESSIONS_MAX = 200_000  # of one shard; some 500 bytes each
SWEEP_MS = 10_000  # Between two looks through all sessions, in the time of the records.
VIEWERS_EVERY_MS = 5_000
END_KEPT_MS = 25 * HOUR_MS  # An hour longer than a beat may be late.
DAYS_AT_HAND_MAX = 10_000
_QUARTER_MS = 900_000  # Days begin on quarters of hours, wherever they do.

_Stored = tuple[list[Session], list[tuple[str, str]]]
_decoder = msgspec.msgpack.Decoder(_Stored)


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
        self._open: dict[tuple[str, str], Session] = {}
        self._changed: dict[tuple[str, str], Session] = {}
        self._gone: dict[tuple[str, str], int] = {}  # those that are over since the last flush: their last beat
        self._ends: list[SessionEnd] = []
        self._rows: list[WatchRow] = []
        self._watched: set[str] = set()  # brands that were told to have viewers
        self._viewers_at_ms = 0
        self._watching.take_away()
        self._watching.over.clear()

    @property
    def rows(self) -> int:
        """Return how much is in hand to be written, in rows of hits."""
        return len(self._changed) + len(self._gone) + len(self._rows)

    def credited(self, record: Record, beats: Beats) -> Mapping[tuple[str, Place], Credited]:
        """Take a record's beats in and return what they are credited, by name and place of windows."""
        if not self._is_loaded:
            self._load()
        if record.sequence <= self._head.through:
            return {}  # The windows have all of it.
        self._head.through = record.sequence
        now_ms = record.arrived_at_ms
        if not 0 <= now_ms - self._head.swept_at_ms < SWEEP_MS:
            self._head.swept_at_ms = now_ms
            self._sweep(now_ms, record.sequence)
        self._take_all(brand_of_group(record.group), beats, record)
        return self._placed(now_ms)

    def write(self) -> None:
        """Write what beats have come to since the last flush: rows first, the head last."""
        if not self._is_loaded or self._head.through <= (self._stored.through if self._stored else 0):
            return
        table, shard, before = self._table, self._shard, self._stored
        days = {row.day_ms: self._expires_at_ms(Window(Grain.DAY, row.day_ms, row.to_ms)) for row in self._rows}
        save_rows(table, [(row, days[row.day_ms]) for row in self._rows])
        save_ends(table, self._ends, expires_at_ms=self._clock.now_ms() + END_KEPT_MS)
        self._write_viewers()
        if before is None or before.wants_snapshot:
            after = save_sessions(table, shard, self._head, packed(list(self._open.values()), []), whole=True)
        else:
            packs = packed(list(self._changed.values()), list(self._gone))
            after = save_sessions(table, shard, self._head, packs, whole=False)
        save_head(table, shard, after, replaces=None if before is None else before.through)
        if before is not None and before.wants_snapshot:
            forget_pieces(table, shard, before)
        self._stored, self._head = after, replace(after)
        self._changed, self._gone, self._ends, self._rows = {}, {}, [], []

    def _load(self) -> None:
        stored = load_sessions(self._table, self._shard)
        self._stored = stored.head
        self._head = SessionsHead() if stored.head is None else replace(stored.head)
        for pack in stored.packs:
            sessions, gone = _decoder.decode(pack)
            for session in sessions:
                self._open[session.brand, session.name] = session
            for key in gone:
                self._open.pop(key, None)
        forget_keys(self._table, stored.orphans)
        self._is_loaded = True

    def _take_all(self, brand: str, beats: Beats, record: Record) -> None:
        aside, opened, changed = beats.aside or (), self._open, self._changed
        take, settle, ended, now_ms = (
            self._watching.take,
            self._watching.settle,
            int(PlayState.ENDED),
            record.arrived_at_ms,
        )
        for place, (name, beat) in enumerate(zip(beats.sessions, _beats(beats, record.arrived_at_ms), strict=False)):
            if aside and place in aside:
                continue
            key = (brand, name)
            session = opened.get(key)
            if session is None:
                session = self._opened(key, record.sequence)
                if session is None:
                    self._head.overflow += 1
                    continue
            changed[key] = session
            base = session.base
            if base is not None and beat.number == base.number + 1 and not session.ahead:
                session.heard_at_ms = now_ms if now_ms > session.heard_at_ms else session.heard_at_ms
                settle(session, beat)
            else:
                take(session, beat)
            if beat.state == ended and is_over(session):
                self._end(session, record.sequence)

    def _opened(self, key: tuple[str, str], sequence: int) -> Session | None:
        """Return a session that is new, or goes on after its end; None when there is no room."""
        if len(self._open) >= self._sessions_max:
            return None
        brand, name = key
        number = self._gone.pop(key, None)
        if number is None:
            number = told_up_to(self._table, brand, name, before=sequence)
        session = Session(brand, name, ahead={}) if number is None else resumed(brand, name, number=number)
        self._open[key] = session
        return session

    def _sweep(self, now_ms: int, sequence: int) -> None:
        """Settle what has waited for too long, and close sessions that were silent for too long."""
        silent_since_ms = now_ms - SILENT_MS
        for session in list(self._open.values()):
            if session.heard_at_ms <= silent_since_ms:
                self._end(session, sequence)
            elif session.ahead and self._watching.pass_time(session, now_ms):
                self._changed[session.brand, session.name] = session
                if is_over(session):
                    self._end(session, sequence)

    def _end(self, session: Session, sequence: int) -> None:
        self._watching.end(session)
        key = (session.brand, session.name)
        del self._open[key]
        self._changed.pop(key, None)
        assert session.base is not None  # It was heard of, and nothing of it waits.
        self._gone[key] = session.base.number
        self._ends.append(SessionEnd(*key, session.base.number, sequence))

    def _placed(self, arrived_at_ms: int) -> Mapping[tuple[str, Place], Credited]:
        """Return credits by the minutes that they lie in, and take note of stretches that are over."""
        found: dict[tuple[str, Place], Credited] = {}
        for (brand, start_ms, is_series), one in self._watching.take_away().items():
            name = shows_name(brand) if is_series else watch_name(brand)
            place = self._placing.place(name, start_ms, arrived_at_ms=arrived_at_ms)
            found.setdefault((name, place), Credited()).take(one)
        for session, stretch in self._watching.over:
            self._rows += _rows_of(session, stretch, self._shard)
        self._watching.over.clear()
        return found

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
        """Write how many sessions play: those whose last beat said so, no longer ago than two intervals."""
        now_ms = self._clock.now_ms()
        if 0 <= now_ms - self._viewers_at_ms < VIEWERS_EVERY_MS:
            return
        self._viewers_at_ms = now_ms
        playing: dict[str, list[Beat]] = {brand: [] for brand in self._watched}
        for session in self._open.values():
            base = session.base
            if base is None or base.state != PlayState.PLAYING:
                continue
            if now_ms - session.heard_at_ms <= 2 * base.interval_ms + self._fresh_ms:
                playing.setdefault(session.brand, []).append(base)
        for brand, beats in playing.items():
            longest_ms = max((beat.interval_ms for beat in beats), default=INTERVAL_MS)
            viewers = Viewers(
                at_ms=now_ms,
                until_ms=now_ms + 2 * longest_ms + 2 * self._fresh_ms,
                total=len(beats),
                sections=Counter(beat.key[1] for beat in beats).most_common(),
                assets=Counter(beat.key[0] for beat in beats).most_common(),
            )
            save_viewers(self._table, brand, self._shard, viewers)
        self._watched = {brand for brand, beats in playing.items() if beats}


def _beats(beats: Beats, arrived_at_ms: int) -> Iterator[Beat]:
    """Yield beats one by one; made of columns without a step of the interpreter for each field."""
    return map(
        Beat,
        beats.numbers,
        beats.at_ms,
        beats.playheads_ms,
        beats.states,
        beats.keys,
        repeat(RATE_ONE) if beats.rates is None else beats.rates,
        repeat(INTERVAL_MS) if beats.intervals_ms is None else beats.intervals_ms,
        repeat(0) if beats.durations_ms is None else beats.durations_ms,
        repeat(arrived_at_ms),
        repeat("") if beats.series is None else beats.series,
        repeat("") if beats.members is None else beats.members,
        repeat("") if beats.devices is None else beats.devices,
        repeat(b"") if beats.visitors is None else beats.visitors,
    )


def _rows_of(session: Session, stretch: Stretch, shard: int) -> list[WatchRow]:
    """Return a row for each day on which something of a stretch was watched."""
    asset, section, resource_type, paid_type = stretch.key
    bits = stretch.seen_low | stretch.seen_high << 50
    first = min(stretch.days)
    return [
        WatchRow(
            brand=session.brand, day_ms=day_ms, shard=shard, session=session.name, number=stretch.number,
            asset=asset, section=section, resource_type=resource_type, paid_type=paid_type,
            series=stretch.series, member=stretch.member, device=stretch.device,
            from_ms=stretch.from_ms, to_ms=stretch.to_ms, ms=ms, duration_ms=stretch.duration_ms,
            beats=stretch.beats if day_ms == first else 0,
            seen=bits.to_bytes(SEEN_BYTES, "little") if day_ms == first and bits else b"",
        )
        for day_ms, ms in stretch.days.items()
    ]  # fmt: skip
