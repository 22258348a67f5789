"""What a session's beats come to: milliseconds watched, and which hundredths of the asset were seen.

Pure: beats in, credits out. A beat is credited against the one with the number before it, so that the order in which
they arrive changes nothing. When that one is missing, the beat waits for it: two minutes, or until eight beats wait.
Then the hole is credited as one interval, and whatever comes for it afterwards changes nothing any more.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from footfall.flow.stream.beats import INTERVAL_MS, RATE_ONE, PlayState
from footfall.flow.stream.records import HitKey
from footfall.values.window import MINUTE_MS

WAIT_MS = 120_000
WAITING_MAX = 8
HUNDREDTHS = 100
HALF = HUNDREDTHS // 2
_LOW = (1 << HALF) - 1

_PLAYING, _ENDED = int(PlayState.PLAYING), int(PlayState.ENDED)
_NO_KEY: HitKey = ("", "", "", "")


class Beat(Struct, array_like=True, frozen=True, gc=False):
    """One beat of a session."""

    number: int
    at_ms: int
    playhead_ms: int
    state: int
    key: HitKey
    rate: int = RATE_ONE
    interval_ms: int = INTERVAL_MS
    duration_ms: int = 0
    arrived_at_ms: int = 0
    series: str = ""
    member: str = ""
    device: str = ""
    visitor: bytes = b""


class Stretch(Struct, array_like=True):
    """What a session has watched of one asset without a change to another."""

    number: int  # of its first beat
    key: HitKey
    from_ms: int
    to_ms: int
    series: str = ""
    member: str = ""
    device: str = ""
    duration_ms: int = 0
    beats: int = 0
    seen_low: int = 0  # a bit for each hundredth of the first half
    seen_high: int = 0
    days: dict[int, int] = {}  # milliseconds by the brand's local day, which begins then


class Session(Struct, array_like=True):
    """What has to be known of an open session: the last beat that is settled, and those that wait behind a hole."""

    brand: str
    name: str
    heard_at_ms: int = 0  # when its last beat arrived
    base: Beat | None = None
    ahead: dict[int, Beat] = {}
    stretch: Stretch | None = None


@dataclass(slots=True)
class Credited:
    """What beats come to at one place: milliseconds by what they are counted under, and who watched."""

    counts: dict[HitKey, int] = field(default_factory=dict[HitKey, int])
    keys: list[HitKey] = field(default_factory=list[HitKey])
    visitors: list[bytes] = field(default_factory=list[bytes])

    def add(self, key: HitKey, ms: int, visitor: bytes) -> None:
        """Add some milliseconds."""
        counts = self.counts
        counts[key] = counts.get(key, 0) + ms
        self.keys.append(key)
        self.visitors.append(visitor)

    def take(self, more: "Credited") -> None:
        """Add what came to the same place."""
        for key, ms in more.counts.items():
            self.counts[key] = self.counts.get(key, 0) + ms
        self.keys += more.keys
        self.visitors += more.visitors


MinuteOf = tuple[str, int, bool]  # whose, where it begins, and whether it is counted by series there
DayOf = Callable[[str, int], tuple[int, int]]  # where the brand's local day around a moment begins and ends


def credit_ms(before: Beat, beat: Beat, *, is_hole: bool = False) -> int:
    """Return how much a beat is credited after the one before it: the least of clock, playhead and interval."""
    if before.state != _PLAYING or beat.state != _PLAYING or before.key[0] != beat.key[0] or not beat.rate:
        return 0
    ms = beat.interval_ms if is_hole else beat.interval_ms * 3 // 2
    clock_ms = beat.at_ms - before.at_ms
    if clock_ms < ms:
        ms = clock_ms
    way_ms = (beat.playhead_ms - before.playhead_ms) * RATE_ONE // beat.rate
    if way_ms < ms:
        ms = way_ms
    return ms if ms > 0 else 0


class Watching:
    """Takes beats of sessions and keeps what they come to until somebody takes it away."""

    def __init__(self, day_of: DayOf) -> None:
        self._day_of = day_of
        self._day = ("", 0, 0)  # the last one that was asked for: whose, from, to
        self._at: MinuteOf = ("", -1, False)  # the last minute that something was added to
        self._cell = Credited()
        self.minutes: dict[MinuteOf, Credited] = {}
        self.over: list[tuple[Session, Stretch]] = []  # stretches that no beat of their session changes any more

    def take(self, session: Session, beat: Beat) -> None:
        """Take in a beat; one that is settled already, or waits already, changes nothing."""
        if beat.arrived_at_ms > session.heard_at_ms:
            session.heard_at_ms = beat.arrived_at_ms
        base, number = session.base, beat.number
        if base is not None and number <= base.number:
            return
        ahead = session.ahead
        if not ahead and number == (0 if base is None else base.number + 1):
            self.settle(session, beat)
            return
        ahead.setdefault(number, beat)
        self._settle_next(session)
        while len(ahead) > WAITING_MAX:
            self._close_hole(session)

    def pass_time(self, session: Session, now_ms: int) -> bool:
        """Settle what has waited long enough; return whether that changed anything."""
        waited = [number for number, beat in session.ahead.items() if now_ms - beat.arrived_at_ms >= WAIT_MS]
        if not waited:
            return False
        last = max(waited)
        while session.ahead and min(session.ahead) <= last:
            self._close_hole(session)
        return True

    def end(self, session: Session) -> None:
        """Settle all that waits and close the session's stretch."""
        while session.ahead:
            self._close_hole(session)
        self._close_stretch(session)

    def _close_hole(self, session: Session) -> None:
        self.settle(session, session.ahead.pop(min(session.ahead)), is_hole=True)
        self._settle_next(session)

    def _settle_next(self, session: Session) -> None:
        ahead = session.ahead
        while ahead:
            beat = ahead.pop(0 if session.base is None else session.base.number + 1, None)
            if beat is None:
                return
            self.settle(session, beat)

    def settle(self, session: Session, beat: Beat, *, is_hole: bool = False) -> None:
        """Credit the beat that follows the last one that is settled, or the first after a hole."""
        before, session.base = session.base, beat
        stretch = session.stretch
        if stretch is None or stretch.key[0] != beat.key[0]:
            stretch = self._new_stretch(session, beat)
        stretch.beats += 1
        if beat.duration_ms:
            stretch.duration_ms = beat.duration_ms
        ms = 0 if before is None else credit_ms(before, beat, is_hole=is_hole)
        if ms:
            self._credit(session, stretch, beat, ms)

    def _credit(self, session: Session, stretch: Stretch, beat: Beat, ms: int) -> None:
        """Add what was watched right before a beat to its stretch, its day and its minutes."""
        at_ms, brand = beat.at_ms, session.brand
        start_ms = at_ms - ms
        if start_ms < stretch.from_ms:
            stretch.from_ms = start_ms
        if at_ms > stretch.to_ms:
            stretch.to_ms = at_ms
        day = self._day
        if day[1] <= start_ms and at_ms <= day[2] and day[0] == brand:
            stretch.days[day[1]] = stretch.days.get(day[1], 0) + ms
        else:
            self._add_to_days(session, stretch, at_ms, ms)
        if stretch.duration_ms:
            _see(stretch, beat.playhead_ms - ms * beat.rate // RATE_ONE, beat.playhead_ms)
        minute_ms = start_ms - start_ms % MINUTE_MS
        at = self._at
        if at_ms - minute_ms <= MINUTE_MS and at[1] == minute_ms and at[0] == brand and not beat.series:
            # Nearly all come here, so it is done without a further call.
            key, cell = beat.key, self._cell
            cell.counts[key] = cell.counts.get(key, 0) + ms
            cell.keys.append(key)
            cell.visitors.append(beat.visitor)
            return
        for one_ms, some_ms in in_minutes(at_ms, ms):
            self._add(brand, one_ms, beat, some_ms)

    def take_away(self) -> dict[MinuteOf, Credited]:
        """Return what was credited since the last time, by minute."""
        found, self.minutes, self._at = self.minutes, {}, ("", -1, False)
        return found

    def _add(self, brand: str, minute_ms: int, beat: Beat, ms: int) -> None:
        at = self._at
        if at[1] != minute_ms or at[0] != brand:
            self._at = at = (brand, minute_ms, False)
            self._cell = self.minutes.get(at) or self.minutes.setdefault(at, Credited())
        self._cell.add(beat.key, ms, beat.visitor)
        if beat.series:
            by_series = self.minutes.setdefault((brand, minute_ms, True), Credited())
            by_series.add((beat.series, *beat.key[1:]), ms, beat.visitor)

    def _add_to_days(self, session: Session, stretch: Stretch, at_ms: int, ms: int) -> None:
        for minute_ms, some_ms in in_minutes(at_ms, ms):
            from_ms, to_ms = self._day_of(session.brand, minute_ms)
            self._day = session.brand, from_ms, to_ms
            stretch.days[from_ms] = stretch.days.get(from_ms, 0) + some_ms

    def _new_stretch(self, session: Session, beat: Beat) -> Stretch:
        self._close_stretch(session)
        session.stretch = Stretch(
            number=beat.number, key=beat.key, from_ms=beat.at_ms, to_ms=beat.at_ms,
            series=beat.series, member=beat.member, device=beat.device, days={},
        )  # fmt: skip
        return session.stretch

    def _close_stretch(self, session: Session) -> None:
        if session.stretch is not None and session.stretch.days:
            self.over.append((session, session.stretch))
        session.stretch = None


def is_over(session: Session) -> bool:
    """Tell whether a session has said that it ended, and nothing of it waits."""
    return session.base is not None and session.base.state == _ENDED and not session.ahead


def resumed(brand: str, name: str, *, number: int) -> Session:
    """Return a session that was over and goes on: what it came to is told, up to a beat."""
    base = Beat(number=number, at_ms=0, playhead_ms=0, state=_ENDED, key=_NO_KEY)
    return Session(brand, name, base=base, ahead={})


def in_minutes(to_ms: int, ms: int) -> Iterator[tuple[int, int]]:
    """Yield the minutes that a stretch of time before a moment lies in: where each begins, and how much of it."""
    at_ms = to_ms - ms
    while at_ms < to_ms:
        minute = at_ms - at_ms % MINUTE_MS
        end_ms = min(to_ms, minute + MINUTE_MS)
        yield minute, end_ms - at_ms
        at_ms = end_ms


def hundredths(low: int, high: int) -> list[int]:
    """Return which hundredths of an asset were seen."""
    bits = low | high << HALF
    return [place for place in range(HUNDREDTHS) if bits >> place & 1]


def _see(stretch: Stretch, from_ms: int, to_ms: int) -> None:
    """Mark what was seen of the asset."""
    duration_ms = stretch.duration_ms
    first = from_ms * HUNDREDTHS // duration_ms if from_ms > 0 else 0
    last = (to_ms - 1) * HUNDREDTHS // duration_ms
    if last >= HUNDREDTHS:
        last = HUNDREDTHS - 1
    if first > last:
        return
    bits = (1 << last + 1) - (1 << first)
    if first < HALF:
        stretch.seen_low |= bits & _LOW
    if last >= HALF:
        stretch.seen_high |= bits >> HALF
