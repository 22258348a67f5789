"""`footfall plan`: what traffic will cost on AWS, where it will break, and the cheaper way; before and after."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from footfall.planning.quantities import quantity_from_text
from footfall.shells.cli.asking import settings_of
from footfall.shells.cli.command import (
    CONFIG,
    DATA,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    whole_from,
)
from footfall.values.errors import Refused

if TYPE_CHECKING:
    from footfall.planning.plan import Asked, Plan
    from footfall.planning.prices import PriceBook

ACTIONS: Final = ("show", "explain", "keys")
REGION = "us-east-1"
ACTUAL_DAYS = 14
EXAMPLE_PER_DAY = 50e6


def quantity(field: str, *, least: int = 0) -> Callable[[str], float]:
    """Return a reader of quantities such as 50M."""

    def read(text: str) -> float:
        try:
            return float(quantity_from_text(field, text, least=least))
        except Refused as refused:
            raise argparse.ArgumentTypeError(refused.reason) from refused

    return read


def share(text: str) -> float:
    """Return a share that is written as 0.2 or 20%."""
    number = _number(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share: write it as 0.2 or 20%")
    return number


def growth(text: str) -> float:
    """Return a monthly growth that is written as 8% or 0.08."""
    number = _number(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not -1 < number <= 10:
        raise argparse.ArgumentTypeError(f"{text!r} is no growth of a month: more than -100% and at most 1000%")
    return number


def times(least: int, most: int) -> Callable[[str], float]:
    """Return a reader of multiples that are written as 5 or 5x."""

    def read(text: str) -> float:
        number = _number(text.removesuffix("x"))
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no multiple between {least:,} and {most:,}")
        return number

    return read


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if number != number or abs(number) == float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number


def plan(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Make the plan and show it."""
    try:
        if arguments.action == "keys":
            from footfall.shells.cli.plan_keys import score_keys

            return score_keys(arguments, around)
        if arguments.schema:
            raise WrongUsage("--schema belongs to `footfall plan keys`.")
        if arguments.name and arguments.action != "explain":
            raise WrongUsage(
                f"{arguments.name!r} is given without explain; write `footfall plan explain {arguments.name}`."
            )
        return _planned(arguments, around)
    except Refused as refused:
        raise WrongUsage(str(refused)) from refused


def _planned(arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app.planning_inputs import prices
    from footfall.planning.plan import plan as make

    today = datetime.fromtimestamp(around.clock.now_ms() / 1_000, UTC).date()
    book = prices(arguments.prices, today=today).dated_as(arguments.region)
    region = book.region(arguments.region)
    stale = book.staleness(today)
    if stale:
        around.complain(stale)
    if arguments.actual:
        return _against(arguments, around, book)
    made = make(_asked(arguments, around), book, region, whole=arguments.action != "explain")
    return _shown(made, arguments, around)


def _asked(arguments: argparse.Namespace, around: Surroundings) -> "Asked":
    from footfall.app.planning_inputs import Shape, asked, shaped, viral_of

    if arguments.trace and arguments.hits_per_day is not None:
        raise WrongUsage("--trace and --hits-per-day both tell the traffic; give one of them.")
    if arguments.trace:
        from footfall.app.planning_traces import traced

        traffic, per_day, told = traced(Path(arguments.trace))
        for sentence in told:
            around.complain(sentence)
        return asked(traffic, _given(arguments), _stack(arguments), per_day=per_day)
    per_day = arguments.hits_per_day
    if per_day is None and arguments.action == "explain":
        # Names and sources are the same whatever comes, so nobody has to invent traffic to look at them.
        around.complain(f"No traffic is given: these are the numbers of {EXAMPLE_PER_DAY / 1e6:g}M hits a day.")
        per_day = EXAMPLE_PER_DAY
    if per_day is None:
        raise WrongUsage("say how many hits come: --hits-per-day 50M, or --trace FILE with measured ones.")
    shape = Shape(per_day, arguments.evening, arguments.spike, arguments.growth)
    return asked(shaped(shape), _given(arguments), _stack(arguments), per_day=per_day, viral=viral_of(shape))


def _given(arguments: argparse.Namespace) -> Any:
    from footfall.app.planning_inputs import Given

    return Given(
        assets=int(arguments.assets),
        brands=int(arguments.brands),
        sections=arguments.sections,
        batch=arguments.batch,
        ids=arguments.ids,
        visitors=arguments.visitors,
        lists_per_day=arguments.lists_per_day,
        kinesis_shards=arguments.shards,
        counting_shards=arguments.counting_shards,
        month=arguments.month,
        seed=arguments.seed,
    )


def _stack(arguments: argparse.Namespace) -> Any:
    from footfall.planning.site import Stack

    return Stack(
        freshness_s=arguments.freshness,
        raw_days=arguments.raw_days,
        uniques=not arguments.no_uniques,
        judging=not arguments.no_judging,
        edge=not arguments.no_edge,
        arm=arguments.arm,
    )


def _shown(made: "Plan", arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.planning.advice import advice
    from footfall.shells.cli.plan_report import tell_explained, tell_plan

    if arguments.action == "explain":
        tell_explained(made, arguments.name, around)
        return Exit.OK
    advices = advice(made)
    if arguments.html:
        from footfall.shells.cli.plan_html import page

        _write(Path(arguments.html), page(made, advices))
        around.complain(f"Wrote {arguments.html}; open it in a browser.")
    if arguments.json:
        from footfall.shells.cli.plan_json import plan_as_json

        around.say(msgspec.json.encode(plan_as_json(made, advices)).decode())
    elif not arguments.html:
        tell_plan(made, advices, around)
    return Exit.OK


def _against(arguments: argparse.Namespace, around: Surroundings, book: "PriceBook") -> int:
    """Make a plan of what was measured, and put it beside the one that was made before."""
    from footfall.app.planning_actual import DOUBT, measured_traffic
    from footfall.app.planning_inputs import asked
    from footfall.planning.advice import advice, against
    from footfall.planning.plan import plan as make
    from footfall.shells.cli.plan_report import tell_advice

    region = book.region(arguments.region)
    found = measured_traffic(settings_of(arguments, around), around.clock, days=arguments.days)
    around.complain(DOUBT)
    given = replace(_given(arguments), assets=max(found.assets, found.brands), brands=max(1, found.brands))
    actual = make(asked(found, given, _stack(arguments), per_day=found.per_day), book, region)
    if arguments.hits_per_day is not None and not (arguments.json or arguments.html):
        planned = make(_asked(arguments, around), book, region, whole=False)
        around.say(f"Plan against actual, of {len(found.hourly):,} hours that were counted")
        tell_advice(list(against(planned, actual)), around)
        around.say("")
        around.say("What to do")
        tell_advice(advice(actual), around)
        return Exit.OK
    return _shown(actual, arguments, around)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUsage(f"--html: {path} cannot be written: {error.strerror or error}.") from error


COMMAND = Command(
    "plan",
    "Say what traffic will cost on AWS, where it will break first, and which way is cheaper.",
    "footfall plan --hits-per-day 50M --assets 100k --brands 5",
    plan,
    (
        Argument(
            "action",
            "What to do: show the plan, explain its numbers, or score a key design.",
            choices=ACTIONS,
            default="show",
            may_be_absent=True,
        ),
        Argument("name", "The number to explain, such as bill.total.", may_be_absent=True),
        Argument(
            "--hits-per-day",
            "Hits of a mean day: 250000, 50M, 1.5B.",
            shows="HITS",
            reads=quantity("--hits-per-day", least=1),
        ),
        Argument("--trace", "Measured traffic instead: a CSV file of moments and hits.", shows="FILE"),
        Argument(
            "--assets",
            "Assets that are read, of all brands together.",
            shows="COUNT",
            reads=quantity("--assets", least=1),
            default=100_000,
        ),
        Argument(
            "--brands", "How many brands there are.", shows="COUNT", reads=quantity("--brands", least=1), default=1
        ),
        Argument("--sections", "Sections of each brand.", shows="COUNT", reads=whole_from(1, 2_000), default=50),
        Argument(
            "--batch", "Hits of one request: browsers send 1.", shows="HITS", reads=whole_from(1, 2_000), default=1
        ),
        Argument("--ids", "The share of hits that bring an id of their own.", shows="SHARE", reads=share, default=0.0),
        Argument(
            "--visitors", "The share of hits that tell of their visitor.", shows="SHARE", reads=share, default=1.0
        ),
        Argument(
            "--lists-per-day",
            "Lists that readers ask for; a twentieth of the hits unless it is said.",
            shows="LISTS",
            reads=quantity("--lists-per-day"),
        ),
        Argument(
            "--evening",
            "How many times the morning's hits the evening has; 1 for the same at all times.",
            shows="TIMES",
            reads=times(1, 1_000),
            default=5.0,
        ),
        Argument(
            "--spike",
            "An asset that goes viral on the tenth day, at so many times the mean of all hits.",
            shows="TIMES",
            reads=times(0, 1_000_000),
            default=0.0,
        ),
        Argument("--growth", "How much more comes each month, such as 8%.", shows="PERCENT", reads=growth, default=0.0),
        Argument(
            "--month", "Which month from now the plan is for.", shows="MONTH", reads=whole_from(1, 120), default=1
        ),
        Argument(
            "--shards",
            "Kinesis shards; as many as the traffic needs unless it is said.",
            shows="COUNT",
            reads=whole_from(1, 200),
        ),
        Argument(
            "--counting-shards",
            "Parts that counting is divided into; twice the shards unless it is said.",
            shows="COUNT",
            reads=whole_from(1, 256),
        ),
        Argument("--freshness", "How old lists may be.", shows="SECONDS", reads=whole_from(1, 300), default=60),
        Argument("--raw-days", "How long raw hits are kept.", shows="DAYS", reads=whole_from(2, 366), default=14),
        Argument("--no-uniques", "Count no visitors.", is_switch=True),
        Argument("--no-judging", "Judge no visitors.", is_switch=True),
        Argument("--no-edge", "Hits go to the API itself and not through CloudFront.", is_switch=True),
        Argument("--arm", "Functions run on AWS's own processors.", is_switch=True),
        Argument("--region", "The region whose prices are taken.", shows="REGION", default=REGION),
        Argument("--prices", "A file with prices of your own, whole or a few of them.", shows="FILE"),
        Argument(
            "--seed",
            "What chance begins with; the same seed gives the same plan.",
            shows="NUMBER",
            reads=whole_from(0, 2**31),
            default=0,
        ),
        Argument("--html", "Write one page with pictures, which needs nothing else.", shows="FILE"),
        JSON,
        Argument("--schema", "With keys: the file that describes a table's keys.", shows="FILE"),
        Argument(
            "--actual",
            "Make the plan of what was really counted; with --hits-per-day, say how it differs.",
            is_switch=True,
        ),
        Argument(
            "--days",
            "With --actual: how many days back are looked at.",
            shows="DAYS",
            reads=whole_from(1, 60),
            default=ACTUAL_DAYS,
        ),
        DATA,
        CONFIG,
    ),
    tells="Numbers may be written as 100k, 50M or 1.5B. Prices come with footfall, dated and with their "
    "sources. Nothing is asked of AWS.",
    more_examples=(
        "footfall plan --hits-per-day 50M --assets 100k --brands 5 --growth 8% --html report.html",
        "footfall plan explain bill.table-writes --hits-per-day 50M",
        "footfall plan keys --schema keys.yaml",
        "footfall plan --actual --data data --hits-per-day 50M",
    ),
    exits={Exit.FAILED: "the instance's data cannot be read, or the key design is hot"},
)
