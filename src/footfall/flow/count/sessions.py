"""The open sessions of one shard: what beats come to as they are read, and how it is written.

What beats are credited follows from the sessions as they are stored and from the records after them alone: time passes
for a session when a record arrives, never by a clock. So whoever reads the same records again credits the same. Rows of
the watch log come after the windows, then the sessions that changed, then the head that names them, then the
checkpoint; a record that the head holds is not credited again, because all windows have it.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from footfall.flow.count.placing import Place, Placing
from footfall.flow.count.watching import Beat, Session, Stretch, Watching, in_minutes, is_over, resumed
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
from footfall.flow.stream.records import HitKey
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


@dataclass(slots=True)
class Credited:
    """What beats come to at one place: milliseconds by what they are counted under, and who watched."""

    counts: Counter[HitKey] = field(default_factory=Counter[HitKey])
    keys: list[HitKey] = field(default_factory=list[HitKey])
    visitors: list[bytes] = field(default_factory=list[bytes])


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
        self._days: dict[tuple[str, int], int] = {}
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
        self._watching.credits.clear()
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
        brand, aside = brand_of_group(record.group), beats.aside or ()
        for place, name in enumerate(beats.sessions):
            if place not in aside:
                self._take(brand, name, _beat(beats, place, now_ms), record.sequence)
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

    def _take(self, brand: str, name: str, beat: Beat, sequence: int) -> None:
        key = (brand, name)
        session = self._open.get(key)
        if session is None:
            session = self._opened(key, sequence)
            if session is None:
                self._head.overflow += 1
                return
        self._changed[key] = session
        self._watching.take(session, beat)
        if beat.state == PlayState.ENDED and is_over(session):
            self._end(session, sequence)

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
        for credit in self._watching.credits:
            brand, beat = credit.session.brand, credit.beat
            names = [(watch_name(brand), beat.key)]
            if beat.series:
                names.append((shows_name(brand), (beat.series, *beat.key[1:])))
            for minute, ms in in_minutes(beat.at_ms, credit.ms):
                place = self._placing.place(names[0][0], minute, arrived_at_ms=arrived_at_ms)
                for name, key in names:
                    one = found.get((name, place))
                    if one is None:
                        one = found[name, place] = Credited()
                    one.counts[key] += ms
                    one.keys.append(key)
                    one.visitors.append(beat.visitor)
        self._watching.credits.clear()
        for session, stretch in self._watching.over:
            self._rows += _rows_of(session, stretch, self._shard)
        self._watching.over.clear()
        return found

    def _day_of(self, brand: str, at_ms: int) -> int:
        key = (brand, at_ms // _QUARTER_MS)
        found = self._days.get(key)
        if found is None:
            if len(self._days) >= DAYS_AT_HAND_MAX:
                self._days.clear()
            found = self._days[key] = window_of(at_ms, Grain.DAY, self._placing.zone_of(brand)).from_ms
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


def _beat(beats: Beats, place: int, arrived_at_ms: int) -> Beat:
    # By position, because this runs for every beat.
    return Beat(
        beats.numbers[place],
        beats.at_ms[place],
        beats.playheads_ms[place],
        beats.states[place],
        beats.keys[place],
        RATE_ONE if beats.rates is None else beats.rates[place],
        INTERVAL_MS if beats.intervals_ms is None else beats.intervals_ms[place],
        0 if beats.durations_ms is None else beats.durations_ms[place],
        arrived_at_ms,
        "" if beats.series is None else beats.series[place],
        "" if beats.members is None else beats.members[place],
        "" if beats.devices is None else beats.devices[place],
        b"" if beats.visitors is None else beats.visitors[place],
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
