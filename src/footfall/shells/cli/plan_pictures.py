"""The pictures of a plan's page, each with a sentence and its numbers."""

import math
from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from footfall.planning.crossings import Crossing
from footfall.planning.plan import Plan
from footfall.planning.quantities import data_size, money, short
from footfall.shells.cli.plan_html_tables import picture_with_table, table
from footfall.shells.cli.plan_report import NOTHING_RESERVED, shown_value
from footfall.shells.cli.plan_svg import Axis, Line, bars, lines, tornado

DAY = 1_440  # minutes
STEP = 10  # minutes of a point
HOURS = Axis("hours", lambda value: f"{value:.0f}", ticks=tuple(range(0, 25, 2)))


def pictures(made: Plan) -> Iterator[str]:
    """Yield the pictures in the order in which they are read."""
    yield _bill(made)
    yield _load(made)
    if made.throttling.ways:
        yield _capacity(made)
        yield _refused(made)
    yield _limits(made)
    if made.stored:
        yield _months(made)
    for one in made.crossings:
        yield _crossing(one, float(made.work.hits.sum()) / made.work.days)
    if made.moved:
        yield _moved(made)
    yield _ways(made)
    yield _cheaper(made)


def _bill(made: Plan) -> str:
    parts = made.bill.parts()
    total = made.bill.usd or Decimal(1)
    drawn = [
        (
            part.value,
            float(figure.value),
            f"{money(Decimal(figure.value))} ({100 * Decimal(figure.value) / total:.1f} %)",
        )
        for part, figure in parts.items()
    ]
    rows = [
        (
            part.value,
            line.name.removeprefix("bill.").replace("-", " "),
            f"{shown_value(line.inputs[0])} {line.inputs[0].unit}",
            money(Decimal(line.value)),
        )
        for part, line in sorted(made.bill.lines, key=lambda one: -one[1].value)
    ]
    says = (
        "A month of 30 days, with what a year of such traffic has stored. Nothing that is free for a while is "
        "taken off."
    )
    return picture_with_table(
        "Cost by part", says, bars("Cost by part", says, drawn), ("part", "line", "quantity", "USD a month"), rows
    )


def _load(made: Plan) -> str:
    """Draw the week that has the busiest minute, with a spike if there is one."""
    whole = len(made.work.hits) // DAY
    busiest = int(np.argmax(made.work.hits)) // DAY
    first = min(max(0, busiest - 3), max(0, whole - 7))
    hits = made.work.hits[first * DAY : (first + 7) * DAY]
    means = hits[: len(hits) // STEP * STEP].reshape(-1, STEP).mean(axis=1) / 60
    days = 1 + first + np.arange(len(means)) * STEP / DAY
    says = "Hits a second of the week with the busiest minute, ten minutes to a point; a day's number is its midnight."
    x = Axis("day of the month", lambda value: f"{value:.0f}", from_zero=False, ticks=tuple(range(1, whole + 2)))
    series = [Line("hits a second", days.tolist(), means.tolist())]
    picture = lines("Load", says, series, (x, Axis("hits a second", short)))
    rows = [
        (f"day {1 + first + day}", short(float(one.sum())), short(one.mean() / 60), short(float(one.max()) / 60))
        for day, one in enumerate(hits[: len(hits) // DAY * DAY].reshape(-1, DAY))
    ]
    head = ("day", "hits", "mean hits a second", "busiest minute, hits a second")
    return picture_with_table("Load", says, picture, head, rows)


def _hours(made: Plan) -> list[float]:
    minutes = len(made.throttling.ways[0].outcome.writes.offered)
    return (np.arange(minutes) / 60).tolist()


def _capacity(made: Plan) -> str:
    ways, hours = made.throttling.ways, _hours(made)
    drawn = [Line("written", hours, (ways[0].outcome.writes.offered / 60).tolist())]
    drawn += [Line(f"capacity, {way.name}", hours, way.outcome.writes.capacity.tolist()) for way in ways[1:]]
    says = (
        "Write units a second in the twelve hours around the busiest minute, on a simulated table, and what "
        "each way provides."
    )
    picture = lines("Capacity", says, drawn, (HOURS, Axis("write units a second", short)))
    rows = [
        (
            way.name,
            f"{float(way.outcome.writes.capacity.min()):,.1f}",
            f"{float(way.outcome.writes.capacity.max()):,.1f}",
            f"{float(way.outcome.writes.offered.max()) / 60:,.1f}",
            f"{100 * way.hottest_share:.1f} %",
        )
        for way in ways
    ]
    head = ("way", "least units/s", "most units/s", "offered at most", "hottest partition")
    return picture_with_table("Capacity", says, picture, head, rows)


def _refused(made: Plan) -> str:
    ways, hours = made.throttling.ways, _hours(made)
    drawn = [
        Line(
            way.name, hours, sum((one for one in way.outcome.writes.throttled.values()), np.zeros(len(hours))).tolist()
        )
        for way in ways
    ]
    says = (
        "Units that the simulated table refuses each minute; counting is paced and tries again, so they come "
        "later and none is lost."
    )
    picture = lines("Throttled writes", says, drawn, (HOURS, Axis("units refused a minute", short)))
    rows = [
        (
            way.name,
            short(way.refused),
            f"{100 * way.refused_share:.2f} %",
            ", ".join(
                f"{cause.value} {short(float(one.sum()))}"
                for cause, one in way.outcome.writes.throttled.items()
                if float(one.sum())
            )
            or "none",
        )
        for way in ways
    ]
    return picture_with_table(
        "Throttled writes", says, picture, ("way", "units refused", "of those offered", "by cause"), rows
    )


def _limits(made: Plan) -> str:
    shown = [one for one in made.limits if one.multiple < 1e6]
    drawn = [
        (one.title, one.multiple, f"{one.multiple:,.1f} x" if one.multiple < 100 else f"{one.multiple:,.0f} x")
        for one in shown
    ]
    says = "How many times the planned traffic reaches each limit; the scale goes by powers of ten."
    rows = [
        (
            one.title,
            f"{short(float(one.used.value))} of {short(float(one.limit.value))} {one.limit.unit}",
            f"{one.multiple:,.1f} x",
            one.raised.value,
            f"{one.then}; {one.do}",
        )
        for one in made.limits
    ]
    head = ("limit", "used", "reached at", "moved by", "beyond it, and what to do")
    return picture_with_table(
        "What breaks first", says, bars("What breaks first", says, drawn, is_log=True), head, rows
    )


def _months(made: Plan) -> str:
    months = [float(one.months) for one in made.stored]
    drawn = [
        Line("tables", months, [one.table_gb for one in made.stored]),
        Line("raw hits on S3", months, [one.objects_gb for one in made.stored]),
    ]
    says = (
        "What lies there after so many months: minutes go after two days, hours after 60, days after two "
        "years, raw hits as they are kept. Where traffic grows it is at most: as though all of it had come "
        "like the month."
    )
    picture = lines(
        "Storage", says, drawn, (Axis("months", lambda value: f"{value:.0f}", ticks=months), Axis("GB", short))
    )
    rows = [
        (
            str(one.months),
            short(one.hits_per_day),
            data_size(one.table_gb * 1e9),
            data_size(one.objects_gb * 1e9),
            money(one.usd),
        )
        for one in made.stored
    ]
    return picture_with_table(
        "Storage over the months",
        says,
        picture,
        ("month", "hits a day", "tables", "raw hits", "USD of the month"),
        rows,
        is_open=True,
    )


def _crossing(one: Crossing, now: float) -> str:
    per_day = one.per_day.tolist()
    drawn = [Line(curve.name, per_day, curve.usd.tolist()) for curve in one.curves]
    x = Axis("hits a day", short, is_log=True)
    picture = lines(one.title, one.says, drawn, (x, Axis("USD a month", _dollars, is_log=True)), marks=[now])
    steps = "; ".join(
        f"{way}" if place == 0 else f"from {short(at)} on {way}" for place, (at, way) in enumerate(one.at)
    )
    says = f"{one.says} Cheapest: {steps}. The dashed line is the planned traffic."
    rows = [
        (
            short(at),
            *(
                "not possible" if math.isnan(float(curve.usd[place])) else money(float(curve.usd[place]))
                for curve in one.curves
            ),
        )
        for place, at in enumerate(per_day)
    ]
    return picture_with_table(one.title, says, picture, ("hits a day", *(curve.name for curve in one.curves)), rows)


def _dollars(value: float) -> str:
    return f"${short(value)}"


def _moved(made: Plan) -> str:
    drawn = [(one.name, float(one.low_usd), float(one.high_usd), one.low, one.high) for one in made.moved]
    says = (
        "The bill with less (orange) and with more (blue) of each input, and everything else as it is; the "
        "upright is the plan."
    )
    picture = tornado("What moves the bill", says, float(made.bill.usd), drawn, money)
    rows = [(one.name, one.low, money(one.low_usd), one.high, money(one.high_usd)) for one in made.moved]
    return picture_with_table("What moves the bill", says, picture, ("input", "less", "USD", "more", "USD"), rows)


def _ways(made: Plan) -> str:
    rows = [
        (way.name, "", "", "", NOTHING_RESERVED)
        if way.is_empty
        else (way.name, money(way.usd), f"{way.write_units:,.1f}", f"{way.read_units:,.1f}", way.cost.why)
        for way in made.bill.capacity.ways
    ]
    return (
        "<section><h2>How the table's units are "
        f"bought</h2>{table('Ways', ('way', 'USD a month', 'write units/s', 'read units/s', 'how'), rows)}</section>"
    )


def _cheaper(made: Plan) -> str:
    if not made.cheaper:
        return ""
    rows = [(one.what, money(one.saves), money(Decimal(one.cost.value)), one.gives_up) for one in made.cheaper]
    return (
        "<section><h2>Cheaper "
        f"ways</h2>{table('Cheaper ways', ('change', 'saves a month', 'the bill then', 'it gives up'), rows)}</section>"
    )
