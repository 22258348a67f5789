"""A number that says where it comes from: its unit, a sentence, a source, and the numbers that it was made of.

A plan is a tree of them. Whoever doubts the bill walks down from it to a price with a date, a measured run, a line of
the template, or what they typed themselves.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from footfall.values.errors import Refused

Number = int | float | Decimal

DEPTH_MAX = 12  # A tree that is deeper is no explanation.


class Origin(StrEnum):
    """How a number came to be known."""

    GIVEN = "given"  # by whoever asks
    DERIVED = "derived"  # from its inputs, by the sentence
    MEASURED = "measured"  # by a benchmark of ours, or a test that runs the real code
    DOCUMENTED = "documented"  # by the vendor, or by our own formats and template
    PRICED = "priced"  # by the price file
    ASSUMED = "assumed"  # nobody has measured it; the sentence says why it is taken so


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a plan."""

    name: str  # dotted, such as writes.minutes
    value: Number
    unit: str
    why: str  # one sentence
    origin: Origin = Origin.DERIVED
    source: str = ""  # where to look: a page, a file, a section
    inputs: tuple["Figure", ...] = ()

    def __float__(self) -> float:
        return float(self.value)


def given(name: str, value: Number, unit: str, why: str) -> Figure:
    """Return what whoever asks has said."""
    return Figure(name, value, unit, why, Origin.GIVEN)


def measured(name: str, value: Number, unit: str, why: str, source: str) -> Figure:
    """Return what a run of the real code has shown."""
    return Figure(name, value, unit, why, Origin.MEASURED, source)


def documented(name: str, value: Number, unit: str, why: str, source: str) -> Figure:
    """Return what a vendor, a format or the template says."""
    return Figure(name, value, unit, why, Origin.DOCUMENTED, source)


def assumed(name: str, value: Number, unit: str, why: str) -> Figure:
    """Return what is taken for true and could not be measured here."""
    return Figure(name, value, unit, why, Origin.ASSUMED)


def derived(name: str, value: Number, unit: str, why: str, *inputs: Figure) -> Figure:
    """Return what follows from others."""
    return Figure(name, value, unit, why, Origin.DERIVED, "", inputs)


def walked(figures: Iterable[Figure]) -> Iterator[Figure]:
    """Yield figures and all that they are made of, each name once, from above."""
    seen: set[str] = set()
    waiting = list(figures)
    while waiting:
        figure = waiting.pop(0)
        if figure.name not in seen:
            seen.add(figure.name)
            yield figure
            waiting.extend(figure.inputs)


def found(figures: Iterable[Figure], name: str) -> Figure:
    """Return the figure of a name, or say which names are like it."""
    known = {figure.name: figure for figure in walked(figures)}
    if name in known:
        return known[name]
    like = [one for one in known if name.split(".")[-1] in one or one.startswith(name.split(".")[0])]
    hint = f"; there are {', '.join(sorted(like)[:8])}" if like else "; `footfall plan explain` lists all"
    raise Refused("name", f"no number of this plan is called {name!r}{hint}")


def tree(figure: Figure, *, depth: int = DEPTH_MAX) -> Iterator[tuple[int, Figure]]:
    """Yield a figure and what it is made of with how deep each lies; what was told before is not told again."""
    told: set[str] = set()

    def walk(one: Figure, level: int) -> Iterator[tuple[int, Figure]]:
        yield level, one
        if one.name in told or level >= depth:
            return
        told.add(one.name)
        for part in one.inputs:
            yield from walk(part, level + 1)

    yield from walk(figure, 0)


def total(name: str, unit: str, why: str, parts: Iterable[Figure]) -> Figure:
    """Return the sum of figures, in whole cents or floats as they are."""
    listed = tuple(parts)
    values = [one.value for one in listed]
    if all(isinstance(value, Decimal) for value in values) and values:
        return Figure(name, sum((Decimal(value) for value in values), Decimal(0)), unit, why, inputs=listed)
    return Figure(name, sum(float(value) for value in values), unit, why, inputs=listed)
