"""Playback limits as pure functions: who may play, whose place is taken, and what is told to whom.

A lease is a place among the few that a member may have at once. It is held by beats and lasts two beats beyond the
last, by our own clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from footfall.values.errors import FootfallError
from footfall.values.window import instant_text

BEATS_KEPT = 2  # A device that misses so many has lost its place.
LEASES_MAX = 64  # of one member; the largest plan may have no more


class Policy(StrEnum):
    """Who gives way when all places are taken."""

    STOP_OLDEST = "stop-oldest"
    REFUSE_NEWEST = "refuse-newest"


class Why(StrEnum):
    """Why a playback is over."""

    ENDED = "ended"  # by its own player
    STOPPED = "stopped"  # by another device that took its place, or by whoever may
    RELOADED = "reloaded"  # by its own device, which began again
    EXPIRED = "expired"  # its beats stayed away
    REFUSED = "refused"  # it was let in while nobody could look, and there was no place


@dataclass(frozen=True, slots=True)
class Lease:
    """A place that a playback holds."""

    session: str
    device: str  # as people know it
    device_id: str
    asset: str
    started_ms: int
    beat_ms: int  # when it was last heard of
    interval_ms: int  # between its beats

    @property
    def expires_ms(self) -> int:
        """Return when its place is free unless it is heard of before."""
        return self.beat_ms + BEATS_KEPT * self.interval_ms


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a playback."""

    lease: Lease
    why: Why
    at_ms: int
    by: str = ""  # the device that took its place
    by_session: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A playback that wants a place."""

    session: str
    device: str
    device_id: str
    asset: str
    limit: int
    policy: Policy = Policy.STOP_OLDEST
    interval_ms: int = 30_000
    stop: frozenset[str] = frozenset()  # sessions that give way whatever the policy says


@dataclass(frozen=True, slots=True)
class Admission:
    """What a place that was given makes of a member's leases."""

    lease: Lease
    leases: tuple[Lease, ...]
    endings: tuple[Ending, ...]


class TooManyPlaying(FootfallError):
    """All places of a member are taken, and whoever came last has to wait."""

    def __init__(self, playing: Sequence[Lease], *, limit: int) -> None:
        names = ", ".join(sorted({lease.device or lease.device_id or "a device" for lease in playing}))
        super().__init__(f"{len(playing)} of {limit} places are taken, by {names}; stop one of them and try again")
        self.playing = tuple(playing)
        self.limit = limit

    @property
    def more(self) -> Mapping[str, object]:
        """Return which devices play."""
        return {"limit": self.limit, "playing": [document_of_lease(lease) for lease in self.playing]}


class PlaybackOver(FootfallError):
    """A playback has lost its place; it is told why and by whom."""

    def __init__(self, session: str, ending: Ending | None) -> None:
        super().__init__(_sentence(session, ending))
        self.session = session
        self.ending = ending

    @property
    def more(self) -> Mapping[str, object]:
        """Return why it is over, since when, and who took its place."""
        if self.ending is None:
            return {"session": self.session, "why": "unknown"}
        return document_of_ending(self.ending)


class Outrun(FootfallError):
    """Others took and gave back a member's places faster each time; nothing was changed."""


def admission(leases: Sequence[Lease], ask: Ask, *, now_ms: int) -> Admission:
    """Return what comes of a playback that wants a place, or raise TooManyPlaying."""
    live, endings = without_expired(leases, now_ms=now_ms)
    known = next((lease for lease in live if lease.session == ask.session), None)
    if known is not None:  # It asks again: its answer was lost, or it goes on with another asset.
        again = replace(known, asset=ask.asset, beat_ms=max(now_ms, known.beat_ms))
        return Admission(again, tuple(again if lease is known else lease for lease in live), tuple(endings))
    new = Lease(ask.session, ask.device, ask.device_id, ask.asset, now_ms, now_ms, ask.interval_ms)
    staying, left = list[Lease](), list[Ending]()
    for lease in sorted(live, key=_oldest_first):
        why = _gives_way(lease, ask)
        if why is None:
            staying.append(lease)
        else:
            left.append(Ending(lease, why, now_ms, ask.device, ask.session))
    too_many = len(staying) + 1 - ask.limit
    if too_many > 0 and ask.policy is Policy.REFUSE_NEWEST:
        raise TooManyPlaying(staying, limit=ask.limit)
    stopped = staying[: max(too_many, 0)]
    left += [Ending(lease, Why.STOPPED, now_ms, ask.device, ask.session) for lease in stopped]
    return Admission(new, (*staying[len(stopped) :], new), (*endings, *left))


def without_expired(leases: Sequence[Lease], *, now_ms: int) -> tuple[list[Lease], list[Ending]]:
    """Return the leases that are held, and what became of those that are not any more."""
    live = [lease for lease in leases if lease.expires_ms > now_ms]
    gone = [Ending(lease, Why.EXPIRED, lease.expires_ms) for lease in leases if lease.expires_ms <= now_ms]
    return live, gone


def document_of_lease(lease: Lease) -> dict[str, object]:
    """Return a lease as an answer tells it."""
    return {
        "session": lease.session,
        "device": lease.device,
        "deviceId": lease.device_id,
        "asset": lease.asset,
        "startedAt": instant_text(lease.started_ms),
        "lastBeatAt": instant_text(lease.beat_ms),
        "expiresAt": instant_text(lease.expires_ms),
    }


def document_of_ending(ending: Ending) -> dict[str, object]:
    """Return an ended playback as an answer tells it."""
    told = document_of_lease(ending.lease)
    del told["expiresAt"]
    told |= {"endedAt": instant_text(ending.at_ms), "why": ending.why.value}
    return told | ({"by": ending.by, "bySession": ending.by_session} if ending.by_session or ending.by else {})


def _gives_way(lease: Lease, ask: Ask) -> Why | None:
    if ask.device_id and lease.device_id == ask.device_id:
        return Why.RELOADED
    return Why.STOPPED if lease.session in ask.stop else None


def _oldest_first(lease: Lease) -> tuple[int, str]:
    return lease.started_ms, lease.session


def _sentence(session: str, ending: Ending | None) -> str:
    if ending is None:
        return f"{session[:40]!r} has no place here; ask for one to play"
    who = f" by {ending.by}" if ending.by else ""
    match ending.why:
        case Why.STOPPED:
            # Whoever may stop a playback has no session of its own, and reasons of its own.
            since = ", since no more may play at once" if ending.by_session else ""
            return f"this playback was stopped{who}{since}; ask for a place to play again"
        case Why.RELOADED:
            return "this playback was begun again on its own device; go on there"
        case Why.EXPIRED:
            return "this playback was not heard of for two beats and lost its place; ask for one to play again"
        case Why.REFUSED:
            return "this playback began while places could not be counted, and there was none; stop another first"
        case Why.ENDED:
            return "this playback has ended; ask for a place to play again"
