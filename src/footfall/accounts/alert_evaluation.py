"""Whether there is something to tell: from an alert, what it told before and how things stand, to what it tells now.

Pure. Every step has the state that goes with it; whoever stores a step stores both as one, so a process that ends in
between has either told and knows it, or has not and tells it next time.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import Struct, structs

from footfall.accounts.alert_memory import Memory, lately, usual_share
from footfall.accounts.alerts import (
    ASSET_PASSES,
    BRAND_SILENT,
    DAY,
    DROPS_SPIKE,
    MINUTES,
    PAGE_CHANGES,
    Alert,
    hours_of,
)
from footfall.accounts.people import letters
from footfall.values.window import MINUTE_MS, Grain, instant_text, previous_window, window_of, zone_named

HEARD_AGAIN = "brand-heard-again"
SETTLE_MS = 3 * MINUTE_MS  # after its end a window is looked at once more, since its last hits are counted by then
TOLD_MAX = 300  # assets of one window: more would be read by nobody, and the state is one item


class AssetHits(Struct, frozen=True):
    """An asset of a list."""

    asset: str
    hits: int
    title: str = ""
    address: str = ""


class ListAsked(Struct, frozen=True):
    """A list that an alert looks at: a brand's or a section's, between two moments."""

    brand: str
    section: str
    from_ms: int
    to_ms: int


class State(Struct, frozen=True):
    """What an alert has told, as far as that decides what it tells next."""

    told: tuple[tuple[str, int], ...] = ()  # a window with an asset, and until when that is to be known
    settled_ms: int = 0  # the end of the last window that was looked at after it had ended
    silent: int | None = None  # when the last hit was counted before the silence that was told of
    spiking: int | None = None  # when the spike was told of that goes on


class Raised(Struct, frozen=True):
    """Something to tell, once for each alert, key and window."""

    type: str
    key: str
    window_ms: int
    text: str
    about: Mapping[str, Any]

    def id_for(self, alert: Alert) -> str:
        """Return the id by which receivers know what they have had before."""
        said = "\n".join((alert.brand, alert.id, self.type, self.key, str(self.window_ms)))
        return "evt_" + letters(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[:20])


class Step(Struct, frozen=True):
    """A state, and what was told to come to it."""

    state: State
    raised: Raised | None = None


class Facts(Struct, frozen=True):
    """How things stand for a brand; a list that could not be had is not there."""

    now_ms: int
    zone: str
    memory: Memory
    lists: Mapping[ListAsked, Sequence[AssetHits]]


def lists_for(alert: Alert, state: State, *, zone: str, now_ms: int) -> list[ListAsked]:
    """Return the lists that have to be known to evaluate an alert, the oldest first."""
    if alert.kind != ASSET_PASSES:
        return []
    if alert.window == MINUTES:
        end_ms = now_ms - now_ms % MINUTE_MS + MINUTE_MS
        return [ListAsked(alert.brand, alert.section, end_ms - alert.minutes * MINUTE_MS, end_ms)]
    grain = Grain.DAY if alert.window == DAY else Grain.HOUR
    window = window_of(now_ms, grain, zone)
    before = previous_window(window, zone)
    is_due = before.to_ms > max(state.settled_ms, alert.since_ms)
    return [
        ListAsked(alert.brand, alert.section, one.from_ms, one.to_ms) for one in ([before] if is_due else []) + [window]
    ]


def evaluated(alert: Alert, state: State, facts: Facts) -> list[Step]:
    """Return what is to be told now, each with the state after it; nothing when nothing is different."""
    return list(_EVALUATED[alert.kind](alert, state, facts)) if alert.is_on else []


def _assets(alert: Alert, state: State, facts: Facts) -> Iterator[Step]:
    before = state
    state = structs.replace(state, told=tuple(one for one in state.told if one[1] > facts.now_ms))
    for asked in lists_for(alert, state, zone=facts.zone, now_ms=facts.now_ms):
        found = facts.lists.get(asked)
        if found is None:
            break  # A window that could not be read is not passed over.
        for one in found:
            if one.hits < alert.hits:
                continue
            key, until_ms = _told_key(alert, asked, one.asset, facts.now_ms)
            if any(key == name for name, _ in state.told) or len(state.told) >= 2 * TOLD_MAX:
                continue
            state = structs.replace(state, told=(*state.told, (key, until_ms)))
            yield Step(state, _asset_passes(alert, asked, one, facts.now_ms))
            before = state
        if asked.to_ms + SETTLE_MS <= facts.now_ms:
            state = structs.replace(state, settled_ms=asked.to_ms)
    if state != before:
        yield Step(state)


def _told_key(alert: Alert, asked: ListAsked, asset: str, now_ms: int) -> tuple[str, int]:
    """Return what says that an asset was told of, and until when: no hit makes two windows pass."""
    if alert.window == MINUTES:
        return f"#{asset}", now_ms + alert.minutes * MINUTE_MS
    # A window is looked at until the one after it has ended, which may be longer where clocks are set.
    return f"{asked.from_ms}#{asset}", asked.to_ms + 2 * (asked.to_ms - asked.from_ms)


def _asset_passes(alert: Alert, asked: ListAsked, one: AssetHits, now_ms: int) -> Raised:
    window_ms = now_ms if alert.window == MINUTES else asked.from_ms
    name = one.title or one.asset
    span = f"in the last {alert.minutes} minutes" if alert.window == MINUTES else f"in its {alert.window}"
    about: dict[str, Any] = {
        "asset": one.asset,
        "title": one.title or None,
        "address": one.address or None,
        "section": alert.section or None,
        "hits": one.hits,
        "threshold": alert.hits,
        "from": instant_text(asked.from_ms),
        "to": instant_text(asked.to_ms),
    }
    return Raised(ASSET_PASSES, one.asset, window_ms, f"{name} has {one.hits:,} hits {span}.", about)


def _silence(alert: Alert, state: State, facts: Facts) -> Iterator[Step]:
    memory, now_ms = facts.memory, facts.now_ms
    last = {"lastHit": instant_text(memory.counted_at_ms) if memory.counted_at_ms else None}
    if state.silent is not None:
        if memory.counted_at_ms > state.silent:
            text = f"Hits of {alert.brand} are counted again."
            raised = Raised(HEARD_AGAIN, "silent", state.silent, text, {**last, "minutes": alert.minutes})
            yield Step(structs.replace(state, silent=None), raised)
        return
    started_ms = _started_ms(alert.hours, facts.zone, now_ms) if alert.hours else 0
    if started_ms is None:
        return  # These are hours in which nobody needs to hear of it.
    since_ms = max(memory.counted_at_ms, memory.watched_since_ms, alert.since_ms, started_ms)
    if now_ms - since_ms < alert.minutes * MINUTE_MS:
        return
    about = {**last, "minutes": alert.minutes, "since": instant_text(since_ms)}
    text = f"No hit of {alert.brand} was counted for {(now_ms - since_ms) // MINUTE_MS} minutes."
    yield Step(
        structs.replace(state, silent=memory.counted_at_ms), Raised(BRAND_SILENT, "silent", since_ms, text, about)
    )


def _started_ms(hours: str, zone: str, now_ms: int) -> int | None:
    """Return when the hours began that this moment is in; None when it is in none."""
    start, end = hours_of(hours)
    here = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=now_ms)).astimezone(zone_named(zone))
    minute = here.hour * 60 + here.minute
    if not (start <= minute < end if start < end else minute >= start or minute < end):
        return None
    since = (minute - start) % (24 * 60)
    return now_ms - now_ms % MINUTE_MS - since * MINUTE_MS


def _spike(alert: Alert, state: State, facts: Facts) -> Iterator[Step]:
    now = lately(facts.memory, minutes=alert.minutes)
    if now is None:
        return
    is_over = now.lost >= alert.at_least and now.share >= alert.share
    if state.spiking is not None:
        if not is_over:
            yield Step(structs.replace(state, spiking=None))
        return
    usual = usual_share(facts.memory, minutes=alert.minutes)
    if not is_over or (usual is not None and now.share < alert.times * usual):
        return
    about: dict[str, Any] = {
        "minutes": alert.minutes,
        "counted": now.counted,
        "notCounted": now.lost,
        "share": round(now.share, 4),
        "usualShare": None if usual is None else round(usual, 4),
    }
    text = (
        f"{now.lost:,} of the last {now.lost + now.counted:,} hits of {alert.brand} were not counted ({now.share:.0%})."
    )
    raised = Raised(DROPS_SPIKE, "drops", facts.now_ms, text, about)
    yield Step(structs.replace(state, spiking=facts.now_ms), raised)


def example_of(alert: Alert, *, now_ms: int) -> Raised:
    """Return what a test sends: it says that it is one."""
    text = f"This is a test of the alert {alert.name!r} of {alert.brand}. Nothing has happened."
    return Raised("test", "test", now_ms, text, {"kind": alert.kind})


_EVALUATED: Final[Mapping[str, Callable[[Alert, State, Facts], Iterator[Step]]]] = {
    ASSET_PASSES: _assets,
    BRAND_SILENT: _silence,
    DROPS_SPIKE: _spike,
    PAGE_CHANGES: lambda _alert, _state, _facts: iter(()),  # Whoever archives tells it (app/archive_watching.py).
}
