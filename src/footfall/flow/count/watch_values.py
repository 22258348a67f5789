"""What watching is made of: beats, what a session has come to, and what was credited.

Sessions are stored as they are here, field by field in this order: docs/formats/store.md.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum

from msgspec import Struct

from footfall.flow.store.columns import CountKey
from footfall.flow.stream.beats import INTERVAL_MS, RATE_ONE
from footfall.flow.stream.records import HitKey

WatchedOnce = tuple[HitKey, HitKey | None, int, bytes]  # under which asset and series, milliseconds, by whom
Watched = dict[tuple[str, int], list[WatchedOnce]]  # by minute: whose, and where it begins
Facts = tuple[HitKey, str, str, str]  # what is watched with its labels, of which series, by whom, on what


class CreditTo(IntEnum):
    """Which of a brand's windows a credit is counted in."""

    WATCH = 0  # milliseconds, by asset
    SHOWS = 1  # milliseconds, by series
    PLAYS = 2  # viewings, by asset, where they begin
    COMPLETIONS = 3  # viewings, by asset, where they were completed


class Beat(Struct, array_like=True, gc=False):
    """One beat of a session. Beats that tell the same facts come to share them.

    Nothing else of it changes, but native code lets a session's last beat become the next: nobody else has it.
    """

    number: int
    at_ms: int
    playhead_ms: int
    state: int
    facts: Facts
    rate: int = RATE_ONE
    interval_ms: int = INTERVAL_MS
    duration_ms: int = 0
    arrived_at_ms: int = 0
    visitor: bytes = b""


class Stretch(Struct, array_like=True, gc=False):
    """What a session has watched of one asset on one day, as one member."""

    number: int  # of its first beat
    key: HitKey
    show: HitKey  # what its series is counted under; begins with an empty text where none was told
    member: str = ""
    device: str = ""
    from_ms: int = 0
    to_ms: int = 0
    duration_ms: int = 0
    beats: int = 0
    seen_low: int = 0  # a bit for each hundredth of the first half
    seen_high: int = 0
    ms: int = 0  # that it was credited; with the first of them it has a day
    day_ms: int = 0  # the brand's local day that it lies in, which begins and ends then
    day_to_ms: int = 0


class Viewed(Struct, array_like=True, frozen=True, gc=False):
    """What a session has seen of an asset in stretches that are over, and the day on which that began."""

    asset: str
    day_ms: int
    seen_low: int
    seen_high: int


class Session(Struct, array_like=True, gc=False):
    """What has to be known of an open session: the last beat that is settled, and those that wait behind a hole."""

    brand: str
    name: str
    heard_at_ms: int = 0  # when a beat last arrived that was not settled at once
    base: Beat | None = None
    ahead: dict[int, Beat] = {}
    stretch: Stretch | None = None
    high_ms: int = 0  # the latest moment that a beat told before one that told an earlier
    viewed: list[Viewed] = []
    is_credited: bool = False  # by a stretch that is over
    begun: list[str] = []  # assets whose viewing began in stretches that are over and told nothing of what was seen

    @property
    def last_heard_ms(self) -> int:
        """Return when its last beat arrived."""
        return self.heard_at_ms if self.base is None else max(self.heard_at_ms, self.base.arrived_at_ms)

    @property
    def highest_ms(self) -> int:
        """Return the latest moment that a settled beat told."""
        return self.high_ms if self.base is None else max(self.high_ms, self.base.at_ms)


@dataclass(frozen=True, slots=True)
class Told:
    """A stretch that no beat changes any more, and what its viewing had not seen before."""

    session: Session
    stretch: Stretch
    began_ms: int  # the day of the viewing: a film goes on after an advertisement, and after midnight
    is_first: bool  # of its viewing that tells what was seen
    is_completing: bool  # With it the viewing has seen as much as a completed one.
    new_low: int
    new_high: int


@dataclass(slots=True)
class Credited:
    """What beats come to at one place: for each what it is counted under, its milliseconds and who watched."""

    keys: list[HitKey] = field(default_factory=list[HitKey])
    ms: list[int] = field(default_factory=list[int])
    visitors: list[bytes] = field(default_factory=list[bytes])

    def add(self, key: HitKey, ms: int, visitor: bytes) -> None:
        """Add some milliseconds."""
        self.keys.append(key)
        self.ms.append(ms)
        self.visitors.append(visitor)

    def take(self, more: "Credited") -> None:
        """Add what came to the same place."""
        self.keys += more.keys
        self.ms += more.ms
        self.visitors += more.visitors

    def counts(self) -> Counter[CountKey]:
        """Return the milliseconds of each key."""
        counts = Counter[CountKey]()
        for key, ms in zip(self.keys, self.ms, strict=True):
            counts[key] += ms
        return counts
