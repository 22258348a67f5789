"""Values found and placed by paths: what a path selects, and data with a value put where a reference path says."""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from footfall.states.failing import RESULT_PATH_MATCH_FAILURE, StateFailed
from footfall.states.path_grammar import (
    Compared,
    Condition,
    Deep,
    Element,
    Every,
    Here,
    Inverted,
    Literal,
    Member,
    Operand,
    Path,
    Several,
    Slice,
    Step,
    Where,
    path_from_text,
    reference_from_text,
)
from footfall.states.values import Json, is_equal, is_number
from footfall.values.errors import FootfallError

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
)


class Missing(FootfallError):
    """The path names a place that the data do not have."""


def found(text: str, data: Json, context: Json) -> Json:
    """Return what the path selects: one value, or a list when it may select several; raise Missing, Unreadable."""
    return found_by(path_from_text(text), data, context)


def found_by(path: Path, data: Json, context: Json) -> Json:
    """Return what the path selects; raise Missing."""
    start = context if path.in_context else data
    if path.is_definite:
        value = start
        for step in path.steps:
            value = _one(step, value)
        return value
    values, certain = [start], True
    for step in path.steps:
        # Where the way is still one way, a place that is not there is an error and not an empty answer.
        if certain and isinstance(step, Member | Element):
            values = [_one(step, values[0])]
            continue
        certain = False
        values = [below for value in values for below in _below(step, value, data)]
    return list(values)


def placed(text: str, data: Json, value: Json) -> Json:
    """Return the data with the value put where the reference path says; what is on the way is made."""
    path = reference_from_text(text)
    return _with(data, path.steps, value, text)


def _with(data: Json, steps: tuple[Step, ...], value: Json, text: str) -> Json:
    if not steps:
        return value
    first, rest = steps[0], steps[1:]
    if isinstance(first, Member):
        if isinstance(data, dict) or data is None:
            inner = data.get(first.name) if data else None
            return {**(data or {}), first.name: _with(inner, rest, value, text)}
    elif isinstance(first, Element) and isinstance(data, list) and first.place < len(data):
        changed = list(data)
        changed[first.place] = _with(data[first.place], rest, value, text)
        return changed
    raise StateFailed(RESULT_PATH_MATCH_FAILURE, f"the result cannot be put at {text!r}: the input has no such place")


def _one(step: Step, value: Json) -> Json:
    if isinstance(step, Member):
        if isinstance(value, dict) and step.name in value:
            return value[step.name]
        raise Missing(f"there is no {step.name!r}")
    assert isinstance(step, Element)
    if isinstance(value, list) and -len(value) <= step.place < len(value):
        return value[step.place]
    raise Missing(f"there is no element {step.place}")


def _below(step: Step, value: Json, root: Json) -> list[Json]:  # noqa: PLR0911 - one for each kind of step
    match step:
        case Member() | Element():
            try:
                return [_one(step, value)]
            except Missing:
                return []
        case Several(steps=steps):
            return [below for one in steps for below in _below(one, value, root)]
        case Slice(begin=begin, end=end, step=stride):
            return value[begin:end:stride] if isinstance(value, list) else []
        case Every():
            return _children(value)
        case Deep():
            return [value, *(deep for child in _children(value) for deep in _below(step, child, root))]
        case Where(condition=condition):
            candidates = value if isinstance(value, list) else [value]
            return [one for one in candidates if _holds(condition, one, root)]


def _children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _holds(condition: Condition, here: Json, root: Json) -> bool:
    if isinstance(condition, Inverted):
        return not _holds(condition.condition, here, root)
    if isinstance(condition, Compared):
        return _compares(condition, here, root)
    among = all if condition.how == "&&" else any
    return among(_holds(one, here, root) for one in condition.conditions)


def _compares(condition: Compared, here: Json, root: Json) -> bool:
    try:
        left = _operand(condition.left, here, root)
        if condition.right is None:
            return True
        right = _operand(condition.right, here, root)
    except Missing:
        return False
    if condition.how in ("==", "!="):
        return is_equal(left, right) == (condition.how == "==")
    both_numbers = is_number(left) and is_number(right)
    if not both_numbers and not (isinstance(left, str) and isinstance(right, str)):
        return False
    return _ORDERS[condition.how](left, right)


def _operand(operand: Operand, here: Json, root: Json) -> Json:
    if isinstance(operand, Literal):
        return operand.value
    if isinstance(operand, Here):
        return found_by(operand.path, here, None)
    return found_by(operand, root, None)
