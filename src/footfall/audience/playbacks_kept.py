"""Leases in the table: all of a member are one item, so that a place is given in one write.

Whoever gives a place has read the item, and writes it on the condition that it is still the version that was read: of
two who race, one reads again. A beat changes its own lease alone, on the condition that it is still there.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from footfall.audience import playbacks_keys as keys
from footfall.audience.playbacks import (
    LEASES_MAX,
    Admission,
    Ask,
    Ending,
    Lease,
    Outrun,
    PlaybackOver,
    Why,
    admission,
    without_expired,
)
from footfall.audience.playbacks_ended import ending_of, put_of_ending
from footfall.ports.errors import Changed
from footfall.ports.items import Item, Value
from footfall.ports.table import Absent, Condition, Equals, Key, Put, Table, Update

TRIES_MAX = 400  # Twice as many as ever raced for one member's places in a test; each waits a little longer.
PAUSE_MS_MAX = 40
_LEASE, _BEAT, _ON = "l:", "b:", "on:"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Means:
    """What a race needs: chance, and a way to wait."""

    chance: Random
    pause: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Held:
    """The leases of a member as one version of the item has them; None when there is no item."""

    version: int | None
    leases: tuple[Lease, ...]


Change = Callable[[tuple[Lease, ...]], tuple[tuple[Lease, ...], Sequence[Ending], _T]]


def held(table: Table, brand: str, member: str) -> Held:
    """Return a member's leases, those that have expired among them."""
    item = table.get(keys.leases(brand, member))
    return Held(None, ()) if item is None else held_from(item)


def admit(table: Table, brand: str, member: str, ask: Ask, *, now_ms: int, means: Means) -> Admission:
    """Give a playback a place, or raise TooManyPlaying; never more places than there are, whoever races."""

    def change(leases: tuple[Lease, ...]) -> tuple[tuple[Lease, ...], Sequence[Ending], Admission]:
        given = admission(leases, ask, now_ms=now_ms)
        return given.leases, given.endings, given

    return change_leases(table, brand, member, change, now_ms=now_ms, means=means)


def beat(table: Table, brand: str, member: str, session: str, *, now_ms: int) -> Held:
    """Keep a playback's place for two more beats, or raise PlaybackOver with what became of it."""
    update = Update(
        keys.leases(brand, member),
        set={_BEAT + session: now_ms},
        add={"version": 1},
        expects=(Equals(_ON + session, value=True),),
    )
    try:
        return held_from(table.update(update))
    except Changed:
        raise PlaybackOver(session, ending_of(table, brand, member, session)) from None


def end(  # noqa: PLR0913 - which playback, why it is over, and what a race needs
    table: Table,
    brand: str,
    member: str,
    session: str,
    *,
    now_ms: int,
    means: Means,
    why: Why = Why.ENDED,
    by: str = "",
) -> Ending:
    """Give a playback's place back, or raise PlaybackOver when it has none."""

    def change(leases: tuple[Lease, ...]) -> tuple[tuple[Lease, ...], Sequence[Ending], Ending | None]:
        live, endings = without_expired(leases, now_ms=now_ms)
        lease = next((lease for lease in live if lease.session == session), None)
        if lease is None:
            return tuple(live), endings, None
        ending = Ending(lease, why, now_ms, by)
        return tuple(one for one in live if one is not lease), [*endings, ending], ending

    ending = change_leases(table, brand, member, change, now_ms=now_ms, means=means)
    if ending is None:
        raise PlaybackOver(session, ending_of(table, brand, member, session))
    return ending


def sweep(table: Table, brand: str, member: str, *, now_ms: int, means: Means) -> Sequence[Lease]:
    """Write down what has expired, and return what plays."""

    def change(leases: tuple[Lease, ...]) -> tuple[tuple[Lease, ...], Sequence[Ending], Sequence[Lease]]:
        live, endings = without_expired(leases, now_ms=now_ms)
        return tuple(live), endings, live

    return change_leases(table, brand, member, change, now_ms=now_ms, means=means)


def change_leases(table: Table, brand: str, member: str, change: Change[_T], *, now_ms: int, means: Means) -> _T:
    """Read a member's leases, change them, and write them if nobody else has meanwhile; else begin again."""
    for tried in range(TRIES_MAX):
        # On SQLite nobody else writes between the two; elsewhere the condition holds it.
        with suppress(Changed), table.together():
            before = held(table, brand, member)
            leases, endings, told = change(before.leases)
            if leases != before.leases or endings:
                _write(table, brand, member, before, leases, endings, now_ms=now_ms)
            return told
        means.pause(means.chance.uniform(0, min(PAUSE_MS_MAX, 1 + tried)) / 1_000)
    raise Outrun(f"{TRIES_MAX} others changed the places of {member[:40]!r} just now; ask again in a moment")


def held_from(item: Item) -> Held:
    """Return the leases that an item holds."""
    leases: list[Lease] = []
    for name, value in item.items():
        if name.startswith(_LEASE):
            assert isinstance(value, Sequence), "a lease is a list"
            session = name.removeprefix(_LEASE)
            device, device_id, asset, started_ms, interval_ms = value
            beat_ms = item[_BEAT + session]
            leases.append(
                Lease(
                    session, str(device), str(device_id), str(asset), _whole(started_ms), _whole(beat_ms),
                    _whole(interval_ms),
                )
            )  # fmt: skip
    return Held(_whole(item["version"]), tuple(sorted(leases, key=lambda one: (one.started_ms, one.session))))


def _write(  # noqa: PLR0913 - where, what was there, and what comes in its place
    table: Table,
    brand: str,
    member: str,
    before: Held,
    leases: Sequence[Lease],
    endings: Sequence[Ending],
    *,
    now_ms: int,
) -> None:
    assert len(leases) <= LEASES_MAX, "no plan has more places"
    # A first version is unlike any that an erased item had, so that nobody takes the one for the other.
    version = now_ms * 1_000 if before.version is None else before.version + 1
    expects: tuple[Condition, ...] = (Absent(),) if before.version is None else (Equals("version", before.version),)
    put = Put(_key(brand, member), {"version": version, **_attributes(leases)}, expects=expects)
    if endings:
        table.transact([put, *(put_of_ending(brand, member, ending) for ending in endings)])
    else:
        table.put(put)


def _key(brand: str, member: str) -> Key:
    return keys.leases(brand, member)


def _attributes(leases: Sequence[Lease]) -> dict[str, Value]:
    item: dict[str, Value] = {}
    for lease in leases:
        item[_LEASE + lease.session] = [
            lease.device, lease.device_id, lease.asset, lease.started_ms, lease.interval_ms,
        ]  # fmt: skip
        item[_BEAT + lease.session] = lease.beat_ms
        item[_ON + lease.session] = True
    return item


def _whole(value: Value) -> int:
    assert isinstance(value, int), "leases hold whole numbers"
    return value
