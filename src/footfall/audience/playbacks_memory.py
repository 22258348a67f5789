"""What is known of playbacks while the table does not answer: the leases that were last seen, and what to write later.

Whoever plays goes on playing. Memory is bounded: what is beyond it is forgotten, the oldest first, and counted.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footfall.audience.playbacks import (
    Ask,
    Ending,
    Lease,
    TooManyPlaying,
    Why,
    admission,
)

KNOWN_MAX = 50_000  # members whose leases are remembered, at some 500 bytes each
UNRECORDED_MAX = 10_000  # members of whom something is still to be written
PER_MEMBER_MAX = 64  # things that happened to one of them, beats of one playback counted once

Whose = tuple[str, str]  # brand and member


@dataclass(frozen=True, slots=True)
class Admitted:
    """A playback was given a place."""

    ask: Ask
    at_ms: int

    @property
    def session(self) -> str:
        """Return whose place it is."""
        return self.ask.session


@dataclass(frozen=True, slots=True)
class Beaten:
    """A playback was heard of."""

    session: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A playback gave its place back, or somebody took it."""

    session: str
    at_ms: int
    why: Why = Why.ENDED
    by: str = ""


Happened = Admitted | Beaten | Finished


class LastKnown:
    """The leases of the members that were seen last."""

    def __init__(self, *, members_max: int = KNOWN_MAX) -> None:
        self._members_max = members_max
        self._leases: OrderedDict[Whose, tuple[Lease, ...]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._leases)

    def learn(self, whose: Whose, leases: Sequence[Lease]) -> None:
        """Remember a member's leases; one that has none is forgotten."""
        self._leases.pop(whose, None)
        if leases:
            self._leases[whose] = tuple(leases)
            if len(self._leases) > self._members_max:
                self._leases.popitem(last=False)

    def of(self, whose: Whose) -> tuple[Lease, ...]:
        """Return a member's leases as they were last seen."""
        return self._leases.get(whose, ())

    def expired(self, *, now_ms: int, limit: int) -> list[Whose]:
        """Return members of whom a lease has expired that the table may still have."""
        found: list[Whose] = []
        for whose, leases in self._leases.items():
            if any(lease.expires_ms <= now_ms for lease in leases):
                found.append(whose)
                if len(found) == limit:
                    break
        return found


class Unrecorded:
    """What happened and is not in the table yet."""

    def __init__(self, *, members_max: int = UNRECORDED_MAX) -> None:
        self._members_max = members_max
        self._happened: OrderedDict[Whose, list[Happened]] = OrderedDict()
        self.forgotten = 0

    def __len__(self) -> int:
        return sum(map(len, self._happened.values()))

    def __iter__(self) -> Iterator[Whose]:
        return iter(list(self._happened))

    def of(self, whose: Whose) -> Sequence[Happened]:
        """Return what happened to a member, in its order."""
        return self._happened.get(whose, ())

    def add(self, whose: Whose, happened: Happened) -> None:
        """Remember something; of one playback's beats the last is enough."""
        found = self._happened.setdefault(whose, [])
        if isinstance(happened, Beaten):
            found[:] = [one for one in found if not (isinstance(one, Beaten) and one.session == happened.session)]
        found.append(happened)
        if len(found) > PER_MEMBER_MAX:
            del found[0]
            self.forgotten += 1
        if len(self._happened) > self._members_max:
            _, dropped = self._happened.popitem(last=False)
            self.forgotten += len(dropped)

    def discard(self, whose: Whose, happened: Happened) -> None:
        """Forget something that is in the table after all."""
        found = self._happened.get(whose)
        if found is not None and happened in found:
            found.remove(happened)
            if not found:
                del self._happened[whose]

    def take(self, whose: Whose) -> list[Happened]:
        """Return what happened to a member, in its order, and forget it."""
        return self._happened.pop(whose, [])

    def give_back(self, whose: Whose, happened: Sequence[Happened]) -> None:
        """Remember what could not be written, before what has happened since."""
        since = self.take(whose)
        for one in (*happened, *since):
            self.add(whose, one)


def caught_up(leases: Sequence[Lease], happened: Sequence[Happened]) -> tuple[tuple[Lease, ...], list[Ending]]:
    """Return a member's leases after what happened while nobody could write it, and what became of those that left.

    Beats come first, whatever their order: a playback that went on all the time has not expired.
    """
    beats: dict[str, int] = {}
    for one in happened:
        if not isinstance(one, Finished):
            beats[one.session] = max(one.at_ms, beats.get(one.session, 0))
    now = tuple(_heard_of(lease, beats) for lease in leases)
    endings: list[Ending] = []
    for one in happened:
        if isinstance(one, Admitted):
            now = _admitted(now, one, endings)
            now = tuple(_heard_of(lease, beats) for lease in now)
        elif isinstance(one, Finished):
            gone = [lease for lease in now if lease.session == one.session]
            now = tuple(lease for lease in now if lease.session != one.session)
            endings += [Ending(lease, one.why, one.at_ms, one.by) for lease in gone]
    return now, endings


def _heard_of(lease: Lease, beats: dict[str, int]) -> Lease:
    return replace(lease, beat_ms=max(lease.beat_ms, beats.get(lease.session, 0)))


def _admitted(leases: tuple[Lease, ...], one: Admitted, endings: list[Ending]) -> tuple[Lease, ...]:
    try:
        given = admission(leases, one.ask, now_ms=one.at_ms)
    except TooManyPlaying:
        ask = one.ask
        refused = Lease(
            ask.session, ask.device, ask.device_id, ask.asset, one.at_ms, one.at_ms, ask.interval_ms
        )  # fmt: skip
        endings.append(Ending(refused, Why.REFUSED, one.at_ms))
        return leases
    endings += given.endings
    return given.leases
