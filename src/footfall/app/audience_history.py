"""What a publisher's servers tell and ask of histories: documents in, documents out."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from footfall.app.audience_opening import Audience
from footfall.app.settings import Settings
from footfall.audience import history_next, history_reading, history_removing
from footfall.audience.history import Entry, Recorded, Watching, record
from footfall.audience.history_keys import history
from footfall.audience.history_rule import Progress, WatchedRule, require_progress
from footfall.audience.kept_lists import Kept
from footfall.audience.things import ASSET, ID_BYTES_MAX, MEMBER, SERIES, Thing
from footfall.values.errors import Refused
from footfall.values.hit import require_text
from footfall.values.window import instant_text, moment_from_text

EVENTS_MAX = 100  # in one request
# An episode lies under its series. To look for it in all of a history would cost as much as the history is long.
SERIES_UNNAMED = (
    "nothing is known of it as an asset without a series; an episode that was told with one needs it in `series`"
)
DEVICE_BYTES_MAX = 128
SEQUENCE_MAX = 10**9
FIELDS = (
    "member", "asset", "series", "positionMs", "durationMs", "creditsMs", "ended", "at", "sequence", "device",
)  # fmt: skip

Document = Mapping[str, Any]


def rule_of(settings: Settings) -> WatchedRule:
    """Return from where on something is begun and watched."""
    return WatchedRule(
        ignored_percent=settings.audience_ignored_percent,
        watched_percent=settings.audience_watched_percent,
        short_ms=settings.audience_short_ms,
    )


def id_from(value: object, *, field: str) -> str:
    """Return somebody's own id of a member, an asset or a series, or raise Refused; a number is its text."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise Refused(field, "is missing or no text; send the id that you know it by")
    return require_text(field, value, bytes_max=ID_BYTES_MAX)


def watching_from(document: Document, *, now_ms: int) -> Watching:
    """Return where somebody says that a member was, or raise Refused with the field that is wrong."""
    for name in document:
        if name not in FIELDS:
            raise Refused(str(name)[:64] or "body", f"is no field here; those are {', '.join(FIELDS)}")
    asset = id_from(document.get("asset"), field="asset")
    series = document.get("series")
    ended, at = document.get("ended", False), document.get("at")
    if not isinstance(ended, bool):
        raise Refused("ended", "is neither true nor false")
    if at is not None and not isinstance(at, str):
        raise Refused("at", "is not a moment; write it with its zone, as in 2026-11-15T14:30:00Z")
    progress = Progress(
        _whole(document, "positionMs", is_needed=True) or 0,
        _whole(document, "durationMs"),
        _whole(document, "creditsMs"),
        ended,
    )
    sequence = _whole(document, "sequence") or 0
    if not 0 <= sequence <= SEQUENCE_MAX:
        raise Refused("sequence", f"is {sequence}; it is a whole number from 0 to {SEQUENCE_MAX:,}")
    return Watching(
        member=id_from(document.get("member"), field="member"),
        asset=asset,
        series=asset if series is None else id_from(series, field="series"),
        progress=require_progress(progress),
        at_ms=now_ms if at is None else moment_from_text(at, field="at"),
        sequence=sequence,
        device=text_from(document.get("device", ""), field="device", bytes_max=DEVICE_BYTES_MAX),
    )


def text_from(value: object, *, field: str, bytes_max: int) -> str:
    """Return a text that may be empty, or raise Refused."""
    if not isinstance(value, str):
        raise Refused(field, "is no text")
    return require_text(field, value, bytes_max=bytes_max)


def events_from(document: Document, *, now_ms: int) -> list[Watching]:
    """Return the events of a body: one, or a list of them under `events`."""
    if "events" not in document:
        return [watching_from(document, now_ms=now_ms)]
    events: object = document["events"]
    if len(document) > 1 or not isinstance(events, list) or not events:
        raise Refused("events", "is not a list of what happened, alone in its body")
    listed = cast("list[object]", events)
    if len(listed) > EVENTS_MAX:
        raise Refused("events", f"are {len(listed)}; at most {EVENTS_MAX} are taken at once")
    told: list[Watching] = []
    for place, event in enumerate(listed):
        if not isinstance(event, dict):
            raise Refused(f"events[{place}]", "is not an object")
        try:
            told.append(watching_from(cast("Document", event), now_ms=now_ms))
        except Refused as refused:
            raise Refused(f"events[{place}].{refused.field}", refused.reason) from refused
    return told


def tell(audience: Audience, brand: str, events: Sequence[Watching]) -> list[dict[str, object]]:
    """Keep where members were, all of it in one commit where there is one, and return what came of each."""
    rule, now_ms = rule_of(audience.settings), audience.clock.now_ms()
    with audience.table.together():
        came = [record(audience.table, brand, event, now_ms=now_ms, rule=rule) for event in events]
    return [_document_of_recorded(event, one) for event, one in zip(events, came, strict=True)]


def resume(audience: Audience, brand: str, member: str, *, series: str, asset: str) -> dict[str, object]:
    """Return where a member is in an asset; null where nothing is known of it."""
    entry = history_reading.resume_point(audience.table, brand, member, series=series or asset, asset=asset)
    if entry is None:
        return {"member": member, "point": None, **_note(is_unknown=not series)}
    return {"member": member, "point": document_of(entry, rule_of(audience.settings))}


def remove(audience: Audience, brand: str, member: str, *, series: str, asset: str) -> dict[str, object]:
    """Remove an asset, or all of a series when none is named, or all of a history when neither is."""
    table, now_ms, is_unknown = audience.table, audience.clock.now_ms(), False
    if asset:
        of = series or asset
        is_unknown = not series and history_reading.resume_point(table, brand, member, series=of, asset=asset) is None
        history_removing.remove_asset(table, brand, member, series=of, asset=asset, now_ms=now_ms)
    elif series:
        history_removing.remove_series(table, brand, member, series=series, now_ms=now_ms)
    else:
        history_removing.erase_history(table, brand, member)
    return {"member": member, "removed": True, **_note(is_unknown=is_unknown)}


def latest(audience: Audience, brand: str, member: str, *, series: str) -> dict[str, object]:
    """Return the episode of a series that a member watched last."""
    entry = history_reading.latest_of(audience.table, brand, member, series=series)
    told = None if entry is None else _short(document_of(entry, rule_of(audience.settings)))
    return {"member": member, "latest": told}


def series_of(audience: Audience, brand: str, member: str, *, series: str) -> dict[str, object]:
    """Return all that a member has begun of a series."""
    entries = history_reading.all_of(audience.table, brand, member, series=series)
    rule = rule_of(audience.settings)
    return {"member": member, "series": series, "episodes": [document_of(one, rule) for one in entries]}


def recent(audience: Audience, brand: str, member: str, *, limit: int, after: str) -> dict[str, object]:
    """Return the series that a member watched last."""
    place = history_reading.place_from(after)
    found = history_reading.recent(audience.table, brand, member, limit=limit, after=place)
    return _document_of_recent(member, found, rule_of(audience.settings))


def going_on(audience: Audience, brand: str, member: str, *, limit: int, after: str) -> dict[str, object]:
    """Return what a member may continue watching."""
    rule, place = rule_of(audience.settings), history_reading.place_from(after)
    found = history_reading.going_on(audience.table, brand, member, limit=limit, rule=rule, after=place)
    return _document_of_recent(member, found, rule)


def next_up(  # noqa: PLR0913 - whose, of what, in which order and in which of two ways
    audience: Audience,
    brand: str,
    member: str,
    *,
    series: str,
    episodes: Sequence[str] | None,
    skip_in_progress: bool,
    rewatching: bool,
) -> dict[str, object]:
    """Return which episode comes next; the order is the caller's, or the one that is kept of the series."""
    order = history_next.episodes_of(audience.table, brand, series) if episodes is None else episodes
    if not order:
        raise Refused("series", f"the episodes of {series[:40]!r} are not known; put them, or send them")
    rule = rule_of(audience.settings)
    known = {one.asset: one for one in history_reading.all_of(audience.table, brand, member, series=series)}
    found = history_next.next_up(order, known, rule=rule, skip_in_progress=skip_in_progress, rewatching=rewatching)
    entry = None if found is None else known.get(found)
    return {
        "member": member,
        "series": series,
        "next": found,
        "point": None if entry is None else document_of(entry, rule),
    }


def document_of(entry: Entry, rule: WatchedRule) -> dict[str, object]:
    """Return what is known of a member and an asset, facts and what the rule makes of them."""
    progress = entry.progress
    return {
        "asset": entry.asset,
        "series": entry.series,
        "state": entry.state(rule).value,
        "positionMs": progress.position_ms,
        "durationMs": progress.duration_ms,
        "creditsMs": progress.credits_ms,
        "ended": progress.is_ended,
        "at": instant_text(entry.at_ms),
        "device": entry.device,
        "timesWatched": entry.times_watched(rule),
    }


def kept(audience: Audience, brand: str, thing: Thing) -> list[Kept]:
    """Return all that is kept of a member's history."""
    return [history_removing.kept(audience.table, brand, thing.id)] if thing.kind == MEMBER else []


def erase_some(audience: Audience, brand: str, thing: Thing, limit: int) -> int:
    """Erase up to so many items of a member's history, and return how many there were."""
    if thing.kind != MEMBER:
        return 0
    return history_removing.erase_some(audience.table, history(brand, thing.id), limit=limit)


def _note(*, is_unknown: bool) -> dict[str, object]:
    return {"note": SERIES_UNNAMED} if is_unknown else {}


def _document_of_recorded(event: Watching, came: Recorded) -> dict[str, object]:
    return {
        "member": event.member,
        ASSET: event.asset,
        SERIES: event.series,
        "state": came.state.value,
        "newest": came.is_newest,
        "at": instant_text(came.at_ms),
    }


def _document_of_recent(member: str, found: history_reading.Recent, rule: WatchedRule) -> dict[str, object]:
    return {
        "member": member,
        "series": [_short(document_of(one, rule)) for one in found.entries],
        "after": None if found.after is None else found.after.text,
    }


def _short(document: dict[str, object]) -> dict[str, object]:
    """Leave out what a series' item does not hold: how often its episode was watched."""
    del document["timesWatched"]
    return document


def _whole(document: Document, name: str, *, is_needed: bool = False) -> int | None:
    value = document.get(name)
    if value is None and not is_needed:
        return None
    if type(value) is not int:
        raise Refused(name, "is missing or not a whole number of milliseconds" if is_needed else "is no whole number")
    return value
