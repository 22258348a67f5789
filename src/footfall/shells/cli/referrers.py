"""`footfall referrers`: where the readers of a brand, a section or an asset came from, as a table with bars."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from footfall.shells.cli.calls import Caller, Unreachable, answer_of
from footfall.shells.cli.command import (
    JSON,
    URL,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    moment,
    printable,
    whole_from,
)
from footfall.shells.cli.popular import grouped, patiently_asked
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked
from footfall.values.window import instant_text

BAR_CHARACTERS = 30


def referrers(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the sources and show them."""
    with closing(Caller(arguments.url)) as caller:
        asked = "/v1/referrers?" + urlencode(_pairs(arguments))
        reply = answer_of(patiently_asked(caller, asked, arguments.secret_file, around))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    if not isinstance(answer.get("sources"), list):
        raise Unreachable("The answer tells no sources; check that --url is a footfall.")
    _show(answer, around)
    return Exit.OK


def _pairs(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    named = vars(arguments)
    if named["asset"] is not None and named["section"] is not None:
        raise WrongUsage("--asset and --section go one without the other.")
    if named["period"] is not None and (named["from"] is not None or named["to"] is not None):
        raise WrongUsage("--period goes without --from and --to.")
    pairs = [*brand_asked(arguments).items(), ("limit", str(arguments.limit))]
    pairs += [(name, named[name]) for name in ("asset", "section", "period") if named[name] is not None]
    return pairs + [(name, instant_text(named[name])) for name in ("from", "to") if named[name] is not None]


def _show(answer: Mapping[str, Any], around: Surroundings) -> None:
    console = around.console()
    parts = [
        answer.get("brand"),
        *(answer[name] for name in ("asset", "section") if name in answer),
        f"{answer.get('from')} to {answer.get('to')}",
        f"{grouped(answer.get('hits'))} hits",
        "exact" if answer.get("exact") else "not exact: hits are at least these",
        f"counted until {answer.get('until') or 'now: nothing'}",
    ]
    console.print(Text(" · ").join(printable(part) for part in parts))
    sources: Sequence[Mapping[str, Any]] = answer["sources"]
    if not sources:
        console.print(Text("Nobody came."))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("source", overflow="fold")
    table.add_column("hits", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    for one in sources:
        table.add_row(printable(one.get("source")), Text(grouped(one.get("hits"))), *_share(one.get("share")))
    if answer.get("other"):
        share = answer["other"] / max(1, answer.get("hits", 0))
        table.add_row(Text("(others)"), Text(grouped(answer["other"])), *_share(share))
    console.print(table)


def _share(share: object) -> tuple[Text, Text]:
    if not isinstance(share, int | float):
        return Text(""), Text("")
    return Text(f"{share:.1%}"), Text("█" * round(BAR_CHARACTERS * min(1.0, share)))


COMMAND = Command(
    name="referrers",
    says="Show where readers came from.",
    example="footfall referrers --brand abc --asset 132141398 --period day",
    run=referrers,
    tells="Sources are hosts of referrers, those of one service under one name. direct is without a referrer,\n"
    "internal from the brand's own pages. Hours are the finest there are; they are counted seconds after the lists.",
    more_examples=(
        "footfall referrers --brand abc --section 563 --json",
        "footfall referrers --secret-file abc.key --from 2026-11-14T00:00Z --to 2026-11-15T00:00Z",
    ),
    arguments=(
        URL,
        BRAND_OR_KEY,
        Argument("--asset", "The id of an asset; the whole brand unless given.", shows="ID"),
        Argument("--section", "A section instead.", shows="SECTION"),
        Argument("--period", "The period: day (unless given), week or one of your own.", shows="PERIOD"),
        Argument("--from", "The span's first moment, instead of a period.", shows="T", reads=moment),
        Argument(
            "--to", "The moment at which the span has ended; with this hour unless given.", shows="T", reads=moment
        ),
        Argument("--limit", "How many sources.", shows="N", reads=whole_from(1, 100), default=20),
        SECRET_FILE,
        JSON,
    ),
)
