"""The demo's players: what `footfall demo --video` sends beside the hits of its readers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

import msgspec

from footfall.app.invented_audience import Beat, Cinema, Playback, beats_between, history_of, ping_of
from footfall.shells.cli.calls import Reply, answer_of
from footfall.values.window import HOUR_MS, MINUTE_MS, SECOND_MS

PAST_MS = HOUR_MS  # So that a first look has minutes and completion curves; it is sent within a second or two.
CATCH_UP_MS = 2 * MINUTE_MS  # A server that was away is told the last minutes; older beats leave a hole, as players do.
EVERY_MS = SECOND_MS
BATCH_BEATS_MAX = 1_000  # Some 350 KB, and what a server takes at once unless its settings say otherwise.
EVENTS_MAX = 100  # of histories in one request
TOLD_EVERY = 3  # beats: half a minute, as servers tell histories and keep places

_REFUSED = (401, 403)
_OVER = (409, 410)
_AUDIENCE = "/v1/audience"

Call = Callable[[str, str, Any], Reply]  # a method, a path and what its body says, patiently
Told = Sequence[tuple[Playback, Beat]]


@dataclass(slots=True)
class Show:
    """The players of a demo that is going on."""

    cinema: Cinema
    brand: str
    call: Call
    say: Callable[[str], None]
    knows_members: bool  # A key was given: what members do is told only with one.
    played_to_ms: int = 0
    beats: int = 0
    open: list[Playback] = field(default_factory=list[Playback])
    followed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    placed: set[str] = field(default_factory=set[str])  # sessions that have a place to play
    stopped: set[str] = field(default_factory=set[str])  # sessions that got none, or lost theirs


def begin_show(show: Show, *, now_ms: int, is_described: bool) -> None:
    """Tell what the videos are, and what was watched in the last hour."""
    if is_described:
        described = [{"assetId": one.asset_id, "title": one.title, "tags": [one.section]} for one in show.cinema.videos]
        answer_of(show.call("PUT", f"/v1/assets?brand={show.brand}", described))
    series = sorted((one for one in show.cinema.videos if one.series), key=lambda one: one.asset_id)
    for name, episodes in groupby(series, key=lambda one: one.series):
        order = {"episodes": [one.asset_id for one in episodes]}
        _of_members(show, "PUT", f"/history/series/{name}/episodes", order)
    _play(show, from_ms=now_ms - PAST_MS, to_ms=now_ms, is_live=False)


def play_on(show: Show, *, now_ms: int) -> None:
    """Send what players said since the last time, at most once a second."""
    if now_ms - show.played_to_ms >= EVERY_MS:
        _play(show, from_ms=max(show.played_to_ms, now_ms - CATCH_UP_MS), to_ms=now_ms, is_live=True)


def _play(show: Show, *, from_ms: int, to_ms: int, is_live: bool) -> None:
    begun = show.cinema.playbacks(from_ms, to_ms)
    going_on = [one for one in show.open if one.ends_ms >= from_ms]
    told = beats_between([*going_on, *begun], from_ms=from_ms, to_ms=to_ms)
    for start in range(0, len(told), BATCH_BEATS_MAX):
        some = told[start : start + BATCH_BEATS_MAX]
        # A beat counts once by its session and number, so that sending it again needs no key.
        answer_of(show.call("POST", "/v1/pings", [ping_of(show.brand, one, beat) for one, beat in some]))
        show.beats += len(some)
    _tell_follows(show, begun)
    _tell_histories(show, told, is_live=is_live)
    if is_live:  # A place to play is somebody's by the server's clock: there are none in the past.
        _keep_places(show, told)
    show.open = [one for one in (*going_on, *begun) if one.ends_ms >= to_ms]
    ended = {one.session for one in going_on} - {one.session for one in show.open}
    show.placed -= ended
    show.stopped -= ended
    show.played_to_ms = to_ms


def _tell_follows(show: Show, begun: Sequence[Playback]) -> None:
    for one in begun:
        pair = (f"member:{one.member}", f"series:{one.video.series}")
        named = {"follower": pair[0], "target": pair[1]}
        if one.follows and pair not in show.followed:
            show.followed.add(pair)
            _of_members(show, "PUT", "/follows", None, named)
        elif one.unfollows and not one.follows and pair in show.followed:
            show.followed.discard(pair)
            _of_members(show, "DELETE", "/follows", None, named)


def _tell_histories(show: Show, told: Told, *, is_live: bool) -> None:
    newest = {one.session: (one, beat) for one, beat in told}  # Only where somebody is last stays.
    due = [
        history_of(one, beat)
        for one, beat in newest.values()
        if not is_live or one.is_last(beat) or beat.number % TOLD_EVERY == 0
    ]
    for start in range(0, len(due), EVENTS_MAX):
        _of_members(show, "POST", "/history", {"events": due[start : start + EVENTS_MAX]})


def _keep_places(show: Show, told: Told) -> None:
    for one, beat in told:
        named = {"member": one.member, "session": one.session}
        reply: Reply | None = None
        if one.session in show.stopped:
            continue
        if one.is_last(beat):
            reply = _of_members(show, "POST", "/playbacks/end", named) if one.session in show.placed else None
        elif one.session not in show.placed:
            show.placed.add(one.session)
            about = {"asset": one.video.asset_id, "device": one.device, "deviceId": f"{one.member}-{one.device}"}
            reply = _of_members(show, "POST", "/playbacks", {**named, **about})
        elif beat.number % TOLD_EVERY == 0:
            reply = _of_members(show, "POST", "/playbacks/beat", named)
        if reply is not None and reply.status in _OVER:  # Somebody else of the house has the place.
            show.stopped.add(one.session)


def _of_members(
    show: Show, method: str, path: str, document: Any, parameters: Mapping[str, str] | None = None
) -> Reply | None:
    """Tell what a member does; None where the key may not, which is said once."""
    if not show.knows_members:
        return None
    query = urlencode({"brand": show.brand, **(parameters or {})})
    reply = show.call(method, f"{_AUDIENCE}{path}?{query}", document)
    if reply.status in _REFUSED:
        show.knows_members = False
        show.say("The key has not the scope audience: follows, histories and playbacks are not told.")
        return None
    return reply if reply.status in _OVER else answer_of(reply)


def encoded(document: Any) -> bytes | None:
    """Return a body; None where there is none."""
    return None if document is None else msgspec.json.encode(document)
