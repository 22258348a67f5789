"""What `footfall audience` does with histories and playbacks: looks at them, hides, shows, removes and stops."""

import argparse
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from footfall.shells.cli.audience_action import Action, ids_of, say_json, say_more, say_rows
from footfall.shells.cli.command import Exit, Surroundings, printable

if TYPE_CHECKING:
    from footfall.app.audience_opening import Audience

Answer = Mapping[str, Any]


def _history(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show a member's recent series, or all of one."""
    from footfall.app.audience_history import recent, series_of

    if len(arguments.things or ()) > 1:
        member, series = ids_of(audience, arguments, "member", "series")
        return _say(series_of(audience, arguments.brand, member, series=series), "episodes", arguments, around)
    (member,) = ids_of(audience, arguments, "member")
    answer = recent(audience, arguments.brand, member, limit=arguments.limit, after=arguments.after)
    return _say(answer, "series", arguments, around)


def _going_on(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show what a member may continue watching."""
    from footfall.app.audience_history import going_on

    (member,) = ids_of(audience, arguments, "member")
    answer = going_on(audience, arguments.brand, member, limit=arguments.limit, after=arguments.after)
    return _say(answer, "series", arguments, around)


def _next(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show which episode comes next."""
    from footfall.app.audience_history import next_up

    member, series = ids_of(audience, arguments, "member", "series")
    answer = next_up(
        audience, arguments.brand, member, series=series, episodes=None, skip_in_progress=False, rewatching=False
    )
    if arguments.json:
        say_json(answer, around)
    else:
        around.say("There is nothing." if answer["next"] is None else f"{printable(str(answer['next']))}")
    return Exit.OK


def _hide(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Leave a series out of a member's lists."""
    from footfall.audience.history_removing import hide

    member, series = ids_of(audience, arguments, "member", "series")
    now_ms = audience.clock.now_ms()
    if not hide(audience.table, arguments.brand, member, series=series, now_ms=now_ms):
        around.say("There is nothing.")
        return Exit.REFUSED
    around.say("It is hidden until it is watched again.")
    return Exit.OK


def _show(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Let a member's lists have a series again that was hidden."""
    from footfall.audience.history_removing import show

    member, series = ids_of(audience, arguments, "member", "series")
    if not show(audience.table, arguments.brand, member, series=series):
        around.say("There is nothing.")
        return Exit.REFUSED
    around.say("Lists have it again.")
    return Exit.OK


def _resume(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show where a member is in an asset, of a series or of none."""
    from footfall.app.audience_history import resume

    kinds = ("member", "asset", "series")[: max(2, len(arguments.things or ()))]
    member, asset, *series = ids_of(audience, arguments, *kinds)
    answer = resume(audience, arguments.brand, member, series=series[0] if series else "", asset=asset)
    point: Any = answer["point"]
    if arguments.json:
        say_json(answer, around)
    elif point is None:
        around.say("There is nothing.")
        _say_series_unnamed(answer, around)
    else:
        length = "" if point["durationMs"] is None else f" of {_clock(point['durationMs'])}"
        on = f" on {printable(point['device'])}" if point["device"] else ""
        where = f"at {_clock(point['positionMs'])}{length}"
        around.say(f"{printable(asset)}: {point['state']}, {where}, {point['at']}{on}.")
    return Exit.OK


def _clock(ms: int) -> str:
    return str(timedelta(seconds=ms // 1_000))


def _forget(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Remove a series, or an asset, of a series or of none, from a member's history."""
    from footfall.app.audience_history import remove

    is_series = len(arguments.things or ()) == 2 and arguments.things[1].startswith("series:")
    if is_series:
        (member, series), asset = ids_of(audience, arguments, "member", "series"), ""
    else:
        kinds = ("member", "asset", "series")[: max(2, len(arguments.things or ()))]
        member, asset, *named = ids_of(audience, arguments, *kinds)
        series = named[0] if named else ""
    answer = remove(audience, arguments.brand, member, series=series, asset=asset)
    around.say("Nothing was there." if "note" in answer else "It is removed.")
    _say_series_unnamed(answer, around)
    return Exit.OK


def _say_series_unnamed(answer: Answer, around: Surroundings) -> None:
    if "note" in answer:
        around.say("Name the series after the asset, as in series:42, if it was told with one.")


def _playbacks(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show what a member plays now."""
    from footfall.app.audience_playbacks import playing_now

    (member,) = ids_of(audience, arguments, "member")
    answer = playing_now(audience, arguments.brand, member)
    if arguments.json:
        say_json(answer, around)
        return Exit.OK
    columns = ("session", "device", "asset", "startedAt", "lastBeatAt")
    say_rows(_rows(answer, "playing"), around, *columns, nothing="Nothing plays.")
    return Exit.OK


def _ended(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show a member's playbacks that are over."""
    from footfall.app.audience_playbacks import ended

    (member,) = ids_of(audience, arguments, "member")
    answer = ended(audience, arguments.brand, member=member, day="", limit=arguments.limit, after=arguments.after)
    if arguments.json:
        say_json(answer, around)
        return Exit.OK
    columns = ("session", "device", "asset", "startedAt", "endedAt", "why", "by")
    say_rows(_rows(answer, "ended"), around, *columns, nothing="There is nothing.")
    say_more(answer, around)
    return Exit.OK


def _stop(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Take the places of all that a member plays away."""
    import time
    from random import SystemRandom

    from footfall.audience.playbacks import Why
    from footfall.audience.playbacks_kept import Means, end, sweep

    (member,) = ids_of(audience, arguments, "member")
    means, now_ms = Means(SystemRandom(), time.sleep), audience.clock.now_ms()
    playing = sweep(audience.table, arguments.brand, member, now_ms=now_ms, means=means)
    for lease in playing:
        end(
            audience.table, arguments.brand, member, lease.session, now_ms=now_ms, means=means, why=Why.STOPPED,
            by="the operator",
        )  # fmt: skip
    around.say(f"{len(playing)} playbacks are stopped; each is told at its next beat.")
    return Exit.OK


def _say(answer: Answer, name: str, arguments: argparse.Namespace, around: Surroundings) -> int:
    if arguments.json:
        say_json(answer, around)
        return Exit.OK
    columns = ("series", "asset", "state", "positionMs", "durationMs", "at", "device")
    say_rows(_rows(answer, name), around, *columns, nothing="There is nothing.")
    say_more(answer, around)
    return Exit.OK


def _rows(answer: Answer, name: str) -> list[Answer]:
    rows: list[Answer] = answer[name]
    return rows


OF_HISTORY: Final = (
    Action("history", "MEMBER [SERIES]", "shows recent series, or all that was watched of one", _history),
    Action("continue", "MEMBER", "shows what is in progress", _going_on),
    Action("next", "MEMBER SERIES", "shows which episode comes next", _next),
    Action("hide", "MEMBER SERIES", "leaves a series out of lists until it is watched again", _hide),
    Action("show", "MEMBER SERIES", "lets lists have a hidden series again", _show),
    Action("resume", "MEMBER ASSET [SERIES]", "shows where somebody is in an asset", _resume),
    Action("forget", "MEMBER SERIES|ASSET [SERIES]", "removes a series, or one asset, from a history", _forget),
    Action("playbacks", "MEMBER", "shows what plays now", _playbacks),
    Action("ended", "MEMBER", "shows playbacks that are over, and why", _ended),
    Action("stop", "MEMBER", "stops all that plays", _stop),
)
