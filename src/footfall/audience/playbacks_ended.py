"""The record of playbacks that are over, for whoever asks why, and for analysis: by member and by day."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from zlib import crc32

import msgspec

from footfall.audience import playbacks_keys as keys
from footfall.audience.playbacks import Ending, Lease, Why
from footfall.ports.items import Item, Value
from footfall.ports.table import IndexKey, Put, Table
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, MOMENT_MS_MAX, instant_text

KEPT_MS = 400 * DAY_MS  # A year, and a month to compare it with the one before.
LOOKED_AT_MAX = 100  # newest records, among which a playback that still beats finds its own
RECENT = "recent"


@dataclass(frozen=True, slots=True)
class Ended:
    """One page of playbacks that are over; `after` goes on."""

    endings: Sequence[tuple[str, Ending]]  # each with its member
    after: str | None


def put_of_ending(brand: str, member: str, ending: Ending) -> Put:
    """Return what writes down that a playback is over."""
    lease = ending.lease
    shard = crc32(lease.session.encode()) % keys.DAY_SHARDS
    item: dict[str, Value] = {
        "member": member,
        "session": lease.session,
        "device": lease.device,
        "device_id": lease.device_id,
        "asset": lease.asset,
        "started_ms": lease.started_ms,
        "beat_ms": lease.beat_ms,
        "interval_ms": lease.interval_ms,
        "ended_ms": ending.at_ms,
        "why": ending.why.value,
        "by": ending.by,
        "by_session": ending.by_session,
        "viewer": keys.ended_on(brand, instant_text(ending.at_ms)[:10], shard),
        "recent_ms": ending.at_ms,
    }
    key = keys.ended(brand, member, ended_ms=ending.at_ms, session=lease.session)
    return Put(key, item, expires_at_ms=ending.at_ms + KEPT_MS)


def ending_of(table: Table, brand: str, member: str, session: str) -> Ending | None:
    """Return what became of a playback lately; None when nothing is known of it."""
    found = ended_of(table, brand, member, limit=LOOKED_AT_MAX).endings
    return next((ending for _, ending in found if ending.lease.session == session), None)


def ended_of(table: Table, brand: str, member: str, *, limit: int, after: str = "") -> Ended:
    """Return a member's playbacks that are over, the last first."""
    at_least, at_most = keys.all_ended()
    place = _place_from(after)
    begin = None
    if place.session:
        begin = keys.ended(brand, member, ended_ms=place.ended_ms, session=place.session)
    page = table.query(
        keys.playbacks(brand, member), at_least=at_least, at_most=at_most, backwards=True, limit=limit, after=begin
    )
    told = [ended_from(one.item) for one in page.items]
    if page.after is None or not told:
        return Ended(told, None)
    last = told[-1][1]
    return Ended(told, _text_of(_Place(0, last.at_ms, last.lease.session)))


def ended_on(table: Table, brand: str, day: str, *, limit: int, after: str = "") -> Ended:
    """Return playbacks that were over on a day (UTC), shard after shard and in each the first first."""
    place = _place_from(after)
    begin = None
    if place.session:
        key = keys.ended(brand, place.member, ended_ms=place.ended_ms, session=place.session)
        begin = IndexKey(key.partition, key.sort, place.ended_ms)
    page = table.query(keys.ended_on(brand, day, place.shard), limit=limit, after=begin, index=RECENT)
    told = [ended_from(one.item) for one in page.items]
    if page.after is not None:
        member, last = told[-1]
        return Ended(told, _text_of(_Place(place.shard, last.at_ms, last.lease.session, member)))
    is_last = place.shard + 1 == keys.DAY_SHARDS
    return Ended(told, None if is_last else _text_of(_Place(place.shard + 1)))


class _Place(msgspec.Struct, frozen=True, array_like=True):
    shard: Annotated[int, msgspec.Meta(ge=0, lt=keys.DAY_SHARDS)] = 0
    ended_ms: Annotated[int, msgspec.Meta(ge=0, le=MOMENT_MS_MAX)] = 0
    session: str = ""
    member: str = ""


def _text_of(place: _Place) -> str:
    return urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def _place_from(after: str) -> _Place:
    if not after:
        return _Place()
    try:
        return msgspec.json.decode(urlsafe_b64decode(after + "=" * (-len(after) % 4)), type=_Place)
    except (ValueError, msgspec.MsgspecError) as error:
        raise Refused("after", f"{after[:40]!r} is not what an answer gave to go on from") from error


def ended_from(item: Item) -> tuple[str, Ending]:
    """Return the member and the ending that a record tells of."""
    lease = Lease(
        session=str(item["session"]),
        device=str(item["device"]),
        device_id=str(item["device_id"]),
        asset=str(item["asset"]),
        started_ms=_whole(item["started_ms"]),
        beat_ms=_whole(item["beat_ms"]),
        interval_ms=_whole(item["interval_ms"]),
    )
    ending = Ending(lease, Why(str(item["why"])), _whole(item["ended_ms"]), str(item["by"]), str(item["by_session"]))
    return str(item["member"]), ending


def _whole(value: Value) -> int:
    assert isinstance(value, int), "records hold whole numbers"
    return value
