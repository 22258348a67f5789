"""`footfall screening`: who came to a brand beside persons, why they were told apart, and what is suspected."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from footfall.flow.serve.query import PERIOD_DEFAULT
from footfall.flow.serve.shown import PERSON
from footfall.screening.labels import Label, label_of
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
from footfall.shells.cli.screening_digest import digest
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked
from footfall.values.window import instant_text


def screening(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask what was found and show it."""
    if arguments.action is not None:
        return digest(arguments, around)
    if arguments.day is not None or arguments.markdown:
        raise WrongUsage("--day and --markdown go with digest: footfall screening digest --day 2026-11-15.")
    with closing(Caller(arguments.url)) as caller:
        asked = "/v1/screening?" + urlencode(pairs_of(arguments))
        reply = answer_of(patiently_asked(caller, asked, arguments.secret_file, around))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    if not isinstance(answer.get("labels"), list):
        raise Unreachable("The answer tells of no labels; check that --url is a footfall.")
    _show(answer, around)
    return Exit.OK


def pairs_of(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the parameters that ask for what the flags say."""
    ends = [(name, vars(arguments)[name]) for name in ("from", "to") if vars(arguments)[name] is not None]
    if ends and arguments.period is not None:
        raise WrongUsage("--period does not go with --from and --to; give one or the other.")
    pairs = [*brand_asked(arguments).items(), ("limit", str(arguments.limit))]
    if not ends:
        pairs.append(("period", arguments.period or PERIOD_DEFAULT))
    return [*pairs, *((name, instant_text(moment_ms)) for name, moment_ms in ends)]


def _show(answer: Mapping[str, Any], around: Surroundings) -> None:
    console = around.console()
    is_shown = bool(answer.get("suspectedAreShown"))
    parts = (answer.get("brand"), f"{answer.get('from')} to {answer.get('to')}", _mode(is_suspected_shown=is_shown))
    console.print(Text(" · ").join(printable(part) for part in parts))
    console.print(_labels(answer["labels"], is_suspected_shown=is_shown))
    reasons: Mapping[str, int] = answer.get("reasons") or {}
    if reasons:
        around.say("")
        around.say(_reasons_of(answer))
        console.print(_reasons(reasons))
    refused: Mapping[str, int] = answer.get("refused") or {}
    if refused:
        around.say("")
        around.say("Requests that were refused, which are no hits, on the days of UTC that the span touches:")
        console.print(_counted("kind", "requests", refused))
    if answer.get("waiting"):
        around.say("")
        around.say(f"{answer['waiting']:,} verdicts wait for a decision; footfall verdicts show lists them.")
    items: Sequence[Mapping[str, Any]] = answer.get("items") or ()
    if items:
        around.say("")
        around.say("The most suspected hits:")
        console.print(_assets(items))


def _mode(*, is_suspected_shown: bool) -> str:
    return "observe: lists show suspected hits" if is_suspected_shown else "lists leave suspected hits out"


def _reasons_of(answer: Mapping[str, Any]) -> str:
    """Return which hits the reasons are of: seldom just those of the span."""
    since, until = answer.get("reasonsSince"), answer.get("reasonsUntil")
    if since is None:
        return "Reasons of all hits since the beginning, not of this span:"
    return f"Reasons of the whole days around it, from {since} to {until or 'now'}:"


def _labels(labels: Sequence[Mapping[str, Any]], *, is_suspected_shown: bool) -> Table:
    table = _table("label", "hits", "share")
    table.add_column("in lists")
    shown = {PERSON, *([Label.SUSPECTED.value] if is_suspected_shown else [])}
    for one in labels:
        told = "shown" if one.get("label") in shown else "left out"
        hits = Text(grouped(one.get("hits")))
        table.add_row(printable(one.get("label")), hits, _percent(one.get("share")), told)
    return table


def _counted(first: str, second: str, counts: Mapping[str, int]) -> Table:
    table = _table(first, second)
    for name, count in counts.items():
        table.add_row(printable(name), Text(grouped(count)))
    return table


def _reasons(reasons: Mapping[str, int]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("reason", overflow="fold")
    table.add_column("label")
    table.add_column("hits", justify="right")
    for reason, hits in reasons.items():
        table.add_row(printable(reason), Text(label_of(reason)), Text(grouped(hits)))
    return table


def _assets(items: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("asset", "suspected", "persons", "share")
    table.add_column("title", overflow="fold")
    for one in items:
        table.add_row(
            printable(one.get("assetId")),
            *(Text(grouped(one.get(name))) for name in ("suspected", "persons")),
            _percent(one.get("share")),
            printable(one.get("title")),
        )
    return table


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _percent(share: object) -> Text:
    return Text(f"{share:.2%}" if isinstance(share, int | float) else "")


COMMAND = Command(
    name="screening",
    says="Show who came beside persons, why they were told apart, and what is suspected.",
    example="footfall screening --brand abc --period day",
    run=screening,
    tells="Hits are labelled, not deleted: person, bot, ai, prefetch, suspected or blocked. Lists show persons, and\n"
    "others with --include; whether suspected hits are among them is the brand's mode (footfall brands change\n"
    "--screening). digest tells what a day came to, as it was written down when the day was over.",
    more_examples=(
        "footfall screening --secret-file abc.key --from 2026-11-14T00:00Z --to 2026-11-15T00:00Z",
        "footfall screening digest --brand abc --day 2026-11-14 --markdown",
    ),
    arguments=(
        Argument("action", "digest, or nothing.", choices=("digest",), may_be_absent=True),
        URL,
        BRAND_OR_KEY,
        Argument("--period", "The period: justnow (unless given), day, week or one of your own.", shows="PERIOD"),
        Argument("--from", "The span's first moment, instead of a period.", shows="T", reads=moment),
        Argument("--to", "The moment at which the span has ended.", shows="T", reads=moment),
        Argument("--limit", "How many assets.", shows="N", reads=whole_from(1, 100), default=10),
        Argument("--day", "Of a digest: the day, as the brand dates it; the last one unless given.", shows="DAY"),
        Argument("--markdown", "Print a digest as Markdown, to be mailed.", is_switch=True),
        SECRET_FILE,
        JSON,
    ),
)
