"""A plan in the terminal: the bill by part, shards and capacity, what breaks first, the cheaper way."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from rich.table import Table
from rich.text import Text

from footfall.planning.advice import Advice
from footfall.planning.figures import Figure, Origin, found, tree
from footfall.planning.plan import Plan, all_figures
from footfall.planning.quantities import data_size, money, short
from footfall.shells.cli.command import Surroundings

BAR = 24
NOTHING_RESERVED = "nothing to reserve (sold by the hundred)"


def tell_plan(made: Plan, advices: Sequence[Advice], around: Surroundings) -> None:
    """Show what a month costs and where it breaks."""
    console = around.console()
    for line in _head(made):
        around.say(line)
    console.print(_bill(made))
    console.print(_capacity(made))
    console.print(_limits(made))
    if made.stored:
        console.print(_months(made))
    if made.crossings:
        console.print(_crossings(made))
    if made.moved:
        console.print(_moved(made))
    around.say("")
    around.say("What to do")
    tell_advice(advices, around)
    around.say("")
    around.say("`footfall plan explain bill.total` says where every number comes from; --html FILE draws it.")


def tell_advice(advices: Sequence[Advice], around: Surroundings) -> None:
    """Show sentences, those that ask for something first marked."""
    for one in advices:
        around.say(f"  {'!' if one.is_due else '-'} {one.says}")


def _head(made: Plan) -> Iterator[str]:
    work, stack, popular = made.work, made.work.stack, made.work.site.popularity
    per_day = float(work.hits.sum()) / work.days
    peak = float(work.hits.max())
    yield (
        f"{short(per_day)} hits a day of {popular.brands:,} brand{'s' * (popular.brands > 1)} with "
        f"{short(popular.assets * popular.brands)} "
        f"assets, {work.site.batch} to a request; the busiest minute has {short(peak)} "
        f"({peak / float(work.hits.mean()):.1f} times the mean)."
    )
    yield (
        f"{made.region.title}, prices of {made.dated}. {stack.kinesis_shards} Kinesis "
        f"shard{'s' * (stack.kinesis_shards > 1)}, "
        f"{stack.counting_shards} counting shards, up to {_at_once(made)} at once."
    )
    yield (
        f"{money(made.bill.usd)} a month on AWS, "
        f"{money(made.bill.usd / Decimal(max(per_day * 30 / 1e6, 1e-9)))} for a million hits."
        f"{f' {made.refused}' if made.refused else ''}"
    )
    first, hard = made.first, made.first_hard
    if first.multiple < 1:
        yield f"It does not fit: {first.title} is reached at {first.multiple:.2f} times this traffic; {first.then}."
    else:
        yield (
            f"First to break: {first.title}, at {_times(first.multiple)} times this traffic; "
            f"what no parameter moves: {hard.title}, at {_times(hard.multiple)} times."
        )
    yield ""


def _at_once(made: Plan) -> str:
    count = max(1.0, sum(float(one.at_once.max()) for one in made.work.functions.values()))
    return f"{count:,.0f} function{'s' * (round(count) > 1)}"


def _bill(made: Plan) -> Table:
    table = Table(title="A month, by part", title_justify="left", box=None, pad_edge=False)
    table.add_column("part")
    table.add_column("USD", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    table.add_column("of that")
    total = made.bill.usd or Decimal(1)
    for part, figure in made.bill.parts().items():
        usd = Decimal(figure.value)
        largest = sorted((line for of, line in made.bill.lines if of is part), key=lambda one: -one.value)[:2]
        told = ", ".join(f"{line.name.removeprefix('bill.')} {money(Decimal(line.value))}" for line in largest)
        bar = "█" * max(int(usd > 0), round(BAR * float(usd / total)))
        table.add_row(part.value, money(usd), f"{100 * usd / total:.1f} %", bar, told)
    table.add_row(Text("all", style="bold"), Text(money(made.bill.usd), style="bold"), "", "", "")
    return table


def _capacity(made: Plan) -> Table:
    table = Table(title="\nThe table's units, by how they are bought", title_justify="left", box=None, pad_edge=False)
    for name, right in (
        ("way", False),
        ("USD a month", True),
        ("write units/s", True),
        ("read units/s", True),
        ("refused when simulated", True),
    ):
        table.add_column(name, justify="right" if right else "left")
    simulated = {one.name: one for one in made.throttling.ways}
    for way in made.bill.capacity.ways:
        if way.is_empty:
            continue
        seen = simulated.get(way.name)
        refused = "" if seen is None else f"{100 * seen.refused_share:.2f} %"
        table.add_row(way.name, money(way.usd), f"{way.write_units:,.1f}", f"{way.read_units:,.1f}", refused)
    # Without a unit that could be reserved, the price would be that of auto scaling once more.
    empty = [way.name for way in made.bill.capacity.ways if way.is_empty]
    if empty:
        table.caption = f"{', '.join(empty)}: {NOTHING_RESERVED}"
        table.caption_justify = "left"
    return table


def _limits(made: Plan) -> Table:
    table = Table(title="\nLimits, the nearest first", title_justify="left", box=None, pad_edge=False)
    for name, right in (("limit", False), ("used", True), ("of", True), ("reached at", True), ("moved by", False)):
        table.add_column(name, justify="right" if right else "left")
    for one in made.limits:
        unit = one.limit.unit
        table.add_row(
            one.title,
            short(float(one.used.value)),
            f"{short(float(one.limit.value))} {unit}",
            f"{_times(one.multiple)} x",
            one.raised.value,
        )
    return table


def _times(multiple: float) -> str:
    return "never" if multiple > 1e9 else f"{multiple:,.1f}" if multiple < 100 else f"{multiple:,.0f}"


def _months(made: Plan) -> Table:
    table = Table(title="\nOver the months", title_justify="left", box=None, pad_edge=False)
    for name in ("month", "hits a day", "in tables", "raw hits on S3", "USD"):
        table.add_column(name, justify="right")
    for one in made.stored:
        table.add_row(
            str(one.months),
            short(one.hits_per_day),
            data_size(one.table_gb * 1e9),
            data_size(one.objects_gb * 1e9),
            money(one.usd),
        )
    return table


def _crossings(made: Plan) -> Table:
    table = Table(title="\nThe cheapest way, by hits a day", title_justify="left", box=None, pad_edge=False)
    table.add_column("question")
    table.add_column("answer")
    for one in made.crossings:
        steps = [f"{way}" if place == 0 else f"from {short(at)}: {way}" for place, (at, way) in enumerate(one.at)]
        table.add_row(one.title, "; ".join(steps))
    return table


def _moved(made: Plan) -> Table:
    table = Table(title="\nWhat moves the bill", title_justify="left", box=None, pad_edge=False)
    for name, right in (("input", False), ("less", False), ("USD", True), ("more", False), ("USD", True)):
        table.add_column(name, justify="right" if right else "left")
    for one in made.moved:
        table.add_row(one.name, one.low, money(one.low_usd), one.high, money(one.high_usd))
    return table


_MARKS = {
    Origin.GIVEN: "given",
    Origin.DERIVED: "follows",
    Origin.MEASURED: "measured",
    Origin.DOCUMENTED: "documented",
    Origin.PRICED: "price",
    Origin.ASSUMED: "ASSUMED",
}


def tell_explained(made: Plan, name: str | None, around: Surroundings) -> None:
    """Show how a number was got, or, without a name, all numbers that there are."""
    if name is None:
        table = Table(box=None, pad_edge=False, show_header=True)
        for column, right in (("name", False), ("value", True), ("unit", False), ("how", False)):
            table.add_column(column, justify="right" if right else "left")
        for figure in sorted(all_figures(made), key=lambda one: one.name):
            table.add_row(figure.name, shown_value(figure), figure.unit, _MARKS[figure.origin])
        around.console().print(table)
        around.say("\n`footfall plan explain NAME` tells how one of them was got.")
        return
    for level, figure in tree(found(made.figures, name)):
        around.say(f"{'  ' * level}{figure.name} = {shown_value(figure)} {figure.unit}  [{_MARKS[figure.origin]}]")
        around.say(f"{'  ' * level}    {figure.why}")
        if figure.source:
            around.say(f"{'  ' * level}    From {figure.source}.")


def shown_value(figure: Figure) -> str:
    """Return a number as people read it."""
    if figure.unit == "USD":
        return (
            f"{Decimal(figure.value):,.6f}".rstrip("0").rstrip(".")
            if figure.origin is Origin.PRICED
            else money(Decimal(figure.value))
        )
    value = float(figure.value)
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else short(value)
