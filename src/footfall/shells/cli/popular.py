"""`footfall popular`: the list as a table in the terminal."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from footfall.shells.cli.calls import Caller, Unreachable, answer_of
from footfall.shells.cli.command import BRAND, JSON, URL, Argument, Command, Exit, Surroundings, printable, whole_from


def popular(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the list and show it."""
    with closing(Caller(arguments.url)) as caller:
        reply = answer_of(caller.call("GET", "/v1/popular?" + query_of(arguments)))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    if not isinstance(answer.get("items"), list):
        raise Unreachable("The answer is not a list of popular assets; check that --url is a footfall.")
    show(answer, around)
    return Exit.OK


def query_of(arguments: argparse.Namespace) -> str:
    """Return the query string that asks for what the flags say."""
    pairs = [("brand", arguments.brand), ("period", arguments.period), ("limit", str(arguments.limit))]
    for name, values in (
        ("section", arguments.section),
        ("resourceType", arguments.type),
        ("paidType", arguments.paid),
    ):
        pairs.extend((name, value) for value in values)
    if arguments.closed:
        pairs.append(("closed", "true"))
    return urlencode([(name, value) for name, value in pairs if value is not None])


def show(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Draw the answer: its span and how far it is proven, then its rows."""
    console = around.console()
    console.print(_heading(answer))
    items: Sequence[Mapping[str, Any]] = answer["items"]
    if not items:
        console.print(Text("Nothing was seen in this span."))
        return
    is_bounded = any("hitsAtMost" in item for item in items)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("change")
    table.add_column("asset", overflow="fold")
    table.add_column("hits", justify="right")
    if is_bounded:
        table.add_column("at most", justify="right")
    for name in ("section", "type", "paid"):
        table.add_column(name, overflow="fold")
    for item in items:
        bound = [Text(grouped(item.get("hitsAtMost", item.get("hits"))))] if is_bounded else []
        table.add_row(
            Text(str(item.get("rank", ""))),
            change(item.get("change")),
            printable(item.get("assetId")),
            Text(grouped(item.get("hits"))),
            *bound,
            *(printable(item.get(name)) for name in ("sectionId", "resourceType", "paidType")),
        )
    console.print(table)


def change(places: object) -> Text:
    """Return a change of rank as an arrow: up, down, none, or new in the list."""
    if not isinstance(places, int):
        return Text("new", style="cyan")
    if places == 0:
        return Text("=")
    return Text(f"▲ {places}", style="green") if places > 0 else Text(f"▼ {-places}", style="red")


def grouped(number: object) -> str:
    """Return a whole number with its thousands apart."""
    return f"{number:,}" if isinstance(number, int) else ""


def _heading(answer: Mapping[str, Any]) -> Text:
    parts = [answer.get("brand"), answer.get("period"), f"{answer.get('from')} to {answer.get('to')}"]
    parts.append("exact" if answer.get("exact") else "not exact: hits are at least these")
    if "final" in answer:
        parts.append(f"revision {answer.get('revision')}, {'final' if answer['final'] else 'not final yet'}")
    return Text(" · ").join(printable(part) for part in parts)


COMMAND = Command(
    name="popular",
    says="Show what is read and watched most.",
    example="footfall popular --brand abc --period day --section 563 --section 564 --limit 20",
    run=popular,
    arguments=(
        URL,
        BRAND,
        Argument("--period", "The period: justnow, day, week or one of your own.", shows="PERIOD", default="justnow"),
        Argument("--section", "Only this section; may be repeated.", shows="SECTION", repeated=True),
        Argument("--type", "Only this resource type; may be repeated.", shows="TYPE", repeated=True),
        Argument("--paid", "Only this paid type; may be repeated.", shows="PAID", repeated=True),
        Argument("--limit", "How many assets.", shows="N", reads=whole_from(1, 100), default=20),
        Argument("--closed", "Only windows that are closed, so that the answer stays the same.", is_switch=True),
        JSON,
    ),
)
