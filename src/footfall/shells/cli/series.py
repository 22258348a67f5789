"""`footfall series`: how a brand, a section or an asset did over time, as a table with bars."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote, urlencode

from rich.table import Table
from rich.text import Text

from footfall.flow.serve.parameters import FORMATS, JSON
from footfall.flow.serve.query import HITS, MEASURES, UNIQUES
from footfall.flow.serve.series_query import COMPARES, GRAINS, POINTS_MAX
from footfall.flow.serve.shown import INCLUDE
from footfall.shells.cli.calls import Caller, Unreachable, answer_of
from footfall.shells.cli.command import JSON as AS_JSON
from footfall.shells.cli.command import (
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
from footfall.shells.cli.popular import LABEL_FLAGS, grouped, label_pairs, patiently_asked, what_uniques_are
from footfall.shells.cli.secret_file import BRAND_OR_KEY, SECRET_FILE, brand_asked
from footfall.values.window import instant_text

BAR_WIDTH = 40


def series(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Ask for the series and show it."""
    path = "/v1/series" if arguments.asset is None else f"/v1/assets/{quote(arguments.asset, safe='')}/series"
    with closing(Caller(arguments.url)) as caller:
        asked = f"{path}?{urlencode(pairs_of(arguments))}"
        reply = answer_of(patiently_asked(caller, asked, arguments.secret_file, around))
    if arguments.json or arguments.format != JSON:
        around.say(reply.body.decode(errors="replace").rstrip("\r\n"))
        return Exit.OK
    answer = reply.table()
    if not isinstance(answer.get("points"), list):
        raise Unreachable("The answer is not a series; check that --url is a footfall.")
    _show(answer, around)
    return Exit.OK


def pairs_of(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the parameters that ask for what the flags say."""
    labels = label_pairs(arguments)
    if arguments.asset is not None and any(name != INCLUDE for name, _ in labels):
        raise WrongUsage("--section, --type and --paid do not go with --asset, which has its own; leave them out.")
    pairs = [*brand_asked(arguments).items(), ("grain", arguments.grain), *labels]
    for name, moment_ms in (("from", vars(arguments)["from"]), ("to", arguments.to)):
        if moment_ms is not None:
            pairs.append((name, instant_text(moment_ms)))
    if arguments.last is not None:
        pairs.append(("last", str(arguments.last)))
    pairs.extend(("compare", one) for one in arguments.compare)
    if arguments.weekdays:
        pairs.append(("profile", "weekday"))
    if arguments.measure != HITS:
        pairs.append(("measure", arguments.measure))
    if arguments.format != JSON:
        pairs.append(("format", arguments.format))
    return pairs


def _show(answer: Mapping[str, Any], around: Surroundings) -> None:
    console = around.console()
    measure = UNIQUES if answer.get("measure") == UNIQUES else HITS
    parts = [
        answer.get("brand"),
        answer.get("assetId"),
        answer.get("title"),
        f"{answer.get('from')} to {answer.get('to')}",
        *_total(answer, measure),
    ]
    if "keptSince" in answer:
        parts.append(f"nothing is kept from before {answer['keptSince']}")
    console.print(Text(" · ").join(printable(part) for part in parts if part is not None))
    for name, says in (("previous", "the span before"), ("lastWeek", "a week earlier")):
        if name in answer:
            console.print(_compared(answer[name], says, measure))
    console.print(_points(answer["points"], measure))
    for day in answer.get("weekdays", ()):
        mean = day.get(f"{measure}PerDay")
        shown = "no whole day" if mean is None else f"{mean:,.1f} a day over {day.get('days')}"
        bounds = (day.get(f"{measure}PerDayAtLeast"), day.get(f"{measure}PerDayAtMost"))
        if None not in bounds:
            shown += f", between {bounds[0]:,.1f} and {bounds[1]:,.1f}"
        console.print(Text(f"{day.get('weekday', ''):<10} {shown}"))


def _total(answer: Mapping[str, Any], measure: str) -> list[str | None]:
    total = grouped(answer.get(measure))
    if measure == HITS:
        return [f"{total} hits", "exact" if answer.get("exact") else "not exact: hits are at least these"]
    bounds = f"{grouped(answer.get('uniquesAtLeast'))} to {grouped(answer.get('uniquesAtMost')) or 'unknown'}"
    return [f"{total} {what_uniques_are(answer)}", f"95 %: {bounds}"]


def _points(points: Sequence[Mapping[str, Any]], measure: str) -> Table:
    highest = max((point.get(measure) or 0 for point in points), default=0)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for point in points:
        count = point.get(measure)
        bar = "█" * round(BAR_WIDTH * count / highest) if count else ""
        at_most = point.get(f"{measure}AtMost")
        more = f" at most {grouped(at_most)}" if at_most is not None and at_most != count else ""
        end = f"{bar}{more}{' …' if point.get('open') else ''}"
        table.add_row(printable(point.get("from")), Text("gone" if count is None else grouped(count)), Text(end))
    return table


def _compared(before: Mapping[str, Any], says: str, measure: str) -> Text:
    compared = before.get("compared", {})
    change = compared.get("change")
    shown = "nothing to compare with" if change is None else f"{change:+.1%}"
    bounds = (compared.get("changeAtLeast"), compared.get("changeAtMost"))
    if None not in bounds:
        shown += f", between {bounds[0]:+.1%} and {bounds[1]:+.1%}"
    numbers = f"{grouped(compared.get(measure))} after {grouped(compared.get(f'{measure}Before'))}"
    return Text(f"{says}: {shown} ({numbers}, in {compared.get('points')} windows that are over)")


COMMAND = Command(
    name="series",
    says="Show how a brand, a section or an asset did over time.",
    example="footfall series --brand abc --grain day --last 14 --compare previous",
    run=series,
    more_examples=(
        "footfall series --brand abc --asset 132141398 --grain hour",
        "footfall series --brand abc --section 563 --grain day --weekdays --format csv",
        "footfall series --brand abc --grain day --measure uniques",
    ),
    arguments=(
        URL,
        BRAND_OR_KEY,
        Argument("--asset", "Only this asset.", shows="ASSET"),
        *LABEL_FLAGS,
        Argument("--grain", "How long a window is.", choices=tuple(GRAINS), default="hour"),
        Argument("--from", "The first moment, at the start of a window.", shows="T", reads=moment),
        Argument("--to", "The moment at which the series has ended.", shows="T", reads=moment),
        Argument("--last", "Instead: so many windows up to now.", shows="N", reads=whole_from(1, POINTS_MAX)),
        Argument("--compare", "With the span before, or a week earlier.", choices=COMPARES, repeated=True),
        Argument("--measure", "Hits, or how many visitors came.", choices=MEASURES, default=HITS),
        Argument("--weekdays", "Show what each weekday had.", is_switch=True),
        Argument("--format", "How the answer is printed when it is no table.", choices=FORMATS, default=JSON),
        SECRET_FILE,
        AS_JSON,
    ),
)
