"""What an operator asks of an instance, and how it is answered where none runs: by being it for that long."""

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from footfall.accounts.brands import require_brand_name
from footfall.app import wiring
from footfall.app.brand_control import is_about_brands
from footfall.app.brand_control import run_offline as run_brands_offline
from footfall.app.control_audit import is_about_metrics, recount_note, replay_note, write_down
from footfall.app.control_socket import OnProgress
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import take_lock
from footfall.app.settings import Settings
from footfall.flow.count.aside import Place, aside, place_at, record_at, replay_of, require_kind
from footfall.flow.stream.beats import Beats, PlayState, beats_from_record
from footfall.flow.stream.raw import RawHits, StreamRaw
from footfall.flow.stream.records import Pack, Unreadable, pack_from_record
from footfall.ports.stream import Entry, Stream
from footfall.ports.table import Table
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import Refused
from footfall.values.groups import (
    brands_of_groups,
    follows_name,
    held_in,
    is_of_follows,
    is_of_pings,
    pings_group,
    unfollows_name,
)
from footfall.values.window import instant_text

LISTED_MAX = 1_000
FIELDS = ("assetId", "sectionId", "resourceType", "paidType")  # of a hit, as its sender names them
REPLAYED_MAX = 10_000  # At once; the command says how many are left.
OFFLINE_WAIT_S = 0.5
HITS, PINGS = "hits", "pings"
NEVER_REPLAYED = (
    "pings are listed and shown, not replayed: a beat counts after the one before it in its session, "
    "and what that session came to has been told"
)
ASIDE_OF: Final[Mapping[str, Callable[[str], str]]] = {
    HITS: str,
    PINGS: pings_group,
    "follows": follows_name,
    "unfollows": unfollows_name,
}


@dataclass(frozen=True, slots=True)
class Replay:
    """Set-aside records to append again, and how many stay where they are and why."""

    entries: list[Entry]
    left: int = 0
    reason: str = ""  # of the first that stays

    def report(self) -> Mapping[str, Any]:
        """Return what the operator is told when the entries are in the stream."""
        stays = {"left": self.left, "reason": self.reason} if self.left else {}
        return {"replayed": len(self.entries), **stays}


def run_offline(settings: Settings, request: Mapping[str, Any], on_progress: OnProgress) -> Mapping[str, Any]:
    """Do what is asked on a directory that no instance runs on."""
    if is_about_brands(request):
        return run_brands_offline(settings, request)
    if is_about_metrics(request):
        from footfall.app.metric_control import run_metrics

        return run_metrics(settings, request)
    # Counting brings numpy along, which the front, a reader of this module, has no use for.
    from footfall.app.counting import Counting, recounted

    lock = take_lock(Path(settings.data_dir), wait_s=OFFLINE_WAIT_S)
    settings = kept_settings(settings.data_dir) or settings
    clock = SystemClock()
    try:
        with (
            closing(wiring.open_stream_to_write(settings, clock)) as stream,
            closing(wiring.open_store(settings, clock)) as table,
        ):
            counting = Counting(settings, stream, table, clock=clock)
            counting.drain()
            require_known_brand(request, settings, stream)
            if request.get("do") == "recount":
                asked = asked_from(request)
                write_down(settings, clock, recount_note(*asked, user=request.get("user")))
                return recounted(counting, *asked, on_progress=on_progress)
            answered = answer_about_aside(table, StreamRaw(stream), request, clock=clock)
            if isinstance(answered, Mapping):
                return answered
            if answered.entries:
                write_down(settings, clock, replay_note(request, records=len(answered.entries)))
            stream.append(answered.entries)
            counting.drain()
            return answered.report()
    finally:
        os.close(lock)


def require_known_brand(request: Mapping[str, Any], settings: Settings, stream: Stream) -> None:
    """Refuse a brand that is not set up and was never heard of: most likely it is misspelt."""
    name = _brand(request.get("brand"))
    stored = wiring.brand_lookup(settings, SystemClock())
    if name not in settings.brands and name not in brands_of_groups(stream.appended()) and not stored.is_known(name):
        raise Refused("brand", f"{name!r} is not a brand of {settings.data_dir}, and no hit of it was ever accepted")


def asked_from(request: Mapping[str, Any]) -> tuple[str, int, int]:
    """Return the brand and the range that a request wants counted again."""
    brand, from_ms, to_ms = request.get("brand"), request.get("from_ms"), request.get("to_ms")
    if not isinstance(from_ms, int) or not isinstance(to_ms, int):
        raise Refused("from", "and `to` must be whole milliseconds")
    return _brand(brand), from_ms, to_ms


def answer_about_aside(
    table: Table, raw: RawHits, request: Mapping[str, Any], *, clock: Clock
) -> Mapping[str, Any] | Replay:
    """Return the answer to a question about what was set aside; for a replay, what to append."""
    brand, kind = _brand(request.get("brand")), str(request.get("kind", "dead"))
    require_kind(kind)
    group = _group(brand, request.get("of", HITS))
    match request.get("do"):
        case "side-list":
            return _listed(table, raw, group, kind, request)
        case "side-show":
            return _shown(table, raw, group, kind, str(request.get("position", "")))
        case "side-replay":
            if is_of_pings(group):
                raise Refused("of", NEVER_REPLAYED)
            return _replay(table, raw, group, kind, request, now_ms=clock.now_ms())
        case other:
            raise Refused("do", f"{other!r} is not something that can be asked")


def _listed(table: Table, raw: RawHits, brand: str, kind: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    limit = min(int(request.get("limit") or LISTED_MAX), LISTED_MAX)
    after = str(request.get("after") or "")
    found: list[Place] = []
    is_after = not after
    for place in aside(table, brand, kind):
        if is_after:
            found.append(place)
        is_after = is_after or place.position == after
        if len(found) > limit:
            break
    held = held_in(brand)
    items = [
        {"position": place.position, held: _held_at(raw, brand, place), "reason": place.reason}
        for place in found[:limit]
    ]
    return {"items": items, "more": len(found) > limit}


def _held_at(raw: RawHits, brand: str, place: Place) -> int | None:
    """Return how many were set aside at a place; None where a whole record was, and it is not kept any more."""
    if place.places:
        return len(place.places)
    record = raw.record(brand, place.shard, place.sequence)
    return None if record is None else record.weight or None  # What came again by a replay weighs nothing.


def _shown(table: Table, raw: RawHits, brand: str, kind: str, position: str) -> Mapping[str, Any]:
    place = place_at(table, brand, kind, position)
    record = record_at(raw, brand, place)
    arrived = instant_text(record.arrived_at_ms)
    shown: dict[str, Any] = {"position": position, "reason": place.reason, "arrived": arrived}
    try:
        if is_of_pings(record.group):
            return shown | {"pings": _pings_shown(beats_from_record(record.data), place)}
        pack = pack_from_record(record.data)
    except Unreadable:
        return shown | {"bytes": record.data[:2_000].hex()}
    places = place.places or range(len(pack.keys))
    if is_of_follows(record.group):
        return shown | {held_in(record.group): [_follow_shown(pack, one) for one in places]}
    hits = [
        {
            **dict(zip(FIELDS, pack.keys[one], strict=True)),
            "at": instant_text(pack.at_ms[one]) if pack.at_ms else arrived,
        }
        for one in places
    ]
    return shown | {"hits": hits}


def _follow_shown(pack: Pack, one: int) -> dict[str, Any]:
    kind, _, follower_kind, _ = pack.keys[one]
    at_ms = pack.arrived_at_ms if pack.at_ms is None else pack.at_ms[one]
    return {"kind": kind, "followerKind": follower_kind, "at": instant_text(at_ms)}


def _pings_shown(beats: Beats, place: Place) -> list[dict[str, Any]]:
    return [
        {
            "session": beats.sessions[one],
            "sequence": beats.numbers[one],
            "assetId": beats.keys[one][0],
            "playhead": beats.playheads_ms[one] / 1_000,
            "state": PlayState(beats.states[one]).name.lower(),
            "at": instant_text(beats.at_ms[one]),
        }
        for one in place.places or range(len(beats.keys))
    ]


def _replay(table: Table, raw: RawHits, brand: str, kind: str, request: Mapping[str, Any], *, now_ms: int) -> Replay:
    if not request.get("all"):
        place = place_at(table, brand, kind, str(request.get("position", "")))
        return Replay([replay_of(record_at(raw, brand, place), place, kind, now_ms=now_ms)])
    entries: list[Entry] = []
    left, reason = 0, ""
    for place in aside(table, brand, kind):
        if len(entries) >= REPLAYED_MAX:
            return Replay(entries, left + 1, reason or f"{REPLAYED_MAX:,} are replayed at once; ask again")
        try:
            entries.append(replay_of(record_at(raw, brand, place), place, kind, now_ms=now_ms))
        except Refused as refused:
            # Not kept any more, still unreadable or still in the future: it stays where it is listed.
            left, reason = left + 1, reason or refused.reason
    return Replay(entries, left, reason)


def _group(brand: str, of: object) -> str:
    """Return the group of the stream whose records were set aside."""
    named = ASIDE_OF.get(str(of))
    if named is None:
        raise Refused("of", f"{str(of)[:40]!r} is none of {', '.join(ASIDE_OF)}")
    return named(brand)


def _brand(name: object) -> str:
    require_brand_name(str(name))
    return str(name)
