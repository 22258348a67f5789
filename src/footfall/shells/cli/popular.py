"""`footfall popular`: the list as a table in the terminal."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from footfall.flow.serve.query import ASSETS, BY, HITS, MEASURES, OF, PERIOD_DEFAULT
from footfall.flow.serve.shown import ALL, INCLUDE, OTHERS
from footfall.flow.serve.unique_names import VISITOR_DAYS
from footfall.shells.cli.calls import PAUSE_S_MIN, Caller, Reply, Unreachable, answer_of, retry_after_s
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
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked, key_headers
from footfall.values.window import instant_text

TRIES_MAX = 10  # Each waits for some seconds, and the longest span is read in half a minute.


def popular(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the list and show it."""
    with closing(Caller(arguments.url)) as caller:
        asked = "/v1/popular?" + query_of(arguments)
        reply = answer_of(patiently_asked(caller, asked, arguments.secret_file, around))
    if arguments.json:
        around.say(reply.body.decode(errors="replace").rstrip("\n"))
        return Exit.OK
    answer = reply.table()
    if not isinstance(answer.get("items"), list):
        raise Unreachable("The answer is not a list of popular assets; check that --url is a footfall.")
    show(answer, around)
    return Exit.OK


def patiently_asked(caller: Caller, asked: str, secret_file: str | None, around: Surroundings) -> Reply:
    """Return the server's answer; while it reads what a long span needs, ask again."""
    headers = key_headers(secret_file)
    reply = caller.call("GET", asked, headers=headers)
    for _ in range(TRIES_MAX - 1):
        if reply.status != HTTPStatus.SERVICE_UNAVAILABLE:
            break
        around.pause(retry_after_s(reply.headers.get("retry-after", "")) or PAUSE_S_MIN)
        reply = caller.call("GET", asked, headers=headers)
    return reply


def query_of(arguments: argparse.Namespace) -> str:
    """Return the query string that asks for what the flags say."""
    from_ms: int | None = vars(arguments)["from"]
    is_span = from_ms is not None or arguments.to is not None
    if is_span and (arguments.period is not None or arguments.closed):
        raise WrongUsage("--period and --closed do not go with --from and --to; give one or the other.")
    pairs = [*brand_asked(arguments).items(), ("limit", str(arguments.limit))]
    if not is_span:
        pairs.append(("period", arguments.period or PERIOD_DEFAULT))
    for name, moment_ms in (
        ("from", from_ms),
        ("to", arguments.to),
        ("publishedAfter", arguments.published_after),
    ):
        if moment_ms is not None:
            pairs.append((name, instant_text(moment_ms)))
    pairs.extend(label_pairs(arguments))
    for name, values in (
        ("author", arguments.author),
        ("tag", arguments.tag),
        ("exclude", arguments.exclude),
    ):
        pairs.extend((name, value) for value in values)
    for name, value, is_said in (
        ("closed", "true", arguments.closed),
        ("sort", arguments.sort, arguments.sort != HITS),
        ("by", arguments.by, arguments.by != HITS),
        ("of", arguments.of, arguments.of != ASSETS),
        ("edited", "false", arguments.as_counted),
    ):
        if is_said:
            pairs.append((name, value))
    return urlencode(pairs)


def label_pairs(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the parameters that ask for the labels of the flags."""
    named = (
        ("section", arguments.section),
        ("resourceType", arguments.type),
        ("paidType", arguments.paid),
        (INCLUDE, arguments.include),
    )
    return [(name, value) for name, values in named for value in values]


def show(answer: Mapping[str, Any], around: Surroundings) -> None:
    """Draw the answer: its span and how far it is proven, then its rows."""
    console = around.console()
    console.print(_heading(answer))
    items: Sequence[Mapping[str, Any]] = answer["items"]
    if not items:
        console.print(Text("Nothing was seen in this span."))
        return
    counted = "minutes" if any("minutes" in item for item in items) else HITS
    is_bounded = any(f"{counted}AtMost" in item for item in items)
    has_titles = any("title" in item for item in items)
    has_visitors = any("uniques" in item for item in items)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("#", justify="right")
    if not has_visitors:
        table.add_column("change")
    table.add_column("asset", overflow="fold")
    for name in (*(("visitors", "95 %") if has_visitors else ()), counted, *(("at most",) if is_bounded else ())):
        table.add_column(name, justify="right")
    for name in ("section", "type", "paid", *(("title",) if has_titles else ())):
        table.add_column(name, overflow="fold")
    for item in items:
        title = [printable(item.get("title"))] if has_titles else []
        bound = [Text(grouped(item.get(f"{counted}AtMost", item.get(counted))))] if is_bounded else []
        table.add_row(
            rank(item),
            *([] if has_visitors else [change(item.get("change"))]),
            printable(item.get("assetId")),
            *(visitors(item) if has_visitors else []),
            Text(grouped(item.get(counted))),
            *bound,
            *(printable(item.get(name)) for name in ("sectionId", "resourceType", "paidType")),
            *title,
        )
    console.print(table)


def rank(item: Mapping[str, Any]) -> Text:
    """Return a rank, with a star when an editor chose the place."""
    text = "-" if item.get("rank") is None else str(item["rank"])
    return Text(f"* {text}", style="bold") if item.get("pinned") else Text(text)


def visitors(item: Mapping[str, Any]) -> list[Text]:
    """Return how many visitors something has had, and between what and what the truth lies in 95 of 100 cases."""
    bounds = f"{grouped(item.get('uniquesAtLeast'))} to {grouped(item.get('uniquesAtMost')) or 'unknown'}"
    return [Text(grouped(item.get("uniques"))), Text(bounds)]


def what_uniques_are(answer: Mapping[str, Any]) -> str | None:
    """Return what a visitor of the answer's span is, None when it is not about visitors."""
    if "uniquesAre" not in answer:
        return None
    per_day = "visitors of each day, added up unless the brand sends ids of its own"
    return per_day if answer["uniquesAre"] == VISITOR_DAYS else "visitors"


def change(places: object) -> Text:
    """Return a change of rank as an arrow: up, down, none, or new in the list."""
    if not isinstance(places, int):
        return Text("new", style="cyan")
    if places == 0:
        return Text("=")
    return Text(f"▲ {places}", style="green") if places > 0 else Text(f"▼ {-places}", style="red")


def grouped(number: object) -> str:
    """Return a number with its thousands apart; one with digits behind the point, as minutes have, keeps two."""
    if isinstance(number, float):
        return f"{number:,.2f}"
    return f"{number:,}" if isinstance(number, int) else ""


def _heading(answer: Mapping[str, Any]) -> Text:
    parts = [answer.get("brand"), answer.get("period"), f"{answer.get('from')} to {answer.get('to')}"]
    parts.append("exact" if answer.get("exact") else "not exact: hits are at least these")
    parts.append(what_uniques_are(answer))
    if answer.get("membersProven") is False:
        parts.append("others may belong here, too")
    if answer.get("hidden"):
        parts.append(f"{answer['hidden']:,} hidden by editors")
    if "keptSince" in answer:
        parts.append(f"nothing is kept from before {answer['keptSince']}")
    if "final" in answer:
        parts.append(f"revision {answer.get('revision')}, {'final' if answer['final'] else 'not final yet'}")
    return Text(" · ").join(printable(part) for part in parts if part is not None)


INCLUDE_FLAG = Argument(
    "--include",
    "Hits that screening labelled so, too; may be repeated.",
    choices=(*OTHERS, ALL),
    repeated=True,
)
LABEL_FLAGS = (
    Argument("--section", "Only this section; may be repeated.", shows="SECTION", repeated=True),
    Argument("--type", "Only this resource type; may be repeated.", shows="TYPE", repeated=True),
    Argument("--paid", "Only this paid type; may be repeated.", shows="PAID", repeated=True),
    INCLUDE_FLAG,
)
AS_COUNTED = Argument("--as-counted", "Whatever editors have pinned (marked *) or hidden.", is_switch=True)
COMMAND = Command(
    name="popular",
    says="Show what is read and watched most.",
    example="footfall popular --brand abc --period day --section 563 --section 564 --limit 20",
    more_examples=(
        "footfall popular --brand abc --from 2026-10-01T00:00+03:00 --to 2026-11-01T00:00+02:00",
        "footfall popular --brand abc --period week --tag elections --published-after 2026-11-01T00:00Z",
        "footfall popular --brand abc --period day --sort uniques",
        "footfall popular --brand abc --period week --by minutes --of series",
    ),
    run=popular,
    arguments=(
        URL,
        BRAND_OR_KEY,
        Argument("--period", "The period: justnow (unless given), day, week or one of your own.", shows="PERIOD"),
        Argument("--from", "The span's first moment, instead of a period.", shows="T", reads=moment),
        Argument("--to", "The moment at which the span has ended.", shows="T", reads=moment),
        *LABEL_FLAGS,
        Argument("--author", "Only what this author wrote; may be repeated.", shows="AUTHOR", repeated=True),
        Argument("--tag", "Only what has this tag; may be repeated.", shows="TAG", repeated=True),
        Argument("--published-after", "Only what was published then or later.", shows="T", reads=moment),
        Argument("--exclude", "Not this asset; may be repeated.", shows="ASSET", repeated=True),
        Argument("--sort", "By hits, or by how many visitors came.", choices=MEASURES, default=HITS),
        Argument("--by", "What is counted: hits, or minutes that players' pings came to.", choices=BY, default=HITS),
        Argument("--of", "With --by minutes: of assets, or of the series that pings name.", choices=OF, default=ASSETS),
        Argument("--limit", "How many assets.", shows="N", reads=whole_from(1, 100), default=20),
        AS_COUNTED,
        Argument("--closed", "Only windows that are closed, so that the answer stays the same.", is_switch=True),
        SECRET_FILE,
        JSON,
    ),
)
