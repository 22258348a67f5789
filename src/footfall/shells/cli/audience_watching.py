"""What `footfall audience` tells of watch time: who watches now, how far an asset is watched, and the watch log."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from footfall.shells.cli.audience_action import Action, ids_of, say_json, say_more, say_rows, things_of
from footfall.shells.cli.command import Exit, Surroundings, printable

if TYPE_CHECKING:
    from footfall.app.audience_opening import Audience

TENTHS: Final = range(10, 101, 10)


def _viewers(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show how many watch now, and what most of them watch."""
    from footfall.flow.serve.audience import viewers_document

    things_of(audience, arguments)
    if audience.log is None:
        return _nothing(around)
    given = _given(arguments, limit=str(arguments.limit))
    answer = viewers_document(audience.log, given, now_ms=audience.clock.now_ms())
    if arguments.json:
        say_json(answer, around)
        return Exit.OK
    around.say(f"{answer['viewers']:,} watch now.")
    for name in ("assets", "sections"):
        if answer[name]:
            say_rows(answer[name], around, f"{name[:-1]}Id", "viewers", nothing="")
    return Exit.OK


def _completion(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show how far an asset is watched."""
    from footfall.flow.serve.audience import completion_document

    (asset,) = ids_of(audience, arguments, "asset")
    if audience.log is None:
        return _nothing(around)
    given = _given(arguments, **{"asset": asset, "from": getattr(arguments, "from"), "to": arguments.to})
    answer = completion_document(audience.log, given, **_how(audience, arguments))
    if arguments.json:
        say_json(answer, around)
        return Exit.OK
    around.say(f"{printable(asset)}: {answer['playbacks']:,} playbacks that are over, {answer['minutes']} minutes.")
    rows = [{"percent": place, "saw": answer["seen"][place - 1]} for place in TENTHS]
    if answer["playbacks"]:
        say_rows(rows, around, "percent", "saw", nothing="")
    return Exit.OK


def _watched(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show rows of the watch log of a day."""
    from footfall.audience.erased import erased_members
    from footfall.flow.serve.audience import watched_document

    asset = ids_of(audience, arguments, "asset")[0] if arguments.things else None
    if audience.log is None:
        return _nothing(around)
    erased = erased_members(audience.table, arguments.brand)
    given = _given(arguments, day=arguments.day, asset=asset, limit=str(arguments.limit), after=arguments.after or None)
    answer = watched_document(audience.log, given, **_how(audience, arguments), erased=erased)
    if arguments.json:
        say_json(answer, around)
        return Exit.OK
    columns = ("from", "to", "assetId", "member", "session", "milliseconds", "seen")
    say_rows(answer["items"], around, *columns, nothing="There is nothing.")
    say_more(answer, around)
    return Exit.OK


def _given(arguments: argparse.Namespace, **asked: str | None) -> dict[str, list[str]]:
    """Return a question in the words of the routes."""
    return {"brand": [arguments.brand], **{name: [value] for name, value in asked.items() if value is not None}}


def _how(audience: "Audience", arguments: argparse.Namespace) -> Mapping[str, Any]:
    from footfall.app import wiring

    zone = wiring.zone_of(audience.settings, audience.clock)(arguments.brand)
    return {"zone": zone, "shards": audience.settings.stream_shards, "now_ms": audience.clock.now_ms()}


def _nothing(around: Surroundings) -> int:
    around.say("Nothing was counted here yet.")
    return Exit.REFUSED


OF_WATCHING: Final = (
    Action("viewers", "", "tells how many watch now, and what", _viewers),
    Action("completion", "ASSET", "tells how many saw each tenth of an asset, --from a day --to a day", _completion),
    Action("watched", "[ASSET]", "shows what each session watched on a --day", _watched),
)
