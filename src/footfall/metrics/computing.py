"""A formula over many cells at once: a list of steps that are done for all periods and groups together.

What is missing is not a number: with it + - * / give that again, min and max leave it out, coalesce takes the next.
Division by zero gives what is missing, and so does anything that is too large to be a number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from footfall.metrics.formula import (
    Binary,
    Calendar,
    Call,
    Function,
    Metric,
    Negated,
    Node,
    Number,
    Shift,
    Sign,
    operands,
)

Cells = NDArray[np.float64]
Shifts = tuple[tuple[int, Calendar], ...]  # the outermost first
_EXACT_BELOW = 2.0**52  # From here on every number is whole.


@dataclass(frozen=True, slots=True)
class Load:
    """Put the values of a metric on the stack, as they were some periods earlier."""

    metric: str
    shifts: Shifts


@dataclass(frozen=True, slots=True)
class Constant:
    """Put a number on the stack."""

    value: float


@dataclass(frozen=True, slots=True)
class Apply:
    """Take some values from the stack, and put there what becomes of them."""

    function: Function | Sign | None  # None: the other sign
    count: int
    digits: int = 0


Step = Load | Constant | Apply


def steps_of(formula: Node) -> tuple[Step, ...]:
    """Return a formula as steps; what is deep is not gone down into by calls."""
    steps: list[Step] = []
    waiting: list[tuple[Node, Shifts, bool]] = [(formula, (), False)]
    while waiting:
        node, shifts, is_left = waiting.pop()
        if isinstance(node, Number):
            steps.append(Constant(node.value))
        elif isinstance(node, Metric):
            steps.append(Load(node.name, shifts))
        elif is_left:
            steps.append(_applied(node))
        else:
            if isinstance(node, Shift):
                shifts = (*shifts, (node.count, node.calendar))
            else:
                waiting.append((node, shifts, True))
            below = _values_of(node)
            waiting.extend((one, shifts, False) for one in reversed(below))
    return tuple(steps)


def _values_of(node: Node) -> tuple[Node, ...]:
    """Return the operands that are values; to how many digits something is rounded is not."""
    below = operands(node)
    return below[:1] if isinstance(node, Call) and node.function is Function.ROUND else below


def _applied(node: Node) -> Apply:
    match node:
        case Negated():
            return Apply(None, 1)
        case Binary(sign=sign):
            return Apply(sign, 2)
        case Call(function=Function.ROUND, arguments=(_, Number(value=digits))):
            return Apply(Function.ROUND, 1, int(digits))
        case Call(function=function, arguments=arguments):
            return Apply(function, len(_values_of(node)) if function is Function.ROUND else len(arguments))
        case Number() | Metric() | Shift():
            raise AssertionError(f"{node!r} is not applied to anything")


def computed(steps: tuple[Step, ...], load: Callable[[str, Shifts], Cells], shape: tuple[int, int]) -> Cells:
    """Return what a formula gives for every cell."""
    stack: list[Cells] = []
    with np.errstate(all="ignore"):
        for step in steps:
            if isinstance(step, Constant):
                stack.append(np.full(shape, step.value))
            elif isinstance(step, Load):
                stack.append(load(step.metric, step.shifts))
            else:
                taken = stack[-step.count :]
                del stack[-step.count :]
                stack.append(_finite(_result(step, taken)))
    (result,) = stack
    return result


def _result(step: Apply, taken: list[Cells]) -> Cells:
    function = step.function
    if function is None:
        return -taken[0]
    if function is Function.ROUND:
        return _rounded(taken[0], step.digits)
    return _FUNCTIONS[function](taken)


def _ratio(taken: list[Cells]) -> Cells:
    told = _finite(taken[0] / taken[1])
    return _coalesced([told, *taken[2:]])


def _coalesced(taken: list[Cells]) -> Cells:
    return reduce(lambda one, other: np.where(np.isnan(one), other, one), taken)


def _rounded(cells: Cells, digits: int) -> Cells:
    """Return numbers rounded, halves to the even neighbour; what has no such digit stays."""
    scaled = cells * 10.0**digits
    return np.where(np.abs(scaled) < _EXACT_BELOW, np.rint(scaled) / 10.0**digits, cells)


def _finite(cells: Cells) -> Cells:
    return np.where(np.isfinite(cells), cells, np.nan)


_FUNCTIONS: dict[str, Callable[[list[Cells]], Cells]] = {
    "+": lambda taken: taken[0] + taken[1],
    "-": lambda taken: taken[0] - taken[1],
    "*": lambda taken: taken[0] * taken[1],
    "/": lambda taken: taken[0] / taken[1],
    Function.MIN: lambda taken: reduce(np.fmin, taken),
    Function.MAX: lambda taken: reduce(np.fmax, taken),
    Function.ABS: lambda taken: np.abs(taken[0]),
    Function.RATIO: _ratio,
    Function.COALESCE: _coalesced,
}


def is_linear(steps: tuple[Step, ...], is_additive: Callable[[str], bool]) -> bool:
    """Tell whether the values of two spans add up to that of both: sums of additive metrics, times constants."""
    stack: list[bool | None] = []  # None: a constant
    for step in steps:
        if isinstance(step, Constant):
            stack.append(None)
        elif isinstance(step, Load):
            stack.append(is_additive(step.metric))
        else:
            taken = stack[-step.count :]
            del stack[-step.count :]
            stack.append(_linear(step, taken))
    return stack[0] is True


def _linear(step: Apply, taken: list[bool | None]) -> bool | None:
    if all(one is None for one in taken):
        return None
    match step.function:
        case None:
            return taken[0]
        case "+" | "-":
            return all(one is True for one in taken)
        case "*":
            return None in taken and True in taken
        case "/":
            return taken[0] is True and taken[1] is None
        case _:
            return False
