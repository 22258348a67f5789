"""The rules of a Choice state: every comparison that the language publishes, and And, Or and Not."""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from footfall.states.failing import RUNTIME, StateFailed
from footfall.states.paths import Missing, found
from footfall.states.scanning import Unreadable
from footfall.states.templates import Sight
from footfall.states.timestamps import nanoseconds_of
from footfall.states.values import Json, is_number

Rule = Mapping[str, Json]

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "Equals": operator.eq,
        "LessThan": operator.lt,
        "LessThanEquals": operator.le,
        "GreaterThan": operator.gt,
        "GreaterThanEquals": operator.ge,
    }
)
ORDERED: Final = tuple(f"{kind}{order}" for kind in ("String", "Numeric", "Timestamp") for order in _ORDERS)
ASKING: Final = ("IsNull", "IsPresent", "IsNumeric", "IsString", "IsBoolean", "IsTimestamp")
COMPARISONS: Final = frozenset(
    {*ORDERED, *(f"{name}Path" for name in ORDERED), "BooleanEquals", "BooleanEqualsPath", "StringMatches", *ASKING}
)
JOINING: Final = ("And", "Or", "Not")


def holds(rule: Rule, sight: Sight) -> bool:
    """Tell whether the rule holds for what the state sees; raise StateFailed when its variable is not there."""
    if isinstance(inner := rule.get("Not"), dict):
        return not holds(inner, sight)
    for joining, among in (("And", all), ("Or", any)):
        if isinstance(several := rule.get(joining), list):
            return among(holds(one, sight) for one in several if isinstance(one, dict))
    name = comparison_of(rule)
    variable = rule["Variable"]
    assert isinstance(variable, str)
    if name == "IsPresent":
        return _is_present(variable, sight) == rule[name]
    value = _value(variable, sight)
    if name in ASKING:
        return _ASKED[name](value) == rule[name]
    wanted = rule[name]
    if name.endswith("Path"):
        assert isinstance(wanted, str)
        return _compared(name.removesuffix("Path"), value, _value(wanted, sight))
    return _compared(name, value, wanted)


def comparison_of(rule: Rule) -> str:
    """Return the one comparison that the rule makes."""
    return next(name for name in rule if name in COMPARISONS)


def _compared(name: str, value: Json, wanted: Json) -> bool:
    if name == "BooleanEquals":
        return isinstance(value, bool) and value is wanted
    if name == "StringMatches":
        return isinstance(value, str) and isinstance(wanted, str) and is_like(value, wanted)
    kind = next(kind for kind in ("String", "Numeric", "Timestamp") if name.startswith(kind))
    left, right = _as(kind, value), _as(kind, wanted)
    return left is not None and right is not None and _ORDERS[name.removeprefix(kind)](left, right)


def is_like(text: str, pattern: str) -> bool:
    r"""Tell whether the text fits the pattern, in which `*` is any text and `\*` a star."""
    first, *others = _parts(pattern)
    if not others:
        return text == first
    *inner, last = others
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    # The earliest place of each part leaves the most room for those after it.
    at, end = len(first), len(text) - len(last)
    for part in inner:
        place = text.find(part, at, end)
        if place < 0:
            return False
        at = place + len(part)
    return True


def _parts(pattern: str) -> list[str]:
    parts, escaped = [""], False
    for character in pattern:
        if escaped or character not in "\\*":
            parts[-1] += character
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            parts.append("")
    return parts


def _as(kind: str, value: Json) -> Any:
    if kind == "String":
        return value if isinstance(value, str) else None
    if kind == "Numeric":
        return value if is_number(value) else None
    return nanoseconds_of(value)


def _is_present(variable: str, sight: Sight) -> bool:
    try:
        found(variable, sight.data, sight.context)
    except Missing:
        return False
    return True


def _value(path: str, sight: Sight) -> Json:
    try:
        return found(path, sight.data, sight.context)
    except (Missing, Unreadable) as error:
        raise StateFailed(RUNTIME, f"the choice looks at {path!r}, which is not there: {error}") from error


def _is_null(value: Json) -> bool:
    return value is None


def _is_string(value: Json) -> bool:
    return isinstance(value, str)


def _is_boolean(value: Json) -> bool:
    return isinstance(value, bool)


def _is_timestamp(value: Json) -> bool:
    return nanoseconds_of(value) is not None


_ASKED: Final[Mapping[str, Callable[[Json], bool]]] = MappingProxyType(
    {
        "IsNull": _is_null,
        "IsNumeric": is_number,
        "IsString": _is_string,
        "IsBoolean": _is_boolean,
        "IsTimestamp": _is_timestamp,
    }
)
