"""`footfall alerts`: what a brand wants to be told of, where to, and what was told."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from rich.table import Table

from footfall.accounts.alerts import KINDS, WINDOWS
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

ACTIONS: Final = ("list", "add", "remove", "test", "history")
NAMES_ONE: Final = ("remove", "test")
_OF_ADD: Final[Mapping[str, str]] = {
    "kind": "kind", "name": "name", "hits": "hits", "window": "window", "minutes": "minutes", "section": "section",
    "hours": "hours", "share": "share", "at_least": "atLeast", "times": "times", "webhook": "webhooks",
    "email": "emails",
}  # fmt: skip


class WhichAlert(WrongUsage):
    """The arguments do not say which alert is meant, or what it is to be."""


def alerts(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with a brand's alerts."""
    action: str = arguments.action
    settings = settings_of(arguments, around)
    answer = ask(settings, _request(arguments), on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
    else:
        _SHOWS[action](answer, around)
    is_refused = action == "test" and not all(one["isTaken"] for one in answer["deliveries"])
    return Exit.REFUSED if is_refused else Exit.OK


def _request(arguments: argparse.Namespace) -> dict[str, Any]:
    action: str = arguments.action
    said = {name: getattr(arguments, flag) for flag, name in _OF_ADD.items() if getattr(arguments, flag)}
    if action in NAMES_ONE and arguments.id is None:
        raise WhichAlert(f"{action} needs the id of an alert; footfall alerts list shows them.")
    if action not in NAMES_ONE and arguments.id is not None:
        raise WhichAlert(f"{action} takes no id.")
    if action != "add" and said:
        raise WhichAlert("What an alert is to be is said with add, and nowhere else.")
    if action == "add" and not ("kind" in said and "name" in said):
        raise WhichAlert("add needs --kind and --name, and --webhook or --email.")
    do = "alerts-history-show" if action == "history" else f"alerts-{action}"
    return {
        "do": do,
        "brand": arguments.brand,
        "id": arguments.id,
        "alert": said,
        "after": arguments.after or "",
    }


def _show_list(answer: Mapping[str, Any], around: Surroundings) -> None:
    if not answer["alerts"]:
        around.say(f"{answer['brand']} has no alerts; footfall alerts add makes one.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("id", "name", "tells", "on", "to"):
        table.add_column(column, overflow="fold")
    for one in answer["alerts"]:
        to = ", ".join(f"{place} (off)" if place in one["turnedOff"] else place for place in _places(one))
        cells = (one["id"], one["name"], _condition(one), "yes" if one["isOn"] else "no", to)
        table.add_row(*(printable(cell) for cell in cells))
    around.console().print(table)


def _show_added(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(answer["id"])
    around.say(answer["secret"])
    around.complain("The second line signs its messages; it is shown this once.")


def _show_removed(answer: Mapping[str, Any], around: Surroundings) -> None:
    around.say(f"Removed {answer['id']}: nothing is told any more, also of what was on its way.")


def _show_test(answer: Mapping[str, Any], around: Surroundings) -> None:
    for one in answer["deliveries"]:
        around.say(f"{'taken' if one['isTaken'] else 'not taken'}  {printable(one['to'])}  {printable(one['said'])}")


def _show_history(answer: Mapping[str, Any], around: Surroundings) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("at", "alert", "what", "deliveries"):
        table.add_column(column, overflow="fold")
    for one in answer["items"]:
        ways = "; ".join(f"{way['to']}: {way['state']} {way['said']}".strip() for way in one["deliveries"])
        table.add_row(*(printable(cell) for cell in (one["at"], one["alert"]["name"], one["text"], ways)))
    around.console().print(table)
    if "after" in answer:
        around.complain(f"There are older ones: --after '{answer['after']}' shows them.")


def _places(alert: Mapping[str, Any]) -> list[str]:
    return [*alert["webhooks"], *alert["emails"]]


def _condition(alert: Mapping[str, Any]) -> str:
    fields = ("hits", "window", "minutes", "section", "hours", "share", "atLeast", "times")
    said = ", ".join(f"{name} {alert[name]}" for name in fields if alert.get(name) is not None)
    return f"{alert['kind']}: {said}"


_SHOWS: Final[Mapping[str, Callable[[Mapping[str, Any], Surroundings], None]]] = {
    "list": _show_list,
    "add": _show_added,
    "remove": _show_removed,
    "test": _show_test,
    "history": _show_history,
}


def _share(value: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{value!r} is not a number such as 0.2") from error


COMMAND = Command(
    name="alerts",
    says="List, add, remove or test what a brand wants to be told of, or show what was told.",
    example="footfall alerts list --data data --brand abc",
    more_examples=(
        "footfall alerts add --data data --brand abc --kind asset-passes --name 'Front page' --hits 1000 "
        "--webhook https://hooks.example.com/footfall",
        "footfall alerts add --data data --brand abc --kind brand-silent --name Silence --minutes 15 "
        "--hours 07:00-23:00 --webhook https://hooks.example.com/footfall",
        "footfall alerts test al_3k7mqz2v9xw4t6ra --data data --brand abc",
        "footfall alerts history --data data --brand abc",
    ),
    run=alerts,
    tells="An alert tells that an asset passes a number of hits, that no hit is counted, or that more hits than usual\n"
    "are not counted. test sends a message to every place now, and tells what came back. E-mail needs smtp_host.",
    exits={Exit.REFUSED: "it was refused, or a place did not take a test"},
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("id", "Which alert.", shows="ID", may_be_absent=True),
        DATA,
        CONFIG,
        BRAND,
        Argument("--kind", "What to tell.", choices=KINDS),
        Argument("--name", "What the alert is called.", shows="TEXT"),
        Argument("--hits", "asset-passes: from how many hits on.", shows="N", reads=whole_from(1, 1_000_000_000)),
        Argument("--window", "asset-passes: in an hour, a day, or the last minutes.", choices=WINDOWS),
        Argument("--minutes", "How many minutes.", shows="N", reads=whole_from(1, 1_440)),
        Argument("--section", "asset-passes: only in this section.", shows="TEXT"),
        Argument("--hours", "brand-silent: only in these hours of the brand's day.", shows="HH:MM-HH:MM"),
        Argument("--share", "drops-spike: from which share of lost hits on, as 0.2.", shows="NUMBER", reads=_share),
        Argument(
            "--at-least", "drops-spike: from how many lost hits on.", shows="N", reads=whole_from(1, 1_000_000_000)
        ),
        Argument("--times", "drops-spike: how often the usual share.", shows="NUMBER", reads=_share),
        Argument("--webhook", "An address to post to; may be repeated.", shows="URL", repeated=True),
        Argument("--email", "An address to mail to; may be repeated.", shows="EMAIL", repeated=True),
        Argument("--after", "Go on where the last history ended.", shows="PLACE"),
        JSON,
    ),
)
