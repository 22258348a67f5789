"""Write docs/scale.md, and what the commands of docs/how-to/plan-costs.md print, or check that both are fresh."""

import argparse
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from footfall.app.price_files import shipped_prices
from footfall.planning.bill import Part
from footfall.planning.prices import Region
from footfall.planning.quantities import data_size, money, short
from footfall.planning.scales import ASSETS_EACH, BRANDS_EACH, Scale, scale_of
from footfall.shells.cli.command import Surroundings
from footfall.shells.cli.main import main as run
from footfall.values.clock import SetClock

HOUSE = Path(__file__).resolve().parent.parent
SCALE = HOUSE / "docs" / "scale.md"
HOW_TO = HOUSE / "docs" / "how-to" / "plan-costs.md"
NOW_MS = 1_794_744_000_000  # A day on which the prices are not old, whenever this is run.
REGION = "us-east-1"
PER_DAY = (1e7, 1e8, 1e9, 1e10, 1e11)
BATCHES = (1, 100)
LIMITS_TOLD = 4
_COMMAND = re.compile(r"```sh\n(footfall plan [^\n]*)\n```\n\n```text\n.*?\n```", re.DOTALL)

HEAD = """# To internet scale, on paper

Written by `scripts/plan_pages.py` from `src/footfall/planning/scales.py`; edit there.
`footfall plan --hits-per-day 1B` plans your own traffic.

What happens to the stack of [deploying](deploying.md) when 10 million hits a day become 100 billion, by the model that
[`footfall plan`](how-to/plan-costs.md) uses: {assets} assets of {brands} brands in each stack, evenings with five
times the hits of mornings, a list for every twentieth hit, visitors counted, raw hits kept for 14 days,
{region}, prices of {dated}. Nobody has run this on AWS: it is arithmetic with measured sizes and
documented limits, and `footfall plan explain` says which is which.
"""


def page(region: Region, dated: str) -> str:
    """Return the whole page."""
    scales = {batch: [scale_of(per_day, region, batch=batch) for per_day in PER_DAY] for batch in BATCHES}
    parts = [HEAD.format(assets=f"{ASSETS_EACH * BRANDS_EACH:,}", brands=BRANDS_EACH, region=region.title, dated=dated)]
    for batch, found in scales.items():
        parts.append("\n".join(_section(batch, found)))
    parts.append("\n".join(_says(scales)))
    return "\n".join(parts).rstrip() + "\n"


def _section(batch: int, scales: Sequence[Scale]) -> Iterator[str]:
    title = (
        "One hit to a request, as browsers send them"
        if batch == 1
        else f"{batch} hits to a request, as servers send them"
    )
    yield f"\n## {title}\n"
    yield (
        "| hits a day | busiest second | stacks | Kinesis shards | functions at once | write units/s | in "
        "tables after a year | raw hits on S3 | USD a month | for a million hits |"
    )
    yield "| --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |"
    for one in scales:
        yield "| " + " | ".join(_cells(one)) + " |"
    yield "\nBy part, a month:\n"
    names = [part.value for part in Part]
    yield "| hits a day | " + " | ".join(names) + " |"
    yield "| --: |" + " --: |" * len(names)
    for one in scales:
        sums = {part: Decimal(figure.value) * one.stacks for part, figure in one.bill.parts().items()}
        yield f"| {short(one.per_day)} | " + " | ".join(money(sums[part]) for part in Part) + " |"
    yield "\nWhat no parameter of the stack moves, the nearest first, of each stack:\n"
    yield "| hits a day | limit | reached at | beyond it | do |"
    yield "| --: | --- | --: | --- | --- |"
    for one in scales:
        for place, limit in enumerate(one.next_limits[:LIMITS_TOLD]):
            first = short(one.per_day) if place == 0 else ""
            yield f"| {first} | {limit.title} | {limit.multiple:,.1f} x | {limit.then} | {limit.do} |"


def _cells(one: Scale) -> Iterator[str]:
    work = one.work
    yield short(one.per_day)
    yield short(float(work.hits.max()) / 60 * one.stacks)
    yield f"{one.stacks:,}"
    yield f"{work.stack.kinesis_shards * one.stacks:,}"
    yield short(sum(float(each.at_once.max()) for each in work.functions.values()) * one.stacks)
    yield short(float(work.writes.max()) / 60 * one.stacks)
    yield data_size(sum(work.table_bytes(after_days=365).values()) * one.stacks)
    yield data_size(work.raw_bytes(after_days=365) * one.stacks)
    yield money(one.usd)
    yield money(one.usd / Decimal(one.per_day * 30 / 1e6))


def _says(scales: dict[int, list[Scale]]) -> Iterator[str]:
    yield "\n## What changes on the way\n"
    for single, batched in zip(scales[1], scales[100], strict=True):
        saves = single.usd - batched.usd
        first = single.next_limits[0]
        stacks = "one stack" if single.stacks == 1 else f"{single.stacks} stacks, divided by brand"
        does_fit = (
            "comes next" if first.multiple >= 1 else "is passed already: it has to be raised before the first day"
        )
        yield (
            f"- **{short(single.per_day)} a day**: {stacks}; {money(single.usd)} a month. "
            f"{first.title[0].upper()}{first.title[1:]} {does_fit} "
            f"({first.multiple:,.1f} times; {first.do}). In batches of 100 it is {money(batched.usd)}, "
            f"{money(saves)} less. On rented machines with eight "
            f"cores it would be {single.machines:,} of them and {money(single.machine_usd)}, with somebody to "
            "keep them."
        )
    yield ""
    yield (
        "The table is never what costs: counts are packed by window, so that writes grow with brands, shards "
        "and minutes, and only the sketches of "
        "visitors with hits. What costs is that each hit of a browser is a request of its own, to CloudFront, "
        "the API and a function; whoever has "
        "servers between them and footfall sends batches, and whoever has billions puts machines there. Many "
        "shards cost batches their advantage: "
        "a request's hits are divided among counting shards, and each gets a record of its own."
    )


def with_answers(text: str) -> str:
    """Return a page with what each of its commands prints now below it."""
    return _COMMAND.sub(lambda found: f"```sh\n{found[1]}\n```\n\n```text\n{_printed(found[1])}\n```", text)


def _printed(command: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    around = Surroundings(
        out=out, err=err, stdin=io.BytesIO(), variables={}, clock=SetClock(NOW_MS), pause=lambda _s: None, new_key=str
    )
    code = run(shlex.split(command)[1:], around)
    lines = [line.rstrip() for line in (out.getvalue() + err.getvalue()).splitlines()]
    return "\n".join(line for line in lines if code in (0, 1) or line).rstrip()


def main() -> int:
    """Write the pages, or with --check say which are stale."""
    parser = argparse.ArgumentParser(description="Write docs/scale.md and the answers in docs/how-to/plan-costs.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is stale")
    is_check: bool = parser.parse_args().check
    os.chdir(HOUSE)  # Commands name files of the repository.
    book = shipped_prices()
    pages = {
        SCALE: page(book.region(REGION), str(book.dated)),
        HOW_TO: with_answers(HOW_TO.read_text(encoding="utf-8")),
    }
    stale = [one for one, text in pages.items() if not one.exists() or one.read_text(encoding="utf-8") != text]
    if is_check and stale:
        names = " and ".join(str(one.relative_to(HOUSE)) for one in stale)
        print(
            f"{names}: stale; run `.venv/bin/python scripts/plan_pages.py` and commit what it writes.", file=sys.stderr
        )
        return 1
    if not is_check:
        for one in stale:
            one.write_text(pages[one], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
