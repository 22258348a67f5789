"""`footfall archive watches`: what a brand wants kept by itself, listed, added and removed."""

import argparse
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from rich.table import Table

from footfall.shells.cli.command import Argument, Exit, Surroundings, WrongUsage, printable, whole_from

if TYPE_CHECKING:  # The archive needs an extra; whoever only asks for help does not.
    from footfall.app.archive_watch_acts import WatchActs

ACTIONS = ("list", "add", "remove")
ID_RANDOM_BYTES = 10
ARGUMENTS = (
    Argument("--every", "A watch: how often, in minutes.", shows="N", reads=whole_from(5, 44_640)),
    Argument("--only-changed", "A watch: keep a page only when its text changed.", is_switch=True),
    Argument("--top", "A watch: so many of the most read instead of an address.", shows="N", reads=whole_from(1, 50)),
    Argument("--period", "A watch: the period of that list.", shows="PERIOD", default="day"),
    Argument("--section", "A watch: only what is read most in this section.", shows="SECTION"),
    Argument("--alert", "A watch: an alert whose places are told of changes.", shows="ID"),
)


def watches(acts: "WatchActs", words: Sequence[str], arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked of a brand's watches."""
    action, rest = (words[0], words[1:]) if words else ("list", ())
    if action not in ACTIONS:
        raise WrongUsage(f"watches needs one of {', '.join(ACTIONS)}.")
    if action == "list":
        _show(acts.listed(), around, as_json=arguments.json)
    elif action == "add":
        _show([acts.add(_document(rest, arguments), random=secrets.token_bytes(ID_RANDOM_BYTES))], around,
              as_json=arguments.json)  # fmt: skip
    else:
        if len(rest) != 1:
            raise WrongUsage("watches remove needs the id of one watch.")
        acts.remove(rest[0])
        around.say(f"{printable(rest[0])} is removed; what it kept stays.")
    return Exit.OK


def _document(words: Sequence[str], arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.every is None:
        raise WrongUsage("watches add needs --every, in minutes.")
    if arguments.top is not None and not words:
        rule: dict[str, Any] = {"kind": "popular", "period": arguments.period, "top": arguments.top}
        rule |= {"section": arguments.section} if arguments.section else {}
    elif len(words) == 1 and arguments.top is None:
        rule = {"kind": "page", "url": words[0], "onlyChanged": arguments.only_changed}
    else:
        raise WrongUsage("watches add needs one address, or --top.")
    alert = {"alert": {"places": [arguments.alert]}} if arguments.alert else {}
    return {"rule": {**rule, "everyMinutes": arguments.every}, **alert}


def _show(found: Sequence[dict[str, Any]], around: Surroundings, *, as_json: bool) -> None:
    if as_json:
        around.say(msgspec.json.encode(found).decode())
        return
    table = Table("watch", "name", "every", "on", "next", "says", box=None, pad_edge=False)
    for one in found:
        every = f"{one['rule']['everyMinutes']} min"
        row = (one["id"], one["name"], every, "yes" if one["isOn"] else "no", one["nextAt"] or "soon", one["says"])
        table.add_row(*map(printable, row))
    around.console().print(table)
