"""`footfall audit`: who did what with a brand and when, the newest first."""

import argparse
from collections.abc import Mapping
from typing import Any

import msgspec
from rich.table import Table

from footfall.accounts.audit import PAGE_MAX
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
    printable,
    whole_from,
)

LIMIT_DEFAULT = 50


def audit(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Show the last acts."""
    request = {
        "do": "audit-list",
        "brand": arguments.brand,
        "limit": arguments.limit,
        "after": arguments.after or "",
    }
    answer = ask(settings_of(arguments, around), request, on_progress=lambda _share: None)
    if arguments.json:
        around.say(msgspec.json.encode(answer).decode())
        return Exit.OK
    if not answer["items"]:
        around.say("Nothing is written down.")
        return Exit.OK
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("at", "by", "act", "subject", "details"):
        table.add_column(column, overflow="fold")
    for one in answer["items"]:
        cells = (one["at"], one["by"], one["act"], one["subject"], _details(one["details"]))
        table.add_row(*(printable(cell) for cell in cells))
    around.console().print(table)
    if "after" in answer:
        around.complain(f"There are older ones: --after '{answer['after']}' shows them.")
    return Exit.OK


def _details(details: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in details.items())


COMMAND = Command(
    name="audit",
    says="Show who did what with a brand and when, the newest first.",
    example="footfall audit --data data --brand abc",
    run=audit,
    arguments=(
        DATA,
        CONFIG,
        BRAND,
        Argument("--limit", "How many at most.", shows="N", reads=whole_from(1, PAGE_MAX), default=LIMIT_DEFAULT),
        Argument("--after", "Go on where the last answer ended.", shows="PLACE"),
        JSON,
    ),
)
