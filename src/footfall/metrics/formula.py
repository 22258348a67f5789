"""A formula as a tree: what it says, without what it looked like. Its text is canonical, so that same means same."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from footfall.metrics.units import PLAIN, Unit

Sign = Literal["+", "-", "*", "/"]
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
_NEGATION_BINDS = 3


class Calendar(StrEnum):
    """The periods by which a value can be shifted."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Function(StrEnum):
    """What a formula can call besides shift."""

    MIN = "min"
    MAX = "max"
    COALESCE = "coalesce"
    RATIO = "ratio"
    ABS = "abs"
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is written into the formula, with the unit that stands behind it."""

    value: float
    unit: Unit = PLAIN
    at: int = 0


@dataclass(frozen=True, slots=True)
class Metric:
    """The value of another metric."""

    name: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Negated:
    """The same amount with the other sign."""

    operand: "Node"
    at: int = 0


@dataclass(frozen=True, slots=True)
class Binary:
    """Two values and what is done with them."""

    sign: Sign
    left: "Node"
    right: "Node"
    at: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A function of some values."""

    function: Function
    arguments: tuple["Node", ...]
    at: int = 0


@dataclass(frozen=True, slots=True)
class Shift:
    """A value as it was some calendar periods earlier; later when the count is negative."""

    operand: "Node"
    count: int
    calendar: Calendar
    at: int = 0


Node = Number | Metric | Negated | Binary | Call | Shift


def operands(node: Node) -> tuple[Node, ...]:
    """Return what a node is made of, from left to right."""
    match node:
        case Number() | Metric():
            return ()
        case Negated(operand=operand) | Shift(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Call(arguments=arguments):
            return arguments


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(operands(one)))


def metrics_in(node: Node) -> frozenset[str]:
    """Return the names of the metrics that a formula consumes."""
    return frozenset(one.name for one in walk(node) if isinstance(one, Metric))


def text_of(node: Node) -> str:
    """Return a formula as it is kept: one space around signs, no parenthesis that changes nothing."""
    return _text(node, 0)


def written_name(name: str) -> str:
    """Return a metric's name as a formula has it: as it is where that can be read, else between quotes."""
    if is_plain_name(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def is_plain_name(name: str) -> bool:
    """Tell whether a name needs no quotes in a formula."""
    return name.isascii() and all(part.isidentifier() for part in name.split(".")) and name not in _TAKEN


_TAKEN = frozenset({*(one.value for one in Function), "shift"})


def number_text(value: float) -> str:
    """Return the shortest text that is read as the very same number; a whole one has no point."""
    return repr(value).removesuffix(".0")


def _text(node: Node, binds: int) -> str:
    match node:
        case Number(value=value, unit=unit):
            return number_text(value) + ("" if unit.is_plain else f"[{unit}]")
        case Metric(name=name):
            return written_name(name)
        case Negated(operand=operand):
            return _within(f"-{_text(operand, _NEGATION_BINDS)}", binds > _NEGATION_BINDS)
        case Binary(sign=sign, left=left, right=right):
            own = _BINDS[sign]
            # What stands behind a sign is bound by one more, for a - (b - c) is not a - b - c.
            return _within(f"{_text(left, own)} {sign} {_text(right, own + 1)}", binds > own)
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(_text(one, 0) for one in arguments)})"
        case Shift(operand=operand, count=count, calendar=calendar):
            return f"shift({_text(operand, 0)}, {count} {calendar})"


def _within(text: str, is_looser: bool) -> str:  # noqa: FBT001 - the only thing it asks
    return f"({text})" if is_looser else text


def renamed(node: Node, name: Callable[[str], str]) -> Node:
    """Return the formula with every metric called otherwise."""
    match node:
        case Number():
            return node
        case Metric(name=old, at=at):
            return Metric(name(old), at)
        case Negated(operand=operand, at=at):
            return Negated(renamed(operand, name), at)
        case Binary(sign=sign, left=left, right=right, at=at):
            return Binary(sign, renamed(left, name), renamed(right, name), at)
        case Call(function=function, arguments=arguments, at=at):
            return Call(function, tuple(renamed(one, name) for one in arguments), at)
        case Shift(operand=operand, count=count, calendar=calendar, at=at):
            return Shift(renamed(operand, name), count, calendar, at)
