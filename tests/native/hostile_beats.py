"""Players' beats as they are sent and as nobody should send them: most go on as the last one did, the others do not.

Chance comes from a seed, so the same ones are made here and in the process that runs under a sanitizer.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec.structs import fields, replace

from footfall.flow.count.watch_values import Beat, Facts, Session, Stretch
from footfall.flow.stream.beats import VERSION, Beats, PlayState
from footfall.values.window import DAY_MS

BRAND = "abc"
NAME = "playback"
MIDNIGHT_MS = 1_794_787_200_000  # between two days; a minute begins there as well
EDGES = (0, 1, 49, 50, 99, 100, 1_000, 10_000, 59_999, 60_000, 60_001, 10**6, 2**31, 2**32, 2**40 - 1, 2**40, 2**49)
HUGE = (2**50 - 1, 2**50, 2**50 + 1, 2**53, 2**57, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
BELOW = (-1, -60_001, -(2**50), -(2**63))
RATES = (1_000, 1_000, 1_000, 500, 1_250, 2_000, 3, 999, 0)
INTERVALS_MS = (10_000, 10_000, 10_000, 5_000, 1, 0, 40_000, 90_000, 2**40)
DURATIONS_MS = (0, 1, 50, 99, 100, 30_000, 45_000, 2_500_000, 2_500_000, 10**9)
FACTS: Facts = (("film", "news", "video", "free"), "show", "member", "TV")
OTHER_FACTS: tuple[Facts, ...] = (
    (("advert", "news", "video", "free"), "show", "member", "TV"),
    (("film", "sports", "video", "free"), "show", "member", "TV"),
    (("film", "news", "video", "paid"), "show", "member", "TV"),
    (("film", "news", "video", "free"), "", "member", "TV"),
    (("film", "news", "video", "free"), "série", "member", "TV"),
    (("film", "news", "video", "free"), "show", "", "TV"),
    (("film", "news", "video", "free"), "show", "somebody", "TV"),
    (("film", "news", "video", "free"), "show", "member", ""),
)
LINES = ("bots", "own")
NOT_FIRST = [int(state) for state in PlayState if state != PlayState.PLAYING]


def any_number(chance: Random) -> int:
    """Return a number at which something changes, of any size."""
    return chance.choice(chance.choice((EDGES, EDGES, HUGE, BELOW)))


def beats_of(named: list[tuple[str, Beat]], arrived_at_ms: int, **more: Any) -> Beats:
    """Return the record of beats."""
    ones = [one for _, one in named]
    columns: dict[str, Any] = {
        "rates": [one.rate for one in ones],
        "intervals_ms": [one.interval_ms for one in ones],
        "durations_ms": [one.duration_ms for one in ones],
        "series": [one.facts[1] for one in ones],
        "members": [one.facts[2] for one in ones],
        "devices": [one.facts[3] for one in ones],
        "visitors": [one.visitor for one in ones],
    }
    return Beats(
        "ffpg", VERSION, arrived_at_ms, keys=[one.facts[0] for one in ones], sessions=[name for name, _ in named],
        numbers=[one.number for one in ones], at_ms=[one.at_ms for one in ones],
        playheads_ms=[one.playhead_ms for one in ones], states=bytes(one.state for one in ones), **columns | more,
    )  # fmt: skip


def a_session(chance: Random, *, at_ms: int = MIDNIGHT_MS + 30_000) -> Session:
    """Return a session that plays, as it is at some moment."""
    duration_ms = chance.choice(DURATIONS_MS)
    playhead_ms = chance.choice((0, 70_000, 1_000_000, 2_499_000))
    day_ms = at_ms - at_ms % DAY_MS
    base = Beat(7, at_ms, playhead_ms, 0, FACTS, duration_ms=duration_ms, arrived_at_ms=at_ms + 40)
    show = (chance.choice(("show", "")), *FACTS[0][1:])
    stretch = Stretch(
        *(0, FACTS[0], show, *FACTS[2:], max(day_ms, at_ms - 70_000), at_ms, duration_ms, 8),
        seen_low=chance.choice((0, 1, 2**50 - 1)), seen_high=chance.choice((0, 1, 2**50 - 1)),
        ms=70_000, day_ms=day_ms, day_to_ms=day_ms + DAY_MS,
    )  # fmt: skip
    return Session(BRAND, NAME, base=base, ahead={}, stretch=stretch, high_ms=chance.choice((0, 0, at_ms)))


def copy_of(session: Session) -> Session:
    """Return a session that shares nothing that changes."""
    base, stretch = session.base, session.stretch
    return replace(
        session, base=None if base is None else replace(base), stretch=None if stretch is None else replace(stretch),
        ahead=dict(session.ahead), viewed=list(session.viewed), begun=list(session.begun),
    )  # fmt: skip


def odd_step(chance: Random) -> tuple[Session, Beat]:
    """Return a session and the beat that comes next, of which up to three things are not as they should be."""
    moment_ms = MIDNIGHT_MS + chance.choice((30_000, 43_200_000, 60_000, 59_999, 50_000, 49_999, 55_000, 5_000))
    session = a_session(chance, at_ms=moment_ms)
    assert session.base is not None
    beat = _next_beat(session.base, chance)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        _spoil(session, beat, chance)
    return session, beat


def _next_beat(base: Beat, chance: Random) -> Beat:
    """Return what a player sends that goes on, perhaps at another speed, later than it should or after a seek."""
    rate, passed_ms = chance.choice(RATES), chance.choice((10_000, 10_000, 10_000, 14_000, 0, 1, 70_000))
    way_ms = chance.choice((passed_ms * rate // 1_000, passed_ms * rate // 1_000, 0, -1_000, 600_000, 999))
    return Beat(
        base.number + 1, base.at_ms + passed_ms, max(0, base.playhead_ms + way_ms),
        chance.choice((0, 0, 0, 0, 0, chance.choice(NOT_FIRST))), base.facts, rate, chance.choice(INTERVALS_MS),
        chance.choice((base.duration_ms, base.duration_ms, chance.choice(DURATIONS_MS))),
        max(0, base.arrived_at_ms + 10_000), chance.choice((b"", b"12345678")),
    )  # fmt: skip


def _spoil(session: Session, beat: Beat, chance: Random) -> None:
    one = chance.choice([some for some in (session, session.base, session.stretch, beat, beat) if some is not None])
    numbers = [field.name for field in fields(one) if isinstance(getattr(one, field.name), int)]
    match chance.choice("nnnnnnnfab"):
        case "n":
            name = chance.choice(numbers)
            known = getattr(one, name)
            number = chance.choice((any_number(chance), known + 1, known - 1, known + chance.choice(EDGES)))
            allowed = 0 <= number < 6 if name == "state" else -(2**63) <= number < 2**64
            if name != "is_credited" and allowed:
                setattr(one, name, number)
        case "f":
            beat.facts = chance.choice(OTHER_FACTS)
        case "a" if session.base is not None:
            session.ahead[session.base.number + 3] = beat
        case _:
            setattr(session, chance.choice(("base", "stretch")), None)


class Players:
    """Players that send beats at their pace, around midnight, and sometimes do something else."""

    def __init__(self, chance: Random, *, sessions: int, oddity: float) -> None:
        self._chance = chance
        self._oddity = oddity
        start_ms = MIDNIGHT_MS - chance.choice((30_000, 95_000, 300_000, 40_000_000))
        self._last = {f"s{one}": self._first(start_ms + chance.randrange(10_000)) for one in range(sessions)}
        self._late: list[tuple[str, Beat]] = []

    def record(self, now_ms: int) -> Beats:
        """Return the beats that come next."""
        chance, named = self._chance, list[tuple[str, Beat]]()
        for name in chance.sample(sorted(self._last), chance.randrange(len(self._last) + 1)):
            for _ in range(chance.choice((1, 1, 1, 2, 4))):
                self._last[name] = self._after(self._last[name])
                (self._late if self._is_odd() else named).append((name, self._last[name]))
        if self._late and chance.random() < 0.3:
            named.append(self._late.pop(chance.randrange(len(self._late))))
        none = {name: None for name in ("members", "devices", "rates", "intervals_ms") if chance.random() < 0.1}
        aside = {place: chance.choice(LINES) for place in range(len(named)) if self._is_odd()}
        return beats_of(named, now_ms, **none, aside=aside or None)

    def _first(self, at_ms: int) -> Beat:
        return Beat(-1, at_ms, 0, 0, FACTS, duration_ms=self._chance.choice(DURATIONS_MS))

    def _after(self, last: Beat) -> Beat:
        chance = self._chance
        beat = replace(last, number=last.number + 1, at_ms=last.at_ms + 10_000)
        beat.playhead_ms = min(2**64 - 1, beat.playhead_ms + 10_000 * beat.rate // 1_000)
        if not self._is_odd():
            beat.state = 0
            return beat
        changes: dict[str, Sequence[Any]] = {
            "number": [beat.number + more for more in (1, 2, 12)],
            "at_ms": [beat.at_ms + more for more in (-25_000, -9_000, 60_000, 3_600_000)],
            "state": NOT_FIRST,
            "playhead_ms": (0, max(0, beat.playhead_ms - 30_000), 10**6, 2**51, 2**64 - 1),
            "rate": (*RATES, 2**40, 2**63),
            "duration_ms": (*DURATIONS_MS, 2**51),
            "facts": (FACTS, *OTHER_FACTS),
            "visitor": (b"", b"12345678"),
            "interval_ms": (*INTERVALS_MS[:-1], 10**6),
        }
        name = chance.choice(list(changes))
        return replace(beat, **{name: chance.choice(changes[name])})

    def _is_odd(self) -> bool:
        return self._chance.random() < self._oddity
