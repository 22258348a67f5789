"""What a session's beats come to: milliseconds watched, and which hundredths of the asset were seen.

Pure: beats in, credits out. A beat is credited against the one with the number before it, so that the order in which
they arrive changes nothing. When that one is missing, the beat waits for it: two minutes, or until eight beats wait.
Then the hole is credited as one interval, and whatever comes for it afterwards changes nothing any more.

A stretch is what one row of the watch log will say: one asset with its labels, one series, one member, one day. Where
any of that changes another begins, so that the rows of a session add up to what its beats were credited, by all of it.

A viewing is all that a session watches of an asset, in however many stretches. It is counted twice at most: as a
playback where its first millisecond is credited, and as completed where the stretch ends by which it has seen enough.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

from footfall.flow.count.watch_values import (
    Beat,
    Credited,
    CreditTo,
    Facts,
    Session,
    Stretch,
    Told,
    Viewed,
    Watched,
    WatchedOnce,
)
from footfall.flow.stream.beats import RATE_ONE, PlayState
from footfall.values.window import MINUTE_MS

WAIT_MS = 120_000
WAITING_MAX = 8
HUNDREDTHS = 100
COMPLETED_HUNDREDTHS_MIN = 90  # Closing credits are not watched; going there without the rest completes nothing.
VIEWED_MAX = 8  # Assets of which a session knows what was seen: a film goes on after some advertisements.
BEGUN_MAX = 8  # And as many of which it knows only that their viewing began.
HALF = HUNDREDTHS // 2
SHARED_MAX = 100_000  # What sessions are counted under, some 200 bytes each.
_LOW = (1 << HALF) - 1

_PLAYING, _ENDED = int(PlayState.PLAYING), int(PlayState.ENDED)
_WATCH, _SHOWS, _PLAYS, _COMPLETIONS = CreditTo
T = TypeVar("T", bound=Hashable)
_NO_FACTS: Facts = (("", "", "", ""), "", "", "")


MinuteOf = tuple[str, int, CreditTo]  # whose, where it begins, and in which windows
DayOf = Callable[[str, int], tuple[int, int]]  # where the brand's local day around a moment begins and ends


def credit_ms(before: Beat, beat: Beat, *, is_hole: bool = False) -> int:
    """Return how much a beat is credited after the one before it: the least of clock, playhead and interval."""
    if before.state != _PLAYING or beat.state != _PLAYING or not beat.rate:
        return 0
    if before.facts is not beat.facts and before.facts[0][0] != beat.facts[0][0]:
        return 0  # Something else.
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
        self._at = ("", -1)  # the last minute that something was added to: whose, and where it begins
        self._here: list[WatchedOnce] = []  # of that minute
        self.watched: Watched = {}  # what was credited and not taken away; native code adds to it as well
        self._viewings: dict[MinuteOf, Credited] = {}
        self._shared: dict[Hashable, Any] = {}
        self.over: list[Told] = []  # stretches that no beat of their session changes any more

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

    def pass_day(self, session: Session) -> bool:
        """Close the stretch of a day that the session's last beat is beyond; return whether there was one."""
        base, stretch = session.base, session.stretch
        if base is None or stretch is None or not stretch.ms or base.at_ms < stretch.day_to_ms:
            return False
        session.stretch = self._stretch_after(session, base.facts, base.number + 1, stretch)
        return True

    def settle(self, session: Session, beat: Beat, *, is_hole: bool = False) -> None:
        """Credit the beat that follows the last one that is settled, or the first after a hole."""
        before, session.base = session.base, beat
        stretch = session.stretch
        if stretch is None or before is None or before.facts != beat.facts:
            stretch = self._stretch_of(session, beat)
        else:
            beat.facts = before.facts  # So that no session keeps its last beat's own.
        stretch.beats += 1
        if beat.duration_ms != stretch.duration_ms and beat.duration_ms:
            stretch.duration_ms = beat.duration_ms
        if before is None:
            return
        ms, at_ms = credit_ms(before, beat, is_hole=is_hole), beat.at_ms
        if at_ms < before.at_ms:
            session.high_ms = max(session.high_ms, before.at_ms)
        elif before.at_ms < session.high_ms:
            ms = _after_a_step_back(before, beat, ms, high_ms=session.high_ms)
        if not ms:
            return
        start_ms = at_ms - ms
        if stretch.day_ms <= start_ms and at_ms <= stretch.day_to_ms:
            self._credit(session, stretch, beat, start_ms, at_ms)
        else:
            self._credit_by_day(session, stretch, beat, start_ms)

    def _credit(self, session: Session, stretch: Stretch, beat: Beat, start_ms: int, end_ms: int) -> None:
        """Add what was watched within one day, right before a beat, to its stretch and its minutes."""
        ms, brand = end_ms - start_ms, session.brand
        if not stretch.ms or start_ms < stretch.from_ms:
            self._begin_at(session, stretch, start_ms)
        if end_ms > stretch.to_ms:
            stretch.to_ms = end_ms
        stretch.ms += ms
        if stretch.duration_ms:
            playhead_ms = beat.playhead_ms - (beat.at_ms - end_ms) * beat.rate // RATE_ONE
            _see(stretch, playhead_ms - ms * beat.rate // RATE_ONE, playhead_ms)
        show = stretch.show if stretch.show[0] else None
        minute_ms = start_ms - start_ms % MINUTE_MS
        at = self._at
        if end_ms - minute_ms > MINUTE_MS or at[1] != minute_ms or at[0] != brand:
            for one_ms, some_ms in in_minutes(end_ms, ms):
                self._turn_to(brand, one_ms)
                self._here.append((stretch.key, show, some_ms, beat.visitor))
            return
        self._here.append((stretch.key, show, ms, beat.visitor))  # nearly all

    def _begin_at(self, session: Session, stretch: Stretch, at_ms: int) -> None:
        """Let a stretch begin at a moment, and count the viewing that begins with its first credit."""
        stretch.from_ms = at_ms
        if not stretch.ms and not _has_begun(session, stretch.key[0]):
            self._count_one(session.brand, _PLAYS, stretch, at_ms)

    def take_away(self) -> dict[MinuteOf, Credited]:
        """Return what was credited since the last time, by minute."""
        found = self.credits()
        self.watched, self._viewings, self._at = {}, {}, ("", -1)
        return found

    def credits(self) -> dict[MinuteOf, Credited]:
        """Return what was credited and not taken away, by minute."""
        found: dict[MinuteOf, Credited] = {}
        for (brand, minute_ms), watched in self.watched.items():
            keys, shows, ms, visitors = zip(*watched, strict=True)
            found[brand, minute_ms, _WATCH] = Credited(list(keys), list(ms), list(visitors))
            if None in shows:
                with_show = [one for one in watched if one[1] is not None]
                if not with_show:
                    continue
                _, shows, ms, visitors = zip(*with_show, strict=True)
            found[brand, minute_ms, _SHOWS] = Credited(list(shows), list(ms), list(visitors))
        return found | self._viewings

    def _turn_to(self, brand: str, minute_ms: int) -> None:
        at = (brand, minute_ms)
        if at != self._at:
            self._at = at
            self._here = self.watched.setdefault(at, [])

    def _count_one(self, brand: str, to: CreditTo, stretch: Stretch, at_ms: int) -> None:
        """Count a viewing at a moment of one of its stretches; who watched is told by what is watched."""
        minute = (brand, at_ms - at_ms % MINUTE_MS, to)
        self._viewings.setdefault(minute, Credited()).add(stretch.key, 1, b"")

    def _credit_by_day(self, session: Session, stretch: Stretch, beat: Beat, start_ms: int) -> None:
        """Credit what lies in another day than the stretch does, or in two: a stretch of each."""
        while start_ms < beat.at_ms:
            day_ms, day_to_ms = self._day_of(session.brand, start_ms)
            if stretch.ms and stretch.day_ms != day_ms:
                stretch.beats -= 1  # It is told with the day that it lies in.
                stretch = session.stretch = self._stretch_after(session, beat.facts, beat.number, stretch)
                stretch.beats = 1
            stretch.day_ms, stretch.day_to_ms = day_ms, day_to_ms
            end_ms = min(beat.at_ms, day_to_ms)
            self._credit(session, stretch, beat, start_ms, end_ms)
            start_ms = end_ms

    def _stretch_of(self, session: Session, beat: Beat) -> Stretch:
        """Return the stretch that a beat belongs to: the one before it unless the beat says otherwise.

        What a beat leaves out is as it was. What comes to be known later holds for the stretch from its beginning; but
        a series only where nothing was credited without it, since lists of series have nothing of that.
        """
        beat.facts = self._shared_facts(beat.facts)
        known, (key, series, member, device) = session.stretch, beat.facts
        if known is not None and known.key == key:
            is_another_series = series and series != known.show[0] and (known.show[0] or known.ms)
            if not is_another_series and not (known.member and member and known.member != member):
                known.member, known.device = known.member or member, known.device or device
                known.show = self._share((known.show[0] or series, *key[1:]))
                return known
        session.stretch = self._stretch_after(session, beat.facts, beat.number, known)
        return session.stretch

    def _stretch_after(self, session: Session, facts: Facts, number: int, known: Stretch | None) -> Stretch:
        """Close a stretch and return another, of which is known what one of the same asset has told."""
        self._close_stretch(session)
        key, series, member, device = facts
        duration_ms = 0
        if known is not None and known.key[0] == key[0]:
            series, member, device = series or known.show[0], member or known.member, device or known.device
            duration_ms = known.duration_ms
        show = self._share((series, *key[1:]))
        return Stretch(number, key, show, member, device, duration_ms=duration_ms)

    def _shared_facts(self, facts: Facts) -> Facts:
        """Return facts whose parts are those of other sessions: few assets are watched by many, and lie at hand."""
        key, series, member, device = facts
        return self._share(key), self._share(series), member, self._share(device)

    def _share(self, one: T) -> T:
        if len(self._shared) >= SHARED_MAX:
            self._shared.clear()
        return self._shared.setdefault(one, one)

    def _close_stretch(self, session: Session) -> None:
        stretch, session.stretch = session.stretch, None
        if stretch is None or not stretch.ms:
            return
        session.is_credited = True
        told = _told(session, stretch)
        self.over.append(told)
        if told.is_completing:  # Counted with its last millisecond: the one after it may be another day's.
            self._count_one(session.brand, _COMPLETIONS, stretch, stretch.to_ms - 1)


def is_over(session: Session) -> bool:
    """Tell whether a session has said that it ended, and nothing of it waits."""
    return session.base is not None and session.base.state == _ENDED and not session.ahead


def has_come_to_nothing(session: Session) -> bool:
    """Tell whether nothing was credited to a session since it began, or went on."""
    return not session.is_credited and (session.stretch is None or not session.stretch.ms)


def resumed(
    brand: str, name: str, *, number: int, high_ms: int, viewed: Sequence[Viewed], begun: Sequence[str]
) -> Session:
    """Return a session that was over and goes on: what it came to is told, up to a beat."""
    base = Beat(number=number, at_ms=0, playhead_ms=0, state=_ENDED, facts=_NO_FACTS)
    return Session(brand, name, base=base, ahead={}, high_ms=high_ms, viewed=list(viewed), begun=list(begun))


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


def _after_a_step_back(before: Beat, beat: Beat, ms: int, *, high_ms: int) -> int:
    """Return what a beat is credited whose clock is in a time that it has told before.

    That time is credited once already, or was not watched. A clock that was put right shows it again while time goes
    on, by which beats arrive; a clock that goes to and fro does so without.
    """
    fresh_ms, arrived_ms = max(0, beat.at_ms - high_ms), max(0, beat.arrived_at_ms - before.arrived_at_ms)
    return min(ms, fresh_ms + arrived_ms)


def _told(session: Session, stretch: Stretch) -> Told:
    """Return what a stretch tells that is over, and let its session know what was seen in it."""
    low, high, asset = stretch.seen_low, stretch.seen_high, stretch.key[0]
    found = next((one for one in session.viewed if one.asset == asset), None)
    others = [one for one in session.begun if one != asset]
    if not low and not high:
        if found is None:
            session.begun = [*others[1 - BEGUN_MAX :], asset]
        return Told(session, stretch, stretch.day_ms, is_first=False, is_completing=False, new_low=0, new_high=0)
    known = found or Viewed(asset, stretch.day_ms, 0, 0)
    both = Viewed(asset, known.day_ms, known.seen_low | low, known.seen_high | high)
    session.viewed = [*[one for one in session.viewed if one is not found][1 - VIEWED_MAX :], both]
    session.begun = others
    return Told(
        session,
        stretch,
        known.day_ms,
        is_first=found is None,
        is_completing=_hundredths_of(known) < COMPLETED_HUNDREDTHS_MIN <= _hundredths_of(both),
        new_low=low & ~known.seen_low,
        new_high=high & ~known.seen_high,
    )


def _has_begun(session: Session, asset: str) -> bool:
    """Tell whether a session has watched an asset in stretches that are over."""
    return asset in session.begun or any(one.asset == asset for one in session.viewed)


def _hundredths_of(viewed: Viewed) -> int:
    return viewed.seen_low.bit_count() + viewed.seen_high.bit_count()


def _see(stretch: Stretch, from_ms: int, to_ms: int) -> None:
    """Mark what was seen of the asset."""
    duration_ms = stretch.duration_ms
    first = from_ms * HUNDREDTHS // duration_ms if from_ms > 0 else 0
    last = (to_ms - 1) * HUNDREDTHS // duration_ms
    if last >= HUNDREDTHS:
        last = HUNDREDTHS - 1
    if first == last:  # Nearly always, of what is longer than some minutes.
        if first < HALF:
            stretch.seen_low |= 1 << first
        else:
            stretch.seen_high |= 1 << first - HALF
    elif first < last:
        bits = (1 << last + 1) - (1 << first)
        stretch.seen_low |= bits & _LOW
        stretch.seen_high |= bits >> HALF
