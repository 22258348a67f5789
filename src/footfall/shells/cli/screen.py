"""`footfall screen try`: what rules would have changed in the past, before anybody switches them on."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.table import Table
from rich.text import Text

from footfall.accounts.brands import SCREENING_MODES
from footfall.app.kept_settings import kept_settings
from footfall.shells.cli.asking import settings_of
from footfall.shells.cli.command import (
    CONFIG,
    DATA,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    brand_name,
    moment,
    printable,
    whole_from,
)
from footfall.shells.cli.popular import grouped
from footfall.shells.cli.recount import EndsBeforeItStarts, shown_progress
from footfall.shells.cli.rules import document_of
from footfall.values.window import instant_text

ACTIONS: Final = ("try",)
LIMIT_DEFAULT, LIMIT_MAX = 10, 100


def screen(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Try the rules of a file and print what would change."""
    from footfall.app.trying import TryOrder, tried

    from_ms: int = vars(arguments)["from"]
    to_ms = around.clock.now_ms() if arguments.to is None else arguments.to
    if from_ms >= to_ms:
        raise EndsBeforeItStarts(
            f"--from {instant_text(from_ms)} is not before --to {instant_text(to_ms)}; give an earlier --from."
        )
    settings = settings_of(arguments, around)
    if settings.ground != "aws":  # Shards and limits are those of the instance.
        settings = kept_settings(settings.data_dir) or settings
    order = TryOrder(
        document_of(Path(arguments.rules)),
        from_ms,
        to_ms,
        brand=arguments.brand or "",
        mode=arguments.mode or "",
        limit=arguments.limit,
    )
    with shown_progress("trying", around) as on_share:
        report = tried(settings, order, clock=around.clock, on_share=on_share)
    if arguments.json:
        around.say(msgspec.json.encode(report).decode())
        return Exit.OK
    _show(report, around)
    return Exit.OK


def _show(report: Mapping[str, Any], around: Surroundings) -> None:
    if not report["brands"]:
        around.say("No brand has hits here.")
    for one in report["brands"]:
        _show_brand(one, f"{report['from']} to {report['to']}", around)
    for one in report["notTried"]:
        around.say(f"Not tried: {one['rule']} ({one['entries']:,}): {one['why']}.")
    around.complain("Nothing was changed. footfall rules set and the settings switch it on, from then on.")


def _show_brand(one: Mapping[str, Any], span: str, around: Surroundings) -> None:
    console = around.console()
    console.print(Text(" · ").join(printable(part) for part in (one["brand"], span, f"mode {one['mode']}")))
    around.say(f"{one['changed']:,} of {one['hits']:,} hits would have another reason.")
    console.print(_compared(one["labels"], "label"))
    if one["reasons"]:
        around.say("")
        console.print(_compared(one["reasons"], "reason"))
    around.say("")
    shown = one["shown"]
    around.say(f"The list without verdicts, which shows {shown['before']:,} hits before and {shown['after']:,} after:")
    console.print(_top(one["items"]))
    if not one["exact"]:
        around.say("There were more assets than are told apart at once: hits of those with few may be missing.")
    if one["withoutVisitor"]:
        around.say(f"{one['withoutVisitor']:,} hits have no stored visitor: repeats and rates cannot be tried on them.")
    around.say("")


def _compared(rows: Sequence[Mapping[str, Any]], name: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(name, overflow="fold")
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right")
    for row in rows:
        change = row["after"] - row["before"]
        numbers = (grouped(row["before"]), grouped(row["after"]), f"{change:+,}" if change else "")
        table.add_row(printable(row[name]), *(Text(number) for number in numbers))
    return table


def _top(items: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("rank", "was"):
        table.add_column(column, justify="right")
    table.add_column("asset", overflow="fold")
    for column in ("hits then", "hits now"):
        table.add_column(column, justify="right")
    for one in items:
        table.add_row(
            Text("-" if one["rank"] is None else grouped(one["rank"])),
            Text("-" if one["rankBefore"] is None else grouped(one["rankBefore"])),
            printable(one["assetId"]),
            Text(grouped(one["hitsBefore"])),
            Text(grouped(one["hits"])),
        )
    return table


COMMAND = Command(
    name="screen",
    says="Try rules on the past, before they are switched on, and print what would change.",
    example="footfall screen try --data data --rules rules.json --from 2026-11-15T00:00Z",
    more_examples=(
        "footfall screen try --rules rules.json --brand abc --from 2026-11-14T00:00Z --to 2026-11-15T00:00Z --json",
        "footfall screen try --rules rules.json --brand abc --from 2026-11-14T00:00Z --mode filter",
    ),
    run=screen,
    tells="FILE is the document that /v1/rules takes, and may name limits as well: repeatsMax, repeatsMinutes,\n"
    "visitorPerMinute, and referrerSpam (domains beside those of the list). The door's own code judges stored hits\n"
    "again, beside a running server or without one. Nothing is changed. Addresses, countries and agents are not\n"
    "stored, so rules on them cannot be tried, and it says so.",
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        DATA,
        CONFIG,
        Argument("--rules", "The JSON file of the rules.", shows="FILE", required=True),
        Argument("--from", "The first moment of the past to try them on.", shows="T", reads=moment, required=True),
        Argument("--to", "The end; now unless given.", shows="T", reads=moment),
        Argument("--brand", "The brand; every brand that has hits unless given.", shows="BRAND", reads=brand_name),
        Argument("--mode", "The mode of screening to try; the brand's own unless given.", choices=SCREENING_MODES),
        Argument(
            "--limit", "How many assets of the list.", shows="N", reads=whole_from(1, LIMIT_MAX), default=LIMIT_DEFAULT
        ),
        JSON,
    ),
)
