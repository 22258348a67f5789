"""`footfall ledger`: where every accepted hit went, as a sum that adds up."""

import argparse
from collections.abc import Mapping
from contextlib import closing
from typing import Any, cast
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from footfall.shells.cli.calls import Caller, Unreachable, answer_of
from footfall.shells.cli.command import JSON, URL, Command, Exit, Surroundings, printable
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked, key_headers

PARTS = (
    ("counted", "by persons: in the lists"),
    ("duplicate", "sent before"),
    ("screened", "labelled otherwise, for these reasons"),
    ("late", "too old when they arrived"),
    ("future", "ahead of the clock"),
    ("unlabelled", "waiting for labels"),
    ("dead", "could not be counted"),
    ("inFlight", "not looked at yet"),
)


def ledger(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the ledger, show it, and fail when it does not add up."""
    with closing(Caller(arguments.url)) as caller:
        asked = "/v1/ledger?" + urlencode(brand_asked(arguments))
        reply = answer_of(caller.call("GET", asked, headers=key_headers(arguments.secret_file)))
    book = reply.table()
    if not isinstance(book.get("accepted"), int):
        raise Unreachable("The answer is not a ledger; check that --url is a footfall.")
    missing = book["accepted"] - sum(total(book, name) for name, _ in PARTS)
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
    else:
        _show(book, around)
    if missing:
        around.complain(
            f"footfall: The parts are {missing:+,} away from what was accepted; this is a bug, please report it."
        )
        return Exit.FAILED
    return Exit.OK


def total(book: Mapping[str, Any], name: str) -> int:
    """Return one part of the ledger, with its reasons added up when it has any."""
    part = book.get(name, 0)
    return sum(cast("Mapping[str, int]", part).values()) if isinstance(part, dict) else int(part)


def _show(book: Mapping[str, Any], around: Surroundings) -> None:
    table = Table(box=None, pad_edge=False, show_header=False, show_footer=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(style="dim", overflow="fold")
    for name, says in PARTS:
        table.add_row(Text(name), Text(f"{total(book, name):,}"), Text(says))
        reasons = book.get(name)
        if isinstance(reasons, dict):
            for reason, hits in sorted(cast("Mapping[str, int]", reasons).items()):
                table.add_row(Text("  ") + printable(reason), Text(f"({hits:,})"), Text(""))
    table.add_row(Text(""), Text("-" * len(f"{book['accepted']:,}")), Text(""))
    table.add_row(Text("accepted", style="bold"), Text(f"{book['accepted']:,}", style="bold"), Text("with a 2xx"))
    around.console().print(table)


COMMAND = Command(
    name="ledger",
    says="Show where every accepted hit of a brand went.",
    example="footfall ledger --brand abc",
    run=ledger,
    tells="Every hit that was answered with a 2xx is in one line, and the lines add up. What is screened is counted\n"
    "under its label; lists show the suspected among it only while the brand's mode is observe. Hits of verdicts\n"
    "that are held are in `verdict`; a decision moves them, with the lists.",
    more_examples=("footfall ledger --secret-file abc.key --json",),
    exits={Exit.FAILED: "it failed, or the ledger does not add up"},
    arguments=(URL, BRAND_OR_KEY, SECRET_FILE, JSON),
)
