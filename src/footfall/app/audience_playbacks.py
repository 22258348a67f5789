"""What a publisher's servers ask of playback limits: documents in and out, and what settings say of plans."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from footfall.app.audience_history import id_from, text_from
from footfall.app.audience_opening import Audience
from footfall.app.audience_playing import Told
from footfall.app.audience_settings import plans_of
from footfall.app.settings import Settings
from footfall.audience.history_removing import erase_some as erase_some_of
from footfall.audience.kept_lists import Kept, Row
from footfall.audience.playbacks import LEASES_MAX, Ask, Policy, document_of_ending, document_of_lease, without_expired
from footfall.audience.playbacks_ended import Ended, ended_from, ended_of, ended_on
from footfall.audience.playbacks_kept import held, held_from
from footfall.audience.playbacks_keys import LEASES, playbacks
from footfall.audience.things import MEMBER, Thing
from footfall.ports.table import Found
from footfall.values.errors import Refused
from footfall.values.window import NotAMoment, moment_from_text

NAME_BYTES_MAX = 128  # of a device, as people call it
STOPPED_MAX = LEASES_MAX

Document = Mapping[str, Any]


def ask_from(document: Document, settings: Settings) -> Ask:
    """Return what a playback asks for, or raise Refused with the field that is wrong."""
    stop: object = document.get("stop", [])
    if not isinstance(stop, list) or len(cast("list[object]", stop)) > STOPPED_MAX:
        raise Refused("stop", "is not a list of sessions whose places are wanted")
    return Ask(
        session=id_from(document.get("session"), field="session"),
        device=text_from(document.get("device", ""), field="device", bytes_max=NAME_BYTES_MAX),
        device_id=text_from(document.get("deviceId", ""), field="deviceId", bytes_max=NAME_BYTES_MAX),
        asset=id_from(document.get("asset"), field="asset"),
        limit=_limit(document.get("plan"), settings),
        policy=Policy(settings.audience_full),
        interval_ms=settings.audience_beat_ms,
        stop=frozenset(id_from(one, field="stop") for one in cast("list[object]", stop)),
    )


def document_of_told(told: Told, *, interval_ms: int) -> dict[str, object]:
    """Return what a player is told: its place, who else plays, whose places were taken."""
    document: dict[str, object] = {
        "recorded": told.is_recorded,
        "beatMs": interval_ms,
        "playing": [document_of_lease(lease) for lease in told.playing],
    }
    if told.lease is not None:
        document |= {"session": told.lease.session, "expiresAt": document_of_lease(told.lease)["expiresAt"]}
    if told.endings:
        document["over"] = [document_of_ending(ending) for ending in told.endings]
    return document


def playing_now(audience: Audience, brand: str, member: str) -> dict[str, object]:
    """Return what a member plays."""
    live, _ = without_expired(held(audience.table, brand, member).leases, now_ms=audience.clock.now_ms())
    return {"member": member, "playing": [document_of_lease(lease) for lease in live]}


def ended(audience: Audience, brand: str, *, member: str, day: str, limit: int, after: str) -> dict[str, object]:
    """Return playbacks that are over: a member's, or those of a day."""
    if bool(member) == bool(day):
        raise Refused("member", "or day is needed, one of them: whose playbacks, or those of which day (UTC)")
    if day:
        _require_day(day)
        found = ended_on(audience.table, brand, day, limit=limit, after=after)
    else:
        found = ended_of(audience.table, brand, member, limit=limit, after=after)
    return {"ended": list(_documents_of(found)), "after": found.after}


def kept(audience: Audience, brand: str, thing: Thing) -> list[Kept]:
    """Return all that is kept of what a member plays and has played."""
    return [Kept(audience.table, playbacks(brand, thing.id), _rows)] if thing.kind == MEMBER else []


def erase_some(audience: Audience, brand: str, thing: Thing, limit: int) -> int:
    """Erase up to so many items of what a member plays and has played, and return how many there were."""
    return erase_some_of(audience.table, playbacks(brand, thing.id), limit=limit) if thing.kind == MEMBER else 0


def _rows(found: Sequence[Found]) -> Iterator[Row]:
    for one in found:
        if one.key.sort == LEASES:
            yield from ({"kind": "playing", **document_of_lease(lease)} for lease in held_from(one.item).leases)
        else:
            yield from (
                {"kind": "ended", **document} for document in _documents_of(Ended([ended_from(one.item)], None))
            )


def _documents_of(found: Ended) -> Iterator[dict[str, object]]:
    for member, ending in found.endings:
        yield {"member": member, **document_of_ending(ending)}


def _require_day(day: str) -> None:
    try:
        moment_from_text(f"{day}T00:00Z", field="day")
    except NotAMoment as error:
        raise Refused("day", f"{day[:40]!r} is no day; write one as in 2026-11-15") from error


def _limit(plan: object, settings: Settings) -> int:
    if plan is None:
        return settings.audience_playbacks_max
    plans = plans_of(settings)
    if not isinstance(plan, str) or plan not in plans:
        raise Refused("plan", f"{str(plan)[:40]!r} is not a plan here; those are {', '.join(plans) or 'not set up'}")
    return plans[plan]
