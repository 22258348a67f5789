"""`footfall dead-letters`: what was set aside of hits, pings and follows, what is wrong with it, and another try."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.table import Table

from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import (
    BRAND,
    CONFIG,
    DATA,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    printable,
    whole_from,
)
from footfall.shells.cli.recount import shown_progress

ACTIONS = ("list", "show", "replay")
KINDS = ("dead", "late", "future", "unlabelled")
OF = ("hits", "pings", "follows", "unfollows")


class WhichOne(WrongUsage):
    """The flags do not say which of the hits set aside is meant."""


def dead_letters(arguments: argparse.Namespace, around: Surroundings) -> int:
    """List the hits set aside, show one, or have one or all counted again."""
    request = request_of(arguments)
    settings = settings_of(arguments, around)
    with shown_progress(f"{arguments.action} {arguments.kind}", around) as on_progress:
        done = ask(settings, request, on_progress=on_progress)
    if arguments.action == "replay":
        _say_replayed(done, arguments, around)
    elif arguments.action == "show" or arguments.json:
        around.say(msgspec.json.format(msgspec.json.encode(done), indent=2).decode())
    else:
        _show(done.get("items", ()), arguments, around, more=bool(done.get("more")))
    return Exit.OK


def _say_replayed(done: Mapping[str, Any], arguments: argparse.Namespace, around: Surroundings) -> None:
    """Say how many records were replayed, and why others were not."""
    held = f"{arguments.kind} {arguments.of}"
    records = _records(int(done.get("replayed", 0)), held)
    around.say(f"{records} of {arguments.brand} sent into the stream again.")
    left = int(done.get("left", 0))
    if left:
        stays = "stays where it is" if left == 1 else "stay where they are"
        around.say(f"{_records(left, held)} {stays}: {printable(done.get('reason'))}.")
    elif not done.get("replayed"):
        around.say(f"No {held} of {arguments.brand} are set aside.")


def _records(count: int, held: str) -> str:
    return f"1 record of {held}" if count == 1 else f"{count:,} records of {held}"


def request_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the flags ask for, or raise WhichOne."""
    action, position = arguments.action, arguments.position
    request: dict[str, Any] = {"do": f"side-{action}", "brand": arguments.brand, "kind": arguments.kind}
    if arguments.of != OF[0]:
        request["of"] = arguments.of
    if action == "list":
        if position is not None or arguments.all:
            raise WhichOne("list takes no POSITION and no --all; use --after and --limit.")
        return request | {"limit": arguments.limit, "after": arguments.after}
    if action == "show" and (position is None or arguments.all):
        raise WhichOne("show needs one POSITION, as footfall dead-letters list prints it.")
    if action == "replay" and (position is None) != arguments.all:
        raise WhichOne("replay needs either one POSITION, as footfall dead-letters list prints it, or --all.")
    return request | ({"all": True} if arguments.all else {"position": position})


def _show(
    items: Sequence[Mapping[str, Any]], arguments: argparse.Namespace, around: Surroundings, *, more: bool
) -> None:
    if not items:
        around.say(f"No {arguments.kind} {arguments.of} of {arguments.brand}.")
        return
    names = list(dict.fromkeys(name for item in items for name in item))
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in names:
        table.add_column(printable(name), overflow="fold")
    for item in items:
        table.add_row(*(printable(_cell(item.get(name))) for name in names))
    around.console().print(table)
    if more:
        around.say(f"There are more: --after {printable(items[-1].get('position'))}")


def _cell(value: object) -> object:
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


COMMAND = Command(
    name="dead-letters",
    says="List, show or replay the hits that were set aside.",
    example="footfall dead-letters replay --data data --brand abc --kind late --all",
    run=dead_letters,
    tells="Dead hits could not be read, late ones were too old when they arrived, future ones were ahead of the\n"
    "clock, unlabelled ones wait for the catalogue. A replay counts each at its own time, and once. So it is with\n"
    "follows and unfollows (--of follows), of which there are only dead ones. The beats of players (--of pings) are\n"
    "listed and shown, and not replayed: what their sessions came to has been told.",
    more_examples=(
        "footfall dead-letters list --data data --brand abc --kind late",
        "footfall dead-letters show 0:1234 --data data --brand abc --kind late",
        "footfall dead-letters replay --data data --brand abc --of follows --all",
    ),
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("position", "Which hit, as list prints it.", shows="POSITION", may_be_absent=True),
        DATA,
        CONFIG,
        BRAND,
        Argument("--kind", "Why they were set aside.", choices=KINDS, default="dead"),
        Argument(
            "--of",
            "What was set aside: hits, the beats of players, follows, or follows that ended.",
            choices=OF,
            default=OF[0],
        ),
        Argument("--all", "Replay all of the kind.", is_switch=True),
        Argument("--limit", "How many to list.", shows="N", reads=whole_from(1, 1_000), default=50),
        Argument("--after", "List those after this position.", shows="POSITION"),
        JSON,
    ),
)
