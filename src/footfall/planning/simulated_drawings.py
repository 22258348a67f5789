"""A picture of each scenario: what the source ran into, and the same work done otherwise."""

import numpy as np

from footfall.planning.drawn_lines import Axis, Line, drawn
from footfall.planning.simulated_scenarios import Scenario, Variant
from footfall.planning.traffic import Minutes


def drawing(scenario: Scenario) -> str:
    """Return the picture of a scenario, as SVG."""
    match scenario.name:
        case "nightly-burst":
            return _night(scenario)
        case "snowball":
            return _snowball(scenario)
        case _:
            return _hot_key(scenario)


def _hot_key(scenario: Scenario) -> str:
    lines = [
        _line(variant.name, variant.outcome.writes.served / 60, per=1)
        for variant in scenario.variants
        if "packed" not in variant.name
    ]
    lines.append(_line("provisioned", scenario.variants[0].outcome.writes.capacity, per=1, dashed=True))
    x = Axis("minutes", 0, len(scenario.variants[0].outcome.writes.offered))
    return drawn(scenario.title, x, Axis("write units a second", 0, 11_000, told=_thousands), lines)


def _night(scenario: Scenario) -> str:
    lines = [
        _line(name, _five(scenario.variant(name).outcome.writes.consumed / 60), per=5) for name in ("rows", "packed")
    ]
    lines.append(
        _line("provisioned for rows", _five(scenario.variant("rows").outcome.writes.capacity), per=5, dashed=True)
    )
    minutes = len(scenario.variants[0].outcome.writes.offered)
    x = Axis("hours", 0, minutes / 60)
    hours = [Line(line.name, [(at / 60, value) for at, value in line.points], line.is_dashed) for line in lines]
    return drawn(f"{scenario.title}, means of five minutes", x, Axis("write units a second", 0, 200), hours)


def _snowball(scenario: Scenario) -> str:
    first, last = 100, 180

    def waiting(variant: Variant) -> Line:
        values = variant.outcome.writes.waiting[first:last] + 1
        return Line(variant.name, [(float(first + place), float(value)) for place, value in enumerate(values)])

    lines = [waiting(variant) for variant in scenario.variants if variant.name != "backed off"]
    x = Axis("minutes; the day ends at 120", first, last)
    return drawn(f"{scenario.title}: rows that wait", x, Axis("rows", 1, 100_000, is_log=True, told=_thousands), lines)


def _line(name: str, values: Minutes, *, per: int, dashed: bool = False) -> Line:
    return Line(name, [(float(place * per), float(value)) for place, value in enumerate(values)], dashed)


def _five(values: Minutes) -> Minutes:
    return np.add.reduceat(values, np.arange(0, len(values), 5)) / 5


def _thousands(value: float) -> str:
    return f"{value:,.0f}"
