"""`footfall trending`: what rises, as a table in the terminal, with the numbers behind each rank."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from footfall.flow.serve.unique_names import VISITORS
from footfall.shells.cli.calls import Caller, Unreachable, answer_of
from footfall.shells.cli.command import (
    JSON,
    URL,
    Argument,
    Command,
    Exit,
    Surroundings,
    printable,
    whole_from,
)
from footfall.shells.cli.popular import AS_COUNTED, LABEL_FLAGS, grouped, label_pairs, patiently_asked, visitors
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked


def trending(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the list and show it."""
    pairs = [*brand_asked(arguments).items(), ("limit", str(arguments.limit)), *label_pairs(arguments)]
    if arguments.as_counted:
        pairs.append(("edited", "false"))
    with closing(Caller(arguments.url)) as caller:
        asked = "/v1/trending?" + urlencode(pairs)
        reply = answer_of(patiently_asked(caller, asked, arguments.secret_file, around))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    if not isinstance(answer.get("items"), list):
        raise Unreachable("The answer is not a list of what rises; check that --url is a footfall.")
    _show(answer, around)
    return Exit.OK


def _show(answer: Mapping[str, Any], around: Surroundings) -> None:
    console = around.console()
    before = answer.get("baseline", {})
    parts = [
        answer.get("brand"),
        f"{answer.get('from')} to {answer.get('to')}",
        f"against {before.get('from')} to {before.get('to')}",
        "exact" if answer.get("exact") else "not exact: hits are at least these",
        f"told from {answer.get('basis')}",
    ]
    console.print(Text(" · ").join(printable(part) for part in parts))
    items: Sequence[Mapping[str, Any]] = answer["items"]
    if not items:
        console.print(Text("Nothing rises."))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("rise", justify="right")
    table.add_column("asset", overflow="fold")
    is_visitors = answer.get("basis") == VISITORS
    measure = "Uniques" if is_visitors else "Hits"
    for name in (*(("visitors", "95 %") if is_visitors else ("hits",)), "steady", "expected", "before", "hours"):
        table.add_column(name, justify="right")
    table.add_column("section", overflow="fold")
    table.add_column("title", overflow="fold")
    for item in items:
        table.add_row(
            Text(str(item.get("rank", ""))),
            Text(f"{item.get('rise', 0):.2f}x", style="green"),
            printable(item.get("assetId")),
            *(visitors(item) if is_visitors else [Text(grouped(item.get("hits")))]),
            *(printable(item.get(name)) for name in (f"steady{measure}", "expected")),
            Text(grouped(item.get(f"baseline{measure}"))),
            printable(item.get("baselineHours")),
            printable(item.get("sectionId")),
            printable(item.get("title")),
        )
    console.print(table)


COMMAND = Command(
    name="trending",
    says="Show what rises against its own past and its age.",
    example="footfall trending --brand abc --limit 10",
    run=trending,
    tells="The last hour against the day before it, in visitors, or in hits where none are known. rise is\n"
    "(steady + prior) / (expected + prior): steady is what is left when no minute stands out too far, expected is\n"
    "what its own past and its age let expect.",
    more_examples=("footfall trending --brand abc --section 563 --json",),
    arguments=(
        URL,
        BRAND_OR_KEY,
        *LABEL_FLAGS,
        Argument("--limit", "How many assets.", shows="N", reads=whole_from(1, 100), default=20),
        AS_COUNTED,
        SECRET_FILE,
        JSON,
    ),
)
